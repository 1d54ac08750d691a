"""Scatter of sparse rows without making them dense: the mean is taken out of the products, not of the rows,

    T = XᵀWX − Σ W_k m_k m_kᵀ.

This is the formula that loses every digit at an offset; but a column that is zero in half of the rows (of every group)
has no such offset: m² is then at most half of the mean square, and one bit is all that is lost. Columns that are fuller
are made dense and centred as anywhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse

from ..arrays import exponents, namespaces

SPARSE = 0.05  # share of cells up to which sparse products are faster than dense ones
FULL = 0.5  # share of (weighted) rows beyond which a column of a group has an offset
MOSTLY = 0.1  # share of full columns beyond which nothing is gained
PIECE = 2**18  # cells that are looked at together: what is made of them on the way is small compared with the table


def is_worth_it(X: Any, weight: np.ndarray | None) -> bool:
    """Tell whether implicit centring is faster, and safe from overflow."""
    if X.nnz == 0 or X.nnz > SPARSE * X.shape[0] * X.shape[1]:
        return False
    size = np.abs(X.data[X.data != 0])
    ordinary = size.size > 0 and size.min() > 2.0**-exponents.ORDINARY and size.max() < 2.0**exponents.ORDINARY
    return ordinary and (
        weight is None or (weight.min() > 2.0**-exponents.ORDINARY and weight.max() < 2.0**exponents.ORDINARY)
    )


def scatter(
    X: Any, weight: np.ndarray | None, codes: np.ndarray | None, n_groups: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Return the pooled within-group scatter, means and weights of the groups; None where rows should be dense."""
    n, p = X.shape
    w = np.ones(n) if weight is None else weight
    group = np.zeros(n, dtype=np.intp) if codes is None else codes
    weights = np.bincount(group, weights=w, minlength=n_groups)
    indicator = scipy.sparse.csr_array((w, (group, np.arange(n))), shape=(n_groups, n))
    filled = X.copy()
    filled.data = (X.data != 0).astype(np.float64)
    share = (indicator @ filled).toarray() / np.where(weights > 0, weights, 1.0)[:, None]
    full = np.flatnonzero((share > FULL).any(axis=0))
    if len(full) > MOSTLY * p:
        return None
    rest = np.setdiff1d(np.arange(p), full)
    root = np.sqrt(w)[:, None]
    S, D = X[:, rest].astype(np.float64), X[:, full].toarray().astype(np.float64)
    means = np.zeros((n_groups, p))
    means[:, rest] = (indicator @ S).toarray() / np.where(weights > 0, weights, 1.0)[:, None]
    for _ in range(2):  # the second mean is what rounding left of the first
        step = namespaces.group_sums(D, group, n_groups, w) / np.where(weights > 0, weights, 1.0)[:, None]
        D = D - step[group]
        means[:, full] += step
    D *= root
    S = scipy.sparse.csr_array(S.multiply(root))
    T = np.zeros((p, p))
    m = means[:, rest]
    T[np.ix_(rest, rest)] = (S.T @ S).toarray() - (m * weights[:, None]).T @ m
    T[np.ix_(rest, full)] = S.T @ D
    T[np.ix_(full, rest)] = T[np.ix_(rest, full)].T
    T[np.ix_(full, full)] = D.T @ D
    return T, means, weights


def row_pieces(X: Any) -> Iterator[slice]:
    """Yield rows of a CSR table a few at a time, each piece of about as many cells."""
    starts = np.searchsorted(X.indptr, np.arange(0, X.nnz, PIECE), side="left") if X.nnz else np.zeros(1, dtype=int)
    edges = np.unique(np.append(starts, X.shape[0]))
    edges = edges if edges[0] == 0 else np.append(0, edges)
    return (slice(int(low), int(high)) for low, high in pairwise(edges))


def column_squares(X: Any, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the total weight, the means and the centred sums of squares of the columns of a CSR table.

    A cell that is stored adds w(x − m)², one that is not w·m²: nothing cancels. What rounding left of the means of full
    columns is found from the differences, and taken out as well.
    """
    n, p = X.shape
    total = float(n if weight is None else weight.sum())
    held, sums, apart, squares = np.zeros((4, p))
    for columns, data, w in _cells(X, weight):
        held += np.bincount(columns, weights=w, minlength=p)
        sums += np.bincount(columns, weights=data if w is None else w * data, minlength=p)
    rough, empty = sums / total, np.maximum(total - held, 0.0)
    for columns, data, w in _cells(X, weight):
        d = data - rough[columns]
        apart += np.bincount(columns, weights=d if w is None else w * d, minlength=p)
        squares += np.bincount(columns, weights=d * d if w is None else w * d * d, minlength=p)
    residual = (apart - empty * rough) / total
    return np.array([total]), rough + residual, squares + empty * rough**2 - total * residual**2


def _cells(X: Any, weight: np.ndarray | None) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray | None]]:
    """Yield columns, values and weights of the stored cells, some rows at a time."""
    for rows in row_pieces(X):
        low, high = X.indptr[rows.start], X.indptr[rows.stop]
        counts = np.diff(X.indptr[rows.start : rows.stop + 1])
        w = None if weight is None else np.repeat(weight[rows], counts)
        yield X.indices[low:high], X.data[low:high].astype(np.float64, copy=False), w
