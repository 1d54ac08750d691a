"""What all pictures share: axes, dots, classes, names that cover nothing, and a plain look.

matplotlib is imported when something is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .arrays import errors, namespaces, optional
from .arrays.typing import Axes, Figure

#: Ink that is read on white and on black, what is quiet, what was found, and levels.
INK, QUIET, FOUND, LEVEL = "0.45", "0.75", "#2a7ab9", "#d1495b"
#: One palette for the classes of all methods, told apart by colour-blind eyes as far as ten can be; each has a contrast
#: of 3 or more with white, and the page has the same.
COLOURS = ("#0072b2", "#d55e00", "#00916a", "#c46a9b", "#b07d00", "#3a8fc7", "#6f42c1", "#8c564b", "#7a8b00", "#555f6b")
MARKERS = "os^Dv"  # ten classes each
FEW = 12  # classes that have a legend; the names of more stand at their centres
MANY = 20_000  # rows from which on points would hide each other

GAPS = (3.0, 7.0, 13.0, 20.0, 28.0, 38.0)  # points between a name and what it names
SIDES = np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)], dtype=float)
NEAR = 1  # gaps up to this place need no line from the name to its point


class Display:
    """What was drawn.

    Attributes
    ----------
    ax_ : axes
        The first, or the only ones.
    axes_ : list of axes
    figure_ : figure
    data : dict
        Numbers of the picture, by name.
    """

    ax_: Axes
    axes_: list[Axes]
    figure_: Figure

    def __init__(self, axes: Any, **data: Any) -> None:
        self.axes_, self.data = list(np.ravel(np.asarray(axes, dtype=object))), data
        first: Any = self.axes_[0]
        self.ax_, self.figure_ = first, first.figure

    def __repr__(self) -> str:
        return f"<Display: {len(self.axes_)} picture(s) in figure_>"


def require_attribute(model: Any, attribute: str, such_as: str) -> None:
    """Refuse to draw a model that has not what the picture shows: it is of another kind, or not fitted."""
    if not hasattr(model, attribute):
        raise errors.InputError(
            f"{type(model).__name__} has no {attribute}, which this picture draws. Pass a fitted model that has it, "
            f"such as {such_as}; model.plot() draws others."
        )


# -- axes ----------------------------------------------------------------------------------------------------------


def axes_for(
    ax: Any, count: int = 1, width: float = 4.6, height: float = 4.0, columns: int = 0, name: str = "ax", **options: Any
) -> list[Any]:
    """Return `count` axes, or the first of those that were given.

    Parameters
    ----------
    ax : axes, or a sequence of them, or None
    count : int
    width, height : float
        Of each, in inches.
    columns : int
        The most in a row; all by default.
    name : str
        For a message: the argument.
    **options
        Of `plt.subplots`.
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
    _, grid = optional.pyplot().subplots(down, across, figsize=size, layout="constrained", squeeze=False, **options)
    for extra in grid.flat[count:]:
        extra.set_visible(False)
    return list(grid.flat[:count])


def one_axes(ax: Any, width: float = 6.0, height: float = 3.8) -> Any:
    """Return the axes given, or new ones."""
    return axes_for(ax, 1, width, height)[0]


def finish(
    ax: Any, x: str = "", y: str = "", title: str = "", *, legend: str = "", whole: bool = False, **settings: Any
) -> Any:
    """Name the axes, leave out what carries no data, and return them.

    Parameters
    ----------
    ax : axes
    x, y, title : str
    legend : str
        Its place: "beside" the axes, or one within; "" for none.
    whole : bool
        Whether x counts something.
    **settings
        Of the axes, such as their limits.
    """
    ax.set(**settings, **{name: words for name, words in (("xlabel", x), ("ylabel", y)) if words})
    if title:
        ax.set_title(title, fontsize=10, loc="left")
    if whole:
        ax.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
    if legend and ax.get_legend_handles_labels()[0]:
        beside = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.2}
        ax.legend(frameon=False, fontsize="small", **(beside if legend == "beside" else {"loc": legend}))
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(color=QUIET, labelcolor=INK)
    return ax


# -- dots, classes and arrows --------------------------------------------------------------------------------------


floats = namespaces.floats


def row_names(X: Any) -> list[str] | None:
    """Return the index of a pandas frame, unless it holds numbers."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or hasattr(X, "__dask_graph__"):
        return None
    return None if getattr(index, "dtype", np.dtype(int)).kind in "iufbmM" else list(map(str, index))


def column_names(model: Any, count: int) -> list[str]:
    """Return the names of the columns of a fit; x0, x1, … where they have none."""
    return [str(name) for name in getattr(model, "feature_names_in_", (f"x{j}" for j in range(count)))]


def axis_name(word: str, j: int, shares: Any = ()) -> str:
    """Return what the j-th direction is called on an axis, with its share where it has one."""
    return f"{word} {j + 1}" + (f" ({shares[j]:.0%})" if j < len(shares) else "")


def in_plane(values: np.ndarray, directions: tuple[int, int] = (0, 1)) -> np.ndarray:
    """Return two columns of coordinates, zeros where there is no such axis."""
    zero = np.zeros(len(values))
    return np.stack([values[:, j] if j < values.shape[1] else zero for j in directions], axis=1)


def palette(n: int, ordered: bool = False) -> list[Any]:
    """Return a colour for each of n classes: a scale where they are ordered."""
    import matplotlib as mpl

    if ordered:
        return list(mpl.colormaps["viridis"](np.linspace(0.0, 0.92, n)))
    return [COLOURS[k % len(COLOURS)] for k in range(n)]


def dots(ax: Any, xy: np.ndarray, colour: Any = FOUND, size: float = 1.0, of: int = 0, **style: Any) -> Any:
    """Draw points; their size is relative to one at which as many points (or `of`) still show their density."""
    area = size * np.clip(4000 / max(of or len(xy), 1), 2, 22)
    return ax.scatter(*xy.T, s=area, color=colour, **{"alpha": 0.75, "linewidth": 0, **style})


def density(ax: Any, xy: np.ndarray, gridsize: int = 90, **style: Any) -> None:
    """Draw how many points there are; where there are few, colours are near the background, light or dark."""
    from matplotlib.colors import to_rgb

    colours = "Blues" if sum(to_rgb(ax.get_facecolor())) > 1.5 else "Blues_r"
    ax.hexbin(*xy.T, gridsize=gridsize, bins="log", cmap=colours, mincnt=1, **style)


def classes_of(y: Any) -> np.ndarray | None:
    """Return the different values of y where they are classes: words, or few numbers."""
    if y is None:
        return None
    found = np.unique(y)
    return found if y.dtype.kind in "OUSTb" or len(found) <= FEW else None


def coloured(ax: Any, xy: np.ndarray, y: np.ndarray | None) -> list[Any]:
    """Draw points in the colours of their classes or numbers, or their density; return names, to be placed."""
    classes, many = classes_of(y), len(xy) > MANY
    if y is not None and classes is not None:
        return by_class(ax, xy, np.searchsorted(classes, y), classes, 1.3, 0.3 if many else 0.8)
    if y is not None:
        drawn = dots(ax, xy, None, 1.3, c=y.astype(float), cmap="viridis", alpha=0.85)
        ax.figure.colorbar(drawn, ax=ax, shrink=0.8)
    elif many:
        density(ax, xy)
    else:
        dots(ax, xy, size=1.3)
    return []


def by_class(
    ax: Any, xy: np.ndarray, codes: np.ndarray, classes: np.ndarray, size: float, alpha: float = 0.75
) -> list[Any]:
    """Draw the points of each class; return the names of many classes, to be placed at their centres."""
    from matplotlib.patheffects import withStroke

    many, names = len(classes) > FEW, []
    for k, (label, colour) in enumerate(zip(classes, palette(len(classes)), strict=True)):
        marker = MARKERS[k // len(COLOURS) % len(MARKERS)]
        dots(ax, xy[codes == k], colour, size, len(xy), alpha=alpha, marker=marker, label=None if many else str(label))
    for k in np.unique(codes) if many else ():
        ink = ax.xaxis.label.get_color()  # as strong as a style has it: rows lie behind these names
        names.append(named(ax, str(classes[k]), tuple(xy[codes == k].mean(axis=0)), 8, ink))
        names[-1].set(weight="bold", path_effects=[withStroke(linewidth=2.5, foreground=ax.get_facecolor())])
    return names


def arrows(
    ax: Any, tips: np.ndarray, names: Iterable[str], colour: str, ink: str = INK
) -> tuple[list[Any], np.ndarray]:
    """Draw arrows from the origin; return their names, to be placed, and points along them, to be left free."""
    for tip in tips:
        ax.annotate("", tuple(tip), (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour, "alpha": 0.75, "lw": 1})
    along = np.linspace(0.1, 1.0, 12)[:, None, None] * tips
    return [named(ax, name, tip, 8, ink) for name, tip in zip(names, tips, strict=False)], along.reshape(-1, 2)


# -- names ---------------------------------------------------------------------------------------------------------


def named(ax: Any, name: str, xy: Any, size: float = 8, colour: Any = INK) -> Any:
    """Write a name for `place_names` to place, with a line to its point for where it has to move away."""
    leader = {"arrowstyle": "-", "color": QUIET, "lw": 0.6, "shrinkA": 0, "shrinkB": 1}
    return ax.annotate(
        name,
        xy,
        (0, 0),
        fontsize=size,
        color=colour,
        textcoords="offset points",
        ha="center",
        va="center",
        arrowprops=leader,
    )


def place_names(ax: Any, names: list[Any], dots: np.ndarray | None = None) -> list[str]:
    """Place names next to their points, where they cover neither each other nor the legend nor, with luck, dots.

    The limits of the axes and the legend must be final.

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
    named = np.array([name.xy for name in names])
    anchors = ax.transData.transform(named)
    places = label_places(
        anchors,
        np.array([[extent.width, extent.height] for extent in extents]),
        np.asarray(ax.get_window_extent().extents),
        ax.transData.transform(named if dots is None else dots),
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


def label_places(
    anchors: np.ndarray,
    sizes: np.ndarray,
    frame: np.ndarray,
    dots: np.ndarray,
    taken: np.ndarray | None = None,
    gaps: Sequence[float] = GAPS,
) -> list[tuple[np.ndarray, bool] | None]:
    """Return the centre of each name, and whether it is far from its point; None where there is no room for it.

    The first have the choice. Each goes where it covers least: close to its point before far from it, on the side away
    from the middle before the others.

    Parameters
    ----------
    anchors : ndarray of shape (m, 2)
        What is named.
    sizes : ndarray of shape (m, 2)
        Width and height of each name.
    frame : ndarray of shape (4,)
        The picture: lowest x and y, highest x and y.
    dots : ndarray of shape (n, 2)
        What names should leave free.
    taken : ndarray of shape (k, 4), optional
        Boxes that no name may cover, such as the legend.
    gaps : sequence of float
        How far a name may be from its point.
    """
    boxes = np.zeros((0, 4)) if taken is None else taken
    middle = (frame[:2] + frame[2:]) / 2
    unit = SIDES / np.maximum(np.hypot(*SIDES.T), 1.0)[:, None]
    away = np.repeat(np.arange(len(gaps)), len(SIDES))
    places: list[tuple[np.ndarray, bool] | None] = []
    for anchor, size in zip(anchors, sizes, strict=True):
        centres = anchor + (np.asarray(gaps)[:, None, None] * unit + SIDES * size / 2).reshape(-1, 2)
        low, high = centres - size / 2, centres + size / 2
        outside = ((low < frame[:2]) | (high > frame[2:])).any(axis=1)
        free = ~outside & (_overlaps(low, high, boxes[:, :2], boxes[:, 2:]) == 0)
        covered = _overlaps(low, high, dots, dots)
        outward = SIDES @ (anchor - middle) / max(np.hypot(*(anchor - middle)), 1e-9)
        if not free.any():
            places.append(None)
            continue
        costs = 2.0 * covered + away - 0.2 * np.tile(outward, len(gaps))
        best = int(np.argmin(np.where(free, costs, np.inf)))
        boxes = np.vstack([boxes, [*low[best], *high[best]]])
        places.append((centres[best], bool(away[best] > NEAR)))
    return places


def _overlaps(low: np.ndarray, high: np.ndarray, lowest: np.ndarray, highest: np.ndarray) -> np.ndarray:
    """Count for each box those of a second set that it overlaps."""
    inside = (lowest[None] < high[:, None]) & (highest[None] > low[:, None])
    return inside.all(axis=2).sum(axis=1)
