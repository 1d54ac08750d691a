"""Missing cells filled with their expectation given the observed ones: a step before methods that want whole rows."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from scipy.linalg import qr
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._core import errors
from .._core.parameters import check_choice
from .._core.stored import stored
from .._core.typing import Array, ColumnLike, TableLike
from ..moments import Patterns
from ..sources import as_source, collect
from .conditional import Conditional
from .fit import fit

TIED = 1e-7  # of its length is what a column may have of its own, and still be determined by the others


@stored("normal.ExpectedCells")
class ExpectedCells(TransformerMixin, BaseEstimator):
    """Fill missing cells with their expectation given the observed cells of the row.

    The law is normal, its mean and covariance are those of maximum likelihood. Filled cells lie exactly where they are
    expected, so a method that takes them for observations sees too little spread. Where a method has `missing="ml"`,
    that is the better way.

    Parameters
    ----------
    given : {"row", "nothing"}
        "nothing" fills in the mean of the column, where rows are too few for a covariance.

    Attributes
    ----------
    asked_ : ndarray of int
        Columns of the law: all, except those without holes that other columns without holes determine.
    law_ : Conditional
        Of those columns.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.normal import ExpectedCells
    >>> X = np.array([[1.0, 2.0], [2.0, 4.1], [3.0, 5.9], [4.0, np.nan]])
    >>> ExpectedCells().fit_transform(X).round(2)[3]
    array([4.  , 7.9])
    """

    asked_: Array
    law_: Conditional

    def __init__(self, given: str = "row") -> None:
        self.given = given

    def fit(self, X: TableLike, y: ColumnLike | None = None) -> Self:
        """Learn the law of the columns.

        Parameters
        ----------
        X : array or frame of shape (n, p)
            NaN where a cell is missing.
        y : ignored
        """
        check_choice("given", self.given, ("row", "nothing"))
        rows: Any = X
        names = list(getattr(rows, "columns", range(np.shape(rows)[1])))
        X = np.asarray(rows, dtype=np.float64)
        self.n_features_in_ = X.shape[1]
        if self.given == "nothing":
            self.asked_ = np.arange(X.shape[1])
            self.law_ = Conditional(np.nanmean(X, axis=0), np.diag(np.nanvar(X, axis=0)))
            return self
        self.asked_ = independent(X)
        source = as_source(X[:, self.asked_], missing="allow", estimator="ExpectedCells")
        with warnings.catch_warnings():
            warnings.simplefilter("error", errors.NotConvergedWarning)
            try:
                moments = fit(collect(source, Patterns()), names=[names[j] for j in self.asked_]).moments
            except errors.NotConvergedWarning as warning:
                raise errors.InputError(str(warning)) from warning
        self.law_ = Conditional(moments.mean, moments.matrix / max(moments.weight - 1, 1))
        return self

    def transform(self, X: TableLike) -> np.ndarray:
        """Return the rows with their missing cells filled."""
        check_is_fitted(self, "law_")
        X = np.array(X, dtype=np.float64)
        lacking = np.isnan(X).any(axis=1)
        if lacking.any():
            rows = X[lacking]
            rows[:, self.asked_] = self.law_.filled(rows[:, self.asked_])
            X[lacking] = rows
        return X


def independent(X: np.ndarray) -> np.ndarray:
    """Return the columns without those that columns without holes determine, such as the last of a set of 0 and 1."""
    whole = np.flatnonzero(~np.isnan(X).any(axis=0))
    if len(whole) < 2:
        return np.arange(X.shape[1])
    A = X[:, whole] - X[:, whole].mean(axis=0)
    length = np.sqrt((A**2).sum(axis=0))
    R, order = qr(A / np.where(length > 0, length, 1), mode="r", pivoting=True)
    own = np.abs(np.diagonal(R))
    tied = whole[order[np.count_nonzero(own > TIED) :]]
    return np.setdiff1d(np.arange(X.shape[1]), tied)
