"""The biplot: rows as points and columns as arrows, whose names do not cover each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..drawing import label_places
from .findings import Findings
from .html import WIDE, Markup, cut, el, figure, join, line, svg, text

HIGH = 400
LETTER, ROW = 6.2, 12.5  # units of a letter, and of a line of names
MOST_LETTERS = 18
MARGIN = 10.0
STEPS = 60  # points of an arrow that names should leave free
GAPS = tuple(np.cumsum([4.0, *np.repeat(6.0, 30)]))  # units between a name and the tip of its arrow


def biplot(findings: Findings, most: int = 12, points: int = 600) -> Markup:
    """Rows as points and columns as arrows, in the first two directions."""
    Z, V = findings.scores[:, :2], findings.loadings[:, :2]
    drawn = np.linspace(0, len(Z) - 1, min(points, len(Z))).astype(int)
    Z = Z[drawn]
    side, mid = 360, 200
    Z = Z - np.median(Z, axis=0)
    reach = float(np.abs(Z).max(initial=0)) or 1.0
    length = np.sqrt((V**2).sum(axis=1))
    order = np.argsort(-length, kind="stable")[:most]
    scale = 0.78 * side / 2 / (float(length.max(initial=0)) or 1.0)
    parts: list[Any] = [
        el(
            "circle",
            cx=float(mid + z[0] / reach * side / 2),
            cy=float(mid - z[1] / reach * side / 2),
            r=1.8,
            class_="dot",
            data_row=int(row),
        )
        for row, z in zip(drawn, Z, strict=True)
    ]
    ends = {int(place): (float(V[place, 0]) * scale, -float(V[place, 1]) * scale) for place in order}
    names = [cut(findings.loading_names[place], MOST_LETTERS) for place in ends]
    tips = mid + np.array([*ends.values()]).reshape(-1, 2)
    places = place_names(names, tips, np.linspace(mid, tips, STEPS).reshape(-1, 2))
    parts += [_arrow(mid, mid, dx, dy) for dx, dy in ends.values()]
    for column, shown, tip, place in zip(ends, names, tips, places, strict=True):
        if place is not None:
            parts.append(_named(shown, findings.loading_names[column], tip, *place))
    heights = [mid, *(mid - Z[:, 1] / reach * side / 2), *(mid + dy for _, dy in ends.values())]
    heights += [place[0][1] + at for place in places if place is not None for at in (-ROW / 2, ROW / 2)]
    top, bottom = float(min(heights)) - MARGIN, float(max(heights)) + MARGIN  # a flat cloud needs no square
    cross = [line(mid - side / 2, mid, mid + side / 2, mid, "grid"), line(mid, top, mid, bottom, "grid")]
    about = (
        f"Rows as points, {len(order)} columns as arrows: an arrow points to rows where the column is large. Rows "
        "selected above are marked here."
    )
    return figure("Biplot", about, svg(bottom - top, "biplot of the first two directions", cross, parts, top=top))


def place_names(names: list[str], tips: np.ndarray, drawn: np.ndarray) -> list[tuple[np.ndarray, bool] | None]:
    """Return the centre of each name near the tip of its arrow, and whether it is far away; None without room."""
    sizes = np.array([(LETTER * len(name) + 2, ROW) for name in names]).reshape(-1, 2)
    return label_places(tips, sizes, np.array([2.0, 2.0, WIDE - 2.0, HIGH - 2.0]), drawn, gaps=GAPS)


def _named(shown: str, name: str, tip: np.ndarray, centre: np.ndarray, far: bool) -> Markup:
    (x, y), (a, b) = map(float, centre), map(float, tip)
    written = text(x, y + 4, shown, "middle", "name halo", name)
    return join(line(a, b, x, y, "grid"), written) if far else written


def _arrow(x: float, y: float, dx: float, dy: float) -> Markup | None:
    length = float(np.hypot(dx, dy))
    if length < 1:
        return None
    u, v, size = dx / length, dy / length, min(7.0, 0.5 * length)
    tip = (x + dx, y + dy)
    back = (tip[0] - size * u, tip[1] - size * v)
    side = (0.45 * size * v, -0.45 * size * u)
    corners = [tip, (back[0] - side[0], back[1] - side[1]), (back[0] + side[0], back[1] + side[1])]
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
    return join(line(x, y, *back, "arrow"), el("polygon", points=points, class_="head"))
