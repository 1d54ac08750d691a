"""SciPy sparse matrices: sparse for moments that take them so, dense one block at a time for the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import errors
from ..arrays.typing import Array
from .table import wide_columns


class SparseTable:
    """A SciPy sparse matrix or array, read by rows."""

    names: list[str] | None = None

    def __init__(self, matrix: Any, name: str) -> None:
        if matrix.ndim != 2:
            raise errors.not_a_table(name, matrix.shape)
        if matrix.dtype.kind == "c":
            raise errors.complex_numbers(name)
        if matrix.dtype.kind not in "biuf":
            raise errors.not_numbers(name, f"it holds {matrix.dtype}")
        self.native = matrix
        self.matrix = matrix.tocsr()
        if not self.matrix.has_canonical_format:  # a cell that is stored twice counts as their sum
            self.matrix = self.matrix.copy()
            self.matrix.sum_duplicates()
        self.shape = matrix.shape
        self.sample = np.zeros((0, self.shape[1]), dtype=np.float32 if matrix.dtype == np.float32 else np.float64)
        self.wide = wide_columns(matrix)

    @classmethod
    def of_frame(cls, frame: Any, name: str) -> SparseTable:
        """Return a pandas frame of sparse columns."""
        table = cls(frame.sparse.to_coo(), name)
        table.names, table.native = [str(column) for column in frame.columns], frame
        return table

    def rows(self, start: int, stop: int) -> Array:
        return self.sparse_rows(start, stop).toarray()

    def sparse_rows(self, start: int, stop: int) -> Any:
        """Return rows as they are stored."""
        some = self.matrix if start == 0 and stop >= self.shape[0] else self.matrix[start:stop]
        return some.astype(self.sample.dtype, copy=False)
