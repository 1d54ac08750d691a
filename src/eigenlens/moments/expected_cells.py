"""Missing cells filled with their expectation given the observed ones: a step before methods that want whole rows."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from scipy.linalg import qr
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..arrays import errors
from ..arrays.parameters import check_choice
from ..arrays.stored import stored
from ..arrays.typing import Array, ColumnLike, TableLike
from ..rows import as_source
from .completion import fit
from .conditional import Conditional
from .patterns import Patterns

TIED = 1e-7  # of its length is what a column may have of its own, and still be determined by the others


@stored("normal.ExpectedCells")
class ExpectedCells(TransformerMixin, BaseEstimator):
    """Fill missing cells with their expectation given the observed cells of the row.

    The distribution is normal, with mean and covariance by maximum likelihood. Filled cells lie exactly at their
    expectation, so a method that takes them for observations sees too little spread. If a method has `missing="ml"`,
    use that instead.

    Parameters
    ----------
    given : {"row", "nothing"}
        "nothing" fills in the mean of the column, where rows are too few for a covariance.

    Attributes
    ----------
    asked_ : ndarray of int
        Columns of the law: all, except those that others with holes in the same rows determine.
    law_ : Conditional
        Of those columns.
    tied_ : ndarray of int
        The columns that are left.
    tie_ : ndarray of shape (1 + len(asked_), len(tied_))
        What a constant and the columns of the law contribute to each of them.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.moments.expected_cells import ExpectedCells
    >>> X = np.array([[1.0, 2.0], [2.0, 4.1], [3.0, 5.9], [4.0, np.nan]])
    >>> ExpectedCells().fit_transform(X).round(2)[3]
    array([4.  , 7.9])
    """

    asked_: Array
    law_: Conditional
    tied_: Array = np.arange(0)  # as in files of models from before there was one
    tie_: Array

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
            self.asked_, self.tied_ = np.arange(0), np.arange(X.shape[1])
            self.law_, self.tie_ = Conditional(np.zeros((1, 0)), np.zeros((0, 0))), np.nanmean(X, axis=0)[None]
            return self
        self.asked_ = independent(X)
        self._learn_ties(X)
        source = as_source(X[:, self.asked_], missing="allow", estimator="ExpectedCells")
        with warnings.catch_warnings():
            warnings.simplefilter("error", errors.NotConvergedWarning)
            try:
                moments = fit(source.collect(Patterns()), names=[names[j] for j in self.asked_]).moments
            except errors.NotConvergedWarning as warning:
                raise errors.InputError(str(warning)) from warning
        self.law_ = Conditional(moments.mean, moments.matrix / max(moments.weight - 1, 1))
        return self

    def _learn_ties(self, X: np.ndarray) -> None:
        """Learn how the columns that are not asked for follow from the others, in the rows that observe them."""
        self.tied_ = np.setdiff1d(np.arange(X.shape[1]), self.asked_)
        self.tie_ = np.zeros((1 + len(self.asked_), len(self.tied_)))
        group = _by_holes(np.isnan(X))
        for same in np.unique(group[self.tied_]):
            alike, follow = (np.flatnonzero(group[columns] == same) for columns in (self.asked_, self.tied_))
            rows = X[~np.isnan(X[:, self.tied_[follow[0]]])]
            A = np.column_stack([np.ones(len(rows)), rows[:, self.asked_[alike]]])
            ties = np.linalg.lstsq(A, rows[:, self.tied_[follow]])[0]
            self.tie_[np.ix_(np.append(0, 1 + alike), follow)] = ties

    def transform(self, X: TableLike) -> np.ndarray:
        """Return the rows with their missing cells filled."""
        check_is_fitted(self, "law_")
        X = np.array(X, dtype=np.float64)
        lacking = np.isnan(X).any(axis=1)
        if lacking.any():
            rows = X[lacking]
            if len(self.asked_):
                rows[:, self.asked_] = self.law_.filled(rows[:, self.asked_])
            if len(self.tied_):
                follows = self.tie_[0] + rows[:, self.asked_] @ self.tie_[1:]
                rows[:, self.tied_] = np.where(np.isnan(rows[:, self.tied_]), follows, rows[:, self.tied_])
            X[lacking] = rows
        return X


def independent(X: np.ndarray) -> np.ndarray:
    """Return the columns without those that others with holes in the same rows determine.

    The last of a set of columns of 0 and 1 is such a column: wherever it is observed, so are the others.
    """
    holes, tied = np.isnan(X), []
    group = _by_holes(holes)
    for same in range(int(group.max(initial=-1)) + 1):
        alike = np.flatnonzero(group == same)
        rows = ~holes[:, alike[0]]
        if len(alike) > 1 and (rows.all() or rows.sum() > len(alike) + 1):  # a few rows would tie any columns
            tied.append(alike[_determined(X[rows][:, alike])])
    return np.setdiff1d(np.arange(X.shape[1]), np.concatenate(tied)) if tied else np.arange(X.shape[1])


def _by_holes(holes: np.ndarray) -> np.ndarray:
    """Number the columns by the rows in which they have holes."""
    return np.unique(np.packbits(holes, axis=0), axis=1, return_inverse=True)[1].ravel()


def _determined(A: np.ndarray) -> np.ndarray:
    """Return the places of columns without holes that the others determine."""
    A = A - A.mean(axis=0)
    length = np.sqrt((A**2).sum(axis=0))
    R, order = qr(A / np.where(length > 0, length, 1), mode="r", pivoting=True)
    own = np.abs(np.diagonal(R))
    return np.asarray(order[np.count_nonzero(own > TIED) :])
