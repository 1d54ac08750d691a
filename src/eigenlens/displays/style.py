"""What all displays share in addition to the look of `drawing`: a base, colours of classes and counts, sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..drawing import FOUND, INK, LEVEL, QUIET, Display, axes_for, named, place_names, plain

#: One palette for the classes of all methods, told apart by colour-blind eyes as far as ten can be; each has a contrast
#: of 3 or more with white, and the page has the same.
COLOURS = ("#0072b2", "#d55e00", "#00916a", "#c46a9b", "#b07d00", "#3a8fc7", "#6f42c1", "#8c564b", "#7a8b00", "#555f6b")
MARKERS = "os^Dv"  # ten classes each
MOST_IN_LEGEND = 12  # classes; the names of more stand at their centres

__all__ = [
    "COLOURS",
    "FOUND",
    "INK",
    "LEVEL",
    "MARKERS",
    "MOST_IN_LEGEND",
    "QUIET",
    "Display",
    "axes_for",
    "class_codes",
    "density_colours",
    "name_centres",
    "plain",
    "point_size",
    "row_names",
    "slice_colours",
]


def class_codes(y: Any, classes: np.ndarray) -> np.ndarray:
    """Return the place of each label among the classes of a fit, in any order; refuse labels it has not seen."""
    labels = np.asarray(namespaces.to_numpy(y) if namespaces.is_array(y) else y)
    strange = ~np.isin(labels, classes)
    if strange.any():
        known = errors.shortened(classes.tolist())
        raise errors.InputError(
            f"y has the label {errors.plain(labels[strange][0])!r}, which the fit has not seen; its classes are "
            f"{known}. Leave these rows out, or fit with them."
        )
    order = np.argsort(classes)  # pandas categories have an order of their own
    return np.asarray(order[np.searchsorted(classes[order], labels)])


def slice_colours(n: int, ordered: bool) -> list[Any]:
    """Return a colour for each slice: a scale where they are ordered, those of the palette in turn where not."""
    import matplotlib as mpl

    if ordered:
        return list(mpl.colormaps["viridis"](np.linspace(0.0, 0.92, n)))
    return [COLOURS[k % len(COLOURS)] for k in range(n)]


def name_centres(ax: Any, names: list[str], centres: np.ndarray) -> None:
    """Write names next to the centres of their classes, apart from each other: a legend would outgrow the picture.

    The limits of the axes must be final.
    """
    from matplotlib.patheffects import withStroke

    ink = ax.xaxis.label.get_color()  # as strong as a style has it: rows lie behind these names
    written = [named(ax, name, tuple(centre), 8, ink) for name, centre in zip(names, centres, strict=True)]
    for text in written:
        text.set(weight="bold", path_effects=[withStroke(linewidth=2.5, foreground=ax.get_facecolor())])
    place_names(ax, written, centres)


def density_colours(ax: Any) -> str:
    """Return the colours of counts: where there is little, they are near the background, light or dark."""
    from matplotlib.colors import to_rgb

    return "Blues" if sum(to_rgb(ax.get_facecolor())) > 1.5 else "Blues_r"


def point_size(n: int) -> float:
    """Return a marker size at which n points still show their density."""
    return float(np.clip(4000 / max(n, 1), 2, 22))


def row_names(X: Any) -> list[str] | None:
    """Return the index of a pandas frame, unless it holds numbers."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or getattr(index, "dtype", np.dtype(int)).kind in "iufbmM":
        return None
    return [str(name) for name in index]
