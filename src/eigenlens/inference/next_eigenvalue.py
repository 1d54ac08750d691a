"""The statistic of "at most d directions": the next eigenvalue over the mean of those that are left."""

from __future__ import annotations

import numpy as np

from ..solve.leading import KrylovSpace, leading

ITERATED, FEW_OF_MANY = 300, 20  # rows of a matrix from which one eigenvalue in so many is found by iteration
RESIDUAL = 1e-7  # of the iteration, relative to the eigenvalue, which is right to about its square


def statistic_of(values: np.ndarray, d: int, p: int) -> float:
    """Return the statistic, of all eigenvalues of p columns in descending order."""
    return float(values[d] * (p - d) / max(values[d:].sum(), np.finfo(float).tiny))


def statistic_of_products(W: np.ndarray, d: int, p: int) -> float:
    """Return the statistic of a matrix of products; of a large one, from its first d + 1 eigenvalues and its trace."""
    if len(W) >= ITERATED and FEW_OF_MANY * (d + 1) <= len(W):
        found = leading(KrylovSpace(lambda V: V @ W, len(W), d + 1, W), d + 1, tol=RESIDUAL)
        if found.settled:
            left = float(np.trace(W) - found.values[:d].sum())
            return float(found.values[d] * (p - d) / max(left, np.finfo(float).tiny))
    return statistic_of(np.linalg.eigvalsh(W)[::-1], d, p)
