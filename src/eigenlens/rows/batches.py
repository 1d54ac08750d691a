"""Any iterable of batches: tables of any kind, alone or with y and weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import narwhals as nw
import numpy as np

from ..arrays import errors, namespaces
from .categories import is_mixed
from .labels import as_column
from .pieces import Batch, Piece, Roles
from .snapshot import Snapshot
from .table import as_table, of_rows


class BatchReader:
    """Batches that come one after the other; read once, unless they can be asked for again."""

    n_rows: int | None = None
    paths: tuple[()] = ()

    def __init__(self, source: Any) -> None:
        self.snapshot = Snapshot()
        self._source = source
        self.rereadable = callable(source) or isinstance(source, list | tuple)
        self._saved: list[Any] = []  # batches that were looked at and are still to be read
        self._stream: Iterator[Any] | None = None
        first = next(self._looked_at(), None)
        if first is None:
            raise errors.InputError("path_or_paths is an iterable without a batch; there is no row to read.")
        X, y, weight = _parts(first)
        self.has_target, self.has_weight = y is not None, weight is not None
        self.names: list[str] | None = _names(X)
        shape = X.shape if hasattr(X, "shape") else np.shape(X)
        if len(shape) != 2:
            raise errors.located("batch 0", errors.not_a_table("X", shape))
        self.width = int(shape[1])
        if isinstance(source, list | tuple):
            self.n_rows = sum(_length(_parts(batch)[0]) for batch in source)

    def __repr__(self) -> str:
        return "batches"

    def dtype(self, roles: Roles) -> np.dtype:
        first = self._first_batch()
        if first is None:
            return np.dtype(np.float64)
        return _table(_chosen(first, self.names, roles.columns), 0, roles.is_word).sample.dtype

    def found_words(self, roles: Roles) -> list[bool]:
        first = self._first_batch()
        table = None if first is None else as_table(_chosen(first, self.names, roles.columns), "X", words="auto")
        return list(getattr(table, "is_word", [False] * len(roles.columns)))

    def _first_batch(self) -> Any:
        """Return the first batch that has rows, None where all are empty."""
        tables = (_parts(batch)[0] for batch in (self._saved or self._looked_at()))
        return next((X for X in tables if _length(X)), None)

    def step(self, rows: int) -> int:
        return rows

    def pieces(self, roles: Roles, rows: int, only_target: bool = False) -> Iterator[Piece]:
        yield from self._pieces(self._read(), roles)

    def head(self, roles: Roles) -> Iterator[Piece]:
        yield from self._pieces(self._looked_at(), roles)

    def _pieces(self, batches: Iterator[Any], roles: Roles) -> Iterator[Piece]:
        """Yield a piece for each batch that has rows: an empty one has columns of no particular type."""
        for k, batch in enumerate(batches):
            X = _parts(batch)[0]
            if _length(X) or (hasattr(X, "shape") and X.shape[1] != self.width):
                yield self._piece(batch, k, roles)

    def _looked_at(self) -> Iterator[Any]:
        """Yield batches from the start and keep them for the pass to come."""
        if self.rereadable:
            yield from self._fresh()
            return
        if self._stream is None:
            self._stream = self._fresh()
        elif not self._saved:
            raise _already_read()
        yield from self._saved
        for batch in self._stream:
            self._saved.append(batch)
            yield batch

    def _read(self) -> Iterator[Any]:
        if self.rereadable:
            yield from self._fresh()
            return
        if not self._saved:
            raise _already_read()
        assert self._stream is not None
        while self._saved:
            yield self._saved.pop(0)
        yield from self._stream

    def _fresh(self) -> Iterator[Any]:
        source = self._source() if callable(self._source) else self._source
        if not isinstance(source, Iterable):
            raise errors.not_rows(f"function that returns a {type(source).__name__}")
        return iter(source)

    def _piece(self, batch: Any, k: int, roles: Roles) -> Piece:
        X, y, weight = _parts(batch)
        n = _length(X)
        if _names(X) != self.names or (hasattr(X, "shape") and X.shape[1] != self.width):
            found, expected = (
                f"columns {errors.listed(names, 12)}" if names else "other columns" for names in (_names(X), self.names)
            )
            raise errors.files_differ(f"batch {k}", "batch 0", found, expected)
        if (y is not None) != self.has_target or (weight is not None) != self.has_weight:
            raise errors.InputError(
                f"batch {k} does not have the same parts (X, y, weight) as batch 0; pass the same parts in every batch."
            )
        for name, part in (("y", y), ("weight", weight)):
            if part is not None and _length(part) != n:
                raise errors.located(f"batch {k}", errors.lengths_differ("X", n, name, _length(part)))
        return Piece(0, n, self._loader(X, y, weight, k, roles), f"batch {k}")

    def _loader(self, X: Any, y: Any, weight: Any, k: int, roles: Roles) -> Callable[[int, int], Batch]:
        table = _table(_chosen(X, self.names, roles.columns), k, roles.is_word)
        if roles.target is not None:
            y = _chosen(X, self.names, roles.target)
            y = _only(y) if roles.single else y
        if roles.weight is not None:
            weight = _only(_chosen(X, self.names, (roles.weight,)))
        y = None if y is None else _values(y)
        weight = None if weight is None else _values(weight)

        def load(start: int, stop: int) -> Batch:
            rows = table.rows(start, stop)
            return Batch(
                rows if is_mixed(rows) else namespaces.to_numpy(rows),
                None if y is None else y[start:stop],
                None if weight is None else weight[start:stop],
            )

        return load


def _parts(batch: Any) -> tuple[Any, Any, Any]:
    """Take a batch apart: X, (X, y) or (X, y, weight); Arrow's record batches become tables."""
    if isinstance(batch, tuple):
        if not 1 <= len(batch) <= 3:
            raise errors.not_rows(f"batch of {len(batch)} parts")
        X, y, weight = (*batch, None, None)[:3]
    else:
        X, y, weight = batch, None, None
    if type(X).__name__ == "RecordBatch":
        import pyarrow as pa

        X = pa.Table.from_batches([X])
    if X is None or isinstance(X, str | bytes | int | float):
        raise errors.not_rows(f"iterable of {type(X).__name__}")
    if isinstance(X, list):
        X = np.asarray(of_rows(X))
    return X, y, weight


def _names(X: Any) -> list[str] | None:
    return list(nw.from_native(X, eager_only=True).columns) if nw.dependencies.is_into_dataframe(X) else None


def _length(values: Any) -> int:
    return int(values.shape[0]) if hasattr(values, "shape") else len(values)


def _chosen(X: Any, names: list[str] | None, columns: tuple[int, ...]) -> Any:
    if names is not None:
        return nw.from_native(X, eager_only=True).select([names[j] for j in columns]).to_native()
    return X if columns == tuple(range(X.shape[1])) else X[:, list(columns)]


def _only(column: Any) -> Any:
    """Return the only column of a table without its dimension."""
    if nw.dependencies.is_into_dataframe(column):
        frame = nw.from_native(column, eager_only=True)
        return frame[frame.columns[0]].to_native()
    return column[:, 0]


def _values(values: Any) -> np.ndarray:
    if nw.dependencies.is_into_dataframe(values):
        return nw.from_native(values, eager_only=True).to_numpy()
    return as_column(values, "y")


def _table(X: Any, k: int, is_word: tuple[bool, ...]) -> Any:
    names = _names(X)
    words: list[Any] = [j if names is None else names[j] for j, word in enumerate(is_word) if word]
    try:
        return as_table(X, "X", words=words or None)
    except ValueError as error:
        raise errors.located(f"batch {k}", error) from error


def _already_read() -> errors.InputError:
    return errors.InputError(
        "This stream of batches has already been read and cannot be read again. Where two passes are needed (a method "
        "that iterates, or fit followed by transform), pass open_rows a list of batches, files, or a function that "
        "returns a new iterator each time."
    )
