"""Two-dimensional arrays on disk: .npy files, memory maps, Zarr arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import errors, optional
from .pieces import Batch, Piece, Roles
from .snapshot import Snapshot, files_in
from .table import warn_rounded, wide_columns

ZARR_HEADERS = ("zarr.json", ".zarray", ".zattrs", ".zmetadata")


class ArrayReader:
    """Arrays one below the other.

    Parameters
    ----------
    arrays : list of (str, array)
        With the names that messages give them.
    paths : sequence of Path
        The files they lie in, where they are known.
    snapshot : Snapshot, optional
        Of these paths, taken before they were opened.
    """

    names: list[str] | None = None
    rereadable = True
    has_target = has_weight = False

    def __init__(
        self,
        arrays: list[tuple[str, Any]],
        paths: Sequence[Path] = (),
        snapshot: Snapshot | None = None,
    ) -> None:
        self.arrays, self.paths = arrays, paths
        self.snapshot = Snapshot(paths) if snapshot is None else snapshot
        first, array = arrays[0]
        for origin, values in arrays:
            if len(values.shape) != 2:
                raise errors.located(origin, errors.not_a_table("X", values.shape))
            if values.dtype.kind == "c":
                raise errors.located(origin, errors.complex_numbers("X"))
            if values.dtype.kind not in "biuf":
                raise errors.located(origin, errors.not_numbers("X", f"it holds {values.dtype}"))
            if values.shape[1] != array.shape[1]:
                found, expected = (f"{a.shape[1]} columns" for a in (values, array))
                raise errors.files_differ(origin, first, found, expected)
        self.width = int(array.shape[1])
        self.n_rows: int | None = sum(int(values.shape[0]) for _, values in arrays)

    @classmethod
    def of_files(cls, paths: list[Path], opened: Callable[[Path], Any]) -> ArrayReader:
        """Open files of one kind."""
        snapshot = Snapshot(paths)
        return cls([(str(path), opened(path)) for path in paths], paths, snapshot)

    @classmethod
    def of_array(cls, array: Any) -> ArrayReader:
        """Take an array that the caller has opened."""
        folder = _folder_of(array)
        return cls([(type(array).__name__, array)], [] if folder is None else [folder])

    def __repr__(self) -> str:
        return errors.listed((origin for origin, _ in self.arrays), 1)

    def dtype(self, roles: Roles) -> np.dtype:
        narrow = all(values.dtype == np.float32 for _, values in self.arrays)
        return np.dtype(np.float32 if narrow else np.float64)

    def found_words(self, roles: Roles) -> list[bool]:
        return [False] * len(roles.columns)

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
            except errors.InputError:
                raise
            except Exception as error:  # a chunk that does not decode: each codec has errors of its own
                raise errors.unreadable(f"{origin}, rows {start} to {stop - 1}", error) from error
            y = None if roles.target is None else rows[:, list(roles.target)]
            weight = None if roles.weight is None else rows[:, roles.weight]
            X = (rows if every else rows[:, columns]).astype(dtype, copy=False)
            warn_rounded(X, wide_columns(rows)[: X.shape[1]], "X", None)
            return Batch(X, y[:, 0] if y is not None and roles.single else y, weight)

        return load


def open_zarr(path: Path) -> Any:
    """Open a Zarr array, all of whose chunks are stored: Zarr would make up those that are lost."""
    zarr = optional.require("zarr", f"Reading {path}")
    try:
        array = zarr.open(str(path), mode="r")
    except Exception as error:  # whatever a damaged description makes of itself: KeyError, TypeError, …
        raise errors.unreadable(path, error) from error
    if not hasattr(array, "shape"):
        raise errors.located(str(path), errors.InputError("it is a Zarr group; give the path of one array in it."))
    stored, total = _stored_chunks(array, path)
    if stored < total:
        raise errors.InputError(
            f"{path}: only {stored:,} of {total:,} chunks are stored, and the others would be read as "
            f"{array.fill_value}. Write the array again with write_empty_chunks=True; or, if those numbers are right, "
            f"pass the open array, open_rows(zarr.open({str(path)!r}, mode='r'))."
        )
    return array


def _stored_chunks(array: Any, path: Path) -> tuple[int, int]:
    """Return how many pieces of a Zarr array are stored, and how many there are: chunks, or shards around them."""
    shards = getattr(array, "shards", None)
    per_shard = 1 if shards is None else math.prod(s // c for s, c in zip(shards, array.chunks, strict=True))
    total = math.prod(-(-n // size) for n, size in zip(array.shape, shards or array.chunks, strict=True))
    files = sum(1 for file in files_in(path) if file.name not in ZARR_HEADERS)
    if files < total:  # zarr would look for each chunk by name, and a damaged description may claim 2**60
        return files, total
    return int(array.nchunks_initialized) // per_shard, total


def _folder_of(array: Any) -> Path | None:
    """Return where a Zarr array lies, if that is a folder of this machine."""
    store = getattr(array, "store", None)
    root = getattr(store, "root", None) or getattr(store, "path", None)  # zarr 3, zarr 2
    if not isinstance(root, str | Path):
        return None
    folder = Path(root, str(getattr(array, "path", "")))
    return folder if folder.is_dir() else None
