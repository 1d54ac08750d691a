"""What scikit-learn is told of every method that turns rows into rows."""

from __future__ import annotations

from typing import Any

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin


class RowsTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Takes sparse rows, returns rows in the floating-point type of those it was given, and names their columns."""

    n_components_: int

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
