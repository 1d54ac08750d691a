r"""Principal component pursuit: split a matrix into a low-rank part and a sparse one.

.. math:: \min_{L, S} \; \lVert L\rVert_* + \sum_{ij} \lambda_i |S_{ij}| \quad\text{subject to } L + S = X
    \text{ on the observed cells,}

by alternating directions on the augmented Lagrangian. Each round shrinks the entries of X − L + U/μ by λ/μ to get S,
and the singular values of X − S + U/μ by 1/μ to get L. Unobserved cells cost nothing in S, which takes up whatever L
leaves there.

References
----------
Candès, Li, Ma, Wright (2011), Robust principal component analysis? Boyd, Parikh, Chu, Peleato, Eckstein (2011),
Distributed optimization and statistical learning via the alternating direction method of multipliers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import linalg, namespaces
from ..arrays.typing import Array
from .thresholds import Shrinker

OVER = 1.6  # over-relaxation: a third fewer rounds on every table tried
UNBALANCED = 30.0  # ratio of the two residuals from which μ is changed, by a factor of 2
PATIENCE = (
    10,
    1.5,
)  # rounds between such changes, and how fast they become rarer: in the end μ stays, and so converges

Report = Callable[[int, float, int, float], None]


@dataclass(frozen=True, eq=False)
class Parts:
    """The two parts and how they were reached.

    Attributes
    ----------
    low_rank, sparse : arrays of shape (n, p)
    vectors : array of shape (p, r)
        Right singular vectors of the low-rank part.
    singular_values : array of shape (r,)
    objective, residuals : ndarrays of shape (rounds,)
        After each round, what is minimised, and how far from done it is relative to the size of the matrix.
    converged : bool
    """

    low_rank: Array
    sparse: Array
    vectors: Array
    singular_values: Array
    objective: np.ndarray
    residuals: np.ndarray
    converged: bool


def pursue(
    X: Array,
    observed: Array | None,
    root: Array,
    *,
    lam: float,
    tol: float,
    max_iter: int,
    report: Report | None = None,
) -> Parts:
    """Split X by the convex problem.

    Memory: X, L, S, the multiplier U and at most three more arrays of that size at a time.

    Parameters
    ----------
    X : array of shape (n, p)
        float64, anything finite in the cells that are not observed; rows multiplied by the root of their weight.
    observed : boolean array of shape (n, p), or None where all cells are
    root : array of shape (n, 1)
        Root of the weight of each row: a row that counts w times costs λ·w·|s| = λ√w·|√w s|.
    lam : float
        λ.
    tol : float
        Bound on the relative residuals of the constraint and of the multiplier.
    max_iter : int
    report : function of (round, residual, rank, objective), optional
    """
    xp = namespaces.namespace(X)
    shrinker = Shrinker()
    L, S, U = xp.zeros_like(X), xp.zeros_like(X), xp.zeros_like(X)  # U is the multiplier over μ
    mu, penalty = _first_mu(X, observed, root), lam * root
    patience, changed = float(PATIENCE[0]), 0
    objective: list[float] = []
    residuals: list[float] = []
    primal = dual = np.inf
    done = mu == 0  # only zeros
    with linalg.limit_blas(X.shape[0] * X.shape[1]):
        for k in range(0 if done else max_iter):
            before = S
            S = _shrink_entries(X - L + U, penalty / mu, observed)
            moved = _norm(S - before)
            Y = X - OVER * S - (1 - OVER) * (X - L) + U
            L = shrinker(Y, 1 / mu, accuracy=float(np.clip(1e-3 * min(primal, dual), 1e-13, 1e-6)))
            U = Y - L
            primal, dual = _norm(X - L - S) / (_norm(L) or _norm(X)), moved / (_norm(U) or 1.0)
            objective.append(float(xp.sum(shrinker.singular_values)) + _cost(S, penalty, observed))
            residuals.append(max(primal, dual))
            if report is not None:
                report(k + 1, residuals[-1], int(shrinker.singular_values.shape[0]), objective[-1])
            if residuals[-1] <= tol and not shrinker.missed(Y, 1 / mu):
                done = True
                break
            if k - changed >= patience and max(primal, dual) > UNBALANCED * min(primal, dual):
                factor = 2.0 if primal > dual else 0.5
                patience, changed = patience * PATIENCE[1], k
                mu, U = mu * factor, U / factor
    if not objective:
        shrinker(X, 1.0)
    S = only(S, observed)
    return Parts(L, S, shrinker.vectors, shrinker.singular_values, np.array(objective), np.array(residuals), bool(done))


def only(A: Array, observed: Array | None) -> Array:
    """Put zeros in the cells that were not observed."""
    xp = namespaces.namespace(A)
    return A if observed is None else xp.where(observed, A, xp.zeros_like(A))


def _first_mu(X: Array, observed: Array | None, root: Array) -> float:
    """Return the weight of the constraint: one over four mean sizes of an entry (Candès et al.)."""
    xp = namespaces.namespace(X)
    seen = xp.ones_like(X) if observed is None else xp.astype(observed, xp.float64)
    mean = float(xp.sum(xp.abs(X) * seen * root)) / float(xp.sum(seen * root**2))
    return 1 / (4 * mean) if mean else 0.0


def _shrink_entries(R: Array, threshold: Array, observed: Array | None) -> Array:
    """Shrink observed entries towards zero; take the others as they are."""
    xp = namespaces.namespace(R)
    if isinstance(R, np.ndarray):
        S = R - np.clip(R, -threshold, threshold)
    else:
        S = xp.sign(R) * xp.clip(xp.abs(R) - threshold, min=0.0)
    return S if observed is None else xp.where(observed, S, R)


def _cost(S: Array, penalty: Array, observed: Array | None) -> float:
    xp = namespaces.namespace(S)
    return float(xp.sum(only(xp.abs(S) * penalty, observed)))


def _norm(A: Array) -> float:
    xp = namespaces.namespace(A)
    return float(np.linalg.norm(A)) if isinstance(A, np.ndarray) else float(xp.sqrt(xp.sum(A * A)))
