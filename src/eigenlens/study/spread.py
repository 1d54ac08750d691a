"""No target: where do the rows spread, and in how many directions that they show?"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ..page.findings import Findings
from .data import Data
from .dimension_tests import spread_verdicts
from .methods import asked_model, declared
from .misfits import Misfits, tell_misfits
from .missing_cells import fitted_to, tell_holes
from .picture import show_all
from .plan import Plan, Progress
from .preparing import prepared
from .related import related_rows
from .sentences import base, correlations, spread_words


def answer(cls: Any, data: Data, plan: Plan, progress: Progress | None) -> tuple[Findings, Pipeline]:
    """Fit PCA, or one of its kin, and tell its directions from those of unrelated columns."""
    preparation = prepared(data, plan, full=True)
    names = preparation.names_out_
    model, says = asked_model(cls, data.n_rows, preparation, plan.seed), declared(cls)
    ready = fitted_to(model, preparation, data.table, weights=data.weights, whole=data.whole)
    X, model = ready.X, ready.model
    scores = np.asarray(model.transform(X))
    k = scores.shape[1]
    variance = says.spread.variances(model, scores)
    total = float(np.nanvar(X, axis=0, ddof=1).sum())
    own = getattr(model, "explained_variance_ratio_", None)
    shares: list[float | None] = (
        [None] * k
        if not hasattr(model, "components_")  # variances in a space that is not that of the columns
        else [float(v) for v in (variance / total if own is None else np.asarray(own))]
    )
    related = related_rows(data)
    found = spread_verdicts(model, X, variance, preparation.blocks(), plan, progress, ready.whole, related, data)
    axes = [f"component {j + 1}" for j in range(k)]
    directions = [found.direction(j, axes[j], float(variance[j]), shares[j]) for j in range(k)]
    loadings = _loadings(model, X, scores, data.weights)
    findings = base(data, plan, cls, directions, axes, scores, names, loadings)
    findings.value_name, findings.loading_kind = "variance", "weight in the direction (unit length)"
    if not hasattr(model, "components_"):
        findings.loading_kind = "correlation with the direction"
    findings.scree, findings.test = {"values": variance, **found.scree}, found.test
    spread_words(findings, preparation.standardise)
    passed = None
    if data.whole is None:
        tell_misfits(findings, model, X)
    else:
        held = Misfits.of(findings, model, data.n_rows)
        passed = data.whole.read_again(ready, held)
        if held is not None:
            held.tell(findings)
    tell_holes(findings, data, ready)
    if passed is not None:
        show_all(findings, data, passed)
    return findings, ready.pipeline


def _loadings(model: Any, X: np.ndarray, scores: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    if hasattr(model, "components_") and np.shape(model.components_)[1] == X.shape[1]:
        return np.asarray(model.components_).T
    return correlations(X, scores, weights)
