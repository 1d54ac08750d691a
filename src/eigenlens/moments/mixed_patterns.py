"""Moments of words next to numbers with missing cells, and their completion by maximum likelihood.

A row of numbers is normal given its words, with a mean that is linear in the 0-1 columns of the levels. Columns that
are always observed may have any distribution for that, so the completion is that of numbers next to independent
combinations of the levels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple, Self

import numpy as np

from ..arrays import errors, exponents, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..rows import Block
from ..rows.categories import MixedRows, WordColumn, is_mixed, number_columns
from .base import Composed
from .centred import Centred, Factor, Scatter
from .completion import fit
from .form import Form
from .mixed import Crosstabs, Levels, Mixed, require_same_columns, which_are_words
from .patterns import Patterns, distinct

DEPENDENT = 1e-10  # share of the largest variance below which a combination of levels is rounding


@stored("moments.MixedPatterns")
class MixedPatterns(Composed):
    """Joint moments of words and of numbers, some missing: `Mixed` for each pattern of observed numbers.

    Attributes
    ----------
    is_word : tuple of bool
        Which columns are words.
    masks : list of ndarray of bool
        Which columns of numbers the rows of a part observe.
    parts : list of Mixed
        Of the columns that are observed, and the words.
    n_blank : int
        Rows seen that observe nothing: they do not count.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import MixedPCA
    >>> table = np.array([["a", 1.0], ["b", np.nan], ["a", 4.0], ["b", 3.0]], dtype=object)
    >>> MixedPCA(missing="ml").fit(table).moments_
    <MixedPatterns: 4 rows of 2 columns, 2 patterns>
    """

    def __init__(self, of: type[Centred] = Scatter) -> None:
        self.of = of
        self.is_word: tuple[bool, ...] = ()
        self.masks: list[np.ndarray] = []
        self.parts: list[Mixed] = []
        self.n_blank = 0

    @property
    def _parts(self) -> Sequence[Mixed]:
        return self.parts

    def _mapped(self, of_moments: Callable[[Any], Any], of_sum: Callable[[Array], Array]) -> Self:
        new = self.copy()
        new.parts = [of_moments(part) for part in self.parts]
        return new

    def _details(self) -> str:
        return f", {len(self.parts)} patterns"

    @property
    def n_features(self) -> int:
        if not self.is_word:
            raise errors.empty_moments()
        return len(self.is_word)

    def anchored(self, first: Block) -> Self:
        new = type(self)(self.of)
        new.is_word = which_are_words(first.X)
        return new

    def update(self, block: Block) -> Self:
        new = self.anchored(block)
        X, weight = block.X, None if block.weight is None else namespaces.to_numpy(block.weight)
        words: tuple[WordColumn, ...] = X.words if is_mixed(X) else ()
        numbers = namespaces.to_numpy(number_columns(X))
        if len(numbers) == 0:
            return self.merge(new)
        seen = ~np.isnan(numbers)
        first, codes = distinct(seen)
        ends = np.cumsum(np.bincount(codes))[:-1]
        for mask, rows in zip(seen[first], np.split(np.argsort(codes, kind="stable"), ends), strict=True):
            if not mask.any() and not words:
                new.n_blank += len(rows)
                continue
            here: Any = numbers[np.ix_(rows, mask)]
            if words:
                is_word = (False,) * here.shape[1] + (True,) * len(words)
                here = MixedRows(here, tuple(column.rows(rows) for column in words), is_word)
            new.masks.append(mask)
            new.parts.append(Mixed(self.of).update(Block(here, None, None if weight is None else weight[rows])))
        return self.merge(new)

    @property
    def _has_seen(self) -> bool:
        return bool(self.is_word)

    def _join(self, other: Self) -> None:
        if self.is_word:
            require_same_columns(self.is_word, other.is_word)
        place = {mask.tobytes(): k for k, mask in enumerate(self.masks)}
        masks, parts = list(self.masks), list(self.parts)
        for mask, part in zip(other.masks, other.parts, strict=True):
            k = place.get(mask.tobytes())
            if k is None:
                masks.append(mask)
                parts.append(part)
            else:
                parts[k] = parts[k].copy().merge(part)
        self.is_word, self.masks, self.parts = other.is_word, masks, parts
        self.n_blank += other.n_blank


@stored("moments.LevelScores")
@dataclass(frozen=True, eq=False)
class LevelScores:
    """Independent combinations of the 0-1 columns of levels, of mean 0 and variance 1.

    Attributes
    ----------
    levels : list of tuple of str or None
    shares : ndarray of shape (L,)
        Of all rows, by level.
    scores : ndarray of shape (L, r)
        The combinations are (indicators − shares) @ scores.
    loadings : ndarray of shape (L, r)
        Covariances of the indicators with them: indicators − shares = combinations @ loadings.T.
    """

    levels: list[Levels]
    shares: np.ndarray
    scores: np.ndarray
    loadings: np.ndarray

    @classmethod
    def of(cls, words: Crosstabs, weight: float) -> LevelScores:
        shares = np.diagonal(words.counts) / weight
        values, V = np.linalg.eigh(words.counts / weight - np.outer(shares, shares))
        kept = values > DEPENDENT * values[-1]
        size = np.sqrt(values[kept])
        return cls(words.levels, shares, V[:, kept] / size, V[:, kept] * size)

    def rows(self, words: Sequence[WordColumn]) -> np.ndarray:
        """Return the combinations of rows; a level that is not among these says nothing."""
        total, start = np.zeros((len(words[0].codes), self.scores.shape[1])), 0
        for column, levels in zip(words, self.levels, strict=True):
            own = slice(start, start + len(levels))
            start = own.stop
            centred = np.append(self.scores[own] - self.shares[own] @ self.scores[own], np.zeros((1, len(total.T))), 0)
            place = {level: j for j, level in enumerate(levels)}
            total += centred[np.array([place.get(level, -1) for level in column.levels], dtype=np.intp)][column.codes]
        return total


class CompletedMixed(NamedTuple):
    """Moments of words and numbers that rows without missing numbers would have given.

    Attributes
    ----------
    moments : Mixed
    joint : Centred or None
        Of the numbers, and behind them the combinations of levels; None where there are no numbers.
    of_levels : LevelScores or None
        None where there are no words.
    """

    moments: Mixed
    joint: Centred | None
    of_levels: LevelScores | None


def complete_mixed(moments: MixedPatterns, names: list[str] | None) -> CompletedMixed:
    """Find the moments that rows without missing numbers would have given, by maximum likelihood.

    Parameters
    ----------
    moments : MixedPatterns
    names : list of str, optional
        The columns of numbers, for messages.
    """
    if moments.n_blank:
        rows = "row is" if moments.n_blank == 1 else "rows are"
        errors.warn(errors.MissingWarning(f"{moments.n_blank:,} {rows} all NaN and ignored."))
    if not moments.parts:
        raise errors.too_few_rows("X", 0, (0, moments.n_features), 2)
    words, q = _counts(moments), moments.is_word.count(False)
    of_levels = None if words is None else LevelScores.of(words, moments.weight)
    joint = _joint(moments, of_levels, names) if q else None
    new = Mixed()
    new.is_word, new.names = moments.is_word, moments.names
    if joint is None or (len(moments.parts) == 1 and moments.masks[0].all()):
        new.numbers, new.words = moments.parts[0].numbers, moments.parts[0].words
        return CompletedMixed(new, joint, of_levels)
    F, numbers = joint.store.factor, Factor().anchored_at(joint.pivot[:q])
    numbers.weights, numbers.shift, numbers.n_rows = joint.weights, joint.shift[:, :q], moments.n_rows
    numbers.store, numbers.dtype = Form(factor=F[:, :q], squared=False).compacted(), joint.dtype
    numbers.exponent = None if joint.exponent is None else joint.exponent[:q]
    new.numbers = numbers
    if words is not None and of_levels is not None:
        about_mean = of_levels.loadings @ (F[:, q:].T @ F[:, :q]) * numbers.unit
        sums = np.diagonal(words.counts)[:, None] * (numbers.shift[0] * numbers.unit) + about_mean
        new.words = replace(words, sums=sums)
    return CompletedMixed(new, joint, of_levels)


def _counts(moments: MixedPatterns) -> Crosstabs | None:
    """Return the counts of pairs of levels of all rows, without sums of numbers; None if there are no words."""
    found = [part.words for part in moments.parts if part.words is not None]
    counts = [replace(words, sums=words.sums[:, :0]) for words in found]
    return reduce(Crosstabs.plus, counts) if counts else None


def _joint(moments: MixedPatterns, of_levels: LevelScores | None, names: list[str] | None) -> Centred:
    """Complete the moments of the numbers with the combinations of levels behind them."""
    patterns = _patterns(moments, of_levels)
    r = 0 if of_levels is None else of_levels.scores.shape[1]
    called = None if names is None else [*names, *(f"the words (combination {j + 1})" for j in range(r))]
    joint: Centred = fit(patterns, names=called).moments
    return joint


def _patterns(moments: MixedPatterns, of_levels: LevelScores | None) -> Patterns:
    """Return weight, mean and factor of numbers and combinations of levels, for each pattern."""
    r, q = (0 if of_levels is None else of_levels.scores.shape[1]), len(moments.masks[0])
    exponent, pivot = _exponent(moments), np.full(q, np.nan)
    for mask, part in zip(moments.masks, moments.parts, strict=True):
        pivot[mask] = np.where(np.isnan(pivot[mask]), namespaces.to_numpy(part.numbers.pivot), pivot[mask])
    new = Patterns().anchored_at(np.append(pivot, np.zeros(r)))
    new.masks = np.array([np.append(mask, np.ones(r, dtype=bool)) for mask in moments.masks])
    new.exponent = None if exponent is None else np.append(exponent, np.zeros(r, dtype=int))
    new.weights = np.array([part.weight for part in moments.parts])
    new.group, new.shift = np.zeros(len(new.masks), dtype=np.intp), np.zeros(new.masks.shape)
    new.n_rows, new.n_blank = moments.n_rows, 0
    new.group_rows = np.array([moments.n_rows])
    factors: list[np.ndarray] = []
    for k, (mask, part) in enumerate(zip(new.masks, moments.parts, strict=True)):
        own = None if exponent is None else exponent[mask[:q]]
        new.shift[k, mask], S = _first_and_second(part, of_levels, pivot[mask[:q]], own)
        F = np.zeros((0, len(mask)))
        if part.n_rows > 1:
            size = np.sqrt(np.diagonal(S))
            size = np.where(size > 0, size, 1.0)
            values, V = np.linalg.eigh(S / size / size[:, None])
            F = np.zeros((len(S), len(mask)))
            F[:, mask] = np.sqrt(np.maximum(values, 0.0))[:, None] * V.T * size
        factors.append(F)
    new.rows, new.owner = np.concatenate(factors), np.repeat(np.arange(len(factors)), [len(F) for F in factors])
    return new


def _exponent(moments: MixedPatterns) -> exponents.Exponents:
    """Return powers of two that suit the numbers of all parts."""
    found = []
    for mask, part in zip(moments.masks, moments.parts, strict=True):
        own = np.full(len(mask), exponents.FREE)
        own[mask] = part.numbers.exponent_or_free()
        found.append(own)
    return exponents.common(found)


def _first_and_second(
    part: Mixed, of_levels: LevelScores | None, pivot: np.ndarray, exponent: exponents.Exponents
) -> tuple[np.ndarray, np.ndarray]:
    """Return what a part says of its numbers and the combinations of levels: means minus the pivot, and the scatter."""
    numbers = part.numbers.rescaled(exponent).brought_to(np.zeros(0))
    x, S = numbers.shift[0] + (numbers.pivot - pivot) / numbers.unit, numbers.store.dense()
    if of_levels is None or part.words is None:
        return x, S
    words = part.words.over(of_levels.levels)
    counts = np.diagonal(words.counts)
    about_mean = words.sums - counts[:, None] * numbers.shift[0] * numbers.unit
    across = (about_mean / numbers.unit).T @ of_levels.scores
    t = (counts / part.weight - of_levels.shares) @ of_levels.scores
    T = of_levels.scores.T @ (words.counts - np.outer(counts, counts) / part.weight) @ of_levels.scores
    return np.append(x, t), np.block([[S, across], [across.T, T]])
