"""Permutation tests of canonical directions, for metrics that carry a penalty and laws that are not normal.

Two tables are brought to coordinates in which their (penalised) sums of squares are the identity and their cross
product is diagonal. "At most d directions" means that the x variates after the d-th have nothing to do with y, so these
are moved, together, to other rows, and the problem is solved again. Classes are a table of contrasts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..spectral import Form, whiten
from .inverse import permuted_after, resampled_test
from .result import DimensionTest


def canonical_permutation_test(
    X: np.ndarray,
    Y: np.ndarray,
    x_penalty: np.ndarray | None = None,
    y_penalty: np.ndarray | None = None,
    *,
    most: int | None = None,
    alpha: float = 0.05,
    n_draws: int = 199,
    seed: Any = 0,
) -> DimensionTest:
    """Test how many canonical pairs two tables have, by Σ_{j>d} ρⱼ² under permutations.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    Y : ndarray of shape (n, s)
    x_penalty, y_penalty : ndarray of shape (p, p) and (s, s), optional
        Added to the sums of squares: λI for a ridge, λΩ for penalised discriminants.
    most : int, optional
        d runs to most − 1; by default as far as there are pairs.
    alpha : float
    n_draws : int
    seed : int, Generator, RandomState or None
    """
    x, x_rest = _standard(X, x_penalty)
    y, _ = _standard(Y, y_penalty)
    left, s, right = np.linalg.svd(x.T @ y, full_matrices=True)
    x, y, x_rest = x @ left, y @ right.T, left.T @ x_rest @ left
    q = min(x.shape[1], y.shape[1])
    penalised = x_penalty is not None

    def draw(d: int, rng: np.random.Generator) -> np.ndarray:
        moved = permuted_after(x, d, rng)
        metric = moved.T @ moved + x_rest
        if penalised or d > 0:  # with nothing held fast, rows only change their order
            root = np.linalg.cholesky(metric)
            return np.asarray(np.linalg.svd(np.linalg.solve(root, moved.T @ y), compute_uv=False) ** 2)
        return np.asarray(np.linalg.svd(moved.T @ y, compute_uv=False) ** 2)

    most = q if most is None else min(most, q)
    return resampled_test(s[:q] ** 2, 1.0, most, draw, method="permutation", alpha=alpha, n_draws=n_draws, seed=seed)


def _standard(X: np.ndarray, penalty: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Return rows in coordinates in which sum of squares plus penalty is I, and the penalty in these coordinates."""
    centred = X - X.mean(axis=0)
    S = centred.T @ centred
    W = whiten(Form(matrix=S if penalty is None else S + penalty)).matrix
    return centred @ W, np.zeros((W.shape[1], W.shape[1])) if penalty is None else W.T @ penalty @ W
