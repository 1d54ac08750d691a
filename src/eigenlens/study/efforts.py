"""How many draws a test gets, and on how many rows, decided by the size of the table and never by a clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..rows.sampled_rows import keys, smallest

LEVEL = 0.05
DRAWS = (199, 99, 39, 19)  # the last is the fewest that can reject at 5%


@dataclass(frozen=True)
class Effort:
    """How many draws a test gets, on how many of the rows."""

    draws: int
    rows: int


def effort(n: int, cost: Callable[[int], float], budget: float, most: int, fewest_rows: int) -> Effort | None:
    """Return the most draws on all rows that a budget allows, or the fewest on as many rows as it allows.

    Parameters
    ----------
    n : int
        Rows.
    cost : function of a number of rows
        Of one draw.
    budget : float
        Of all draws, in the same unit.
    most : int
        Draws.
    fewest_rows : int
        With fewer a test would see nothing; None is returned where even these would take too long.
    """
    for draws in DRAWS:
        if draws <= most and draws * cost(n) <= budget:
            return Effort(draws, n)
    rows = n
    while rows > fewest_rows and DRAWS[-1] * cost(rows) > budget:
        rows = max(int(rows * 0.9), fewest_rows)
    return Effort(DRAWS[-1], rows) if DRAWS[-1] * cost(rows) <= budget else None


def some_rows(
    rows: int,
    n: int,
    seed: int,
    y: np.ndarray | None = None,
    numbers: np.ndarray | None = None,
    sizes: np.ndarray | None = None,
) -> np.ndarray:
    """Draw rows at random; of each class its share, and two at least.

    Parameters
    ----------
    rows : int
        How many.
    n : int
        Of how many.
    seed : int
    y : ndarray, optional
        Classes.
    numbers : ndarray of int, optional
        Numbers of the rows in memory, which decide; 0 to n − 1 if not given.
    sizes : ndarray of int, optional
        Rows of each class, sorted, if not all are in memory.
    """
    numbers = np.arange(n) if numbers is None else numbers
    if rows >= n:
        return np.arange(len(numbers))
    order = keys(numbers, seed)
    if y is None:
        return smallest(order, rows)
    parts = []
    for k, label in enumerate(np.unique(y)):
        places = np.flatnonzero(y == label)
        count = min(len(places), max(round(rows * (len(places) if sizes is None else int(sizes[k])) / n), 2))
        parts.append(places[smallest(order[places], count)])
    return np.sort(np.concatenate(parts))
