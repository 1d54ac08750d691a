"""No target: where do the rows spread, and how much of it is more than noise?"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ..inference import noise_band
from ..report.findings import Direction, Findings
from .contest import Progress
from .data import Data, Plan, prepared
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
    model = fitted(model, preparation.names_out_, X)
    scores = np.asarray(model.transform(X))
    names = preparation.names_out_
    n, k = scores.shape
    variance = scores.var(axis=0, ddof=1) if entry.name != "pca" else np.asarray(model.explained_variance_)
    total = float(X.var(axis=0, ddof=1).sum())
    own = getattr(model, "explained_variance_ratio_", None)
    shares: list[float | None] = (
        [None] * k
        if entry.name == "kernel-pca"
        else [float(v) for v in (variance / total if own is None else np.asarray(own))]
    )
    band = noise_band(n - 1, X.std(axis=0, ddof=1), seed=plan.seed)[:k] if entry.name == "pca" else None
    real = _verdicts(variance, band)
    axes = [f"component {j + 1}" for j in range(k)]
    directions = [Direction(axes[j], float(variance[j]), shares[j], *real[j]) for j in range(k)]
    loadings = _loadings(model, X, scores)
    findings = base(data, plan, entry, directions, axes, scores, names, loadings)
    findings.value_name, findings.loading_kind = "variance", "weight in the direction (unit length)"
    if not hasattr(model, "components_"):
        findings.loading_kind = "correlation with the direction"
    findings.scree = {"values": variance, "band": band}
    spread_words(findings, preparation.standardise)
    return findings, Pipeline([("prepare", preparation), ("model", model)])


def _verdicts(values: np.ndarray, band: np.ndarray | None) -> list[tuple[bool | None, str]]:
    if band is None:
        return [(None, "")] * len(values)
    above = np.logical_and.accumulate(values[: len(band)] > band)
    told: list[tuple[bool | None, str]] = [
        (bool(a), f"noise reaches {b:.3g}") for a, b in zip(above, band, strict=True)
    ]
    return told + [(False, "")] * (len(values) - len(told))


def _loadings(model: Any, X: np.ndarray, scores: np.ndarray) -> np.ndarray:
    if hasattr(model, "components_") and np.shape(model.components_)[1] == X.shape[1]:
        return np.asarray(model.components_).T
    return correlations(X, scores)


def correlations(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Return the correlation of each column of X with each of Z; zero where one of them does not vary."""
    A, B = X - X.mean(axis=0), Z - Z.mean(axis=0)
    a, b = np.sqrt((A**2).sum(axis=0)), np.sqrt((B**2).sum(axis=0))
    return (A / np.where(a > 0, a, 1)).T @ (B / np.where(b > 0, b, 1))
