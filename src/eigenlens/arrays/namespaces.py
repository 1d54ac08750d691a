"""What an array is, where it lives, how it goes from one library, device or type to another, and sums of its rows.

Groups of rows are given by codes, one for each row, or, where their rows are neighbours, by runs (code, start, stop).
NumPy's arrays, which small fits ask about a hundred times, are answered first.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

import array_api_compat
import array_api_compat.numpy
import numpy as np
import scipy.sparse

from .typing import Array, Namespace

#: Which group each row belongs to: codes, runs (code, start, stop) of rows that are neighbours, or None for one group.
Codes = Any
EPS = float(np.finfo(np.float64).eps)
DENSE_INDICATOR = 4_096  # cells of an indicator of groups up to which a sparse one takes longer to make than it saves


is_sparse = scipy.sparse.issparse


def namespace(*arrays: Any) -> Namespace:
    """Return the array namespace the arrays share."""
    for a in arrays:
        if a is not None and not isinstance(a, np.ndarray) and not is_sparse(a):
            break
    else:
        return array_api_compat.numpy
    return array_api_compat.array_namespace(*[a for a in arrays if a is not None])


is_array: Callable[[Any], bool] = array_api_compat.is_array_api_obj
device = array_api_compat.device


def on_accelerator(x: Array) -> bool:
    """Tell whether an array lives on a device of its own, which the host must wait for."""
    if isinstance(x, np.ndarray):
        return False
    if array_api_compat.is_torch_array(x):
        return x.device.type != "cpu"
    return array_api_compat.is_cupy_array(x)


def is_floating(x: Array) -> bool:
    """Tell whether `x` holds real floating-point numbers."""
    if isinstance(x, np.ndarray):
        return x.dtype.kind == "f"
    return namespace(x).isdtype(x.dtype, "real floating")


def is_whole(x: Any) -> bool:
    """Tell whether `x` is an array, not NumPy's, of signed integers."""
    return not isinstance(x, np.ndarray) and is_array(x) and namespace(x).isdtype(x.dtype, "signed integer")


def is_complex(x: Array) -> bool:
    """Tell whether `x` holds complex numbers."""
    return namespace(x).isdtype(x.dtype, "complex floating")


def is_number(x: Array) -> bool:
    """Tell whether `x` holds booleans or real numbers."""
    return namespace(x).isdtype(x.dtype, ("bool", "integral", "real floating"))


def single(x: Array) -> bool:
    """Tell whether an array that is not NumPy's holds single precision: sums of squares then need no care of range."""
    return not isinstance(x, np.ndarray) and x.dtype == namespace(x).float32


def all_finite(x: Array) -> bool:
    """Tell whether every entry is finite."""
    xp = namespace(x)
    return bool(xp.all(xp.isfinite(x)))


def to_numpy(x: Any) -> np.ndarray:
    """Copy an array of any namespace and device to NumPy."""
    if isinstance(x, np.ndarray):
        return x
    if array_api_compat.is_torch_array(x):
        return x.detach().cpu().numpy()
    if array_api_compat.is_cupy_array(x):
        return x.get()
    return np.asarray(x)


def floats(values: Any) -> np.ndarray:
    """Return a table or an array of any library as NumPy's float64."""
    return np.asarray(to_numpy(values), dtype=np.float64)


def like(values: Any, ref: Any) -> Array:
    """Put float64 `values` into the namespace and device of `ref`; sparse rows go with NumPy's arrays."""
    if isinstance(ref, np.ndarray) or is_sparse(ref):
        return to_numpy(values)
    xp = namespace(ref)
    if is_array(values) and type(values) is type(ref) and device(values) == device(ref):
        return values
    values = to_numpy(values) if is_array(values) else np.asarray(values)
    if any(step < 0 for step in values.strides):
        values = values.copy()  # torch knows no rows in reversed order
    if on_accelerator(ref) and array_api_compat.is_torch_array(ref):
        # torch's blocking copy waits for all work on the device; from pageable memory the other one is as safe
        return xp.asarray(values).to(device(ref), non_blocking=True)
    return xp.asarray(values, device=device(ref))


def dense(x: Any) -> Array:
    """Return rows as an array, sparse ones made dense."""
    return x.toarray() if is_sparse(x) else x


def sparse_tensor(x: Any) -> Any | None:
    """Return a sparse torch tensor on the host as a SciPy table that shares its cells; None for anything else."""
    layout = str(getattr(x, "layout", ""))
    if not (array_api_compat.is_torch_array(x) and layout.startswith("torch.sparse_")):
        return None
    if x.device.type != "cpu":
        return None
    x, shape = x.detach(), tuple(x.shape)
    if layout == "torch.sparse_csr":
        return scipy.sparse.csr_array((x.values().numpy(), x.col_indices().numpy(), x.crow_indices().numpy()), shape)
    if layout == "torch.sparse_csc":
        return scipy.sparse.csc_array((x.values().numpy(), x.row_indices().numpy(), x.ccol_indices().numpy()), shape)
    cells = (x if layout == "torch.sparse_coo" else x.to_sparse()).coalesce()
    return scipy.sparse.coo_array((cells.values().numpy(), tuple(cells.indices().numpy())), shape)


def detached(x: Array) -> Array:
    """Return `x` without its gradient history, where its library keeps one."""
    return x.detach() if array_api_compat.is_torch_array(x) else x


def cast(x: Array, dtype: Any, copy: bool = False) -> Array:
    """Convert to a dtype, without a copy where it is that already."""
    if isinstance(x, np.ndarray):
        return x.astype(dtype, copy=copy)
    return namespace(x).astype(x, dtype, copy=copy)


def attribute_copy(x: Array, dtype: Any) -> Array:
    """Copy for a fitted attribute: writing to it changes no prediction."""
    return cast(x, dtype, copy=True)


def same_dtype(dtype: Any, xp: Namespace) -> Any:
    """Return the dtype of the same name in another namespace."""
    return getattr(xp, str(dtype).rsplit(".", maxsplit=1)[-1])


def float64(x: Any) -> Array:
    """Convert to float64, the type every sum is kept in."""
    return x.astype(np.float64, copy=False) if isinstance(x, np.ndarray) else cast(x, namespace(x).float64)


def take_rows(table: Any, codes: Any) -> Array:
    """Return table[codes]."""
    if isinstance(table, np.ndarray):  # `take` is faster, but copies all of a table whose rows are not adjacent
        return table.take(codes, axis=0) if table.flags.c_contiguous else table[codes]
    return namespace(table).take(table, codes, axis=0)


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


def sum_is_finite(X: Array) -> bool:
    """Tell whether rows add up to a finite number: none of them is NaN or infinite then."""
    if isinstance(X, np.ndarray):
        with np.errstate(over="ignore", invalid="ignore"):
            return isfinite(X.sum(dtype=X.dtype))
    return all_finite(column_sums(X))


def means_are_finite(X: Array) -> Array:
    """Tell, without waiting for the answer, whether rows on a device are all finite: exactly where their mean is."""
    xp = namespace(X)
    n = X.shape[0]
    return xp.all(xp.isfinite(xp.full((n,), 1.0 / n, dtype=X.dtype, device=device(X)) @ X))


def column_squares(rows: Array) -> Array:
    """Return the sum of squares of each column, without a table of squares."""
    if isinstance(rows, np.ndarray):
        return np.einsum("ij,ij->j", rows, rows)
    return namespace(rows).linalg.vector_norm(rows, axis=0) ** 2


def group_sums(rows: Array, codes: Array, n_groups: int, weight: Array | None) -> Array:
    """Sum the (weighted) rows of each group: an n_groups × p table."""
    xp = namespace(rows)
    if isinstance(rows, np.ndarray):
        n = rows.shape[0]
        if n * n_groups <= DENSE_INDICATOR:
            indicator = (codes == np.arange(n_groups)[:, None]) * (1.0 if weight is None else weight)
            with np.errstate(over="ignore", invalid="ignore"):
                return indicator @ rows
        data = np.ones(n) if weight is None else weight
        indicator = scipy.sparse.csc_array((data, codes, np.arange(n + 1)), shape=(n_groups, n))
        return indicator @ rows
    groups = xp.arange(n_groups, device=device(rows))
    indicator = xp.astype(groups[:, None] == codes[None, :], rows.dtype)
    return (indicator if weight is None else indicator * cast(weight, rows.dtype)[None, :]) @ rows


def group_weights(X: Array, weight: Array | None, codes: Codes, n_groups: int) -> np.ndarray:
    """Add up the weights of the rows of each group, on the host."""
    if codes is None:
        return np.array([float(X.shape[0] if weight is None else namespace(weight).sum(weight))])
    w = None if weight is None else to_numpy(weight)
    if isinstance(codes, tuple):
        weights = np.zeros(n_groups)
        for k, a, b in codes:
            weights[k] = b - a if w is None else w[a:b].sum()
        return weights
    return np.bincount(to_numpy(codes), weights=w, minlength=n_groups).astype(np.float64)


def group_means(X: Array, weight: Array | None, codes: Codes, weights: np.ndarray) -> Array:
    """Return the (weighted) mean of the rows of each group, given the weights of the groups: zero where that is."""
    largest = float(weights.max(initial=0.0))
    if weight is not None and X.dtype != namespace(X).float64 and largest > 0:  # beyond the range of single precision
        weight, weights = weight / largest, weights / largest
    if codes is None:
        return column_sums(X, weight)[None, :] / (float(weights[0]) or 1.0)
    if isinstance(codes, tuple):
        sums = run_sums(X, codes, len(weights))
    else:
        sums = group_sums(X, codes, len(weights), weight)
    return sums / like(np.where(weights > 0, weights, 1.0), X)[:, None]


def minus_groups(X: Array, table: Array, codes: Codes) -> Array:
    """Return rows minus the row of `table` that belongs to their group."""
    if codes is None:
        return X - table[0, :]
    if isinstance(codes, tuple):
        return minus_run_rows(X, table, codes)
    rows = take_rows(table, codes)
    return np.subtract(X, rows, out=rows) if isinstance(rows, np.ndarray) else X - rows


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
    if not (isinstance(X, np.ndarray) or array_api_compat.is_torch_array(X) or array_api_compat.is_cupy_array(X)):
        return xp.concat([X[a:b, :] - table[k, :] for k, a, b in runs], axis=0)
    rows = xp.empty(X.shape, dtype=xp.result_type(X, table), device=device(X))
    for k, a, b in runs:
        xp.subtract(X[a:b, :], table[k, :], out=rows[a:b, :])
    return rows


def run_samples(X: Array, runs: Any, size: int) -> Array:
    """Return so many rows of each run, evenly spaced, in float64: an array of shape (runs, size, p)."""
    places = np.concatenate([np.linspace(a, b - 1, size).astype(np.intp) for _, a, b in runs])
    return namespace(X).reshape(float64(take_rows(X, like(places, X))), (len(runs), size, X.shape[1]))
