"""Parquet files, one row group after the other; only the columns that are asked for are decoded."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import errors, optional
from .addresses import Place
from .categories import Found, MixedRows, of_arrow
from .pieces import Batch, Piece, Roles
from .snapshot import Snapshot
from .table import warn_rounded

MISSING_PARTITION = "__HIVE_DEFAULT_PARTITION__"  # what Hive and Spark call the folder of missing values


class ParquetReader:
    """Parquet files that hold the same columns."""

    rereadable = True
    has_target = has_weight = False

    def __init__(self, paths: list[Place], partitions: Sequence[dict[str, str]] = ()) -> None:
        self.paths, self.snapshot = paths, Snapshot(paths)
        schemas, counts = zip(*(read_footer(path) for path in paths), strict=True)
        check_same_columns(paths, schemas)
        self._own = frozenset(schemas[0].names)
        self._partitions = Partitions(paths, partitions, self._own)
        schemas = tuple(self._partitions.beside(schema) for schema in schemas)
        self.schema = schemas[0]
        self.names: list[str] | None = list(self.schema.names)
        self.width = len(self.names)
        if len(set(self.names)) < self.width:
            raise errors.InputError(f"{paths[0]} has columns of the same name; rename them.")
        self.n_rows: int | None = sum(counts)
        self._schemas, self._counts = schemas, counts

    def __repr__(self) -> str:
        return errors.listed(self.paths, 1)

    def dtype(self, roles: Roles) -> np.dtype:
        types = {str(field.type) for field in self._fields(roles)}
        return np.dtype(np.float32 if types == {"float"} else np.float64)

    def found_words(self, roles: Roles) -> list[Found]:
        """Tell which columns of X hold words, by the types in the files."""
        found = [[holds_arrow_words(schema.field(j).type) for schema in self._schemas] for j in roles.columns]
        return [None if None in of_column else any(of_column) for of_column in found]

    def step(self, rows: int) -> int:
        return rows

    def pieces(self, roles: Roles, rows: int, only_target: bool = False) -> Iterator[Piece]:
        self._require_numbers(roles)
        wanted = roles if not only_target else Roles((), roles.target, roles.weight, roles.single)
        assert self.names is not None
        dtype, names = self.dtype(roles), [self.names[j] for j in wanted.all]
        for k in range(len(self.paths)):
            yield from self._file_pieces(k, wanted, names, dtype, rows)

    def head(self, roles: Roles) -> Iterator[Piece]:
        return self.pieces(roles, 1024)

    def _file_pieces(self, k: int, roles: Roles, names: list[str], dtype: Any, rows: int) -> Iterator[Piece]:
        path = self.paths[k]
        assert self.names is not None
        coded = [self.names[j] for j in roles.words if _is_text(self._schemas[k].field(j).type)]
        with open_parquet(path, pre_buffer=False, read_dictionary=coded or None) as file:
            start, own = 0, [name for name in names if name in self._own]
            for group in range(file.num_row_groups):
                origin = f"{path}, row group {group}"
                with _unreadable(origin):
                    for batch in parquet_batches(path, file, own, rows, group):
                        batch = self._partitions.extended(batch, k)
                        yield record_piece(batch, roles, names, dtype, origin, start)
                        start += batch.num_rows

    def _fields(self, roles: Roles) -> list[Any]:
        """Return the columns of numbers in files that have rows: in an empty file they have no particular type."""
        filled = [schema for schema, n in zip(self._schemas, self._counts, strict=True) if n]
        return [schema.field(j) for schema in filled for j in roles.columns if j not in roles.words]

    def _require_numbers(self, roles: Roles) -> None:
        bad = {f.name: f.type for f in self._fields(roles) if not is_arrow_number(f.type)}
        if bad:
            raise errors.located(str(self), errors.text_columns("X", bad.keys(), map(str, bad.values())))


@contextmanager
def open_parquet(path: Place, **options: Any) -> Iterator[Any]:
    """Open a Parquet file so that a page that does not match its checksum, where it has one, is refused."""
    pq = optional.pyarrow(path, "parquet")
    try:
        file = pq.ParquetFile(_input(path), page_checksum_verification=True, **options)
    except (OSError, ValueError) as error:
        raise errors.unreadable(path, error) from error
    try:
        yield file
    finally:
        file.close(force=True)


def parquet_batches(path: Place, file: Any, columns: list[str], rows: int, group: int | None = None) -> Iterator[Any]:
    """Yield so many rows at a time of an open file, or of one of its row groups."""
    groups, origin = (None, str(path)) if group is None else ([group], f"{path}, row group {group}")
    with _unreadable(origin):
        yield from file.iter_batches(batch_size=rows, row_groups=groups, columns=columns)


@contextmanager
def _unreadable(origin: str) -> Iterator[None]:
    """Say where a file cannot be read, in our own words."""
    try:
        yield
    except (OSError, ValueError) as error:
        if isinstance(error, errors.InputError):
            raise
        raise errors.unreadable(origin, error) from error


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
    columns = [_plain(batch.column(name)) if j < p else batch.column(name) for j, name in enumerate(names)]
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


def _plain(column: Any) -> Any:
    """Return a column of decimals as floating-point numbers."""
    return column.cast("double") if str(column.type).startswith("decimal") else column


def is_arrow_number(kind: Any) -> bool:
    """Tell whether an Arrow type holds numbers."""
    types = import_module("pyarrow").types
    tests = (types.is_floating, types.is_integer, types.is_boolean, types.is_decimal)
    return any(test(kind) for test in tests)


def holds_arrow_words(kind: Any) -> Found:
    """Tell whether a column of an Arrow type holds words; None for dates."""
    if import_module("pyarrow").types.is_temporal(kind):
        return None
    return not is_arrow_number(kind) or str(kind) == "bool"


def check_same_columns(paths: Sequence[Place], schemas: Sequence[Any]) -> None:
    """Refuse files whose columns differ from those of the first."""
    for path, schema in zip(paths, schemas, strict=True):
        if schema.names != schemas[0].names:
            found, expected = (f"columns {errors.listed(s.names, 12)}" for s in (schema, schemas[0]))
            raise errors.files_differ(str(path), str(paths[0]), found, expected)


class Partitions:
    """Columns that the names of folders give the files in them: year=2024/month=5."""

    def __init__(self, paths: Sequence[Place], values: Sequence[dict[str, str]], own: Container[str]) -> None:
        self._values = [{key: value for key, value in of.items() if key not in own} for of in values]
        names = list(self._values[0]) if self._values else []
        for path, of in zip(paths, self._values, strict=bool(values)):
            if list(of) != names:
                found, expected = (f"partitions {errors.listed(keys) or 'none'}" for keys in (of, names))
                raise errors.files_differ(str(path), str(paths[0]), found, expected)
        self._kinds = {name: _kind_of([of[name] for of in self._values]) for name in names}

    def beside(self, schema: Any) -> Any:
        """Return the columns of a file followed by those of its folders."""
        for name, kind in self._kinds.items():
            schema = schema.append(import_module("pyarrow").field(name, kind))
        return schema

    def extended(self, batch: Any, k: int) -> Any:
        """Return rows of the k-th file with what its folders say."""
        pa = import_module("pyarrow")
        for name, kind in self._kinds.items():
            text = self._values[k][name]
            value = None if text == MISSING_PARTITION else text
            column = pa.repeat(pa.scalar(value).cast(kind) if value is not None else pa.scalar(None, kind), len(batch))
            batch = batch.append_column(name, column)
        return batch


def _kind_of(words: Sequence[str]) -> Any:
    """Return the Arrow type that holds these words: whole numbers, numbers, or text."""
    pa = import_module("pyarrow")
    given = pa.array([word for word in words if word != MISSING_PARTITION], pa.string())
    for kind in (pa.int64(), pa.float64()):
        try:
            given.cast(kind)
            return kind
        except ValueError:
            continue
    return pa.string()


def _input(path: Place) -> Any:
    return path if isinstance(path, Path) else path.open("rb")


def read_footer(path: Place) -> tuple[Any, int]:
    """Return the columns of a Parquet file, as an Arrow schema, and how many rows it says it has."""
    pq = optional.pyarrow(path, "parquet")
    try:
        metadata = pq.read_metadata(_input(path))
        return metadata.schema.to_arrow_schema(), metadata.num_rows
    except (OSError, ValueError) as error:
        raise errors.unreadable(path, error) from error
