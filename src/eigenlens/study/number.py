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
from .compare import compare, compared_methods, note_rows
from .data import Data, sample_rows
from .dimension_tests import verdicts
from .efforts import some_rows
from .leaks import leak_words
from .methods import declared, made
from .missing_cells import Ready, fitted_to, tell_holes
from .picture import show_all
from .plan import Plan, Progress
from .preparing import HUGE, prepared
from .related import related_rows
from .response_bins import cut_model, sliced
from .sentences import base, number_words

FEWEST_ROWS = 10  # of a cross-validation


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
    passed = None if data.whole is None else data.whole.read_again(bent)
    if plan.folds >= 2 and len(y) >= FEWEST_ROWS and (data.groups is None or len(np.unique(data.groups)) >= 2):
        ring = compared_methods("number", plan.seed, data.n_rows, plan.folds)
        ours = f"{declared(cls).compared_as} + curve"
        judged = compare(ring, preparation, data, ready.unfilled, plan, progress, ours)
        findings.comparison = [replace(c, ours=c.name == ours) for c in judged.methods]
        note_rows(data, judged)
    elif plan.folds >= 2:
        findings.doubts.append(f"Nothing was cross-validated: {len(y)} rows are too few.")
    findings.curve = _curve(scores[:, 0], y)
    if not data.second_look:
        findings.summary += leak_words(X, y, preparation.names_out_, "number", plan.target, data.numbers)
    number_words(findings, declared(cls).blind_spot())
    tell_holes(findings, data, ready, y)
    if passed is not None:
        show_all(findings, data, passed)
    return findings, bent.pipeline


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
