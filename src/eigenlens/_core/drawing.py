"""What all pictures share: axes to draw on, and a plain look. matplotlib is imported when something is drawn."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from . import errors, optional
from .typing import Axes, Figure

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
