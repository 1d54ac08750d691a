"""Weighted cubic smoothing spline of one feature: min over f of Σ wᵢ(rᵢ − f(xᵢ))² + λ∫f″².

The spline is written in B-splines, so that a pass over the rows costs O(n). One eigenproblem between the Gram
matrix A = BᵀWB and the roughness Ω then gives the Demmler–Reinsch modes, in which **every** λ is diagonal:
mode k is kept to the share aₖ/(aₖ + λγₖ), fits and residual sums of squares are sums over modes, and the
effective degrees of freedom are the sum of the shares (the straight line counts 1, the constant is left out).
A search over λ, repeated many times for new responses, costs next to nothing. Banded solves would give the
same spline, but a new factorisation for each λ tried.

Ties need no special care (equal x are equal rows of B). Knots are at all distinct values while there
are at most 100 of them, which is the exact smoothing spline; beyond that at about 100·(distinct/100)^0.15 of
them, evenly by rank.

References
----------
Reinsch (1967), Smoothing by spline functions.
Demmler and Reinsch (1975), Oscillation matrices with spline smoothing.
Green and Silverman (1994), Nonparametric Regression and Generalized Linear Models.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline
from scipy.optimize import brentq, fminbound

from ..arrays.stored import stored

Array = NDArray[np.float64]

# Closer knots than this share of the bulk of the values tell nothing and would cost digits (roughness goes as
# gap⁻³).
MIN_GAP = 1e-5


@stored("smoother.Curve")
@dataclass(frozen=True)
class Curve:
    """A cubic spline with several responses, straight beyond its end knots.

    Attributes
    ----------
    low, width : float
        The spline lives on t = (x − low)/width in [0, 1].
    knots : ndarray (m,)
        Increasing, from 0 to 1.
    coef : ndarray (m + 2, q)
        B-spline coefficients.
    """

    low: float
    width: float
    knots: Array
    coef: Array

    def __call__(self, x: Array, derivative: bool = False) -> Array:
        """Return the values (n×q) at x, or the first derivatives."""
        t = (np.asarray(x, dtype=np.float64) - self.low) / self.width
        inside = np.clip(t, 0.0, 1.0)
        spline = BSpline.construct_fast(padded(self.knots), self.coef, 3)
        if derivative:
            return spline(inside, 1) / self.width
        out = spline(inside)
        beyond = np.flatnonzero(t != inside)
        if beyond.size:
            out[beyond] += (t[beyond] - inside[beyond])[:, None] * spline(inside[beyond], 1)
        return out


def padded(knots: Array) -> Array:
    """Repeat the end knots as cubic B-splines want them."""
    return np.concatenate([np.repeat(knots[0], 3), knots, np.repeat(knots[-1], 3)])


def greville(knots: Array) -> Array:
    """Return the coefficients with which B-splines are the identity t."""
    t = padded(knots)
    return (t[1:-3] + t[2:-2] + t[3:-1]) / 3.0


def distinct(t: Array) -> Array:
    """Return the values of t, from 0 to 1, in order and each once."""
    values = np.unique(t)
    # a product gives equal rows other last bits at other places
    values = values[np.append(True, np.diff(values) > 1e-12)]
    values[-1] = 1.0
    return values


def place_knots(values: Array, max_knots: int | None = None) -> Array:
    """Choose knots among distinct sorted values in [0, 1]: all while they are few, evenly by rank beyond.

    Only the distinct values count, not how often each occurs, so weights and repeated rows place the same
    knots; the ranks read the same from either end, so a feature turned around has its knots turned around.
    """
    m = values.size
    most = 100 if m <= 100 else round(100 * (m / 100) ** 0.15)
    if max_knots is not None:
        most = min(most, max_knots)
    if m > most:
        left = np.round(np.linspace(0, m - 1, most)[: most // 2]).astype(int)
        middle = [(m - 1) // 2] if most % 2 and m % 2 else []  # an even number of values has none
        values = values[np.concatenate([left, middle, m - 1 - left[::-1]]).astype(int)]
    return spread(values, MIN_GAP * bulk(values))


def spread(values: Array, gap: float) -> Array:
    """Drop values that follow another by no more than the gap; the two ends stay."""
    if np.all(np.diff(values) > gap):
        return values
    kept = [values[0]]
    for v in values[1:-1]:
        if v - kept[-1] > gap and values[-1] - v > gap:
            kept.append(v)
    return np.array([*kept, values[-1]])


def bulk(values: Array) -> float:
    """Return the width that holds the middle 80% of the distinct values."""
    low, high = np.quantile(values, [0.1, 0.9])
    return float(high - low) / 0.8 if high > low else float(values[-1] - values[0])


def curvature_root(t: Array) -> Array:
    """Return L with cᵀLᵀLc = ∫f″² of the cubic spline with knots t and coefficients c.

    f″ is straight between knots, so two Gauss points for each interval are exact.
    """
    inner = np.unique(t[3:-3])
    half = np.diff(inner) / 2
    middle = inner[:-1] + half
    points = np.concatenate([middle - half / np.sqrt(3), middle + half / np.sqrt(3)])
    values = BSpline(t, np.eye(len(t) - 4), 3).derivative(2)(points)
    return np.asarray(values * np.sqrt(np.concatenate([half, half]))[:, None])


def natural(knots: Array) -> Array:
    """Return the (m+2)×m map from the inner coefficients to all, such that f″ vanishes at both ends.

    The smoothing spline is natural anyway; building it in leaves no function that the data do not see.
    """
    m = knots.size
    T = np.eye(m + 2)[:, 1:-1]
    first = (knots[1] - knots[0]) / (knots[2] - knots[0])
    last = (knots[-1] - knots[-2]) / (knots[-1] - knots[-3])
    T[0, :2] = 1.0 + first, -first
    T[-1, -2:] = -last, 1.0 + last
    return T


class SplineSmoother:
    """Everything about one feature that all λ and all responses share.

    Parameters
    ----------
    x : ndarray (n,)
        At least two distinct values.
    w : ndarray (n,)
        Positive weights.
    max_knots : int, optional
        Never more knots than this.

    Attributes
    ----------
    line : ndarray (n,)
        x centred and scaled so that Σ w·line² = 1.
    seen, rough : ndarray (k,)
        aₖ and γₖ of the curved modes, aₖ + scale·γₖ = 1.
    scale, least_lam : float
        A λ of middling smoothness (it halves a mode of about 10 half-waves), and the least λ tried.
    """

    def __init__(self, x: Array, w: Array, max_knots: int | None = None) -> None:
        self.low, high = float(x.min()), float(x.max())
        self.width = high - self.low
        t = np.clip((x - self.low) / self.width, 0.0, 1.0)
        self.center = float(w @ t / w.sum())
        d = t - self.center
        self.norm = float(np.sqrt(w @ d**2))
        self.line = d / self.norm
        self.knots = place_knots(distinct(t), max_knots)
        gap = MIN_GAP
        while not self._solve_modes(t, w):
            # Gaps so uneven that the basis loses its independence: keep fewer, more even knots.
            gap *= 10.0
            self.knots = spread(self.knots, gap * bulk(self.knots))

    def _solve_modes(self, t: Array, w: Array) -> bool:
        """Find the curved modes; return whether the knots allowed it (below three there are none)."""
        self._design = B = BSpline.design_matrix(t, padded(self.knots), 3)
        self.scale = float(w.sum()) * 1e-6 * bulk(self.knots) ** 3
        self.least_lam, self.rough, self.seen = self.scale, np.zeros(0), np.zeros(0)
        self._modes = np.zeros((self.knots.size + 2, 0))
        if self.knots.size < 3:
            return True
        A = (B.T @ B.multiply(w[:, None])).toarray()
        L = curvature_root(padded(self.knots))
        Omega = self.scale * (L.T @ L)
        # The two functions at each end bend around repeated knots and would say nothing about the bulk.
        inner = slice(2, -2)
        balance = float(np.trace(A[inner, inner]) / np.trace(Omega[inner, inner]))
        T = natural(self.knots)
        try:
            root = np.linalg.cholesky(T.T @ (A + Omega) @ T)
        except np.linalg.LinAlgError:
            return False
        # The sum is well conditioned by the choice of scale, so an explicit inverse keeps its digits.
        back = T @ np.linalg.inv(root).T
        K = back.T @ Omega @ back
        # The straight lines are known exactly: moved out of the way, not found again to round-off.
        N, _ = np.linalg.qr(root.T @ np.column_stack([np.ones(len(root)), greville(self.knots)[1:-1]]))
        KN = K @ N
        K = K - KN @ N.T - N @ KN.T + N @ (N.T @ KN - np.eye(2)) @ N.T
        if not np.isfinite(K).all():  # knots so unevenly far apart that their roughness leaves the range of numbers
            return False
        g, U = np.linalg.eigh((K + K.T) / 2.0)
        g, U = np.clip(g[2:], 0.0, 1.0), U[:, 2:]
        keep = 1.0 - g > 1e-13  # others are outside the span of the data
        self.least_lam = self.scale * balance / 256.0  # there the fit all but interpolates
        self.rough, self.seen = g[keep] / self.scale, 1.0 - g[keep]
        self._modes = back @ U[:, keep]
        return self._faithful(A)

    def _faithful(self, A: Array) -> bool:
        """Whether VᵀAV = diag(seen) and V is free of lines: not so once the basis has lost its digits."""
        V, k = self._modes, self.seen.size
        probes = np.column_stack([np.ones(k), np.resize([1.0, -1.0], k)])
        off = V.T @ (A @ (V @ probes)) - self.seen[:, None] * probes
        lines = V.T @ (A @ np.column_stack([np.ones(V.shape[0]), greville(self.knots)])) / np.sqrt(A.sum())
        return bool(np.abs(np.hstack([off, lines])).max(initial=0.0) < 1e-7)

    @property
    def most_lam(self) -> float:
        """The largest λ tried, at which the fit is all but straight."""
        return self.least_lam * 256.0**4.5

    @property
    def can_bend(self) -> bool:
        """Whether there are enough distinct values for more than a straight line."""
        return self.seen.size > 0

    def coordinates(self, wr: Array) -> tuple[Array, Array]:
        """Return the coordinates of line (q) and modes (k×q) of weighted, centred residuals wr (n×q)."""
        return self.line @ wr, self._modes.T @ (self._design.T @ wr)

    def df(self, lam: float) -> float:
        """Return the effective degrees of freedom without the constant; λ = ∞ is the straight line."""
        return 1.0 + float(np.sum(self.seen / (self.seen + lam * self.rough))) if np.isfinite(lam) else 1.0

    def gain(self, lam: float, b2: Array) -> float:
        """Return by how much the curved modes lower the residual sum of squares, b2 their squared
        coordinates.
        """
        D = 1.0 / (self.seen + lam * self.rough)
        return float(b2 @ (D * (2.0 - self.seen * D)))

    def lam_for_df(self, df: float) -> float:
        """Return λ with the given df (above 1), or the end of the search range nearest to it."""
        low, high = self.least_lam, self.most_lam
        if df >= self.df(low):
            return low
        if df <= self.df(high):
            return high
        root = brentq(lambda s: self.df(float(np.exp(s))) - df, np.log(low), np.log(high), xtol=1e-12)
        return float(np.exp(root))

    def fit_values(self, lam: float, z: Array, b: Array) -> Array:
        """Return the fitted values (n×q) from coordinates."""
        line = np.outer(self.line, z)
        return line if not np.isfinite(lam) else line + self._design @ self._bent(lam, b)

    def _bent(self, lam: float, b: Array) -> Array:
        """Return the B-spline coefficients of the curved modes."""
        return self._modes @ (b / (self.seen + lam * self.rough)[:, None])

    def curve(self, lam: float, z: Array, b: Array) -> Curve:
        """Return the fitted function from coordinates."""
        coef = np.outer(greville(self.knots) - self.center, z) / self.norm
        if np.isfinite(lam):
            coef = coef + self._bent(lam, b)
        return Curve(self.low, self.width, self.knots, coef)

    def best_lam(
        self,
        rss: float,
        b2: Array,
        df_before: float,
        W: float,
        cost: float,
        max_df: float,
        floor: float = 0.0,
    ) -> tuple[float, float]:
        """Return a λ of least GCV and that GCV, for a straight-line residual sum rss and df_before spent
        elsewhere.

        The search goes downhill in log λ (Brent's method over the whole range). GCV often has a second dip
        close to interpolation; looking for the lowest point everywhere would jump into it on the strength of
        a few rows.
        """
        afford = (1.0 - 1e-3) * W / cost - df_before if cost > 0 else np.inf  # so that GCV stays finite
        high = self.most_lam
        if min(max_df, afford) <= self.df(high):
            return np.inf, np.inf
        low = self.lam_for_df(min(max_df, afford))

        def left(s: float) -> float:
            return 1.0 - cost * (df_before + self.df(np.exp(s))) / W

        def score(s: float) -> float:
            return max(rss - self.gain(np.exp(s), b2), floor) / W / left(s) ** 2

        def slope(s: float) -> float:
            """Return the sign of the slope of log GCV in s."""
            bend = np.exp(s) * self.rough
            D = 1.0 / (self.seen + bend)
            falls = cost * float((bend * D**2) @ self.seen) / W
            return float(b2 @ (bend**2 * D**3)) * left(s) - falls * (rss - self.gain(np.exp(s), b2))

        s, best, *_ = fminbound(score, np.log(low), np.log(high), xtol=1e-5, full_output=True)
        # A minimum is known to half the digits of its value; the zero of the slope to nearly all.
        around = max(s - 1e-4, np.log(low)), min(s + 1e-4, np.log(high))
        if slope(around[0]) < 0.0 < slope(around[1]):
            s = brentq(slope, *around, xtol=1e-12)
        return float(np.exp(s)), float(best)
