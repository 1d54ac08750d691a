"""Regions of classifiers: in the plane of the first discriminants, and in two columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..drawing import (
    FEW,
    INK,
    Display,
    axis_name,
    by_class,
    column_names,
    dots,
    finish,
    floats,
    one_axes,
    palette,
    place_names,
    require_attribute,
)
from .row_scores import require_rows, scores, values_at

STEPS = 300  # points of the grid on which regions are drawn, along each axis


def discriminant(model: Any, X: Any, y: Any = None, *, ax: Any = None, regions: bool = True) -> Display:
    """Draw rows of known class in the first two discriminants, centroids, and the regions of the rule.

    The regions are those of the rule with all further variates at 0, their mean. Circles around the centroids hold half
    of a class (of a subclass, for MDA): within-class covariance is the identity here.

    Parameters
    ----------
    model : fitted LDA, FDA, PDA or MDA
    X : table of shape (n, p)
    y : labels of shape (n,), optional
        Without them, rows alone are drawn, as `scores` does.
    ax : matplotlib axes, optional
    regions : bool
        Whether to tint the regions of the rule.

    Returns
    -------
    Display
        Its `data` are scores, codes (the place of each row's class in `classes`), classes and centroids.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import LDA
    >>> from eigenlens.displays import discriminant
    >>> X, y = load_iris(return_X_y=True)
    >>> discriminant(LDA().fit(X, y), X, y).ax_.get_xlabel()
    'discriminant 1 (99%)'
    """
    if y is None:
        return scores(model, X, ax=ax)
    require_attribute(model, "classes_", "LDA or FDA")
    require_rows(model, X)
    classes = namespaces.to_numpy(model.classes_)
    codes, Z = _codes(y, classes), floats(model.transform(X))[:, :2]
    ax, rule = one_axes(ax, 6.4, 4.8), _Rule(model)
    shares = floats(model.explained_variance_ratio_)
    names = [axis_name("discriminant", j, shares) for j in range(Z.shape[1])]
    if Z.shape[1] == 1:
        fine = np.linspace(Z.min(), Z.max(), 100 * STEPS)
        _line(ax, Z[:, 0], codes, classes, fine, rule(fine[:, None]), names[0])
        for centre, k in zip(rule.centroids[:, 0], rule.owners, strict=True):
            ax.axvline(centre, color=palette(len(classes))[k], linewidth=1.5)
    else:
        _plane(ax, Z, codes, classes, rule, names, regions)
    ax.figure.draw_without_rendering()  # room for names of the axes is known once ticks were drawn
    return Display(ax, scores=Z, codes=codes, classes=classes, centroids=rule.centroids)


def decision(
    model: Any, X: Any, y: Any = None, *, columns: tuple[int, int] = (0, 1), ax: Any = None, support: bool = True
) -> Display:
    """Draw regions, boundary and margins of a classifier over two columns, with rows and support vectors.

    Parameters
    ----------
    model : fitted KernelClassifier, QDA, or any classifier with a decision function
    X : table of shape (n, p)
        With more than two columns the others are held at their medians.
    y : labels of shape (n,)
    columns : pair of int
        The columns to draw.
    ax : matplotlib axes, optional
    support : bool
        Whether to ring the support vectors.

    Returns
    -------
    Display
        Its `data` are rows, codes (the place of each row's class in `classes`), classes, grid (the values of each
        column), values (the decision function over the grid) and support (numbers of the support vectors).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import KernelClassifier
    >>> from eigenlens.displays import decision
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelClassifier().fit(X[50:, 2:], y[50:])
    >>> len(decision(model, X[50:, 2:], y[50:]).data["support"]) == len(model.support_)
    True
    """
    require_attribute(model, "classes_", "KernelClassifier or QDA")
    require_rows(model, X, y, target=True)
    table, classes = floats(X), namespaces.to_numpy(model.classes_)
    chosen = list(columns) if table.shape[1] > 1 else [0]
    drawn = ~np.isnan(table[:, chosen]).any(axis=1)  # a row without a place in the plane is left out
    rows, codes = table[np.ix_(drawn, chosen)], _codes(y, classes)[drawn]
    margin = 0.08 * np.ptp(rows, axis=0)
    grid = np.linspace(rows.min(axis=0) - margin, rows.max(axis=0) + margin, STEPS).T
    values = _decided(model, X, table, chosen, grid)
    best = (values > 0).astype(int) if values.ndim == len(chosen) else np.argmax(values, axis=-1)
    ring = np.asarray(getattr(model, "support_", ()) if support else (), dtype=int)
    ax, labels = one_axes(ax, 6.2, 4.6), column_names(model, table.shape[1])
    if len(chosen) == 1:
        _line(ax, rows[:, 0], codes, classes, grid[0], best, labels[0])
    else:
        _tint(ax, grid, best, len(classes))
        if len(ring):
            dots(
                ax,
                rows[ring],
                None,
                6.3,
                len(rows),
                facecolor="none",
                edgecolor=INK,
                linewidth=0.8,
                alpha=1,
                label="support vector",
            )
        of_classes = by_class(ax, rows, codes, classes, 1.4, 0.85)
        _boundary(ax, grid, values, hasattr(model, "function_"))
        held = table.shape[1] - 2
        title = f"the other {held} columns at their medians" if held else ""
        finish(ax, labels[chosen[0]], labels[chosen[1]], title, legend="beside")
        place_names(ax, of_classes)
    return Display(ax, rows=rows, codes=codes, classes=classes, grid=grid, values=values, support=ring)


class _Rule:
    """The rule of a discriminant in its first two variates, the others at 0."""

    def __init__(self, model: Any) -> None:
        centroids = floats(model.centroids_)
        K = len(model.classes_)
        self.owners = np.asarray(getattr(model, "subclass_classes_", np.arange(K)))  # the class of each centroid
        weights = floats(model.priors_)[self.owners] * np.asarray(getattr(model, "subclass_weights_", np.ones(K)))
        self.offsets, self.centroids = np.log(weights) - 0.5 * np.sum(centroids**2, axis=1), centroids[:, :2]

    def __call__(self, points: np.ndarray) -> np.ndarray:
        logits = points @ self.centroids.T + self.offsets
        of_class = [np.logaddexp.reduce(logits[:, self.owners == k], axis=1) for k in range(self.owners.max() + 1)]
        return np.argmax(of_class, axis=0)


def _codes(y: Any, classes: np.ndarray) -> np.ndarray:
    """Return the place of each label among the classes of a fit, in any order; refuse labels it has not seen."""
    labels = namespaces.to_numpy(y)
    strange = ~np.isin(labels, classes)
    if strange.any():
        known = errors.shortened(classes.tolist())
        raise errors.InputError(
            f"y has the label {errors.plain(labels[strange][0])!r}, which the fit has not seen; its classes are "
            f"{known}. Leave these rows out, or fit with them."
        )
    order = np.argsort(classes)  # pandas categories have an order of their own
    return order[np.searchsorted(classes[order], labels)]


def _plane(
    ax: Any, Z: np.ndarray, codes: np.ndarray, classes: np.ndarray, rule: _Rule, names: list[str], regions: bool
) -> None:
    from matplotlib.patches import Circle

    colours = palette(len(classes))
    many = len(classes) > FEW  # they lie upon each other: what is read is where they are
    points = np.vstack([Z, rule.centroids - 1.3, rule.centroids + 1.3])
    low, high = points.min(axis=0), points.max(axis=0)
    longest = (high - low).max()
    margin = np.maximum(0.04 * longest, (0.45 * longest - (high - low)) / 2)  # names of axes need as much
    low, high = low - margin, high + margin
    if regions:
        grid = np.linspace(low, high, STEPS).T
        best = rule(np.stack(np.meshgrid(*grid), axis=-1).reshape(-1, 2)).reshape(STEPS, STEPS)
        _tint(ax, grid, best, len(classes))
        for k in range(len(classes)):
            ax.contour(*grid, (best == k).astype(float), levels=[0.5], colors="0.55", linewidths=0.7)
    of_classes = by_class(ax, Z, codes, classes, 0.7 if many else 1.4, 0.3 if many else 0.75)
    half = np.sqrt(2 * np.log(2))  # radius that holds half of a plane normal distribution
    for centre, k in zip(rule.centroids, rule.owners, strict=True):
        ax.add_patch(Circle(tuple(centre), half, fill=False, edgecolor=colours[k], linewidth=1.3))
        ax.plot(
            *centre,
            marker="P",
            color=colours[k],
            zorder=3,
            markeredgecolor="white",
            markeredgewidth=0.5 if many else 1.0,
            markersize=5 if many else 9,
        )
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    finish(ax, *names, legend="beside")
    place_names(ax, of_classes)


def _decided(model: Any, X: Any, table: np.ndarray, chosen: list[int], grid: np.ndarray) -> np.ndarray:
    """Return the decision function over a grid of some columns, the others at their medians."""
    plane = np.tile(np.nanmedian(table, axis=0), (STEPS ** len(chosen), 1))
    plane[:, chosen] = np.stack(np.meshgrid(*grid), axis=-1).reshape(-1, len(chosen))
    values = values_at(model.decision_function, plane, X)
    return values.reshape(*[STEPS] * len(chosen), *values.shape[1:])


def _tint(ax: Any, grid: np.ndarray, best: np.ndarray, count: int) -> None:
    """Tint the region of each class."""
    from matplotlib.colors import ListedColormap

    extent = (grid[0, 0], grid[0, -1], grid[1, 0], grid[1, -1])
    ax.imshow(
        best,
        origin="lower",
        extent=extent,
        aspect="auto",
        interpolation="nearest",
        cmap=ListedColormap(palette(count)),
        vmin=0,
        vmax=count - 1,
        alpha=0.13,
    )


def _boundary(ax: Any, grid: np.ndarray, values: np.ndarray, margins: bool) -> None:
    """Draw where the decision changes, and the margins of a kernel machine of two classes."""
    if values.ndim > 2:
        for k in range(values.shape[2]):
            ahead = values[..., k] - np.delete(values, k, axis=2).max(axis=2)
            ax.contour(*grid, ahead, levels=[0], colors=INK, linewidths=0.9)
        return
    lines = [([0], "boundary", "-", 1.6), ([-1, 1], "f = ±1", "--", 0.9)]
    for levels, name, style, width in lines[: 1 + margins]:
        ax.contour(*grid, values, levels=levels, colors=INK, linestyles=style, linewidths=width)
        ax.plot([], [], color=INK, linestyle=style, linewidth=width, label=name)


def _line(
    ax: Any, x: np.ndarray, codes: np.ndarray, classes: np.ndarray, places: np.ndarray, best: np.ndarray, name: str
) -> None:
    """Draw how many rows of each class there are along a line, and where the class changes: between two places."""
    bins = np.histogram_bin_edges(x, bins="auto")
    for k, (label, colour) in enumerate(zip(classes, palette(len(classes)), strict=True)):
        ax.hist(x[codes == k], bins=bins, color=colour, alpha=0.5, label=str(label))
    for j, place in enumerate((places[1:] + places[:-1])[np.diff(best) != 0] / 2):
        ax.axvline(place, color=INK, linewidth=1.2, linestyle="--", label=None if j else "decision")
    finish(ax, name, "rows", legend="beside")
