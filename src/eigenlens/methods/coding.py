r"""Words as columns of numbers, known by their moments alone.

A level of share c becomes the column

.. math:: z_i = (1_i - c) / \sqrt c ,

and is 0 in the rows where the word was not observed. All products of such columns, with each other and with
standardised numbers, are sums of counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.stored import stored
from ..moments import Mixed
from ..moments.mixed import Crosstabs

FREQUENT = 0.05  # share of missing cells from which on they are a level of their own
GAP = "missing"


@stored("Coding")
@dataclass(frozen=True, eq=False)
class Coding:
    """The columns of words of a fit, level by level.

    Attributes
    ----------
    columns : list of str
    levels : list of tuple of str or None
        Of each column; None is a missing cell that counts as a level.
    weights : ndarray of shape (L,)
        Weight of each level.
    shares : ndarray of shape (L,)
        c: the same, of the rows in which the column was observed.
    observed : ndarray of shape (columns,)
        Share of the rows in which each column was observed.
    """

    columns: list[str]
    levels: list[tuple[str | None, ...]]
    weights: np.ndarray
    shares: np.ndarray
    observed: np.ndarray
    offsets: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "offsets", np.cumsum([0, *map(len, self.levels)]))

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "owner"}

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Return sums over the levels of each column: rows of values are levels."""
        return np.add.reduceat(values, self.offsets[:-1], axis=0)

    @cached_property
    def owner(self) -> np.ndarray:
        """Place of the column that each level belongs to."""
        return np.repeat(np.arange(len(self.levels)), np.diff(self.offsets))

    def places(self, words: Sequence[Any], refuse_missing: bool) -> Iterator[np.ndarray]:
        """Yield the place of each row among the levels of each column; −1 where it was not observed."""
        for column, name, levels in zip(words, self.columns, self.levels, strict=True):
            place = {level: j for j, level in enumerate(levels)}
            places = np.array([place.get(level, -1) for level in column.levels], dtype=np.intp)
            unseen = [j for j, level in enumerate(column.levels) if places[j] < 0 and level is not None]
            unseen = [j for j in unseen if (column.codes == j).any()]
            if unseen:
                found = errors.listed(repr(column.levels[j]) for j in unseen)
                known = errors.listed(repr(level) for level in levels if level is not None)
                raise errors.InputError(
                    f"column {name!r} holds {found}, which the fit has not seen (it knew {known}); correct such cells, "
                    f"make them missing, or fit again with such rows."
                )
            if refuse_missing and None in column.levels and (column.codes == column.levels.index(None)).any():
                raise errors.InputError(
                    f"column {name!r} has missing words, which missing='refuse' does not allow; fill them in."
                )
            yield places[column.codes]

    def names(self) -> list[str]:
        """Return a name for each level: the word itself, with its column where two columns share a word."""
        words = [GAP if level is None else level for names in self.levels for level in names]
        if len(set(words)) == len(words):
            return words
        return [f"{self.columns[j]} = {word}" for j, word in zip(self.owner, words, strict=True)]

    def owners(self) -> list[str]:
        """Return the name of the column of each level."""
        return [self.columns[j] for j in self.owner]


def code(words: Crosstabs, weight: float, columns: list[str], missing: str) -> tuple[Coding, Crosstabs]:
    """Decide what the levels of each column are; return them, and the counts of present levels in their order.

    Parameters
    ----------
    words : Crosstabs
    weight : float
        Of all rows.
    columns : names of the columns of words
    missing : {"auto", "level", "unobserved", "refuse"}
    """
    tables = words.present()
    counts, offsets = np.diagonal(tables.counts), tables.offsets
    levels: list[tuple[str | None, ...]] = []
    kept: list[int] = []
    observed: list[float] = []
    gaps: dict[str, float] = {}
    for j, names in enumerate(tables.levels):
        own = counts[offsets[j] : offsets[j + 1]]
        gap = float(own[-1]) if names and names[-1] is None else 0.0
        if gap:
            gaps[columns[j]] = gap
        as_level = missing == "level" or (missing == "auto" and gap >= FREQUENT * weight)
        stays = len(names) if not gap or as_level else len(names) - 1
        if stays == 0:
            raise errors.InputError(f"column {columns[j]!r} is missing in all rows; leave it out.")
        levels.append(names[:stays])
        kept.extend(range(offsets[j], offsets[j] + stays))
        observed.append(float(own[:stays].sum()) / weight)
    if gaps and missing == "refuse":
        listed = errors.listed((f"{name!r} {count:g}" for name, count in gaps.items()), 8)
        raise errors.InputError(
            f"X has missing words (by column: {listed}), which missing='refuse' does not allow. Fill them in, leave "
            f"those rows out, or use missing='level' (they are a level of their own) or missing='unobserved'."
        )
    weights = counts[kept]
    shares = weights / weight / np.repeat(observed, [len(names) for names in levels])
    return Coding(columns, levels, weights, shares, np.array(observed)), tables


def products(coding: Coding, tables: Crosstabs, weight: float) -> np.ndarray:
    """Return Σ w z_a z_b / W for all pairs of levels: the Burt matrix, standardised and centred."""
    N, whole = _counts(coding, tables)
    c, owner = coding.shares, coding.owner
    seen = whole.T @ N @ whole  # weight of the rows in which two columns are both observed
    beside = N @ whole  # weight of the rows of a level in which another column is observed
    G = N - beside[:, owner] * c - c[:, None] * beside[:, owner].T + np.outer(c, c) * seen[np.ix_(owner, owner)]
    root = np.sqrt(c)
    G = G / root / root[:, None] / weight
    return (G + G.T) / 2


def products_with(coding: Coding, tables: Crosstabs, moments: Mixed) -> np.ndarray:
    """Return Σ w z_l (x − m) / W for levels and numbers, the numbers in units of their standard deviation: (L, q)."""
    sums = centred_sums(coding, tables, moments)
    whole = _memberships(coding)
    c = coding.shares[:, None]
    return (sums - c * (whole.T @ sums)[coding.owner]) / np.sqrt(c) / moments.weight / deviations(moments)


def centred_sums(coding: Coding, tables: Crosstabs, moments: Mixed) -> np.ndarray:
    """Return Σ w (x − m) over the rows of each level: (L, q)."""
    centre = namespaces.to_numpy(moments.numbers.shift[0, :] * moments.numbers.unit)
    return tables.over(coding.levels).moved(-centre).sums


def deviations(moments: Mixed) -> np.ndarray:
    """Return the standard deviations of the numbers (divisor W), in their own units; 1 where a column is constant."""
    numbers = moments.numbers
    with np.errstate(over="ignore"):
        spread = np.sqrt(namespaces.to_numpy(numbers.store.diagonal()) / moments.weight) * namespaces.to_numpy(
            numbers.unit
        )
    return np.where(namespaces.to_numpy(numbers.constant_columns()) | (spread == 0), 1.0, spread)


def profiles(coding: Coding, tables: Crosstabs, moments: Mixed) -> np.ndarray:
    """Return the mean, over the rows of each level, of all coded columns, numbers first: (L, q + L)."""
    N, whole = _counts(coding, tables)
    beside = (N @ whole)[:, coding.owner]
    rows = (N - beside * coding.shares) / np.sqrt(coding.shares)
    rows = np.concatenate([centred_sums(coding, tables, moments) / deviations(moments), rows], axis=1)
    return rows / coding.weights[:, None]


def _counts(coding: Coding, tables: Crosstabs) -> tuple[np.ndarray, np.ndarray]:
    """Return the counts of the levels that are kept, and which column each belongs to as zeros and ones."""
    return tables.over(coding.levels).counts, _memberships(coding)


def _memberships(coding: Coding) -> np.ndarray:
    return np.eye(len(coding.levels))[coding.owner]
