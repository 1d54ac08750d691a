"""Backward pruning: drop one term at a time, the one whose loss costs least, and keep the best size.

All of it happens on the small triangular factor R of the terms: with β = R⁻¹z, leaving term k out raises
the residual sum of squares by ‖β_k‖² / (RᵀR)⁻¹_kk. No pass over the rows is needed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular

Floats = NDArray[np.float64]


@dataclass
class Subset:
    """The terms kept at one size, their residual sums of squares and their coefficients."""

    terms: list[int]
    rss: Floats  # by response
    coef: Floats  # terms×responses


def backward(R: Floats, z: Floats, rss: Floats) -> list[Subset]:
    """Nested subsets of all sizes 1, …, M; the constant (term 0) always stays.

    Parameters
    ----------
    R, z : arrays of shape (M, M), (M, q)
        Triangular factor of the terms and Qᵀy.
    rss : array of shape (q,)
        Residual sums of squares with all terms.
    """
    size = np.linalg.norm(R, axis=0)
    R = R / size  # units of the terms must not decide what looks singular
    keep = list(range(R.shape[1]))
    found = []
    while True:
        inverse = solve_triangular(R, np.eye(len(keep)))
        coef = inverse @ z
        found.append(Subset(list(keep), rss, coef / size[keep, None]))
        if len(keep) == 1:
            return found[::-1]
        loss = coef**2 / np.sum(inverse**2, axis=1)[:, None]
        k = 1 + int(np.argmin(loss[1:].sum(axis=1)))
        rss = rss + loss[k]
        del keep[k]
        Q, R = qr(np.delete(R, k, axis=1), mode="economic")
        z = Q.T @ z
