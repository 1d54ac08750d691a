"""Which rows belong together, and how they move: one by one, or whole groups and blocks of them.

Rows that belong together (a patient's visits, a stretch of a series) are not independent of each other. A bootstrap
draws whole units, a fold holds them, and under a null hypothesis what may be exchanged is the whole unit. Groups of one
size change places. Groups of unequal sizes cannot, and have their signs flipped instead, which keeps what happens
inside a group and takes away what columns have in common across groups. Series are shifted against each other, the end
following the beginning: cutting them into blocks that change places would break up what neighbours have in common at
every cut, and the null would be too narrow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import errors
from ..arrays.parameters import check_number

ENOUGH = 6  # groups of one size that can change places in enough ways


@dataclass(frozen=True)
class Units:
    """What is exchanged, drawn or left out as one: rows, groups of them, or series; rows within strata.

    Attributes
    ----------
    n : int
        Rows.
    labels : ndarray of shape (n,), optional
        Group of each row, numbered from 0.
    block : int
        Rows in a row that are alike; series are shifted by as many at least. 1 where each row moves by itself.
    within : bool
        Whether labels are strata, within which rows are permuted.
    """

    n: int
    labels: np.ndarray | None = None
    block: int = 1
    within: bool = False

    @classmethod
    def of(cls, n: int, groups: Any = None, block: Any = None, least: int = 4) -> Units:
        """Read what a caller says about n rows, of which there must be so many units at least."""
        if groups is not None and block is not None:
            raise errors.InputError("groups and block were both given; pass only one of them.")
        if block is not None:
            check_number("block", block, 1, integer=True)
            if least * block > n:
                raise errors.InputError(
                    f"block={block}: {n} rows make {n // block} whole blocks, and at least {least} are needed; use a "
                    "shorter block."
                )
            return cls(n, None, int(block))
        if groups is None:
            return cls(n)
        labels = _numbered(groups, n)
        count = int(labels.max(initial=-1)) + 1
        if count < least:
            raise errors.InputError(
                f"groups holds {count} distinct value{'' if count == 1 else 's'}, and at least {least} groups are "
                "needed; give finer ones, or leave groups out."
            )
        return cls(n, labels)

    @classmethod
    def in_strata(cls, n: int, strata: Any) -> Units:
        """Read strata, if there are any, of n rows."""
        if strata is None:
            return cls(n)
        labels = np.asarray(strata)
        if labels.shape != (n,):
            raise errors.InputError(
                f"strata has shape {labels.shape}, but there are {n:,} rows; pass one label per row."
            )
        return cls(n, np.unique(labels, return_inverse=True)[1], within=True)

    def of_rows(self, kept: np.ndarray) -> Units:
        """Return the same of some of the rows."""
        labels = None if self.labels is None else np.unique(self.labels[kept], return_inverse=True)[1]
        return replace(self, n=len(kept), labels=labels)

    @property
    def codes(self) -> np.ndarray | None:
        """The unit of each row; None where every row is one."""
        return np.arange(self.n) // self.block if self.block > 1 else self.labels

    @property
    def words(self) -> str:
        """What moves, in words that follow the name of a test."""
        if self.labels is not None:
            return ", whole groups"
        return "" if self.block == 1 else f", shifted by {self.block} rows or more"

    def flipped(self, R: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return columns in which each row, or each group, has a random sign, in each column by itself."""
        count = self.n if self.labels is None else int(self.labels.max()) + 1
        signs = 1 - 2 * rng.integers(0, 2, (count, R.shape[1]), dtype=np.int8)
        return R * (signs if self.labels is None else signs[self.labels])

    def permuted(self, R: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return columns in another order, each by itself; series are shifted, groups are flipped."""
        if self.labels is not None:
            return self.flipped(R, rng)
        if self.block == 1:
            return rng.permuted(R, axis=0)
        places = np.arange(self.n)[:, None] - self._shifts(rng, R.shape[1])  # at least −n: they count from the end
        return np.take_along_axis(R, places, axis=0)

    def together(self, Z: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return rows, all columns together, in other places; groups that no other equals in size are flipped.

        Columns must have mean 0 for a change of sign to leave their distribution alone.
        """
        if self.labels is None:
            return Z[self.order(rng)]
        sizes = np.bincount(self.labels)
        alone = np.bincount(sizes)[sizes] < ENOUGH  # groups whose size too few others have
        signs = np.where(alone, 1 - 2 * rng.integers(0, 2, len(sizes)), 1)
        return Z[self.order(rng)] * signs[self.labels][:, None]

    def order(self, rng: np.random.Generator) -> np.ndarray:
        """Return an order of the rows: series are shifted, groups change places where enough have their size."""
        if self.labels is not None:
            return (_permuted_within if self.within else _exchanged)(self.labels, rng)
        if self.block == 1:
            return rng.permutation(self.n)
        return np.roll(np.arange(self.n), int(self._shifts(rng, 1)[0]))

    def _shifts(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Return by how many rows series are shifted, end to beginning: at least a block either way."""
        return rng.integers(self.block, self.n - self.block + 1, count)


def _permuted_within(labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the row that comes to each place where rows change places within their stratum."""
    order = np.empty(len(labels), dtype=np.intp)
    for stratum in range(labels.max() + 1):
        rows = np.flatnonzero(labels == stratum)
        order[rows] = rng.permutation(rows)
    return order


def _exchanged(labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the row that comes to each place where groups of equal size change places."""
    rows = np.argsort(labels, kind="stable")  # those of a group one after the other
    sizes = np.bincount(labels)
    first = np.cumsum(sizes) - sizes
    order = np.arange(len(labels))
    for size in np.unique(sizes[sizes > 0]):
        same = np.flatnonzero(sizes == size)
        if len(same) < ENOUGH:
            continue
        along = np.arange(size)
        order[rows[first[same][:, None] + along]] = rows[first[rng.permutation(same)][:, None] + along]
    return order


def _numbered(groups: Any, n: int) -> np.ndarray:
    """Return the labels of groups as numbers, one for each of n rows."""
    labels = np.asarray(groups)
    if labels.ndim != 1:
        raise errors.InputError(f"groups has shape {labels.shape} but must be one label for each row, shape ({n},).")
    if len(labels) != n:
        raise errors.lengths_differ("X", n, "groups", len(labels))
    missing = np.array([label is None or label != label for label in labels.tolist()])
    if missing.any():
        raise errors.InputError(
            f"groups has no label in row {int(np.argmax(missing))}; give every row one. A row that belongs "
            "to no other needs its own."
        )
    place: dict[Any, int] = {}  # labels of several kinds cannot be sorted
    return np.array([place.setdefault(label, len(place)) for label in labels.tolist()], dtype=np.intp)
