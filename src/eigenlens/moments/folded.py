"""Moments of the folds of a cross-validation, from one pass, and of all rows outside each fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from ..arrays import errors
from ..arrays.typing import Array
from ..rows import Block
from .base import Composed, Moments

Rule = Callable[[Block], np.ndarray]


class Folded(Composed):
    """Moments of any kind, kept for each fold.

    Parameters
    ----------
    empty : Moments
        What is kept of each fold.
    rule : callable
        Block → the fold of each of its rows; −1 for rows that are in no fold, and so always fitted to.
    n_folds : int

    Attributes
    ----------
    parts : list of Moments
        One for each fold, and one more for the rows that are in none.
    """

    def __init__(self, empty: Moments, rule: Rule, n_folds: int) -> None:
        self.rule, self.parts = rule, [empty] * (n_folds + 1)

    def anchored(self, first: Block) -> Self:
        new = self.copy()
        new.parts = [self.parts[0].anchored(first)] * len(self.parts)
        return new

    def update(self, block: Block) -> Self:
        parts = list(self.parts)
        for fold, rows in block.split(self.rule(block)):
            parts[fold] = parts[fold].copy().update(rows)
        self.parts = parts
        return self

    def _join(self, other: Self) -> None:
        self.parts = [mine.copy().merge(theirs) for mine, theirs in zip(self.parts, other.parts, strict=True)]

    @property
    def _parts(self) -> list[Any]:
        return [part for part in self.parts if has_rows(part)]

    def _mapped(self, of_moments: Callable[[Any], Any], of_sum: Callable[[Array], Array]) -> Self:
        new = self.copy()
        new.parts = [of_moments(part) if has_rows(part) else part for part in self.parts]
        return new

    def brought_to(self, like: Array) -> Self:
        new = self.copy()
        new.parts = [part.brought_to(like) for part in self.parts]
        return new

    @property
    def n_features(self) -> int:
        return self.parts[0].n_features

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        return self.parts[0].takes_sparse

    def total(self) -> Moments:
        """Return the moments of all rows."""
        return joined(self.parts)

    def training(self) -> list[Moments]:
        """Return, for each fold, the moments of all rows outside it.

        Those of the folds before it and after it are merged; taking a fold out of the total would cancel digits.
        """
        folds, always = self.parts[:-1], self.parts[-1]
        require_rows([int(has_rows(part)) for part in folds])
        before: list[Moments | None] = [always if has_rows(always) else None]
        for part in folds[:-1]:
            before.append(_together(before[-1], part))
        found: list[Moments] = []
        after: Moments | None = None
        for first, part in zip(reversed(before), reversed(folds), strict=True):
            others = _together(first, after)
            if others is None:
                raise errors.InputError(
                    "cv: one fold holds every row, so none are left to fit to; use two folds or more."
                )
            found.append(others)
            after = _together(part, after)
        return found[::-1]


def has_rows(moments: Any) -> bool:
    """Tell whether moments have seen any row."""
    return bool(moments.weight > 0)


def require_rows(counts: Sequence[int]) -> None:
    """Refuse folds of which one has no rows."""
    empty = [k for k, count in enumerate(counts) if count == 0]
    if empty:
        raise errors.InputError(
            f"cv: fold {empty[0]} of {len(counts)} has no rows to score; use fewer folds, or number them from 0. To "
            f"leave out every row in turn, use validation.leave_one_out."
        )


def joined(parts: list[Moments]) -> Moments:
    """Merge the parts that have seen rows."""
    total: Moments | None = None
    for part in parts:
        total = _together(total, part)
    assert total is not None
    return total


def _together(first: Moments | None, second: Moments | None) -> Moments | None:
    if second is None or not has_rows(second):
        return first
    return second if first is None else first.copy().merge(second)
