"""Files and streams of rows: Parquet, CSV, NumPy's .npy, Zarr, and iterables of batches.

A reader says how rows are stored and hands out pieces; `stream` does the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from .._core import errors
from .._core import xp as _xp
from .arrays import ArrayReader, NpyFile, open_zarr
from .batches import BatchReader
from .csv import CsvReader
from .parquet import ParquetReader
from .pieces import Reader, Roles
from .stream import RowSource

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
    na: Sequence[str] = (),
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
    na : list of str
        Cells of CSV files that stand for a missing value, beside empty ones, NA, NaN and null.

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
    if isinstance(na, str) or not all(isinstance(word, str) for word in na):
        raise errors.number("na", na, "a list of words")
    reader = _reader(path_or_paths, tuple(na))
    return RowSource(reader, _roles(reader, columns, target, weight), batch_rows, device, progress)


def _reader(source: Any, na: tuple[str, ...]) -> Reader:
    if isinstance(source, str | Path):
        return _file_reader(_listed(Path(source)), na)
    if isinstance(source, list | tuple) and source and all(isinstance(item, str | Path) for item in source):
        return _file_reader([path for item in source for path in _listed(Path(item))], na)
    if hasattr(source, "shape") and hasattr(source, "__getitem__") and hasattr(source, "dtype"):
        if not isinstance(source, np.ndarray) and _xp.is_array(source):
            raise errors.not_rows(type(source).__name__)
        return ArrayReader.of_array(source)
    if callable(source) or (isinstance(source, Iterable) and not hasattr(source, "columns")):
        return BatchReader(source)
    raise errors.not_rows(type(source).__name__)


def _file_reader(paths: list[Path], na: tuple[str, ...]) -> Reader:
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1:
        raise errors.InputError(
            f"path_or_paths: the files are of several kinds ({errors.listed(sorted(kinds))}); give files of one kind, "
            "for example as a list."
        )
    kind = kinds.pop()
    if kind in (".npy", ".zarr"):
        return ArrayReader.of_files(paths, NpyFile if kind == ".npy" else open_zarr)
    return ParquetReader(paths) if kind == ".parquet" else CsvReader(paths, na)


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
        raise errors.InputError(
            f"path_or_paths={str(path)!r} is an Arrow IPC (Feather) file, which is not read: its batches are as its "
            "writer cut them, often one as large as the file, so that no bound on memory can be kept. Write it as "
            "Parquet, or pass an iterator of its batches to open_rows."
        )
    if suffix == ".pq":
        return ".parquet"
    if suffixes[-2:] == [".csv", ".gz"]:
        return ".csv"
    if suffix not in (".parquet", ".csv", ".npy"):
        raise errors.InputError(
            f"path_or_paths={str(path)!r}: files ending in {suffix or 'nothing'!r} are not read; use .parquet, .csv, "
            ".npy or .zarr."
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
        chosen = tuple(j for j in range(reader.width) if j not in others)
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
