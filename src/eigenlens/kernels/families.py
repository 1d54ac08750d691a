"""Families of kernels: of the inner product, of the distance between rows, and with unpenalised functions."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import ceil, comb, factorial, inf, prod, sqrt
from typing import Any, Literal

import numpy as np
import scipy.special

from ..arrays import errors, namespaces
from ..arrays.parameters import check_choice, check_flag, check_number, is_number
from ..arrays.stored import stored
from ..arrays.typing import Array
from .evaluate import BlockFunction, half_negative_squares
from .kernel import Kernel, Shift

# -- of the inner product ---------------------------------------------------------------------------------------


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
    shift = Shift.FREE
    is_linear = True

    def _against(self, Z: Array, pivot: Array | None = None) -> BlockFunction:
        return lambda X: X @ Z.T

    def _diagonal(self, X: Array, pivot: Array | None = None) -> Array:
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
    shift = Shift.ABSORBED

    def __init__(self, degree: int = 2, scale: float = 1.0, offset: float = 1.0) -> None:
        self.degree = degree
        self.scale = scale
        self.offset = offset

    def _check_parameters(self) -> None:
        check_number("degree", self.degree, 1, integer=True)
        check_number("scale", self.scale, 0.0, above=True)
        check_number("offset", self.offset, 0.0)

    def _against(self, Z: Array, pivot: Array | None = None) -> BlockFunction:
        scaled, d = Z * self.scale, int(self.degree)
        if pivot is None:
            return lambda X: (X @ scaled.T + self.offset) ** d
        level, along = self._level(pivot), scaled @ pivot
        grown = [self._growth(along, level, d - i) for i in range(1, d)]

        def function(X: Array) -> Array:
            mine = self.scale * (X @ pivot)
            value = _rise(X @ scaled.T, level + mine[:, None] + along[None, :], d)
            for i in range(1, d):
                value = value + (comb(d, i) * mine**i)[:, None] * grown[i - 1][None, :]
            return value

        return function

    def _diagonal(self, X: Array, pivot: Array | None = None) -> Array:
        d, inner = int(self.degree), self.scale * namespaces.namespace(X).sum(X**2, axis=1)
        if pivot is None:
            return (inner + self.offset) ** d
        level, mine = self._level(pivot), self.scale * (X @ pivot)
        value = _rise(inner, level + 2 * mine, d)
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


# -- of the distance between rows --------------------------------------------------------------------------------


class Radial(Kernel):
    """A kernel φ(−½r²) of r = ‖x − z‖ / unit; a subclass names its unit and writes φ."""

    shift = Shift.INVARIANT
    rotation_invariant = True
    #: whether φ is smooth in r², so that the digits a product loses for close pairs do not show
    _smooth = False

    def _unit(self) -> float:
        """Return what distances are divided by."""
        return float(getattr(self, self._from_rows[0]))

    def _profile(self, E: Array, p: int) -> Array:
        """Return φ at E = −½r², for rows of p columns."""
        raise NotImplementedError

    def _against(self, Z: Array, pivot: Array | None = None) -> BlockFunction:
        p, squares = Z.shape[1], half_negative_squares(Z, self._smooth, self._unit())

        def function(X: Array) -> Array:
            E = squares(X)
            if not isinstance(E, np.ndarray):
                return self._profile(namespaces.namespace(E).clip(E, max=0.0), p)
            step = max(1, 2**16 // max(E.shape[1], 1))  # several steps on a few rows find them in cache
            for start in range(0, E.shape[0], step):
                strip = E[start : start + step]
                strip[...] = self._profile(np.minimum(strip, 0.0, out=strip), p)
            return E

        return function

    def _diagonal(self, X: Array, pivot: Array | None = None) -> Array:
        xp = namespaces.namespace(X)
        return self._profile(xp.sum(xp.zeros_like(X), axis=1), X.shape[1])


@stored("kernel.Gaussian")
class Gaussian(Radial):
    """k(x, z) = exp(−‖x − z‖² / (2·bandwidth²)). Positive definite.

    Parameters
    ----------
    bandwidth : float or None
        None means the median distance between the rows of a fit.

    Examples
    --------
    >>> from eigenlens.kernels import Gaussian
    >>> Gaussian(2.0)([[0.0]], [[2.0]]).round(4)
    array([[0.6065]])
    >>> Gaussian().fitted([[0.0], [1.0], [3.0]])
    Gaussian(bandwidth=2.0)
    """

    _from_rows = ("bandwidth",)
    _smooth = True

    def __init__(self, bandwidth: float | None = None) -> None:
        self.bandwidth = bandwidth

    def _profile(self, E: Array, p: int) -> Array:
        return namespaces.namespace(E).exp(E)


@stored("kernel.Laplacian")
class Laplacian(Radial):
    """k(x, z) = exp(−‖x − z‖ / bandwidth), with the Euclidean norm. Positive definite.

    Parameters
    ----------
    bandwidth : float or None
        None means the median distance between the rows of a fit.

    Examples
    --------
    >>> from eigenlens.kernels import Laplacian
    >>> Laplacian(2.0)([[0.0, 0.0]], [[3.0, 4.0]]).round(4)
    array([[0.0821]])
    """

    _from_rows = ("bandwidth",)

    def __init__(self, bandwidth: float | None = None) -> None:
        self.bandwidth = bandwidth

    def _profile(self, E: Array, p: int) -> Array:
        return namespaces.namespace(E).exp(-_distance(E))


@stored("kernel.Matern")
class Matern(Radial):
    r"""Matérn's kernel, whose functions are those of the Sobolev space of order nu + p/2. Positive definite.

    .. math:: k(x, z) = \frac{2^{1-\nu}}{\Gamma(\nu)} t^\nu K_\nu(t), \quad t = \sqrt{2\nu}\,\|x - z\| / \ell .

    Parameters
    ----------
    nu : float
        Smoothness; 0.5 is the Laplacian, infinity the Gaussian kernel. 0.5, 1.5, 2.5, … have closed forms and run on
        any device; other values are computed on the host.
    length_scale : float or None
        ℓ; None means the median distance between the rows of a fit.

    Examples
    --------
    >>> from eigenlens.kernels import Matern
    >>> Matern(0.5, 2.0)([[0.0, 0.0]], [[3.0, 4.0]]).round(4)
    array([[0.0821]])
    """

    _from_rows = ("length_scale",)

    def __init__(self, nu: float = 1.5, length_scale: float | None = None) -> None:
        self.nu = nu
        self.length_scale = length_scale

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not (is_number(self.nu) and self.nu == inf):
            check_number("nu", self.nu, 0.0, above=True)
            if self.nu > 1000:  # each order is a step of the recurrence
                raise errors.InputError(
                    f"nu={self.nu:g} is beyond 1,000, where the kernel is the Gaussian one to three digits; use "
                    "Gaussian(length_scale), which is nu=float('inf')."
                )

    def _profile(self, E: Array, p: int) -> Array:
        if self.nu == inf:
            return namespaces.namespace(E).exp(E)
        t = _distance(E) * sqrt(2 * self.nu)
        k = self.nu - 0.5
        if k == int(k) and k <= 10:  # the sums of longer polynomials overflow
            return _half_integer(t, int(k))
        values = _bessel(np.asarray(namespaces.to_numpy(t)), float(self.nu))
        return namespaces.like(values, E)


@stored("kernel.Wendland")
class Wendland(Radial):
    """Wendland's piecewise polynomial of compact support: zero beyond `support`. Positive definite.

    The polynomial is the one of least degree that is positive definite in as many dimensions as the rows have columns.

    Parameters
    ----------
    smoothness : {0, 1, 2}
        k: the function has 2k continuous derivatives.
    support : float or None
        Radius beyond which the kernel is zero; None is twice the median distance between the rows of a fit.

    Examples
    --------
    >>> from eigenlens.kernels import Wendland
    >>> Wendland(support=2.0)([[0.0]], [[1.0], [3.0]])
    array([[0.3125, 0.    ]])
    """

    _from_rows = ("support",)

    def __init__(self, smoothness: int = 1, support: float | None = None) -> None:
        self.smoothness = smoothness
        self.support = support

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("smoothness", self.smoothness, 0, 2, integer=True)

    def _from(self, name: str, X: Array, weight: Any) -> float:
        return 2.0 * super()._from(name, X, weight)

    def _profile(self, E: Array, p: int) -> Array:
        xp = namespaces.namespace(E)
        r = _distance(E)
        inside = xp.clip(1.0 - r, min=0.0)
        m = p // 2 + self.smoothness + 1
        if self.smoothness == 0:
            return inside**m
        if self.smoothness == 1:
            return inside ** (m + 1) * ((m + 1) * r + 1.0)
        return inside ** (m + 2) * (((m * m + 4 * m + 3) * r + (3 * m + 6)) * r + 3.0) / 3.0


@stored("kernel.SchoenbergKernel")
class SchoenbergKernel(Radial):
    """A kernel from a Schoenberg transform Φ of squared distances.

    Φ(‖x − z‖²) is again a squared Euclidean distance, so −½Φ is conditionally positive definite of order 1 (its kernel
    PCA is classical scaling of the transformed distances), and exp(−Φ) is positive definite.

    Parameters
    ----------
    transform : Schoenberg transform
        Such as `distances.Power(0.5)`: anything that can be called with an array of squared distances.
    form : {"distance", "exponential"}
        −½Φ or exp(−Φ).

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.kernels import SchoenbergKernel
    >>> k = SchoenbergKernel(np.sqrt)
    >>> k([[0.0]], [[4.0]]), k.conditional_order
    (array([[-2.]]), 1)
    """

    def __init__(self, transform: Any, form: Literal["distance", "exponential"] = "distance") -> None:
        self.transform = transform
        self.form = form

    @property
    def conditional_order(self) -> int:
        return 1 if self.form == "distance" else 0

    def _check_parameters(self) -> None:
        check_choice("form", self.form, ("distance", "exponential"))
        if not callable(self.transform):
            raise errors.no_transform("transform", self.transform)

    def _unit(self) -> float:
        return 1.0

    def _profile(self, E: Array, p: int) -> Array:
        values = self.transform(-2.0 * E)
        return namespaces.namespace(values).exp(-values) if self.form == "exponential" else -0.5 * values


def _distance(E: Array) -> Array:
    """Return r from −½r²."""
    return namespaces.namespace(E).sqrt(-2.0 * E)


def _half_integer(t: Array, k: int) -> Array:
    """Matérn's kernel of order k + ½: a polynomial times exp(−t)."""
    xp = namespaces.namespace(t)
    t = xp.clip(t, max=1e3)  # where e⁻ᵗ times the polynomial is 0
    total = xp.zeros_like(t)
    for i in range(k + 1):
        term = factorial(k + i) / (factorial(i) * factorial(k - i)) * factorial(k) / factorial(2 * k)
        total = total + term * (2.0 * t) ** (k - i)
    return total * xp.exp(-t)


def _bessel(t: np.ndarray, nu: float) -> np.ndarray:
    """Matérn's kernel of any order, by the recurrence of Bessel functions, which overflow for large orders.

    M_{ν+1} = M_ν + t²/(4ν(ν − 1))·M_{ν−1} has positive terms alone, and logarithms of ratios do not overflow.
    """
    steps = max(int(np.ceil(nu)) - 2, 0)
    order = nu - steps  # from 1 to 2, or nu itself
    with np.errstate(over="ignore", under="ignore"):
        log = _log_bessel(t, order)
        if steps:
            ratio = np.exp(log - _log_bessel(t, order - 1.0))
        for _ in range(steps):
            ratio = 1.0 + t / (4 * order * (order - 1.0)) * (t / ratio)
            log = log + np.log(ratio)
            order += 1.0
        return np.asarray(np.exp(log - t))


def _log_bessel(t: np.ndarray, nu: float) -> np.ndarray:
    """Return the logarithm of eᵗM, for orders of at most 2."""
    small = t < 1e-10 ** (1 / min(nu, 1.0)) if nu < 1 else t < 1e-8
    safe = np.where(small, 1.0, t)
    log_scale = (1 - nu) * np.log(2.0) - scipy.special.gammaln(nu)
    log = log_scale + nu * np.log(safe) + np.log(scipy.special.kve(nu, safe))
    return np.where(small, t, log)


# -- with unpenalised functions ----------------------------------------------------------------------------------


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

    shift = Shift.INVARIANT
    rotation_invariant = True

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

    def _against(self, Z: Array, pivot: Array | None = None) -> BlockFunction:
        squares, power = half_negative_squares(Z, smooth=False), 2 * self._order(Z.shape[1]) - Z.shape[1]

        return lambda X: _plate(-2.0 * squares(X), power)

    def _diagonal(self, X: Array, pivot: Array | None = None) -> Array:
        xp = namespaces.namespace(X)
        return xp.sum(xp.zeros_like(X), axis=1)

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
        room = 0.0 if low < high else 0.5
        given, found = ("high", low - room) if name == "low" else ("low", high + room)
        end = getattr(self, given)
        if end is not None and (found >= end if name == "low" else found <= end):
            raise errors.InputError(
                f"{given}={end} but X goes from {low:g} to {high:g}, so nothing of it lies in the interval of the "
                "spline; choose low and high around X, or leave them out."
            )
        return found

    def _interval(self, X: Array) -> Array:
        assert self.low is not None
        assert self.high is not None
        return (X - self.low) / (self.high - self.low)

    def _against(self, Z: Array, pivot: Array | None = None) -> BlockFunction:
        V, one = self._interval(Z), _periodic if self.periodic else _cubic

        def function(X: Array) -> Array:
            U = self._interval(X)
            values: Any = prod(one(U[:, j][:, None], V[:, j][None, :]) for j in range(V.shape[1]))
            return values

        return function

    def _diagonal(self, X: Array, pivot: Array | None = None) -> Array:
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

    def _against(self, Z: Array, pivot: Array | None = None) -> BlockFunction:
        squares, far = half_negative_squares(Z, smooth=False), self._diagonal(Z)

        def function(X: Array) -> Array:
            return 0.5 * (self._diagonal(X)[:, None] + far[None, :] - (-2.0 * squares(X)) ** float(self.hurst))

        return function

    def _diagonal(self, X: Array, pivot: Array | None = None) -> Array:
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
