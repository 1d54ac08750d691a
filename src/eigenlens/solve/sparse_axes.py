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

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import linalg
from .axes_forms import AxesForm
from .elastic_net import ElasticNet

TALL = 1000  # entries of axes from which a least-squares problem is made small first
OPEN = 1e-10  # relative size of a singular value of G B below which it says nothing about A
MEMORY = 8  # rounds that an extrapolation looks back on
PAUSE = 30  # rounds without a long turn, the most
FINEST, POLISH = 1e-14, 20  # change, and rounds beyond the tolerance, at which the search for the last digits ends
GAIN = 1e-11  # relative fall of the objective that a long turn must bring: less may be rounding
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
        λ₁ of each axis; NaN where the places of the nonzeros were held instead.
    n_iter : int
    moved : float
        Relative change of B in the last round.
    converged : bool
    objective : float
        What is minimised, without tr G, with the penalties as they are in the end.
    ridge : float
        λ₂ that was used.
    """

    B: np.ndarray
    A: np.ndarray
    penalties: np.ndarray
    n_iter: int
    moved: float
    converged: bool
    objective: float
    ridge: float = 0.0


def sparse_axes(
    form: AxesForm,
    start: np.ndarray,
    *,
    l1: np.ndarray | None = None,
    ridge: float,
    tol: float,
    max_iter: int,
    polish: bool = True,
    near: SparseAxes | None = None,
) -> SparseAxes:
    """Find sparse axes.

    Parameters
    ----------
    form : Matrix or SomeColumns
        G.
    start : array of shape (p, k)
        Principal axes.
    l1 : array of shape (k,), or None where the places of the nonzeros are those of `near`
    ridge : float
        λ₂; infinity is the soft-threshold form.
    tol : float
        Relative change of B at which the iteration ends.
    max_iter : int
    polish : bool
        Whether to go on, once the tolerance is reached, for the last digits.
    near : SparseAxes, optional
        Where to begin instead of at `start`; places that are held there are held here.
    """
    step = _Step(form, l1, start.shape[1], ridge)
    if l1 is not None and not np.any(l1):  # PCA, to its last digit
        return SparseAxes(start, start, step.penalties, 1, 0.0, True, step.partner(start, start)[1], ridge)
    A, B = (start, start) if near is None else (near.A, near.B)
    if near is not None:
        step.resume(near)
    B = step(A, B)
    polishing = POLISH if polish else 0
    A, B, rounds, moved, converged = _settle(step, step.partner(B, A)[0], B, tol, max_iter, polishing)
    found = step.penalties.copy() if step.held is None else np.full(B.shape[1], np.nan)
    return SparseAxes(B, A, found, rounds, moved, converged, step.partner(B, A)[1], ridge)


def _settle(
    step: _Step, A: np.ndarray, B: np.ndarray, tol: float, max_iter: int, polish: int
) -> tuple[np.ndarray, np.ndarray, int, float, bool]:
    """Alternate until B stays, and then for its last digits as long as they improve."""
    history: list[tuple[np.ndarray, np.ndarray]] = []
    moved, k, least, since, reached = np.inf, 0, np.inf, 0, 0
    at = B  # A belongs to `at`: B itself, or a point that was extrapolated
    for k in range(1, max_iter + 1):
        last = moved
        B = step(A, B)
        size = np.linalg.norm(B)
        moved = float(np.linalg.norm(B - at) / size) if size > 0 else 0.0
        least, since = (moved, k) if moved < 0.5 * least else (least, since)
        history = [*history, (at.ravel(), (B - at).ravel())][-MEMORY:]
        if moved <= ROUNDING and k - since >= STILL:
            tol = max(tol, moved)
        reached += moved <= tol
        if reached and (moved <= FINEST or moved > last or reached > polish):
            break
        A, B, at = _next(step, A, B, history)
    return step.partner(B, A)[0], B, k, moved, bool(reached)


def _next(
    step: _Step, A: np.ndarray, B: np.ndarray, history: list[tuple[np.ndarray, np.ndarray]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the A to go on from, B, and the point that A belongs to."""
    if len(history) < 2:
        return step.partner(B, A)[0], B, B
    ahead = _extrapolated(history, B.shape)
    before, (A, cost) = A, step.partner(B, A)
    tried = step(step.partner(ahead, A)[0], B)
    partner, lower = step.partner(tried, A)
    far = step.stride.beyond(step, before, A, B, min(cost, lower))
    if far is not None:
        return far
    if lower <= cost + 4 * np.finfo(float).eps * abs(cost):  # near the end both are the same up to rounding
        return partner, tried, tried
    return A, B, B


class _Stride:
    """Steps along the last turn of A, each twice as long as the one before while they pay.

    Where directions are nearly free (as many axes as columns, or equal variances), a weak penalty turns A by an angle
    in proportion to it in each round, and extrapolation fails whenever a loading enters or leaves.
    """

    def __init__(self) -> None:
        self.length, self.pause, self.rest = 2.0, 1, 0

    def beyond(
        self, step: _Step, before: np.ndarray, A: np.ndarray, B: np.ndarray, cost: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Return A, B and the point that A belongs to some way beyond, or None where that is not lower than `cost`."""
        if self.rest:
            self.rest -= 1
            return None
        turned = before + self.length * (A - before)
        live = turned.any(axis=0)
        left, _, right = linalg.thin_svd(turned[:, live])
        turned[:, live] = left @ right
        tried = step(turned, B)
        partner, lower = step.partner(tried, A)
        if not cost - lower > GAIN * abs(cost):
            self.length, self.rest, self.pause = 2.0, self.pause, min(2 * self.pause, PAUSE)
            return None
        self.length, self.pause = 2 * self.length, 1
        return partner, tried, tried


class _Step:
    """The two halves of a round, and the objective once A is eliminated."""

    def __init__(
        self,
        form: AxesForm,
        l1: np.ndarray | None,
        k: int,
        ridge: float,
    ) -> None:
        self.form, self.ridge = form, ridge
        self.held: np.ndarray | None = None
        self.stride = _Stride()
        self.penalties = np.zeros(k) if l1 is None else np.asarray(l1, dtype=float)

    @cached_property
    def net(self) -> ElasticNet:
        """Regressions on G, which is formed once one is asked for: without a penalty none is."""
        return ElasticNet(self.form.gram, self.ridge)

    def hold(self, B: np.ndarray) -> None:
        """Keep the supports of B from now on, and drop the penalty on them."""
        self.held = B != 0
        self.penalties = np.zeros(B.shape[1])

    def resume(self, near: SparseAxes) -> None:
        """Go on as an earlier answer ended: with its penalties, or with the places that it held."""
        if np.isnan(near.penalties).any():
            self.hold(near.B)
        else:
            self.penalties = near.penalties.copy()

    def partner(self, B: np.ndarray, before: np.ndarray) -> tuple[np.ndarray, float]:
        """Return the A that suits B, the polar factor of G B, and the objective with it (without tr G).

        An axis that has vanished gets no partner, and so stays away. Where G B leaves A open (two axes that coincide
        for a moment), rounding must not choose: A stays as near as it can to the one before.
        """
        live, (GB, within) = B.any(axis=0), self.form.turned(B)
        A = np.zeros_like(GB)
        left, s, right = linalg.thin_svd(GB[:, live])
        open_ = s <= OPEN * s.max(initial=0.0)
        if open_.any():
            taken, free = left[:, ~open_], right[open_].T
            rest = before[:, live] @ free
            rest = rest - taken @ (taken.T @ rest)
            turn, _, back = linalg.thin_svd(rest)
            A[:, live] = taken @ right[~open_] + turn @ back @ free.T
        else:
            A[:, live] = left @ right
        square = np.sum(B * B) if np.isinf(self.ridge) else within + self.ridge * np.sum(B * B)
        return A, float(square - 2 * s.sum() + np.sum(self.penalties * np.abs(B).sum(axis=0)))

    def __call__(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """Return the regressions given A, started from B."""
        C = self.form.image(A)
        if self.held is not None:
            return self._on_held(C)
        if np.isinf(self.ridge):
            return np.asarray(np.sign(C) * np.maximum(np.abs(C) - self.penalties / 2, 0.0))
        return self.net.solve(C, self.penalties, B)

    def _on_held(self, C: np.ndarray) -> np.ndarray:
        assert self.held is not None
        if np.isinf(self.ridge):
            return np.where(self.held, C, 0.0)
        return np.stack([self.net.on_support(C[:, j], self.held[:, j]) for j in range(C.shape[1])], axis=1)


def _extrapolated(history: list[tuple[np.ndarray, np.ndarray]], shape: tuple[int, ...]) -> np.ndarray:
    """Return the combination of past rounds whose changes cancel best (Anderson)."""
    points = np.stack([x + f for x, f in history], axis=1)
    changes = np.stack([f for _, f in history], axis=1)
    differences, last = np.diff(changes, axis=1), changes[:, -1]
    if len(changes) > TALL:  # many zeros in rows, and singular vectors of the rest that nobody asks for
        on = changes.any(axis=1)
        left, differences = np.linalg.qr(differences[on])
        last = left.T @ last[on]
    weights = np.linalg.lstsq(differences, last, rcond=1e-12)[0]
    return np.asarray((points[:, -1] - np.diff(points, axis=1) @ weights).reshape(shape))
