"""Rows that count more than once: repeated where the weights are frequencies, weighted where they are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays.spelling import refused
from ..page.findings import number

MOST_CELLS = 2_000_000  # of rows repeated as often as they occurred; beyond, they are weighted


@dataclass(frozen=True)
class Weighing:
    """What is known about the weights of rows.

    Attributes
    ----------
    n : int
        Rows of a weight above 0.
    unused, missing : int
        Rows of weight 0, and without one.
    total, squares : float
        Sum of the weights, and of their squares.
    least, low, high : float
        The smallest of all weights, and the smallest and the largest above 0.
    whole : bool
        Whether all are whole numbers.
    """

    n: int
    unused: int
    missing: int
    total: float
    squares: float
    least: float
    low: float
    high: float
    whole: bool

    @classmethod
    def of(cls, weights: np.ndarray) -> Weighing:
        """Look at weights, NaN where one is missing."""
        known = weights[~np.isnan(weights)]
        w = known[known > 0]
        return cls(
            len(w),
            int((known == 0).sum()),
            len(weights) - len(known),
            float(w.sum()),
            float((w**2).sum()),
            float(known.min(initial=np.inf)),
            float(w.min(initial=np.inf)),
            float(w.max(initial=-np.inf)),
            bool((w == np.round(w)).all()),
        )

    def merged(self, other: Weighing) -> Weighing:
        """Return what is known about the weights of both."""
        return Weighing(
            self.n + other.n,
            self.unused + other.unused,
            self.missing + other.missing,
            self.total + other.total,
            self.squares + other.squares,
            min(self.least, other.least),
            min(self.low, other.low),
            max(self.high, other.high),
            self.whole and other.whole,
        )

    @property
    def mean(self) -> float:
        return self.total / self.n

    def repeats(self, columns: int) -> bool:
        """Tell whether weights are frequencies by which rows are repeated."""
        return self.whole and self.total * columns <= MOST_CELLS

    def require(self, name: str) -> None:
        """Refuse weights that are none."""
        if self.missing:
            rule = f"{self.missing:,} of its cells are missing"
            raise refused("weights", name, f"{rule}, and every row needs a number; correct or drop those rows")
        if self.least < 0 or self.n == 0:
            few = "all its cells are 0" if self.n == 0 and self.least == 0 else ""
            rule = few or f"it holds {self.least:g}, and a weight is at least 0"
            raise refused("weights", name, f"{rule}; choose another column")

    def noted(self, name: str, repeated: bool) -> str:
        """Say what became of the rows."""
        gone = f" {self.unused:,} of weight 0 are left out." if self.unused > 1 else ""
        gone = " One of weight 0 is left out." if self.unused == 1 else gone
        if repeated:
            return f"{self.n:,} rows of the file count as {int(self.total):,}, by the numbers in {name!r}.{gone}"
        effective = self.total**2 / self.squares
        return (
            f"Weights of {name!r} go from {number(self.low, 3)} to {number(self.high, 3)}; they are as good as "
            f"{effective:,.0f} rows of equal weight.{gone}"
        )


@dataclass(frozen=True)
class Weighted:
    """Rows, and how much each counts.

    Attributes
    ----------
    table : Arrow table
    weights : ndarray or None
        With mean 1; None where all count the same.
    first_copies : ndarray of int or None
        The first copy of each row, where rows were repeated.
    kept : ndarray of bool or None
        Which of the rows count; None where all do.
    """

    table: Any
    weights: np.ndarray | None = None
    first_copies: np.ndarray | None = None
    kept: np.ndarray | None = None


def weighted(table: Any, name: str | None, columns: int, notes: list[str]) -> Weighted:
    """Weigh the rows of a table by one of its columns.

    Whole numbers are frequencies: a row that occurred 35 times is 35 rows, so folds, tests and shares are those of the
    whole table. Other weights have mean 1, so the number of rows stays what it is.
    """
    import pyarrow as pa

    if name is None:
        return Weighted(table)
    if not (pa.types.is_floating(table.column(name).type) or pa.types.is_integer(table.column(name).type)):
        raise refuse_words(name)
    w = np.asarray(table.column(name).to_numpy(), dtype=float)
    found = Weighing.of(w)
    found.require(name)
    table, kept = table.filter(pa.array(w > 0)), None if not found.unused else w > 0
    w = w[w > 0]
    repeated = found.repeats(columns)
    notes.append(found.noted(name, repeated))
    if repeated:
        counts = w.astype(int)
        rows = np.repeat(np.arange(len(w)), counts)
        return Weighted(table.take(pa.array(rows)), None, np.cumsum(counts) - counts, kept)
    return Weighted(table, w / found.mean, None, kept)


def refuse_words(name: str) -> Exception:
    """Refuse a column of words as weights."""
    rule = "it holds words, and every row needs a number; correct or drop those rows"
    return refused("weights", name, rule)
