"""Moments of numbers and words in one table: a scatter of the numbers, and counts of the words."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..rows import Block
from ..rows.categories import MixedRows, is_mixed
from .base import Moments
from .centred import Centred, Scatter
from .crosstabs import Crosstabs, require_same_columns


@stored("moments.Mixed")
class Mixed(Moments):
    """Joint moments of columns of numbers and of words.

    Parameters
    ----------
    of : {Scatter, Factor}
        How the scatter of the numbers is kept.

    Attributes
    ----------
    numbers : Centred
        Moments of the columns of numbers; None where there are none.
    words : Crosstabs
        Counts of the columns of words; None where there are none.
    is_word : tuple of bool
        Which columns are words.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import MixedPCA
    >>> table = np.array([["a", 1.0], ["b", 2.0], ["a", 4.0]], dtype=object)
    >>> moments = MixedPCA().fit(table).moments_
    >>> moments.words.levels, moments.words.counts.tolist(), moments.numbers.mean.round(3)
    ([('a', 'b')], [[2.0, 0.0], [0.0, 1.0]], array([2.333]))
    """

    def __init__(self, of: type[Centred] = Scatter) -> None:
        self.of = of
        self.numbers: Centred | None = None
        self.words: Crosstabs | None = None
        self.is_word: tuple[bool, ...] = ()
        self.n_rows = 0
        self._weight = 0.0

    def anchored(self, first: Block) -> Self:
        new = type(self)(self.of)
        X = first.X
        new.is_word = X.is_word if is_mixed(X) else (False,) * int(X.shape[1])
        if not all(new.is_word):
            new.numbers = self.of().anchored(Block(X.numbers) if is_mixed(X) else first)
        return new

    @property
    def n_features(self) -> int:
        if not self.is_word:
            raise errors.empty_moments()
        return len(self.is_word)

    @property
    def weight(self) -> float:
        return self._weight

    @property
    def squared(self) -> bool:  # type: ignore[override]
        # counts are exact: where there are words, a second pass would bring no digits
        return self.words is None and self.numbers is not None and self.numbers.squared

    @property
    def finite(self) -> bool:
        return self.numbers is None or self.numbers.finite

    @property
    def dtype(self) -> Any:
        """Type of the results."""
        return np.dtype(np.float64) if self.numbers is None else self.numbers.dtype

    def update(self, block: Block) -> Self:
        if not self.is_word:
            self.__dict__.update(self.anchored(block).__dict__)
        X = block.X
        found = X.is_word if is_mixed(X) else (False,) * int(X.shape[1])
        if found != self.is_word:
            require_same_columns(self.is_word, found)
        if X.shape[0] == 0:
            return self
        self.n_rows += int(X.shape[0])
        if not is_mixed(X):
            assert self.numbers is not None
            self.numbers = self.numbers.copy().update(block)
            self._weight = self.numbers.weight
            return self
        weight = None if block.weight is None else np.asarray(block.weight)
        self._weight += float(X.shape[0] if weight is None else weight.sum())
        apart = X.numbers
        if self.numbers is not None:
            self.numbers = self.numbers.copy().update(Block(X.numbers, None, block.weight))
            apart = X.numbers - namespaces.to_numpy(self.numbers.pivot)
        counted = Crosstabs.of(X.words, apart, weight)
        self.words = counted if self.words is None else self.words.plus(counted)
        return self

    def _join(self, other: Mixed) -> None:
        if self.n_rows == 0:
            numbers = None if other.numbers is None else self.of().merge(other.numbers)
            self.__dict__.update(other.__dict__, of=self.of, numbers=numbers)
            return
        require_same_columns(self.is_word, other.is_word)
        words = other.words
        if self.numbers is not None and other.numbers is not None:
            if words is not None:
                words = words.moved(namespaces.to_numpy(other.numbers.pivot) - namespaces.to_numpy(self.numbers.pivot))
            self.numbers = self.numbers.copy().merge(other.numbers)
        if self.words is not None and words is not None:
            self.words = self.words.plus(words)
        self.n_rows += other.n_rows
        self._weight += other._weight

    def brought_to(self, like: Array) -> Self:
        new = self.copy()
        new.numbers = None if self.numbers is None else self.numbers.brought_to(like)
        return new

    def sealed(self) -> Self:
        new = self.copy()
        if self.numbers is not None:
            new.numbers = self.numbers.sealed()
            if self.words is not None:
                apart = namespaces.to_numpy(self.numbers.pivot) - namespaces.to_numpy(new.numbers.pivot)
                new.words = self.words.moved(apart)
        return new

    def times(self, factor: float) -> Self:
        new = self.copy()
        new._weight = self._weight * factor
        if self.numbers is not None:
            new.numbers = self.numbers.times(factor)
        if self.words is not None:
            counted = self.words
            new.words = Crosstabs(counted.levels, counted.declared, counted.counts * factor, counted.sums * factor)
        return new


def beside(scores: np.ndarray, rows: Any) -> Any:
    """Return rows with scores before their numbers."""
    words: tuple[Any, ...] = ()
    if is_mixed(rows):
        rows, words = rows.numbers, rows.words
    numbers = np.concatenate([scores, np.asarray(rows)], axis=1)
    if not words:
        return numbers
    return MixedRows(numbers, words, (False,) * numbers.shape[1] + (True,) * len(words))
