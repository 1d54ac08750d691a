"""Kernels of the distance between rows: Gaussian, Laplacian, Matérn, Wendland."""

from __future__ import annotations

from math import factorial, inf, sqrt
from typing import Any, Literal

import numpy as np
import scipy.special

from ..arrays import errors, namespaces
from ..arrays.parameters import check_choice, check_number, is_number
from ..arrays.stored import stored
from ..arrays.typing import Array
from .evaluate import BlockFunction, half_negative_squares, strips
from .kernel import Kernel

MOST_TERMS = 10  # of Matérn's polynomial; the sums of longer ones overflow
FAR = 1e3  # where e⁻ᵗ times such a polynomial is 0
LARGEST_ORDER = 1000  # of Matérn's kernel, each order a step of its recurrence


class Radial(Kernel):
    """A kernel φ(−½r²) of r = ‖x − z‖ / unit; a subclass names its unit and writes φ."""

    translation_invariant = True
    rotation_invariant = True
    #: whether φ is smooth in r², so that the digits a product loses for close pairs do not show
    _smooth = False

    def _unit(self) -> float:
        """Return what distances are divided by."""
        return float(getattr(self, self._from_rows[0]))

    def _profile(self, E: Array, p: int, out: Array | None = None) -> Array:
        """Return φ at E = −½r², for rows of p columns; E may be overwritten where `out` is it."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        for name in self._from_rows:
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), 0.0, above=True)

    def _against(self, Z: Array) -> BlockFunction:
        unit, p = self._unit(), Z.shape[1]
        squares = half_negative_squares(Z, self._smooth, unit)

        def function(X: Array, out: Array | None = None) -> Array:
            E = squares(X, out=out)
            if not isinstance(E, np.ndarray):
                return self._profile(namespaces.namespace(E).clip(E, max=0.0), p)
            for strip in strips(E):
                np.minimum(strip, 0.0, out=strip)
                values = self._profile(strip, p, strip)
                if values is not strip:
                    np.copyto(strip, values)
            return E

        return function

    def _diagonal(self, X: Array) -> Array:
        xp = namespaces.namespace(X)
        return self._profile(xp.zeros(X.shape[0], dtype=xp.float64, device=namespaces.device(X)), X.shape[1])


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

    def _profile(self, E: Array, p: int, out: Array | None = None) -> Array:
        return _exp(E, out)


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

    def _profile(self, E: Array, p: int, out: Array | None = None) -> Array:
        return _exp(-_distance(E, out), out)


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
            if self.nu > LARGEST_ORDER:
                raise errors.InputError(
                    f"nu={self.nu:g} is beyond {LARGEST_ORDER:,}, where the kernel is the Gaussian one to three "
                    "digits; use Gaussian(length_scale), which is nu=float('inf')."
                )

    def _profile(self, E: Array, p: int, out: Array | None = None) -> Array:
        if self.nu == inf:
            return _exp(E, out)
        t = _distance(E, None) * sqrt(2 * self.nu)
        k = self.nu - 0.5
        if k == int(k) and k <= MOST_TERMS:
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

    def _profile(self, E: Array, p: int, out: Array | None = None) -> Array:
        xp = namespaces.namespace(E)
        r = _distance(E, None)
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

    def _profile(self, E: Array, p: int, out: Array | None = None) -> Array:
        values = self.transform(-2.0 * E)
        return _exp(-values, out) if self.form == "exponential" else -0.5 * values


def _exp(E: Array, out: Any) -> Array:
    return np.exp(E, out=out) if out is not None else namespaces.namespace(E).exp(E)


def _distance(E: Array, out: Any) -> Array:
    """Return r from −½r²."""
    if out is None:
        return namespaces.namespace(E).sqrt(-2.0 * E)
    np.multiply(E, -2.0, out=out)
    return np.sqrt(out, out=out)


def _half_integer(t: Array, k: int) -> Array:
    """Matérn's kernel of order k + ½: a polynomial times exp(−t)."""
    xp = namespaces.namespace(t)
    t = xp.clip(t, max=FAR)
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
