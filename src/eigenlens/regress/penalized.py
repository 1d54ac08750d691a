"""Penalised least squares on a basis: min Σᵢ wᵢ‖yᵢ − a − Bᵀb(xᵢ)‖² + λ tr BᵀΩB, without a penalty on the intercept a.

One decomposition serves all λ: see `eigenlens.solve.linear_smoother`.

Reference: T. Hastie, A. Buja, R. Tibshirani (1995), Penalized discriminant analysis, Annals of Statistics 23.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np

from ..arrays import errors
from ..arrays.parameters import check_choice, check_number, published_at_once
from ..arrays.stored import stored
from ..arrays.summaries import Table, matrix
from ..arrays.typing import Array
from ..solve.linear_smoother import Path
from .penalties import penalty_root
from .regressor import Floats, Regressor


class BasisRegression(Regressor):
    """Penalised least squares on a basis of functions of the rows."""

    coef_: Floats
    intercept_: Floats
    df_: float

    def _basis(self, X: Floats) -> Floats:
        """Return the values of the basis on rows; by default the columns themselves."""
        return X

    def _fit(self, X: Floats, Y: Floats, w: Floats) -> None:
        B, root = self._basis(X), np.sqrt(w)[:, None]
        middle, level = _mean(B, w), _mean(Y, w)
        self._settle(root * (B - middle), root * (Y - level), float(w.sum()), middle, level)

    @abstractmethod
    def _settle(self, A: Floats, E: Floats, W: float, middle: Floats, level: Floats) -> None:
        """Set the fitted attributes, from rows and responses that are weighted and centred."""

    def _predict(self, X: Floats) -> Floats:
        return (self._basis(X) - self._middle) @ self._B + self._level  # centred first: an offset costs no digits

    def _names_of_terms(self) -> list[str]:
        return self._feature_names()

    def _tables(self) -> Iterator[tuple[str, Table]]:
        values = np.column_stack([np.atleast_1d(self.intercept_), np.atleast_2d(self.coef_)]).T
        yield "coefficients", matrix("Coefficients", values, ["1", *self._names_of_terms()], self._names_of_responses())


@stored("PenalizedRegression")
class PenalizedRegression(BasisRegression):
    """Linear regression with a quadratic penalty on its coefficients.

    Parameters
    ----------
    penalty : {"ridge", "smooth", "cyclic", "bspline"}, pair (rows, columns) or array of shape (p, p), default "ridge"
        Ω: see `eigenlens.regress.penalties`.
    lam : "gcv" or float, default "gcv"
        λ on sums, XᵀWX + λΩ. "gcv" takes the least (RSS/W) / (1 − (1 + cost·df)/W)² over all responses.
    df : float, optional
        Effective degrees of freedom without the intercept, instead of ``lam``.
    cost : float, default 1
        The price of a degree of freedom in GCV; 2 or 3 guard against too small a penalty.

    Attributes
    ----------
    coef_ : array of shape (p,) or (q, p)
    intercept_ : float or array of shape (q,)
    lam_, df_, gcv_ : float
        The penalty used, its effective degrees of freedom (without the intercept) and its GCV.
    gcv_path_ : array of shape (m, 3)
        λ, df and GCV along the path that was searched.

    See Also
    --------
    PDA : Smooth or small coefficients, for many columns.
    eigenlens.regress.PolynomialRegression : All monomials up to a degree.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.regress import PenalizedRegression
    >>> X, y = np.eye(3), np.array([3.0, 0.0, 0.0])
    >>> PenalizedRegression(lam=1.0).fit(X, y).coef_
    array([ 1. , -0.5, -0.5])
    >>> round(PenalizedRegression(df=1.0).fit(X, y).lam_, 6)
    1.0
    """

    gcv_path_: Array
    lam_: float
    gcv_: float

    def __init__(
        self,
        penalty: Literal["ridge", "smooth", "cyclic", "bspline"] | tuple[Any, Any] | Array = "ridge",
        *,
        lam: float | Literal["gcv"] = "gcv",
        df: float | None = None,
        cost: float = 1.0,
    ) -> None:
        self.penalty = penalty
        self.lam = lam
        self.df = df
        self.cost = cost

    def _fit(self, X: Floats, Y: Floats, w: Floats) -> None:
        self._tell_far_row(X)
        super()._fit(X, Y, w)

    def _tell_far_row(self, X: Floats) -> None:
        """Warn where one row of a column is so far from all others that means leave these few digits."""
        if len(X) < 3:
            return
        columns = np.arange(X.shape[1])
        rest = X - X.mean(axis=0)
        at = np.abs(rest).argmax(axis=0)
        rest[:] = X
        rest[at, columns] = X[at - 1, columns]  # any other row
        spread = np.ptp(rest, axis=0)
        away = np.abs(X[at, columns] - rest[at, columns])
        far = np.flatnonzero((spread > 0) & (spread < 1e-10 * away))
        if len(far):
            j = far[np.argmin(spread[far] / away[far])]
            digits = max(16 + np.log10(spread[j] / away[j]), 0)
            errors.warn(
                errors.ConditionWarning(
                    f"Row {at[j]} of column {self._feature_names()[j]} is {away[j] / spread[j]:.0e} times as far from "
                    f"the others as they are from each other, which leaves about {digits:.0f} of their 16 digits. "
                    "Leave out rows far from the others."
                )
            )

    @published_at_once
    def _fit_centred(self, A: Floats, E: Floats, W: float, x_mean: Floats, y_mean: Floats, single: bool) -> Self:
        """Fit from rows whose products are those of the centred rows, such as a factor of their joint scatter.

        Parameters
        ----------
        A, E : arrays of shape (m, p) and (m, q)
            AᵀA, AᵀE and EᵀE are the sums of squares and products of X and of y about their means.
        W : float
            Total weight.
        x_mean, y_mean : arrays
        single : bool
            Whether y is one column without a dimension of its own.
        """
        self._y_was_1d, self._n_responses, self.n_features_in_ = single, E.shape[1], A.shape[1]
        self._settle(A, E, W, x_mean, y_mean)
        return self

    def _settle(self, A: Floats, E: Floats, W: float, middle: Floats, level: Floats) -> None:
        """Choose λ along the path of a penalty, and set the fitted attributes."""
        check_number("cost", self.cost, 0.0)
        if self.df is not None and self.lam != "gcv":
            raise errors.InputError(
                f"lam={self.lam!r} and df={self.df!r} are both given, but one decides; leave one of them out."
            )
        if isinstance(self.lam, str):
            check_choice("lam", self.lam, ("gcv",))
        path = Path.of_rows(A, E, self._root(A.shape[1]), W)
        if self.df is not None:
            check_number("df", self.df, 0.0)
            lam = path.smoother.lam_for(float(self.df))
        elif self.lam == "gcv":
            lam = path.best(self.cost)
        else:
            check_number("lam", self.lam, 0.0)
            lam = float(self.lam)
        B = path.coef(lam)  # p×q
        self._B, self._middle, self._level = B, middle, level
        intercept = level - middle @ B
        self.coef_, self.intercept_ = (B[:, 0], intercept[0]) if self._y_was_1d else (B.T, intercept)
        self.lam_, self.df_ = lam, float(path.smoother.df(lam))
        self.gcv_, self.gcv_path_ = float(path.gcv(lam, self.cost)), path.table(self.cost)

    def _root(self, p: int) -> Floats:
        """Return the root of the penalty, nothing for λ = 0: least squares knows no units, and its scale would."""
        root = penalty_root(self.penalty, p)
        return root[:0] if self.df is None and self.lam == 0 else root

    def _left_out(self, X: Floats, Y: Floats, w: Floats) -> tuple[Floats, Floats]:
        """Fit, and return the leverage of each row, its share in its own fit, and what the fit says about it."""
        middle, level, root = _mean(X, w), _mean(Y, w), np.sqrt(w)[:, None]
        rows, lam = X - middle, float(self.lam)
        path = Path.of_rows(root * rows, root * (Y - level), self._root(X.shape[1]), float(w.sum()))
        return w * path.smoother.leverage(rows, lam), rows @ path.coef(lam) + level

    def from_coefficients(self, B: Floats, mean: Floats, df: float, gcv: float, gcv_path: Floats) -> Self:
        """Take a fit that was made elsewhere: coefficients (p×q) of centred responses, and the mean of the rows."""
        self._B, self._middle, self._level = B, mean, np.zeros(B.shape[1])
        self.coef_, self.intercept_ = B.T, -mean @ B
        self.lam_, self.df_, self.gcv_, self.gcv_path_ = float(self.lam), df, gcv, gcv_path
        self.n_features_in_, self._y_was_1d, self._n_responses = len(B), False, B.shape[1]
        return self

    def _facts(self) -> Iterator[str]:
        yield f"λ = {self.lam_:.4g}, {self.df_:.4g} degrees of freedom without the intercept, GCV {self.gcv_:.4g}."


def _mean(values: Floats, w: Floats) -> Floats:
    """Return weighted means of columns, with the digits that an offset leaves."""
    return np.asarray(values[0] + w @ (values - values[0]) / w.sum())
