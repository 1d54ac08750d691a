"""Rows of a query: DuckDB hands over Arrow batches, SQLite rows that are put into columns a few thousand at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..arrays import errors
from ..arrays.optional import require
from .arrow_streams import VECTOR, ArrowReader, batches_of, relation_schema
from .snapshot import Snapshot

SCHEMES = ("duckdb://", "sqlite://")
BUFFER = "64MB"  # of rows that DuckDB may have ready: its own 1 MB makes its threads wait for each other
FETCHED = 65_536  # rows of SQLite that are put into columns at a time


def is_database(source: Any) -> bool:
    """Tell whether an address is that of a database."""
    return isinstance(source, str) and source.startswith(SCHEMES)


def database_reader(source: Any, query: str | None) -> ArrowReader:
    """Read the rows of a query.

    Parameters
    ----------
    source : str
        `duckdb:///file.db` or `sqlite:///file.db`; three slashes before a path of the current folder, four before one
        from the root.
    query : str
    """
    if not is_database(source):
        raise errors.InputError(
            f"query was given, but path_or_paths={errors.shortened(source)} is not a database; use duckdb:///file.db "
            "or sqlite:///file.db. Other databases have ADBC drivers: pass cursor.fetch_record_batch() without query."
        )
    if not isinstance(query, str) or not query.strip():
        raise errors.InputError(
            f"path_or_paths={source!r} is a database, and query={query!r} does not say which rows to read; give "
            "query='SELECT … FROM …'."
        )
    scheme, _, rest = source.partition("://")
    path = Path(rest[1:])
    if not path.is_file():
        raise errors.no_files(path)
    opened = _duckdb if scheme == "duckdb" else _sqlite
    schema = _duckdb_schema(path, query) if scheme == "duckdb" else None
    vector = VECTOR if scheme == "duckdb" else 1
    reader = ArrowReader(lambda: opened(path, query), f"{os.fspath(path)}, query", True, schema, vector)
    reader.paths, reader.snapshot = [path], Snapshot([path])
    return reader


def _duckdb(path: Path, query: str) -> Any:
    duckdb = require("duckdb", f"Reading {path}")
    pa = require("pyarrow", f"Reading {path}")
    try:
        connection = duckdb.connect(str(path), read_only=True)
        connection.execute(f"SET streaming_buffer_size = '{BUFFER}'")
        return _Held(batches_of(connection.sql(query), pa), connection)
    except Exception as error:  # duckdb has errors of its own
        raise _unreadable(path, error) from error


def _duckdb_schema(path: Path, query: str) -> Any:
    """Return the columns of a query without running it."""
    duckdb = require("duckdb", f"Reading {path}")
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            writing = {duckdb.StatementType.COPY, duckdb.StatementType.EXPORT}  # to files beside the database
            if any(statement.type in writing for statement in duckdb.extract_statements(query)):
                raise ValueError("COPY and EXPORT write files; give a SELECT")
            relation = connection.sql(query)
            if relation is None:
                raise ValueError("it is not a SELECT, so it has no rows")
            return relation_schema(relation, lambda rows: rows.to_arrow_table())
    except Exception as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> errors.InputError:
    if "different configuration" in str(error):
        return errors.InputError(
            f"{path} is already open in this process, for writing, and DuckDB opens a file in one way at a time; pass "
            "the rows of that connection, connection.sql('SELECT …'), or close it first."
        )
    return errors.unreadable(f"{path}, query", error)


def _sqlite(path: Path, query: str) -> Any:
    import sqlite3

    pa = require("pyarrow", f"Reading {path}")
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)
        connection.set_authorizer(_reads_alone)
        cursor = connection.execute(query)
        if cursor.description is None:
            raise ValueError("it is not a SELECT, so it has no rows")
        names = [column[0] for column in cursor.description]
        first = _columns(pa, names, cursor.fetchmany(FETCHED))
    except (sqlite3.Error, ValueError) as error:
        raise errors.unreadable(f"{path}, query", error) from error

    def batches() -> Iterator[Any]:
        batch = first
        while batch.num_rows:
            yield batch
            batch = _columns(pa, names, cursor.fetchmany(FETCHED), first.schema)

    return _Held(pa.RecordBatchReader.from_batches(first.schema, batches()), connection)


def _reads_alone(action: int, *named: str | None) -> int:
    """Let SQLite do all but ATTACH, which makes files; VACUUM INTO attaches too."""
    import sqlite3

    return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK


def _columns(pa: Any, names: list[str], rows: list[tuple[Any, ...]], schema: Any = None) -> Any:
    """Put rows into columns; those of numbers become floating-point ones, since SQLite has no types to rely on."""
    values = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in names]
    if schema is None:
        schema = pa.schema([(name, _type_of(pa, cells)) for name, cells in zip(names, values, strict=True)])
    arrays = []
    for cells, field in zip(values, schema, strict=True):
        found, as_one = _type_of(pa, cells), f"write CAST({field.name} AS REAL), or AS TEXT, in the query"
        if found not in (field.type, pa.int64() if field.type == pa.float64() else field.type) and any(
            cell is not None for cell in cells
        ):  # pyarrow would cut fractions off
            began = f"column {field.name!r} began with values of type {field.type} and goes on with {found}"
            raise ValueError(f"{began}; {as_one}")
        try:
            arrays.append(pa.array(cells, field.type))
        except pa.ArrowException:
            kinds = ", ".join(sorted({type(cell).__name__ for cell in cells if cell is not None}))
            raise ValueError(f"column {field.name!r} holds values of type {kinds}; {as_one}") from None
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _type_of(pa: Any, cells: list[Any]) -> Any:
    kinds = {type(cell) for cell in cells} - {type(None)}
    if kinds == {int}:
        return pa.int64()
    return pa.float64() if kinds <= {int, float} else pa.string()


class _Held:
    """A reader and the connection that must outlive it."""

    def __init__(self, reader: Any, connection: Any) -> None:
        self._reader, self._connection, self.schema = reader, connection, reader.schema

    def __iter__(self) -> Iterator[Any]:
        return iter(self._reader)

    def __enter__(self) -> _Held:
        return self

    def __exit__(self, *why: Any) -> None:
        self._reader.close()
        self._connection.close()
