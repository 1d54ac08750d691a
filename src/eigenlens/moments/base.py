"""The whole contract of moments: update with a block, merge with a like."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from html import escape
from typing import Any, Self, cast

import numpy as np

from ..arrays import errors, exponents, namespaces
from ..arrays.summaries import Table
from ..arrays.typing import Array
from ..rows import Block

SHOWN = 6  # names of columns in a `repr` or a message


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

    def merge(self, other: Self) -> Self:
        """Take in all rows that `other` has seen."""
        self._require_like(other)
        if other._has_seen and self._has_seen and self.n_features != other.n_features:
            raise errors.moments_differ(f"the number of columns{self._first_table}", self.n_features, other.n_features)
        self._join_names(other)
        if other._has_seen:
            names = self.names
            self._join(other)
            self.names = names
        return self

    @abstractmethod
    def _join(self, other: Self) -> None:
        """Take in moments of the same kind and columns, which have seen something, as these may have."""

    @property
    def _has_seen(self) -> bool:
        """Whether there is anything to take in."""
        return self.n_rows > 0

    _first_table = ""  # what messages call the table whose columns are counted

    def _require_like(self, other: Moments) -> None:
        """Refuse moments of another kind."""
        if not isinstance(other, type(self)):
            raise errors.moments_differ("the kind of moments", type(self).__name__, type(other).__name__)

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

    def total(self) -> Moments:
        """Return the moments of all rows together, of X and of a second table, whatever groups there are."""
        return self

    @property
    def scalable(self) -> bool:
        """Whether these are sums of products of columns, in ordinary units, and so say what others would be."""
        return False

    def standardised(self, centre: np.ndarray, scale: np.ndarray) -> Self:
        """Return the moments of (x − centre)/scale; a second table stays as it is."""
        raise errors.moments_differ("the kind of moments", "Scatter", type(self).__name__)

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

    @abstractmethod
    def brought_to(self, like: Array) -> Self:
        """Return the same moments in the array library and on the device of `like`."""


class Composed(Moments):
    """Moments that consist of other moments, and perhaps of sums beside these."""

    @property
    @abstractmethod
    def _parts(self) -> Sequence[Any]:
        """The moments that have seen rows."""

    @abstractmethod
    def _mapped(self, of_moments: Callable[[Any], Any], of_sum: Callable[[Array], Array]) -> Self:
        """Return the same with other moments, and other sums where the rows lie."""

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        """Rows seen."""
        return sum(part.n_rows for part in self._parts)

    @property
    def weight(self) -> float:
        return float(sum(part.weight for part in self._parts))

    @property
    def finite(self) -> bool:
        return all(part.finite for part in self._parts)

    @property
    def squared(self) -> bool:  # type: ignore[override]
        return any(part.squared for part in self._parts)

    def times(self, factor: float) -> Self:
        return self._mapped(lambda part: part.times(factor), lambda total: total * factor)

    def standardised(self, centre: np.ndarray, scale: np.ndarray) -> Self:
        return self._mapped(lambda part: part.standardised(centre, scale), lambda total: total)

    def sealed(self) -> Self:
        return self._mapped(lambda part: part.sealed(), lambda total: total)

    def brought_to(self, like: Array) -> Self:
        return self._mapped(lambda part: part.brought_to(like), lambda total: namespaces.like(total, like))


class AboutPivot(Moments):
    """Moments about a typical row, the pivot, over a power of two for each column."""

    pivot: Any
    shift: Any
    dtype: Any
    exponent: exponents.Exponents = None

    def anchored(self, first: Block) -> Self:
        return self.anchored_at(first.X[0, :])

    @abstractmethod
    def anchored_at(self, row: Array, n_groups: int = 1) -> Self:
        """Return empty moments with `row` as the pivot."""

    @abstractmethod
    def update_groups(self, X: Array, weight: Array | None, codes: Any) -> Self:
        """Take in rows whose groups are given by codes."""

    @abstractmethod
    def regrouped(self, places: np.ndarray, n_groups: int) -> Self:
        """Return moments with more groups, the present ones at the given places."""

    @abstractmethod
    def _is_zero(self) -> np.ndarray:
        """Tell which columns hold nothing that would have to be moved to another power of two."""

    def update(self, block: Block) -> Self:
        if not hasattr(self, "pivot"):
            self._anchor(block)
        return self.update_groups(block.X, block.weight, None)

    @property
    def n_features(self) -> int:
        if not hasattr(self, "pivot"):
            raise errors.empty_moments()
        return int(self.pivot.shape[0])

    @property
    def finite(self) -> bool:
        return namespaces.all_finite(self.shift)

    @property
    def _exponents(self) -> np.ndarray:
        return np.zeros(self.n_features, dtype=int) if self.exponent is None else self.exponent

    def exponent_or_free(self) -> np.ndarray:
        """Return the exponent of each column, FREE where it holds nothing that would have to be moved to another."""
        return np.where(self._is_zero(), exponents.FREE, self._exponents)

    def joint_exponent(self, other: AboutPivot) -> exponents.Exponents:
        """Return powers of two that suit both."""
        if self.exponent is None and other.exponent is None:
            return None
        return exponents.common([self.exponent_or_free(), other.exponent_or_free()])

    def rescaled(self, exponent: exponents.Exponents) -> Self:
        """Return the same moments over another power of two in each column."""
        if self.exponent is None and exponent is None:
            return self
        target = np.zeros(self.n_features, dtype=int) if exponent is None else exponent
        new = self._scaled(exponents.shrink(self._exponents, target, self.pivot))
        new.exponent = exponent
        return new

    def standardised(self, centre: np.ndarray, scale: np.ndarray) -> Self:
        c, s = namespaces.like(centre, self.pivot), namespaces.like(scale, self.pivot)
        new = self._scaled(1.0 / s)
        new.pivot = (self.pivot - c) / s
        return new

    def uniform(self) -> tuple[Self, int]:
        """Return these moments with one power of two for all columns, and that power."""
        if self.exponent is None:
            return self, 0
        largest = int(np.max(self.exponent_or_free()))
        power = 0 if largest == exponents.FREE else largest
        return self.rescaled(np.full(self.n_features, power)), power

    @abstractmethod
    def _scaled(self, factor: Array) -> Self:
        """Return the same with shifts, and roots of sums of squares, multiplied by numbers."""


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
