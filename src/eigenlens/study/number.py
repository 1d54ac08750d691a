"""A target of numbers: on which directions does it depend?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from .._core import errors
from ..regress._on_directions import CurveOnDirections
from ..report.findings import Findings
from .comparison import compare, compared_methods, enough_for_folds, note_rows, sliced
from .data import Data
from .dimension_tests import related_rows, verdicts
from .holes import Ready, fitted_to, tell_holes
from .leaks import leak_words
from .methods import declared, made
from .plan import Plan, Progress
from .preparing import HUGE, prepared
from .words import base, correlations, number_words


def answer(cls: Any, data: Data, plan: Plan, progress: Progress | None) -> tuple[Findings, Pipeline]:
    """Fit an inverse regression, test its dimension, and ask how much of the response its directions explain."""
    y = np.asarray(data.y, dtype=float)
    if np.abs(y).max() > HUGE:
        raise errors.setting(
            "--target", plan.target, f"it reaches {np.abs(y).max():.3g}, whose square is no number; scale it"
        )
    preparation = prepared(data, plan)
    ready = fitted_to(sliced(made(cls, plan.seed), len(y)), preparation, data.table, y, data.weights)
    X, model = ready.X, ready.model
    scores = np.asarray(model.transform(X))
    axes = [f"direction {j + 1}" for j in range(scores.shape[1])]
    values = np.asarray(model.eigenvalues_, dtype=float)
    found = verdicts(model, X, y, len(axes), plan, progress, len(axes), ready.whole, related_rows(data))
    total = float(values.sum())
    shares = values / total if total > 0 else [None] * len(values)
    directions = [found.direction(j, axis, float(values[j]), shares[j]) for j, axis in enumerate(axes)]
    loadings = correlations(X, scores, data.weights)
    findings = base(data, plan, cls, directions, axes, scores, preparation.names_out_, loadings)
    findings.value_name, findings.loading_kind = "eigenvalue", "correlation with the direction"
    findings.scree, findings.test = {"values": values, **found.scree}, found.test
    findings.score_name = "R²"
    findings.baseline = (f"always the mean, {np.average(y, weights=data.weights):.4g}", 0.0)
    if plan.folds >= 2 and enough_for_folds(y, "number", data.groups):
        ring = compared_methods("number", plan.seed, len(y), plan.folds)
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
    return findings, predicting(ready, scores, y, data).pipeline


def predicting(ready: Ready, scores: np.ndarray, y: np.ndarray, data: Data) -> Ready:
    """Put a curve on the directions, so that the model predicts; where rows are too few for one, it does not."""
    curve = CurveOnDirections(clone(ready.model))
    try:
        return replace(ready, model=curve.bent(ready.model, scores, y, data.weights))
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
