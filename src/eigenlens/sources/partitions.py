"""What runs where partitions are: a partition is opened, folded into moments or mapped, and errors say which it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from .._core import errors
from .._core.typing import Array
from .base import Block, Missing, Source, Target, dense_blocks
from .in_memory import as_source
from .labels import LabelReader

T = TypeVar("T")


@dataclass(frozen=True)
class ReadOptions:
    """How a worker is to read a partition."""

    name: str
    target: Target = "none"
    reader: LabelReader | None = None
    missing: Missing = "refuse"


def opened(X: Any, y: Any, weight: Any, options: ReadOptions, k: Any) -> Source | None:
    """Return a partition as a source, None where it has no rows that count."""
    try:
        for name, values in (("y", y), ("sample_weight", weight)):
            if values is not None and np.ndim(values) and len(values) != X.shape[0]:
                raise errors.lengths_differ("X", X.shape[0], name, len(values))
        if X.shape[0] == 0 or (weight is not None and not np.any(weight)):
            return None
        return as_source(
            X,
            y,
            weight,
            target=options.target,
            name=options.name,
            reader=options.reader,
            missing=options.missing,
            counts=True,  # a partition has a part of the weights: what they are shows in all of them
        )
    except ValueError as error:
        raise errors.located(f"partition {k}", error) from error


def first_row(X: Any, y: Any, weight: Any, options: ReadOptions, k: Any) -> Block | None:
    """Return a typical row of a partition, None where it has none that counts."""
    source = opened(X, y, weight, options, k)
    return None if source is None else in_place(k, source.first)


def folded(total: Any, X: Any, y: Any, weight: Any, options: ReadOptions, k: Any) -> Any:
    """Take a partition into moments; the ones given stay as they are, in case they are needed again."""
    source = opened(X, y, weight, options, k)
    total = total.copy()

    def fold() -> Any:
        for segment in source.segments():  # type: ignore[union-attr]
            for block in segment:
                for piece in [block] if total.takes_sparse else dense_blocks(block):
                    total.update(piece)
        return total

    return total if source is None else in_place(k, fold)


def mapped(X: Any, function: Callable[[Array], Array], empty: np.ndarray, options: ReadOptions, k: Any) -> Array:
    """Return what a function makes of the rows of a partition."""
    source = opened(X, None, None, options, k)
    return empty if source is None else in_place(k, lambda: source.map(function))


def in_place(k: Any, work: Callable[[], T]) -> T:
    """Do work on a partition; an error says which it was."""
    try:
        return work()
    except errors.InputError as error:
        raise errors.located(f"partition {k}", error) from error
