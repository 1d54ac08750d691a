"""Two sets of columns: what do they have in common?"""

from __future__ import annotations

import numpy as np
from sklearn.pipeline import Pipeline

from ..report.findings import Direction, Findings
from .contest import Progress
from .data import Data, Plan, prepared
from .methods import Entry
from .spread import correlations
from .words import base, view_words


def answer(entry: Entry, data: Data, plan: Plan, progress: Progress | None) -> tuple[Findings, Pipeline]:
    """Fit canonical correlations and test how many pairs there are."""
    assert plan.views is not None
    first, second = (data.table.select(list(view)) for view in plan.views)
    preparation, other = prepared(data, plan, first), prepared(data, plan, second)
    X, Y = preparation.transform(first), other.transform(second)
    model = entry.model(plan.seed).fit(X, Y)
    Z, V = (np.asarray(part) for part in model.transform(X, Y))
    values = np.asarray(model.correlations_, dtype=float)
    test = model.test_dimension()
    axes = [f"pair {j + 1}, first set" for j in range(Z.shape[1])]
    axes += [f"pair {j + 1}, second set" for j in range(Z.shape[1])]
    directions = [
        Direction(f"pair {j + 1}", float(r), None, bool(j < test.dimension), _p(test.p_values, j))
        for j, r in enumerate(values)
    ]
    names = [*preparation.names_out_, *other.names_out_]
    both = np.concatenate([X, Y], axis=1)
    scores = np.concatenate([Z, V], axis=1)
    findings = base(data, plan, entry, directions, axes, scores, names, correlations(both, scores))
    findings.value_name, findings.loading_kind = "canonical correlation", "correlation with the direction"
    findings.scree = {"values": values, "band": None}
    findings.extras["pairs"] = len(values)
    findings.extras["sets"] = (list(plan.views[0]), list(plan.views[1]))
    view_words(findings, test)
    return findings, Pipeline([("prepare", preparation), ("model", model)])


def _p(p_values: np.ndarray, j: int) -> str:
    if j >= len(p_values):
        return ""
    return "Wilks p < 0.001" if p_values[j] < 0.001 else f"Wilks p = {p_values[j]:.3f}"
