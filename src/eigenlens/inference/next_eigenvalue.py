"""The statistic of "at most d directions": the next eigenvalue over the mean of those that are left."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import ArpackError, eigsh

ITERATED, FEW_OF_MANY = 300, 20  # rows of a matrix from which one eigenvalue in so many is found by iteration
RESIDUAL = 1e-7  # of the iteration, relative to the eigenvalue, which is right to about its square


def statistic_of(values: np.ndarray, d: int, p: int) -> float:
    """Return the statistic, of all eigenvalues of p columns in descending order."""
    return float(values[d] * (p - d) / max(values[d:].sum(), np.finfo(float).tiny))


def statistic_of_products(W: np.ndarray, d: int, p: int) -> float:
    """Return the statistic of a matrix of products; of a large one, from its first d + 1 eigenvalues and its trace."""
    if len(W) >= ITERATED and FEW_OF_MANY * (d + 1) <= len(W):
        start = np.random.default_rng(0).standard_normal(len(W))
        try:
            first = np.sort(eigsh(W, k=d + 1, v0=start, tol=RESIDUAL, return_eigenvectors=False))[::-1]
        except ArpackError:
            pass
        else:
            left = float(np.trace(W) - first[:d].sum())
            return float(first[d] * (p - d) / max(left, np.finfo(float).tiny))
    return statistic_of(np.linalg.eigvalsh(W)[::-1], d, p)
