"""Files and streams of rows: Parquet, CSV, Arrow, NumPy's .npy, Zarr, queries, and iterables of batches.

A reader says how rows are stored and hands out pieces; `stream` does the rest.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from numbers import Integral
from typing import Any, Protocol, overload

import numpy as np

from ..arrays import errors, memory, namespaces
from ..arrays.typing import ColumnNames
from .addresses import Place, is_zarr, listed
from .arrays_on_disk import ArrayReader, open_zarr
from .arrow_streams import IpcReader, stream_reader
from .batches import BatchReader
from .csv import CsvReader
from .engines import engine_rows, is_engine, refuse_parts_of_spark
from .grids import LabelledRows, is_labelled, labelled_rows
from .npy_files import NpyFile
from .parquet import ParquetReader
from .pieces import Reader, Roles
from .queries import database_reader, is_database
from .source import Source
from .stream import RowSource
from .table import arrow_table

INDEX = re.compile(r"Unnamed: \d+|__index_level_\d+__")  # what pandas calls an index without a name
IPC = (".arrow", ".feather", ".ipc", ".arrows")
EXCEL = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")


class DataArrayLike(Protocol):
    """An xarray DataArray, as type checkers know it."""

    @property
    def dims(self) -> Any: ...
    @property
    def coords(self) -> Any: ...


class AnnDataLike(Protocol):
    """An AnnData, as type checkers know it."""

    @property
    def obs(self) -> Any: ...
    @property
    def obsm(self) -> Any: ...


@overload
def open_rows(
    path_or_paths: DataArrayLike | AnnDataLike,
    *,
    target: ColumnNames | None = None,
    weight: Any = None,
    rows: str | Sequence[str] | None = None,
    layer: str | None = None,
) -> LabelledRows: ...
@overload
def open_rows(
    path_or_paths: Any,
    columns: Sequence[Any] | None = None,
    target: ColumnNames | None = None,
    weight: Any = None,
    batch_rows: int | None = None,
    *,
    device: Any = None,
    progress: bool | None = None,
    na: Sequence[str] = (),
    query: str | None = None,
) -> Source: ...
def open_rows(
    path_or_paths: Any,
    columns: Sequence[Any] | None = None,
    target: ColumnNames | None = None,
    weight: Any = None,
    batch_rows: int | None = None,
    *,
    device: Any = None,
    progress: bool | None = None,
    na: Sequence[str] = (),
    query: str | None = None,
    rows: Any = None,
    layer: str | None = None,
) -> Source:
    """Open rows that are not in memory, to pass to `fit`, `transform` and `predict` as X.

    Parameters
    ----------
    path_or_paths : path, list of paths, array on disk, table of another library, or iterable of batches
        Parquet, CSV (with a header; cells of X must be numbers; .gz and .zst too), Arrow IPC (Feather), .npy and Zarr
        files. A folder, a pattern (`part-*.parquet`) or a list of files of one kind, read in the order of their names;
        folders `year=2024` give Parquet files in them a column. Addresses that fsspec can open (`s3://…`). A database
        (`duckdb:///file.db`, `sqlite:///file.db`) with `query`. A memory map or an open Zarr array. Any object that
        exports Arrow (`__arrow_c_stream__`): DuckDB relations, polars frames, ADBC readers. Or batches: tables, or
        tuples (X, y) or (X, y, weight). A generator or stream is read once; a list of batches, or a function that
        returns a new iterator each time, as often as a method needs.
    columns : list of str or int, optional
        Which columns are X. If not given, all except `target`, `weight` and an index that was written without a name
        (an empty first cell of a CSV header, `Unnamed: 0`, `__index_level_0__`).
    target : column or list of columns, optional
        The column of labels, or the columns of the second table; of an AnnData, in its `obs`.
    weight : column, optional
        How often each row counts.
    batch_rows : int, optional
        Rows in memory at a time, for each thread; chosen to fit the processor's cache if not given.
    device : device, optional
        Copy blocks to this device ("cuda") and compute there; results come back as NumPy arrays.
    progress : bool, optional
        Whether passes of more than two seconds show a bar; by default in a terminal or notebook, if rich is installed.
        The environment variable EIGENLENS_PROGRESS=0 turns all bars off.
    na : list of str
        Cells of CSV files that mean a missing value, in addition to empty ones, NA, NaN and null.
    query : str, optional
        The SELECT whose rows are read, if `path_or_paths` names a database.
    rows : str or list of str, optional
        The dimensions of an xarray DataArray that form the rows; by default the first one. The others are stacked into
        columns.
    layer : str, optional
        The layer of an AnnData to read instead of its `X`.

    Returns
    -------
    source
        For a DataArray or AnnData, the source has `scores(model)` and `loadings(model)`, which return labelled results,
        and `store(model)`, which writes both into the AnnData.

    Examples
    --------
    >>> import numpy as np, tempfile, os
    >>> import eigenlens
    >>> X = np.random.default_rng(0).standard_normal((1000, 3)) * [3, 2, 1]
    >>> path = os.path.join(tempfile.mkdtemp(), "rows.npy")
    >>> np.save(path, X)
    >>> pca = eigenlens.PCA(1).fit(eigenlens.open_rows(path))
    >>> bool(np.allclose(pca.components_, eigenlens.PCA(1).fit(X).components_, rtol=1e-12))
    True
    """
    refuse_parts_of_spark(path_or_paths, "the table")
    if is_labelled(path_or_paths):
        _refuse_roles(columns=columns, query=query)
        return labelled_rows(path_or_paths, rows, layer, target, weight)
    if is_engine(path_or_paths):
        return engine_rows(path_or_paths, columns, target, weight)
    if rows is not None or layer is not None:
        raise errors.InputError(
            "rows names dimensions of an xarray DataArray, layer a layer of an AnnData; leave them out."
        )
    if batch_rows is not None and (not isinstance(batch_rows, Integral) or batch_rows < 1):
        raise errors.number("batch_rows", batch_rows, "a positive integer")
    if isinstance(na, str) or not all(isinstance(word, str) for word in na):
        raise errors.number("na", na, "a list of words")
    try:
        reader = _reader(path_or_paths, tuple(na), query)
        return RowSource(reader, _roles(reader, columns, target, weight), batch_rows, device, progress)
    except Exception as error:
        if memory.ran_out(error):
            raise errors.TooLargeError(
                f"Memory ran out while rows were opened ({error or 'no size given'}); give the process more memory."
            ) from error
        raise


def _refuse_roles(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise errors.InputError(
                f"{name}={errors.shortened(value)}: an array with labels is read as a whole; select from it first."
            )


def _reader(source: Any, na: tuple[str, ...], query: str | None = None) -> Reader:
    if query is not None or is_database(source):
        return database_reader(source, query)
    if isinstance(source, str | os.PathLike):
        return _file_reader(*listed(source), na)
    if isinstance(source, list | tuple) and source and all(isinstance(item, str | os.PathLike) for item in source):
        found = [listed(item) for item in source]
        return _file_reader([p for paths, _ in found for p in paths], [k for _, kept in found for k in kept], na)
    source = arrow_table(source)
    if hasattr(source, "shape") and hasattr(source, "__getitem__") and hasattr(source, "dtype"):
        if not isinstance(source, np.ndarray) and namespaces.is_array(source):
            raise errors.not_rows(type(source).__name__)
        return ArrayReader.of_array(source)
    if hasattr(source, "__arrow_c_stream__"):
        return stream_reader(source)
    if callable(source) or (isinstance(source, Iterable) and not hasattr(source, "columns")):
        return BatchReader(source)
    raise errors.not_rows(type(source).__name__)


def _file_reader(paths: list[Place], partitions: list[dict[str, str]], na: tuple[str, ...]) -> Reader:
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1:
        raise errors.InputError(
            f"path_or_paths: the files are of several kinds ({errors.listed(sorted(kinds))}); give files of one kind, "
            "for example as a list."
        )
    kind = kinds.pop()
    if kind in (".npy", ".zarr"):
        return ArrayReader.of_files(paths, NpyFile if kind == ".npy" else open_zarr)
    if kind == ".arrow":
        return IpcReader(paths)
    return ParquetReader(paths, partitions) if kind == ".parquet" else CsvReader(paths, na)


def _kind(path: Place) -> str:
    if is_zarr(path):
        return ".zarr"
    suffixes = [s.lower() for s in path.suffixes]
    suffix = suffixes[-1] if suffixes else ""
    if suffix in IPC:
        return ".arrow"
    if suffix == ".pq":
        return ".parquet"
    if len(suffixes) > 1 and suffixes[-2] == ".csv" and suffix in (".gz", ".zst"):
        return ".csv"
    if suffix in EXCEL:
        raise errors.InputError(
            f"path_or_paths={str(path)!r} is an Excel workbook, which is not read: save the sheet as CSV or Parquet, "
            f"or load it yourself and pass the table to fit, such as pandas.read_excel({path.name!r})."
        )
    if suffix not in (".parquet", ".csv", ".npy"):
        raise errors.InputError(
            f"path_or_paths={str(path)!r}: files ending in {suffix or 'nothing'!r} are not read; use .parquet, .csv "
            "(.gz, .zst), .npy, .zarr, or .arrow and .feather."
        )
    return suffix


def _roles(reader: Reader, columns: Sequence[Any] | None, target: Any, weight: Any) -> Roles:
    single = target is not None and not isinstance(target, list | tuple)
    of_names = None if reader.names is None else {name: j for j, name in enumerate(reader.names)}

    def place(column: Any, name: str) -> int:
        return _place(reader, of_names, column, name)

    places = None if target is None else tuple(place(t, "target") for t in ([target] if single else target))
    if (places is not None and reader.has_target) or (weight is not None and reader.has_weight):
        raise errors.two_targets("target" if places is not None else "weight")
    of_weight = None if weight is None else place(weight, "weight")
    others = {*(places or ()), *(() if of_weight is None else (of_weight,))}
    if columns is None:
        chosen = tuple(j for j in range(reader.width) if j not in others and not _names_rows(reader, j))
    else:
        if isinstance(columns, str | bytes):
            raise errors.number("columns", columns, "a list of columns")
        chosen = tuple(place(c, "columns") for c in columns)
    every = (*chosen, *(places or ()), *(() if of_weight is None else (of_weight,)))
    twice = next((j for j, times in Counter(every).items() if times > 1), None)
    if twice is not None:
        raise errors.InputError(
            f"column {(reader.names[twice] if reader.names else twice)!r} is named twice; a column has one role."
        )
    if not chosen:
        raise errors.no_columns("X", (reader.n_rows or 0, 0))
    return Roles(chosen, places, of_weight, single)


def _names_rows(reader: Reader, j: int) -> bool:
    """Tell whether a column is the index of a table, written without a name: it counts as X only where it is asked."""
    index = reader.names is not None and INDEX.fullmatch(reader.names[j]) is not None
    return index or j in getattr(reader, "index", ())


def _place(reader: Reader, of_names: dict[str, int] | None, column: Any, name: str) -> int:
    """Return the position of a column given by name, or by number where there are no names."""
    if of_names is not None and isinstance(column, Hashable) and column in of_names:
        return of_names[column]
    if of_names is None and isinstance(column, Integral) and 0 <= int(column) < reader.width:
        return int(column)
    raise _no_such_column(name, column, reader.names, reader.width)


def _no_such_column(name: str, column: Any, names: Iterable[str] | None, width: int) -> errors.InputError:
    there = f"the columns are numbered 0 to {width - 1}" if names is None else f"there are {errors.listed(names, 12)}"
    return errors.InputError(f"{name}={column!r}: no such column; {there}.")
