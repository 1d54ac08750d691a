"""A target of numbers: on which directions does it depend?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from ..arrays import errors
from ..arrays.spelling import refused
from ..page.findings import Findings, number
from ..regress.directions_curve import MOST_ROWS, CurveOnDirections
from ..validation.folds import GivenFolds
from .comparison import affordable_rows, compare, compared_methods, note_rows
from .data import Data, sample_rows
from .dimension_tests import verdicts
from .efforts import some_rows
from .fold_models import MOST_CELLS as MOST_SCATTERS
from .fold_models import fold_numbers, moments_of_folds
from .fold_regressions import FoldRegressions, ResponseSums, SampledRows, regressions_of
from .fold_splits import enough_for_folds, folds_of
from .group_folds import dealt_groups
from .leaks import leak_words
from .methods import declared, made
from .missing_cells import Ready, fitted_to, tell_holes
from .picture import show_all
from .plan import Plan, Progress
from .preparing import HUGE, prepared
from .related import related_rows
from .response_bins import bins_for, bins_of, cut_model, sliced, slices_wanted
from .sentences import base, number_words


def answer(cls: Any, data: Data, plan: Plan, progress: Progress | None) -> tuple[Findings, Pipeline]:
    """Fit an inverse regression, test its dimension, and ask how much of the response its directions explain."""
    y = np.asarray(data.y, dtype=float)
    reach = np.abs(y).max() if data.whole is None else data.whole.reach()
    if reach > HUGE:
        raise refused(
            "target", plan.target, f"it reaches {reach:.3g}, whose square is too large for a number; scale it"
        )
    preparation = prepared(data, plan)
    numbers = data.numbers if data.numbers is not None else np.arange(data.n_rows)
    model = sliced(made(cls, plan.seed), data.n_rows)
    if data.whole is None:
        model = cut_model(model, y, data.weights, numbers, len(preparation.names_out_), plan.seed)
    ready = fitted_to(model, preparation, data.table, y, data.weights, data.whole)
    X, model = ready.X, ready.model
    scores = np.asarray(model.transform(X))
    axes = [f"direction {j + 1}" for j in range(scores.shape[1])]
    values = np.asarray(model.eigenvalues_, dtype=float)
    found = verdicts(model, X, y, len(axes), plan, progress, len(axes), ready.whole, related_rows(data), data)
    total = float(values.sum())
    shares = values / total if total > 0 else [None] * len(values)
    directions = [found.direction(j, axis, float(values[j]), shares[j]) for j, axis in enumerate(axes)]
    loadings = ready.correlations(scores, data.weights)
    findings = base(data, plan, cls, directions, axes, scores, preparation.names_out_, loadings)
    findings.value_name, findings.loading_kind = "eigenvalue", "correlation with the direction"
    findings.scree, findings.test = {"values": values, **found.scree}, found.test
    findings.score_name = "R²"
    mean = np.average(y, weights=data.weights) if data.whole is None else data.whole.mean_response()
    findings.baseline = (f"always the mean, {number(mean)}", 0.0)
    bent = predicting(ready, scores, y, data, plan.seed)
    ring = compared_methods("number", plan.seed, data.n_rows, plan.folds) if plan.folds >= 2 else {}
    teams = number_teams(ring, sliced(made(cls, plan.seed), data.n_rows), preparation, data, X, plan)
    passed = None if data.whole is None else data.whole.read_again(bent, teams)
    if plan.folds >= 2 and enough_for_folds(y, "number", data.groups):
        ours = f"{declared(cls).compared_as} + curve"
        judged = compare(ring, teams, preparation, data, X, plan, progress, passed, ours)
        findings.comparison = [replace(c, ours=c.name == ours) for c in judged.methods]
        note_rows(data, judged)
    elif plan.folds >= 2:
        findings.doubts.append(f"Nothing was cross-validated: {len(y)} rows are too few.")
    findings.curve = _curve(scores[:, 0], y)
    findings.summary += leak_words(X, y, preparation.names_out_, "number", plan.target, data.numbers)
    number_words(findings, declared(cls).blind_spot())
    tell_holes(findings, data, ready, y)
    if passed is not None:
        show_all(findings, data, passed)
    return findings, bent.pipeline


def number_teams(
    models: dict[str, Any], model: Any, preparation: Any, data: Data, X: np.ndarray, plan: Plan
) -> dict[str, FoldRegressions]:
    """Fit the methods that fit from moments to the rows outside each fold, where rows are many.

    A few rows are fitted to again and again, each time with slices of their own. `model` says how many there are.
    """
    n, p = data.n_rows, X.shape[1]
    H = slices_wanted(model, n, p) if data.whole is None else 0
    if not models or n <= affordable_rows(p) or preparation.missing == "keep" or H is None:
        return {}
    groups = dealt_groups(data, plan, p, affordable_rows(p))
    if data.groups is not None and groups is None:
        return {}
    numbers, y = data.numbers if data.numbers is not None else np.arange(n), np.asarray(data.y, dtype=float)
    w = data.weights
    if groups is None:
        folds = folds_of(data, plan, affordable_rows(p))
        of_rows, n_folds = fold_numbers(folds, None, None, numbers), folds.n_folds
    else:
        of_rows, n_folds = groups.folds(data.group_keys), groups.n_folds
    some = _rows_of_curves(data, p, plan.seed)
    sample = SampledRows(X[some], y[some], None if w is None else w[some], of_rows[some])
    if data.whole is not None:
        return data.whole.regressions(models, preparation, sample)
    if (n_folds if groups is None else len(groups.of_buckets)) * p * p > MOST_SCATTERS:
        return {}
    bins = bins_for(H, y, w, numbers, p, plan.seed)
    codes = np.searchsorted(bins.codes, bins_of(y, bins.pivot))
    given = GivenFolds(n_folds, np.arange(n_folds))
    training = moments_of_folds(X, codes, bins.codes, of_rows, given, w, pooled=True).training()
    sums = ResponseSums.of(X, y, w, of_rows, n_folds, X[0], bins.pivot)
    return regressions_of(models, training, sums, bins, bins.slicing(H), sample)


def predicting(ready: Ready, scores: np.ndarray, y: np.ndarray, data: Data, seed: int) -> Ready:
    """Put a curve on the directions, so that the model predicts; where rows are too few for one, it does not."""
    curve = CurveOnDirections(clone(ready.model))
    rows = _rows_of_curves(data, ready.X.shape[1], seed)
    weights = None if data.weights is None else data.weights[rows]
    try:
        return replace(ready, model=curve.bent(ready.model, scores[rows], y[rows], weights))
    except errors.InputError as error:
        data.notes.append(f"The model has scores but does not predict: {error}")
        return ready


def _rows_of_curves(data: Data, p: int, seed: int) -> np.ndarray:
    """Return the rows that curves are fitted to, which a file that is read in pieces has in its sample too."""
    return some_rows(min(MOST_ROWS, sample_rows(p)), data.n_rows, seed, None, data.numbers)


def _curve(z: np.ndarray, y: np.ndarray, slices: int = 20) -> dict[str, list[float]]:
    """Return the inverse-regression curve: the mean of the first direction where the response lies in a slice."""
    order = np.argsort(y, kind="stable")
    parts = np.array_split(order, min(slices, max(len(y) // 5, 2)))
    return {
        "y": [float(y[p].mean()) for p in parts],
        "z": [float(z[p].mean()) for p in parts],
        "half": [float(z[p].std(ddof=1) / np.sqrt(len(p))) * 1.96 if len(p) > 1 else 0.0 for p in parts],
    }
