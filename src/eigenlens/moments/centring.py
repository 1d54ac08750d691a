"""Rows made ready to be squared: taken about the means of their groups, in two steps.

Powers of two are taken out of columns of extreme size (`arrays/exponents.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from ..arrays import exponents, namespaces
from ..arrays.namespaces import Codes
from ..arrays.typing import Array
from .form import Form, Keeps

LIFT = 64  # sums of rows beyond 2^1024/rows are taken in units of 2^64
LARGE = 2**18  # cells of a block from which a copy of it is felt (bench_pca_is_one_centred_product)
NEARLY = 10.0  # times its mean that a column's numbers are, on average, where squares lose no digits to the mean
SPARSE = 0.05  # share of cells up to which sparse products are faster than dense ones
PIECE = 2**18  # stored cells of a sparse table that are converted together
FULL = 0.5  # share of (weighted) rows beyond which a column of a group has an offset
MOSTLY = 0.1  # share of full columns beyond which nothing is gained
SAMPLE = 64  # so many rows of a group tell where single-precision rows lie


@dataclass(frozen=True, slots=True)
class CentredBlock:
    """Rows about their group means, in units of 2^lift.

    Attributes
    ----------
    rows : float64 array of shape (n, p)
        √w·(x − c), where c is nearly the mean of the row's group, or 0 where that is small.
    residual : array of shape (G, p)
        What the group means of x − c still are; zero if they were taken out.
    shift : array of shape (G, p)
        Group means minus the pivot.
    weights : ndarray of shape (G,)
        Total weight of each group.
    weight : array of shape (n,) or None
        That of each row; None means one each.
    ordinary : bool
        Whether the rows are known to square without overflow or underflow.
    """

    rows: Array
    residual: Array
    shift: Array
    weights: np.ndarray
    lift: int
    weight: Array | None = None
    ordinary: bool = False


def centre_block(
    X: Array,
    weight: Array | None,
    codes: Codes,
    n_groups: int,
    pivot: Array,
    exact: bool,
) -> CentredBlock:
    """Subtract group means twice: a rough mean from all rows, then what is left of it.

    The rough mean carries the offset and its rounding; the differences x − c are small and exact, and so their mean is.
    With `exact=False` that second mean is returned rather than subtracted, one pass over the rows less.
    """
    xp = namespaces.namespace(X)
    weights = namespaces.group_weights(X, weight, codes, n_groups)
    single = namespaces.single(X)
    if single and weight is None and (codes is None or isinstance(codes, tuple)):
        return _centre_single(X, codes, weights, pivot, exact)
    rough = namespaces.group_means(X, weight, codes, weights)
    lift = 0
    if not namespaces.all_finite(rough):
        lift, X = LIFT, X * 2.0**-LIFT
        rough = namespaces.group_means(X, weight, codes, weights)
    rough = namespaces.cast(rough, xp.float64)
    if not (exact or single or lift) and codes is None and weight is None and _is_nearly_centred(X, rough):
        return CentredBlock(X, rough, rough - pivot, weights, 0)
    rows = namespaces.minus_groups(X, rough, codes)
    residual = namespaces.group_means(rows, weight, codes, weights)
    shift = (rough - pivot * 2.0**-lift) + residual
    if exact or single:  # a mean of single precision leaves more than its own rounding behind
        if codes is None:
            rows -= residual[0, :]
        else:
            rows = namespaces.minus_groups(rows, residual, codes)
        residual = xp.zeros_like(residual)
    if weight is not None:
        rows = rows * xp.sqrt(weight)[:, None]
    return CentredBlock(rows, residual, shift, weights, lift, weight)


def _is_nearly_centred(X: Array, mean: Array) -> bool:
    """Tell whether rows may be squared where they are, and their mean taken out of the squares, without losing digits.

    A copy of a large block about its mean takes a tenth of the time of its squares. How large the numbers of a column
    are is estimated from some of them.
    """
    if not isinstance(X, np.ndarray) or X.dtype != np.float64 or X.size < LARGE:
        return False
    with np.errstate(over="ignore"):
        size = np.abs(X[:: max(len(X) // SAMPLE, 1)]).mean(axis=0)
        return bool((NEARLY * np.abs(mean[0]) <= size).all())


def _centre_single(X: Array, codes: Codes, weights: np.ndarray, pivot: Array, exact: bool) -> CentredBlock:
    """Centre single-precision rows of a device without waiting for it, and with one pass over them less.

    The centre is the mean of a few rows in single precision: differences from that are exact, constant
    columns come out as zero, and the mean of the differences says how far off it was.
    """
    xp = namespaces.namespace(X)
    runs = ((0, 0, X.shape[0]),) if codes is None else codes
    few = namespaces.float64(namespaces.cast(xp.mean(namespaces.run_samples(X, runs, SAMPLE), axis=1), xp.float32))
    centre = few
    if len(runs) < len(weights):
        position = np.zeros(len(weights), dtype=np.intp)  # groups without rows take any centre
        position[[k for k, _, _ in runs]] = np.arange(len(runs))
        centre = namespaces.take_rows(few, namespaces.like(position, few))
    rows = namespaces.minus_groups(X, centre, codes)
    residual = namespaces.group_means(rows, None, codes, weights)
    shift = (centre - pivot) + residual
    if exact:
        rows, residual = namespaces.minus_groups(rows, residual, codes), xp.zeros_like(residual)
    return CentredBlock(rows, residual, shift, weights, 0, ordinary=True)


def summed(keeps: Keeps, rows: Array, exponent: np.ndarray) -> tuple[Form, np.ndarray]:
    """Sum squares of rows given over 2^exponent, taking out more where a column would overflow or underflow."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        store = Form.of_rows(rows, keeps)
        squares, low, high = store.diagonal(), 2.0 ** (-2 * exponents.ORDINARY), 2.0 ** (2 * exponents.ORDINARY)
        ordinary = namespaces.namespace(squares).all((squares >= low) & (squares <= high))
    if bool(ordinary) and not exponent.any():
        return store, exponent
    more = exponents.column_exponents(rows)
    total = np.where(
        more == exponents.FREE, 0, np.clip(exponent + more, -exponents.LAST_EXPONENT, exponents.LAST_EXPONENT)
    )
    total = np.where(np.abs(total) <= exponents.ORDINARY, 0, total)
    if np.array_equal(total, exponent):
        return store, exponent
    return Form.of_rows(rows * exponents.shrink(exponent, total, rows), keeps), total


# -- sparse rows: the mean is taken out of the products, T = XᵀWX − Σ W_k m_k m_kᵀ -------------------------------------
#
# This is the formula that loses every digit at an offset; but a column that is zero in half of the rows (of every
# group) has no such offset: m² is then at most half of the mean square, and one bit is all that is lost. Columns that
# are fuller are made dense and centred as anywhere else.


def sparse_is_worth_it(X: Any, weight: np.ndarray | None) -> bool:
    """Tell whether implicit centring is faster, and safe from overflow."""
    if X.nnz == 0 or X.nnz > SPARSE * X.shape[0] * X.shape[1]:
        return False
    size = np.abs(X.data[X.data != 0])
    ordinary = size.size > 0 and size.min() > 2.0**-exponents.ORDINARY and size.max() < 2.0**exponents.ORDINARY
    return ordinary and (
        weight is None or (weight.min() > 2.0**-exponents.ORDINARY and weight.max() < 2.0**exponents.ORDINARY)
    )


def sparse_scatter(
    X: Any, weight: np.ndarray | None, codes: np.ndarray | None, n_groups: int
) -> tuple[Form, np.ndarray, np.ndarray] | None:
    """Return the pooled within-group scatter, means and weights of the groups; None where rows should be dense."""
    n, p = X.shape
    w = np.ones(n) if weight is None else weight
    group = np.zeros(n, dtype=np.intp) if codes is None else codes
    weights = np.bincount(group, weights=w, minlength=n_groups)
    average = scipy.sparse.csr_array((w / weights[group], (group, np.arange(n))), shape=(n_groups, n))
    full = np.flatnonzero(((average @ (X != 0)).toarray() > FULL).any(axis=0))
    if len(full) > MOSTLY * p:
        return None
    rest = np.setdiff1d(np.arange(p), full)
    S, D = X[:, rest].astype(np.float64), X[:, full].toarray().astype(np.float64)
    means, m = np.zeros((n_groups, p)), (average @ S).toarray()
    means[:, rest] = m
    for _ in range(2):  # the second mean is what rounding left of the first
        step = average @ D
        D = D - step[group]
        means[:, full] += step
    root = np.sqrt(w)[:, None]
    S, D = scipy.sparse.csr_array(S.multiply(root)), D * root
    T, across = np.zeros((p, p)), S.T @ D
    T[np.ix_(rest, rest)] = (S.T @ S).toarray() - (m * weights[:, None]).T @ m
    T[np.ix_(rest, full)], T[np.ix_(full, rest)], T[np.ix_(full, full)] = across, across.T, D.T @ D
    return Form(matrix=T), means, weights


def sparse_squares(X: Any, weight: np.ndarray | None) -> tuple[Form, np.ndarray, np.ndarray]:
    """Return the centred sums of squares, the means and the total weight of the columns of a CSR table."""
    total, (means, squares) = 0.0, np.zeros((2, X.shape[1]))
    step = max(1, PIECE * X.shape[0] // max(X.nnz, 1))
    for start in range(0, X.shape[0], step):  # what is converted on the way is small compared with the table
        rows = slice(start, start + step)
        w = None if weight is None else weight[rows]
        centre, variances = mean_variance_axis(X[rows].astype(np.float64, copy=False), axis=0, weights=w)
        own = float(len(range(*rows.indices(X.shape[0]))) if w is None else w.sum())
        jump, share = centre - means, own / (total + own)
        squares += own * variances + total * share * jump**2
        means, total = means + share * jump, total + own
    return Form(squares=squares, squared=False), means[None, :], np.array([total])
