"""No target: where do the rows spread, and how much of it is more than noise?"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ..report.findings import Findings
from .contest import Progress
from .data import Data, Plan, prepared
from .judging import spread_verdicts, variances
from .methods import Entry, fitted
from .words import base, spread_words

FEW = 4


def answer(entry: Entry, data: Data, plan: Plan, progress: Progress | None) -> tuple[Findings, Pipeline]:
    """Fit PCA, or one of its kin, and tell its directions from those of unrelated columns."""
    preparation = prepared(data, plan, full=True)
    X = preparation.transform(data.table)
    model = entry.model(plan.seed)
    if entry.name in ("sparse-pca", "kernel-pca"):  # these are looked at a few at a time
        model.set_params(n_components=min(FEW, *X.shape))
    elif entry.name == "pca":  # columns made of one column of words sum to 1: each such set has a direction too many
        dependent = sum(len(levels) > 2 for levels in preparation.levels_.values())
        if dependent:
            model.set_params(n_components=max(min(len(X) - 1, X.shape[1] - dependent), 1))
    model = fitted(model, preparation.names_out_, X)
    scores = np.asarray(model.transform(X))
    names = preparation.names_out_
    k = scores.shape[1]
    variance = variances(model, scores)
    total = float(X.var(axis=0, ddof=1).sum())
    own = getattr(model, "explained_variance_ratio_", None)
    shares: list[float | None] = (
        [None] * k
        if entry.name == "kernel-pca"
        else [float(v) for v in (variance / total if own is None else np.asarray(own))]
    )
    verdicts = spread_verdicts(entry, model, X, variance, preparation.blocks(), plan, progress)
    axes = [f"component {j + 1}" for j in range(k)]
    directions = [verdicts.direction(j, axes[j], float(variance[j]), shares[j]) for j in range(k)]
    loadings = _loadings(model, X, scores)
    findings = base(data, plan, entry, directions, axes, scores, names, loadings)
    findings.value_name, findings.loading_kind = "variance", "weight in the direction (unit length)"
    if not hasattr(model, "components_"):
        findings.loading_kind = "correlation with the direction"
    findings.scree, findings.test = {"values": variance, **verdicts.scree}, verdicts.test
    spread_words(findings, preparation.standardise)
    return findings, Pipeline([("prepare", preparation), ("model", model)])


def _loadings(model: Any, X: np.ndarray, scores: np.ndarray) -> np.ndarray:
    if hasattr(model, "components_") and np.shape(model.components_)[1] == X.shape[1]:
        return np.asarray(model.components_).T
    return correlations(X, scores)


def correlations(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Return the correlation of each column of X with each of Z; zero where one of them does not vary."""
    A, B = X - X.mean(axis=0), Z - Z.mean(axis=0)
    a, b = np.sqrt((A**2).sum(axis=0)), np.sqrt((B**2).sum(axis=0))
    return (A / np.where(a > 0, a, 1)).T @ (B / np.where(b > 0, b, 1))
