"""Words that people search for, and the page that answers them: entries of the index, which the search shows first."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

WORDS = {
    "guide/holes": ("missing values", "missing data", "missing", "NaN", "imputation"),
    "guide/how_many": ("how many components", "number of components", "scree plot"),
    "guide/wide_and_sparse": ("sparse", "sparse matrix", "more columns than rows", "high-dimensional data"),
    "guide/files_and_clusters": (
        "out of core",
        "larger than memory",
        "Parquet",
        "CSV",
        "DuckDB",
        "Dask",
        "Spark",
        "Ray",
    ),
    "guide/how_sure": ("confidence intervals", "uncertainty"),
    "guide/words": ("categorical data", "survey", "MCA", "FAMD"),
    "guide/distances": ("multidimensional scaling", "principal coordinates"),
    "methods/robust_pca": ("outliers", "robust"),
    "methods/sparse_pca": ("sparse components",),
    "validation": ("cross-validation", "tuning"),
    "model_files": ("save a model", "pickle", "ONNX"),
    "coming/from_sklearn": ("scikit-learn", "sklearn"),
}


class Entries(SphinxTransform):
    """Put the words of a page before its text."""

    default_priority = 500

    def apply(self, **keywords: Any) -> None:
        """Add them to the page that is being read."""
        words = WORDS.get(self.env.docname, ())
        section = next(self.document.findall(nodes.section), None)
        if words and section is not None:
            place = section["ids"][0]
            entries = [("single", word, place, "main", None) for word in words]
            section.insert(1, addnodes.index(entries=entries))


def setup(app: Any) -> None:
    """Let every page that is read pass through."""
    app.add_transform(Entries)
