"""Answers of a model held against the truth: what `score` of classifiers and regressors computes.

y and the weights are read as `fit` reads them, so that what `fit` accepts `score` accepts too. Rows that an engine
holds are predicted there: answers, y and weights come back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.exceptions import UndefinedMetricWarning

from ..arrays import errors, namespaces
from ..arrays.typing import ColumnLike, ColumnNames, TableLike
from .engines import EngineSource, engine_rows, is_engine
from .labels import Labels, read_weights, unlabelled
from .source import Source
from .table import as_table, as_two_dimensional, finite_rows
from .target_columns import TargetColumns

Agreement = Callable[[np.ndarray, Any, Any], float]  # of answers with y, by weights


def accuracy(predicted: np.ndarray, y: Any, weight: Any) -> float:
    """Return the share of the weight whose class was predicted rightly."""
    truth = Labels.read(y)
    _check_length(predicted, len(truth))
    weight = _weights(weight, len(truth))
    return float(_same(predicted, truth.classes[namespaces.to_numpy(truth.codes)]) @ weight) / float(weight.sum())


def mean_r_squared(predicted: np.ndarray, y: Any, weight: Any) -> float:
    """Return R² of predicted responses, averaged over them."""
    predicted = np.asarray(predicted, dtype=np.float64)
    table = as_table(as_two_dimensional(y, "y")[0], "y")
    _check_length(predicted, table.shape[0])
    predicted = predicted.reshape(len(predicted), -1)
    if table.shape[1] != predicted.shape[1]:
        had, fitted = table.shape[1], predicted.shape[1]
        raise errors.InputError(f"y has {had} columns but {fitted} were fitted; pass the {fitted} of the fit.")
    Y = namespaces.floats(finite_rows(table, 0, table.shape[0], "y"))
    return r_squared(Y, predicted, _weights(weight, len(Y)))


def r_squared(Y: np.ndarray, predicted: np.ndarray, weight: np.ndarray) -> float:
    """R² of columns of any size; of one row it is not defined."""
    if len(Y) < 2:
        errors.warn(UndefinedMetricWarning("R² needs at least two rows; it is NaN."))
        return float("nan")
    size = np.abs(Y).max(axis=0, initial=0.0)  # responses are divided by it, since squares of 1e200 are out of range
    size[size == 0] = 1.0
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        Y, predicted = Y / size, predicted / size
        spread = weight @ (Y - np.average(Y, axis=0, weights=weight)) ** 2
        lost = weight @ (Y - predicted) ** 2
        shares = np.where(spread > 0, 1 - lost / spread, np.where(lost == 0, 1.0, 0.0))
    return float(shares.mean())


class ClassifierScore(ClassifierMixin):
    """Gives a classifier its `score`."""

    def score(
        self,
        X: TableLike,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        target: ColumnNames | None = None,
    ) -> float:
        """Return the share of rows whose class is predicted correctly.

        Parameters
        ----------
        X : table of shape (n, p)
        y : labels of shape (n,)
            Omit it if X is a source that holds the labels, or a table with the column that `fit` had as `target`.
        sample_weight : array of shape (n,), optional
        target : column, optional
            Instead of y: its name in X, if the columns of X have names.
        """
        return _scored(self, X, y, sample_weight, target, accuracy)


class RegressorScore(RegressorMixin):
    """Gives a regressor its `score`."""

    def score(
        self,
        X: TableLike,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        target: ColumnNames | None = None,
    ) -> float:
        """Return R², 1 − Σ w (y − ŷ)² / Σ w (y − ȳ)², averaged over the responses.

        Parameters
        ----------
        X : table of shape (n, p)
        y : array of shape (n,) or table of shape (n, q)
            Omit it if X is a source that holds it, or a table with the columns that `fit` had as `target`.
        sample_weight : array of shape (n,), optional
        target : column or list of columns, optional
            Instead of y: its name in X, if the columns of X have names.
        """
        return _scored(self, X, y, sample_weight, target, mean_r_squared)


def _scored(estimator: Any, X: Any, y: Any, sample_weight: Any, target: Any, agreement: Agreement) -> float:
    """Predict rows and hold the answers against y: here, or where an engine has the rows."""
    if isinstance(estimator, TargetColumns):
        X, y = _opened_engine(estimator, X, y, target) if is_engine(X) else estimator._with_target(X, y, target)
    if isinstance(X, EngineSource):
        return agreement(*_answers_there(estimator, X, y, sample_weight))
    weight = sample_weight
    if y is None and isinstance(X, Source):
        if not X.rereadable:
            raise errors.InputError(
                "X is a stream that is read once, and score needs y as well as the predictions; pass open_rows a list "
                "of batches, files, or a function that returns a new iterator each time."
            )
        y, weight = X.target_values()
        if sample_weight is not None and weight is not None:
            raise errors.two_targets("sample_weight")
        weight = sample_weight if weight is None else weight
    if y is None:
        raise errors.target_missing(type(estimator).__name__, "y")
    y = unlabelled(y)
    y = y.compute() if hasattr(y, "__dask_graph__") else y
    predicted = namespaces.to_numpy(unlabelled(estimator.predict(X)))
    return agreement(predicted, y, weight)


def _opened_engine(estimator: Any, X: Any, y: Any, target: Any) -> tuple[Any, Any]:
    """Return the rows of an engine with the column that is y."""
    target = estimator._target_columns if target is None and y is None else target
    columns = getattr(estimator, "feature_names_in_", None)
    return engine_rows(X, None if columns is None else list(columns), target), y


def _answers_there(estimator: Any, source: EngineSource, y: Any, sample_weight: Any) -> tuple[np.ndarray, Any, Any]:
    """Return predictions, y and weights of the rows that an engine holds, which predicts them."""
    source.refuse_beside(y, sample_weight)
    roles = source.roles
    if not roles.target:
        raise errors.target_missing(type(estimator).__name__, "y")
    if getattr(estimator, "_predicts_here", False):
        X, y, weight = roles.split(source.fetched(roles.all))
        return namespaces.to_numpy(estimator.predict(X)), y, weight
    return source.answers_in(estimator.predict(source))


def _weights(weight: Any, n: int) -> np.ndarray:
    """Return checked weights, ones where there are none."""
    found = read_weights(weight, n)
    return np.ones(n) if found is None else found


def _check_length(predicted: np.ndarray, n: int) -> None:
    if len(predicted) != n:
        raise errors.lengths_differ("X", len(predicted), "y", n)


def _same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Tell where two columns of labels agree; labels of unlike kinds never do."""
    if a.dtype.kind != b.dtype.kind and not (a.dtype.kind in "biuf" and b.dtype.kind in "biuf"):
        a, b = a.astype(object), b.astype(object)
    return np.asarray(a == b, dtype=np.float64)
