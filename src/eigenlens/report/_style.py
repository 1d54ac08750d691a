"""What all displays share: axes to draw on, and a plain look."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import errors, optional

INK, QUIET, FOUND, LEVEL = "0.2", "0.75", "#2166ac", "#b2182b"


def axes_for(ax: Any, count: int, width: float = 4.6, height: float = 4.0) -> list[Any]:
    """Return `count` axes in a row, or those that were given."""
    plt = optional.pyplot()

    if ax is not None:
        given = list(np.ravel(ax))
        if len(given) < count:
            raise errors.InputError(
                f"ax holds {len(given)} axes but this display draws on {count}; pass those of plt.subplots(1, "
                f"{count}), or none."
            )
        return given[:count]
    _, axes = plt.subplots(1, count, figsize=(width * count, height), layout="constrained", squeeze=False)
    return list(axes[0])


def plain(ax: Any) -> Any:
    """Leave out what carries no data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(color=QUIET, labelcolor=INK)
    return ax


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
