"""Correlations of columns with scores, from moments alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import namespaces
from ...arrays.exponents import over_largest
from ...arrays.typing import Array
from ...moments import Centred, Moments
from ...solve import Form


def total_of(moments: Any) -> Centred | None:
    """Return the moments of all rows together: of two tables, those of both; None where columns have no mean."""
    found = moments.total() if isinstance(moments, Moments) else None
    return found if isinstance(found, Centred) else None


def structure(centred: Centred, basis: Array) -> Array:
    """Return the correlations of all columns with the scores along directions.

    Parameters
    ----------
    centred : Centred
        Sums of squares of the columns: all of them, or those within classes.
    basis : array of shape (p, k)
        Directions of the first p columns, in the units of the data.

    Returns
    -------
    array of shape (columns, k)
        NaN for a column that is constant, and for scores that are.
    """
    xp, unit = namespaces.namespace(centred.pivot), centred.unit
    form, p = Form.of(centred, centred.weight), basis.shape[0]
    V = namespaces.like(basis, centred.pivot) * unit[:p, None]
    if p < form.dimension:
        rest = xp.zeros((form.dimension - p, V.shape[1]), dtype=V.dtype, device=namespaces.device(V))
        V = xp.concat([V, rest], axis=0)
    V = over_largest(V)  # the length of a direction changes no correlation
    shared = form.apply(V)
    of_columns = xp.where(centred.constant_columns(), xp.nan, form.diagonal()) ** 0.5
    of_scores = xp.sum(V * shared, axis=0)
    of_scores = xp.where(of_scores > 0, of_scores, xp.nan) ** 0.5
    return xp.clip(shared / of_columns[:, None] / of_scores, min=-1.0, max=1.0)


def spreads(centred: Centred, divisor: float) -> np.ndarray:
    """Return the standard deviations of columns, in the units of the data."""
    with np.errstate(over="ignore", under="ignore"):
        return np.sqrt(namespaces.to_numpy(centred.store.diagonal()) / divisor) * namespaces.to_numpy(centred.unit)
