"""Answers of a model held against the truth: what `score` of classifiers and regressors computes.

y and the weights are read as `fit` reads them, so that what `fit` accepts `score` accepts too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.exceptions import UndefinedMetricWarning

from .._core import errors
from .._core import xp as _xp
from .._core.typing import TableLike
from .labels import Labels, read_weights, unlabelled
from .table import as_table, as_two_dimensional, finite_rows


class ClassifierScore(ClassifierMixin):
    """Gives a classifier its `score`."""

    def score(self, X: TableLike, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose class is predicted rightly.

        Parameters
        ----------
        X : table of shape (n, p)
        y : labels of shape (n,)
        sample_weight : array of shape (n,), optional
        """
        predicted = _xp.to_numpy(_predicted(self, X))
        truth = Labels.read(_given(self, y, "y"))
        _check_length(predicted, len(truth))
        weight = read_weights(sample_weight, len(truth))
        hits = _same(predicted, truth.classes[_xp.to_numpy(truth.codes)])
        return float(hits.mean() if weight is None else hits @ (weight / weight.sum()))


class RegressorScore(RegressorMixin):
    """Gives a regressor its `score`."""

    def score(self, X: TableLike, y: Any, sample_weight: Any = None) -> float:
        """Return R², 1 − Σ w (y − ŷ)² / Σ w (y − ȳ)², averaged over the responses.

        Parameters
        ----------
        X : table of shape (n, p)
        y : array of shape (n,) or table of shape (n, q)
        sample_weight : array of shape (n,), optional
        """
        predicted = np.asarray(_xp.to_numpy(_predicted(self, X)), dtype=np.float64)
        table = as_table(as_two_dimensional(_given(self, y, "y"), "y")[0], "y")
        _check_length(predicted, table.shape[0])
        predicted = predicted.reshape(len(predicted), -1)
        if table.shape[1] != predicted.shape[1]:
            had, fitted = table.shape[1], predicted.shape[1]
            raise errors.InputError(f"y has {had} columns but {fitted} were fitted; pass the {fitted} of the fit.")
        Y = np.asarray(_xp.to_numpy(finite_rows(table, 0, table.shape[0], "y")), dtype=np.float64)
        weight = read_weights(sample_weight, len(Y))
        return r_squared(Y, predicted, np.ones(len(Y)) if weight is None else weight / weight.max())


def _given(estimator: Any, y: Any, name: str) -> Any:
    if y is None:
        raise errors.target_missing(type(estimator).__name__, name)
    y = unlabelled(y)
    return y.compute() if hasattr(y, "__dask_graph__") else y


def _predicted(estimator: Any, X: Any) -> Any:
    found = unlabelled(estimator.predict(X))
    if not hasattr(found, "shape"):
        raise errors.InputError(
            f"score compares predictions with y row by row, and the rows of X ({type(X).__name__}) have no order; "
            "predict(X) returns them with a column of predictions, to be compared there."
        )
    return found


def _check_length(predicted: np.ndarray, n: int) -> None:
    if len(predicted) != n:
        raise errors.lengths_differ("X", len(predicted), "y", n)


def _same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Tell where two columns of labels agree; labels of unlike kinds never do."""
    if a.dtype.kind != b.dtype.kind and not (a.dtype.kind in "biuf" and b.dtype.kind in "biuf"):
        a, b = a.astype(object), b.astype(object)
    return np.asarray(a == b, dtype=np.float64)


def r_squared(Y: np.ndarray, predicted: np.ndarray, weight: np.ndarray) -> float:
    """R² of columns of any size; of one row it is not defined."""
    if len(Y) < 2:
        errors.warn(UndefinedMetricWarning("R² needs at least two rows; it is NaN."))
        return float("nan")
    size = np.abs(Y).max(axis=0)
    size[size == 0] = 1.0
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        Y, predicted = Y / size, predicted / size  # squares of 1e200 are out of range
        spread = weight @ (Y - np.average(Y, axis=0, weights=weight)) ** 2
        lost = weight @ (Y - predicted) ** 2
        shares = np.where(spread > 0, 1 - lost / spread, np.where(lost == 0, 1.0, 0.0))
    return float(shares.mean())
