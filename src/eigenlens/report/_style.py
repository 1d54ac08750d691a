"""What all displays share beside the look of `_core.drawing`: a base, colours of classes, sizes, names set apart."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .._core.drawing import FOUND, INK, LEVEL, QUIET, axes_for, plain

__all__ = [
    "FOUND",
    "INK",
    "LEVEL",
    "QUIET",
    "Display",
    "axes_for",
    "plain",
    "point_size",
    "set_apart",
    "slice_colours",
]


class Display:
    """What was computed to be seen; `plot` draws it and sets `ax_`, `axes_` and `figure_`.

    Attributes
    ----------
    needs : str
        What `from_estimator` is given after the model: "", "X" or "X, y".
    rows_optional : bool
        Whether it takes rows all the same, to draw them behind the rest.
    without_target : str
        The display that stands in where there is no y.
    """

    needs: ClassVar[str] = "X"
    rows_optional: ClassVar[bool] = False
    without_target: ClassVar[str] = ""

    ax_: Any
    axes_: Any
    figure_: Any

    def _draw_on(self, ax: Any, count: int = 1, width: float = 4.6, height: float = 4.0) -> list[Any]:
        """Take the axes that were given, or make them, and remember them."""
        self.axes_ = axes_for(ax, count, width, height)
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        return self.axes_


def slice_colours(n: int, ordered: bool) -> list[Any]:
    """Return a colour for each slice: a scale where they are ordered, different ones where they are not."""
    import matplotlib as mpl

    if ordered or n > 10:
        return list(mpl.colormaps["viridis"](np.linspace(0.0, 0.92, n)))
    return list(mpl.colormaps["tab10"](np.arange(n)))


def point_size(n: int) -> float:
    """Return a marker size at which n points still show their density."""
    return float(np.clip(4000 / max(n, 1), 2, 22))


def set_apart(names: list[Any]) -> None:
    """Move annotations that would cover each other, those above the middle up and those below it down.

    Parameters
    ----------
    names : list of matplotlib Annotation
        Their offsets in points, about an origin that is to stay in the middle.
    """
    if not names:
        return
    figure = names[0].figure
    figure.draw_without_rendering()  # extents are known once it has been laid out
    placed: list[Any] = []
    for name in sorted(names, key=lambda name: abs(name.xy[1])):
        here = box = name.get_window_extent()
        while hit := next((other for other in placed if other.overlaps(box)), None):
            box = box.translated(0, hit.y1 + 1 - box.y0 if name.xy[1] >= 0 else hit.y0 - 1 - box.y1)
        placed.append(box)
        x, y = name.xyann
        name.xyann = (x, y + (box.y0 - here.y0) * 72 / figure.dpi)
