"""Parquet files, one row group after the other; only the columns that are asked for are decoded."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .._core import errors
from .pieces import Batch, Piece, Roles
from .snapshot import Snapshot, changed
from .table import warn_rounded
from .words import MixedRows, of_arrow


class ParquetReader:
    """Parquet files that hold the same columns."""

    rereadable = True
    has_target = has_weight = False

    def __init__(self, paths: list[Path]) -> None:
        self.paths, self.snapshot = paths, Snapshot(paths)
        schemas, counts = zip(*(_footer(path) for path in paths), strict=True)
        self.schema = schemas[0]
        self.names: list[str] | None = list(self.schema.names)
        for path, schema in zip(paths, schemas, strict=True):
            if schema.names != self.names:
                found, expected = (f"columns {errors.listed(s.names, 12)}" for s in (schema, self.schema))
                raise errors.files_differ(str(path), str(paths[0]), found, expected)
        self.width = len(self.schema.names)
        if len(set(self.schema.names)) < self.width:
            raise errors.InputError(f"{paths[0]} has columns of the same name; rename them.")
        self.n_rows: int | None = sum(counts)
        self._schemas, self._counts = schemas, counts

    def __repr__(self) -> str:
        return errors.listed(self.paths, 1)

    def dtype(self, roles: Roles) -> np.dtype:
        numbers = [j for j in roles.columns if j not in roles.words]
        types = {str(schema.field(j).type) for schema in self._schemas for j in numbers}
        return np.dtype(np.float32 if types == {"float"} else np.float64)

    def found_words(self, roles: Roles) -> list[bool]:
        """Tell which columns of X are no numbers, by the types in the files."""
        pa = _pyarrow(self.paths[0], "pyarrow")
        kinds = [[schema.field(j).type for schema in self._schemas] for j in roles.columns]
        return [any(not _is_number(pa, t) or pa.types.is_boolean(t) for t in of_column) for of_column in kinds]

    def step(self, rows: int) -> int:
        return rows

    def pieces(self, roles: Roles, rows: int, only_target: bool = False) -> Iterator[Piece]:
        self._require_numbers(roles)
        wanted = roles if not only_target else Roles((), roles.target, roles.weight, roles.single)
        dtype, names = self.dtype(roles), [self.schema.names[j] for j in wanted.all]
        for k in range(len(self.paths)):
            yield from self._file_pieces(k, wanted, names, dtype, rows)

    def head(self, roles: Roles) -> Iterator[Piece]:
        return self.pieces(roles, 1024)

    def _file_pieces(self, k: int, roles: Roles, names: list[str], dtype: Any, rows: int) -> Iterator[Piece]:
        path = self.paths[k]
        coded = [self.schema.names[j] for j in roles.words if _is_text(self._schemas[k].field(j).type)]
        with open_parquet(path, pre_buffer=False, read_dictionary=coded or None) as file:
            stored = file.metadata.schema.to_arrow_schema()
            if file.metadata.num_rows != self._counts[k] or not stored.equals(self._schemas[k]):
                raise changed(path, "its footer speaks of other columns or rows")
            start = 0
            for group in range(file.num_row_groups):
                origin = f"{path}, row group {group}"
                try:
                    for batch in file.iter_batches(batch_size=rows, row_groups=[group], columns=names):
                        yield record_piece(batch, roles, names, dtype, origin, start)
                        start += batch.num_rows
                except (OSError, ValueError) as error:
                    if isinstance(error, errors.InputError):
                        raise
                    raise errors.unreadable(origin, error) from error

    def _require_numbers(self, roles: Roles) -> None:
        pa = _pyarrow(self.paths[0], "pyarrow")
        fields = [schema.field(j) for schema in self._schemas for j in roles.columns if j not in roles.words]
        bad = {f.name: f.type for f in fields if not _is_number(pa, f.type)}
        if bad:
            raise errors.located(str(self), errors.text_columns("X", bad.keys(), map(str, bad.values())))


@contextmanager
def open_parquet(path: Path, **options: Any) -> Iterator[Any]:
    """Open a Parquet file so that a page that does not match its checksum, where it has one, is refused."""
    pq = _pyarrow(path, "pyarrow.parquet")
    try:
        file = pq.ParquetFile(path, page_checksum_verification=True, **options)
    except (OSError, ValueError) as error:
        raise errors.unreadable(str(path), error) from error
    with file:
        yield file


def record_piece(
    batch: Any,
    roles: Roles,
    names: list[str],
    dtype: Any,
    origin: str,
    zero: int,
    line_of: Callable[[int], int] | None = None,
    whole: Container[str] = (),
) -> Piece:
    """Make a piece of an Arrow record batch whose columns are those of `roles`, in that order.

    Columns named in `whole` hold floats that were written as whole numbers.
    """
    p, is_word = len(roles.columns), roles.is_word
    numbers = [j for j in range(p) if not is_word[j]]
    n_targets = len(roles.target or ())
    columns = [batch.column(name) for name in names]
    long = [str(columns[j].type) in ("int64", "uint64") or names[j] in whole for j in numbers]
    wide = np.flatnonzero(np.array(long, dtype=bool))

    def load(start: int, stop: int) -> Batch:
        cut = [column.slice(start, stop - start) for column in columns]
        X = np.empty((len(numbers), stop - start), dtype=dtype)  # columns lie together in Arrow, and so they stay
        for row, j in enumerate(numbers):
            X[row] = cut[j].to_numpy(zero_copy_only=False)
        warn_rounded(X.T, wide, "X", [names[j] for j in numbers])
        targets = [as_values(column) for column in cut[p : p + n_targets]]
        weight = as_values(cut[-1]) if roles.weight is not None else None
        if roles.target is None:
            y = None
        else:
            y = targets[0] if roles.single else np.stack(targets, axis=1)
        rows: Any = X.T
        if roles.words:
            rows = MixedRows(rows, tuple(of_arrow(cut[j]) for j in range(p) if is_word[j]), is_word)
        return Batch(rows, y, weight)

    return Piece(0, batch.num_rows, load, origin, zero, line_of)


def as_values(column: Any) -> np.ndarray:
    """Return labels or weights of an Arrow column; dictionaries as what they stand for."""
    if hasattr(column, "dictionary_decode"):
        column = column.dictionary_decode()
    return column.to_numpy(zero_copy_only=False)


def _is_text(kind: Any) -> bool:
    return str(kind) in ("string", "large_string")


def _is_number(pa: Any, kind: Any) -> bool:
    return pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)


def _footer(path: Path) -> tuple[Any, int]:
    pq = _pyarrow(path, "pyarrow.parquet")
    try:
        metadata = pq.read_metadata(path)
        return metadata.schema.to_arrow_schema(), metadata.num_rows
    except (OSError, ValueError) as error:
        raise errors.unreadable(str(path), error) from error


def _pyarrow(path: Path, module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise errors.missing_library("pyarrow", f"Reading {path}", "cli") from error
