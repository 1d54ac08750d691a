"""Cells of a column of numbers that lie far beyond all others: codes for missing cells such as 999, and mistakes.

Take the distances from the median of the cells on one side of it, the largest first: d₁ ≥ d₂ ≥ … In a tail that falls
like a power of the distance, as Cauchy's does, m·log(dₘ / dₘ₊₁) has the same exponential distribution for every m
(Rényi 1953), and in a lighter tail it falls towards the end. So a gap below the m outermost cells that is much wider,
in these terms, than the 20 gaps after it is no part of any tail: with k gaps after it, a ratio of more than x to their
mean has probability (1 + x/k)⁻ᵏ at most. Cells that are equal count as spread over the step to the next smaller
distance, and the gap must be twice as wide as any after it, so that the steps of whole numbers are none. Of cells
beyond it we ask that they are few (one in twenty) and at least twice as far as any other; a number that people write
for missing cells (9, 99, 999, 99.9, −1, −9, −99 …) must repeat, may be in half of the rows and needs no such distance
where it is the only one below 0, or above the others; −9, −99 … among cells of which none is below 0 need no gap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LEVEL = 1e-4  # probability of a gap at the end of a tail that falls like a power; some ten at each end can be judged
CODE_LEVEL = 1e-2  # the same where the number beyond it is one that stands for missing cells
GAPS = 20  # after the one that is judged
FEWEST = 5  # of them
FEW = 0.05  # of the cells may lie beyond
FAR = 2.0  # times the distance of the next cell, and times as wide as other gaps


@dataclass(frozen=True)
class ExtremeCells:
    """Cells beyond a gap at one end of a column.

    Attributes
    ----------
    places : ndarray of int
        Of the cells, in the order of the rows.
    values : ndarray of float
        Their different numbers, the outermost first.
    next : float
        The cell next to them, where the others end.
    """

    places: np.ndarray
    values: np.ndarray
    next: float

    @property
    def is_code(self) -> bool:
        """Whether a single number repeats, as one that stands for missing cells does."""
        return len(self.values) == 1 and len(self.places) > 1


def extreme_cells(column: np.ndarray) -> list[ExtremeCells]:
    """Return the cells of a column that lie far beyond all others, at its upper and its lower end.

    Parameters
    ----------
    column : ndarray of float
        NaN where a cell is missing.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.rows.extreme_cells import extreme_cells
    >>> column = np.append(np.random.default_rng(0).lognormal(size=200), [999, 999])
    >>> [(found.values, found.places) for found in extreme_cells(column)]
    [(array([999.]), array([200, 201]))]
    """
    known = column[np.isfinite(column)]
    found = [_beyond(column, known, sign) for sign in (1.0, -1.0)]
    return [each for each in found if each is not None]


def may_be_code(value: float) -> bool:
    """Tell whether people write a number for missing cells: nines alone, or −1."""
    digits = f"{abs(value):.10g}".replace(".", "")
    return value == -1 or set(digits) == {"9"}


def _beyond(column: np.ndarray, known: np.ndarray, sign: float) -> ExtremeCells | None:
    """Return the cells beyond a gap at the upper end of a column, or of its negative."""
    if len(known) <= FEWEST:
        return None
    ordered = np.sort(sign * known)[::-1]
    m = _codes(ordered, sign) or _wild(ordered)
    if not m:
        return None
    places = np.flatnonzero(sign * column >= ordered[m - 1])
    return ExtremeCells(places, -sign * np.unique(-ordered[:m]), float(sign * ordered[m]))


def _codes(ordered: np.ndarray, sign: float) -> int:
    """Return how many cells are the outermost number, if it is a code; cells are given in descending order."""
    end, m = float(sign * ordered[0]), int((ordered == ordered[0]).sum())
    if m < 2 or m > len(ordered) / 2 or ordered[0] < 0 or not may_be_code(end):
        return 0
    others = ordered[m:]
    alone = end < 0 and others[0] <= 0  # below 0, where no other cell is
    if alone and end < -1:
        return m
    middle = np.median(others)
    middle = middle if middle < others[0] else others[-1]  # where most of the others are the largest of them
    distances = ordered[ordered > middle] - middle
    if len(distances) <= m or (end < 0 and not alone and distances[0] < FAR * distances[m]):
        return 0
    return m if _too_wide(distances, CODE_LEVEL)[m - 1] else 0


def _wild(ordered: np.ndarray) -> int:
    """Return how many cells lie far beyond all others; cells are given in descending order."""
    distances = ordered - np.median(ordered)
    distances = distances[distances > 0]
    if len(distances) <= FEWEST:
        return 0
    judged = _too_wide(distances, LEVEL) & (distances[:-1] > FAR * distances[1:])
    found = np.flatnonzero(judged[: max(1, int(FEW * len(ordered)))])
    return int(found[-1]) + 1 if len(found) else 0


def _too_wide(distances: np.ndarray, level: float) -> np.ndarray:
    """Tell of each cell but the last whether the gap below it is too wide for a tail."""
    logs = np.log(_spread(distances))
    order = np.arange(1, len(logs))
    gaps = order * (logs[:-1] - logs[1:])
    sums = np.append(0.0, np.cumsum(gaps))
    after = np.minimum(GAPS, len(gaps) - order)
    mean = (sums[order + after] - sums[order]) / np.maximum(after, 1)
    own = order * np.log(distances[:-1] / distances[1:])
    steps = distances[:-1] - distances[1:]
    widest = np.maximum.accumulate(np.append(steps[1:], distances[-1])[::-1])[::-1]  # of those after each
    ratio = own / np.where(mean > 0, mean, 1.0)
    chance = np.exp(-after * np.log1p(ratio / np.maximum(after, 1)))
    return (after >= FEWEST) & (steps > 0) & (steps >= FAR * widest) & (chance < level / 2)  # of two ends


def _spread(distances: np.ndarray) -> np.ndarray:
    """Spread equal distances evenly over the step to the next smaller one."""
    different, of, counts = np.unique(-distances, return_inverse=True, return_counts=True)
    steps = -different - np.append(-different[1:], 0.0)
    first = np.cumsum(counts) - counts
    place = (np.arange(len(distances)) - first[of]) / counts[of]
    return distances - steps[of] * place
