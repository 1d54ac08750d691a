"""Coordinates of rows in which the norm of a function is that of its coefficients: what losses without closed form see.

f(x) = φ(x)ᵀβ + t(x)ᵀγ with ‖f‖² = ‖β‖². Over the rows of the fit ΦᵀWΦ = diag(d) and Φ is orthogonal to what is free, so
that the second derivative of any loss is nearly diagonal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import linalg, namespaces
from ..arrays.typing import Array
from . import evaluate
from .landmarks import Landmarks
from .reduction import Reduction
from .squares import _eigh

NEGLIGIBLE = 1e-14  # eigenvalues below this share of the largest do not move a fit
KEPT_BYTES = 2**30  # coordinates up to this size are kept; larger ones are computed again when they are needed


class ExactCoordinates:
    """All of the kernel matrix: Φ = W^(−½) U √d."""

    def __init__(self, reduction: Reduction) -> None:
        self.red = red = reduction
        xp = namespaces.namespace(red.M)
        d, U = _eigh(red.M)
        first = int(np.sum(namespaces.to_numpy(d) <= NEGLIGIBLE * max(float(d[-1]), 0.0)))
        self.d, self.U = d[first:], U[:, first:]
        self.Phi = self.U * xp.sqrt(self.d) / red.root[:, None]
        self.free = red.Q / red.root[:, None]

    def times(self, beta: Array) -> Array:
        """Return Φβ."""
        return self.Phi @ beta

    def back(self, R: Array) -> Array:
        """Return ΦᵀR."""
        return self.Phi.T @ R

    def solution(self, beta: Array, gamma: Array, pull: Array) -> tuple[Array, Array]:
        """Return coefficients of the points and of the free functions.

        `pull` is c as the stationary equations have it, −w ℓ′/(2λ): β/√d would divide rounding by what is nearly zero.
        """
        red = self.red
        c = pull / red.root[:, None]
        c = (c - red.Q @ (red.Q.T @ c)) * red.root[:, None]
        assert red.K is not None
        return c, red.free_part(self.times(beta) + self.free @ gamma - red.K @ c)


class LandmarkCoordinates:
    """Coordinates by landmarks, turned to their principal axes; in blocks."""

    def __init__(self, landmarks: Landmarks, X: Array, weight: Array, constant_only: bool = False) -> None:
        self.landmarks, self.X, xp = landmarks, X, namespaces.namespace(X)
        trend = landmarks.kernel._trend(X)[:, 1:]
        self.trend = trend[:, :0] if constant_only else trend
        moments, self.missed = landmarks.collect(X, weight, self.trend)
        t, unit = self.trend.shape[1], moments.unit
        S = moments.matrix * (unit[:, None] * unit[None, :])
        self.G = xp.linalg.pinv(S[:t, :t]) @ S[:t, t:] if t else S[:0, t:]
        M = S[t:, t:] - S[t:, :t] @ self.G
        self.d, self.V = _eigh((M + M.T) / 2)
        self.mean, W = moments.mean, float(moments.weight)
        ones = xp.ones((X.shape[0], 1), dtype=xp.float64, device=namespaces.device(X))
        centred = self.trend - self.mean[:t]
        scale = xp.sqrt(xp.clip(xp.linalg.diagonal(S[:t, :t]), min=0.0))
        self.scale = xp.where(scale > 0, scale, xp.ones_like(scale))
        self.free = xp.concat([ones / W**0.5, centred / self.scale], axis=1)
        self.W, self.t = W, t
        self._function = landmarks.kernel._against(landmarks.rows)
        n, m = X.shape[0], len(landmarks.places)
        self._kept: dict[int, Array] | None = {} if 8 * n * m <= KEPT_BYTES else None

    def block(self, a: int, b: int) -> Array:
        """Return the coordinates of some rows."""
        if self._kept is not None and a in self._kept:
            return self._kept[a]
        phi = self.landmarks.coordinates(self.X[a:b, :], self._function) - self.mean[self.t :]
        if self.t:
            phi = phi - (self.trend[a:b, :] - self.mean[: self.t]) @ self.G
        phi = phi @ self.V
        if self._kept is not None:
            self._kept[a] = phi
        return phi

    def over(self, work: Any) -> list[Any]:
        """Apply a function of (rows from, to) to all blocks."""
        n, m = self.X.shape[0], 2 * len(self.landmarks.places)
        return list(evaluate.over_blocks(lambda span: work(*span), n, m, self.X))

    def times(self, beta: Array) -> Array:
        """Return Φβ."""
        return namespaces.namespace(beta).concat(self.over(lambda a, b: self.block(a, b) @ beta), axis=0)

    def back(self, R: Array) -> Array:
        """Return ΦᵀR."""
        return sum(self.over(lambda a, b: self.block(a, b).T @ R[a:b, ...]))

    def rows(self, wanted: Array) -> Array:
        """Return the rows of Φ where `wanted` is true."""
        return namespaces.namespace(wanted).concat(self.over(lambda a, b: self.block(a, b)[wanted[a:b], :]), axis=0)

    def gram(self, D: Array) -> Array:
        """Return Φᵀ diag(D) Φ."""

        def work(a: int, b: int) -> Array:
            phi = self.block(a, b)
            return (phi * D[a:b, None]).T @ phi

        return sum(self.over(work))

    def triangle(self, D: Array) -> Array:
        """Return R with RᵀR = Φᵀ diag(D) Φ, which is never squared."""
        xp = namespaces.namespace(D)

        def work(a: int, b: int) -> Array:
            return linalg.triangle(self.block(a, b) * xp.sqrt(D[a:b])[:, None])

        return linalg.triangle(xp.concat(self.over(work), axis=0))

    def solution(self, beta: Array, gamma: Array, pull: Array | None = None) -> tuple[Array, Array]:
        """Return coefficients of the landmarks and of the free functions."""
        xp = namespaces.namespace(beta)
        weights = self.V @ beta
        slopes = gamma[1:, :] / self.scale[:, None] - self.G @ weights
        constant = gamma[0, :] / self.W**0.5 - self.mean[self.t :] @ weights - self.mean[: self.t] @ slopes
        return self.landmarks.coefficients(weights), xp.concat([constant[None, :], slopes], axis=0)
