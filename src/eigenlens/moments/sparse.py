"""Scatter of sparse rows without making them dense: the mean is taken out of the products, not of the rows,

    T = XᵀWX − Σ W_k m_k m_kᵀ.

This is the formula that loses every digit at an offset; but a column that is zero in half of the rows (of every group)
has no such offset: m² is then at most half of the mean square, and one bit is all that is lost. Columns that are fuller
are made dense and centred as anywhere else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from .._core import powers
from .._core import xp as _xp

SPARSE = 0.05  # share of cells up to which sparse products are faster than dense ones
FULL = 0.5  # share of (weighted) rows beyond which a column of a group has an offset
MOSTLY = 0.1  # share of full columns beyond which nothing is gained


def is_worth_it(X: Any, weight: np.ndarray | None) -> bool:
    """Tell whether implicit centring is faster, and safe from overflow."""
    if X.nnz == 0 or X.nnz > SPARSE * X.shape[0] * X.shape[1]:
        return False
    size = np.abs(X.data[X.data != 0])
    ordinary = size.size > 0 and size.min() > 2.0**-powers.ORDINARY and size.max() < 2.0**powers.ORDINARY
    return ordinary and (
        weight is None or (weight.min() > 2.0**-powers.ORDINARY and weight.max() < 2.0**powers.ORDINARY)
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
        step = _xp.group_sums(D, group, n_groups, w) / np.where(weights > 0, weights, 1.0)[:, None]
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
