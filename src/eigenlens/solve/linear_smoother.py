"""Penalised least squares in the modes in which every λ is diagonal (Demmler and Reinsch 1975).

In min ‖Y − XB‖² + λ tr BᵀΩB there are columns b with bᵀXᵀXb = c² and bᵀΩb = s² that no two terms mix: the fit keeps of
each the share c²/(c² + λs²). One decomposition so gives the coefficients, the degrees of freedom and the generalised
cross-validation of all λ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import svd
from scipy.optimize import brentq

from ..arrays import errors, linalg, namespaces
from .few_rows import dual_basis
from .pencil import Form
from .solve import whiten

Floats = NDArray[np.float64]

RANK = 1e-12  # relative to the largest singular value, columns brought to one size
FREE = 1e-16  # what a mode pays, of the most that one pays, below which it is free of any penalty


def gcv(rss: ArrayLike, parameters: ArrayLike, W: float) -> Floats:
    """Return (RSS/W)/(1 − C/W)², infinite where the C parameters use up all rows.

    Examples
    --------
    >>> from eigenlens.solve.linear_smoother import gcv
    >>> float(gcv(10.0, 5.0, 10.0)), float(gcv(10.0, 10.0, 10.0))
    (4.0, inf)
    """
    left = np.maximum(1.0 - np.asarray(parameters) / W, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(left > 0, np.asarray(rss) / W / left**2, np.inf)


@dataclass(frozen=True, eq=False)
class LinearSmoother:
    """What a penalty does to the columns of a regression, for every λ and whatever the responses.

    Attributes
    ----------
    c2, s2 : arrays of shape (k,)
        What the rows see of a mode, and what it pays.
    basis : array of shape (p, k)
        The coefficients of the modes: bᵀXᵀXb = c², bᵀΩb = s².
    W : float
        Total weight.
    """

    c2: Floats
    s2: Floats
    basis: Floats
    W: float

    @classmethod
    def of_products(cls, T: Floats, L: Floats, W: float) -> Self:
        """Return the smoother of centred columns with sums of squares T = XᵀX and the penalty LᵀL."""
        seen, paid = float(np.trace(T)), float(np.sum(L * L))
        tau = seen / paid if seen > 0 < paid else 1.0
        axes = whiten(Form(matrix=T + tau * (L.T @ L))).matrix
        with linalg.limit_blas(axes.size):
            c2, V = np.linalg.eigh(axes.T @ T @ axes)
        basis = axes @ V
        c2, s2 = np.where(c2 > 16 * len(T) * namespaces.EPS, c2, 0.0), np.sum((L @ basis) ** 2, axis=0)
        return cls(c2, np.where(s2 > FREE * s2.max(initial=0.0), s2, 0.0), basis, W)

    def shares(self, lam: ArrayLike) -> Floats:
        """Return c²/(c² + λs²) for one λ (k) or several (…, k)."""
        with np.errstate(over="ignore"):
            together = self.c2 + np.asarray(lam, dtype=float)[..., None] * self.s2
        return np.divide(self.c2, together, out=np.zeros_like(together), where=self.c2 > 0)

    def df(self, lam: ArrayLike) -> Floats:
        """Return the effective degrees of freedom, without the intercept."""
        return np.asarray(self.shares(lam).sum(axis=-1))

    def leverage(self, rows: Floats, lam: float) -> Floats:
        """Return what a row of weight 1, given minus the mean, counts in its own fit."""
        over = np.divide(self.shares(lam), self.c2, out=np.zeros_like(self.c2), where=self.c2 > 0)
        return np.asarray(1 / self.W + (rows @ self.basis) ** 2 @ over)

    def grid(self) -> Floats:
        """Return λ from hardly any penalty to nearly all, by the ratios at which modes are halved."""
        bent = (self.c2 > 0) & (self.s2 > 0)
        if not bent.any():
            return np.zeros(1)
        half = self.c2[bent] / self.s2[bent]
        low, high = max(half.min() * 1e-4, 1e-290), min(half.max() * 1e4, 1e290)
        return np.geomspace(low, max(high, low), 121)

    def lam_for(self, df: float) -> float:
        """Return the λ with these effective degrees of freedom."""
        most, least = float(self.df(0.0)), float(np.sum((self.c2 > 0) & (self.s2 == 0)))
        if df > most + 1e-9:
            raise errors.InputError(f"df={df:g} but the data have {most:g} at most; use df ≤ {most:g}")
        if df >= most - 1e-9:
            return 0.0
        if df <= least + 1e-9:
            raise errors.InputError(f"df={df:g} but {least:g} stay free under any penalty; use df > {least:g}")
        low, high = np.log(self.grid()[[0, -1]])
        while self.df(np.exp(low)) < df:
            low -= 10
        while self.df(np.exp(high)) > df:
            high += 10
        return float(np.exp(brentq(lambda t: self.df(np.exp(t)) - df, low, high, xtol=1e-13, rtol=1e-14)))

    def path(self, XtY: Floats, total: float) -> Path:
        """Return the path for responses with products XᵀY and the sum of squares `total`."""
        c = np.sqrt(self.c2)[:, None]
        u = np.divide(self.basis.T @ XtY, c, out=np.zeros((len(c), XtY.shape[1])), where=c > 0)
        return Path(self, u, max(total - float(np.sum(u * u)), 0.0))


@dataclass(frozen=True, eq=False)
class Path:
    """What every λ makes of some responses.

    Attributes
    ----------
    smoother : LinearSmoother
    u : array of shape (k, q)
        The responses in the modes.
    outside : float
        The sum of squares that no mode fits.
    """

    smoother: LinearSmoother
    u: Floats
    outside: float

    @classmethod
    def of_rows(cls, A: Floats, E: Floats, L: Floats, W: float, noise: float = RANK) -> Self:
        """Return the path of rows A and responses E, centred and weighted, with the penalty LᵀL; nothing is squared.

        The halves of an orthonormal basis of [A; √τ L] have singular values c and s and share their right vectors. What
        the rows see of a mode below `noise` is rounding.
        """
        p, outside = A.shape[1], 0.0
        if len(A) > p:
            Q, A = np.linalg.qr(A)
            given, E = E, Q.T @ E
            outside = float(np.sum((given - Q @ E) ** 2))
        span = None
        if len(A) < p and _is_even(L):  # a ridge has no coefficients beyond the span of the rows
            span, even, A = dual_basis(A, None)
            L = L[0, 0] * even
        seen, paid = float(np.sum(A * A)), float(np.sum(L * L))
        tau = seen / paid if seen > 0 < paid else 1.0
        Z = np.vstack([A, np.sqrt(tau) * L])
        size = np.linalg.norm(Z, axis=0)
        size[size == 0] = 1.0
        with linalg.limit_blas(Z.size):
            P, S, T = _thin(Z / size)
            r = int(np.sum(RANK * S.max(initial=0.0) < S))
            # with fewer rows than modes the rest is seen by the penalty alone and gets no coefficient
            U, c, V = _thin(P[: len(A), :r])
        basis = T[:r].T / S[:r] / size[:, None] @ V.T
        c2, s2 = np.where(c > noise, c, 0.0) ** 2, np.sum((P[len(A) :, :r] @ V.T) ** 2, axis=0)
        s2 = np.where(s2 > FREE, s2 / tau, 0.0)
        smoother = LinearSmoother(c2, s2, basis if span is None else span @ basis, W)
        u = np.where(c > noise, U, 0.0).T @ E
        return cls(smoother, u, outside + float(np.sum((E - U @ u) ** 2)))

    def rss(self, lam: ArrayLike) -> Floats:
        """Return the residual sum of squares for one λ or several."""
        return np.asarray(self.outside + (1 - self.smoother.shares(lam)) ** 2 @ np.sum(self.u**2, axis=1))

    def gcv(self, lam: ArrayLike, cost: float = 1.0) -> Floats:
        """Return the GCV of one λ or several; a degree of freedom beyond the intercept counts `cost`."""
        return gcv(self.rss(lam), 1 + cost * self.smoother.df(lam), self.smoother.W)

    def coef(self, lam: float) -> Floats:
        """Return the coefficients, p×q."""
        c = np.sqrt(self.smoother.c2)
        kept = np.divide(self.smoother.shares(lam), c, out=np.zeros_like(c), where=c > 0)
        return np.asarray(self.smoother.basis @ (kept[:, None] * self.u))

    def table(self, cost: float) -> Floats:
        """Return λ, df and GCV along the grid."""
        lams = self.smoother.grid()
        return np.column_stack([lams, self.smoother.df(lams), self.gcv(lams, cost)])

    def best(self, cost: float) -> float:
        """Return the λ of least GCV: the best of the grid, then the zero of the derivative between its neighbours.

        A zero is found to the last digits where a minimum is found to half of them; parts merged in another order
        would otherwise be seen in λ.
        """
        lams, _, scores = self.table(cost).T
        k = int(np.argmin(scores))
        if not np.isfinite(scores[k]):
            return float(lams[-1])
        if len(lams) == 1:
            return float(lams[0])
        low, high = np.log(lams[[max(k - 1, 0), min(k + 1, len(lams) - 1)]])
        if not self._slope(low, cost) < 0 < self._slope(high, cost):
            return float(lams[k])
        return float(np.exp(brentq(self._slope, low, high, args=(cost,), xtol=1e-14, rtol=1e-15)))

    def _slope(self, t: float, cost: float) -> float:
        """Return the derivative of log GCV by log λ."""
        f, W, u2 = self.smoother.shares(np.exp(t)), self.smoother.W, np.sum(self.u**2, axis=1)
        rss, left = self.outside + np.sum((1 - f) ** 2 * u2), 1 - (1 + cost * f.sum()) / W
        if left <= 0 or rss <= 0:
            return -np.inf
        return float(2 * np.sum(f * (1 - f) ** 2 * u2) / rss - 2 * cost / W * np.sum(f * (1 - f)) / left)


def _is_even(L: Floats) -> bool:
    """Return whether a penalty weighs all coefficients alike: its root is a multiple of the identity."""
    diagonal = L.diagonal()
    square = L.shape[0] == L.shape[1] == np.count_nonzero(L)
    return bool(square and np.all(diagonal == diagonal[0]) and diagonal[0] != 0)


def _thin(Z: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the thin singular value decomposition; SciPy 1.13 has none of a table without cells."""
    return svd(Z, full_matrices=False) if Z.size else (Z[:, :0], np.zeros(0), np.zeros((0, Z.shape[1])))
