"""Sums of rows, of all or of each group, and rows minus what belongs to their group.

Groups are given by codes, one for each row, or, where their rows stand together, by runs (code, start, stop).
"""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np
import scipy.sparse

from ..typing import Array
from .arrays import cast, device, float64, like, namespace, take_rows, to_numpy


def column_sums(X: Array, weight: Array | None = None) -> Array:
    """Sum the (weighted) rows; no warning where the sums overflow.

    For NumPy by calls that let other threads run, which `ones @ X` does not; elsewhere by that, which is faster on a
    device than a sum (measured on an H200: three times).
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if weight is None:
            if isinstance(X, np.ndarray):
                return np.sum(X, axis=0, dtype=X.dtype)
            return namespace(X).ones((X.shape[0],), dtype=X.dtype, device=device(X)) @ X
        top = float(namespace(weight).max(weight))  # weights of any size fit the dtype of X once they are at most 1
        w = cast(weight / top, X.dtype)
        return (np.dot(w, X) if isinstance(X, np.ndarray) else w @ X) * top


def means_are_finite(X: Array) -> Array:
    """Tell, without waiting for the answer, whether rows on a device are all finite: exactly where their mean is."""
    xp = namespace(X)
    n = X.shape[0]
    return xp.all(xp.isfinite(xp.full((n,), 1.0 / n, dtype=X.dtype, device=device(X)) @ X))


def group_sums(rows: Array, codes: Array, n_groups: int, weight: Array | None) -> Array:
    """Sum the (weighted) rows of each group: an n_groups × p table."""
    xp = namespace(rows)
    if isinstance(rows, np.ndarray):
        n = rows.shape[0]
        data = np.ones(n) if weight is None else weight
        indicator = scipy.sparse.csc_array((data, codes, np.arange(n + 1)), shape=(n_groups, n))
        return indicator @ rows
    groups = xp.arange(n_groups, device=device(rows))
    indicator = xp.astype(groups[:, None] == codes[None, :], rows.dtype)
    return (indicator if weight is None else indicator * cast(weight, rows.dtype)[None, :]) @ rows


def group_counts(codes: Array, n_groups: int, weight: Array | None) -> np.ndarray:
    """Add up the weights of each group, on the host."""
    w = None if weight is None else to_numpy(weight)
    return np.bincount(to_numpy(codes), weights=w, minlength=n_groups).astype(np.float64)


def minus_group_rows(X: Array, table: Array, codes: Array) -> Array:
    """Return X − table[codes]."""
    rows = take_rows(table, codes)
    if isinstance(rows, np.ndarray):
        return np.subtract(X, rows, out=rows)
    return X - rows


def run_sums(rows: Array, runs: Any, n_groups: int) -> Array:
    """Sum the rows of groups that stand together: an n_groups × p table, in a fixed order of addition."""
    xp = namespace(rows)
    ones = xp.ones((max(b - a for _, a, b in runs),), dtype=rows.dtype, device=device(rows))
    sums = {k: ones[: b - a] @ rows[a:b, :] for k, a, b in runs}
    none = xp.zeros_like(next(iter(sums.values())))
    return xp.stack([sums.get(k, none) for k in range(n_groups)], axis=0)


def minus_run_rows(X: Array, table: Array, runs: Any) -> Array:
    """Return X minus the row of `table` that belongs to each group, the groups standing together."""
    xp = namespace(X)
    if not (array_api_compat.is_torch_array(X) or array_api_compat.is_cupy_array(X)):
        return xp.concat([X[a:b, :] - table[k, :] for k, a, b in runs], axis=0)
    rows = xp.empty(X.shape, dtype=table.dtype, device=device(X))
    for k, a, b in runs:
        xp.subtract(X[a:b, :], table[k, :], out=rows[a:b, :])
    return rows


def run_samples(X: Array, runs: Any, size: int) -> Array:
    """Return so many rows of each run, evenly spaced, in float64: an array of shape (runs, size, p)."""
    places = np.concatenate([np.linspace(a, b - 1, size).astype(np.intp) for _, a, b in runs])
    return namespace(X).reshape(float64(take_rows(X, like(places, X))), (len(runs), size, X.shape[1]))
