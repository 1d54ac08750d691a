"""Leave-one-out: in closed form where one row changes a fit by rank one, else by a fit for each row."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing as rows_of

from ..arrays import errors, namespaces
from ..arrays.progress import tracked
from ..arrays.typing import ColumnLike, TableLike
from ..regress.penalized import PenalizedRegression
from ..rows import Labels, as_source, whole
from ..rows.labels import as_counts
from ..rows.scores import r_squared
from .downdates import left_out_residuals
from .refits import in_memory
from .result import LeaveOneOut


def leave_one_out(
    model: Any, X: TableLike, y: ColumnLike | None = None, *, sample_weight: ColumnLike | None = None
) -> LeaveOneOut:
    """Predict each row with the model fitted to all the others.

    LDA, PDA with a given λ, QDA, PenalizedRegression with a given λ and PCA with a number of components have a closed
    form: one fit, and a change of rank one for each row. Other models are fitted n times; the result tells you which.

    Parameters
    ----------
    model : estimator
    X : table of shape (n, p)
        All rows are loaded into memory.
    y : labels, response or table, optional
    sample_weight : array of shape (n,), optional
        A row of weight 2 counts twice, and is left out as a whole.

    Returns
    -------
    LeaveOneOut
        For PCA, `predictions` are the squared distances of rows from the subspace of the others, whose sum is PRESS,
        and `score` is minus their mean.

    Notes
    -----
    By default, prior probabilities are estimated from the other rows. R's MASS uses those of all rows; pass `priors` to
    compare.

    Examples
    --------
    >>> from eigenlens import QDA
    >>> from eigenlens.validation import leave_one_out
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> result = leave_one_out(QDA(), X, y)
    >>> result.score, result.probabilities.shape
    (0.9733333333333334, (150, 3))
    """
    rows, target, weight = in_memory(model, X, y, sample_weight)
    n = int(rows.shape[0])
    if n < 3:
        raise errors.too_few_rows("X", n, tuple(rows.shape), 3)
    weight = np.ones(n) if weight is None else as_counts(weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if is_classifier(model):
            return _of_classes(model, rows, target, weight)
        if type(model) is PenalizedRegression or hasattr(model, "predict"):
            return _of_responses(model, rows, target, weight)
        if hasattr(model, "reconstruction_error"):
            return _of_distances(model, rows, weight)
    raise errors.InputError(
        f"{type(model).__name__} neither predicts nor has a reconstruction error, so there is nothing to say "
        f"about a row left out; use cross_validate with scoring=."
    )


def _of_classes(model: Any, X: Any, y: Any, weight: np.ndarray) -> LeaveOneOut:
    if y is None:
        raise errors.target_missing(type(model).__name__, "y")
    labels = Labels.read(y)
    codes, classes = namespaces.to_numpy(labels.codes), labels.classes
    scores = None
    if hasattr(model, "_left_out"):
        fitted = clone(model).fit(X, y, _given(weight))
        known = namespaces.to_numpy(fitted.classes_)
        if len(known) == len(classes):
            place = {label: k for k, label in enumerate(known.tolist())}
            codes, classes = np.array([place[label] for label in classes.tolist()])[codes], known
            scores = fitted._left_out(whole(as_source(X)).X, codes, weight)
    if scores is None:
        found = np.full((len(codes), len(classes)), np.nan)
    else:
        top = scores.max(axis=1, keepdims=True)
        found = np.exp(scores - top)
        found /= found.sum(axis=1, keepdims=True)
    missing = np.flatnonzero(~np.isfinite(found).all(axis=1))
    for i in tracked(iter(missing.tolist()), len(missing), "Fitting", None):
        other = _without(model, X, y, weight, i)
        seen = namespaces.to_numpy(other.classes_).tolist()
        found[i] = 0.0
        found[i, [classes.tolist().index(label) for label in seen]] = namespaces.to_numpy(
            other.predict_proba(rows_of(X, [i]))
        )[0]
    best = found.argmax(axis=1)
    score = float((best == codes) @ weight / weight.sum())
    closed = scores is not None
    note = "" if closed else f"{_why(model)}."
    return LeaveOneOut(classes[best], score, "accuracy", found, classes, closed, note)


def _of_responses(model: Any, X: Any, y: Any, weight: np.ndarray) -> LeaveOneOut:
    if y is None:
        raise errors.target_missing(type(model).__name__, "y")
    Y = np.asarray(namespaces.to_numpy(y) if namespaces.is_array(y) else y, dtype=np.float64)
    truth = Y.reshape(len(Y), -1)
    closed = type(model) is PenalizedRegression and model.df is None and not isinstance(model.lam, str)
    found = np.full(truth.shape, np.nan)
    if closed:
        fitted = clone(model)
        leverages, answers = fitted._left_out(whole(as_source(X)).X, truth, weight)
        found = truth - left_out_residuals(truth - answers, leverages)
    missing = np.flatnonzero(~np.isfinite(found).all(axis=1))
    for i in tracked(iter(missing.tolist()), len(missing), "Fitting", None):
        found[i] = np.ravel(namespaces.to_numpy(_without(model, X, y, weight, i).predict(rows_of(X, [i]))))
    score = r_squared(truth, found, weight / weight.max())
    note = "" if closed else f"{_why(model)}."
    return LeaveOneOut(found[:, 0] if Y.ndim == 1 else found, score, "r2", closed_form=closed, note=note)


def _of_distances(model: Any, X: Any, weight: np.ndarray) -> LeaveOneOut:
    n, p = X.shape
    k = getattr(model, "n_components", None)
    closed = isinstance(k, int | np.integer) and getattr(model, "missing", "refuse") == "refuse" and k <= min(n - 1, p)
    closed = closed and hasattr(model, "_left_out") and not model.scale  # what columns are divided by would change too
    if closed:
        fitted = clone(model).fit(X, sample_weight=_given(weight))
        found = fitted._left_out(whole(as_source(X)).X, weight)
    else:
        found = np.empty(n)
        for i in tracked(iter(range(n)), n, "Fitting", None):
            other = _without(model, X, None, weight, i)
            found[i] = float(namespaces.to_numpy(other.reconstruction_error(rows_of(X, [i])))[0])
    score = -float(found @ weight / weight.sum())
    return LeaveOneOut(found, score, "reconstruction", closed_form=closed, note="" if closed else f"{_why(model)}.")


def _given(weight: np.ndarray) -> np.ndarray | None:
    return None if (weight == 1).all() else weight


def _without(model: Any, X: Any, y: Any, weight: np.ndarray, i: int) -> Any:
    """Fit to all rows but one."""
    others = np.delete(np.arange(len(weight)), i)
    given = {} if _given(weight) is None else {"sample_weight": weight[others]}
    rows = rows_of(X, others)
    return clone(model).fit(rows, **given) if y is None else clone(model).fit(rows, rows_of(y, others), **given)


def _why(model: Any) -> str:
    return f"{type(model).__name__} has no closed form with these parameters, so it was fitted once for each row"
