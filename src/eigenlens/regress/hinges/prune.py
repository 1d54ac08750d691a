"""Backward pruning: drop one term at a time, the one whose loss costs least, and keep the best size.

All of it happens on the small triangular factor R of the terms: with β = R⁻¹z, leaving term k out raises
the residual sum of squares by ‖β_k‖² / (RᵀR)⁻¹_kk. No pass over the rows is needed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular

from ..._core import errors

Floats = NDArray[np.float64]


@dataclass
class Subset:
    """The terms kept at one size, their residual sums of squares and their coefficients."""

    terms: list[int]
    rss: Floats  # by response
    coef: Floats  # terms×responses


def least_squares(B: Floats, Y: Floats, w: Floats) -> tuple[Floats, Subset]:
    """Weighted least squares on all columns of B: its triangular factor and the fit."""
    root = np.sqrt(w)[:, None]
    A = root * B
    size = np.linalg.norm(A, axis=0)
    if not np.all(size > 0):
        raise errors.InputError(f"terms hold number {int(np.argmin(size))}, which is zero on all rows; leave it out")
    Q, R = qr(A / size, mode="economic")
    left = np.abs(np.diag(R))
    if len(left) < B.shape[1] or left.min() < 1e-12:
        k = int(np.argmin(left)) if len(left) == B.shape[1] else len(left)
        raise errors.InputError(f"terms hold number {k}, which depends linearly on those before it; leave it out")
    E = root * Y
    c = solve_triangular(R, Q.T @ E)
    E = E - (A / size) @ c
    step = solve_triangular(R, Q.T @ E)  # one refinement: hinges with close knots are nearly collinear
    E = E - (A / size) @ step
    return R * size, Subset(list(range(B.shape[1])), np.sum(E * E, axis=0), (c + step) / size[:, None])


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
