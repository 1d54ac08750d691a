"""Maps: points with their names, how well a map keeps distances, and the factor maps of words, numbers and counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..distances import procrustes
from ..distances.square_tables import square_of
from ..drawing import (
    COLOURS,
    FOUND,
    INK,
    LEVEL,
    QUIET,
    Display,
    arrows,
    axes_for,
    axis_name,
    density,
    dots,
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

NAMED_FACTORS = 40  # points of a factor map that have their names: those that make the two axes most


def configuration(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    labels: Sequence[object] | None = None,
    target: Any = None,
    ax: Any = None,
) -> Display:
    """Draw points of a map in the plane, with equal units on both axes, alone or laid onto another map.

    Parameters
    ----------
    model : fitted ClassicalMDS, or any model with `embedding_`
    X : table of the fit, optional
        The index of a pandas frame names the points.
    y : ignored
    labels : sequence of names, optional
        One for each row of the map.
    target : table of shape (n, 2), optional
        A map of the same points with which this one is aligned (Procrustes: rotated, reflected, shifted, scaled); lines
        lead there.
    ax : matplotlib axes, optional

    Returns
    -------
    Display
        Its `data` are the coordinates.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import ClassicalMDS
    >>> from eigenlens.displays import configuration
    >>> D = np.array([[0.0, 3.0, 5.0], [3.0, 0.0, 4.0], [5.0, 4.0, 0.0]])
    >>> mds = ClassicalMDS(metric="precomputed").fit(D)
    >>> configuration(mds, labels=["a", "b", "c"]).ax_.get_xlabel()
    'axis 1 (78%)'
    """
    require_attribute(model, "embedding_", "ClassicalMDS")
    Y, values = in_plane(floats(model.embedding_)), floats(model.eigenvalues_)
    labels = row_names(X) if labels is None else labels
    if labels is not None and len(labels) != len(Y):
        raise errors.lengths_differ("the map", len(Y), "labels", len(labels))
    Y = Y if target is None else procrustes(Y, target).aligned
    width, height = np.ptp(Y, axis=0)
    ax = one_axes(ax, 7.6, 0.6 + np.clip(7.2 * height / max(width, 1e-300), 3.4, 7.2))
    crowd, shares = Y, np.zeros(0)
    if target is not None:
        there = floats(target)
        for line in zip(Y, there, strict=True):
            ax.plot(*np.transpose(line), color=QUIET, linewidth=1, zorder=1)
        dots(ax, there, None, alpha=1, zorder=2, facecolor="white", edgecolor=LEVEL, linewidth=None, label="true place")
        crowd = np.vstack([Y, there])
    elif values.sum() > 0 and hasattr(model, "goodness_of_fit_"):
        shares = values / values.sum() * float(model.goodness_of_fit_[0])
    dots(ax, Y, label="map", alpha=1, zorder=3)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.12)
    finish(ax, *(axis_name("axis", j, shares) for j in range(2)), legend="" if target is None else "best")
    if target is None and not np.any(Y[:, 1]):
        ax.set(ylabel="", yticks=[])  # a single axis has nothing to say across
        ax.spines["left"].set_visible(False)
    if labels is not None and len(Y) <= 60:  # more could not be read
        place_names(ax, [named(ax, str(name), tuple(at), 9) for name, at in zip(labels, Y, strict=True)], crowd)
    return Display(ax, coordinates=Y)


def shepard_pairs(model: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return distances that a map was made from, and the same in the map: of all pairs, or of some rows."""
    Y, ready = floats(model.embedding_), model.metric == "precomputed"
    rows = floats(square_of(X, "X").native if ready else X)
    if len(rows) != len(Y):
        raise errors.maps_differ(Y.shape, rows.shape)
    index = np.linspace(0, len(Y) - 1, min(1500, len(Y))).astype(int)
    D = namespaces.to_numpy(model.distances_among(rows[np.ix_(index, index)] if ready else rows[index]))
    i, j = np.triu_indices(len(index), 1)
    return D[i, j], np.linalg.norm(Y[index][i] - Y[index][j], axis=1)


def shepard(model: Any, X: Any, y: Any = None, *, ax: Any = None) -> Display:
    """Draw distances in a map against the distances it was made from: the Shepard diagram. On the line they agree.

    Parameters
    ----------
    model : fitted ClassicalMDS
    X : table
        What it was fitted to: rows, or precomputed distances.
    y : ignored
    ax : matplotlib axes, optional

    Returns
    -------
    Display
        Its `data` are the distances and those shown, of each pair.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import ClassicalMDS
    >>> from eigenlens.displays import shepard
    >>> X = np.random.default_rng(0).standard_normal((30, 4))
    >>> shepard(ClassicalMDS().fit(X), X).ax_.get_ylabel()
    'distance in the map'
    """
    require_attribute(model, "embedding_", "ClassicalMDS")
    distances, shown = shepard_pairs(model, X)
    pairs = np.column_stack([distances, shown])
    ax, top = one_axes(ax, 5.2, 5.0), pairs.max(initial=0.0) or 1.0
    if len(pairs) <= 5000:
        dots(ax, pairs, alpha=0.5)
    else:
        density(ax, pairs, 60, extent=(0, top, 0, top))
    ax.plot([0, top], [0, top], color=LEVEL, linewidth=1, zorder=3)
    ax.set(xlim=(0, 1.03 * top), ylim=(0, 1.03 * top), aspect="equal")
    finish(ax, "distance", "distance in the map", f"stress {float(model.stress_):.3f}")
    return Display(ax, distances=distances, shown=shown)


def factor_map(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    directions: tuple[int, int] = (0, 1),
    supplementary: Any = None,
    ax: Any = None,
) -> Display:
    """Draw points of a MixedPCA or CorrespondenceAnalysis on two axes.

    Categories are coloured by their column; numbers are arrows in the circle of correlations; the rows and columns of a
    table of counts are points of one map.

    Parameters
    ----------
    model : fitted MixedPCA or CorrespondenceAnalysis
    X : rows, optional
        Drawn behind the categories of a MixedPCA.
    y : ignored
    directions : pair of int
        Which axes.
    supplementary : Supplementary, optional
        Columns that were not part of the fit, as `supplementary` of the model returns them.
    ax : axes, or two where there are numbers and words, optional

    Returns
    -------
    Display

    Examples
    --------
    >>> from eigenlens import CorrespondenceAnalysis
    >>> from eigenlens.displays import factor_map
    >>> table = [[68, 20, 15, 5], [119, 84, 54, 29], [26, 17, 14, 14], [7, 94, 10, 16]]
    >>> factor_map(CorrespondenceAnalysis(2).fit(table)).ax_.get_xlabel()
    'axis 1 (89%)'
    """
    if not hasattr(model, "chi2_"):
        require_attribute(model, "numbers_", "MixedPCA or CorrespondenceAnalysis")
    shares, numbers, scores = floats(model.explained_variance_ratio_), None, None
    if hasattr(model, "chi2_"):
        rows = getattr(model, "rows_", None)  # kept for tables in memory
        sets = [] if rows is None else [("rows", rows, FOUND)]
        sets.append(("columns", model.columns_, LEVEL))
    else:
        sets, numbers = _by_column(getattr(model, "categories_", None)), model.numbers_ if len(model.numbers_) else None
        if supplementary is not None and supplementary.categories is not None:
            sets.append(("supplementary", supplementary.categories, INK))
        if X is not None and sets:
            scores = _behind(model, X, directions, as_means=numbers is None)
    panels = axes_for(ax, bool(sets) + (numbers is not None), 6.0, 5.2)
    for panel in panels:
        panel.axhline(0, color=QUIET, lw=0.8, zorder=0)
        panel.axvline(0, color=QUIET, lw=0.8, zorder=0)
        finish(panel, *(axis_name("axis", j, shares) for j in directions))
    if sets:
        _map(panels[0], sets, directions, scores)
    if numbers is not None:
        _circle(panels[-1], numbers, directions)
    return Display(panels)


def _behind(model: Any, X: Any, directions: tuple[int, int], as_means: bool) -> np.ndarray:
    """Return the scores of rows, in the unit of the categories: these are means over √λ where all columns are words."""
    scores = in_plane(floats(model.transform(X)), directions)
    if as_means:
        values = floats(model.eigenvalues_)
        scores = scores / [np.sqrt(values[j]) if j < len(values) and values[j] > 0 else 1.0 for j in directions]
    return scores


def _map(ax: Any, sets: list[tuple[str, Any, Any]], directions: tuple[int, int], scores: np.ndarray | None) -> None:
    if scores is not None:
        seen, times = np.unique(scores.round(9), axis=0, return_counts=True)  # words repeat: larger dots
        dots(ax, seen, QUIET, 0.5 + 5 * times / times.max() if times.max() > 1 else 1.0, alpha=0.6, zorder=1)
    points, written, made = [], [], []
    for title, table, colour in sets:
        xy = in_plane(table.coordinates, directions)
        fill = (
            {"facecolor": "none", "edgecolor": INK} if title == "supplementary" else {"color": colour, "linewidth": 0}
        )
        marker = {"columns": "^", "supplementary": "s"}.get(title, "o")
        ax.scatter(*xy.T, s=34, marker=marker, label=title, zorder=3, **fill)
        points.append(xy)
        written += [(str(name), at, colour) for name, at in zip(table.names, xy, strict=True)]
        size = table.cos2 if table.contributions is None else table.contributions
        made.append(in_plane(np.asarray(size), directions).sum(axis=1))
    ax.margins(0.2, 0.14)
    ax.set_aspect("equal", adjustable="datalim")
    crowd = np.concatenate(points)
    if len(sets) > 1:
        ax.legend(frameon=False, fontsize="small", loc=_free_corner(ax, crowd))
    # where there is no room for all names, those that make the axes most keep theirs
    first = np.argsort(-np.concatenate(made), kind="stable")[:NAMED_FACTORS]
    place_names(ax, [named(ax, written[i][0], tuple(written[i][1]), 8, written[i][2]) for i in first], crowd)


def _circle(ax: Any, numbers: Any, directions: tuple[int, int]) -> None:
    """Draw numbers as arrows in the circle of correlations."""
    angle, xy = np.linspace(0, 2 * np.pi, 200), in_plane(numbers.coordinates, directions)
    ax.plot(np.cos(angle), np.sin(angle), color=QUIET, lw=0.8)
    ax.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), aspect="equal")
    ax.set_title("correlations of the numbers", fontsize=10)
    longest = np.argsort(-(xy**2).sum(axis=1), kind="stable")
    place_names(ax, *arrows(ax, xy[longest], [numbers.names[j] for j in longest[:NAMED_FACTORS]], FOUND))


def _free_corner(ax: Any, points: np.ndarray) -> str:
    """Return the corner of the axes in which there are fewest points: names may hide what a legend covers later."""
    ax.figure.draw_without_rendering()  # limits are known once it has been laid out
    places = ax.transAxes.inverted().transform(ax.transData.transform(points))
    corners = {"upper left": (0, 1), "upper right": (1, 1), "lower left": (0, 0), "lower right": (1, 0)}
    return min(corners, key=lambda name: int(np.sum((np.abs(places - corners[name]) < (0.35, 0.3)).all(axis=1))))


def _by_column(categories: Any) -> list[tuple[str, Any, Any]]:
    """Return the categories of each column of words as a set of its own colour."""
    if categories is None:
        return []
    columns = list(dict.fromkeys(categories.columns))
    if len(columns) > len(COLOURS):
        return [("categories", categories, FOUND)]
    places = {name: [j for j, column in enumerate(categories.columns) if column == name] for name in columns}
    colours = palette(len(columns))
    return [(name, categories.only(places[name]), colour) for name, colour in zip(columns, colours, strict=True)]
