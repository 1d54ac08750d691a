"""Methods compared by cross-validation: every row is judged by a model that has not seen it."""

from __future__ import annotations

import time
import warnings
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.svm import SVC

from .._core.errors import InputError, listed
from ..regress.adaptive_splines import AdaptiveSplines
from ..report.findings import ComparedMethod
from ..validation.folds import DealtFolds, Folds, GivenFolds, of_splits
from ..validation.refits import splits_of_folds
from .data import Data, Plan, Progress
from .dimension_tests import some_rows
from .fold_models import (
    FoldModels,
    affordable,
    confusion,
    fold_models,
    fold_numbers,
    moments_of_folds,
    takes_moments,
)
from .holes import fitted_to, modelled
from .methods import declared, made, rivals

MOST_ROWS = 8_000  # rows that a comparison uses: an SVM of classes that overlap pays for their square
MOST_CELLS = 300_000  # and cells, columns of 0 and 1 counted; with these the slowest method takes some seconds a fold
FEWEST_ROWS = 1000  # however many columns there are
LEVEL = 0.95


class CurveOnDirections(RegressorMixin, BaseEstimator):
    """A response as an adaptive spline of the directions that a method finds."""

    def __init__(self, directions: Any, n_directions: int = 2) -> None:
        self.directions, self.n_directions = directions, n_directions

    def fit(self, X: Any, y: Any) -> CurveOnDirections:
        """Find directions, then a curve on them."""
        self.directions_ = sliced(clone(self.directions), len(y)).fit(X, y)
        Z = np.asarray(self.directions_.transform(X))[:, : self.n_directions]
        self.curve_ = AdaptiveSplines(degree=2).fit(Z, y)
        return self

    def predict(self, X: Any) -> Any:
        """Predict from new rows."""
        return self.curve_.predict(np.asarray(self.directions_.transform(X))[:, : self.n_directions])


def sliced(model: Any, n: int) -> Any:
    """Return an inverse regression with slices of at least three rows, however few rows there are."""
    asked, most = 10 if model.n_slices == "auto" else model.n_slices, max(n // 3, 2)
    return model.set_params(n_slices=most) if most < asked else model


def compared_methods(kind: str, seed: int) -> dict[str, Any]:
    """Return the models that a question brings into the ring."""
    ours = {declared(cls).compared_as: made(cls, seed) for cls in rivals(kind)}
    if kind == "classes":
        return {**ours, "SVM (Gaussian kernel)": SVC()}
    curves = {f"{name} + curve": CurveOnDirections(model) for name, model in ours.items()}
    return {"linear regression": LinearRegression(), **curves}


@dataclass(frozen=True)
class Comparison:
    """Methods compared.

    Attributes
    ----------
    methods : list of ComparedMethod
    rows : ndarray of int
        Places of the rows that methods were compared on that need rows.
    predicted : dict of str to ndarray
        What each predicted for these rows.
    confusions : dict of str to ndarray of shape (K, K)
        Of methods that were validated from moments, on all rows.
    """

    methods: list[ComparedMethod]
    rows: np.ndarray
    predicted: dict[str, np.ndarray]
    confusions: dict[str, np.ndarray] = field(default_factory=dict)


def compare(
    models: dict[str, Any],
    teams: dict[str, FoldModels],
    preparation: Any,
    data: Data,
    X: np.ndarray,
    plan: Plan,
    progress: Progress | None = None,
    passed: Any = None,
) -> Comparison:
    """Compare methods on rows left out: from moments of all rows where they can, else by refits on some rows.

    Parameters
    ----------
    models : dict of str to unfitted model
    teams : dict of str to FoldModels
        Those of them that were fitted from moments.
    preparation : fitted Preparation
    data : Data
    X : ndarray of shape (n, p)
        The rows prepared; a sample of them where a file is read in pieces.
    plan : Plan
    progress : Progress or None
    passed : Passed, optional
        What the second pass over a file has found.
    """
    import pyarrow as pa

    y, kind, n = np.asarray(data.y), data.kind, data.n_rows
    numbers = data.numbers if data.numbers is not None else np.arange(n)
    labels, codes = np.unique(y, return_inverse=True) if kind == "classes" else (None, None)
    most, sizes = affordable_rows(len(preparation.names_out_)), data.class_sizes()[1] if kind == "classes" else None
    rows = some_rows(most, n, plan.seed, y if kind == "classes" else None, numbers, sizes)
    folds = _folds(data, plan, most)
    part, z = data.table.take(pa.array(rows)), y[rows]
    splits = splits_of_folds(fold_numbers(folds, None if codes is None else codes[rows], labels, numbers[rows]))
    trial = clone(preparation).set_params(unseen="none")  # a rare word may stand in one fold only
    found, predicted, confusions = [], {}, {}
    for done, (name, model) in enumerate(models.items()):
        start, note, score = time.perf_counter(), "", (np.nan, np.nan, np.nan)
        if progress:
            progress(name, done, len(models))
        try:
            if name in teams:
                assert codes is not None
                assert labels is not None
                guess = teams[name].places(X, fold_numbers(folds, codes, labels, numbers), labels)
                confusions[name] = confusion(codes, guess, len(labels)) if passed is None else passed.confusions[name]
                predicted[name] = labels[guess[rows]]
                score = wilson(int(np.trace(confusions[name])), n)
            else:
                predicted[name] = _predicted(trial, model, part, z, splits, kind)
                score = _score(z, predicted[name], kind, splits)
        except ValueError as error:
            note = f"could not be fitted: {str(error).split('. ')[0]}"
        advantage = getattr(declared(model), "advantage", "boundaries that need not be straight")
        fills = preparation.missing == "keep" and modelled(model) is None
        seconds = time.perf_counter() - start
        found.append(ComparedMethod(name, *score, seconds, note, advantage=advantage, fills=fills))
    if progress:
        progress("", len(models), len(models))
    return Comparison(found, rows, predicted, confusions)


def fold_teams(
    models: dict[str, Any], preparation: Any, data: Data, X: np.ndarray, plan: Plan
) -> dict[str, FoldModels]:
    """Fit the methods that fit from moments to the rows outside each fold; the others are refitted to rows."""
    if not models or data.class_sizes()[1].min() < 2:
        return {}
    if data.whole is not None:
        return data.whole.teams(models, preparation)  # type: ignore[no-any-return]
    labels, codes = np.unique(np.asarray(data.y), return_inverse=True)
    n, p = X.shape
    folds = _folds(data, plan, affordable_rows(p))
    numbers = data.numbers if data.numbers is not None else np.arange(n)
    if preparation.missing == "keep" or not affordable(n, p, len(labels), folds.n_folds):
        return {}
    taking = {name: model for name, model in models.items() if takes_moments(model)}
    training = moments_of_folds(X, codes, labels, numbers, folds).training()
    teams = {}
    for name, model in taking.items():
        with suppress(InputError):
            teams[name] = fold_models(model, training, preparation.standardise)
    return teams


def _predicted(preparation: Any, model: Any, table: Any, y: np.ndarray, splits: list[Any], kind: str) -> np.ndarray:
    """Return what a method predicts for rows, refitted for each fold."""
    guess = np.empty(len(y), dtype=y.dtype if kind == "classes" else float)
    for train, test in splits:
        guess[test] = _predict(preparation, model, table, y, train, test)
    return guess


def affordable_rows(p: int) -> int:
    """Return the most rows of p columns that methods are compared on: every method pays for each cell."""
    return min(MOST_ROWS, max(MOST_CELLS // p, FEWEST_ROWS))


def _predict(
    preparation: Any, model: Any, table: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """Return what a model predicts for rows that neither it nor its preparation has seen."""
    import pyarrow as pa

    seen, new = table.take(pa.array(train)), table.take(pa.array(test))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the model that is kept says what there is to say
        preparation = clone(preparation).fit(seen)
        ready = fitted_to(clone(model), preparation, seen, y[train])
        return np.asarray(ready.pipeline.predict(new))


def _folds(data: Data, plan: Plan, few: int) -> Folds:
    """Return folds of equal size where rows are few; of many rows, those that a file read in pieces has."""
    y = np.asarray(data.y)
    if data.n_rows > few:
        return DealtFolds(plan.folds, plan.seed, data.kind == "classes")
    if data.kind == "classes":
        smallest = int(np.unique(y, return_counts=True)[1].min())
        split: Any = StratifiedKFold(min(plan.folds, smallest), shuffle=True, random_state=plan.seed)
    else:
        split = KFold(min(plan.folds, len(y)), shuffle=True, random_state=plan.seed)
    found = of_splits(list(split.split(np.zeros(len(y)), y)), len(y))
    assert found is not None
    if data.numbers is None:
        return found
    folds = np.full(int(data.numbers[-1]) + 1, -1)
    folds[data.numbers] = found.folds
    return GivenFolds(found.n_folds, folds)


def _score(y: np.ndarray, guess: np.ndarray, kind: str, splits: list[Any]) -> tuple[float, float, float]:
    """Return a score with an interval: accuracy with Wilson's, R² with that of its mean over folds."""
    if kind == "classes":
        return wilson(int(np.sum(y == guess)), len(y))
    whole = 1 - float(np.sum((y - guess) ** 2) / np.sum((y - y.mean()) ** 2))
    folds = np.array([1 - np.mean((y[t] - guess[t]) ** 2) / np.var(y) for _, t in splits])
    half = float(stats.t.ppf((1 + LEVEL) / 2, len(folds) - 1) * folds.std(ddof=1) / np.sqrt(len(folds)))
    return whole, whole - half, min(whole + half, 1.0)


def told_apart(y: np.ndarray, first: np.ndarray, second: np.ndarray, tries: int = 1) -> bool:
    """Tell whether two classifiers differ on the same rows: McNemar's exact test, with Bonferroni over tries."""
    right, other = first == y, second == y
    only, there = int(np.sum(right & ~other)), int(np.sum(other & ~right))
    if only + there == 0:
        return False
    return bool(stats.binomtest(only, only + there).pvalue * tries < 1 - LEVEL)


def wilson(right: int, n: int) -> tuple[float, float, float]:
    """Return a share with its 95% interval (Wilson 1927)."""
    z = float(stats.norm.ppf((1 + LEVEL) / 2))
    share = right / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return share, float(max(middle - half, 0.0)), float(min(middle + half, 1.0))


def note_rows(data: Data, found: Comparison) -> None:
    """Say on how many rows methods were compared, where those are not all."""
    if len(found.rows) >= data.n_rows:
        return
    some = f"{len(found.rows):,} of the {data.n_rows:,} rows, drawn at random"
    others = [c.name for c in found.methods if c.name not in found.confusions]
    if found.confusions and others:
        data.notes.append(f"{listed(found.confusions, 6)} are compared on all rows, {listed(others, 6)} on {some}.")
    elif others:
        data.notes.append(f"Methods are compared on {some}.")


def enough_for_folds(y: np.ndarray, kind: str) -> bool:
    """Tell whether a cross-validation has rows enough."""
    if kind == "classes":
        return bool(np.unique(y, return_counts=True)[1].min() >= 2)
    return len(y) >= 10
