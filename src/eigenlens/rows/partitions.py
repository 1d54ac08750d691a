"""What a worker does with a partition of rows: reads it as a table in memory, and folds it into moments or maps it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from ..arrays import errors
from ..arrays.typing import Array
from .categories import Words
from .in_memory import as_source
from .labels import LabelReader
from .sampled_rows import numbers_of
from .source import Block, Missing, Source, Target, dense_blocks

T = TypeVar("T")


@dataclass(frozen=True)
class ReadOptions:
    """How a worker is to read a partition."""

    name: str
    target: Target = "none"
    reader: LabelReader | None = None
    missing: Missing = "refuse"
    words: Words | None = None
    first_number: int | None = None
    numbers_by_content: bool = False


def opened(X: Any, y: Any, weight: Any, options: ReadOptions, place: str) -> Source | None:
    """Return a partition as a source, None where it has no rows that count."""
    try:
        for name, values in (("y", y), ("sample_weight", weight)):
            if values is not None and np.ndim(values) and len(values) != X.shape[0]:
                raise errors.lengths_differ("X", X.shape[0], name, len(values))
        if X.shape[0] == 0 or (weight is not None and not np.any(weight)):
            return None
        source: Any = as_source(
            X,
            y,
            weight,
            target=options.target,
            name=options.name,
            reader=options.reader,
            missing=options.missing,
            words=options.words,
            counts=True,  # a partition has a part of the weights: what they are shows in all of them
        )
        if options.first_number is not None:
            source.numbered, source.first_number = True, options.first_number
        return source
    except ValueError as error:
        raise errors.located(place, error) from error


def first_row(X: Any, y: Any, weight: Any, options: ReadOptions, place: str) -> Block | None:
    """Return a typical row of a partition, None where it has no rows that count."""
    source = opened(X, y, weight, options, place)
    return None if source is None else _located(place, source.first)


def folded(total: Any, X: Any, y: Any, weight: Any, options: ReadOptions, place: str) -> Any:
    """Take a partition into moments; the ones given stay as they are, in case they are needed again."""
    source = opened(X, y, weight, options, place)
    total = total.copy()

    def fold() -> Any:
        for segment in source.segments():  # type: ignore[union-attr]
            for block in segment:
                for piece in [block] if total.takes_sparse else dense_blocks(block):
                    total.update(_numbered(piece) if options.numbers_by_content else piece)
        return total

    return total if source is None else _located(place, fold)


def _numbered(block: Block) -> Block:
    return replace(block, numbers=numbers_of(np.asarray(block.X)))


def mapped(X: Any, function: Callable[[Array], Array], empty: np.ndarray, options: ReadOptions, place: str) -> Array:
    """Return what a function makes of the rows of a partition."""
    source = opened(X, None, None, options, place)
    return empty if source is None else _located(place, lambda: source.map(function))


def _located(place: str, work: Callable[[], T]) -> T:
    try:
        return work()
    except errors.InputError as error:
        raise errors.located(place, error) from error
