"""Methods compared by cross-validation: every row is judged by a model that has not seen it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.svm import SVC

from ..regress.adaptive_splines import AdaptiveSplines
from ..report.findings import ComparedMethod
from .data import Data, Progress
from .dimension_tests import some_rows
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


def compare(
    models: dict[str, Any],
    preparation: Any,
    table: Any,
    y: np.ndarray,
    kind: str,
    folds: int,
    seed: int,
    progress: Progress | None = None,
) -> tuple[list[ComparedMethod], dict[str, np.ndarray], np.ndarray]:
    """Return the methods compared, what each predicted for the rows, and which rows those are."""
    rows = np.arange(len(y))
    most = affordable_rows(len(preparation.names_out_))
    if len(rows) > most:
        rows = some_rows(most, len(rows), seed, y if kind == "classes" else None)
    import pyarrow as pa

    preparation = clone(preparation).set_params(unseen="none")  # a rare word may stand in one fold only
    part, z = table.take(pa.array(rows)), y[rows]
    splits = list(_splits(z, kind, folds, seed))
    found, predicted = [], {}
    for done, (name, model) in enumerate(models.items()):
        start, note = time.perf_counter(), ""
        if progress:
            progress(name, done, len(models))
        guess = np.empty(len(z), dtype=z.dtype if kind == "classes" else float)
        try:
            for train, test in splits:
                guess[test] = _predict(preparation, model, part, z, train, test)
        except ValueError as error:
            note = f"could not be fitted: {str(error).split('. ')[0]}"
            score = (np.nan, np.nan, np.nan)
        else:
            predicted[name], score = guess, _score(z, guess, kind, splits)
        advantage = getattr(declared(model), "advantage", "boundaries that need not be straight")
        fills = preparation.missing == "keep" and modelled(model) is None
        seconds = time.perf_counter() - start
        found.append(ComparedMethod(name, *score, seconds, note, advantage=advantage, fills=fills))
    if progress:
        progress("", len(models), len(models))
    return found, predicted, rows


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


def _splits(y: np.ndarray, kind: str, folds: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    if kind != "classes":
        yield from KFold(min(folds, len(y)), shuffle=True, random_state=seed).split(y)
        return
    smallest = int(np.unique(y, return_counts=True)[1].min())
    split = StratifiedKFold(min(folds, smallest), shuffle=True, random_state=seed)
    yield from split.split(np.zeros(len(y)), y)


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


def note_rows(data: Data, rows: np.ndarray) -> None:
    """Say on how many rows methods were compared, where those are not all."""
    if len(rows) < data.n_rows:
        data.notes.append(f"Methods are compared on {len(rows):,} of the {data.n_rows:,} rows, drawn at random.")


def enough_for_folds(y: np.ndarray, kind: str) -> bool:
    """Tell whether a cross-validation has rows enough."""
    if kind == "classes":
        return bool(np.unique(y, return_counts=True)[1].min() >= 2)
    return len(y) >= 10
