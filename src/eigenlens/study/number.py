"""A target of numbers: on which directions does it depend?"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from .._core import errors
from ..report.findings import Findings
from .comparison import compare, compared_methods, enough_for_folds, note_rows, sliced
from .data import HUGE, Data, Plan, Progress, prepared
from .dimension_tests import verdicts
from .holes import fitted_to, tell_holes
from .leaks import leak_words
from .methods import declared, made
from .words import base, correlations, number_words


def answer(cls: Any, data: Data, plan: Plan, progress: Progress | None) -> tuple[Findings, Pipeline]:
    """Fit an inverse regression, test its dimension, and ask how much of the response its directions explain."""
    y = np.asarray(data.y, dtype=float)
    if np.abs(y).max() > HUGE:
        raise errors.setting(
            "--target", plan.target, f"it reaches {np.abs(y).max():.3g}, whose square is no number; scale it"
        )
    preparation = prepared(data, plan)
    ready = fitted_to(sliced(made(cls, plan.seed), len(y)), preparation, data.table, y)
    X, model = ready.X, ready.model
    scores = np.asarray(model.transform(X))
    axes = [f"direction {j + 1}" for j in range(scores.shape[1])]
    values = np.asarray(model.eigenvalues_, dtype=float)
    found = verdicts(model, X, y, len(axes), plan, progress, groups=len(axes), whole=ready.whole)
    total = float(values.sum())
    shares = values / total if total > 0 else [None] * len(values)
    directions = [found.direction(j, axis, float(values[j]), shares[j]) for j, axis in enumerate(axes)]
    findings = base(data, plan, cls, directions, axes, scores, preparation.names_out_, correlations(X, scores))
    findings.value_name, findings.loading_kind = "eigenvalue", "correlation with the direction"
    findings.scree, findings.test = {"values": values, **found.scree}, found.test
    findings.score_name = "R²"
    findings.baseline = (f"always the mean, {y.mean():.4g}", 0.0)
    if plan.folds >= 2 and enough_for_folds(y, "number"):
        ring = compared_methods("number", plan.seed)
        findings.comparison, _, rows = compare(
            ring, preparation, data.table, y, "number", plan.folds, plan.seed, progress
        )
        note_rows(data, rows)
    elif plan.folds >= 2:
        findings.doubts.append(f"Nothing was cross-validated: {len(y)} rows are too few.")
    findings.extras["curve"] = _curve(scores[:, 0], y)
    findings.summary += leak_words(X, y, preparation.names_out_, "number", plan.target)
    number_words(findings, declared(cls).blind_spot)
    tell_holes(findings, data, ready, y)
    return findings, ready.pipeline


def _curve(z: np.ndarray, y: np.ndarray, slices: int = 20) -> dict[str, list[float]]:
    """Return the inverse-regression curve: the mean of the first direction where the response lies in a slice."""
    order = np.argsort(y, kind="stable")
    parts = np.array_split(order, min(slices, max(len(y) // 5, 2)))
    return {
        "y": [float(y[p].mean()) for p in parts],
        "z": [float(z[p].mean()) for p in parts],
        "half": [float(z[p].std(ddof=1) / np.sqrt(len(p))) * 1.96 if len(p) > 1 else 0.0 for p in parts],
    }
