"""The whole contract of moments: update with a block, merge with a like."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape
from typing import Any, Self, cast

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.summaries import Table
from ..arrays.typing import Array
from ..rows import Block

SHOWN = 6  # names of columns in a `repr`


class Moments(ABC):
    """Sufficient statistics of the rows seen so far.

    The law: splitting rows in any way, updating one object per part and merging these gives the statistics of the
    whole, to round-off. `update` and `merge` change the object and return it; arrays that were returned are never
    written to, so a shallow copy is a snapshot.

    Attributes
    ----------
    squared : bool
        Whether the digits of the data are halved by squaring them.
    n_rows : int
        Rows seen.
    takes_sparse : bool
        Whether `update` takes blocks whose rows are sparse; others are given dense ones.
    names : tuple of str or None
        The columns, if they have names. Moments of other columns cannot be merged.

    Examples
    --------
    >>> import pandas as pd
    >>> from eigenlens import PCA
    >>> left = PCA().fit(pd.DataFrame({"a": [1.0, 2, 4], "b": [0.0, 3, 1]})).moments_
    >>> right = PCA().fit(pd.DataFrame({"a": [1.0, 5, 2], "b": [2.0, 2, 1]})).moments_
    >>> left + right
    <Factor: 6 rows of 2 columns (a, b)>
    >>> sum([left, right, left]).n_rows
    9
    >>> left + PCA().fit(pd.DataFrame({"b": [1.0, 5, 2], "a": [2.0, 2, 1]})).moments_
    Traceback (most recent call last):
    eigenlens.exceptions.InputError: These moments cannot be merged: column 0 is 'a' on one side and 'b' on the ...
    """

    squared: bool
    n_rows: int
    takes_sparse: bool = False
    names: tuple[str, ...] | None = None

    @abstractmethod
    def anchored(self, first: Block) -> Self:
        """Return empty moments of the same kind, with the row of `first` as the pivot."""

    @abstractmethod
    def update(self, block: Block) -> Self:
        """Take in the rows of a block."""

    @abstractmethod
    def merge(self, other: Self) -> Self:
        """Take in all rows that `other` has seen."""

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Columns of X."""

    @property
    @abstractmethod
    def weight(self) -> float:
        """Total weight of the rows seen."""

    @property
    @abstractmethod
    def finite(self) -> bool:
        """Whether all rows seen were finite: otherwise their means are not."""

    @abstractmethod
    def times(self, factor: float) -> Self:
        """Return the moments of the same rows, each counted so many times as much."""

    def sealed(self) -> Self:
        """Return the same moments with nothing in them that is a cell of a single row.

        The pivot, a median of a few rows, moves to round numbers near the mean, and a factor becomes triangular. Means
        stay means: those of groups of few rows still reveal much about each row.
        """
        raise errors.InputTypeError(f"{type(self).__name__} moments keep single rows and cannot be sealed.")

    @property
    def inner(self) -> Moments | None:
        """The moments of columns that these consist of, under other names; None where there are several, or more."""
        return self

    def lacks(self, needed: Moments) -> tuple[str, str] | None:
        """Return what `needed`, empty moments of the same class, would keep and these do not, and what they do keep."""
        return None

    def __add__(self, other: Any) -> Self:
        """Return the moments of both sets of rows; neither side changes."""
        return self.copy().merge(cast(Self, other)) if isinstance(other, Moments) else NotImplemented

    def __radd__(self, other: Any) -> Self:
        """Return a copy of these moments where `sum` adds them to the 0 with which it begins."""
        return self.copy() if isinstance(other, int) and other == 0 else NotImplemented

    def __repr__(self) -> str:
        if self.n_rows == 0:
            return f"<{type(self).__name__}: no rows yet>"
        weight = "" if abs(self.weight - self.n_rows) <= 1e-9 * self.n_rows else f" of weight {self.weight:g}"
        return f"<{type(self).__name__}: {self.n_rows:,} rows{weight} of {self._columns_in_words()}{self._details()}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: a headline, and the means of the columns."""
        means = self._means() if self.n_rows else {}
        columns = self.names or tuple(f"x{j}" for j in range(self.n_features if means else 0))
        table = Table("Means", np.array(list(means.values())).T, list(columns), list(means)) if means else None
        return f"<div><p>{escape(repr(self)[1:-1])}</p>{table._repr_html_() if table else ''}</div>"

    def _means(self) -> dict[str, np.ndarray]:
        """Return the means of the columns, by group, as far as a notebook shows them."""
        return {}

    def _columns_in_words(self) -> str:
        listed = "" if self.names is None else f" ({errors.listed(self.names, SHOWN)})"
        return f"{self.n_features} column{'s' if self.n_features > 1 else ''}{listed}"

    def _details(self) -> str:
        """Return what else a `repr` says."""
        return ""

    def _anchor(self, block: Block) -> None:
        """Take the first row of a block as the pivot, where a pass has given none."""
        y = None if block.y is None else block.y[:1, ...]
        self.__dict__.update(self.anchored(Block(namespaces.dense(block.X[:1, :]), y)).__dict__)

    def _join_names(self, other: Moments) -> None:
        """Take the names of the columns of moments that are to be merged; refuse other ones."""
        self.names = joint_names(self.names, other.names)

    def copy(self) -> Self:
        """Return a snapshot that later updates do not touch."""
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        return new

    def brought_to(self, like: Array) -> Self:
        """Return the same moments in the array library and on the device of `like`."""
        new = self.copy()
        new.__dict__.update({name: _brought(value, like) for name, value in self.__dict__.items()})
        return new


def _brought(value: Any, like: Array) -> Any:
    """Move what lives on a device; NumPy arrays that go with it (weights, labels) stay on the host."""
    if hasattr(value, "brought_to") and not isinstance(value, type):
        return value.brought_to(like)
    if isinstance(value, list):
        return [_brought(item, like) for item in value]
    return value


def joint_names(ours: tuple[str, ...] | None, theirs: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return the names of columns that two sides share; those of one side where the other has none."""
    if ours is None or theirs is None or ours == theirs:
        return theirs if ours is None else ours
    if len(ours) != len(theirs):
        raise errors.moments_differ("the number of columns", len(ours), len(theirs))
    place = next(j for j, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b)
    raise errors.InputError(
        f"These moments cannot be merged: column {place} is {ours[place]!r} on one side and {theirs[place]!r} on the "
        "other. Collect both with the same columns in the same order."
    )
