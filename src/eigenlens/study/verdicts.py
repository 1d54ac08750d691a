"""Real or noise: what a test says of each direction, and how much may be spent on asking.

How many draws a test has is decided by the size of the table, never by a clock: the same table gets the same verdict on
every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..inference import DimensionTest
from ..report.findings import Direction, Test

LEVEL = 0.05
DRAWS = (199, 99, 39, 19)  # the last is the fewest that can reject at 5%


@dataclass(frozen=True)
class Verdicts:
    """What was decided of k directions.

    Attributes
    ----------
    test : Test
    real : list of bool or None
    evidence : list of str
    p_values : list of float or None
    scree : dict
        "band" and "band_words", or "tails": what the picture of the directions shows of the test.
    """

    test: Test
    real: list[bool | None]
    evidence: list[str]
    p_values: list[float | None]
    scree: dict[str, Any] = field(default_factory=dict)

    def direction(self, j: int, name: str, value: float, share: float | None) -> Direction:
        """Return the j-th direction with its verdict."""
        return Direction(name, value, share, self.real[j], self.evidence[j], self.p_values[j])


def untested(k: int, why: str) -> Verdicts:
    """Say why nothing was tested."""
    return Verdicts(Test(about=why), [None] * k, [""] * k, [None] * k)


def of_test(found: DimensionTest, k: int, test: Test, words: str = "", band_words: str = "") -> Verdicts:
    """Read a test: all directions before the first that is not rejected are real.

    Where the test compares single values with those of noise, the picture gets a band, if there are words for it; where
    it compares what all directions from one on carry together, it gets these.
    """
    p = [float(v) if np.isfinite(v) else None for v in found.p_values[:k]]
    p += [None] * (k - len(p))
    said = [[] if v is None else [f"{words} {p_words(v, test.draws)}".strip()] for v in p]
    scree: dict[str, Any] = {}
    if "bar" in found.statistics:
        tested = np.isfinite(found.statistics["bar"])
        scree["tails"] = (found.statistics["statistic"][tested], found.statistics["bar"][tested])
    if "noise" in found.statistics and band_words:
        band = found.statistics["noise"][:k]
        scree |= {"band": band, "band_words": band_words}
        for words_of, b in zip(said, band, strict=False):
            words_of.append(f"noise reaches {b:.3g}")
    real: list[bool | None] = [j < found.dimension for j in range(k)]
    return Verdicts(test, real, [", ".join(s) for s in said], p, scree)


def p_words(p: float, draws: int | None = None) -> str:
    """Return a p-value in words, as finely as the draws allow."""
    return "p < 0.001" if p < 0.001 and draws is None else f"p = {p:.3f}"


# -- how much is spent ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Effort:
    """How many draws a test gets, on how many of the rows."""

    draws: int
    rows: int

    def test(self, n: int, name: str, about: str) -> Test:
        """Return the record of a test of n rows made with this effort."""
        some = f" of {self.rows:,} of the {n:,} rows, drawn at random" if self.rows < n else ""
        fine = f"{self.draws} permutations{some}, so that p-values are multiples of {1 / (1 + self.draws):.3g}"
        return Test(name, f"{about} ({fine}).", LEVEL, self.draws, self.rows if self.rows < n else None)


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
        With fewer a test would see nothing; None is returned where even these are too dear.
    """
    for draws in DRAWS:
        if draws <= most and draws * cost(n) <= budget:
            return Effort(draws, n)
    rows = n
    while rows > fewest_rows and DRAWS[-1] * cost(rows) > budget:
        rows = max(int(rows * 0.9), fewest_rows)
    return Effort(DRAWS[-1], rows) if DRAWS[-1] * cost(rows) <= budget else None


def some_rows(rows: int, n: int, seed: int, y: np.ndarray | None = None) -> np.ndarray:
    """Draw rows at random; of each class its share, and two at least."""
    rng = np.random.default_rng(seed)
    if rows >= n:
        return np.arange(n)
    if y is None:
        return np.sort(rng.choice(n, rows, replace=False))
    parts = []
    for label in np.unique(y):
        places = np.flatnonzero(y == label)
        count = min(len(places), max(round(rows * len(places) / n), 2))
        parts.append(rng.choice(places, count, replace=False))
    return np.sort(np.concatenate(parts))
