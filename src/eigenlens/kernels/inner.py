"""Kernels of the inner product: linear and polynomial."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from ..arrays import namespaces
from ..arrays.parameters import check_number
from ..arrays.stored import stored
from ..arrays.typing import Array
from .evaluate import BlockFunction
from .kernel import Kernel


@stored("kernel.Linear")
class Linear(Kernel):
    """k(x, z) = xᵀz. Positive definite; its functions are the linear ones, and its kernel PCA is PCA.

    Examples
    --------
    >>> from eigenlens.kernels import Linear
    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    rotation_invariant = True
    shift_is_free = True
    is_linear = True

    def _against(self, Z: Array) -> BlockFunction:
        def function(X: Array, out: Array | None = None) -> Array:
            return _product(X, Z, out)

        return function

    def _diagonal(self, X: Array) -> Array:
        return namespaces.namespace(X).sum(X**2, axis=1)

    def _shift_constant(self, points: Array, c: Array, pivot: Array) -> Array:
        return pivot @ (points.T @ c)


@stored("kernel.Polynomial")
class Polynomial(Kernel):
    """k(x, z) = (scale·xᵀz + offset)^degree. Positive definite for scale > 0 and offset ≥ 0.

    Parameters
    ----------
    degree : int
    scale : float
    offset : float
        Above 0, all monomials up to the degree are included; at 0 only those of exactly that degree.

    Examples
    --------
    >>> from eigenlens.kernels import Polynomial
    >>> Polynomial(2)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[144.]])
    """

    rotation_invariant = True
    absorbs_shift = True

    def __init__(self, degree: int = 2, scale: float = 1.0, offset: float = 1.0) -> None:
        self.degree = degree
        self.scale = scale
        self.offset = offset

    def _check_parameters(self) -> None:
        check_number("degree", self.degree, 1, integer=True)
        check_number("scale", self.scale, 0.0, above=True)
        check_number("offset", self.offset, 0.0)

    def _against(self, Z: Array) -> BlockFunction:
        scaled = Z * self.scale

        def function(X: Array, out: Array | None = None) -> Array:
            return self._power(_product(X, scaled, out) + self.offset, out)

        return function

    def _power(self, T: Array, out: Any = None) -> Array:
        if out is None:
            return T ** int(self.degree)
        return np.power(T, int(self.degree), out=out)

    def _diagonal(self, X: Array) -> Array:
        return self._power(self.scale * namespaces.namespace(X).sum(X**2, axis=1) + self.offset)

    def _against_about(self, Z: Array, pivot: Array) -> BlockFunction:
        scaled, d = Z * self.scale, int(self.degree)
        level, along = self._level(pivot), scaled @ pivot
        grown = [self._growth(along, level, d - i) for i in range(1, d)]

        def function(X: Array, out: Array | None = None) -> Array:
            mine, inner = self.scale * (X @ pivot), _product(X, scaled, out)
            value = _rise(inner, level + mine[:, None] + along[None, :], d)
            for i in range(1, d):
                value = value + (comb(d, i) * mine**i)[:, None] * grown[i - 1][None, :]
            return value

        return function

    def _diagonal_about(self, X: Array, pivot: Array) -> Array:
        d, level, mine = int(self.degree), self._level(pivot), self.scale * (X @ pivot)
        value = _rise(self.scale * namespaces.namespace(X).sum(X**2, axis=1), level + 2 * mine, d)
        for i in range(1, d):
            value = value + comb(d, i) * mine**i * self._growth(mine, level, d - i)
        return value

    def _shift_constant(self, points: Array, c: Array, pivot: Array) -> Array:
        return self._growth(self.scale * (points @ pivot), self._level(pivot), int(self.degree)) @ c

    def _level(self, pivot: Array) -> float:
        return self.scale * float(namespaces.namespace(pivot).sum(pivot**2)) + self.offset

    def _growth(self, along: Array, level: float, power: int) -> Array:
        """Return (level + along)^power − level^power, never as that difference."""
        grown: Any = sum(comb(power, j) * level ** (power - j) * along**j for j in range(1, power + 1))
        return grown


def _rise(step: Array, start: Array, power: int) -> Array:
    """Return (start + step)^power − start^power, never as that difference."""
    end = start + step
    return step * sum(end**j * start ** (power - 1 - j) for j in range(power))


def _product(X: Array, Z: Array, out: Any) -> Array:
    return np.matmul(X, Z.T, out=out) if isinstance(X, np.ndarray) else X @ Z.T
