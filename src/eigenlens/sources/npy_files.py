"""Arrays in .npy files and memory maps, read in pieces.

They are read, not mapped. Mapped pages count as memory of the process, and a file that is cut short while it is mapped
ends the process without an exception.
"""

from __future__ import annotations

import os
from math import prod
from pathlib import Path
from typing import BinaryIO

import numpy as np

from .._core import errors

MAPS = Path("/proc/self/maps")  # where Linux says which file lies at which address
MOST_EMPTY = 2**24  # columns of a table without rows, and rows of one without columns


class ArrayFile:
    """Numbers in a file, row by row or column by column, from an offset on."""

    def __init__(self, path: Path, shape: tuple[int, ...], dtype: np.dtype, offset: int, fortran: bool) -> None:
        self.path, self.shape, self.dtype, self.offset, self.fortran = path, shape, dtype, offset, fortran

    def __getitem__(self, rows: slice) -> np.ndarray:
        with self.path.open("rb", buffering=0) as file:
            return self.read(file, rows)

    def read(self, file: BinaryIO, rows: slice) -> np.ndarray:
        start, stop, _ = rows.indices(self.shape[0])
        n, p = self.shape
        if not self.fortran:
            values = np.empty((stop - start, p), dtype=self.dtype)
            self._fill(file, values.reshape(-1), start * p)
            return values
        columns = np.empty((p, stop - start), dtype=self.dtype)
        for j in range(p):
            self._fill(file, columns[j], j * n + start)
        return columns.T

    def _fill(self, file: BinaryIO, values: np.ndarray, place: int) -> None:
        """Read numbers from a place in the file, counted in numbers."""
        view, done = values.view(np.uint8), 0
        file.seek(self.offset + place * self.dtype.itemsize)
        while done < len(view):
            count = file.readinto(view[done:].data)  # type: ignore[attr-defined]
            if not count:
                raise errors.unreadable(str(self.path), EOFError("it ends before its last row; it was cut short"))
            done += count


class NpyFile(ArrayFile):
    """A .npy file."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                version = np.lib.format.read_magic(file)
                read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
                shape, fortran, dtype = read(file)
                super().__init__(path, shape, dtype, file.tell(), fortran)
        except (ValueError, OSError) as error:
            raise errors.unreadable(str(path), error) from error
        size = path.stat().st_size
        if max(shape, default=0) > max(size, MOST_EMPTY):
            raise errors.unreadable(str(path), ValueError(f"its header gives an impossible shape, {shape}"))
        expected = self.offset + prod(shape) * dtype.itemsize
        if dtype.kind != "O" and size < expected:
            cut = ValueError(f"it has {size:,} bytes but its header implies {expected:,}; it was cut short")
            raise errors.unreadable(str(path), cut)


class MappedFile:
    """A memory map of the caller, read from its file where that is known to be the same."""

    def __init__(self, array: np.memmap) -> None:
        self.array, self.shape, self.dtype = array, array.shape, array.dtype
        self._map = array._mmap  # type: ignore[attr-defined]
        self._file = _file_behind(array)
        self._identity = None if self._file is None else _identity(self._file.path.stat())

    def __getitem__(self, rows: slice) -> np.ndarray:
        if self._file is not None and self._file.path.exists():
            with self._file.path.open("rb", buffering=0) as file:
                if _identity(os.fstat(file.fileno())) == self._identity:
                    return self._file.read(file, rows)
        if self._map is not None and self._map.size() < len(self._map):
            cut = EOFError(f"it has {self._map.size():,} bytes and had {len(self._map):,}; it was cut short")
            raise errors.unreadable(str(self.array.filename), cut)
        return np.array(self.array[rows])


def _file_behind(array: np.memmap) -> ArrayFile | None:
    """Return the file of a map; None where the map may differ from any file that we know."""
    mapped = array._mmap  # type: ignore[attr-defined]
    together = array.ndim == 2 and (array.flags.c_contiguous or array.flags.f_contiguous)
    if mapped is None or array.filename is None or array.mode == "c" or not together or not array.size:
        return None
    path, address = Path(array.filename).resolve(), array.ctypes.data
    try:
        regions = MAPS.read_text().splitlines()
    except OSError:
        return None
    for region in regions:
        low, high = (int(end, 16) for end in region.split(maxsplit=1)[0].split("-"))
        if low <= address < high:
            _, _, offset, _, _, *name = region.split(maxsplit=5)
            if name != [str(path)]:
                return None
            return ArrayFile(
                path, array.shape, array.dtype, int(offset, 16) + address - low, not array.flags.c_contiguous
            )
    return None


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
