r"""Sparse principal axes of a form G (Zou, Hastie, Tibshirani).

.. math:: \min_{A, B} \; \mathrm{tr}\,G - 2\,\mathrm{tr}(A^T G B) + \mathrm{tr}(B^T (G + \lambda_2 I) B)
    + \sum_j \lambda_{1j} \lVert\beta_j\rVert_1 , \qquad A^T A = I .

Given A, each column of B is an elastic-net regression on G; given B, A is the polar factor of G B. For λ₂ → ∞ (and B
measured in units of 1/λ₂) the regression becomes a soft threshold of G A, which needs G only as an operator. The two
steps alternate from the principal axes; as they converge slowly, Anderson's extrapolation is tried in every round, and
kept where it lowers the objective.

References
----------
Zou, Hastie, Tibshirani (2006), Sparse principal component analysis. *J. Computational and Graphical Statistics* 15.
Walker, Ni (2011), Anderson acceleration for fixed-point iterations. *SIAM J. Numerical Analysis* 49.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .._core import xp as _xp
from .elastic_net import elastic_net_count, elastic_nets

OPEN = 1e-10  # relative size of a singular value of G B below which it says nothing about A
MEMORY = 8  # rounds that an extrapolation looks back on
CYCLE = 60  # rounds without progress after which supports of a given size, which alternate, are held
FINEST, POLISH = (
    1e-14,
    20,
)  # change, and rounds beyond the tolerance, down to and up to which the last digits are sought
STILL, ROUNDING = 30, 1e-7  # rounds without progress after which changes this small are rounding: G is ill-conditioned


@dataclass(frozen=True, eq=False)
class SparseAxes:
    """The answer of `sparse_axes`.

    Attributes
    ----------
    B : ndarray of shape (p, k)
        Sparse axes, not normalised.
    A : ndarray of shape (p, k)
        Orthonormal partners.
    penalties : ndarray of shape (k,)
        λ₁ of each axis: as given, or found for the number of nonzeros.
    n_iter : int
    moved : float
        Relative change of B in the last round.
    converged : bool
    """

    B: np.ndarray
    A: np.ndarray
    penalties: np.ndarray
    n_iter: int
    moved: float
    converged: bool


def sparse_axes(
    apply: Callable[[np.ndarray], np.ndarray],
    G: np.ndarray | None,
    start: np.ndarray,
    *,
    l1: np.ndarray | None = None,
    counts: np.ndarray | None = None,
    ridge: float,
    tol: float,
    max_iter: int,
) -> SparseAxes:
    """Find sparse axes.

    Parameters
    ----------
    apply : function
        Multiplies G with a matrix.
    G : array of shape (p, p) or None
        Needed unless ridge is infinite.
    start : array of shape (p, k)
        Principal axes.
    l1 : array of shape (k,), or None where counts are given
    counts : array of shape (k,) of int, or None
        Nonzeros of each axis.
    ridge : float
        λ₂; infinity is the soft-threshold form.
    tol : float
        Relative change of B at which the iteration ends.
    max_iter : int
    """
    if l1 is not None and not np.any(l1):
        return SparseAxes(start, start, np.asarray(l1, dtype=float), 1, 0.0, True)  # PCA, to its last digit
    step = _Step(apply, G, l1, counts, ridge)
    B = step(start, start)
    A, B, rounds, moved, converged = _settle(step, step.partner(B, start)[0], B, tol, max_iter)
    return SparseAxes(B, A, step.penalties.copy(), rounds, moved, converged)


def refitted(
    apply: Callable[[np.ndarray], np.ndarray], block: Callable[[np.ndarray], np.ndarray], B: np.ndarray
) -> np.ndarray:
    """Return axes with the supports of B that add, one after the other, the largest variance to those before.

    Parameters
    ----------
    apply : function
        Multiplies G with a matrix.
    block : function
        Returns the rows and columns of G at given places.
    B : array of shape (p, k)
    """
    new = np.zeros_like(B)
    for j in range(B.shape[1]):
        on = np.flatnonzero(B[:, j])
        if not len(on):
            continue
        before = new[:, :j][:, new[:, :j].any(axis=0)]
        image = apply(before)
        told = image[on] @ np.linalg.pinv(before.T @ image, hermitian=True) @ image[on].T  # what earlier scores explain
        new[on, j] = np.linalg.eigh(block(on) - told)[1][:, -1]
    return new


def _settle(
    step: _Step, A: np.ndarray, B: np.ndarray, tol: float, max_iter: int
) -> tuple[np.ndarray, np.ndarray, int, float, bool]:
    """Alternate until B stays, and then for its last digits as long as they improve."""
    history: list[tuple[np.ndarray, np.ndarray]] = []
    moved, k, least, since, reached = np.inf, 0, np.inf, 0, 0
    for k in range(1, max_iter + 1):
        last = moved
        new = step(A, B)
        size = np.linalg.norm(new)
        moved = float(np.linalg.norm(new - B) / size) if size > 0 else 0.0
        least, since = (moved, k) if moved < 0.5 * least else (least, since)
        history = [*history, (B.ravel(), (new - B).ravel())][-MEMORY:]
        B = new
        if moved <= ROUNDING and k - since > STILL:
            tol = max(tol, moved)
        reached += moved <= tol
        if reached and (moved <= FINEST or moved > last or reached > POLISH):
            break
        if not step.descends and k - since >= CYCLE:
            step.hold(B)
            history = []
        A, cost = step.partner(B, A)
        if len(history) > 1 and step.descends:
            tried = step(step.partner(_extrapolated(history, B.shape), A)[0], B)
            partner, lower = step.partner(tried, A)
            if lower <= cost + 4 * np.finfo(float).eps * abs(cost):  # near the end both are the same but for rounding
                A, B = partner, tried
    return step.partner(B, A)[0], B, k, moved, bool(reached)


class _Step:
    """The two halves of a round, and the objective once A is eliminated."""

    def __init__(
        self,
        apply: Callable[[np.ndarray], np.ndarray],
        G: np.ndarray | None,
        l1: np.ndarray | None,
        counts: np.ndarray | None,
        ridge: float,
    ) -> None:
        self.apply, self.G, self.counts, self.ridge = apply, G, counts, ridge
        self.held: np.ndarray | None = None
        self.penalties = np.zeros(0 if counts is None else len(counts)) if l1 is None else np.asarray(l1, dtype=float)

    @property
    def descends(self) -> bool:
        """Whether a round lowers one and the same objective."""
        return self.counts is None or self.held is not None

    def hold(self, B: np.ndarray) -> None:
        """Keep the supports of B from now on, and drop the penalty on them."""
        self.held = B != 0
        self.penalties = np.zeros(B.shape[1])

    def partner(self, B: np.ndarray, before: np.ndarray) -> tuple[np.ndarray, float]:
        """Return the A that suits B, the polar factor of G B, and the objective with it (without tr G).

        An axis that has vanished gets no partner, and so stays away. Where G B leaves A open (two axes that coincide
        for a moment), rounding must not choose: A stays as near as it can to the one before.
        """
        A, live, GB = np.zeros_like(B), B.any(axis=0), self.apply(B)
        left, s, right = _xp.thin_svd(GB[:, live])
        open_ = s <= OPEN * s.max(initial=0.0)
        if open_.any():
            taken, free = left[:, ~open_], right[open_].T
            rest = before[:, live] @ free
            rest = rest - taken @ (taken.T @ rest)
            turn, _, back = _xp.thin_svd(rest)
            A[:, live] = taken @ right[~open_] + turn @ back @ free.T
        else:
            A[:, live] = left @ right
        square = np.sum(B * B) if np.isinf(self.ridge) else np.sum(B * GB) + self.ridge * np.sum(B * B)
        return A, float(square - 2 * s.sum() + np.sum(self.penalties * np.abs(B).sum(axis=0)))

    def __call__(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """Return the regressions given A, started from B."""
        C = self.apply(A)
        if self.held is not None:
            return self._on_held(C)
        if self.counts is not None:
            return self._with_counts(C, B)
        if np.isinf(self.ridge):
            return np.asarray(np.sign(C) * np.maximum(np.abs(C) - self.penalties / 2, 0.0))
        assert self.G is not None
        return elastic_nets(self.G, C, self.penalties, self.ridge, B)

    def _on_held(self, C: np.ndarray) -> np.ndarray:
        assert self.held is not None
        if self.G is None or np.isinf(self.ridge):
            return np.where(self.held, C, 0.0)
        new = np.zeros_like(C)
        for j in range(C.shape[1]):
            on = np.flatnonzero(self.held[:, j])
            M = self.G[np.ix_(on, on)] + self.ridge * np.eye(len(on))
            new[on, j] = np.linalg.lstsq(M, C[on, j], rcond=None)[0]
        return new

    def _with_counts(self, C: np.ndarray, B: np.ndarray) -> np.ndarray:
        new = np.zeros_like(C)
        assert self.counts is not None
        for j, count in enumerate(self.counts):
            if np.isinf(self.ridge):
                new[:, j], self.penalties[j] = _largest(C[:, j], int(count))
            else:
                assert self.G is not None
                new[:, j], self.penalties[j] = elastic_net_count(
                    self.G, C[:, j], int(count), self.ridge, B[:, j], self.penalties[j]
                )
        return new


def _largest(c: np.ndarray, count: int) -> tuple[np.ndarray, float]:
    """Soft threshold that leaves `count` entries, the smallest such; of equal entries the first stay."""
    order = np.argsort(-np.abs(c), kind="stable")
    level = abs(c[order[count]]) if count < len(c) else 0.0
    beta = np.zeros_like(c)
    kept = order[:count]
    beta[kept] = np.sign(c[kept]) * (np.abs(c[kept]) - level)
    ties = kept[beta[kept] == 0]
    beta[ties] = np.sign(c[ties]) * np.finfo(float).eps * abs(c[order[0]])
    return beta, 2 * float(level)


def _extrapolated(history: list[tuple[np.ndarray, np.ndarray]], shape: tuple[int, ...]) -> np.ndarray:
    """Return the combination of past rounds whose changes cancel best (Anderson)."""
    points = np.stack([x + f for x, f in history], axis=1)
    changes = np.stack([f for _, f in history], axis=1)
    differences = np.diff(changes, axis=1)
    weights = np.linalg.lstsq(differences, changes[:, -1], rcond=1e-12)[0]
    return np.asarray((points[:, -1] - np.diff(points, axis=1) @ weights).reshape(shape))
