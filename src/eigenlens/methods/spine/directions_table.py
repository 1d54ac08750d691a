"""What each direction of a model carries, for its summary."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import namespaces
from ...arrays.summaries import Table, table

#: Attributes that say how much a direction carries, and what to call that.
MEASURES = (
    ("canonical_correlations_", "canonical correlation"),
    ("correlations_", "canonical correlation"),
    ("explained_variance_", "variance"),
    ("eigenvalues_", "eigenvalue"),
    ("singular_values_", "singular value"),
)


def directions(model: Any, names: list[str]) -> Table | None:
    """Return what each direction carries, and its share."""
    found: dict[str, Any] = {}
    for attribute, words in MEASURES:
        values = getattr(model, attribute, None)
        if values is not None and namespaces.is_array(values) and values.shape == (len(names),):
            values = namespaces.floats(values)
            if attribute == "explained_variance_":
                found["standard deviation"] = np.sqrt(values)
            found[words] = values
            break
    else:
        solved: Any = getattr(getattr(model, "spectrum_", None), "values", None)
        if solved is not None and len(solved) == len(names):
            found["eigenvalue"] = namespaces.floats(solved)
    shares = getattr(model, "explained_variance_ratio_", None)
    if shares is not None and len(shares) == len(names):
        found["share"] = namespaces.floats(shares)
        found["cumulative"] = np.cumsum(found["share"])
    return table("Directions", found, names) if found else None
