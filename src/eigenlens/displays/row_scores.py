"""Scores of rows in the plane of two directions, and pairs of canonical variates."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..drawing import (
    FEW,
    FOUND,
    INK,
    LEVEL,
    MANY,
    Display,
    arrows,
    axes_for,
    axis_name,
    classes_of,
    coloured,
    column_names,
    finish,
    floats,
    in_plane,
    named,
    one_axes,
    palette,
    place_names,
    require_attribute,
    row_names,
)


def require_rows(model: Any, X: Any, y: Any = None, target: bool = False) -> None:
    """Refuse to draw a picture without the rows, or the target, that it shows."""
    if X is None or (target and y is None):
        given, need = ("X=None", "pass X (and y)") if X is None else ("y=None", "pass X and y")
        raise errors.InputError(f"{given}, but the picture of a {type(model).__name__} is drawn with rows; {need}.")


def values_at(function: Any, points: np.ndarray, X: Any) -> np.ndarray:
    """Return what a model says at points that have the columns of X, in their order, without their names."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        return namespaces.to_numpy(function(namespaces.like(points, X) if namespaces.is_array(X) else points))


def scores(model: Any, X: Any, y: Any = None, *, directions: tuple[int, int] = (0, 1), ax: Any = None) -> Display:
    """Draw rows as points in two directions of a model, with the columns that count most as arrows.

    Parameters
    ----------
    model : fitted transformer
    X : rows
    y : classes or numbers, optional
        For the colours; for CCA the second table, and then the first canonical pair is drawn.
    directions : pair of int
    ax : axes, optional

    Returns
    -------
    Display
        Its `data` are the scores, and the loadings of the arrows or None.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import PCA
    >>> from eigenlens.displays import scores
    >>> iris = load_iris(as_frame=True)
    >>> scores(PCA(2).fit(iris.data), iris.data, iris.target).ax_.get_xlabel()
    'component 1 (92%)'
    """
    require_rows(model, X)
    if hasattr(model, "correlations_"):
        return _pair(model, X, y, directions[0], ax)
    ax, Z = one_axes(ax, 6.2, 4.8), floats(model.transform(X))
    target = None if y is None else namespaces.to_numpy(y)
    shares = floats(getattr(model, "explained_variance_ratio_", ()))
    if Z.shape[1] == 1:
        _strip(ax, Z[:, 0], target)
        finish(ax, axis_name("component", 0, shares), "density of the rows", legend="best")
        return Display(ax, scores=Z, loadings=None)
    Z, basis = Z[:, list(directions)], getattr(model, "components_", None)
    names, crowd, loadings = coloured(ax, Z, target), Z[:MANY], None
    if names:  # of classes, which their rows lie behind
        crowd = np.array([name.xy for name in names])
    if basis is not None and basis.shape[0] > max(directions) and basis.shape[1] == model.n_features_in_:
        loadings = floats(basis).T[:, list(directions)]
        of_arrows, along = _loadings(ax, Z, loadings, column_names(model, len(loadings)))
        names, crowd = names + of_arrows, np.concatenate([crowd, along])
    labels = row_names(X)
    if labels is not None and len(labels) <= 60:  # more could not be read
        outer = np.argsort(-np.sum(Z**2, axis=1), kind="stable")
        names += [named(ax, labels[i], Z[i], 6.5, INK) for i in outer]
    finish(ax, *(axis_name("component", j, shares) for j in directions), legend="best")
    place_names(ax, names, crowd)
    return Display(ax, scores=Z, loadings=loadings)


def kernel_scores(model: Any, X: Any, y: Any = None, *, ax: Any = None) -> Display:
    """Draw rows in the first two axes of a kernel PCA, and next to them the shares of its axes.

    Parameters
    ----------
    model : fitted KernelPCA
    X : table of shape (n, p)
    y : classes or numbers of shape (n,), optional
        For the colours.
    ax : two matplotlib axes, optional

    Returns
    -------
    Display
        Its `data` are the scores and the shares of the trace of the centred kernel matrix.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import KernelPCA
    >>> from eigenlens.displays import kernel_scores
    >>> X, y = load_iris(return_X_y=True)
    >>> kernel_scores(KernelPCA(3).fit(X), X, y).ax_.get_xlabel()
    'axis 1 (70%)'
    """
    require_attribute(model, "explained_variance_ratio_", "KernelPCA")
    require_rows(model, X)
    left, right = axes_for(ax, 2)
    Z, shares = floats(model.transform(X))[:, :2], floats(model.explained_variance_ratio_)
    plane = in_plane(Z)
    names = coloured(left, plane, None if y is None else namespaces.to_numpy(y))
    finish(left, *(axis_name("axis", j, shares) for j in range(Z.shape[1])), legend="best")
    place_names(left, names, plane[:MANY])
    right.bar(np.arange(1, len(shares) + 1)[:15], shares[:15], color=FOUND, width=0.7)
    finish(right, "axis", "share of the kernel's trace", whole=True, ylim=(0, None))
    return Display([left, right], scores=Z, shares=shares)


def _pair(model: Any, X: Any, y: Any, j: int, ax: Any) -> Display:
    """Draw a pair of canonical variates."""
    if y is None:
        raise errors.InputError("y=None, but pairs of variates need both tables; pass the second one as y.")
    ax, Z = one_axes(ax, 6.2, 4.8), np.stack([floats(part)[:, j] for part in model.transform(X, y)], axis=1)
    coloured(ax, Z, None)
    r = namespaces.to_numpy(model.correlations_)[j]
    finish(ax, f"variate {j + 1} of X (correlation {r:.2f})", f"variate {j + 1} of Y")
    return Display(ax, scores=Z, loadings=None)


def _loadings(ax: Any, Z: np.ndarray, loadings: np.ndarray, names: list[str]) -> tuple[list[Any], np.ndarray]:
    """Draw the longest loadings as arrows."""
    length = np.sqrt((loadings**2).sum(axis=1))
    order = np.argsort(-length, kind="stable")[:15]
    tips = loadings[order] * 0.8 * np.abs(Z).max() / max(length.max(), 1e-300)
    ax.update_datalim(1.15 * tips)  # an arrow is not data, so the frame does not include it by itself
    ax.autoscale_view()
    return arrows(ax, tips, [names[j] for j in order], LEVEL, LEVEL)


def _strip(ax: Any, x: np.ndarray, y: np.ndarray | None) -> None:
    """Draw one direction: the density of the rows, or of each class, and the rows under it."""
    from scipy.stats import gaussian_kde

    classes = classes_of(y)
    parts: list[tuple[np.ndarray, str, str | None]] = [(x, FOUND, None)]
    if classes is not None:
        parts = [(x[y == c], colour, str(c)) for c, colour in zip(classes, palette(len(classes)), strict=True)]
    spread, top = np.ptp(x) or 1.0, 0.0
    places = np.linspace(x.min() - 0.08 * spread, x.max() + 0.08 * spread, 400)
    for rows, colour, label in parts:
        if len(rows) > 2 and np.ptp(rows) > 0:
            density = gaussian_kde(rows)(places) * len(rows) / len(x)
            top = max(top, density.max())
            ax.fill_between(places, density, color=colour, alpha=0.3, linewidth=0)
            ax.plot(places, density, color=colour, label=label if len(parts) <= FEW else None)
        ax.plot(rows, np.full(len(rows), -0.04 * (top or 1.0)), "|", color=colour, alpha=0.7, markersize=9)
