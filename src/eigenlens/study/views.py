"""Two sets of columns: what do they have in common?"""

from __future__ import annotations

import numpy as np
from sklearn.pipeline import Pipeline

from ..report.findings import Findings
from .contest import Progress
from .data import Data, Plan, prepared
from .judging import view_verdicts
from .methods import Entry
from .spread import correlations
from .words import base, view_words


def answer(entry: Entry, data: Data, plan: Plan, progress: Progress | None) -> tuple[Findings, Pipeline]:
    """Fit canonical correlations and test how many pairs there are."""
    assert plan.views is not None
    first, second = (data.table.select(list(view)) for view in plan.views)
    preparation, other = prepared(data, plan, first, of="first set"), prepared(data, plan, second, of="second set")
    X, Y = preparation.transform(first), other.transform(second) * other.scale_ + other.centre_
    model = entry.model(plan.seed).fit(X, Y)  # the second set in its own units, which are those of what is predicted
    Z, V = (np.asarray(part) for part in model.transform(X, Y))
    values = np.asarray(model.correlations_, dtype=float)
    verdicts = view_verdicts(model, len(X), X.shape[1], Y.shape[1], len(values))
    axes = [f"pair {j + 1}, first set" for j in range(Z.shape[1])]
    axes += [f"pair {j + 1}, second set" for j in range(Z.shape[1])]
    directions = [verdicts.direction(j, f"pair {j + 1}", float(r), None) for j, r in enumerate(values)]
    names = [*preparation.names_out_, *other.names_out_]
    both = np.concatenate([X, Y], axis=1)
    scores = np.concatenate([Z, V], axis=1)
    findings = base(data, plan, entry, directions, axes, scores, names, correlations(both, scores))
    findings.value_name, findings.loading_kind = "canonical correlation", "correlation with the direction"
    findings.scree, findings.test = {"values": values, **verdicts.scree}, verdicts.test
    findings.extras["pairs"], findings.extras["split"] = len(values), len(preparation.names_out_)
    findings.extras["second"] = other
    findings.extras["sets"] = (list(plan.views[0]), list(plan.views[1]))
    view_words(findings)
    return findings, Pipeline([("prepare", preparation), ("model", model)])
