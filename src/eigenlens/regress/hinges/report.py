"""What is said about a model: the credit of features on the pruning path, and what groups of terms add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from .prune import Subset
from .terms import Term

Floats = NDArray[np.float64]


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


@dataclass(frozen=True)
class Part:
    """What the terms of the same features add to a prediction.

    Attributes
    ----------
    features : tuple of int
    terms : list of int
    spread : array of shape (q,)
        Standard deviation of their sum over the rows, for each response.
    loss : float
        By how much the residual sum of squares rises without them, with the other coefficients refitted.
    """

    features: tuple[int, ...]
    terms: list[int]
    spread: Floats
    loss: float


def parts(terms: Sequence[Term], coef: Floats, R: Floats, W: float) -> list[Part]:
    """Return the ANOVA decomposition, from the triangular factor R of all terms, the constant first.

    Parameters
    ----------
    terms : list of Term
    coef : array of shape (M, q)
    R : array of shape (M, M)
        RᵀR is the sum of w b bᵀ over the rows.
    W : float
        Sum of the weights.
    """
    size = np.linalg.norm(R, axis=0)
    centred = R[1:, 1:]  # the constant comes first: what it spans is in the first row alone
    inverse = solve_triangular(R / size, np.eye(len(R)))
    found = []
    for features, ks in groups(terms).items():
        drawn = centred[:, [k - 1 for k in ks]] @ coef[ks]
        rows = inverse[ks]
        scaled = coef[ks] * size[ks, None]
        loss = float(np.sum(scaled * np.linalg.lstsq(rows @ rows.T, scaled, rcond=None)[0]))
        found.append(Part(features, ks, np.sqrt(np.sum(drawn**2, axis=0) / max(W - 1, 1.0)), loss))
    return found
