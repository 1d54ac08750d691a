"""Fits in the polynomials of an expansion, where the matrix of the kernel would leave no digits."""

from __future__ import annotations

import numpy as np

from .._core import errors
from .._core import xp as _xp
from .._core.typing import Array
from .expansion import Expansion
from .kernel import Kernel
from .reduction import SHOWS
from .shifted import ShiftedKernel
from .squares import Path, digits_lost, gcv_score, grid

DOUBT = 1e-8  # rounding of the matrix, relative to λ, from which on it is not used


def kernel_expansion(kernel: Kernel, X: Array, weight: Array) -> Expansion | None:
    """Return the expansion of a kernel, about its pivot or of rows as they came."""
    if isinstance(kernel, ShiftedKernel):
        return kernel.expansion(X, weight)
    return kernel._expansion(X, weight, _xp.namespace(X).zeros_like(X[0, :]))


def expansion_for(kernel: Kernel, X: Array, weight: Array, lam: float) -> Expansion | None:
    """Return the expansion of a kernel if λ is so small compared with its matrix that digits would be lost."""
    if not isinstance(kernel, ShiftedKernel):
        return None
    trace = float(_xp.namespace(X).sum(weight * kernel._diagonal(X)))
    return kernel.expansion(X, weight) if _xp.EPS * trace > DOUBT * lam else None


class ExpandedPath:
    """Regularised squares: a path over λ, and its solutions."""

    def __init__(self, expansion: Expansion, X: Array, Y: Array, weight: Array) -> None:
        xp = _xp.namespace(X)
        self.expansion, self.weight, self.root = expansion, weight, xp.sqrt(weight)
        self.W = float(xp.sum(weight))
        self.U, self.d = self.root[:, None] * expansion(X), expansion.singular_values**2
        self.mean = Y[0, :] + weight @ (Y - Y[:1, :]) / self.W
        R = self.root[:, None] * (Y - self.mean)
        self.Z = self.U.T @ R
        self.outside = R - self.U @ self.Z

    def scores(self, lams: np.ndarray | None) -> Path:
        """Return GCV and leave-one-out of every λ."""
        xp = _xp.namespace(self.d)
        lams = grid(float(xp.max(self.d))) if lams is None else np.sort(lams)
        squares, w = self.U**2, self.weight
        free = 1.0 - w / self.W - xp.sum(squares, axis=1)
        drop = xp.minimum(w, xp.ones_like(w)) / w
        gcv, loo, df = [], [], []
        for lam in lams:
            left = float(lam) / (self.d + float(lam))
            E = self._residuals(left)
            trace = 1.0 + float(xp.sum(1.0 - left))
            gcv.append(gcv_score(float(xp.sum(E**2)), trace, self.W))
            held = (1.0 - drop) + drop * xp.clip(free + squares @ left, min=_xp.EPS)
            loo.append(float(xp.sum((E / held[:, None]) ** 2)) / self.W)
            df.append(trace)
        return Path(np.asarray(lams, dtype=float), np.array(gcv), np.array(loo), np.array(df))

    def solution(self, lam: float) -> tuple[Array, Array]:
        """Return the coefficients c of the rows, and those of the polynomials with the constant last."""
        xp = _xp.namespace(self.d)
        left = lam / (self.d + lam)
        c = self.root[:, None] * self._residuals(left) / lam
        return c, xp.concat([self.Z * (1.0 - left)[:, None], self.mean[None, :]], axis=0)

    def judge_digits(self, lam: float) -> None:
        """Warn where the polynomials have lost digits that λ needs."""
        lost = self._lost(lam) if self.expansion.doubt else 0.0
        if lost > SHOWS:
            errors.warn(digits_lost(lost, float(_xp.namespace(self.d).sum(self.d)), lam))

    def _lost(self, lam: float) -> float:
        """Return what share of the responses rounding may have changed fitted values by."""
        xp = _xp.namespace(self.d)
        s, left = self.expansion.singular_values, lam / (self.d + lam)
        rest = xp.sum(self._residuals(left) ** 2, axis=0) / self.U.shape[0]
        whole = xp.sum(self.outside**2, axis=0) + xp.sum(self.Z**2, axis=0)
        moved = ((s / (self.d + lam)) ** 2) @ (self.Z**2 + rest)
        moved = moved * self.expansion.doubt**2 + xp.sum(self.outside**2, axis=0) * self._hidden(lam)
        share = xp.sqrt(moved / xp.where(whole > 0, whole, xp.ones_like(whole)))
        return float(xp.max(share))

    def _hidden(self, lam: float) -> float:
        """Return the share of what lies outside the polynomials that axes below rounding would have fitted."""
        n, k = self.U.shape
        free, strength = n - 1 - k, self.expansion.doubt**2
        return min(self.expansion.hidden / free, 1.0) * (strength / (strength + lam)) ** 2 if free > 0 else 0.0

    def _residuals(self, left: Array) -> Array:
        return self.outside + self.U @ (self.Z * left[:, None])


class ExpandedCoordinates:
    """Coordinates s·u(x), in which the norm of a function is that of its coefficients."""

    def __init__(self, expansion: Expansion, X: Array, weight: Array) -> None:
        xp = _xp.namespace(X)
        self.s = expansion.singular_values
        self.d, self.Phi = self.s**2, expansion(X) * self.s
        self.W = float(xp.sum(weight))
        self.free = xp.ones((X.shape[0], 1), dtype=xp.float64, device=_xp.device(X)) / self.W**0.5

    def times(self, beta: Array) -> Array:
        """Return Φβ."""
        return self.Phi @ beta

    def back(self, R: Array) -> Array:
        """Return ΦᵀR."""
        return self.Phi.T @ R

    def rows(self, wanted: Array) -> Array:
        """Return the rows of Φ where `wanted` is true."""
        return self.Phi[wanted, :]

    def gram(self, D: Array) -> Array:
        """Return Φᵀ diag(D) Φ."""
        return (self.Phi * D[:, None]).T @ self.Phi

    def triangle(self, D: Array) -> Array:
        """Return R with RᵀR = Φᵀ diag(D) Φ, which is never squared."""
        return _xp.triangle(self.Phi * _xp.namespace(D).sqrt(D)[:, None])

    def solution(self, beta: Array, gamma: Array, pull: Array) -> tuple[Array, Array]:
        """Return the coefficients c of the rows, and those of the polynomials with the constant last."""
        xp = _xp.namespace(beta)
        return pull, xp.concat([self.s[:, None] * beta, gamma[:1, :] / self.W**0.5], axis=0)
