"""A target of numbers: on which directions does it depend?"""

from __future__ import annotations

import numpy as np
from sklearn.pipeline import Pipeline

from ..report.findings import Direction, Findings
from .contest import Progress, compare, contestants, enough_for_folds
from .data import Data, Plan, prepared
from .methods import Entry, fitted
from .spread import correlations
from .words import base, number_words


def answer(entry: Entry, data: Data, plan: Plan, progress: Progress | None) -> tuple[Findings, Pipeline]:
    """Fit an inverse regression, test its dimension, and ask how much of the response its directions explain."""
    y = np.asarray(data.y, dtype=float)
    preparation = prepared(data, plan)
    X = preparation.transform(data.table)
    model = fitted(entry.model(plan.seed), preparation.names_out_, X, y)
    scores = np.asarray(model.transform(X))
    axes = [f"direction {j + 1}" for j in range(scores.shape[1])]
    values = np.asarray(model.eigenvalues_, dtype=float)
    test = model.test_dimension()
    total = float(values.sum())
    directions = [
        Direction(
            axis,
            float(values[j]),
            float(values[j] / total) if total > 0 else None,
            bool(j < test.dimension),
            _evidence(test.p_values, j),
        )
        for j, axis in enumerate(axes)
    ]
    findings = base(data, plan, entry, directions, axes, scores, preparation.names_out_, correlations(X, scores))
    findings.value_name, findings.loading_kind = "eigenvalue", "correlation with the direction"
    findings.scree = {"values": values, "band": None}
    findings.score_name = "R²"
    findings.baseline = (f"always the mean, {y.mean():.4g}", 0.0)
    if plan.folds >= 2 and enough_for_folds(y, "number"):
        ring = contestants("number", plan.seed)
        findings.comparison, _, _ = compare(ring, preparation, data.table, y, "number", plan.folds, plan.seed, progress)
    findings.extras["curve"] = _curve(scores[:, 0], y)
    number_words(findings, test)
    return findings, Pipeline([("prepare", preparation), ("model", model)])


def _evidence(p_values: np.ndarray, j: int) -> str:
    if j >= len(p_values):
        return ""
    return "p < 0.001" if p_values[j] < 0.001 else f"p = {p_values[j]:.3f}"


def _curve(z: np.ndarray, y: np.ndarray, slices: int = 20) -> dict[str, list[float]]:
    """Return the inverse-regression curve: the mean of the first direction where the response lies in a slice."""
    order = np.argsort(y, kind="stable")
    parts = np.array_split(order, min(slices, max(len(y) // 5, 2)))
    return {
        "y": [float(y[p].mean()) for p in parts],
        "z": [float(z[p].mean()) for p in parts],
        "half": [float(z[p].std(ddof=1) / np.sqrt(len(p))) * 1.96 if len(p) > 1 else 0.0 for p in parts],
    }
