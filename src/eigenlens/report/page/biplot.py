"""The biplot: rows as points and columns as arrows, whose names do not cover each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..findings import Findings
from .html import WIDE, Markup, cut, el, figure, join, line, svg, text

HIGH = 400
LETTER, ROW = 6.2, 12.5  # units of a letter, and of a line of names
MOST_LETTERS = 18
MARGIN = 10.0


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
    places = place_names(
        [cut(findings.loading_names[place], MOST_LETTERS) for place in ends],
        [(mid + 1.05 * dx, mid + 1.05 * dy + 4, dx < 0) for dx, dy in ends.values()],
    )
    parts += [_arrow(mid, mid, dx, dy) for dx, dy in ends.values()]
    for column, (left, y) in zip(ends, places, strict=True):
        name = findings.loading_names[column]
        parts.append(text(left, y, cut(name, MOST_LETTERS), "start", "name halo", name))
    heights = [mid, *(mid - Z[:, 1] / reach * side / 2), *(mid + dy for _, dy in ends.values())]
    heights += [at for _, y in places for at in (y - ROW, y)]
    top, bottom = float(min(heights)) - MARGIN, float(max(heights)) + MARGIN  # a flat cloud needs no square
    cross = [line(mid - side / 2, mid, mid + side / 2, mid, "grid"), line(mid, top, mid, bottom, "grid")]
    about = (
        f"Rows as points, {len(order)} columns as arrows: an arrow points to rows where the column is large. Rows "
        "selected above are marked here."
    )
    return figure("Biplot", about, svg(bottom - top, "biplot of the first two directions", cross, parts, top=top))


def place_names(names: list[str], wanted: list[tuple[float, float, bool]]) -> list[tuple[float, float]]:
    """Return where names begin: as near to where they are wanted as those before them allow, within the picture.

    Parameters
    ----------
    names : list of str
    wanted : list of (float, float, bool)
        For each name the place of its arrow's tip, and whether it ends there instead of beginning.
    """
    taken: list[tuple[float, float, float]] = []
    for name, (x, y, ends) in zip(names, wanted, strict=True):
        width = LETTER * len(name)
        left = min(max(x - width if ends else x, 2.0), max(WIDE - width - 2, 2.0))
        steps = sorted((y + step for step in np.arange(-HIGH, HIGH, 2.0)), key=lambda at: abs(at - y))
        inside = [float(at) for at in steps if ROW - 2 <= at <= HIGH - 4]
        free = (at for at in inside if not any(_covers(left, width, at, other) for other in taken))
        taken.append((left, next(free, inside[0]), width))
    return [(left, y) for left, y, _ in taken]


def _covers(left: float, width: float, y: float, other: tuple[float, float, float]) -> bool:
    a, b, w = other
    return abs(y - b) < ROW and left < a + w + 3 and a < left + width + 3


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
