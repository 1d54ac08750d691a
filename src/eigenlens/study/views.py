"""Two sets of columns: what do they have in common?"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ..page.findings import Findings
from .data import Data
from .dimension_tests import verdicts
from .methods import made
from .missing_cells import fitted_to_pair, tell_holes
from .plan import Plan, Progress
from .preparing import prepared
from .related import related_rows
from .sentences import base, correlations, view_words


def answer(cls: Any, data: Data, plan: Plan, progress: Progress | None) -> tuple[Findings, Pipeline]:
    """Fit canonical correlations and test how many pairs there are."""
    assert plan.views is not None
    first, second = (data.table.select(list(view)) for view in plan.views)
    preparation, other = prepared(data, plan, first, of="first set"), prepared(data, plan, second, of="second set")
    Y = other.transform(second) * other.scale_ + other.centre_  # in its own units, which are those of what is predicted
    ready, Y = fitted_to_pair(made(cls, plan.seed), preparation, preparation.transform(first), Y, data.weights)
    X, model = ready.X, ready.model
    Z, V = (np.asarray(part) for part in model.transform(X, Y))
    values = np.asarray(model.correlations_, dtype=float)
    related = related_rows(data)
    found = verdicts(model, X, Y, len(values), plan, progress, Y.shape[1], ready.whole, related)
    axes = [f"pair {j + 1}, first set" for j in range(Z.shape[1])]
    axes += [f"pair {j + 1}, second set" for j in range(Z.shape[1])]
    directions = [found.direction(j, f"pair {j + 1}", float(r), None) for j, r in enumerate(values)]
    names = [*preparation.names_out_, *other.names_out_]
    both = np.concatenate([X, Y], axis=1)
    scores = np.concatenate([Z, V], axis=1)
    findings = base(data, plan, cls, directions, axes, scores, names, correlations(both, scores, data.weights))
    findings.value_name, findings.loading_kind = "canonical correlation", "correlation with the direction"
    findings.scree, findings.test = {"values": values, **found.scree}, found.test
    findings.pairs, findings.split = len(values), len(preparation.names_out_)
    findings.second = other
    view_words(findings)
    tell_holes(findings, data, ready, Y, other)
    return findings, ready.pipeline
