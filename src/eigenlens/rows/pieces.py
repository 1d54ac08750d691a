"""What readers of files and streams hand out: rows that are still to be loaded, and the places messages name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..arrays import errors, namespaces
from .categories import Found, is_mixed
from .snapshot import Snapshot
from .source import Missing

GROUP_VECTORS = 60  # of which DuckDB makes a row group


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows as a reader loads them, nothing checked yet."""

    X: Any
    y: np.ndarray | None = None
    weight: np.ndarray | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows still to be loaded.

    Attributes
    ----------
    start, stop : int
        Which rows, counted from `zero`.
    load : callable
        (start, stop) → Batch.
    origin : str
        What messages call the place: a file, a batch.
    zero : int
        Added to a row's number for messages.
    line_of : callable or None
        Row → line of the file, where messages count lines.
    """

    start: int
    stop: int
    load: Callable[[int, int], Batch]
    origin: str
    zero: int = 0
    line_of: Callable[[int], int] | None = None

    def __len__(self) -> int:
        return self.stop - self.start

    def part(self, start: int, stop: int) -> Piece:
        return replace(self, start=self.start + start, stop=self.start + stop)

    @property
    def unit(self) -> str:
        return "row" if self.line_of is None else "line"

    @property
    def place(self) -> str:
        return f"{self.origin}, {self.unit}s {self.number(0)} to {self.number(len(self) - 1)}"

    def number(self, row: int) -> int:
        """Return what messages call a row of this piece."""
        number = self.start + self.zero + row
        return number if self.line_of is None else self.line_of(number)


@dataclass(frozen=True)
class Roles:
    """Which columns are X, y and weight, by position.

    Attributes
    ----------
    single : bool
        Whether y was named as one column rather than a list of them.
    words : tuple of int
        Columns of X that are read as words.
    """

    columns: tuple[int, ...]
    target: tuple[int, ...] | None = None
    weight: int | None = None
    single: bool = False
    words: tuple[int, ...] = ()

    @property
    def is_word(self) -> tuple[bool, ...]:
        """Tell which columns of X are words."""
        return tuple(j in self.words for j in self.columns)

    @property
    def all(self) -> tuple[int, ...]:
        return (*self.columns, *(self.target or ()), *(() if self.weight is None else (self.weight,)))


class Reader(Protocol):
    """What knows how rows are stored.

    Attributes
    ----------
    n_rows : int or None
        Rows, where they are known before reading.
    names : list of str or None
        All columns, where they have names.
    width : int
        Number of all columns.
    rereadable : bool
    paths : sequence of Path
        The files it reads, if any.
    snapshot : Snapshot
        What they looked like before anything was read of them.
    has_target, has_weight : bool
        Whether batches bring y and weights of their own.
    """

    n_rows: int | None
    names: list[str] | None
    width: int
    rereadable: bool
    has_target: bool
    has_weight: bool
    snapshot: Snapshot

    @property
    def paths(self) -> Sequence[Path]: ...

    def dtype(self, roles: Roles) -> np.dtype: ...
    def found_words(self, roles: Roles) -> Sequence[Found]: ...
    def step(self, rows: int) -> int: ...
    def pieces(self, roles: Roles, rows: int, only_target: bool = False) -> Iterator[Piece]: ...
    def head(self, roles: Roles) -> Iterator[Piece]: ...


def even(pieces: Iterable[Piece], rows: int) -> Iterator[list[Piece]]:
    """Cut pieces again, so that each list except the last holds `rows` rows."""
    held: list[Piece] = []
    count = 0
    for piece in pieces:
        while len(piece):
            take = min(rows - count, len(piece))
            held.append(piece.part(0, take))
            piece, count = piece.part(take, len(piece)), count + take
            if count == rows:
                yield held
                held, count = [], 0
    if held:
        yield held


def require_finite(X: Any, name: str, piece: Piece, names: list[str] | None, missing: Missing = "refuse") -> None:
    """Refuse infinity and, unless cells may be missing, NaN; name the first such cell and where it was read."""
    mixed = is_mixed(X)
    if mixed:
        kept = [j for j, word in enumerate(X.is_word) if not word]
        X, names = X.numbers, [names[j] if names else str(j) for j in kept]
    if namespaces.all_finite(namespaces.column_sums(X)):
        return
    bad = ~np.isfinite(X) if missing == "refuse" else np.isinf(X)
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        kind = "NaN" if np.isnan(X[row, column]) else "infinity (inf)"
        label = names[column] if names else str(column)
        found = errors.not_finite(name, kind, piece.number(row), label, piece.unit, mixed)
        raise errors.located(piece.place, found)


def in_vectors(rows: int, vector: int) -> int:
    """Return how many rows make a block of a stream that comes in vectors: whole ones, so that it joins no batches.

    Half as many as usual, since the batch shares the cache with the block that is made of it, and such that blocks
    and the row groups of DuckDB end together.
    """
    if vector == 1:
        return rows
    return vector * max(
        k for k in range(1, GROUP_VECTORS + 1) if GROUP_VECTORS % k == 0 and k <= max(rows // 2 // vector, 1)
    )
