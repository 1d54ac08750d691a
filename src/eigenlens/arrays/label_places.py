"""Where names go in a picture: next to their points, where they cover neither each other nor, with luck, anything."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

GAPS = (3.0, 7.0, 13.0, 20.0, 28.0, 38.0)  # points between a name and what it names
SIDES = np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)], dtype=float)
NEAR = 1  # gaps up to this place need no line from the name to its point


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
        outward = SIDES @ (anchor - middle) / max(float(np.hypot(*(anchor - middle))), 1e-9)
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
    return np.asarray(inside.all(axis=2).sum(axis=1))
