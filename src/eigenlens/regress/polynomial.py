"""Polynomial regression: least squares on all monomials up to a total degree, without losing digits.

Monomials of raw features are nearly collinear, more so the further the data lie from zero. Here each
feature is brought to u ∈ [−1, 1] and the columns are products of Legendre polynomials P_e(u), which span
the same space; of dependent terms brought to one size the fit takes the coefficients of least norm.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations_with_replacement

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from ..arrays import errors, exponents
from ..arrays.parameters import check_flag, check_number
from ..arrays.stored import stored
from ..solve.linear_smoother import Path
from .penalized import BasisRegression
from .regressor import Floats


@stored("PolynomialRegression", renamed={"_beta": "_B", "_mean": "_middle"})
class PolynomialRegression(BasisRegression):
    """Least squares on all monomials of the features up to total degree ``degree``.

    Parameters
    ----------
    degree : int, default 2
        Highest total degree.
    interactions : bool, default True
        False uses only powers of single features, no products.

    Attributes
    ----------
    powers_ : array of shape (terms, p)
        Exponents of each monomial, without the constant.
    coef_ : array of shape (terms,) or (q, terms)
        Coefficients of the monomials of the raw features, for inspection. For features far from zero they cancel each
        other and lose digits; ``predict`` does not use them.
    intercept_ : float or array of shape (q,)
    df_ : float
        Rank of the terms, without the intercept. If terms depend on each other, the coefficients are those of least
        norm, for terms of one size.

    See Also
    --------
    eigenlens.regress.AdaptiveSplines : Products of hinges (MARS).
    eigenlens.regress.PenalizedRegression : A line with a quadratic penalty.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.regress import PolynomialRegression
    >>> x = 1e6 + np.arange(8.0).reshape(-1, 1)
    >>> y = (x[:, 0] - 1e6) ** 3
    >>> float(np.abs(PolynomialRegression(degree=3).fit(x, y).predict(x) - y).max()) < 1e-10
    True
    """

    _x_reach = _y_reach = 300.0  # both are scaled before they are multiplied
    powers_: NDArray[np.int64]

    def __init__(self, degree: int = 2, *, interactions: bool = True) -> None:
        self.degree = degree
        self.interactions = interactions

    def _fit(self, X: Floats, Y: Floats, w: Floats) -> None:
        check_number("degree", self.degree, 1, integer=True)
        check_flag("interactions", self.interactions)
        self._refuse_too_many(*X.shape)
        low, high = X.min(axis=0), X.max(axis=0)
        self._centre = low + (high - low) / 2
        half = (high - low) / 2
        self._half = np.where(half > 0, half, 1.0)
        self.powers_ = _powers(X.shape[1], int(self.degree), bool(self.interactions))
        super()._fit(X, Y, w)

    def _settle(self, A: Floats, E: Floats, W: float, middle: Floats, level: Floats) -> None:
        unit = exponents.unit_of(E)  # squares of the responses need not be numbers
        path = Path.of_rows(A, E / unit, A[:0], W)
        beta, self.df_ = path.coef(0.0) * unit, float(path.smoother.df(0.0))
        self._B, self._middle, self._level = beta, middle, level
        with np.errstate(over="ignore", invalid="ignore"):  # raw monomials may leave the range of floats
            raw = _raw_coefficients(self.powers_, self._centre, self._half, beta)
        intercept = level - middle @ beta + raw[0]
        self.coef_, self.intercept_ = (raw[1:, 0], intercept[0]) if self._y_was_1d else (raw[1:].T, intercept)

    def _facts(self) -> Iterator[str]:
        yield f"{len(self.powers_)} monomials, {self.df_:g} degrees of freedom without the intercept."

    def _names_of_terms(self) -> list[str]:
        names = self._feature_names()
        return [_monomial(row, names) for row in self.powers_]

    def _refuse_too_many(self, n: int, p: int) -> None:
        degree = int(self.degree)
        terms = math.comb(p + degree, degree) - 1 if self.interactions else p * degree
        # terms are built one by one, a few seconds for so many; of 8 GiB of them the solver needs several times that
        if terms > 100_000 or terms * max(n, p) > 2**30:
            raise errors.InputError(
                f"degree={degree} with {p} columns gives {terms:,} terms, too many to hold for {n} rows; use a lower "
                "degree, interactions=False, or AdaptiveSplines, which searches for the terms that matter."
            )

    def _basis(self, X: Floats) -> Floats:
        """Products of Legendre polynomials of the scaled features, n×terms."""
        P = legendre.legvander((X - self._centre) / self._half, int(self.powers_.max()))  # n×p×(degree + 1)
        P = np.ascontiguousarray(P.transpose(1, 2, 0))  # rows of a power lie together
        B = np.ones((len(self.powers_), len(X)))
        terms, features = np.nonzero(self.powers_)
        for t, j, e in zip(terms.tolist(), features.tolist(), self.powers_[terms, features].tolist(), strict=True):
            B[t] *= P[j, e]
        return B.T


def _monomial(powers: NDArray[np.int64], names: list[str]) -> str:
    """Write a product of powers of columns."""
    factors = [(names[j], int(e)) for j, e in enumerate(powers) if e]
    return "*".join(name if e == 1 else f"{name}^{e}" for name, e in factors)


def _powers(p: int, degree: int, interactions: bool) -> NDArray[np.int64]:
    """Exponents of the monomials of degree 1, …, degree, by degree, then in the order of the features."""
    rows = []
    for d in range(1, degree + 1):
        picks = combinations_with_replacement(range(p), d) if interactions else (((j,) * d) for j in range(p))
        rows += [np.bincount(pick, minlength=p) for pick in picks]
    return np.array(rows, dtype=np.int64)


def _raw_coefficients(powers: NDArray[np.int64], centre: Floats, half: Floats, beta: Floats) -> Floats:
    """Expand products of Legendre polynomials into monomials of the raw features; row 0 is the constant.

    One feature after the other: a term with P_e(u_j) becomes terms with x_j^d, d = e, e − 1, …, 0.
    """
    rows = np.vstack([np.zeros_like(powers[:1]), powers])
    place = {row.tobytes(): k for k, row in enumerate(rows)}
    raw = np.vstack([np.zeros_like(beta[:1]), beta])
    for j in range(rows.shape[1]):
        exponent = rows[:, j]
        table = _monomials(int(exponent.max()), -centre[j] / half[j], 1 / half[j])
        lower = np.zeros(len(rows), dtype=np.intp)  # the place of the term with one power of x_j less
        some = np.flatnonzero(exponent)
        less = rows[some]
        less[:, j] -= 1
        lower[some] = [place[row.tobytes()] for row in less]
        new, target = np.zeros_like(raw), np.arange(len(rows))
        for fallen in range(int(exponent.max()) + 1):
            some = np.flatnonzero(exponent >= fallen)
            np.add.at(new, target[some], table[exponent[some], exponent[some] - fallen][:, None] * raw[some])
            target = lower[target]
        raw = new
    return raw


def _monomials(top: int, shift: float, slope: float) -> Floats:
    """Return the coefficients of P_e(shift + slope·x) for e = 0, …, top: a row for each, of powers of x."""
    table = np.zeros((top + 1, top + 1))
    table[0, 0] = 1.0
    for e in range(top):  # the recurrence of the Legendre polynomials
        table[e + 1] = (2 * e + 1) / (e + 1) * (shift * table[e] + slope * np.concatenate([[0.0], table[e, :-1]]))
        if e:
            table[e + 1] -= e / (e + 1) * table[e - 1]
    return table
