"""Arrays in .npy files, read in pieces.

They are read, not mapped. Mapped pages count as memory of the process, and a file that is cut short while it is mapped
ends the process without an exception.
"""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ..arrays import errors

MOST_EMPTY = 2**24  # columns of a table without rows, and rows of one without columns


class NpyFile:
    """A .npy file: numbers row by row or column by column, from an offset on."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                version = np.lib.format.read_magic(file)
                read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
                shape, fortran, dtype = read(file)
                self.path, self.shape, self.dtype, self.fortran = path, shape, dtype, fortran
                self.offset = file.tell()
        except (ValueError, OSError) as error:
            raise errors.unreadable(path, error) from error
        size = path.stat().st_size
        if max(shape, default=0) > max(size, MOST_EMPTY):
            raise errors.unreadable(path, ValueError(f"its header gives an impossible shape, {shape}"))
        expected = self.offset + prod(shape) * dtype.itemsize
        if dtype.kind != "O" and size < expected:
            cut = ValueError(f"it has {size:,} bytes but its header implies {expected:,}; it was cut short")
            raise errors.unreadable(path, cut)

    def __getitem__(self, rows: slice) -> np.ndarray:
        with self.path.open("rb", buffering=0) as file:
            return self._read(file, rows)

    def _read(self, file: BinaryIO, rows: slice) -> np.ndarray:
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
                raise errors.unreadable(self.path, EOFError("it ends before its last row; it was cut short"))
            done += count
