"""Methods compared by cross-validation: every row is judged by a model that has not seen it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from ..arrays.errors import listed
from ..arrays.spelling import option
from ..page.findings import ComparedMethod
from ..regress.directions_curve import CurveOnDirections
from ..validation.folds import Folds
from ..validation.refits import splits_of_folds
from .data import Data
from .efforts import some_rows
from .fold_models import MOST_CELLS as MOST_SCATTERS
from .fold_models import FoldModels, affordable, fold_numbers, moments_of_folds, teams_of
from .fold_regressions import FoldRegressions
from .fold_splits import folds_of
from .gaussian_svm import MANY_COLUMNS, GaussianSVM
from .group_folds import dealt_groups, rule_of_buckets
from .methods import declared, made, methods, rivals
from .missing_cells import fitted_rows, modelled
from .plan import Plan, Progress
from .response_bins import sliced
from .tallies import LEVEL, ClassTally, Tally, clustered, explained, wilson

MOST_ROWS = 8_000  # rows that a comparison uses: an SVM of classes that overlap pays for their square
MOST_CELLS = 300_000  # and cells, columns of 0 and 1 counted; with these the slowest method takes some seconds a fold
FEWEST_ROWS = 1000  # however many columns there are
WORK, WORK_OF_ONE = 5e9, 4e9  # multiplications of a comparison, and of a method in it: some seconds
FLOOR = 700  # rows that a method must be able to take, or else it does not take part


def compared_methods(kind: str, seed: int, n: int, folds: int) -> dict[str, Any]:
    """Return the models that are compared for a kind of target, for n rows in so many folds."""
    ours = {declared(cls).compared_as: made(cls, seed).set_params(**declared(cls).brisk) for cls in rivals(kind)}
    if kind == "classes":
        return {**ours, "SVM (Gaussian kernel)": GaussianSVM()}
    seen = n - n // folds
    curves = {f"{name} + curve": CurveOnDirections(sliced(model, seen)) for name, model in ours.items()}
    return {"linear regression": LinearRegression(), **curves}


@dataclass
class Compared:
    """What came out of a comparison.

    Attributes
    ----------
    methods : list of ComparedMethod
    predicted : dict of str to ndarray
        What each method said about the rows.
    rows : ndarray of int
        Which rows were judged by methods that need rows.
    tallies : dict of str to Tally
        Of methods that were validated from moments, on all rows.
    too_slow : list of str
        Methods that would have taken too long.
    """

    methods: list[ComparedMethod]
    predicted: dict[str, np.ndarray]
    rows: np.ndarray
    tallies: dict[str, Tally] = field(default_factory=dict)
    too_slow: list[str] = field(default_factory=list)


def compare(
    models: dict[str, Any],
    teams: Mapping[str, FoldModels | FoldRegressions],
    preparation: Any,
    data: Data,
    X: np.ndarray,
    plan: Plan,
    progress: Progress | None = None,
    passed: Any = None,
    ours: str = "",
) -> Compared:
    """Judge models on rows that neither they nor their preparation have seen.

    Parameters
    ----------
    models : dict of str to unfitted model
    teams : dict of str to FoldModels or FoldRegressions
        Those of them that were fitted from moments, and so are judged on all rows; the others are fitted again, to
        rows that may be some of them.
    preparation : fitted Preparation
    data : Data
    X : ndarray of shape (n, p)
        The rows prepared; a sample of them where a file is read in pieces.
    plan : Plan
    progress : Progress or None
    passed : Passed, optional
        What the second pass over a file has found.
    ours : str
        The method in question, which takes part whatever it costs.
    """
    y, kind, n = np.asarray(data.y), data.kind, data.n_rows
    p, sizes = len(preparation.names_out_), data.class_sizes()[1] if kind == "classes" else None
    kept, most = within_budget({name: m for name, m in models.items() if name not in teams}, n, p, plan.folds, ours)
    too_slow = [name for name in models if name not in kept and name not in teams]
    models = {name: model for name, model in models.items() if name not in too_slow}
    numbers = data.numbers if data.numbers is not None else np.arange(n)
    rows = some_rows(most, n, plan.seed, y if kind == "classes" else None, numbers, sizes)
    folds = folds_of(data, plan, affordable_rows(p), rows)
    guess_type = y.dtype if kind == "classes" else float
    trials = {name: _Trial(models[name], np.empty(len(rows), guess_type)) for name in models if name not in teams}
    labels, codes = np.unique(y, return_inverse=True) if kind == "classes" else (None, None)
    own = None if codes is None else codes[rows]
    splits = splits_of_folds(fold_numbers(folds, own, labels, numbers[rows] if data.groups is None else rows))
    _try(trials, preparation, data, X, rows, splits, progress)
    w, groups = (None if of_all is None else of_all[rows] for of_all in (data.weights, data.groups))
    found = {name: trial.told(name, y[rows], kind, splits, w, groups, preparation) for name, trial in trials.items()}
    predicted = {name: trial.guess for name, trial in trials.items() if not trial.note}
    tallies = {}
    for name, (method, guess, tally) in _judged_teams(teams, models, X, data, plan, folds, passed).items():
        found[name], tallies[name] = method, tally
        predicted[name] = guess[rows] if labels is None else labels[guess[rows]]
    in_order = {name: predicted[name] for name in models if name in predicted}
    return Compared([found[name] for name in models], in_order, rows, tallies, too_slow)


def _judged_teams(
    teams: Mapping[str, FoldModels | FoldRegressions],
    models: dict[str, Any],
    X: np.ndarray,
    data: Data,
    plan: Plan,
    folds: Folds,
    passed: Any,
) -> dict[str, tuple[ComparedMethod, np.ndarray, Tally]]:
    """Judge methods that were fitted from moments on all rows: a score, what each said about a row, and its tally."""
    y, p = np.asarray(data.y), X.shape[1]
    labels, codes = np.unique(y, return_inverse=True) if data.kind == "classes" else (None, None)
    numbers = data.numbers if data.numbers is not None else np.arange(data.n_rows)
    truth, buckets, of_all = y if codes is None else codes, None, None
    if teams and data.groups is None:
        of_all = fold_numbers(folds, codes, labels, numbers)
    elif teams:
        dealt: Any = dealt_groups(data, plan, p, affordable_rows(p))
        of_all, buckets = dealt.folds(data.group_keys), (dealt.buckets(data.group_keys), len(dealt.of_buckets))
    judged = {}
    for name, team in teams.items():
        start = time.perf_counter()
        guess, tally = team.judged(X, truth, of_all, labels, data.weights, buckets)  # type: ignore[arg-type]
        tally = tally if passed is None else passed.tallies[name]
        advantage = getattr(declared(models[name]), "advantage", "")
        seconds = team.seconds + time.perf_counter() - start
        judged[name] = (ComparedMethod(name, *_scored(tally, data), seconds, advantage=advantage), guess, tally)
    return judged


def fold_teams(
    models: dict[str, Any], preparation: Any, data: Data, X: np.ndarray, plan: Plan
) -> dict[str, FoldModels]:
    """Fit the methods that fit from moments to the rows outside each fold; the others are refitted to rows."""
    if not models or data.class_sizes()[1].min() < 2:
        return {}
    groups = dealt_groups(data, plan, X.shape[1], affordable_rows(X.shape[1]))
    if data.groups is not None and groups is None:
        return {}
    if data.whole is not None:
        return data.whole.teams(models, preparation)
    labels, codes = np.unique(np.asarray(data.y), return_inverse=True)
    n, p = X.shape
    if preparation.missing == "keep" or not affordable(n, p, len(labels), plan.folds):
        return {}
    if groups is not None:
        count = len(groups.of_buckets)
        pooled, rule = len(labels) * count * p * p > MOST_SCATTERS, rule_of_buckets(count)
        found = moments_of_folds(X, codes, labels, groups.buckets(data.group_keys), rule, data.weights, pooled)
        return teams_of(models, groups.gathered(found).training(), preparation.standardise)
    folds = folds_of(data, plan, affordable_rows(p))
    numbers = data.numbers if data.numbers is not None else np.arange(n)
    training = moments_of_folds(X, codes, labels, numbers, folds, data.weights).training()
    return teams_of(models, training, preparation.standardise)


def _try(
    trials: dict[str, _Trial],
    preparation: Any,
    data: Data,
    X: np.ndarray,
    rows: np.ndarray,
    splits: list[Any],
    progress: Progress | None,
) -> None:
    """Fit methods to the rows outside each fold, and have them predict those in it."""
    import pyarrow as pa

    numbers = not preparation.levels_ and preparation.missing == "refuse"
    prepare = _rescaled if numbers else _prepared_again
    part: Any = X[rows] if numbers else data.table.take(pa.array(rows))
    z, w = np.asarray(data.y)[rows], None if data.weights is None else data.weights[rows]
    for k, (train, test) in enumerate(splits):
        weights = None if w is None else w[train]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the model that is kept says what there is to say
            ready, seen, new = prepare(preparation, part, train, test, weights)
            for done, (name, trial) in enumerate(trials.items()):
                if progress:
                    progress(f"comparing methods: {name}", k * len(trials) + done, len(splits) * len(trials))
                trial.judge(ready, seen, z[train], weights, new, test)
    if progress:
        progress("", 1, 1)


def _prepared_again(
    preparation: Any, table: Any, train: np.ndarray, test: np.ndarray, weights: np.ndarray | None
) -> tuple[Any, np.ndarray, np.ndarray]:
    """Prepare a table as the rows outside a fold say."""
    import pyarrow as pa

    seen, new = table.take(pa.array(train)), table.take(pa.array(test))
    ready = clone(preparation).set_params(unseen="none")  # a rare word may be in one fold only
    ready.fit(seen, sample_weight=weights)
    return ready, ready.transform(seen), ready.transform(new)


def _rescaled(
    preparation: Any, X: np.ndarray, train: np.ndarray, test: np.ndarray, weights: np.ndarray | None
) -> tuple[Any, np.ndarray, np.ndarray]:
    """Do the same for rows of numbers that were prepared, which are centred and scaled once more."""
    seen, new = X[train], X[test]
    varies = seen.min(axis=0) < seen.max(axis=0)
    if not varies.all():
        seen, new = seen[:, varies], new[:, varies]
    mean = np.average(seen, axis=0, weights=weights)
    scale: Any = 1.0
    if preparation.standardise:
        squares = np.average((seen - mean) ** 2, axis=0, weights=weights)
        scale = np.sqrt(squares * len(seen) / max(len(seen) - 1, 1))
    return preparation, (seen - mean) / scale, (new - mean) / scale


@dataclass
class _Trial:
    """One method of a comparison."""

    model: Any
    guess: np.ndarray
    seconds: float = 0.0
    note: str = ""

    def judge(
        self, preparation: Any, X: np.ndarray, y: np.ndarray, w: Any, X_new: np.ndarray, test: np.ndarray
    ) -> None:
        """Fit to some rows and predict others; a method that cannot be fitted is out."""
        if self.note:
            return
        start = time.perf_counter()
        try:
            self.guess[test] = fitted_rows(clone(self.model), preparation, X, y, w, named=False).predict_rows(X_new)
        except ValueError as error:
            self.note = f"could not be fitted: {str(error).split('. ')[0]}"
        self.seconds += time.perf_counter() - start

    def told(
        self, name: str, y: np.ndarray, kind: str, splits: list[Any], w: Any, groups: Any, preparation: Any
    ) -> ComparedMethod:
        """Return the score of the method."""
        score = (np.nan, np.nan, np.nan) if self.note else _score(y, self.guess, kind, splits, w, groups)
        advantage = getattr(declared(self.model), "advantage", "boundaries that need not be straight")
        fills = preparation.missing == "keep" and modelled(self.model) is None
        return ComparedMethod(name, *score, self.seconds, self.note, advantage=advantage, fills=fills)


def within_budget(models: dict[str, Any], n: int, p: int, folds: int, ours: str) -> tuple[list[str], int]:
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
    if isinstance(model, GaussianSVM):  # a pair of rows costs as much as twenty columns beside its own
        return 0.2 * n * n * p if p > MANY_COLUMNS else 1.5 * n * n * (p + 20)
    return 3.0 * n * p * min(n, p)


def affordable_rows(p: int) -> int:
    """Return the most rows of p columns that methods are compared on: every method pays for each cell."""
    return min(MOST_ROWS, max(MOST_CELLS // p, FEWEST_ROWS))


def _scored(tally: Tally, data: Data) -> tuple[float, float, float]:
    """Return the score that a tally of all rows tells."""
    if isinstance(tally, ClassTally):
        return tally.score()
    if data.whole is not None:
        return tally.score(data.whole.response_variance())
    y = np.asarray(data.y, dtype=float)
    return tally.score(float(np.average((y - np.average(y, weights=data.weights)) ** 2, weights=data.weights)))


def _score(
    y: np.ndarray, guess: np.ndarray, kind: str, splits: list[Any], w: np.ndarray | None, groups: np.ndarray | None
) -> tuple[float, float, float]:
    """Return a score with an interval: accuracy with Wilson's, R² with that of its mean over folds."""
    if kind == "classes" and w is None and groups is None:
        return wilson(int(np.sum(y == guess)), len(y))
    if kind == "classes":
        return clustered(y == guess, w, groups)
    w = np.ones(len(y)) if w is None else w
    mean = np.average(y, weights=w)
    variance = np.average((y - mean) ** 2, weights=w)
    whole = 1 - float(np.average((y - guess) ** 2, weights=w) / variance)
    folds = np.array([1 - np.average((y[t] - guess[t]) ** 2, weights=w[t]) / variance for _, t in splits])
    return explained(whole, folds)


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


def note_rows(data: Data, found: Compared) -> None:
    """Say on how many rows methods were compared, where those are not all, and which do not take part."""
    if found.too_slow:
        verb = "does" if len(found.too_slow) == 1 else "do"
        known = [name for name, cls in methods().items() if declared(cls).compared_as in found.too_slow]
        ask = f" ({option('method', known[0])} asks for {'it' if len(known) == 1 else 'one'})" if known else ""
        data.notes.append(f"{listed(found.too_slow)} {verb} not take part in the comparison: it would take long{ask}.")
    if len(found.rows) >= data.n_rows:
        return
    some = f"{len(found.rows):,} of the {data.n_rows:,} rows, drawn at random"
    others = [c.name for c in found.methods if c.name not in found.tallies]
    if found.tallies and others:
        are = "are" if len(found.tallies) > 1 else "is"
        note = f"{listed(found.tallies, 6)} {are} compared on all rows, {listed(others, 6)} on {some}."
        data.notes.append(note[0].upper() + note[1:])
    elif others:
        data.notes.append(f"Methods are compared on {some}.")
