"""Moments of numbers and words in one table: a scatter of the numbers, and counts of the words.

Every pair of columns has its table of counts. All of them together are the Burt matrix ZᵀDZ of the indicators Z. It is
counted without indicators: columns of few levels are joined into one of many, and pairs of joined columns are counted
in one step each, from which the tables of their parts are sums.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse

from ..arrays import errors, memory, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..rows import Block
from ..rows.categories import MixedRows, WordColumn, is_mixed, number_columns
from .base import Composed
from .centred import Centred, Scatter

JOINED = 256  # levels of a joined column: a table of two of them stays in cache
Levels = tuple[str | None, ...]


def _with_numbers(old: Mixed) -> None:
    """Give moments of words from older files numbers, of no column, which count the rows."""
    of, n_rows, weight = (old.__dict__.pop(name, None) for name in ("_of", "_rows", "_total"))
    if of is not None and old.numbers is None:
        old.numbers = of().anchored_at(np.zeros(0))
        old.numbers.n_rows, old.numbers.weights = n_rows, np.array([weight])


@stored("moments.Mixed", renamed={"of": "_of", "n_rows": "_rows", "_weight": "_total"}, upgrade=_with_numbers)
class Mixed(Composed):
    """Joint moments of columns of numbers and of words.

    Parameters
    ----------
    of : {Scatter, Factor}
        How the scatter of the numbers is kept.

    Attributes
    ----------
    numbers : Centred
        Moments of the columns of numbers, if only of none.
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
        self.numbers: Centred = of()
        self.words: Crosstabs | None = None
        self.is_word: tuple[bool, ...] = ()

    def anchored(self, first: Block) -> Self:
        new = self.copy()
        new.is_word = which_are_words(first.X)
        new.numbers = self.numbers.anchored(Block(number_columns(first.X)))
        return new

    @property
    def n_features(self) -> int:
        if not self.is_word:
            raise errors.empty_moments()
        return len(self.is_word)

    @property
    def squared(self) -> bool:  # type: ignore[override]
        # counts are exact: where there are words, a second pass would bring no digits
        return self.words is None and super().squared

    @property
    def dtype(self) -> Any:
        """Type of the results."""
        return self.numbers.dtype

    def update(self, block: Block) -> Self:
        X, found = block.X, which_are_words(block.X)
        if not self.is_word:
            self.__dict__.update(self.anchored(block).__dict__)
        if found != self.is_word:
            require_same_columns(self.is_word, found)
        if X.shape[0] == 0:
            return self
        numbers = number_columns(X)
        self.numbers = self.numbers.copy().update(Block(numbers, None, block.weight))
        if is_mixed(X):
            weight = None if block.weight is None else np.asarray(block.weight)
            counted = Crosstabs.of(X.words, numbers - namespaces.to_numpy(self.numbers.pivot), weight)
            self.words = counted if self.words is None else self.words.plus(counted)
        return self

    def _join(self, other: Mixed) -> None:
        if self.n_rows == 0:
            self.__dict__.update(other.__dict__, numbers=self.numbers.copy().merge(other.numbers))
            return
        require_same_columns(self.is_word, other.is_word)
        before, self.numbers = self.numbers, self.numbers.copy().merge(other.numbers)
        if self.words is not None and other.words is not None:
            self.words = self.words.plus(other.words.about(before, other.numbers))

    @property
    def _parts(self) -> list[Any]:
        return [self.numbers]

    def _mapped(self, of_moments: Callable[[Any], Any], of_sum: Callable[[Array], Array]) -> Self:
        new = self.copy()
        new.numbers = of_moments(self.numbers)
        if self.words is not None:
            new.words = self.words.mapped(of_sum).about(new.numbers, self.numbers)
        return new


def which_are_words(X: Any) -> tuple[bool, ...]:
    return X.is_word if is_mixed(X) else (False,) * int(X.shape[1])


def beside(scores: np.ndarray, rows: Any) -> Any:
    """Return rows with scores before their numbers."""
    numbers = np.concatenate([scores, np.asarray(number_columns(rows))], axis=1)
    if not is_mixed(rows):
        return numbers
    return MixedRows(numbers, rows.words, (False,) * numbers.shape[1] + (True,) * len(rows.words))


@stored("moments.Crosstabs")
@dataclass(frozen=True, eq=False)
class Crosstabs:
    """Counts of pairs of levels, and sums of numbers by level.

    Attributes
    ----------
    levels : list of tuple of str or None
        Of each column, in the order of the counts; None is a missing cell.
    declared : list of bool
        Whether the table gave the levels of a column an order.
    counts : ndarray of shape (L, L)
        Weight of the rows that have both levels.
    sums : ndarray of shape (L, q)
        Σ w (x − pivot) of the rows that have the level.
    """

    levels: list[Levels]
    declared: list[bool]
    counts: np.ndarray
    sums: np.ndarray

    @classmethod
    def of(cls, words: Sequence[WordColumn], numbers: np.ndarray, weight: np.ndarray | None) -> Crosstabs:
        """Count rows; `numbers` are those of the same rows, minus the pivot."""
        levels, declared = [column.levels for column in words], [column.declared for column in words]
        sizes, codes = [len(names) for names in levels], [column.codes for column in words]
        _require_room(sum(sizes))
        counts = crosstabs(codes, sizes, weight)
        return cls(levels, declared, counts, _sums(codes, sizes, numbers, weight))

    @property
    def offsets(self) -> np.ndarray:
        """Where the levels of each column begin, and where the last one's end."""
        return np.cumsum([0, *map(len, self.levels)])

    def plus(self, other: Crosstabs) -> Crosstabs:
        """Return the counts of both."""
        pairs = [_union(*pair) for pair in zip(self.levels, other.levels, self.declared, other.declared, strict=True)]
        levels, declared = [names for names, _ in pairs], [order for _, order in pairs]
        _require_room(sum(map(len, levels)))
        a, b = self.over(levels), other.over(levels)
        return Crosstabs(levels, declared, a.counts + b.counts, a.sums + b.sums)

    def over(self, levels: list[Levels]) -> Crosstabs:
        """Return the same counts over other lists of levels; those that are not among them are left out."""
        if levels == self.levels:
            return self
        place = {level: k for k, level in enumerate(_of_columns(levels))}
        shared = [(k, place[level]) for k, level in enumerate(_of_columns(self.levels)) if level in place]
        kept, into = np.array(shared, dtype=np.intp).reshape(-1, 2).T
        counts, sums = np.zeros((len(place), len(place))), np.zeros((len(place), self.sums.shape[1]))
        counts[np.ix_(into, into)] = self.counts[np.ix_(kept, kept)]
        sums[into] = self.sums[kept]
        return Crosstabs(levels, self.declared, counts, sums)

    def present(self) -> Crosstabs:
        """Return the levels that rows have, in the order that the table gave them, or sorted; a missing cell last."""
        weights, offsets, levels = np.diagonal(self.counts), self.offsets, []
        for j, names in enumerate(self.levels):
            own = weights[offsets[j] : offsets[j + 1]]
            seen = [level for level, weight in zip(names, own, strict=True) if weight > 0]
            words = [level for level in seen if level is not None]
            levels.append(_gap_last(words if self.declared[j] else sorted(words), None in seen))
        return self.over(levels)

    def mapped(self, of_sum: Callable[[Array], Array]) -> Crosstabs:
        """Return other counts and sums of the same levels."""
        return replace(self, counts=of_sum(self.counts), sums=of_sum(self.sums))

    def about(self, new: Centred, old: Centred) -> Crosstabs:
        """Return the same counts with sums about the pivot of other moments."""
        return self.moved(namespaces.to_numpy(old.pivot) - namespaces.to_numpy(new.pivot))

    def moved(self, apart: np.ndarray) -> Crosstabs:
        """Return the same counts with sums about another pivot, which was `apart` less."""
        return replace(self, sums=self.sums + np.diagonal(self.counts)[:, None] * apart)


def crosstabs(codes: Sequence[np.ndarray], sizes: Sequence[int], weight: np.ndarray | None = None) -> np.ndarray:
    """Return the counts of all pairs of levels of columns given by codes: the Burt matrix.

    Parameters
    ----------
    codes : list of ndarray of int
    sizes : list of int
        Levels of each column.
    weight : ndarray, optional

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.moments.mixed import crosstabs
    >>> crosstabs([np.array([0, 1, 1]), np.array([0, 0, 1])], [2, 2])
    array([[1., 0., 1., 0.],
           [0., 2., 1., 1.],
           [1., 1., 2., 0.],
           [0., 1., 0., 1.]])
    """
    offsets = np.cumsum([0, *sizes])
    groups = _groups(sizes)
    joined = [_joined(codes, sizes, group) for group in groups]
    spread = [_memberships(sizes, group) for group in groups]
    own_levels = [np.concatenate([np.arange(offsets[j], offsets[j + 1]) for j in group]) for group in groups]
    counts = np.zeros((offsets[-1], offsets[-1]))
    place = np.empty(len(codes[0]), dtype=np.intp)
    for g, (first, M) in enumerate(zip(joined, spread, strict=True)):
        own = np.bincount(first, weight, minlength=M.shape[0])
        here = own_levels[g]
        counts[np.ix_(here, here)] = M.T @ (own[:, None] * M)
        for h in range(g + 1, len(groups)):
            K = spread[h].shape[0]
            np.multiply(first, K, out=place)
            np.add(place, joined[h], out=place)
            pair = np.bincount(place, weight, minlength=M.shape[0] * K)
            table = M.T @ pair.reshape(M.shape[0], K).astype(np.float64, copy=False) @ spread[h]
            there = own_levels[h]
            counts[np.ix_(here, there)], counts[np.ix_(there, here)] = table, table.T
    return counts


def _groups(sizes: Sequence[int]) -> list[list[int]]:
    """Join columns as long as their levels, multiplied, stay few: the columns of fewest levels first."""
    groups: list[list[int]] = []
    many = JOINED + 1
    for j in np.argsort(sizes, kind="stable").tolist():
        if many * sizes[j] <= JOINED:
            groups[-1].append(j)
            many *= sizes[j]
        else:
            groups.append([j])
            many = sizes[j]
    return groups


def _joined(codes: Sequence[np.ndarray], sizes: Sequence[int], group: list[int]) -> np.ndarray:
    """Return the place of each row among all combinations of the levels of a few columns."""
    place = codes[group[0]].astype(np.intp)  # as np.bincount wants it
    for j in group[1:]:
        place *= sizes[j]
        place += codes[j]
    return place


def _memberships(sizes: Sequence[int], group: list[int]) -> np.ndarray:
    """Return the 0-1 matrix that tells which levels a combination is made of."""
    shape = [sizes[j] for j in group]
    parts = np.unravel_index(np.arange(int(np.prod(shape))), shape)
    return np.concatenate([np.eye(size)[part] for size, part in zip(shape, parts, strict=True)], axis=1)


def _sums(
    codes: Sequence[np.ndarray], sizes: Sequence[int], numbers: np.ndarray, weight: np.ndarray | None
) -> np.ndarray:
    n, q = numbers.shape
    offsets = np.cumsum([0, *sizes])
    if q == 0 or n == 0:
        return np.zeros((offsets[-1], q))
    columns = np.stack([c + offset for c, offset in zip(codes, offsets[:-1], strict=True)], axis=1)
    values = np.ones(columns.size) if weight is None else np.repeat(weight, len(codes))
    indicators = scipy.sparse.csr_array(
        (values, columns.ravel(), np.arange(0, columns.size + 1, len(codes))), shape=(n, offsets[-1])
    )
    return np.asarray(indicators.T @ numbers)


def _of_columns(levels: list[Levels]) -> list[tuple[int, str | None]]:
    """Return the levels of all columns, each with the place of its column."""
    return [(j, level) for j, names in enumerate(levels) for level in names]


def _gap_last(words: Sequence[str | None], gap: bool) -> Levels:
    return (*words, None) if gap else tuple(words)


def _union(ours: Levels, theirs: Levels, ordered: bool, others_ordered: bool) -> tuple[Levels, bool]:
    """Return the levels of both sides, in the order of the side that holds the other's, where it has one."""
    for one, order, other in ((ours, ordered, theirs), (theirs, others_ordered, ours)):
        if order and set(other) <= {*one, None}:
            return _gap_last(one, None in other and None not in one), True
    words = sorted(level for level in {*ours, *theirs} if level is not None)
    return _gap_last(words, None in {*ours, *theirs}), False


def _require_room(levels: int) -> None:
    """Refuse more levels than there is room for pairs of: a column that names rows is among the words then."""
    if levels > 2000:
        way_out = "leave out columns of words that name rows, or join rare levels"
        memory.require(memory.square_bytes(levels, copies=4), f"The table of all pairs of {levels:,} levels", way_out)


def require_same_columns(ours: Any, theirs: Any) -> None:
    """Refuse to merge moments whose columns are not the same words and numbers."""
    if ours != theirs:
        raise errors.moments_differ("which columns are words", ours, theirs)
