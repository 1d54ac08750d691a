"""Kernels with unpenalised functions: thin plates, cubic splines, Brownian motion."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import ceil, prod
from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.parameters import check_flag, check_number
from ..arrays.stored import stored
from ..arrays.typing import Array
from .evaluate import BlockFunction, half_negative_squares
from .kernel import Kernel


@stored("kernel.ThinPlate")
class ThinPlate(Kernel):
    """Thin plate spline: r^(2m−p), times log r if that is even, signed to be conditionally positive definite.

    Its functions are those with square-integrable derivatives of order m; polynomials of degree below m are not
    penalised by a fit with squared or logistic loss. In one column with m = 2 it is the cubic smoothing spline.

    Parameters
    ----------
    order : int or None
        m, with 2m > p. None is 2 up to three columns and p//2 + 1 beyond.

    Examples
    --------
    >>> from eigenlens.kernels import ThinPlate
    >>> ThinPlate()([[0.0, 0.0]], [[2.0, 0.0]]).round(4)     # r² log r
    array([[2.7726]])
    >>> ThinPlate().conditional_order
    2
    """

    rotation_invariant = True
    translation_invariant = True

    def __init__(self, order: int | None = None) -> None:
        self.order = order

    @property
    def conditional_order(self) -> int:
        return 2 if self.order is None else int(self.order)

    def _check_parameters(self) -> None:
        if self.order is not None:
            check_number("order", self.order, 1, integer=True)

    def _check_columns(self, p: int) -> None:
        if self.order is not None and 2 * self.order <= p:
            raise errors.InputError(
                f"ThinPlate(order={self.order}) needs 2·order > p, but there are p = {p} columns; use order ≥ "
                f"{p // 2 + 1}."
            )

    def _resolved(self, X: Array, weight: Any) -> ThinPlate:
        return self if self.order is not None else ThinPlate(self._order(X.shape[1]))

    def _order(self, p: int) -> int:
        return max(2, p // 2 + 1) if self.order is None else int(self.order)

    def _against(self, Z: Array) -> BlockFunction:
        squares, power = half_negative_squares(Z, smooth=False), 2 * self._order(Z.shape[1]) - Z.shape[1]

        def function(X: Array, out: Array | None = None) -> Array:
            values = _plate(-2.0 * squares(X), power)
            return values

        return function

    def _diagonal(self, X: Array) -> Array:
        xp = namespaces.namespace(X)
        return xp.zeros(X.shape[0], dtype=xp.float64, device=namespaces.device(X))

    def _trend(self, X: Array) -> Array:
        xp, p = namespaces.namespace(X), X.shape[1]
        columns = [super()._trend(X)]
        for degree in range(1, self._order(p)):
            for choice in combinations_with_replacement(range(p), degree):
                power: Any = prod(X[:, j] for j in choice)
                columns.append(power[:, None])
        return xp.concat(columns, axis=1)


@stored("kernel.Spline")
class Spline(Kernel):
    r"""Cubic splines on an interval, natural at its ends, or periodic. Positive definite.

    With u = (x − low)/(high − low) the kernel is that of :math:`f(0)^2 + f'(0)^2 + \int f''^2 du`,

    .. math:: k(u, v) = 1 + uv + \int_0^1 (u - s)_+ (v - s)_+ ds,

    and fits with squared or logistic loss do not penalise the straight line: squared loss in one column is the cubic
    smoothing spline. Periodic: k(u, v) = 1 − B₄(|u − v|)/24. Several columns multiply.

    Parameters
    ----------
    low, high : float or None
        Ends of the interval; None is the range of the rows of a fit. Beyond them a function continues as a straight
        line.
    periodic : bool
        Whether `high` is `low` again.

    Examples
    --------
    >>> from eigenlens.kernels import Spline
    >>> Spline(0.0, 1.0)([[0.5]], [[1.0]]).round(4)
    array([[1.6042]])
    >>> Spline(0.0, 1.0, periodic=True)([[0.1]], [[0.1], [0.6], [1.1]]).round(6)
    array([[1.001389, 0.998785, 1.001389]])
    """

    _from_rows = ("low", "high")

    def __init__(self, low: float | None = None, high: float | None = None, periodic: bool = False) -> None:
        self.low = low
        self.high = high
        self.periodic = periodic

    def _check_parameters(self) -> None:
        check_flag("periodic", self.periodic)
        for name in ("low", "high"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), -np.inf)
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise errors.number("high", self.high, f"above low={self.low}")

    def _from(self, name: str, X: Array, weight: Any) -> float:
        xp = namespaces.namespace(X)
        low, high = float(xp.min(X)), float(xp.max(X))
        found = (low if name == "low" else high) if low < high else {"low": low - 0.5, "high": low + 0.5}[name]
        if (name == "high" and self.low is not None and found <= self.low) or (
            name == "low" and self.high is not None and found >= self.high
        ):
            given = f"low={self.low}" if name == "high" else f"high={self.high}"
            raise errors.InputError(
                f"{given} but X goes from {low:g} to {high:g}, so nothing of it lies in the interval of the spline; "
                "choose low and high around X, or leave them out."
            )
        return found

    def _interval(self, X: Array) -> Array:
        assert self.low is not None
        assert self.high is not None
        return (X - self.low) / (self.high - self.low)

    def _against(self, Z: Array) -> BlockFunction:
        V, one = self._interval(Z), _periodic if self.periodic else _cubic

        def function(X: Array, out: Array | None = None) -> Array:
            U = self._interval(X)
            values: Any = prod(one(U[:, j][:, None], V[:, j][None, :]) for j in range(V.shape[1]))
            return values

        return function

    def _diagonal(self, X: Array) -> Array:
        U, one = self._interval(X), _periodic if self.periodic else _cubic
        values: Any = prod(one(U[:, j], U[:, j]) for j in range(U.shape[1]))
        return values

    def _trend(self, X: Array) -> Array:
        constant = super()._trend(X)
        return constant if self.periodic else namespaces.namespace(X).concat([constant, self._interval(X)], axis=1)


@stored("kernel.Brownian")
class Brownian(Kernel):
    """k(x, z) = ½(‖x‖^2H + ‖z‖^2H − ‖x − z‖^2H), fractional Brownian motion. Positive definite.

    With H = ½ in one column x ≥ 0 this is min(x, z), the covariance of Brownian motion.

    Parameters
    ----------
    hurst : float
        H, above 0 and at most 1.

    Examples
    --------
    >>> from eigenlens.kernels import Brownian
    >>> Brownian()([[0.5]], [[0.25], [2.0]])
    array([[0.25, 0.5 ]])
    """

    rotation_invariant = True

    def __init__(self, hurst: float = 0.5) -> None:
        self.hurst = hurst

    def _check_parameters(self) -> None:
        check_number("hurst", self.hurst, 0.0, 1.0, above=True)

    def _against(self, Z: Array) -> BlockFunction:
        squares, far = half_negative_squares(Z, smooth=False), self._diagonal(Z)

        def function(X: Array, out: Array | None = None) -> Array:
            values = 0.5 * (self._diagonal(X)[:, None] + far[None, :] - (-2.0 * squares(X)) ** float(self.hurst))
            return values

        return function

    def _diagonal(self, X: Array) -> Array:
        return namespaces.namespace(X).sum(X**2, axis=1) ** float(self.hurst)


def _plate(squares: Array, power: int) -> Array:
    """Return ± r^power (log r), where r² is given."""
    xp = namespaces.namespace(squares)
    if power % 2:
        return (-1.0) ** ceil(power / 2) * squares ** (power / 2)
    positive = xp.where(squares > 0, squares, xp.ones_like(squares))
    return (-1.0) ** (power // 2 + 1) * squares ** (power // 2) * 0.5 * xp.log(positive)


def _cubic(u: Array, v: Array) -> Array:
    xp = namespaces.namespace(u)
    low = xp.clip(xp.minimum(u, v), min=0.0, max=1.0)
    return 1.0 + u * v + low * (u * v - low * ((u + v) / 2.0 - low / 3.0))


def _periodic(u: Array, v: Array) -> Array:
    xp = namespaces.namespace(u)
    t = u - v
    t = t - xp.floor(t)
    return 1.0 - (t * t * (t - 1.0) * (t - 1.0) - 1.0 / 30.0) / 24.0
