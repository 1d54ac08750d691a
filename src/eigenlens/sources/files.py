"""Files and streams of rows: Parquet, CSV, NumPy's .npy, Zarr, and iterables of batches.

A reader says how rows are stored and hands out pieces; `stream` does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from .._core import errors
from .._core import xp as _xp
from .batches import BatchReader
from .csv import CsvReader
from .parquet import ParquetReader
from .pieces import Batch, Piece, Reader, Roles
from .stream import RowSource
from .table import tell_rounded, wide_columns

IPC = (".arrow", ".feather", ".ipc")


def open_rows(
    path_or_paths: Any,
    columns: Sequence[Any] | None = None,
    target: Any = None,
    weight: Any = None,
    batch_rows: int | None = None,
    *,
    device: Any = None,
    progress: bool | None = None,
) -> RowSource:
    """Open rows that do not lie in memory, for `fit`, `transform` and `predict` in place of X.

    Parameters
    ----------
    path_or_paths : path, list of paths, array on disk, or iterable of batches
        Parquet, CSV (with a header; cells of X must be numbers), .npy and Zarr files, or a folder or list of files of
        one kind, read in the order of their names. A memory map or Zarr array that is open already. Or batches: tables,
        or tuples (X, y) or (X, y, weight). A generator is read once; a list of batches, or a function that returns a
        new iterator each time, as often as a method needs.
    columns : list of str or int, optional
        Which columns are X; all but `target` and `weight` if not given.
    target : column or list of columns, optional
        The column of labels, or the columns of the second table.
    weight : column, optional
        How often each row counts.
    batch_rows : int, optional
        Rows in memory at a time, for each thread; chosen to fit the processor's cache if not given.
    device : device, optional
        Copy blocks to this device ("cuda") and compute there; results come back as NumPy arrays.
    progress : bool, optional
        Whether passes of more than two seconds show a bar; by default in a terminal or notebook, if rich is installed.
        The environment variable EIGENLENS_PROGRESS=0 turns all bars off.

    Returns
    -------
    source

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
    if batch_rows is not None and (not isinstance(batch_rows, Integral) or batch_rows < 1):
        raise errors.number("batch_rows", batch_rows, "a positive integer")
    reader = _reader(path_or_paths)
    return RowSource(reader, _roles(reader, columns, target, weight), batch_rows, device, progress)


def _reader(source: Any) -> Reader:
    if isinstance(source, str | Path):
        return _file_reader(_listed(Path(source)))
    if isinstance(source, list | tuple) and source and all(isinstance(item, str | Path) for item in source):
        return _file_reader([path for item in source for path in _listed(Path(item))])
    if hasattr(source, "shape") and hasattr(source, "__getitem__") and hasattr(source, "dtype"):
        if not isinstance(source, np.ndarray) and _xp.is_array(source):
            raise errors.not_rows(type(source).__name__)
        return ArrayReader([(type(source).__name__, source)])
    if callable(source) or (isinstance(source, Iterable) and not hasattr(source, "columns")):
        return BatchReader(source)
    raise errors.not_rows(type(source).__name__)


def _file_reader(paths: list[Path]) -> Reader:
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1:
        raise errors.mixed_files(kinds)
    kind = kinds.pop()
    if kind in (".npy", ".zarr"):
        opened: list[tuple[str, Any]] = [
            (str(path), NpyFile(path) if kind == ".npy" else _zarr(path)) for path in paths
        ]
        return ArrayReader(opened, paths)
    return ParquetReader(paths) if kind == ".parquet" else CsvReader(paths)


def _listed(path: Path) -> list[Path]:
    """Return the files of a folder in the order of their names; a Zarr array is a folder that counts as a file."""
    if not path.exists():
        raise errors.no_files(path)
    if path.is_file() or _kind(path) == ".zarr":
        return [path]
    found = sorted(
        (p for p in path.rglob("*") if p.is_file() and not _is_hidden(p.relative_to(path))),
        key=lambda p: p.relative_to(path).parts,
    )
    if not found:
        raise errors.no_files(path)
    return found


def _is_hidden(path: Path) -> bool:
    """Tell whether a file, or a folder around it, is a writer's own: _SUCCESS, _temporary, .ipynb_checkpoints."""
    return any(part.startswith((".", "_")) for part in path.parts)


def _kind(path: Path) -> str:
    if path.is_dir():
        return ".zarr" if (path / "zarr.json").exists() or (path / ".zarray").exists() else ""
    suffixes = [s.lower() for s in path.suffixes]
    suffix = suffixes[-1] if suffixes else ""
    if suffix in IPC:
        raise errors.arrow_ipc(path)
    if suffix == ".pq":
        return ".parquet"
    if suffixes[-2:] == [".csv", ".gz"]:
        return ".csv"
    if suffix not in (".parquet", ".csv", ".npy"):
        raise errors.file_kind(path, suffix)
    return suffix


def _roles(reader: Reader, columns: Sequence[Any] | None, target: Any, weight: Any) -> Roles:
    single = target is not None and not isinstance(target, list | tuple)
    places = None if target is None else tuple(_place(reader, t, "target") for t in ([target] if single else target))
    if (places is not None and reader.has_target) or (weight is not None and reader.has_weight):
        raise errors.two_targets("target" if places is not None else "weight")
    of_weight = None if weight is None else _place(reader, weight, "weight")
    others = {*(places or ()), *(() if of_weight is None else (of_weight,))}
    if columns is None:
        chosen = tuple(j for j in range(reader.width) if j not in others)
    else:
        if isinstance(columns, str | bytes):
            raise errors.number("columns", columns, "a list of columns")
        chosen = tuple(_place(reader, c, "columns") for c in columns)
    every = (*chosen, *(places or ()), *(() if of_weight is None else (of_weight,)))
    twice = next((j for j in every if every.count(j) > 1), None)
    if twice is not None:
        raise errors.column_twice(reader.names[twice] if reader.names else twice, "twice")
    if not chosen:
        raise errors.no_columns("X", (reader.n_rows or 0, 0))
    return Roles(chosen, places, of_weight, single)


def _place(reader: Reader, column: Any, name: str) -> int:
    """Return the position of a column given by name, or by number where there are no names."""
    if reader.names is not None and column in reader.names:
        return reader.names.index(column)
    if reader.names is None and isinstance(column, Integral) and 0 <= int(column) < reader.width:
        return int(column)
    raise errors.no_such_column(name, column, reader.names, reader.width)


# -- arrays on disk ----------------------------------------------------------------------------------------------


class ArrayReader:
    """Two-dimensional arrays one below the other: .npy files, memory maps, Zarr arrays."""

    names: list[str] | None = None
    rereadable = True
    has_target = has_weight = False

    def __init__(self, arrays: list[tuple[str, Any]], paths: Sequence[Path] = ()) -> None:
        self.arrays, self.paths = arrays, paths
        first, array = arrays[0]
        for origin, values in arrays:
            if len(values.shape) != 2:
                raise errors.at(origin, errors.not_a_table("X", values.shape))
            if values.dtype.kind == "c":
                raise errors.at(origin, errors.complex_numbers("X"))
            if values.dtype.kind not in "biuf":
                raise errors.at(origin, errors.not_numbers("X", f"it holds {values.dtype}"))
            if values.shape[1] != array.shape[1]:
                found, expected = (f"{a.shape[1]} columns" for a in (values, array))
                raise errors.files_differ(origin, first, found, expected)
        self.width = int(array.shape[1])
        self.n_rows: int | None = sum(int(values.shape[0]) for _, values in arrays)

    def __repr__(self) -> str:
        return errors.listed((origin for origin, _ in self.arrays), 1)

    def dtype(self, roles: Roles) -> np.dtype:
        narrow = all(values.dtype == np.float32 for _, values in self.arrays)
        return np.dtype(np.float32 if narrow else np.float64)

    def step(self, rows: int) -> int:
        """Return whole chunks of rows, where the arrays are stored so: a chunk is read at once or twice."""
        chunk = getattr(self.arrays[0][1], "chunks", None)
        if not chunk or not isinstance(chunk[0], Integral):
            return rows
        return max(rows // int(chunk[0]), 1) * int(chunk[0])

    def pieces(self, roles: Roles, rows: int, only_target: bool = False) -> Iterator[Piece]:
        for origin, values in self.arrays:
            yield Piece(0, int(values.shape[0]), self._loader(values, roles, origin), origin)

    def head(self, roles: Roles) -> Iterator[Piece]:
        return self.pieces(roles, 1)

    def _loader(self, values: Any, roles: Roles, origin: str) -> Callable[[int, int], Batch]:
        dtype, every = self.dtype(roles), roles.columns == tuple(range(self.width))
        columns = list(roles.columns)

        def load(start: int, stop: int) -> Batch:
            try:
                rows = np.asarray(values[start:stop])
            except (OSError, RuntimeError) as error:  # a chunk that does not decode
                raise errors.unreadable(f"{origin}, rows {start} to {stop - 1}", error) from error
            y = None if roles.target is None else rows[:, list(roles.target)]
            weight = None if roles.weight is None else rows[:, roles.weight]
            X = (rows if every else rows[:, columns]).astype(dtype, copy=False)
            tell_rounded(X, wide_columns(rows)[: X.shape[1]], "X", None)
            return Batch(X, y[:, 0] if y is not None and roles.single else y, weight)

        return load


class NpyFile:
    """A .npy file, read in pieces; not mapped, since mapped pages count as memory of the process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                version = np.lib.format.read_magic(file)
                read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
                self.shape, self.fortran, self.dtype = read(file)
                self.offset = file.tell()
        except (ValueError, OSError) as error:
            raise errors.unreadable(str(path), error) from error
        self.size = path.stat().st_size
        expected = self.offset + int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize
        if self.dtype.kind != "O" and self.size < expected:
            cut = ValueError(f"it has {self.size:,} bytes where its header speaks of {expected:,}; it was cut short")
            raise errors.unreadable(str(path), cut)

    def __getitem__(self, rows: slice) -> np.ndarray:
        start, stop, _ = rows.indices(self.shape[0])
        if self.fortran:
            return np.load(self.path, mmap_mode="r")[start:stop]
        values = np.empty((stop - start, self.shape[1]), dtype=self.dtype)
        view, done = values.reshape(-1).view(np.uint8), 0
        with self.path.open("rb", buffering=0) as file:
            file.seek(self.offset + start * self.shape[1] * self.dtype.itemsize)
            while done < len(view):
                count = file.readinto(view[done:].data)
                if not count:
                    raise errors.unreadable(str(self.path), EOFError(f"it ends before row {stop - 1}"))
                done += count
        return values


def _zarr(path: Path) -> Any:
    try:
        zarr = import_module("zarr")
    except ImportError as error:
        raise errors.missing_library("zarr", f"Reading {path}", "zarr") from error
    array = zarr.open(str(path), mode="r")
    if not hasattr(array, "shape"):
        raise errors.at(str(path), errors.InputError("it is a Zarr group; give the path of one array in it."))
    return array
