"""Factor maps: categories, numbers, rows and columns of a table on two axes."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import namespaces
from ..drawing import named, place_names
from .style import FOUND, INK, LEVEL, QUIET, Display, plain, point_size, slice_colours

NAMED = 40  # points that have their names: those that make the two axes most
COLUMNS = 10  # columns of words that have a colour of their own


class FactorMapDisplay(Display):
    """Points of a `MixedPCA` or `CorrespondenceAnalysis` on two axes.

    Categories are coloured by their column; numbers are arrows in the circle of correlations; the rows and columns of a
    table of counts are points of one map.

    Parameters
    ----------
    points : list of (str, FactorTable, colours)
        What is drawn on the first map: a title of the set, its points, and a colour for each of its points.
    numbers : FactorTable or None
        What is drawn in the circle.
    names : pair of str
        Of the axes.
    directions : pair of int
    scores : ndarray of shape (n, 2) or None
        Rows, drawn faintly behind the categories.

    Attributes
    ----------
    ax_ : axes
    figure_ : figure

    Examples
    --------
    >>> from eigenlens import CorrespondenceAnalysis
    >>> table = [[68, 20, 15, 5], [119, 84, 54, 29], [26, 17, 14, 14], [7, 94, 10, 16]]
    >>> display = CorrespondenceAnalysis(2).fit(table).plot()
    >>> display.ax_.get_xlabel()
    'axis 1 (89%)'
    """

    needs = ""
    rows_optional: ClassVar[bool] = True

    def __init__(
        self,
        points: list[tuple[str, Any, list[Any]]],
        numbers: Any,
        names: tuple[str, str],
        directions: tuple[int, int] = (0, 1),
        scores: np.ndarray | None = None,
    ) -> None:
        self.points, self.numbers, self.names = points, numbers, names
        self.directions, self.scores = directions, scores

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        directions: tuple[int, int] = (0, 1),
        supplementary: Any = None,
        ax: Any = None,
    ) -> Self:
        """Draw the map of a fitted model.

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
        """
        shares = np.asarray(namespaces.to_numpy(model.explained_variance_ratio_), dtype=float)
        names = tuple(f"axis {j + 1}" + (f" ({shares[j]:.0%})" if j < len(shares) else "") for j in directions)
        if hasattr(model, "columns_") and hasattr(model, "chi2_"):
            sets = [("columns", model.columns_, [LEVEL] * len(model.columns_))]
            rows = getattr(model, "rows_", None)  # kept for tables in memory
            if rows is not None:
                sets.insert(0, ("rows", rows, [FOUND] * len(rows)))
            return cls(sets, None, names, directions).plot(ax=ax)  # type: ignore[arg-type]
        sets = _by_column(getattr(model, "categories_", None))
        numbers = model.numbers_ if len(model.numbers_) else None
        if supplementary is not None and supplementary.categories is not None:
            extra = supplementary.categories
            sets.append(("supplementary", extra, [INK] * len(extra)))
        scores = None
        if X is not None and sets:
            scores = np.asarray(model.transform(X), dtype=float)
            scores = np.stack([_axis(scores, j) for j in directions], axis=1)
            if numbers is None:  # categories are means over √λ there: rows in the same unit
                values = np.asarray(namespaces.to_numpy(model.eigenvalues_), dtype=float)
                roots = [np.sqrt(values[j]) if j < len(values) and values[j] > 0 else 1.0 for j in directions]
                scores = scores / np.array(roots)
        return cls(sets, numbers, names, directions, scores).plot(ax=ax)  # type: ignore[arg-type]

    def plot(self, *, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : axes, or two of them, optional
        """
        panels = [draw for draw, there in ((self._map, self.points), (self._circle, self.numbers is not None)) if there]
        for panel, draw in zip(self._draw_on(ax, len(panels), 6.0, 5.2), panels, strict=True):
            panel.axhline(0, color=QUIET, lw=0.8, zorder=0)
            panel.axvline(0, color=QUIET, lw=0.8, zorder=0)
            draw(panel)
            panel.set(xlabel=self.names[0], ylabel=self.names[1])
            plain(panel)
        return self

    def _map(self, ax: Any) -> None:
        if self.scores is not None:
            seen, times = np.unique(self.scores.round(9), axis=0, return_counts=True)  # words repeat: larger dots
            size = point_size(len(seen)) * (0.5 + 5 * times / times.max()) if times.max() > 1 else point_size(len(seen))
            ax.scatter(*seen.T, s=size, color=QUIET, alpha=0.6, linewidths=0, zorder=1)
        labels: dict[int, Any] = {}
        markers, dots = {"columns": "^", "supplementary": "s"}, []
        places = self._places()
        for title, table, colours in self.points:
            xy = np.stack([_axis(table.coordinates, j) for j in self.directions], axis=1)
            style = {"facecolors": "none"} if title == "supplementary" else {"color": colours[:1], "linewidths": 0}
            if title == "supplementary":
                style["edgecolors"] = INK
            ax.scatter(*xy.T, s=34, marker=markers.get(title, "o"), label=title, zorder=3, **style)
            dots.append(xy)
            for name, at, colour in zip(table.names, xy, colours, strict=True):
                if (title, name) in places:
                    labels[places[title, name]] = named(ax, name, at, 8, colour)
        ax.margins(0.2, 0.14)
        ax.set_aspect("equal", adjustable="datalim")
        if len(self.points) > 1:
            ax.legend(frameon=False, fontsize="small", loc=_free_corner(ax, np.concatenate(dots)))
        place_names(ax, [labels[place] for place in sorted(labels)], np.concatenate(dots))

    def _places(self) -> dict[tuple[str, str], int]:
        """Return the points that have their names, all or those that make the axes most, and their place among these.

        Where there is no room for all names, those that make the axes most keep theirs.
        """
        every = []
        for title, table, _ in self.points:
            made = table.cos2 if table.contributions is None else table.contributions
            size = sum(_axis(made, j) for j in self.directions)
            every += [(float(s), (title, name)) for s, name in zip(np.asarray(size), table.names, strict=True)]
        every.sort(key=lambda pair: -pair[0])
        return {point: place for place, (_, point) in enumerate(every[:NAMED])}

    def _circle(self, ax: Any) -> None:
        angle = np.linspace(0, 2 * np.pi, 200)
        ax.plot(np.cos(angle), np.sin(angle), color=QUIET, lw=0.8)
        xy = np.stack([_axis(self.numbers.coordinates, j) for j in self.directions], axis=1)
        longest = np.argsort(-(xy**2).sum(axis=1), kind="stable")[:NAMED].tolist()
        for tip in xy:
            ax.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "-|>", "color": FOUND, "alpha": 0.8, "lw": 1})
        ax.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), aspect="equal", title="correlations of the numbers")
        ax.title.set_fontsize(10)
        along = np.linspace(0.1, 1.0, 12)[:, None, None] * xy  # arrows are not covered
        place_names(ax, [named(ax, self.numbers.names[j], xy[j], 8, INK) for j in longest], along.reshape(-1, 2))


def _free_corner(ax: Any, dots: np.ndarray) -> str:
    """Return the corner of the axes in which there are fewest points: names may hide what a legend covers later."""
    ax.figure.draw_without_rendering()  # limits are known once it has been laid out
    places = ax.transAxes.inverted().transform(ax.transData.transform(dots))
    corners = {"upper left": (0, 1), "upper right": (1, 1), "lower left": (0, 0), "lower right": (1, 0)}
    return min(corners, key=lambda name: int(np.sum((np.abs(places - corners[name]) < (0.35, 0.3)).all(axis=1))))


def _by_column(categories: Any) -> list[tuple[str, Any, list[Any]]]:
    """Return the categories of each column of words as a set of its own colour."""
    if categories is None:
        return []
    columns = list(dict.fromkeys(categories.columns))
    if len(columns) > COLUMNS:
        return [("categories", categories, [FOUND] * len(categories))]
    sets = []
    for name, colour in zip(columns, slice_colours(len(columns), False), strict=True):
        rows = [j for j, column in enumerate(categories.columns) if column == name]
        sets.append((name, categories.only(rows), [colour] * len(rows)))
    return sets


def _axis(values: np.ndarray, j: int) -> np.ndarray:
    """Return a column of coordinates, zeros where a model has no such axis."""
    return values[:, j] if j < values.shape[1] else np.zeros(len(values))
