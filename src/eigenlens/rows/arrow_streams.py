"""Arrow record batches: streams of any library that speaks Arrow, and Arrow IPC (Feather) files.

Whatever has `__arrow_c_stream__` hands over its batches without copying them: DuckDB relations, polars frames, ADBC
readers. Batches come as their writer cut them and are read a few rows at a time; one of them, for each thread, is the
memory that a pass needs.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import errors
from ..arrays.optional import require
from .addresses import Place
from .categories import Found
from .parquet import check_same_columns, holds_arrow_words, is_arrow_number, record_piece
from .pieces import Piece, Roles, in_vectors
from .snapshot import Snapshot
from .source import block_rows

FILE_MAGIC = b"ARROW1"
VECTOR = 2_048  # rows of DuckDB's vectors, of which a batch is made


class ArrowReader:
    """Record batches of one schema.

    Parameters
    ----------
    opened : callable
        Returns a RecordBatchReader.
    name : str
        What messages call the rows.
    rereadable : bool
        Whether it may be called more than once.
    schema : Schema, optional
        Where it is known without opening a stream, which may start a query.
    vector : int
        Rows of which the batches are made.
    """

    has_target = has_weight = False
    paths: Sequence[Path] = ()
    n_rows: int | None = None
    vector = 1  # rows of which batches are made
    _held = False  # whether the stream that was looked at is the one to be read

    def __init__(
        self, opened: Callable[[], Any], name: str, rereadable: bool, schema: Any = None, vector: int = 1
    ) -> None:
        self.snapshot, self.vector = Snapshot(), vector
        self._opened, self._name, self.rereadable = opened, name, rereadable
        self._stream: Any = None if rereadable else opened()
        self._saved: list[Any] = []  # batches that were looked at and are still to be read
        self._used = False
        self.schema = self._fresh().schema if schema is None else schema
        self.names: list[str] | None = list(self.schema.names)
        self.width = len(self.schema.names)
        _refuse_twice(self.schema, name)

    def __repr__(self) -> str:
        return self._name

    def dtype(self, roles: Roles) -> np.dtype:
        types = {str(self.schema.field(j).type) for j in roles.columns if j not in roles.words}
        return np.dtype(np.float32 if types == {"float"} else np.float64)

    def found_words(self, roles: Roles) -> list[Found]:
        """Tell which columns of X hold words, by their types."""
        return [holds_arrow_words(self.schema.field(j).type) for j in roles.columns]

    def step(self, rows: int) -> int:
        return rows

    def pieces(self, roles: Roles, rows: int, only_target: bool = False) -> Iterator[Piece]:
        require_numbers(self.schema, roles, self._name)
        wanted = roles if not only_target else Roles((), roles.target, roles.weight, roles.single)
        yield from self._pieces(self._read(), wanted, self.dtype(roles))

    def head(self, roles: Roles) -> Iterator[Piece]:
        require_numbers(self.schema, roles, self._name)
        yield from self._pieces(self._looked_at(), roles, self.dtype(roles))

    def _pieces(self, batches: Iterator[Any], roles: Roles, dtype: Any) -> Iterator[Piece]:
        assert self.names is not None
        names, start = [self.names[j] for j in roles.all], 0
        for batch in batches:
            yield record_piece(batch, roles, names, dtype, self._name, start)
            start += batch.num_rows

    def _fresh(self) -> Any:
        return self._opened() if self.rereadable else self._stream

    @contextmanager
    def one_reading(self) -> Iterator[ArrowReader]:
        """Give a reader whose first rows and first pass are one stream, so that a query runs once."""
        if not self.rereadable:
            yield self
            return
        new = copy.copy(self)
        new._held, new._saved = True, []
        try:
            yield new
        finally:
            new._release()

    def _release(self) -> None:
        stream, self._stream, self._held = self._stream, None, False
        self._saved.clear()
        if stream is not None:
            stream.__exit__(None, None, None)

    def _looked_at(self) -> Iterator[Any]:
        """Yield batches from the start; those of a stream are kept for the pass to come."""
        if self.rereadable and not self._held:
            with self._fresh() as reader:
                yield from _batches(reader, self._name)
            return
        self._refuse_second()
        if self._held and self._stream is None:
            self._stream = self._opened()
        yield from self._saved
        for batch in _batches(self._stream, self._name):
            self._saved.append(batch)
            yield batch

    def _read(self) -> Iterator[Any]:
        if self.rereadable and self._stream is None:
            yield from self._looked_at()
            return
        self._refuse_second()
        self._used = not self.rereadable
        while self._saved:
            yield self._saved.pop(0)
        yield from _batches(self._stream, self._name)
        if self.rereadable:
            self._release()

    def _refuse_second(self) -> None:
        if self._used:
            raise errors.InputError(
                f"{self._name} is a stream that has already been read and cannot be read again. Where two passes are "
                "needed (a method that iterates, or fit followed by transform), pass open_rows the table, relation or "
                "query that it came from, or a function that returns a new stream each time."
            )


def stream_reader(source: Any) -> ArrowReader:
    """Read an object that has `__arrow_c_stream__`; one that knows its columns is a table or query to be read again."""
    pa = require("pyarrow", "Reading an Arrow stream")
    again = hasattr(source, "columns")
    is_query = type(source).__module__.startswith("duckdb") and hasattr(source, "limit")

    def opened(rows: Any = source) -> Any:
        try:
            return batches_of(rows, pa)
        except Exception as error:  # each library has errors of its own
            raise errors.unreadable(f"the {type(source).__name__}", error) from error

    schema = relation_schema(source, opened) if is_query else None  # a stream would run the query for it
    return ArrowReader(opened, f"the {type(source).__name__}", again, schema, VECTOR if is_query else 1)


def relation_schema(relation: Any, opened: Callable[[Any], Any]) -> Any:
    """Return the columns of a DuckDB relation without running it; `limit` gives those of one name other names."""
    schema = opened(relation.limit(0)).schema
    for j, name in enumerate(relation.columns):
        schema = schema.set(j, schema.field(j).with_name(name))
    return schema


def batches_of(rows: Any, pa: Any) -> Any:
    """Open the stream of an object; DuckDB is asked for batches that are blocks, which then need not be joined."""
    if hasattr(rows, "to_arrow_reader"):
        return rows.to_arrow_reader(in_vectors(block_rows(max(len(rows.columns), 1)), VECTOR))
    return pa.RecordBatchReader.from_stream(rows)


class IpcReader(ArrowReader):
    """Arrow IPC (Feather) files that hold the same columns."""

    def __init__(self, paths: list[Place]) -> None:
        self.paths, self.snapshot = paths, Snapshot(paths)
        self.rereadable, self._name, self._stream, self._saved = True, errors.listed(paths, 1), None, []
        schemas = []
        for path in paths:
            with _ipc(path) as file:
                schemas.append(file.schema)
        check_same_columns(paths, schemas)
        self.schema = schemas[0]
        self.names = list(self.schema.names)
        self.width = len(self.schema.names)
        _refuse_twice(self.schema, self._name)

    def pieces(self, roles: Roles, rows: int, only_target: bool = False) -> Iterator[Piece]:
        wanted = roles if not only_target else Roles((), roles.target, roles.weight, roles.single)
        assert self.names is not None
        dtype, names = self.dtype(roles), [self.names[j] for j in wanted.all]
        for path in self.paths:
            with _ipc(path, sorted(wanted.all)) as file:
                require_numbers(file.schema, _places(file.schema, names, wanted), str(path))
                start = 0
                for k, batch in enumerate(_ipc_batches(file, str(path))):
                    yield record_piece(batch, wanted, names, dtype, f"{path}, batch {k}", start)
                    start += batch.num_rows

    def head(self, roles: Roles) -> Iterator[Piece]:
        return self.pieces(roles, 1)


def require_numbers(schema: Any, roles: Roles, name: str) -> None:
    """Refuse columns of X that hold no numbers."""
    fields = [schema.field(j) for j in roles.columns if j not in roles.words]
    bad = {field.name: field.type for field in fields if not is_arrow_number(field.type)}
    if bad:
        raise errors.located(name, errors.text_columns("X", bad.keys(), map(str, bad.values())))


def _places(schema: Any, names: list[str], roles: Roles) -> Roles:
    """Return the columns of X where a file was read in part."""
    places = tuple(schema.get_field_index(name) for name in names[: len(roles.columns)])
    words = tuple(p for p, word in zip(places, roles.is_word, strict=True) if word)
    return Roles(places, words=words)


def _refuse_twice(schema: Any, name: str) -> None:
    if len(set(schema.names)) < len(schema.names):
        raise errors.InputError(f"{name} has columns of the same name; rename them.")


def _batches(reader: Any, name: str) -> Iterator[Any]:
    try:
        for batch in reader:  # noqa: UP028  (which would close the stream where only its first rows were wanted)
            yield batch
    except errors.InputError:
        raise
    except Exception as error:  # what goes wrong in a query shows when its rows come
        raise errors.unreadable(name, error) from error


def _ipc(path: Place, columns: Sequence[int] | None = None) -> Any:
    """Open an Arrow file or an Arrow stream in a file; only the columns asked for are read."""
    pa = require("pyarrow", f"Reading {path}")
    ipc = require("pyarrow.ipc", f"Reading {path}")
    options = ipc.IpcReadOptions(included_fields=None if columns is None else list(columns))
    raw = pa.OSFile(str(path), "rb") if isinstance(path, Path) else pa.PythonFile(path.open("rb"), mode="r")
    try:
        head = raw.read(len(FILE_MAGIC))
        raw.seek(0)
        return (ipc.open_file if head == FILE_MAGIC else ipc.open_stream)(raw, options=options)
    except (OSError, ValueError) as error:
        raise errors.unreadable(path, error) from error


def _ipc_batches(file: Any, name: str) -> Iterator[Any]:
    if not hasattr(file, "num_record_batches"):
        yield from _batches(file, name)
        return
    try:
        for k in range(file.num_record_batches):
            yield file.get_batch(k)
    except (OSError, ValueError) as error:
        raise errors.unreadable(name, error) from error
