"""Tables in memory: arrays of any namespace, nested lists, data frames, Arrow tables."""

from __future__ import annotations

from typing import Any, Protocol

import narwhals as nw
import numpy as np
import scipy.sparse

from .._core import errors
from .._core import xp as _xp
from .._core.typing import Array, TableLike
from .base import Missing, Source
from .companions import as_column, refuse_lazy


class Table(Protocol):
    """A table that can be cut by rows."""

    shape: tuple[int, int]
    names: list[str] | None
    native: Any  # what the user passed, for feature names
    sample: Array  # an empty array of the namespace, device and dtype that results should have

    def rows(self, start: int, stop: int) -> Array: ...


class ArrayTable:
    """A two-dimensional array of any namespace."""

    names: list[str] | None = None

    def __init__(self, values: Array, name: str) -> None:
        if len(values.shape) != 2:
            raise errors.not_a_table(name, values.shape)
        xp = _xp.namespace(values)
        if _xp.is_complex(values):
            raise errors.complex_numbers(name)
        if not _xp.is_number(values):
            raise errors.not_numbers(name, f"it holds {values.dtype}")
        self.values = self.native = values
        self.shape = tuple(values.shape)
        self.dtype = values.dtype if values.dtype in (xp.float32, xp.float64) else xp.float64
        self.sample = xp.zeros((0, self.shape[1]), dtype=self.dtype, device=_xp.device(values))

    def rows(self, start: int, stop: int) -> Array:
        return _xp.cast(self.values[start:stop, :], self.dtype)


class FrameTable:
    """A pandas, polars or Arrow table; only the rows of the current block are converted."""

    def __init__(self, frame: nw.DataFrame, native: Any, name: str) -> None:
        schema = frame.schema
        bad = {c: t for c, t in schema.items() if not (t.is_numeric() or t == nw.Boolean) or t == nw.Decimal}
        if bad:
            raise errors.words(name, bad.keys(), map(str, bad.values()))
        self.frame, self.native = frame, native
        self.shape = frame.shape
        self.names: list[str] | None = [str(c) for c in frame.columns]
        narrow = set(schema.values()) == {nw.Float32}
        self.sample = np.zeros((0, self.shape[1]), dtype=np.float32 if narrow else np.float64)

    def rows(self, start: int, stop: int) -> Array:
        frame = self.frame[start:stop]
        values = frame.to_numpy()
        if values.dtype.kind == "O":  # columns of several types that have missing cells of their own kind
            values = np.stack([frame[c].cast(nw.Float64).to_numpy() for c in frame.columns], axis=1)
        return np.asarray(values, dtype=self.sample.dtype)


def as_table(X: TableLike, name: str, missing: Missing = "refuse") -> Table:
    """Recognise what kind of table X is; convert nothing that can be read in place."""
    if isinstance(X, np.ma.MaskedArray):
        if missing == "refuse":
            raise errors.masked(name, int(np.ma.count_masked(X)))
        kind = np.float32 if X.dtype == np.float32 else np.float64
        return ArrayTable(np.ma.filled(X.astype(kind), np.nan), name)
    refuse_lazy(X, name)
    if scipy.sparse.issparse(X):
        from .sparse import SparseTable

        return SparseTable(X, name)
    if nw.dependencies.is_into_dataframe(X):
        return FrameTable(_read_frame(X, name), X, name)
    if getattr(X, "is_sparse", False) or getattr(X, "is_sparse_csr", False):
        raise errors.unsupported(name, f"sparse {type(X).__name__}")
    if _xp.is_array(X):
        return ArrayTable(_numbers(X, name) if isinstance(X, np.ndarray) else _xp.detached(X), name)
    if isinstance(X, str | bytes) or X is None or (not hasattr(X, "__len__") and not hasattr(X, "__array__")):
        raise errors.unsupported(name, type(X).__name__)
    if nw.dependencies.is_into_series(X):
        raise errors.not_a_table(name, (len(X),))
    return ArrayTable(_numbers(_from_lists(X, name), name), name)


def as_two_dimensional(y: Any, name: str = "Y") -> tuple[Any, bool]:
    """Read a single response as a table of one column; tell whether it was one."""
    if isinstance(y, Source) or nw.dependencies.is_into_dataframe(y) or scipy.sparse.issparse(y):
        return y, False
    if hasattr(y, "__dask_graph__"):
        return (y, False) if y.ndim == 2 else (y[:, None] if hasattr(y, "chunks") else y.to_frame(), True)
    values = y if _xp.is_array(y) else as_column(y, name)
    single = len(values.shape) == 1
    return (values[:, None] if single else values), single


def finite_rows(table: Table, start: int, stop: int, name: str, missing: Missing = "refuse") -> Array:
    """Read rows and refuse infinity and, unless cells may be missing, NaN; name the first such cell.

    A finite column sum proves finite entries; only a sum that is not (or that overflowed) is looked into.
    """
    X = table.rows(start, stop)
    if not _xp.all_finite(_xp.column_sums(X)):
        values = _xp.to_numpy(X)
        bad = np.isinf(values) if missing == "allow" else ~np.isfinite(values)
        if bad.any():
            row, column = (int(i) for i in np.argwhere(bad)[0])
            kind = "NaN" if np.isnan(values[row, column]) else "infinity (inf)"
            label = table.names[column] if table.names else str(column)
            raise errors.not_finite(name, kind, start + row, label)
    return X


def _read_frame(X: Any, name: str) -> nw.DataFrame:
    try:
        return nw.from_native(X, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        raise errors.InputError(f"{name} has columns of the same name ({error}); rename them.") from error


def _from_lists(X: Any, name: str) -> np.ndarray:
    try:
        values = np.asarray(X)
    except ValueError as error:
        raise errors.ragged(name, error) from error
    if values.dtype.kind == "O" and values.ndim == 1 and any(np.ndim(row) for row in values):
        raise errors.ragged(name, ValueError("rows of different lengths"))
    return values


def _numbers(values: np.ndarray, name: str) -> np.ndarray:
    """Refuse text, read objects that are numbers."""
    if values.dtype.kind in "USTM" or values.dtype.kind == "m":
        raise errors.not_numbers(name, f"it holds text or dates ({values.dtype})")
    if values.dtype.kind != "O":
        return np.asarray(values)
    for cell in values.flat:
        if isinstance(cell, str | bytes):
            raise errors.not_numbers(name, f"it holds the text {cell!r}")
        if isinstance(cell, complex):
            raise errors.complex_numbers(name)
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise errors.not_numbers(name, f"a cell cannot be read as one ({error})") from error
