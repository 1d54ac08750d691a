"""Permutation tests of canonical directions, for metrics that carry a penalty and laws that are not normal.

Two tables are brought to coordinates in which their (penalised) sums of squares are the identity and their cross
product is diagonal. "At most d directions" means that the x variates after the d-th have nothing to do with y, so these
are moved, together, to other rows, and the problem is solved again. Classes are a table of contrasts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import linalg
from ..solve import Form, whiten
from .dimension_test import DimensionTest
from .inverse import permuted_after
from .sequential import resampled_test
from .units import Units

#: A penalty that is chosen by what it is to be used for. From the sums of squares (r, r) of coordinates XM, and M
#: (p, r), to a function from their cross products (r, s) with Y, YᵀY = I, to the penalty (r, r) in these coordinates.
Choice = Callable[[np.ndarray, np.ndarray], Callable[[np.ndarray], np.ndarray]]


def canonical_permutation_test(
    X: np.ndarray,
    Y: np.ndarray,
    x_penalty: np.ndarray | Choice | None = None,
    y_penalty: np.ndarray | None = None,
    *,
    most: int | None = None,
    alpha: float = 0.05,
    n_draws: int = 199,
    seed: Any = 0,
    moves: Units | None = None,
) -> DimensionTest:
    """Test how many canonical pairs two tables have, by Wilks' Λ = Π_{j>d} (1 − ρⱼ²) under permutations.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    Y : ndarray of shape (n, s)
    x_penalty, y_penalty : ndarray of shape (p, p) and (s, s), optional
        Added to the sums of squares: λI for a ridge, λΩ for penalised discriminants. That of X may be a function that
        chooses it (see `Choice`): a choice that depends on Y is repeated in each draw. Otherwise the penalty would suit
        Y better than the draws, and the test would reject too often.
    most : int, optional
        d runs to most − 1; by default as far as there are pairs.
    alpha : float
    n_draws : int
    seed : int, Generator, RandomState or None
    moves : Units, optional
        Rows that move together; by default each moves separately.
    """
    chosen = callable(x_penalty)
    penalty = x_penalty if callable(x_penalty) else _given(x_penalty)
    x, y = X - X.mean(axis=0), _standard(Y - Y.mean(axis=0), y_penalty)
    S = x.T @ x
    M = whiten(Form(matrix=S + penalty(S, np.eye(len(S)))(x.T @ y))).matrix
    left, s, right = np.linalg.svd((x @ M).T @ y, full_matrices=True)
    M = M @ left
    x, y = x @ M, y @ right.T
    S = x.T @ x
    unmoved = penalty(S, M)

    def draw(d: int, rng: np.random.Generator) -> np.ndarray:
        moved = permuted_after(x, d, rng, moves)
        G = moved.T @ y
        if d > 0 or chosen:  # else rows only change their order or sign, and the metric stays the identity
            sums = moved.T @ moved if d > 0 else S
            metric = sums + (penalty(sums, M) if d > 0 and chosen else unmoved)(G)
            try:
                G = np.linalg.solve(np.linalg.cholesky(metric), G)
            except np.linalg.LinAlgError:  # as many columns as rows: moved variates may lie in the span of the others
                G = whiten(Form(matrix=metric)).matrix.T @ G
        return np.asarray(np.linalg.svd(G, compute_uv=False) ** 2)

    q = min(x.shape[1], y.shape[1])
    most = q if most is None else min(most, q)
    method = "permutation" + ("" if moves is None else moves.words)
    with linalg.limit_blas(S.size):
        test = resampled_test(
            s[:q] ** 2,
            1.0,
            most,
            draw,
            method=method,
            alpha=alpha,
            n_draws=n_draws,
            seed=seed,
            measure="squared correlation",
            wilks=True,
            again=", with a new penalty" if chosen else "",
        )
    return replace(test, rows=len(X))


def _given(penalty: np.ndarray | None) -> Choice:
    """Return the choice that leaves none."""

    def there(S: np.ndarray, M: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        found = np.zeros_like(S) if penalty is None else M.T @ penalty @ M
        return lambda G: found

    return there


def _standard(Y: np.ndarray, penalty: np.ndarray | None) -> np.ndarray:
    """Return rows in coordinates in which sum of squares plus penalty is I."""
    S = Y.T @ Y
    return np.asarray(Y @ whiten(Form(matrix=S if penalty is None else S + penalty)).matrix)
