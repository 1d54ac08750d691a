"""What all pictures share: axes to draw on, and a plain look. matplotlib is imported when something is drawn."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from .arrays import errors, optional
from .arrays.label_places import GAPS, label_places
from .arrays.typing import Axes, Figure

#: Ink that is read on white and on black, what is quiet, what was found, and levels.
INK, QUIET, FOUND, LEVEL = "0.45", "0.75", "#2a7ab9", "#d1495b"


def axes_for(
    ax: Any, count: int = 1, width: float = 4.6, height: float = 4.0, columns: int | None = None, name: str = "ax"
) -> list[Any]:
    """Return `count` axes, or the first of those that were given.

    Parameters
    ----------
    ax : axes, or a sequence of them, or None
    count : int
    width, height : float
        Of each, in inches.
    columns : int, optional
        The most in a row; all by default.
    name : str
        For a message: the argument.
    """
    if ax is not None:
        given = list(np.ravel(np.asarray(ax, dtype=object)))
        if len(given) < count:
            raise errors.InputError(
                f"{name} holds {len(given)} axes but this picture draws on {count}; pass those of "
                f"plt.subplots(1, {count}), or none."
            )
        return given[:count]
    across = max(min(count, columns or count), 1)
    down = -(-max(count, 1) // across)
    size = (width * across, height * down)
    _, grid = optional.pyplot().subplots(down, across, figsize=size, layout="constrained", squeeze=False)
    for extra in grid.flat[count:]:
        extra.set_visible(False)
    return list(grid.flat[:count])


def plain(ax: Any) -> Any:
    """Leave out what carries no data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(color=QUIET, labelcolor=INK)
    return ax


def named(ax: Any, name: str, xy: Any, size: float, colour: str) -> Any:
    """Write a name for `place_names` to place, with a line to its point for where it has to move away."""
    leader = {"arrowstyle": "-", "color": QUIET, "lw": 0.6, "shrinkA": 0, "shrinkB": 1}
    style: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "center", "arrowprops": leader}
    return ax.annotate(name, xy, (0, 0), fontsize=size, color=colour, **style)


def place_names(ax: Any, names: list[Any], dots: np.ndarray) -> list[str]:
    """Place names next to their points, where they cover neither each other nor the legend nor, with luck, dots.

    Parameters
    ----------
    ax : axes
    names : list of matplotlib Annotation
        As `named` returns them.
    dots : ndarray of shape (n, 2)
        What names should leave free, in the units of the axes.

    Returns
    -------
    list of str
        Names for which there was no room: they are not shown.
    """
    from matplotlib.text import Text

    if not names:
        return []
    ax.figure.draw_without_rendering()  # extents are known once it has been laid out
    scale, legend = ax.figure.dpi / 72, ax.get_legend()
    extents = [Text.get_window_extent(name) for name in names]
    anchors = ax.transData.transform([name.xy for name in names])
    places = label_places(
        anchors,
        np.array([[extent.width, extent.height] for extent in extents]),
        np.asarray(ax.get_window_extent().extents),
        ax.transData.transform(dots),
        None if legend is None else np.array([legend.get_window_extent().extents]),
        [gap * scale for gap in GAPS],
    )
    for name, anchor, place in zip(names, anchors, places, strict=True):
        name.set_visible(place is not None)
        if place is not None:
            centre, far = place
            name.xyann = tuple((centre - anchor) / scale)
        if place is None or not far:
            name.arrowprops = name.arrow_patch = None
    return [name.get_text() for name, place in zip(names, places, strict=True) if place is None]


class Display:
    """What was computed to be seen; `plot` draws it and sets `ax_`, `axes_` and `figure_`.

    Attributes
    ----------
    needs : str
        What `from_estimator` is given after the model: "", "X" or "X, y".
    rows_optional : bool
        Whether it takes rows all the same, to draw them behind the rest.
    without_target : str
        The display that is used if there is no y.
    """

    needs: ClassVar[str] = "X"
    rows_optional: ClassVar[bool] = False
    without_target: ClassVar[str] = ""

    ax_: Axes
    axes_: list[Axes]
    figure_: Figure

    def __repr__(self) -> str:
        drawn = len(getattr(self, "axes_", ()))
        return f"<{type(self).__name__}: {f'{drawn} picture(s) in figure_' if drawn else 'not drawn yet; call plot()'}>"

    @classmethod
    def on(cls, axes: Any) -> Self:
        """Return the display of what was drawn on axes, or on a list of them."""
        new = cls()
        new.axes_ = list(np.ravel(np.asarray(axes, dtype=object)))
        first: Any = new.axes_[0] if new.axes_ else None
        figure: Any = None if first is None else first.figure
        new.ax_, new.figure_ = first, figure
        return new

    def _draw_on(self, ax: Any, count: int = 1, width: float = 4.6, height: float = 4.0) -> list[Any]:
        """Take the axes that were given, or make them, and remember them."""
        drawn: list[Any] = axes_for(ax, count, width, height)
        self.axes_, self.ax_, self.figure_ = drawn, drawn[0], drawn[0].figure
        return drawn
