"""Cross-validation by refits: what is done where a model, its preparation or its folds need the rows themselves."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.metrics import accuracy_score, check_scoring, r2_score
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing as rows_of
from sklearn.utils.validation import has_fit_parameter

from ..arrays import errors, namespaces
from ..arrays.progress import tracked
from ..moments.folded import require_rows
from ..rows import Block, Labels, Source, Target, as_source, whole
from ..rows.engines import is_engine
from ..rows.labels import as_column, as_counts, read_weights
from ..rows.target_columns import TargetColumns
from .folds import Folds, of_numbers, read_cv, unseen
from .result import CrossValidation, best_of, said

Splits = list[tuple[np.ndarray, np.ndarray]]

OF_PREDICTIONS = {"accuracy": accuracy_score, "r2": r2_score}  # scores of scikit-learn that ask for predictions alone


def by_refits(
    model: Any,
    X: Any,
    y: Any,
    cv: Any,
    settings: list[dict[str, Any]],
    sample_weight: Any,
    scoring: Any,
    random_state: Any,
    why: str,
) -> CrossValidation:
    """Fit every setting to the rows of every fold."""
    X, y, weight = in_memory(model, X, y, sample_weight)
    n = _length(X)
    if weight is not None and isinstance(model[-1] if isinstance(model, Pipeline) else model, TargetColumns):
        weight = as_counts(weight)  # a part of the shares would no longer add up to 1
    folds = read_cv(cv, random_state, is_classifier(model))
    splits = splits_of(cv, X, y, None)[0] if folds is None else splits_of_folds(fold_numbers(folds, n, y, model))
    scorer = read_scoring(model, scoring)
    scores = np.full((len(settings), len(splits)), np.nan)
    answers: list[list[Any]] = [[] for _ in settings]
    failures: dict[str, str] = {}
    work = _jobs(model, settings, splits)
    for s, f, candidate in tracked(work, len(settings) * len(splits), "Fitting", None):
        train, test = splits[f]
        try:
            fitted = _fit(candidate, rows_of(X, train), _at(y, train), _at(weight, train))
        except ValueError as error:
            if len(settings) == 1:
                raise
            failures.setdefault(said(settings[s]), str(error).split(". ")[0])
            continue
        rows, beside = rows_of(X, test), {} if weight is None else {"sample_weight": weight[test]}
        answers[s].append(namespaces.to_numpy(fitted.predict(rows)) if hasattr(fitted, "predict") else None)
        if scoring in OF_PREDICTIONS:  # predicting once is enough: some machines take as long as for a fit
            scores[s, f] = OF_PREDICTIONS[scoring](_at(y, test), answers[s][-1], **beside)
        else:
            scores[s, f] = scorer(fitted, rows, _at(y, test), **beside)
    failed = " ".join(f"{name} could not be fitted: {text}." for name, text in list(failures.items())[:3])
    best = best_of(scores.mean(axis=1), why=failed)

    def final() -> Any:
        return _fit(clone(model).set_params(**settings[best]), X, y, weight)

    alone = ""
    if is_classifier(model) and y is not None:
        labels = np.asarray(namespaces.to_numpy(y) if namespaces.is_array(y) else y)
        alone = unseen(set(labels.tolist()), [set(labels[train].tolist()) for train, _ in splits])
    note = " ".join(filter(None, [why, alone, failed]))

    def predict() -> Any:
        return _joined(answers[best], splits, n)

    name = scoring if isinstance(scoring, str) else _name_of(scoring, model)
    return CrossValidation(settings, scores, final, name, False, note, [None], predict, {})


def by_whole_folds(
    subject: Any, teams: Sequence[Sequence[Any]], folds: Folds, scoring: Any, X: Any, y: Any
) -> np.ndarray:
    """Score models that were fitted from moments by a function of all rows of a fold."""
    X, y, _ = in_memory(subject.final, X, y, None)
    scorer = read_scoring(subject.model, scoring)
    numbers = fold_numbers(folds, _length(X), y, subject.final)
    scores = np.full((len(teams[0]), folds.n_folds), np.nan)
    for f, team in enumerate(tracked(iter(teams), len(teams), "Scoring", None)):
        test = np.flatnonzero(numbers == f)
        rows, truth = rows_of(X, test), _at(y, test)
        for s, fitted in enumerate(team):
            if fitted is not None:
                scores[s, f] = scorer(fitted.model, rows, truth)
    return scores


def read_scoring(model: Any, scoring: Any) -> Any:
    """Return a function (model, X, y) → number."""
    if scoring is None and not hasattr(model, "score"):
        raise errors.InputError(
            f"{type(model).__name__} does not predict, so rows have no score of their own; pass scoring=, a function "
            f"(model, X, y) → number."
        )
    try:
        return check_scoring(model, scoring=scoring)
    except (ValueError, TypeError) as error:
        raise errors.InputError(f"scoring={scoring!r}: {error}") from error


def splits_of(cv: Any, X: Any, y: Any, source: Source | None) -> tuple[Splits, int]:
    """Return the pairs of rows that a splitter, or an iterable of pairs, gives; and the number of rows."""
    if _is_elsewhere(X):
        raise errors.InputError(
            f"cv={type(cv).__name__} splits rows in memory, and X is not there; give a number of folds, or the fold of "
            f"each row."
        )
    n = _length(X)
    try:
        splitter = check_cv(cv, y, classifier=False)
        splits = list(splitter.split(np.zeros((n, 1)), None if y is None else y))
    except (ValueError, TypeError) as error:
        groups = " Pass its splits: cv=list(cv.split(X, y, groups))." if "groups" in str(error) else ""
        raise errors.InputError(f"cv={cv!r} cannot split these rows: {error}{groups}") from error
    found = [(np.asarray(train), np.asarray(test)) for train, test in splits]
    return [(_places(train, n), _places(test, n)) for train, test in found], n


def _is_elsewhere(X: Any) -> bool:
    """Tell whether rows are not in memory: a source, or a table of Dask, Spark or Ray."""
    return isinstance(X, Source) or hasattr(X, "__dask_graph__") or is_engine(X)


def _places(rows: np.ndarray, n: int) -> np.ndarray:
    return np.flatnonzero(rows) if rows.dtype == bool and len(rows) == n else rows


def splits_of_folds(numbers: np.ndarray) -> Splits:
    """Return the rows fitted to and scored for each fold."""
    return [(np.flatnonzero(numbers != f), np.flatnonzero(numbers == f)) for f in range(int(numbers.max()) + 1)]


def fold_numbers(folds: Folds, n: int, y: Any, model: Any) -> np.ndarray:
    """Return the fold of each of n rows in memory."""
    block = Block(np.empty((n, 0)), numbers=np.arange(n))
    if is_classifier(model) and y is not None:
        labels = Labels.read(y)
        block = Block(block.X, namespaces.to_numpy(labels.codes), None, labels.classes, None, block.numbers)
    numbers = folds(block)
    require_rows(np.bincount(numbers[numbers >= 0], minlength=folds.n_folds).tolist())
    return of_numbers(numbers).folds


def in_memory(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, np.ndarray | None]:
    """Bring rows, y and weights into memory, as a model that reads them all at once needs them."""
    if _is_elsewhere(X):
        target: Target = "none"
        if is_classifier(model):
            target = "labels"
        elif is_regressor(model) or y is not None:
            target = "table"
        source: Any = as_source(X, y, sample_weight, target=target, in_memory=True, estimator=type(model).__name__)
        rows = whole(source)
        truth: Any = rows.y
        if target == "labels" and rows.classes is not None and rows.y is not None:
            truth = rows.classes[rows.y.astype(np.intp)]
        elif truth is not None and source.single_response:
            truth = truth[:, 0]
        return rows.X, truth, rows.weight if source.weighted else None
    X = np.asarray(X) if isinstance(X, list | tuple) else X
    y = as_column(y, "y") if isinstance(y, list | tuple) else y
    n = _length(X)
    if y is not None and _length(y) != n:
        raise errors.lengths_differ("X", n, "y", _length(y))
    return X, y, read_weights(sample_weight, n)


def _jobs(model: Any, settings: list[dict[str, Any]], splits: Splits) -> Iterator[tuple[int, int, Any]]:
    for f in range(len(splits)):
        for s, setting in enumerate(settings):
            yield s, f, clone(model).set_params(**setting)


def _fit(model: Any, X: Any, y: Any, weight: np.ndarray | None) -> Any:
    beside = {}
    if weight is not None and isinstance(model, Pipeline):
        taking = [
            name for name, step in model.steps if hasattr(step, "fit") and has_fit_parameter(step, "sample_weight")
        ]
        beside = {f"{name}__sample_weight": weight for name in taking}
    elif weight is not None:
        beside = {"sample_weight": weight}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, **beside) if y is None else model.fit(X, y, **beside)


def _at(values: Any, rows: np.ndarray) -> Any:
    return None if values is None else rows_of(values, rows)


def _length(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _joined(answers: list[Any], splits: Splits, n: int) -> Any:
    if any(part is None for part in answers):
        raise errors.InputError("predictions: the model does not predict.")
    first = np.asarray(answers[0])
    found = np.full((n, *first.shape[1:]), np.nan if first.dtype.kind == "f" else None, dtype=object)
    for part, (_, test) in zip(answers, splits, strict=True):
        found[test] = part
    scored = np.unique(np.concatenate([test for _, test in splits]))
    return found.astype(np.result_type(*answers)) if len(scored) == n or first.dtype.kind == "f" else found


def _name_of(scoring: Any, model: Any) -> str:
    if scoring is not None:
        return str(getattr(scoring, "__name__", "score"))
    return "accuracy" if is_classifier(model) else "r2" if is_regressor(model) else "score"
