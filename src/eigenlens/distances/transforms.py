r"""Schoenberg transforms: functions that turn squared Euclidean distances into squared Euclidean distances.

.. math:: \Phi(d) = \int_0^\infty \frac{1 - e^{-\lambda d}}{\lambda} \, g(d\lambda), \qquad
          \int \frac{g(d\lambda)}{1 + \lambda} < \infty ,

applied to the entries d of a matrix of squared distances. Each of them has its measure g as `measure`, is a function of
arrays, composes with others by ``@``, adds to them, takes positive factors, and is a scikit-learn transformer of
squared distance matrices. `is_bernstein` looks whether a function of your own may be one.

References
----------
Schoenberg (1938), Metric spaces and completely monotone functions, Annals of Mathematics 39.
Bavaud (2011), On the Schoenberg transformations in data analysis, Journal of Classification 28.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import gamma
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

from ..arrays import errors, namespaces
from ..arrays.parameters import check_number, is_number
from ..arrays.stored import stored
from ..arrays.typing import Array, ColumnLike, TableLike
from ..rows import as_source, map_rows
from .measures import Atoms, Density

T = TypeVar("T", float, Array)


class SchoenbergTransform(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, ABC):
    """Base of all transforms: a function Φ that turns squared Euclidean distances into squared Euclidean distances.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import Logarithm, Power
    >>> D2 = np.array([[0.0, 4.0], [4.0, 0.0]])
    >>> Power(0.5)(D2)
    array([[0., 2.],
           [2., 0.]])
    >>> (Logarithm(2.0) @ Power(0.5))(D2).round(4)
    array([[0.    , 0.6931],
           [0.6931, 0.    ]])
    >>> (Logarithm(2.0) + 0.5 * Power(0.5))(D2).round(4)
    array([[0.    , 2.0986],
           [2.0986, 0.    ]])
    """

    #: parameters that are transforms
    _parts: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def _values(self, D2: Array) -> Array:
        """Apply Φ to float64 entries."""

    def _check(self) -> None:
        """Refuse parameters for which Φ is not a Schoenberg transform."""
        for name in self._parts:
            part = getattr(self, name)
            if not isinstance(part, SchoenbergTransform):
                raise errors.no_transform(name, part)
            part._check()

    def __call__(self, D2: T) -> T:
        """Apply Φ to squared distances of any shape; the library and device of the array stay."""
        self._check()
        try:
            values: Any = namespaces.float64(D2 if namespaces.is_array(D2) else np.asarray(D2, dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise errors.not_read_as_numbers("D2", D2, "squared distances") from error
        if values.size:
            low = namespaces.namespace(values).min(values)  # NaN is the smallest of all
            if not bool(low >= 0):
                raise errors.negative_squares(float(low))
        result: Any = self._values(values)
        if isinstance(result, np.ndarray | np.generic) and result.ndim == 0:
            result = float(result)
        return result

    def __matmul__(self, inner: SchoenbergTransform) -> Composition:
        """Compose: (f @ g)(d) = f(g(d))."""
        return Composition(self, inner) if isinstance(inner, SchoenbergTransform) else NotImplemented

    def __add__(self, other: SchoenbergTransform) -> Sum:
        return Sum(self, other) if isinstance(other, SchoenbergTransform) else NotImplemented

    def __mul__(self, factor: float) -> Scaled:
        return Scaled(self, factor) if is_number(factor) else NotImplemented

    __rmul__ = __mul__

    def kernel(self, D2: T, lam: float = 1.0) -> T:
        r"""Return the positive definite kernel :math:`e^{-\lambda\Phi(d)}` of squared distances.

        Parameters
        ----------
        D2 : array of squared distances
        lam : float
            Any number above 0.
        """
        check_number("lam", lam, 0, above=True)
        values: Any = self(D2)
        is_array = namespaces.is_array(values)
        grown: Any = namespaces.namespace(values).exp(-lam * values) if is_array else float(np.exp(-lam * values))
        return grown

    def fit(self, X: TableLike | None = None, y: ColumnLike | None = None) -> Self:
        """Check the parameters and the width of X; there is nothing to learn."""
        self._check()
        if X is not None:
            self.n_features_in_ = as_source(X, estimator=type(self).__name__).n_features
        return self

    def transform(self, X: TableLike) -> Array:
        """Apply Φ to a table of squared distances."""
        return map_rows(as_source(X, estimator=type(self).__name__, every_row=True), self)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def measure(self) -> Atoms:
        """The measure g of the integral; it is refused where it is not known in closed form."""
        raise errors.InputError(f"The measure of {self!r} is not known in closed form; its values are.")


@stored("transform.Identity")
class Identity(SchoenbergTransform):
    """Φ(d) = d: all of g at λ = 0.

    Examples
    --------
    >>> from eigenlens.distances import Identity
    >>> Identity()(3.0)
    3.0
    """

    def _values(self, D2: Array) -> Array:
        return namespaces.namespace(D2).asarray(D2, copy=True)

    @property
    def measure(self) -> Atoms:
        """An atom of mass 1 at 0."""
        return Atoms([0.0], [1.0])


class OfOneNumber(SchoenbergTransform):
    """A transform with a number a above 0."""

    def __init__(self, a: float = 1.0) -> None:
        self.a = a

    def _check(self) -> None:
        check_number("a", self.a, 0, above=True)


@stored("transform.Exponential")
class Exponential(OfOneNumber):
    r"""Φ(d) = (1 − e^{−ad})/a: g is an atom at a. Distances saturate at 1/a.

    Parameters
    ----------
    a : float
        Above 0, in units of one over a squared distance.

    Examples
    --------
    >>> from eigenlens.distances import Exponential
    >>> round(Exponential(2.0)(1.0), 4)
    0.4323
    """

    def _values(self, D2: Array) -> Array:
        with np.errstate(over="ignore"):  # e^{−∞} is 0
            return -namespaces.namespace(D2).expm1(-self.a * D2) / self.a

    @property
    def measure(self) -> Atoms:
        """An atom of mass 1 at a."""
        return Atoms([self.a], [1.0])


@stored("transform.Logarithm")
class Logarithm(OfOneNumber):
    """Φ(d) = ln(1 + d/a), g(λ) = e^{−aλ}.

    Parameters
    ----------
    a : float
        Above 0, in units of a squared distance.

    Examples
    --------
    >>> from eigenlens.distances import Logarithm
    >>> round(Logarithm(2.0)(2.0), 4)
    0.6931
    """

    def _values(self, D2: Array) -> Array:
        return namespaces.namespace(D2).log1p(D2 / self.a)

    @property
    def measure(self) -> Density:
        """The density e^{−aλ}."""
        return Density(lambda lam: np.exp(-self.a * lam))


@stored("transform.Rational")
class Rational(OfOneNumber):
    """Φ(d) = d/(a(a + d)), g(λ) = λe^{−aλ}. Distances saturate at 1/a.

    Parameters
    ----------
    a : float
        Above 0, in units of a squared distance.

    Examples
    --------
    >>> from eigenlens.distances import Rational
    >>> Rational(1.0)(1.0)
    0.5
    """

    def _values(self, D2: Array) -> Array:
        return D2 / (self.a + D2) / self.a

    @property
    def measure(self) -> Density:
        """The density λe^{−aλ}."""
        return Density(lambda lam: lam * np.exp(-self.a * lam))


@stored("transform.Power")
class Power(SchoenbergTransform):
    """Φ(d) = dᵖ with 0 < p ≤ 1, g(λ) = p λ^{−p}/Γ(1 − p); p = 1/2 takes the root of squared distances.

    Parameters
    ----------
    p : float
        Above 0, at most 1.

    Examples
    --------
    >>> from eigenlens.distances import Power
    >>> Power(0.5)(9.0)
    3.0
    """

    def __init__(self, p: float = 0.5) -> None:
        self.p = p

    def _check(self) -> None:
        check_number("p", self.p, 0, 1, above=True)

    def _values(self, D2: Array) -> Array:
        return D2**self.p

    @property
    def measure(self) -> Atoms | Density:
        """The density pλ^{−p}/Γ(1 − p), for p = 1 an atom at 0."""
        p = self.p
        return Atoms([0.0], [1.0]) if p == 1 else Density(lambda lam: p / gamma(1 - p) * lam**-p)


@stored("transform.Measure")
class Measure(SchoenbergTransform):
    r"""Φ for any measure g, by quadrature.

    Parameters
    ----------
    g : function, mapping or list of pairs
        A density g(λ) that takes arrays, or atoms: ``{λ: mass}`` or ``[(λ, mass), …]``, where λ = 0 is allowed.
    support : pair of numbers
        Where the density is not zero; it may have singularities at these ends, and should be smooth between them.
    atoms : mapping or list of pairs, optional
        Atoms beside the density.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import Exponential, Logarithm, Measure
    >>> bool(abs(Measure(lambda lam: np.exp(-2 * lam))(3.0) - Logarithm(2.0)(3.0)) < 1e-14)
    True
    >>> bool(abs(Measure({0.5: 1.0})(3.0) - Exponential(0.5)(3.0)) < 1e-15)
    True
    >>> both = Measure(lambda lam: np.exp(-2 * lam), atoms={0.0: 1.0})         # d + ln(1 + d/2)
    >>> bool(abs(both(3.0) - 3 - Logarithm(2.0)(3.0)) < 1e-14)
    True
    """

    def __init__(self, g: Any, *, support: tuple[float, float] = (0.0, np.inf), atoms: Any = None) -> None:
        self.g = g
        self.support = support
        self.atoms = atoms

    def _values(self, D2: Array) -> Array:
        return self.measure(D2)

    def _check(self) -> None:
        _ = self.measure

    @property
    def measure(self) -> Atoms:
        """The measure itself; of a density and atoms together, the atoms and the nodes of the quadrature."""
        key = (self.g if callable(self.g) else repr(self.g), tuple(self.support), repr(self.atoms))
        if getattr(self, "_made", (None, None))[0] != key:
            made = Density(self.g, self.support) if callable(self.g) else Atoms.read(self.g)
            self._made = (key, made if self.atoms is None else made + Atoms.read(self.atoms))
        return self._made[1]


@stored("transform.Composition")
class Composition(SchoenbergTransform):
    """Φ(d) = outer(inner(d)): the composition of two Schoenberg transforms is one too.

    Parameters
    ----------
    outer, inner : Schoenberg transforms

    Examples
    --------
    >>> from eigenlens.distances import Exponential, Power
    >>> Exponential(1.0) @ Power(0.5)
    Composition(inner=Power(), outer=Exponential())
    """

    _parts = ("outer", "inner")

    def __init__(self, outer: SchoenbergTransform, inner: SchoenbergTransform) -> None:
        self.outer = outer
        self.inner = inner

    def _values(self, D2: Array) -> Array:
        return self.outer._values(self.inner._values(D2))

    @property
    def measure(self) -> Atoms:
        """That of a closed form: with `Identity`, of powers, of rationals, of sums and multiples of such."""
        self._check()
        f, g = self.outer, self.inner
        if isinstance(f, Identity) or isinstance(g, Identity):
            return g.measure if isinstance(f, Identity) else f.measure
        if isinstance(f, Power) and isinstance(g, Power):
            return Power(f.p * g.p).measure
        if isinstance(f, Rational) and isinstance(g, Rational):
            rest = 1 + f.a * g.a
            return (g.a / rest) ** 2 * Rational(f.a * g.a**2 / rest).measure
        if isinstance(f, Scaled):
            return f.factor * (f.inner @ g).measure
        if isinstance(f, Sum):
            return (f.left @ g).measure + (f.right @ g).measure
        return super().measure


@stored("transform.Sum")
class Sum(SchoenbergTransform):
    """Φ(d) = left(d) + right(d): the measures add up.

    Parameters
    ----------
    left, right : Schoenberg transforms

    Examples
    --------
    >>> from eigenlens.distances import Exponential, Power
    >>> round((Power(0.5) + Exponential(1.0))(4.0), 4)
    2.9817
    """

    _parts = ("left", "right")

    def __init__(self, left: SchoenbergTransform, right: SchoenbergTransform) -> None:
        self.left = left
        self.right = right

    def _values(self, D2: Array) -> Array:
        return self.left._values(D2) + self.right._values(D2)

    @property
    def measure(self) -> Atoms:
        """The sum of the measures."""
        return self.left.measure + self.right.measure


@stored("transform.Scaled")
class Scaled(SchoenbergTransform):
    """Φ(d) = factor·inner(d).

    Parameters
    ----------
    inner : Schoenberg transform
    factor : float
        Above 0.

    Examples
    --------
    >>> from eigenlens.distances import Power
    >>> (3 * Power(0.5))(4.0)
    6.0
    """

    _parts = ("inner",)

    def __init__(self, inner: SchoenbergTransform, factor: float = 1.0) -> None:
        self.inner = inner
        self.factor = factor

    def _check(self) -> None:
        super()._check()
        check_number("factor", self.factor, 0, above=True)

    def _values(self, D2: Array) -> Array:
        return self.factor * self.inner._values(D2)

    @property
    def measure(self) -> Atoms:
        """The multiple of the measure."""
        return self.factor * self.inner.measure


@dataclass(frozen=True, eq=False)
class BernsteinTest:
    """Whether a function may be a Bernstein function. Use it as a condition: ``if is_bernstein(f): …``.

    Attributes
    ----------
    truth : bool
    order : int or None
        The lowest order of a derivative that has the wrong sign: the evidence if the answer is no. 0 is f itself.
    place : (float, float) or None
        Between these numbers it has the wrong sign somewhere.
    value : float or None
        The divided difference that shows it: f⁽ᵏ⁾/k! somewhere between them.
    statement : str
        The finding in a sentence.

    Examples
    --------
    >>> from eigenlens.distances import is_bernstein
    >>> found = is_bernstein(lambda d: d**2)
    >>> bool(found), found.order
    (False, 2)
    """

    truth: bool
    order: int | None
    place: tuple[float, float] | None
    value: float | None
    statement: str

    def __bool__(self) -> bool:
        return self.truth

    def __str__(self) -> str:
        return self.statement


def is_bernstein(
    f: Callable[[Array], Array], at: ColumnLike | None = None, *, order: int = 6, tol: float = 1e-14
) -> BernsteinTest:
    """Look whether f may be a Bernstein function: f ≥ 0 with f′ ≥ 0, f″ ≤ 0, f‴ ≥ 0, … on d > 0.

    Those with f(0) = 0 are the Schoenberg transforms. The signs of divided differences are looked at, each of which is
    a derivative somewhere between its points: so a no is proved, up to rounding, and a yes is a yes at these places.

    Parameters
    ----------
    f : function of an array of d > 0
    at : ascending numbers above 0, optional
        Where to look; by default ten places a decade from 0.001 to 1000.
    order : int
        The highest derivative.
    tol : float
        Errors of f, relative to the largest |f|.

    Returns
    -------
    BernsteinTest
        True or false, with the lowest order that has a wrong sign, and the place.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import is_bernstein
    >>> bool(is_bernstein(lambda d: np.log1p(d) + np.sqrt(d)))
    True
    >>> print(is_bernstein(np.tanh))
    no Bernstein function: its derivative of order 3 is below 0 somewhere from 0.31623 to 0.63096
    (divided difference -0.12)
    """
    check_number("order", order, 1, integer=True)
    check_number("tol", tol, 0, above=True)
    d = np.geomspace(1e-3, 1e3, 61) if at is None else _ascending(at, order)
    if not callable(f):
        raise errors.InputTypeError(f"f={f!r} but it must be a function of an array of d > 0.")
    found = f(d)
    try:
        values = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise errors.not_read_as_numbers("f(d)", found, f"{len(d)} numbers") from error
    if values.shape != d.shape or not np.isfinite(values).all():
        raise errors.InputError(
            f"f must return a finite number for each of {len(d)} numbers from {d[0]:g} to {d[-1]:g}, but it returned "
            f"shape {values.shape} with {int((~np.isfinite(values)).sum())} NaN or infinite; name other places by at=."
        )
    slack = np.full(len(d), tol * float(np.abs(values).max()))
    for k in range(order + 1):
        sign = -1 if k and k % 2 == 0 else 1
        short = sign * values + slack
        if short.min() < 0:
            i = int(np.argmin(short / slack))
            where = f"at {d[i]:.5g}" if k == 0 else f"somewhere from {d[i]:.5g} to {d[i + k]:.5g}"
            said = (
                f"no Bernstein function: its derivative of order {k} is {'below' if sign > 0 else 'above'} 0 {where} "
                f"(divided difference {values[i]:.3g})"
            )
            return BernsteinTest(False, k, (float(d[i]), float(d[i + k])), float(values[i]), said)
        if k < order:
            apart = d[k + 1 :] - d[: -k - 1]
            values, slack = np.diff(values) / apart, (slack[1:] + slack[:-1]) / apart
    said = (
        f"no sign of a Bernstein function is wrong up to order {order}, at {len(d)} places from {d[0]:g} to {d[-1]:g}"
    )
    return BernsteinTest(True, None, None, None, said)


def _ascending(at: Any, order: int) -> np.ndarray:
    try:
        d = np.asarray(at, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise errors.not_read_as_numbers("at", at, "ascending numbers above 0") from error
    if d.ndim != 1 or len(d) <= order or not (np.isfinite(d).all() and (np.diff(d, prepend=0.0) > 0).all()):
        raise errors.InputError(
            f"at has shape {d.shape} but it must hold more than order={order} ascending numbers above 0."
        )
    return d
