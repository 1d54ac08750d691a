"""A target of classes: what separates them, and how well?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.metrics import confusion_matrix
from sklearn.pipeline import Pipeline

from ..arrays import namespaces
from ..arrays.errors import listed
from ..arrays.spelling import option, refused
from ..page.findings import Findings
from ..solve import Form
from ..validation.folds import fewest_of_class
from .compare import Compared, better_or_worse, compare, compared_methods, note_rows
from .data import Data
from .dimension_tests import verdicts
from .leaks import leak_words
from .methods import declared, if_separated, made
from .missing_cells import Ready, fitted_to, tell_holes
from .picture import show_all
from .plan import Plan, Progress
from .preparing import prepared
from .related import related_rows
from .rows_left_out import scores_left_out
from .sentences import base, class_words
from .targets import MOST_CLASSES, too_many_classes
from .whole import Passed

REGION_STEPS = 120


def answer(cls: Any, data: Data, plan: Plan, progress: Progress | None) -> tuple[Findings, Pipeline]:
    """Fit a discriminant, test its directions, and compare methods by cross-validation."""
    y = np.asarray(data.y)
    classes, counts = data.class_sizes()
    _require_classes(plan.target, classes, counts)
    preparation = prepared(data, plan)
    ready = fitted_to(made(cls, plan.seed), preparation, data.table, y, data.weights, data.whole)
    X, model, names = ready.X, ready.model, preparation.names_out_
    scores = np.asarray(model.transform(X))
    unseen = scores_left_out(ready, scores, data, plan)
    scores = scores if unseen is None else unseen
    axes = [f"discriminant {j + 1}" for j in range(scores.shape[1])]
    likely = ready.how == "ml" and hasattr(model, "_whole_moments")
    r2 = _separation(scores, y, data.weights) if data.whole is None and not likely else _separation_of(model)
    own = None if unseen is not None else getattr(model, "explained_variance_ratio_", None)
    shares, values = _shares(r2, own), np.sqrt(r2)
    found = verdicts(model, X, y, len(r2), plan, progress, len(classes), ready.whole, related_rows(data), data, names)
    directions = [found.direction(j, axis, float(values[j]), float(shares[j])) for j, axis in enumerate(axes)]
    findings = base(data, plan, cls, directions, axes, scores, names, ready.correlations(scores, data.weights))
    findings.value_name, findings.loading_kind = "canonical correlation", "correlation with the direction"
    if unseen is not None:
        findings.value_name += ", rows left out"
        findings.left_out = (
            f"With {len(X):,} rows and {X.shape[1]:,} columns, a fit to all rows would draw each class as a point. "
            "Scores, correlations and shares of the separation are those of rows left out: each row is drawn where a "
            "fit to the other folds puts it."
        )
        data.notes.append(findings.left_out)
    findings.scree, findings.test = {"values": values, **found.scree}, found.test
    passed = _validate(findings, cls, data, ready, plan, progress)
    if not data.second_look:
        _tell_giveaways(findings, data, plan, ready)
    ends = (scores.min(axis=0), scores.max(axis=0)) if passed is None else (passed.low, passed.high)
    findings.regions = _regions(model, *ends, classes)
    findings.class_sizes = dict(zip([str(c) for c in classes], counts.tolist(), strict=True))
    class_words(findings, counts)
    tell_holes(findings, data, ready, y)
    if passed is not None:
        show_all(findings, data, passed)
    return findings, ready.pipeline


def _require_classes(target: str | None, classes: np.ndarray, counts: np.ndarray) -> None:
    """Refuse a target with one class, too many, or none of two rows."""
    if len(classes) > MOST_CLASSES:
        raise too_many_classes(target, len(classes))
    if len(classes) < 2:
        rule = f"it holds one class ({str(classes[0])!r}): there is nothing to separate"
        raise refused("target", target, rule)
    if counts.max() < 2:
        rule = "each of its values occurs in only one row, and a class needs several"
        raise refused("target", target, rule + "; if it names the rows, leave it out and ask without a target")


def _validate(
    findings: Findings, cls: Any, data: Data, ready: Ready, plan: Plan, progress: Progress | None
) -> Passed | None:
    """Compare methods by cross-validation, or say why not; return what the last pass over a file has found."""
    passed = None if data.whole is None else data.whole.read_again(ready)
    y, (classes, counts) = np.asarray(data.y), data.class_sizes()
    findings.score_name, mass = "accuracy", _masses(data, classes, counts)
    findings.baseline = (f"always {str(classes[np.argmax(mass)])!r}", float(mass.max() / mass.sum()))
    if plan.folds < 2:
        return passed
    if counts.min() >= 2 and fewest_of_class(y, data.groups) >= 2:
        ring, ours = compared_methods("classes", plan.seed, data.n_rows, plan.folds), declared(cls).compared_as
        _judge(findings, ours, data, compare(ring, ready.preparation, data, ready.unfilled, plan, progress, ours))
        return passed
    what = "row" if counts.min() < 2 else f"{data.roles.group!r}"
    few = [c for c in classes if len(np.unique(np.flatnonzero(y == c) if what == "row" else _groups(data, c))) < 2]
    lone = ", ".join(repr(str(c)) for c in few)
    findings.doubts.append(f"Nothing was cross-validated: there is a single {what} of {lone}. Add rows, or drop it.")
    return passed


def _tell_giveaways(findings: Findings, data: Data, plan: Plan, ready: Ready) -> None:
    """Name columns that separate the classes by themselves, or that may give them away."""
    names, y = ready.preparation.names_out_, np.asarray(data.y)
    at_hand = data.whole is None or ready.how == "ml"
    separating = _separating_columns(ready.X, y, names) if at_hand else data.whole.separating(names)
    if not separating:
        findings.summary += leak_words(ready.X, y, names, "classes", plan.target, data.numbers)
        return
    what, how = _separation_words(separating, plan.target, ready.model)
    findings.summary.append(what)
    data.notes += [how] if how else []


def _judge(findings: Findings, ours: str, data: Data, found: Compared) -> None:
    """Note which of the methods compared are told apart from ours, and what ours confuses."""
    note_rows(data, found)
    findings.comparison = [replace(c, ours=c.name == ours) for c in found.methods]
    if ours not in found.judged:
        return
    classes, (rows, guess) = data.class_sizes()[0], found.judged[ours]
    table = confusion_matrix(np.asarray(data.y)[rows], guess, labels=classes)
    findings.confusion = ([str(c) for c in classes], table)
    findings.told_apart = better_or_worse(found, ours, data)


def _masses(data: Data, classes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return how much each class counts."""
    if data.weights is None:
        return counts
    if data.whole is not None:
        return np.asarray(data.whole.class_weights())
    return np.array([data.weights[np.asarray(data.y) == c].sum() for c in classes])


def _groups(data: Data, label: Any) -> np.ndarray:
    assert data.groups is not None
    return data.groups[np.asarray(data.y) == label]


def _separation(Z: np.ndarray, y: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the squared canonical correlation of each direction with the classes."""
    w = np.ones(len(y)) if weights is None else weights
    classes, codes = np.unique(y, return_inverse=True)
    centred = Z - np.average(Z, axis=0, weights=w)
    means = np.stack([np.average(centred[codes == c], axis=0, weights=w[codes == c]) for c in range(len(classes))])
    between = (np.bincount(codes, weights=w)[:, None] * means**2).sum(axis=0)
    total = (w[:, None] * centred**2).sum(axis=0)
    return np.clip(between / np.where(total > 0, total, 1), 0.0, 1.0)


def _separation_of(model: Any) -> np.ndarray:
    """Return the same from the moments of a fit, those of all rows; where cells are missing, the most likely ones."""
    moments = model._whole_moments
    within, weights = moments.within(), moments.weights
    means = namespaces.to_numpy(model._coordinates(within.means))
    between = weights @ (means - weights @ means / weights.sum()) ** 2
    V = model.subspace_.basis * within.unit[:, None]
    total = between + namespaces.to_numpy(V * Form.of(within, 1.0).apply(V)).sum(axis=0)
    return np.clip(between / np.where(total > 0, total, 1), 0.0, 1.0)


def _shares(r2: np.ndarray, own: Any) -> np.ndarray:
    """Return the share of each direction in the separation."""
    ratio = r2 / np.maximum(1 - r2, 1e-12)
    return ratio / ratio.sum() if own is None and ratio.sum() > 0 else np.asarray(own, dtype=float)


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
        f"without error. Check whether {'it is' if one else 'they are'} known before the class is; if not, leave "
        f"{'it' if one else 'them'} out ({option('drop')})."
    )
    settings = if_separated(model)
    changed = [f"{name}={value!r}" for name, value in settings.items() if repr(getattr(model, name)) == repr(value)]
    kind = type(model).__name__
    how = f"{kind} was fitted with {' and '.join(changed)}: it divides by the spread within classes, and {names} "
    return found, how + f"{'has' if one else 'have'} none." if changed else ""


def _regions(model: object, low: np.ndarray, high: np.ndarray, classes: np.ndarray) -> dict[str, object] | None:
    """Return the class at each point of a grid in the plane of the first two directions, the others at their mean."""
    centroids, priors = getattr(model, "centroids_", None), getattr(model, "priors_", None)
    if centroids is None or priors is None or len(low) < 2:
        return None
    owners = np.asarray(getattr(model, "subclass_classes_", np.arange(len(classes))))
    weights = np.asarray(priors)[owners] * np.asarray(getattr(model, "subclass_weights_", np.ones(len(owners))))
    C = np.asarray(centroids, dtype=float)
    lost = 0.5 * (C[:, 2:] ** 2).sum(axis=1)
    low, high = low[:2], high[:2]
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
