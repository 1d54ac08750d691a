"""Figures as SVG: small enough for a telephone, coloured by the stylesheet, each with its numbers as a table.

A `Chart` is a frame with two scales; `cells` is a grid of boxes with names. All figures of the page are made of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..drawing import label_places
from .findings import Findings, number
from .html import WIDE, Markup, cut, details, el, figure, line, rect, svg, table, text, ticks

NAMES = 150.0  # units for the names of columns, left of a figure
MOST_BARS = 30  # directions that are drawn
LETTER, ROW = 6.2, 12.5  # units of a letter, and of a line of names


class Chart:
    """A frame in which data from x[0] to x[1] and y[0] to y[1] have their places; marks are added to `parts`.

    Parameters
    ----------
    x, y : pair of float
    left, right, top, base : float
        Where the frame ends, in units of the figure.
    """

    def __init__(
        self,
        x: tuple[float, float],
        y: tuple[float, float],
        *,
        left: float = 52.0,
        right: float = WIDE - 10.0,
        top: float = 10.0,
        base: float = 300.0,
    ) -> None:
        self._x, self._y = x, y
        self.left, self.right, self.top, self.base = left, right, top, base
        self.parts: list[Any] = []

    def across(self, a: float) -> float:
        """Return the place of a value on the horizontal scale."""
        return float(self.left + (self.right - self.left) * (a - self._x[0]) / ((self._x[1] - self._x[0]) or 1))

    def up(self, b: float) -> float:
        """Return the place of a value on the vertical scale."""
        return float(self.base - (self.base - self.top) * (b - self._y[0]) / ((self._y[1] - self._y[0]) or 1))

    def vertical_grid(self, written: Callable[[float], str] = number) -> None:
        """Draw lines at round numbers of the horizontal scale, and write these."""
        for t in ticks(*self._x, 4):
            u = self.across(t)
            self.parts += [
                line(u, self.top, u, self.base, "grid"),
                text(u, self.base + 15, written(t), "middle", "tick"),
            ]

    def horizontal_grid(self) -> None:
        """Draw lines at round numbers of the vertical scale, and write these."""
        for t in ticks(*self._y, 4):
            v = self.up(t)
            self.parts.append(line(self.left, v, self.right, v, "grid"))
            self.parts.append(text(self.left - 5, v + 4, number(t, 3), "end", "tick"))

    def dot(self, a: float, b: float, r: float, class_: str, **more: Any) -> None:
        """Draw a circle."""
        self.parts.append(el("circle", cx=self.across(a), cy=self.up(b), r=r, class_=class_, **more))

    def line(self, a: float, b: float, c: float, d: float, class_: str) -> None:
        """Draw a line from (a, b) to (c, d)."""
        self.parts.append(line(self.across(a), self.up(b), self.across(c), self.up(d), class_))

    def path(self, points: Sequence[Any], class_: str, tag: str = "polyline") -> None:
        """Draw a line through points, or the area that it surrounds."""
        written = " ".join(f"{self.across(a):.1f},{self.up(b):.1f}" for a, b in points)
        self.parts.append(el(tag, points=written, class_=class_))


def cells(
    label: str,
    names: Sequence[str],
    columns: int,
    cell: Callable[[int, int], tuple[str, float | None, str]],
    *,
    head: Sequence[str] = (),
    tail: Sequence[str] = (),
    foot: tuple[str, Sequence[str]] = ("", ()),
    left: float = NAMES + 6,
    square: bool = False,
    letters: int = 22,
) -> Markup:
    """Return a grid of boxes with names at its left.

    Parameters
    ----------
    label : str
        What the figure is, for screen readers.
    names : sequence of str
        Of the rows.
    columns : int
    cell : function of row and column
        Returns the class of a box, its opacity, and what it says.
    head, tail : sequence of str
        Above each column, and right of each row.
    foot : str and sequence of str
        Below the names, and below each column.
    left : float
        Units for the names.
    square : bool
        Whether boxes are as high as wide, and small.
    letters : int
        Of a name that are written.
    """
    step = (WIDE - left - (62 if foot[0] else 34 if tail else 4)) / columns
    row, gap, words = (step, 0.5, "tick") if square else (18.0, 1.0, "name")
    top = 20.0 if head else 4.0
    parts: list[Any] = [text(left + step * (j + 0.5), 12, word, "middle", "tick") for j, word in enumerate(head)]
    for i, name in enumerate(names):
        y = top + i * row
        parts.append(text(left - 6, y + row / 2 + 3.5, cut(name, letters), "end", words, name))
        for j in range(columns):
            class_, opacity, said = cell(i, j)
            x = left + step * j + gap
            parts.append(rect(x, y + gap, step - 2 * gap, row - 2 * gap, class_, el("title", said), opacity=opacity))
        if tail:
            parts.append(text(WIDE - 4, y + row / 2 + 3.5, tail[i], "end", "tick"))
    base = top + len(names) * row
    if foot[0]:
        parts.append(text(left - 6, base + 14, foot[0], "end", "axis"))
        parts += [text(left + step * (j + 0.5), base + 14, word, "middle", "tick") for j, word in enumerate(foot[1])]
        base += 16
    return svg(base + 4, label, parts)


# -- directions ------------------------------------------------------------------------------------------------------


def scree(findings: Findings) -> Markup:
    """Values by direction, with the band that noise would reach."""
    values = np.asarray(findings.scree["values"], dtype=float)[:MOST_BARS]
    tips = [f"{d.name}: {number(v)}" for d, v in zip(findings.directions, values, strict=False)]
    words = "Grey bars are not shown by these rows." if any(d.shown is False for d in findings.directions) else ""
    if findings.scree.get("band") is not None:
        words += " " + findings.scree.get("band_words", "The shaded band is what noise would reach.")
    drawing = _bars_with_band(findings, values, findings.scree.get("band"), tips, findings.value_name)
    return figure("How many directions?", words.strip(), drawing)


def tails(findings: Findings) -> Markup | None:
    """The statistic of each test, with what draws reach; None where no test has one."""
    if findings.scree.get("tails") is None:
        return None
    found, bar = (np.asarray(part, dtype=float)[:MOST_BARS] for part in findings.scree["tails"])
    tips = [
        f"direction {j + 1}: {number(v)}, draws reach {number(b)}"
        for j, (v, b) in enumerate(zip(found, bar, strict=True))
    ]
    words = (
        f"{findings.scree['tails_words']} The shaded band is what 95% of the draws stay below. The first direction "
        "that does not rise above it, and those that follow, are not shown by these rows."
    )
    drawing = _bars_with_band(findings, found, bar, tips, "test statistic")
    return figure("Is there more than chance would give?", words, drawing)


def _bars_with_band(findings: Findings, values: np.ndarray, band: Any, tips: list[str], name: str) -> Markup:
    band = np.zeros(0) if band is None else np.asarray(band, dtype=float)[:MOST_BARS]
    q = len(values)
    top = float(max(values.max(initial=0), band.max(initial=0))) or 1.0
    chart = Chart((0, max(q, 1)), (0, top), left=46, right=WIDE - 12, top=18, base=196)
    chart.horizontal_grid()
    if len(band):
        edge = [(0.0, band[0]), *((j + 0.5, v) for j, v in enumerate(band)), (float(len(band)), band[-1])]
        chart.path([(0, 0), *edge, (len(band), 0)], "band", "polygon")
        chart.path(edge, "bandline")
    for j, v in enumerate(values):
        quiet = j < len(findings.directions) and findings.directions[j].shown is False
        x, y = chart.across(j + 0.15), chart.up(max(v, 0))
        width = chart.across(j + 0.85) - x
        chart.parts.append(rect(x, y, width, chart.base - y, "bar quiet" if quiet else "bar", el("title", tips[j])))
        if q <= 15 or j % 5 == 4 or j == 0:
            chart.parts.append(text(chart.across(j + 0.5), chart.base + 15, j + 1, "middle", "tick"))
    chart.parts.append(text((chart.left + chart.right) / 2, 228, "direction", "middle", "axis"))
    chart.parts.append(text(2, 10, name, "start", "axis"))
    return svg(230, f"{name} of each direction", chart.parts)


# -- loadings --------------------------------------------------------------------------------------------------------


def bars(findings: Findings, j: int, limit: int = 12) -> Markup:
    """Loadings of one direction as bars."""
    own = findings.columns_of(j)
    weights = findings.loadings[own, j]
    used = int(np.count_nonzero(weights))
    order = np.argsort(-np.abs(weights), kind="stable")[: max(min(limit, used), 1)]
    top = float(np.abs(weights[order]).max(initial=0)) or 1.0
    row = 19.0
    chart = Chart((-top, top), (0, 1), left=NAMES + 40, right=WIDE - 42)
    zero = chart.across(0)
    chart.parts.append(line(zero, 0, zero, row * len(order), "zero"))
    for i, place in enumerate(order):
        v, full = float(weights[place]), findings.loading_names[own[place]]
        end, side = chart.across(v), "start" if v >= 0 else "end"
        tip, kind = el("title", f"{full}: {v:+.3f}"), "pos" if v >= 0 else "neg"
        chart.parts += [
            text(NAMES, i * row + 14, cut(full), "end", "name", full),
            rect(min(zero, end), i * row + 4, abs(end - zero), row - 8, kind, tip),
            text(end + (4 if v >= 0 else -4), i * row + 14, f"{v:+.2f}", side, "tick"),
        ]
    about = f"The {len(order)} largest of {len(weights)}." if used > len(order) else ""
    if used < len(weights):
        some = f"{used} of {len(weights)} columns have a weight; the others have none."
        about = some if used else "No column has one."
    drawing = svg(row * len(order) + 6, f"weights of {findings.axes[j]}", chart.parts)
    return figure(findings.axes[j].capitalize(), about, drawing)


def heat(findings: Findings, most: int = 40) -> Markup:
    """All loadings as a heat map."""
    k = min(findings.loadings.shape[1], 8)
    V = findings.loadings[:, :k]
    order = np.sort(np.argsort(-np.abs(V).max(axis=1), kind="stable")[:most])
    top = float(np.abs(V).max(initial=0)) or 1.0
    pairs = findings.pairs or k
    short = [f"{j % pairs + 1}{'AB'[j // pairs]}" if pairs < k else f"{j + 1}" for j in range(k)]
    names = [findings.loading_names[place] for place in order]

    def cell(i: int, j: int) -> tuple[str, float, str]:
        v = float(V[order[i], j])
        return "pos" if v >= 0 else "neg", round(abs(v) / top, 3), f"{names[i]}, {findings.axes[j]}: {v:+.3f}"

    numbers = table(
        ["column", *(cut(a, 16) for a in findings.axes[:k])],
        [[name, *(f"{v:+.3f}" for v in V[i])] for name, i in zip(names, order, strict=True)],
        "Loadings",
    )
    about = f"{findings.loading_kind.capitalize()}; stronger is larger, the two colours are the two signs."
    if pairs < k:
        about += " A is the direction in the first set, B the one in the second."
    if len(findings.loading_names) > most:
        about += f" The {most} strongest of {len(findings.loading_names)} columns."
    drawing = cells("loadings as a heat map", names, k, cell, head=short)
    return figure("All loadings", about, drawing, details("The numbers as a table", numbers))


def biplot(findings: Findings, most: int = 12, points: int = 600) -> Markup:
    """Rows as points and columns as arrows, in the first two directions."""
    Z, V = findings.scores[:, :2], findings.loadings[:, :2]
    drawn = np.linspace(0, len(Z) - 1, min(points, len(Z))).astype(int)
    Z = Z[drawn] - np.median(Z[drawn], axis=0)
    reach = float(np.abs(Z).max(initial=0)) or 1.0
    chart = Chart((-reach, reach), (-reach, reach), left=20, right=380, top=20, base=380)
    for row, (a, b) in zip(drawn, Z, strict=True):
        chart.dot(a, b, 1.8, "dot", data_row=int(row))
    length = np.sqrt((V**2).sum(axis=1))
    order = np.argsort(-length, kind="stable")[:most]
    ends = 0.78 * reach / (float(length.max(initial=0)) or 1.0) * V[order]
    mid = chart.across(0)
    tips = np.array([(chart.across(a), chart.up(b)) for a, b in ends]).reshape(-1, 2)
    full = [findings.loading_names[place] for place in order]
    names = [cut(name, 18) for name in full]
    places = place_names(names, tips, np.linspace(mid, tips, 60).reshape(-1, 2))  # arrows stay free of names
    for end in ends:
        _arrow(chart, end, reach / 180)
    heights = [mid, *map(chart.up, Z[:, 1]), *tips[:, 1]]
    for name, shown, tip, place in zip(full, names, tips, places, strict=True):
        if place is not None:
            (x, y), far = place
            heights += [y - ROW / 2, y + ROW / 2]
            chart.parts += [
                line(tip[0], tip[1], x, y, "grid") if far else None,
                text(x, y + 4, shown, "middle", "name halo", name),
            ]
    top, bottom = float(min(heights)) - 10, float(max(heights)) + 10  # a flat cloud needs no square
    cross = [line(20, mid, 380, mid, "grid"), line(mid, top, mid, bottom, "grid")]
    about = (
        f"Rows as points, {len(order)} columns as arrows: an arrow points to rows where the column is large. Rows "
        "selected above are marked here."
    )
    drawing = svg(bottom - top, "biplot of the first two directions", cross, chart.parts, top=top)
    return figure("Biplot", about, drawing)


def place_names(names: list[str], tips: np.ndarray, drawn: np.ndarray) -> list[tuple[np.ndarray, bool] | None]:
    """Return the centre of each name near the tip of its arrow, and whether it is far away; None without room."""
    sizes = np.array([(LETTER * len(name) + 2, ROW) for name in names]).reshape(-1, 2)
    gaps = tuple(np.cumsum([4.0, *np.repeat(6.0, 30)]))  # units between a name and the tip of its arrow
    return label_places(tips, sizes, np.array([2.0, 2.0, WIDE - 2.0, 398.0]), drawn, gaps=gaps)


def _arrow(chart: Chart, tip: np.ndarray, unit: float) -> None:
    """Draw an arrow from the origin, unless it is shorter than a unit of the figure."""
    length = float(np.hypot(*tip))
    if length >= unit:
        head = min(7.0 * unit, 0.5 * length) / length * tip
        back, side = tip - head, 0.45 * head[::-1] * (-1, 1)
        chart.line(0, 0, back[0], back[1], "arrow")
        chart.path((tip, back - side, back + side), "head", "polygon")


# -- a closer look ---------------------------------------------------------------------------------------------------


def scatter(
    x: Any, y: Any, title: str, about: str, names: tuple[str, str], diagonal: bool = False, half: Any = None
) -> Markup:
    """A plain scatter plot, with a diagonal or with bars."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    spread = np.zeros(len(y)) if half is None else np.asarray(half)
    ends = [_widened(x, x), _widened(y - spread, y + spread)]
    if diagonal:
        ends = [(0.0, max(ends[0][1], ends[1][1]))] * 2
    chart = Chart(*ends)
    chart.vertical_grid()
    chart.horizontal_grid()
    if diagonal:
        chart.line(ends[0][0], ends[0][0], ends[0][1], ends[0][1], "bandline")
    r = 3.5 if half is not None or len(x) < 100 else 1.8
    for a, b, h in zip(x, y, spread, strict=True):
        if half is not None:
            chart.line(a, b - h, a, b + h, "whisker")
        chart.dot(a, b, r, "dot" if half is None else "mark")
    if half is not None:
        chart.path(list(zip(x, y, strict=True)), "curve")
    chart.parts.append(text((chart.left + WIDE) / 2, chart.base + 34, names[0], "middle", "axis"))
    chart.parts.append(text(2, chart.base + 34, f"↑ {names[1]}", "start", "axis"))
    return figure(title, about, svg(chart.base + 40, title, chart.parts))


def _widened(low: np.ndarray, high: np.ndarray) -> tuple[float, float]:
    """Return the ends of a scale, a little beyond those of the data."""
    first, last = float(low.min()), float(high.max())
    return first - 0.03 * (last - first), last + 0.03 * (last - first)


def missing_cells(names: list[str], gaps: np.ndarray, of: int, columns: int = 24, patterns: int = 10) -> Markup:
    """Which columns miss cells together: the most frequent patterns of missing cells, with the rows that have them."""
    counts = gaps.sum(axis=0)
    shown = np.sort(np.argsort(-counts, kind="stable")[: min(columns, int(np.count_nonzero(counts)))])
    found, rows = np.unique(gaps[:, shown], axis=0, return_counts=True)
    order = np.argsort(-rows, kind="stable")[:patterns]

    def cell(i: int, a: int) -> tuple[str, None, str]:
        missing, count = found[order[a], i], rows[order[a]]
        said = f"{names[shown[i]]} is {'missing' if missing else 'there'} in these {count:,} rows"
        return "neg" if missing else "cell", None, said

    drawing = cells(
        "patterns of missing cells",
        [names[j] for j in shown],
        len(order),
        cell,
        tail=[f"{counts[j] / len(gaps):.1%}" for j in shown],
        foot=("rows", [f"{rows[place]:,}" for place in order]),
    )
    about = (
        "Each column of boxes is a pattern of missing cells, strong where one is missing; below it, how many rows "
        "have it."
    )
    if len(order) < len(rows):
        rest = int(rows.sum() - rows[order].sum())
        about += f" The {len(order)} most frequent of {len(rows):,} patterns; {rest:,} rows have another one."
    if len(shown) < np.count_nonzero(counts):
        about += f" The {len(shown)} columns that miss most, of {np.count_nonzero(counts):,}."
    about += " On the right, the share of missing cells."
    about += f" Counted in {len(gaps):,} of the {of:,} rows, drawn at random." if len(gaps) < of else ""
    numbers = table(["column", "missing"], [[names[j], f"{counts[j]:,}"] for j in shown], "Missing cells")
    return figure("Missing cells", about, drawing, details("The numbers as a table", numbers))
