"""A target of numbers: on which directions does it depend?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from .._core import errors
from ..regress._on_directions import MOST_ROWS, CurveOnDirections
from ..report.findings import Findings
from .comparison import compare, compared_methods, enough_for_folds, note_rows, sliced
from .data import Data
from .dimension_tests import related_rows, verdicts
from .efforts import some_rows
from .holes import Ready, fitted_to, tell_holes
from .leaks import leak_words
from .methods import declared, made
from .picture import show_all
from .plan import Plan, Progress
from .preparing import HUGE, prepared
from .response import cut_model
from .words import base, number_words


def answer(cls: Any, data: Data, plan: Plan, progress: Progress | None) -> tuple[Findings, Pipeline]:
    """Fit an inverse regression, test its dimension, and ask how much of the response its directions explain."""
    y = np.asarray(data.y, dtype=float)
    reach = np.abs(y).max() if data.whole is None else data.whole.reach()
    if reach > HUGE:
        raise errors.setting("--target", plan.target, f"it reaches {reach:.3g}, whose square is no number; scale it")
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
    findings.baseline = (f"always the mean, {mean:.4g}", 0.0)
    if plan.folds >= 2 and enough_for_folds(y, "number", data.groups):
        ring = compared_methods("number", plan.seed, data.n_rows, plan.folds)
        ours = f"{declared(cls).compared_as} + curve"
        judged = compare(ring, {}, preparation, data, X, plan, progress, ours=ours)
        findings.comparison = [replace(c, ours=c.name == ours) for c in judged.methods]
        note_rows(data, judged)
    elif plan.folds >= 2:
        findings.doubts.append(f"Nothing was cross-validated: {len(y)} rows are too few.")
    findings.extras["curve"] = _curve(scores[:, 0], y)
    findings.summary += leak_words(X, y, preparation.names_out_, "number", plan.target, data.numbers)
    number_words(findings, declared(cls).blind_spot)
    tell_holes(findings, data, ready, y)
    bent = predicting(ready, scores, y, data, plan.seed)
    if data.whole is not None:
        show_all(findings, data, data.whole.read_again(bent, {}))
    return findings, bent.pipeline


def predicting(ready: Ready, scores: np.ndarray, y: np.ndarray, data: Data, seed: int) -> Ready:
    """Put a curve on the directions, so that the model predicts; where rows are too few for one, it does not."""
    curve = CurveOnDirections(clone(ready.model))
    rows = some_rows(MOST_ROWS, data.n_rows, seed, None, data.numbers)
    weights = None if data.weights is None else data.weights[rows]
    try:
        return replace(ready, model=curve.bent(ready.model, scores[rows], y[rows], weights))
    except errors.InputError as error:
        data.notes.append(f"The model has scores but does not predict: {error}")
        return ready


def _curve(z: np.ndarray, y: np.ndarray, slices: int = 20) -> dict[str, list[float]]:
    """Return the inverse-regression curve: the mean of the first direction where the response lies in a slice."""
    order = np.argsort(y, kind="stable")
    parts = np.array_split(order, min(slices, max(len(y) // 5, 2)))
    return {
        "y": [float(y[p].mean()) for p in parts],
        "z": [float(z[p].mean()) for p in parts],
        "half": [float(z[p].std(ddof=1) / np.sqrt(len(p))) * 1.96 if len(p) > 1 else 0.0 for p in parts],
    }
