"""A target of classes: what parts them, and how well?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from .._core import errors
from .._core.errors import listed
from ..report.findings import Findings
from .comparison import compare, compared_methods, enough_for_folds, note_rows, told_apart
from .data import Data, prepared
from .dimension_tests import related_rows, verdicts
from .holes import fitted_to, tell_holes
from .leaks import leak_words
from .methods import declared, if_separated, made
from .plan import Plan, Progress
from .words import base, class_words, correlations

REGION_STEPS = 120
MOST_CLASSES = 50


def answer(cls: Any, data: Data, plan: Plan, progress: Progress | None) -> tuple[Findings, Pipeline]:
    """Fit a discriminant, test its directions, and compare methods by cross-validation."""
    y = np.asarray(data.y)
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) > MOST_CLASSES:
        rule = f"it has {len(classes):,} different values, too many for classes"
        raise errors.setting("--target", plan.target, rule + "; if it is a number, add --as number")
    if len(classes) < 2:
        raise errors.setting(
            "--target", plan.target, f"it holds one class ({str(classes[0])!r}): nothing is to be parted"
        )
    if counts.max() < 2:
        rule = "each of its values stands in one row only, and a class needs several"
        raise errors.setting(
            "--target", plan.target, rule + "; if it names the rows, leave it out and ask without a target"
        )
    preparation = prepared(data, plan)
    ready = fitted_to(made(cls, plan.seed), preparation, data.table, y, data.weights)
    X, model = ready.X, ready.model
    scores = np.asarray(model.transform(X))
    axes = [f"discriminant {j + 1}" for j in range(scores.shape[1])]
    r2, shares = _separation(scores, y, getattr(model, "explained_variance_ratio_", None), data.weights)
    found = verdicts(model, X, y, len(r2), plan, progress, len(classes), ready.whole, related_rows(data))
    values = np.sqrt(r2)
    directions = [found.direction(j, axis, float(values[j]), float(shares[j])) for j, axis in enumerate(axes)]
    loadings = correlations(X, scores, data.weights)
    findings = base(data, plan, cls, directions, axes, scores, preparation.names_out_, loadings)
    findings.value_name, findings.loading_kind = "canonical correlation", "correlation with the direction"
    findings.scree, findings.test = {"values": values, **found.scree}, found.test
    findings.score_name = "accuracy"
    mass = np.array([np.sum(y == c) if data.weights is None else data.weights[y == c].sum() for c in classes])
    findings.baseline = (f"always {str(classes[np.argmax(mass)])!r}", float(mass.max() / mass.sum()))
    if plan.folds >= 2 and enough_for_folds(y, "classes", data.groups):
        _judge(findings, cls, preparation, data, plan, progress)
    elif plan.folds >= 2:
        what = "row" if counts.min() < 2 else f"{data.roles.group!r}"
        few = [c for c in classes if len(np.unique(np.flatnonzero(y == c) if what == "row" else _groups(data, c))) < 2]
        lone = ", ".join(repr(str(c)) for c in few)
        findings.doubts.append(
            f"Nothing was cross-validated: there is a single {what} of {lone}. Add rows, or drop it."
        )
    separating = _separating_columns(X, y, preparation.names_out_)
    if separating:
        what, how = _separation_words(separating, plan.target, model)
        findings.summary.append(what)
        data.notes += [how] if how else []
    else:
        findings.summary += leak_words(X, y, preparation.names_out_, "classes", plan.target)
    findings.extras["regions"] = _regions(model, scores, classes)
    findings.extras["class_sizes"] = dict(zip([str(c) for c in classes], counts.tolist(), strict=True))
    class_words(findings, counts)
    tell_holes(findings, data, ready, y)
    return findings, ready.pipeline


def _judge(findings: Findings, cls: Any, preparation: Any, data: Data, plan: Plan, progress: Progress | None) -> None:
    """Compare methods on rows left out; note which ones are told apart from ours, and what ours confuses."""
    y = np.asarray(data.y)
    ring = compared_methods("classes", plan.seed, len(y), plan.folds)
    name = declared(cls).compared_as
    found = compare(ring, preparation, data, plan.folds, plan.seed, progress, name)
    findings.comparison, predicted, rows = found.methods, found.predicted, found.rows
    note_rows(data, found)
    findings.comparison = [replace(c, ours=c.name == name) for c in findings.comparison]
    ours = predicted.pop(name, None)
    if ours is None:
        return
    classes = np.unique(y)
    groups = None if data.groups is None else data.groups[rows]
    findings.confusion = ([str(c) for c in classes], _confusion(y[rows], ours, classes))
    findings.extras["told_apart"] = [
        name for name, other in predicted.items() if told_apart(y[rows], ours, other, len(predicted), groups)
    ]


def _groups(data: Data, label: Any) -> np.ndarray:
    assert data.groups is not None
    return data.groups[np.asarray(data.y) == label]


def _separation(
    Z: np.ndarray, y: np.ndarray, own: Any, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the squared canonical correlation of each direction with the classes, and its share of the separation."""
    w = np.ones(len(y)) if weights is None else weights
    classes, codes = np.unique(y, return_inverse=True)
    centred = Z - np.average(Z, axis=0, weights=w)
    means = np.stack([np.average(centred[codes == c], axis=0, weights=w[codes == c]) for c in range(len(classes))])
    between = (np.bincount(codes, weights=w)[:, None] * means**2).sum(axis=0)
    total = (w[:, None] * centred**2).sum(axis=0)
    r2 = np.clip(between / np.where(total > 0, total, 1), 0.0, 1.0)
    ratio = r2 / np.maximum(1 - r2, 1e-12)
    return r2, ratio / ratio.sum() if own is None and ratio.sum() > 0 else np.asarray(own, dtype=float)


def _separating_columns(X: np.ndarray, y: np.ndarray, names: list[str]) -> list[str]:
    """Return the columns that do not vary within any class but do between classes."""
    parts = [X[y == label] for label in np.unique(y)]
    fixed = np.logical_and.reduce([np.fmin.reduce(part) == np.fmax.reduce(part) for part in parts])  # whatever is NaN
    varies = np.fmin.reduce(X) < np.fmax.reduce(X)
    return [names[j] for j in np.flatnonzero(fixed & varies)]


def _separation_words(columns: list[str], target: str | None, model: Any) -> tuple[str, str]:
    """Return what was found of such columns, and what became of the model."""
    one, names = len(columns) == 1, listed(map(repr, columns), 6)
    found = (
        f"{names} {'has' if one else 'have'} a single value within each class of {target!r} and "
        f"{'differs' if one else 'differ'} between classes: {'it separates' if one else 'they separate'} classes "
        f"without error. Look whether {'it is' if one else 'they are'} known before the class is; if not, leave "
        f"{'it' if one else 'them'} out (--drop)."
    )
    settings = if_separated(model)
    changed = [f"{name}={value!r}" for name, value in settings.items() if repr(getattr(model, name)) == repr(value)]
    kind = type(model).__name__
    how = f"{kind} was fitted with {' and '.join(changed)}: it divides by the spread within classes, and {names} "
    return found, how + f"{'has' if one else 'have'} none." if changed else ""


def _confusion(y: np.ndarray, guess: np.ndarray, classes: np.ndarray) -> np.ndarray:
    place = {c: j for j, c in enumerate(classes)}
    table = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(table, ([place[c] for c in y], [place[c] for c in guess]), 1)
    return table


def _regions(model: object, scores: np.ndarray, classes: np.ndarray) -> dict[str, object] | None:
    """Return the class at each point of a grid in the plane of the first two directions, the others at their mean."""
    centroids, priors = getattr(model, "centroids_", None), getattr(model, "priors_", None)
    if centroids is None or priors is None or scores.shape[1] < 2:
        return None
    owners = np.asarray(getattr(model, "subclass_classes_", np.arange(len(classes))))
    weights = np.asarray(priors)[owners] * np.asarray(getattr(model, "subclass_weights_", np.ones(len(owners))))
    C = np.asarray(centroids, dtype=float)
    lost = 0.5 * (C[:, 2:] ** 2).sum(axis=1)
    low, high = scores[:, :2].min(axis=0), scores[:, :2].max(axis=0)
    pad = 0.08 * (high - low)
    xs, ys = (np.linspace(low[i] - pad[i], high[i] + pad[i], REGION_STEPS) for i in (0, 1))
    grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    G = grid @ C[:, :2].T - 0.5 * (C[:, :2] ** 2).sum(axis=1) - lost + np.log(np.maximum(weights, 1e-300))
    top = G.max(axis=1, keepdims=True)
    mass = np.stack([np.exp(G - top)[:, owners == c].sum(axis=1) for c in range(len(classes))], axis=1)
    return {
        "x": (float(xs[0]), float(xs[-1])),
        "y": (float(ys[0]), float(ys[-1])),
        "codes": mass.argmax(axis=1).reshape(REGION_STEPS, REGION_STEPS),
    }
