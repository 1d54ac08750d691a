r"""Schoenberg transforms: functions that turn squared Euclidean distances into squared Euclidean distances.

.. math:: \Phi(d) = \int_0^\infty \frac{1 - e^{-\lambda d}}{\lambda} \, g(d\lambda), \qquad
          \int \frac{g(d\lambda)}{1 + \lambda} < \infty ,

applied to the entries d of a matrix of squared distances. Each of them has its measure g as `measure`, is a function of
arrays, composes with others by ``@``, and is a scikit-learn transformer of squared distance matrices.

References
----------
Schoenberg (1938), Metric spaces and completely monotone functions, Annals of Mathematics 39.
Bavaud (2011), On the Schoenberg transformations in data analysis, Journal of Classification 28.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import gamma
from typing import Any, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

from ..arrays import errors, namespaces
from ..arrays.parameters import check_number
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
    """

    @abstractmethod
    def _values(self, D2: Array) -> Array:
        """Apply Φ to float64 entries."""

    def _check(self) -> None:
        """Refuse parameters for which Φ is not a Schoenberg transform."""

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
    def measure(self) -> Atoms | Density | None:
        """The measure g of the integral; None if it is not known in closed form."""
        return None


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

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import Exponential, Logarithm, Measure
    >>> bool(abs(Measure(lambda lam: np.exp(-2 * lam))(3.0) - Logarithm(2.0)(3.0)) < 1e-14)
    True
    >>> bool(abs(Measure({0.5: 1.0})(3.0) - Exponential(0.5)(3.0)) < 1e-15)
    True
    """

    def __init__(self, g: Any, *, support: tuple[float, float] = (0.0, np.inf)) -> None:
        self.g = g
        self.support = support

    def _values(self, D2: Array) -> Array:
        return self.measure(D2)

    def _check(self) -> None:
        _ = self.measure

    @property
    def measure(self) -> Atoms | Density:
        """The measure itself."""
        key = (self.g if callable(self.g) else repr(self.g), tuple(self.support))
        if getattr(self, "_made", (None, None))[0] != key:
            self._made = (key, Density(self.g, self.support) if callable(self.g) else Atoms.read(self.g))
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

    def __init__(self, outer: SchoenbergTransform, inner: SchoenbergTransform) -> None:
        self.outer = outer
        self.inner = inner

    def _check(self) -> None:
        for name in ("outer", "inner"):
            part = getattr(self, name)
            if not isinstance(part, SchoenbergTransform):
                raise errors.no_transform(name, part)
            part._check()

    def _values(self, D2: Array) -> Array:
        return self.outer._values(self.inner._values(D2))
