r"""Coordinates of rows in which the norm of a function is that of its coefficients; the path of regularised squares.

f(x) = φ(x)ᵀβ + t(x)ᵀγ with ‖f‖ = ‖β‖. Over the rows of the fit ΦᵀWΦ = diag(d) and TᵀWT = I, and Φ is orthogonal to what
is free: the second derivative of any loss is nearly diagonal, and of squares

.. math:: \min_{f, \gamma} \sum_i w_i (y_i - f(x_i) - t(x_i)^T\gamma)^2 + \lambda \|f\|^2

the residuals, the leverages and so GCV and leave-one-out of every λ are sums over d.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ..arrays import errors, linalg, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..distances.pairs import PRODUCT_PAIRS, joined, over_rows
from ..solve.linear_smoother import gcv
from .landmarks import Landmarks
from .reduction import Free, Reduction

NEGLIGIBLE = 1e-14  # eigenvalues below this share of the largest do not move a fit

T = TypeVar("T")


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

    def best(self, rule: str) -> float:
        """Return the λ with the least score; the larger λ where several are equal."""
        score = self.gcv if rule == "gcv" else self.loo
        if not np.isfinite(score).any():
            raise errors.InputError(
                f"lam={rule!r} finds no λ with a finite score: the kernel, the responses or the weights leave the "
                "range of numbers. Divide the columns by their size, or give lam a number."
            )
        return float(self.lams[np.flatnonzero(score <= np.nanmin(score) * (1 + 1e-12))[-1]])


class Coordinates:
    """Φ in blocks of rows: a subclass says what they are, and how coefficients become those of kernels at points.

    Attributes
    ----------
    d : array of shape (r,)
    free : array of shape (n, t)
        T.
    weight : array of shape (n,)
    phi : array of shape (n, r)
        Φ, where it is kept whole.
    products : array of shape (r, q), or None
        ΦᵀWY, where Y was read with the rows.
    """

    d: Array
    free: Array
    weight: Array
    phi: Array
    products: Array | None = None

    def block(self, rows: slice) -> Array:
        """Return Φ at some rows."""
        return self.phi[rows, :]

    def solution(self, beta: Array, gamma: Array, dual: Array | None = None) -> tuple[Array, Array]:
        """Return coefficients of the points and of the free functions.

        `dual` is c as the stationary equations have it, −w ℓ′/(2λ) at the rows.
        """
        raise NotImplementedError

    def over(self, work: Callable[[slice, Array], T]) -> list[T]:
        """Apply a function of rows and their coordinates to all blocks, on threads where there is enough to do."""
        n, m = self.free.shape[0], 2 * self.d.shape[0]
        return list(over_rows(lambda rows: work(rows, self.block(rows)), n, m, self.free, PRODUCT_PAIRS))

    def times(self, beta: Array) -> Array:
        """Return Φβ."""
        return joined(self.over(lambda rows, phi: phi @ beta))

    def back(self, R: Array) -> Array:
        """Return ΦᵀR."""
        return _sum(self.over(lambda rows, phi: phi.T @ R[rows, ...]))

    def rows(self, places: np.ndarray) -> Array:
        """Return some rows of Φ, by ascending numbers."""

        def work(rows: slice, phi: Array) -> Array:
            here = places[(places >= rows.start) & (places < rows.stop)] - rows.start
            return namespaces.take_rows(phi, namespaces.like(here, phi))

        return joined(self.over(work))

    def gram(self, D: Array) -> Array:
        """Return Φᵀ diag(D) Φ."""
        return _sum(self.over(lambda rows, phi: (phi * D[rows, None]).T @ phi))

    def triangle(self, D: Array) -> Array:
        """Return R with RᵀR = Φᵀ diag(D) Φ, which is never squared."""
        xp = namespaces.namespace(D)
        return linalg.triangle(joined(self.over(lambda rows, phi: linalg.triangle(phi * xp.sqrt(D[rows])[:, None]))))


class SomeRows(Coordinates):
    """Some of the rows, by ascending numbers, in the coordinates of all."""

    def __init__(self, every: Coordinates, places: np.ndarray) -> None:
        there = namespaces.like(places, every.free)
        self.d, self.phi = every.d, every.rows(places)
        self.free, self.weight = (namespaces.take_rows(part, there) for part in (every.free, every.weight))


class WholeCoordinates(Coordinates):
    """All of the kernel matrix: Φ = W^(−½) U √d."""

    def __init__(self, reduction: Reduction) -> None:
        self.red = red = reduction
        xp = namespaces.namespace(red.M)
        d, U = linalg.symmetric_eigh(red.M)
        U = U - red.Q @ (red.Q.T @ U)
        sound = (d > NEGLIGIBLE * d[-1]) & (xp.sum(U * U, axis=0) > 0.5)  # others are free, or rounding
        (kept,) = xp.nonzero(sound)
        self.d, self.weight = xp.take(d, kept), red.weight
        self.phi = xp.take(U, kept, axis=1) * xp.sqrt(self.d) / red.root[:, None]
        self.free = red.Q / red.root[:, None]

    def solution(self, beta: Array, gamma: Array, dual: Array | None = None) -> tuple[Array, Array]:
        """Return c from the dual: β/√d would divide rounding by what is nearly zero."""
        red = self.red
        assert dual is not None
        assert red.K is not None
        c = dual / red.root[:, None]
        c = (c - red.Q @ (red.Q.T @ c)) * red.root[:, None]
        return c, red.free_part(self.times(beta) + self.free @ gamma - red.K @ c)


class LandmarkCoordinates(Coordinates):
    """Coordinates by landmarks, turned to their principal axes; in blocks, which are kept where they are small."""

    def __init__(
        self,
        landmarks: Landmarks,
        X: Array,
        weight: Array,
        Y: Array | None = None,
        free: Free = "trend",
    ) -> None:
        self.landmarks, self.X, self.weight, xp = landmarks, X, weight, namespaces.namespace(X)
        trend = landmarks.kernel._trend(X)[:, 1:]
        self.trend = trend = trend if free == "trend" else trend[:, :0]
        beside = trend if Y is None else xp.concat([trend, Y], axis=1)
        moments, self.missed = landmarks.collect(X, weight, beside, centred=free != "nothing")
        t, first = trend.shape[1], beside.shape[1]
        S = moments.matrix * (moments.unit[:, None] * moments.unit[None, :])
        self.centre, self.mean = moments.mean[:t], moments.mean[first:]
        if free == "nothing":
            S = S + float(moments.weight) * moments.mean[:, None] * moments.mean[None, :]
            self.mean = 0.0 * self.mean
        self.along = _orthonormal(moments.matrix[:t, :t]) / moments.unit[:t, None]
        self.slopes = self.along @ (self.along.T @ S[:t, :])  # of all columns on the trend
        rest = S[first:, :] - S[first:, :t] @ self.slopes
        self.slopes = self.slopes[:, first:]
        M = rest[:, first:]
        d, V = linalg.symmetric_eigh((M + M.T) / 2)
        (kept,) = xp.nonzero(d > NEGLIGIBLE * d[-1])
        self.d, self.V = xp.take(d, kept), xp.take(V, kept, axis=1)
        if Y is not None:
            self.products = self.V.T @ rest[:, t:first]
        constant = xp.ones_like(X[:, :1]) / float(moments.weight) ** 0.5
        every = xp.concat([constant, (trend - self.centre) @ self.along], axis=1)
        self.free = every[:, :0] if free == "nothing" else every
        self._function = landmarks.kernel._against(landmarks.rows)
        small = 8 * X.shape[0] * V.shape[0] <= 2**30  # larger ones are computed again when they are needed
        self._kept: dict[int, Array] | None = {} if small else None

    def block(self, rows: slice) -> Array:
        if self._kept is not None and rows.start in self._kept:
            return self._kept[rows.start]
        phi = self.landmarks.coordinates(self.X[rows, :], self._function) - self.mean
        phi = (phi - (self.trend[rows, :] - self.centre) @ self.slopes) @ self.V
        if self._kept is not None:
            self._kept[rows.start] = phi
        return phi

    def solution(self, beta: Array, gamma: Array, dual: Array | None = None) -> tuple[Array, Array]:
        xp, weights = namespaces.namespace(beta), self.V @ beta
        if not self.free.shape[1]:
            return self.landmarks.coefficients(weights), gamma
        slopes = self.along @ gamma[1:, :] - self.slopes @ weights
        constant = gamma[0, :] * self.free[0, 0] - self.mean @ weights - self.centre @ slopes
        return self.landmarks.coefficients(weights), xp.concat([constant[None, :], slopes], axis=0)


class SquaresPath:
    """Regularised squares for every λ."""

    def __init__(self, coordinates: Coordinates, Y: Array) -> None:
        self.coordinates = c = coordinates
        w = c.weight[:, None]
        self.base = Y[:1, :] if c.free.shape[1] else 0.0 * Y[:1, :]  # the constant goes before it can take digits
        self.gamma = c.free.T @ (w * (Y - self.base))
        self.rest = Y - self.base - c.free @ self.gamma
        self.products = c.back(w * self.rest) if c.products is None else c.products

    def scores(self, lams: np.ndarray | None) -> Path:
        """Return GCV and leave-one-out of every λ."""
        c = self.coordinates
        xp, d, w = namespaces.namespace(c.d), c.d[:, None], c.weight
        if lams is None:
            top = float(c.d[-1]) if c.d.shape[0] else 1.0
            lams = np.geomspace(1e-8 * top, 10.0 * top, 50)
        lams = np.sort(np.asarray(lams, dtype=float))
        L = namespaces.like(lams, c.d)[None, :]
        left = L / (d + L)  # of a mode; 1 − shares would lose its digits
        unpenalised = self.products / d
        free = 1.0 - w * xp.sum(c.free**2, axis=1)

        def work(rows: slice, phi: Array) -> Array:
            v = w[rows, None]
            squares = v * phi**2 / c.d
            drop = xp.minimum(v, xp.ones_like(v)) / v  # of the row, one unit of weight is held out
            own = free[rows, None] - xp.sum(squares, axis=1, keepdims=True) + squares @ left  # 1 − leverage
            held = xp.clip(1.0 - drop + drop * own, min=namespaces.EPS)
            gone = self.rest[rows, :] - phi @ unpenalised
            sums: Any = 0.0
            for j in range(gone.shape[1]):
                E = gone[:, j][:, None] + phi @ (unpenalised[:, j][:, None] * left)
                sums = sums + xp.stack([xp.sum(v * E**2, axis=0), xp.sum(v * (E / held) ** 2, axis=0)])
            return sums

        rss, loo = namespaces.to_numpy(_sum(c.over(work)))
        W, df = float(xp.sum(w)), c.free.shape[1] + namespaces.to_numpy(xp.sum(1.0 - left, axis=0))
        used = np.where(1.0 - df / W > 1e-10, df, W)  # so few degrees of freedom are rounding, and judge no fit
        return Path(lams, gcv(rss, used, W), loo / W, df)

    def solution(self, lam: float) -> tuple[Array, Array]:
        """Return the coefficients of the points and of the free functions."""
        beta = self.products / (self.coordinates.d + lam)[:, None]
        coefficients, gamma = self.coordinates.solution(beta, self.gamma)
        if not gamma.shape[0]:
            return coefficients, gamma
        xp = namespaces.namespace(gamma)
        return coefficients, xp.concat([gamma[:1, :] + self.base, gamma[1:, :]], axis=0)


def _orthonormal(S: Array) -> Array:
    """Return A with AᵀSA = I, for a scatter S that may be singular."""
    if not S.shape[0]:
        return S
    xp = namespaces.namespace(S)
    size = xp.sqrt(xp.clip(xp.linalg.diagonal(S), min=0.0))
    size = xp.where(size > 0, size, xp.ones_like(size))[:, None]
    values, axes = linalg.symmetric_eigh(S / size / size.T)
    (found,) = xp.nonzero(values > S.shape[0] * namespaces.EPS * values[-1])
    return xp.take(axes, found, axis=1) / xp.sqrt(xp.take(values, found)) / size


def _sum(parts: list[Array]) -> Array:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
