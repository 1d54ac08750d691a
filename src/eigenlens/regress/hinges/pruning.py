"""Backward pruning and what its path says: drop one term at a time, the one whose loss costs least.

All of it happens on the small triangular factor R of the terms: with β = R⁻¹z, leaving term k out raises the residual
sum of squares by ‖β_k‖² / (RᵀR)⁻¹_kk. No pass over the rows is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular

from .terms import Term

Floats = NDArray[np.float64]


def cost(M: int, penalty: float) -> float:
    """Effective number of parameters of M terms, C = M + penalty·(M − 1)/2; negative charges nothing."""
    return 0.0 if penalty < 0 else M + penalty * (M - 1) / 2


@dataclass
class Subset:
    """The terms kept at one size, their residual sums of squares and their coefficients."""

    terms: list[int]
    rss: Floats  # by response
    coef: Floats  # terms×responses


def backward(R: Floats, z: Floats, rss: Floats) -> list[Subset]:
    """Return nested subsets of all sizes 1, …, M; the constant (term 0) always stays.

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


def choose_size(scores: Floats) -> int:
    """Return the size of least score; where fits are exact, the smallest among those that differ by rounding alone."""
    return 1 + int(np.argmax(scores <= scores.min() + 1e-20 * scores[0]))


def credits(path: list[Subset], scores: Floats, terms: Sequence[Term], size: int, p: int) -> Floats:
    """Credit each feature with what every subset up to the chosen size gains over the one before.

    Parameters
    ----------
    path : list of Subset
        Subsets of sizes 1, 2, …
    scores : array
        Criterion of each subset, falling as it improves.
    """
    credit = np.zeros(p)
    for k in range(1, size):
        features = frozenset[int]().union(*(terms[t].features for t in path[k].terms))
        credit[list(features)] += scores[k - 1] - scores[k]
    return np.maximum(credit, 0.0)


def scaled(credit: Floats, root: bool) -> Floats:
    """Scale what features gain to 100 for the first of them, after the square root if asked for."""
    share = credit / max(float(credit.max(initial=0.0)), np.finfo(float).tiny)
    return 100 * (np.sqrt(share) if root else share)


def groups(terms: Sequence[Term]) -> dict[tuple[int, ...], list[int]]:
    """Return terms by the features that they use, single features first; the constant is in no group."""
    found: dict[tuple[int, ...], list[int]] = {}
    for k, term in enumerate(terms):
        if term.features:
            found.setdefault(tuple(sorted(term.features)), []).append(k)
    return dict(sorted(found.items(), key=lambda item: (len(item[0]), item[0])))


def anova(
    terms: Sequence[Term], coef: Floats, R: Floats, W: float
) -> Iterator[tuple[tuple[int, ...], int, Floats, float]]:
    """Yield what the terms of the same features add, from the triangular factor R of all terms, the constant first.

    The features, the number of terms, the standard deviation of their sum over rows of total weight W, for each
    response, and by how much the residual sum of squares rises without them, the other coefficients refitted.
    """
    size = np.linalg.norm(R, axis=0)
    centred = R[1:, 1:]  # the constant comes first: what it spans is in the first row alone
    inverse = solve_triangular(R / size, np.eye(len(R)))
    for features, ks in groups(terms).items():
        drawn = centred[:, [k - 1 for k in ks]] @ coef[ks]
        rows, beta = inverse[ks], coef[ks] * size[ks, None]
        loss = float(np.sum(beta * np.linalg.lstsq(rows @ rows.T, beta, rcond=None)[0]))
        yield features, len(ks), np.sqrt(np.sum(drawn**2, axis=0) / max(W - 1, 1.0)), loss
