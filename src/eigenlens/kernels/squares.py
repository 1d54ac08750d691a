r"""Regularised squares: all of a path over λ from one symmetric eigendecomposition.

.. math:: \min_{f, \gamma} \sum_i w_i (y_i - f(x_i) - t(x_i)^T\gamma)^2 + \lambda \|f\|^2, \quad
          c = \sqrt{W} (M + \lambda I)^{-1} P \sqrt{W} y .

With M = U diag(d) Uᵀ the residuals, the leverages and so GCV and leave-one-out of every λ are sums over d.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from ..arrays import errors, linalg, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from . import evaluate
from .landmarks import Landmarks
from .reduction import SHOWS, Reduction

STEPS = 50
_LARGER = "Use a larger lam; with a linear or polynomial kernel, centre and scale the columns."
PERFECT = 1e-10  # share of degrees of freedom left below which there is nothing to judge a fit by
REACH = (1e-8, 10.0)  # of the largest eigenvalue: where a path begins and ends


@stored("kernel.Path")
@dataclass(frozen=True, eq=False)
class Path:
    """Scores of a path over λ.

    Attributes
    ----------
    lams : ndarray of shape (L,)
        Ascending.
    gcv, loo : ndarrays of shape (L,)
        Generalised cross-validation, and mean squared leave-one-out error; summed over responses.
    df : ndarray of shape (L,)
        Trace of the smoother, free functions counted in.
    """

    lams: np.ndarray
    gcv: np.ndarray
    loo: np.ndarray
    df: np.ndarray

    def best(self, rule: str) -> int:
        """Return the place of the least score; the larger λ where several are equal."""
        score = self.gcv if rule == "gcv" else self.loo
        if not np.isfinite(score).any():
            raise errors.InputError(
                f"lam={rule!r} finds no λ with a finite score: the kernel, the responses or the weights leave the "
                "range of numbers. Divide the columns by their size, or give lam a number."
            )
        return int(np.flatnonzero(score <= np.nanmin(score) * (1 + 1e-12))[-1])


def grid(largest: float) -> np.ndarray:
    """Return the λ of a path for a matrix with this largest eigenvalue."""
    top = largest if largest > 0 else 1.0
    return np.geomspace(REACH[0] * top, REACH[1] * top, STEPS)


def ridge(reduction: Reduction, Y: Array, lam: float) -> Array:
    """Return (M + λI)⁻¹ P√w Y, by Cholesky.

    Where λ is lost in the rounding of M, by eigenvectors, without those whose eigenvalues are rounding as well.
    """
    M, R, rounding = reduction.M, reduction.project(Y), reduction.rounding
    if not lam > rounding:
        return _of_sound_axes(M, R, lam, rounding)
    if isinstance(M, np.ndarray):
        A = M.copy()
        A[np.diag_indices_from(A)] += lam
        try:
            factor = scipy.linalg.cho_factor(A, lower=True, overwrite_a=True, check_finite=False)
        except scipy.linalg.LinAlgError:
            return _of_sound_axes(M, R, lam, rounding)
        return scipy.linalg.cho_solve(factor, R, check_finite=False)
    xp = namespaces.namespace(M)
    return xp.linalg.solve(M + lam * xp.eye(M.shape[0], dtype=xp.float64, device=namespaces.device(M)), R)


def _of_sound_axes(M: Array, R: Array, lam: float, rounding: float) -> Array:
    d, U = _eigh(M)
    return U @ (_inverse(d, lam, rounding)[:, None] * (U.T @ R))


def _inverse(d: Array, lam: float, rounding: float) -> Array:
    """Return 1/(d + λ); 0 where both are rounding."""
    xp = namespaces.namespace(d)
    sound = (d > d.shape[0] * rounding) | (lam > rounding)
    return xp.where(sound, 1.0 / xp.where(sound, d + lam, xp.ones_like(d)), xp.zeros_like(d))


class ExactPath:
    """A path on the full kernel matrix."""

    def __init__(self, reduction: Reduction, Y: Array) -> None:
        self.reduction, xp = reduction, namespaces.namespace(reduction.M)
        d, self.U = _eigh(reduction.M)
        self.d = xp.clip(d, min=0.0)
        self.U = self.U - reduction.Q @ (reduction.Q.T @ self.U)  # what is free is not a part of I − S
        self.Z = self.U.T @ reduction.project(Y)

    def scores(self, lams: np.ndarray | None) -> Path:
        """Return GCV and leave-one-out of every λ."""
        red, xp = self.reduction, namespaces.namespace(self.d)
        lams = grid(float(xp.max(self.d))) if lams is None else np.sort(lams)
        W, n = float(xp.sum(red.weight)), red.M.shape[0]
        squares = self.U**2
        counted = xp.sum(squares, axis=0)
        drop = xp.minimum(red.weight, xp.ones_like(red.weight)) / red.weight
        gcv, loo, df = [], [], []
        for lam in lams:
            left = float(lam) / (self.d + float(lam))  # of I − S, whose digits 1 − leverage would lose
            E = self.U @ (self.Z * left[:, None])
            trace = n - float(xp.sum(counted * left))
            gcv.append(gcv_score(float(xp.sum(E**2)), trace, W))
            held = (1.0 - drop) + drop * (squares @ left)
            loo.append(float(xp.sum((E / held[:, None]) ** 2)) / W)
            df.append(trace)
        return Path(np.asarray(lams, dtype=float), np.array(gcv), np.array(loo), np.array(df))

    def solve(self, lam: float) -> Array:
        """Return (M + λI)⁻¹ P√w y."""
        return self.U @ (self.Z * _inverse(self.d, lam, self.reduction.rounding)[:, None])


def dual_solution(reduction: Reduction, Y: Array, solved: Array, lam: float) -> tuple[Array, Array]:
    """Return the coefficients c of f and γ of the free functions, from (M + λI)⁻¹ P√w y."""
    red = reduction
    solved = solved - red.Q @ (red.Q.T @ solved)
    judge_digits(red, red.project(Y), solved, lam)
    c = solved * red.root[:, None]
    assert red.K is not None
    return c, red.free_part(Y - red.K @ c - lam * c / red.weight[:, None])


def judge_digits(red: Reduction, R: Array, solved: Array, lam: float) -> None:
    """Warn where the terms of a fit to R are so large that their rounding shows in their sum."""
    size, rounding = max(_largest_norm(R), np.finfo(float).tiny), red.rounding
    if not lam > rounding:
        lost = max(_largest_norm(R - red.M @ solved - lam * solved), rounding * _largest_norm(solved)) / size
        errors.warn(
            errors.ConditionWarning(
                f"lam={lam:.3g} is lost in the rounding of the kernel matrix "
                f"(trace {rounding / namespaces.EPS:.3g}); the fit "
                f"leaves out every axis whose eigenvalue is rounding as well. This may change fitted values by up to "
                f"{min(lost, 1.0):.0e} of the responses. {_LARGER}"
            )
        )
        return
    lost = rounding * _largest_norm(solved) / size
    if lost > SHOWS:
        errors.warn(
            errors.ConditionWarning(
                f"lam={lam:.3g} is so far below the kernel matrix "
                f"(trace {rounding / namespaces.EPS:.3g}) that rounding may "
                f"change fitted values by {min(lost, 1.0):.0e} of the responses. {_LARGER}"
            )
        )


def _largest_norm(A: Array) -> float:
    xp = namespaces.namespace(A)
    return float(xp.max(xp.sqrt(xp.sum(A * A, axis=0))))


class LandmarkPath:
    """A path in the coordinates of landmarks: moments of one pass, and a second pass for leave-one-out."""

    def __init__(self, landmarks: Landmarks, X: Array, Y: Array, weight: Array) -> None:
        self.landmarks, self.X, self.Y, self.weight = landmarks, X, Y, weight
        xp = namespaces.namespace(X)
        trend = landmarks.kernel._trend(X)[:, 1:]  # centring takes the constant out
        self.trend = trend
        self.t, self.q = trend.shape[1], Y.shape[1]
        moments, self.missed = landmarks.collect(X, weight, xp.concat([trend, Y], axis=1))
        self.W, self.mean = float(moments.weight), moments.mean
        S = moments.matrix * (moments.unit[:, None] * moments.unit[None, :])
        a, b = self.t, self.t + self.q
        self.G = xp.linalg.pinv(S[:a, :a]) @ S[:a, a:] if a else S[:0, :]
        S = S[a:, a:] - S[a:, :a] @ self.G
        M, R = S[b - a :, b - a :], S[b - a :, : self.q]
        d, self.V = _eigh((M + M.T) / 2)
        self.d, self.Z = xp.clip(d, min=0.0), self.V.T @ R
        self.free = 1 + (0 if not a else int(np.linalg.matrix_rank(namespaces.to_numpy(moments.matrix[:a, :a]))))
        self.trend_inverse = xp.linalg.pinv(moments.matrix[:a, :a]) if a else None
        self.unit = moments.unit

    def scores(self, lams: np.ndarray | None) -> Path:
        """Return GCV and leave-one-out of every λ."""
        xp = namespaces.namespace(self.d)
        lams = grid(float(xp.max(self.d))) if lams is None else np.sort(lams)
        L = namespaces.like(np.asarray(lams, dtype=float), self.d)
        inverse = 1.0 / (self.d[:, None] + L[None, :])  # m × L
        shrink = self.d[:, None] * inverse
        loo, rss = self._second_pass(inverse)
        df = self.free + namespaces.to_numpy(xp.sum(shrink, axis=0))
        gcv = np.array(
            [gcv_score(float(r), float(t), self.W) for r, t in zip(namespaces.to_numpy(rss), df, strict=True)]
        )
        return Path(np.asarray(lams, dtype=float), gcv, namespaces.to_numpy(loo) / self.W, df)

    def _second_pass(self, inverse: Array) -> tuple[Array, Array]:
        """Return Σ w (leave-one-out error)² and Σ w error² of every λ."""
        X, xp = self.X, namespaces.namespace(self.X)
        function = self.landmarks.kernel._against(self.landmarks.rows)
        count = inverse.shape[1]
        maps = xp.stack([self.Z[:, j][:, None] * inverse for j in range(self.q)], axis=0)  # q × m × L

        def work(span: tuple[int, int]) -> tuple[Array, Array]:
            a, b = span
            w = self.weight[a:b]
            F, R, base = self._coordinates(X[a:b, :], self.Y[a:b, :], self.trend[a:b, :], function)
            leverage = base[:, None] + (F**2) @ inverse
            drop = xp.minimum(w, xp.ones_like(w))
            left = xp.clip(1.0 - drop[:, None] * leverage, min=namespaces.EPS)
            loo = rss = xp.zeros(count, dtype=xp.float64, device=namespaces.device(X))
            for j in range(self.q):
                E = R[:, j][:, None] - F @ maps[j, :, :]
                loo = loo + w @ (E / left) ** 2
                rss = rss + w @ E**2
            return loo, rss

        totals = [xp.zeros(count, dtype=xp.float64, device=namespaces.device(X)) for _ in range(2)]
        for part in evaluate.over_blocks(work, X.shape[0], 2 * self.V.shape[0], X):
            totals = [total + p for total, p in zip(totals, part, strict=True)]
        return totals[0], totals[1]

    def _coordinates(self, X: Array, Y: Array, trend: Array, function: Any) -> tuple[Array, Array, Array]:
        """Return rows in the eigenbasis, responses, both without their free part, and the leverage of that."""
        xp = namespaces.namespace(X)
        A = xp.concat([trend, Y, self.landmarks.coordinates(X, function)], axis=1) - self.mean
        T = A[:, : self.t]
        rest = A[:, self.t :] - T @ self.G
        base = xp.ones_like(A[:, 0]) / self.W
        if self.trend_inverse is not None:
            U = T / self.unit[: self.t]
            base = base + xp.sum((U @ self.trend_inverse) * U, axis=1)
        return rest[:, self.q :] @ self.V, rest[:, : self.q], base

    def solution(self, lam: float) -> tuple[Array, Array]:
        """Return the coefficients c of the landmarks and γ of the free functions."""
        xp = namespaces.namespace(self.d)
        beta = self.V @ (self.Z / (self.d + lam)[:, None])
        slopes = self.G[:, : self.q] - self.G[:, self.q :] @ beta
        mean_T, mean_Y, mean_F = self.mean[: self.t], self.mean[self.t : self.t + self.q], self.mean[self.t + self.q :]
        constant = mean_Y - mean_F @ beta - mean_T @ slopes
        return self.landmarks.coefficients(beta), xp.concat([constant[None, :], slopes], axis=0)


def gcv_score(rss: float, trace: float, W: float) -> float:
    """Return the score of a fit with so many degrees of freedom; infinity where hardly any are left."""
    left = 1.0 - trace / W
    return rss / W / left**2 if left > PERFECT else float("inf")


def _eigh(M: Array) -> tuple[Array, Array]:
    if isinstance(M, np.ndarray):
        with linalg.limit_blas(M.size):
            try:
                return scipy.linalg.eigh(M, driver="evd", check_finite=False)
            except scipy.linalg.LinAlgError as error:
                raise errors.InputError(
                    "the kernel matrix has no eigenvalues that can be computed: its values leave the range of numbers. "
                    "Divide the columns or the weights by their size, or use another kernel."
                ) from error
    return namespaces.namespace(M).linalg.eigh(M)
