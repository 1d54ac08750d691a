"""Methods compared by cross-validation: every row is judged by a model that has not seen it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy import stats
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

from ..arrays.errors import listed
from ..arrays.spelling import option
from ..page.findings import ComparedMethod
from ..regress.directions_curve import CurveOnDirections
from ..rows import Preparation
from ..rows.sampled_rows import keys, smallest
from ..validation import cross_validate
from ..validation.folds import split_rows
from ..validation.subjects import subject_of
from .data import Data, sample_rows
from .efforts import some_rows
from .methods import declared, made, methods, rivals
from .missing_cells import fitted_rows, modelled
from .plan import Plan, Progress
from .response_bins import sliced

MOST_ROWS = 8_000  # that a method is fitted to again and again: an SVM of classes that overlap pays for their square
MOST_CELLS = 300_000  # and cells, columns of 0 and 1 counted; with these the slowest method takes some seconds a fold
FEWEST_ROWS = 1000  # however many columns there are
WORK, WORK_OF_ONE = 5e9, 4e9  # multiplications of a comparison, and of a method in it: some seconds
FLOOR = 700  # rows that a method must be able to take, or else it does not take part
MOST_SCATTERS = 2e7  # cells of the scatters of all folds and classes
MOST_COLUMNS = 500  # of rows that are compared from scatters
LEVEL = 0.95
CURVED = "boundaries that need not be straight"


def compared_methods(kind: str, seed: int, n: int, folds: int) -> dict[str, Any]:
    """Return the models that are compared for a kind of target, for n rows in so many folds."""
    ours = {declared(cls).compared_as: made(cls, seed).set_params(**declared(cls).brisk) for cls in rivals(kind)}
    if kind == "classes":
        from sklearn.svm import SVC

        return {**ours, "SVM (Gaussian kernel)": SVC()}
    seen = n - n // folds
    curves = {f"{name} + curve": CurveOnDirections(sliced(model, seen)) for name, model in ours.items()}
    return {"linear regression": LinearRegression(), **curves}


@dataclass
class Compared:
    """What came out of a comparison.

    Attributes
    ----------
    methods : list of ComparedMethod
    judged : dict of str to (ndarray, ndarray)
        The places of the rows that judged each method, and what it says about them.
    too_slow : list of str
        Methods that would have taken too long.
    """

    methods: list[ComparedMethod] = field(default_factory=list)
    judged: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    too_slow: list[str] = field(default_factory=list)


def compare(
    models: Mapping[str, Any],
    preparation: Any,
    data: Data,
    X: np.ndarray,
    plan: Plan,
    progress: Progress | None = None,
    ours: str = "",
) -> Compared:
    """Judge models on rows that they have not seen.

    Those that are fitted from moments are judged on all rows at hand, the others on as many as the work allows.

    Parameters
    ----------
    models : dict of str to unfitted model
    preparation : fitted Preparation
    data : Data
    X : ndarray of shape (n, p)
        The rows prepared, NaN where missing cells are kept.
    plan : Plan
    progress : Progress or None
    ours : str
        The method in question, which takes part whatever it costs.
    """
    y, by_class, p = np.asarray(data.y), data.kind == "classes", X.shape[1]
    holed, sizes = preparation.missing == "keep", data.class_sizes()[1] if by_class else None
    at_hand = rows_at_hand(data, plan.seed, p)
    numbers = (data.numbers if data.numbers is not None else np.arange(data.n_rows))[at_hand]
    groups = None if data.groups is None else data.groups[at_hand]
    folds = np.full(len(X), -1)
    folds[at_hand] = split_rows(y[at_hand], by_class, plan.folds, plan.seed, groups)
    light = not holed and _few_scatters(len(at_hand), p, 1 if sizes is None else len(sizes), plan.folds)
    from_moments = {name for name, model in models.items() if light and not isinstance(subject_of(model), str)}
    heavy = {name: model for name, model in models.items() if name not in from_moments}
    kept, most = within_budget(heavy, len(at_hand), p, plan.folds, ours)
    some = at_hand[some_rows(most, data.n_rows, plan.seed, y[at_hand] if by_class else None, numbers, sizes)]
    found = Compared(too_slow=[name for name in heavy if name not in kept])
    taking = [name for name in models if name not in found.too_slow and (name == ours or not data.second_look)]
    for k, name in enumerate(taking):
        if progress:
            progress(f"comparing {name}, {k + 1} of {len(taking)}", k, len(taking))
        rows, ways = some, [FittedAsRows(models[name], preparation.missing)]
        if name in from_moments:
            rows, ways = at_hand, [models[name], *ways]
        start = time.perf_counter()
        guess, note = _predictions(ways, preparation.standardise, data, X, rows, folds[rows])
        score = (np.nan, np.nan, np.nan)
        if guess is not None:
            score, found.judged[name] = _score(data, rows, guess, folds[rows]), (rows, guess)
        advantage = getattr(declared(models[name]), "advantage", CURVED)
        fills = holed and modelled(models[name]) is None
        seconds = time.perf_counter() - start
        found.methods.append(ComparedMethod(name, *score, seconds, note, advantage=advantage, fills=fills))
    if progress:
        progress("", 1, 1)
    return found


def rows_at_hand(data: Data, seed: int, p: int) -> np.ndarray:
    """Return the places of the rows that methods may be judged on: all, or a sample with two of each class."""
    numbers = data.numbers if data.numbers is not None else np.arange(data.n_rows)
    order = keys(numbers, seed)
    drawn = [smallest(order, sample_rows(p))]
    if data.kind == "classes" and len(drawn[0]) < len(order):
        places = [np.flatnonzero(data.y == label) for label in np.unique(np.asarray(data.y))]
        drawn += [own[smallest(order[own], 2)] for own in places]
    return np.unique(np.concatenate(drawn))


def _predictions(
    ways: list[Any], standardise: bool, data: Data, X: np.ndarray, rows: np.ndarray, folds: np.ndarray
) -> tuple[np.ndarray | None, str]:
    """Return what a method says about rows that it has not seen, in the first way that can be fitted, or why not."""
    w, note = None if data.weights is None else data.weights[rows], ""
    scoring = "accuracy" if data.kind == "classes" else "r2"
    for way in ways:
        candidate = make_pipeline(ColumnScaler(standardise), way)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the model that is kept says what there is to say
                y = np.asarray(data.y)[rows]
                found = cross_validate(candidate, X[rows], y, cv=folds, sample_weight=w, scoring=scoring)
                return np.asarray(found.predictions), ""
        except ValueError as error:
            note = f"could not be fitted: {str(error).split('. ')[0]}"
    return None, note


class ColumnScaler(TransformerMixin, BaseEstimator):
    """Centre columns and, if asked, divide them by their standard deviations; those that do not vary become 0.

    Missing cells stay missing. Columns of words that no row outside a fold has are such columns.
    """

    def __init__(self, standardise: bool = True) -> None:
        self.standardise = standardise

    def fit(self, X: np.ndarray, y: Any = None, sample_weight: np.ndarray | None = None) -> Self:
        """Learn means and spreads of the cells that are there."""
        known = ~np.isnan(X)
        w = known * (1.0 if sample_weight is None else np.asarray(sample_weight)[:, None])
        total, n = np.maximum(w.sum(axis=0), np.finfo(float).tiny), known.sum(axis=0)
        mean = (w * np.where(known, X, 0.0)).sum(axis=0) / total
        variance = (w * np.where(known, X - mean, 0.0) ** 2).sum(axis=0) / total
        still = np.fmin.reduce(X) >= np.fmax.reduce(X)
        return self.fit_column_moments(mean, variance, still | (n == 0), n)

    def fit_column_moments(self, mean: np.ndarray, variance: np.ndarray, still: np.ndarray, n: Any) -> Self:
        """Learn from the means and variances of n rows, and from which columns do not vary."""
        spread = np.sqrt(variance * (n / np.maximum(np.asarray(n) - 1, 1))) if self.standardise else np.ones(len(mean))
        self.mean_, self.scale_ = mean, np.where(still, np.inf, spread)
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Return rows centred and scaled."""
        return np.asarray((X - self.mean_) / self.scale_)


class FittedAsRows(BaseEstimator):
    """A model that is fitted to rows as that of a study is: softer where a column separates classes, and with holes.

    Parameters
    ----------
    model : unfitted model
    missing : str
        As of the preparation of the study.
    """

    def __init__(self, model: Any, missing: str = "refuse") -> None:
        self.model, self.missing = model, missing

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> Self:
        """Fit the model to rows."""
        preparation = Preparation(missing=self.missing)
        self.ready_ = fitted_rows(clone(self.model), preparation, X, y, sample_weight, named=False)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return what the model predicts of rows."""
        return self.ready_.predict_rows(X)


# -- what it may cost -----------------------------------------------------------------------------------------------


def within_budget(models: Mapping[str, Any], n: int, p: int, folds: int, ours: str) -> tuple[list[str], int]:
    """Return the models that can be compared within the work that is allowed, and on how many rows.

    A method that would take too long even for few rows does not take part, the slowest first; the others get as many
    rows as the work allows. The one in question always takes part.
    """
    most = min(n, affordable_rows(p))
    floor = min(most, FLOOR)

    def work(name: str, rows: int) -> float:
        return folds * _cost(models[name], rows - rows // folds, p)

    kept = [name for name in models if name == ours or work(name, floor) <= WORK_OF_ONE]
    while len(kept) > 2 and sum(work(name, floor) for name in kept) > WORK:
        kept.remove(max((name for name in kept if name != ours), key=lambda name: work(name, floor)))
    while most > floor and sum(work(name, most) for name in kept) > WORK:
        most = max(int(0.9 * most), floor)
    return kept, most


def _cost(model: Any, n: int, p: int, groups: int = 2) -> float:
    says = declared(getattr(model, "directions", model))
    if says is not None:
        return float(says.fit_cost(n, p, groups))
    if isinstance(model, LinearRegression):
        return 3.0 * n * p * min(n, p)
    return 1.5 * n * n * (p + 20)  # a machine: a pair of rows costs as much as twenty columns beside its own


def affordable_rows(p: int) -> int:
    """Return the most rows of p columns that methods are fitted to again and again: they pay for each cell."""
    return min(MOST_ROWS, max(MOST_CELLS // p, FEWEST_ROWS))


def _few_scatters(n: int, p: int, n_classes: int, n_folds: int) -> bool:
    """Tell whether the scatters of all folds and classes can be kept."""
    return p <= MOST_COLUMNS and min(n_classes * n_folds * p, n) * p <= MOST_SCATTERS


# -- scores ---------------------------------------------------------------------------------------------------------


def _score(data: Data, rows: np.ndarray, guess: np.ndarray, folds: np.ndarray) -> tuple[float, float, float]:
    """Return a score with an interval: accuracy with Wilson's, R² with that of its mean over folds."""
    y, (w, groups) = np.asarray(data.y)[rows], (None if a is None else a[rows] for a in (data.weights, data.groups))
    if data.kind == "classes" and w is None and groups is None:
        return wilson(int(np.sum(y == guess)), len(y))
    if data.kind == "classes":
        return clustered(y == guess, w, groups)
    w = np.ones(len(y)) if w is None else w
    variance = np.average((y - np.average(y, weights=w)) ** 2, weights=w)
    lost = (y - guess) ** 2 / variance
    of_folds = np.array([1 - np.average(lost[folds == k], weights=w[folds == k]) for k in np.unique(folds)])
    score = 1 - float(np.average(lost, weights=w))
    half = float(stats.t.ppf((1 + LEVEL) / 2, len(of_folds) - 1) * of_folds.std(ddof=1) / np.sqrt(len(of_folds)))
    return score, score - half, min(score + half, 1.0)


def wilson(right: int, n: int) -> tuple[float, float, float]:
    """Return a share with its 95% interval (Wilson 1927)."""
    interval = stats.binomtest(right, n).proportion_ci(LEVEL, method="wilson")
    return right / n, float(interval.low), float(interval.high)


def clustered(right: np.ndarray, w: np.ndarray | None, groups: np.ndarray | None) -> tuple[float, float, float]:
    """Return the share that is right, with an interval by the spread between groups, or between weighted rows."""
    w = np.ones(len(right)) if w is None else w
    labels = np.arange(len(right)) if groups is None else np.unique(groups, return_inverse=True)[1]
    share = float(np.average(right, weights=w))
    off: Any = np.bincount(labels, weights=w * (right - share))
    m = len(off)
    half = float(stats.t.ppf((1 + LEVEL) / 2, m - 1) * np.sqrt(m / (m - 1) * (off**2).sum()) / w.sum())
    return share, max(share - half, 0.0), min(share + half, 1.0)


def told_apart(
    y: np.ndarray, first: np.ndarray, second: np.ndarray, tries: int = 1, groups: np.ndarray | None = None
) -> bool:
    """Tell whether two classifiers differ on the same rows: McNemar's exact test, with Bonferroni over tries.

    Rows that belong together count as one: the group is won by the classifier that is right for more of its rows.
    """
    ahead = (first == y).astype(int) - (second == y)
    if groups is not None:
        ahead = np.sign(np.bincount(np.unique(groups, return_inverse=True)[1], weights=ahead))
    only, there = int(np.sum(ahead > 0)), int(np.sum(ahead < 0))
    if only + there == 0:
        return False
    return bool(stats.binomtest(only, only + there).pvalue * tries < 1 - LEVEL)


def better_or_worse(found: Compared, ours: str, data: Data) -> list[str]:
    """Return the methods that are told apart from ours, on the rows that judged both."""
    y, (rows, guess) = np.asarray(data.y), found.judged[ours]
    others = {name: judged for name, judged in found.judged.items() if name != ours}
    apart = []
    for name, (own, other) in others.items():
        both, mine, theirs = np.intersect1d(rows, own, assume_unique=True, return_indices=True)
        groups = None if data.groups is None else data.groups[both]
        if told_apart(y[both], guess[mine], other[theirs], len(others), groups):
            apart.append(name)
    return apart


# -- what is said ---------------------------------------------------------------------------------------------------


def note_rows(data: Data, found: Compared) -> None:
    """Say on how many rows methods were compared, where those are not all, and which do not take part."""
    if found.too_slow:
        verb = "does" if len(found.too_slow) == 1 else "do"
        known = [name for name, cls in methods().items() if declared(cls).compared_as in found.too_slow]
        ask = f" ({option('method', known[0])} asks for {'it' if len(known) == 1 else 'one'})" if known else ""
        data.notes.append(f"{listed(found.too_slow)} {verb} not take part in the comparison: it would take long{ask}.")
    by_count: dict[int, list[str]] = {}
    for name, (rows, _) in found.judged.items():
        by_count.setdefault(len(rows), []).append(name)
    counts, n = sorted(by_count, reverse=True), data.n_rows
    if not counts or counts == [n]:
        return
    first = "all rows" if counts[0] == n else f"{counts[0]:,} of the {n:,} rows, drawn at random"
    if len(counts) == 1:
        data.notes.append(f"Methods are compared on {first}.")
        return
    most, fewer = (listed(by_count[count], 6) for count in counts)
    are = "are" if len(by_count[counts[0]]) > 1 else "is"
    some = f"{counts[1]:,} of the {n:,} rows, drawn at random" if counts[0] == n else f"{counts[1]:,} of these"
    note = f"{most} {are} compared on {first}, {fewer} on {some}."
    data.notes.append(note[0].upper() + note[1:])
