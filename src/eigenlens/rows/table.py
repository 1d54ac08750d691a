"""Tables in memory: arrays of any namespace, nested lists, data frames, Arrow tables."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol

import narwhals as nw
import numpy as np
import scipy.sparse

from ..arrays import errors, namespaces
from ..arrays.optional import require
from ..arrays.typing import Array
from .categories import MixedRows, MixedTable, Words, array_table, frame_table, sum_is_finite
from .labels import as_column, refuse_lazy, unlabelled
from .pandas_frames import AT_ONCE, PLAIN, PandasNumbers, mixed_frame
from .source import Missing, Source

EXACT = 2.0**53  # whole numbers below this are exact in float64


class Table(Protocol):
    """A table that can be cut by rows."""

    shape: tuple[int, int]
    names: list[str] | None
    native: Any  # what the user passed, for feature names
    sample: Array  # an empty array of the namespace, device and dtype that results should have
    wide: np.ndarray  # the columns of 64-bit integers, which may have more digits than float64

    def rows(self, start: int, stop: int) -> Any: ...  # MixedRows where there are words


class ArrayTable:
    """A two-dimensional array of any namespace."""

    names: list[str] | None = None

    def __init__(self, values: Array, name: str) -> None:
        if len(values.shape) != 2:
            raise errors.not_a_table(name, values.shape)
        xp = namespaces.namespace(values)
        floating = values.dtype in (xp.float32, xp.float64)
        if not floating and not namespaces.is_number(values):
            raise (
                errors.complex_numbers(name)
                if namespaces.is_complex(values)
                else errors.not_numbers(name, f"it holds {values.dtype}")
            )
        self.values = self.native = values
        self.shape = tuple(values.shape)
        self.dtype = values.dtype if floating else xp.float64
        self.sample = xp.zeros((0, self.shape[1]), dtype=self.dtype, device=namespaces.device(values))
        self.wide = np.arange(0) if floating else wide_columns(values)

    def rows(self, start: int, stop: int) -> Array:
        return namespaces.cast(self.values[start:stop, :], self.dtype)

    def picked(self, places: list[int]) -> Array:
        """Return a few rows in one step."""
        return namespaces.cast(
            namespaces.take_rows(self.values, namespaces.like(np.asarray(places), self.values)), self.dtype
        )


class FrameTable:
    """A pandas, polars or Arrow table: a small one is converted once, a large one as its blocks are read."""

    def __init__(self, frame: nw.DataFrame, native: Any, name: str) -> None:
        frame = _without_objects(frame)
        kinds = _kinds(frame, frame.to_native())
        if not all(map(_is_number, kinds)):
            bad = {c: t for c, t in frame.schema.items() if not _is_number(t)}
            raise errors.text_columns(name, bad.keys(), map(str, bad.values()))
        self.frame, self.native = frame, native
        self.shape = frame.shape
        self.names: list[str] | None = [str(c) for c in frame.columns]
        self._decimal = any(kind == nw.Decimal for kind in kinds)
        narrow = bool(kinds) and all(kind == nw.Float32 for kind in kinds)
        self.sample = np.zeros((0, self.shape[1]), dtype=np.float32 if narrow else np.float64)
        long = (nw.Int64, nw.UInt64)
        places = frame.schema.values() if any(kind in long for kind in kinds) else ()
        self.wide = np.array([j for j, kind in enumerate(places) if kind in long], dtype=np.intp)
        small = 0 < self.shape[0] * self.shape[1] <= AT_ONCE  # narwhals has no array for a table without columns
        self._converted = self._numbers(frame) if small else None

    def rows(self, start: int, stop: int) -> Array:
        return self._numbers(self.frame[start:stop]) if self._converted is None else self._converted[start:stop]

    def picked(self, places: list[int]) -> Array:
        """Return a few rows in one step: a frame of many columns takes as long for one row as for seven."""
        return self._numbers(self.frame[places]) if self._converted is None else self._converted[places]

    def _numbers(self, rows: nw.DataFrame) -> np.ndarray:
        if self._decimal:
            decimals = [name for name, kind in rows.schema.items() if kind == nw.Decimal]
            rows = rows.with_columns(nw.col(decimals).cast(nw.Float64))
        plain = rows.implementation.is_pandas() or rows.implementation.is_polars()
        values = rows.to_native().to_numpy() if plain else rows.to_numpy()
        if values.dtype.kind == "O":  # columns of several types that have missing cells of their own kind
            values = np.stack([column.cast(nw.Float64).to_numpy() for column in rows.iter_columns()], axis=1)
        return np.asarray(values, dtype=self.sample.dtype)


def _kinds(frame: nw.DataFrame, native: Any) -> list[Any]:
    """Return the distinct kinds of columns.

    Each is looked at once: thousands of columns cost more time than their numbers if all are asked what they hold.
    """
    if frame.implementation.is_pyarrow():
        kinds: list[Any] = native.schema.types
    else:
        kinds = list(native.dtypes)
    if frame.implementation.is_polars():  # whose kinds are slow to hash, and numbers have no parameters
        kinds = [kind if isinstance(kind, type) else type(kind) for kind in kinds]
    kinds = [kind.subtype if type(kind).__name__ == "SparseDtype" else kind for kind in kinds]
    places = {kind: j for j, kind in enumerate(kinds)}
    return [PLAIN[kind] if kind in PLAIN else frame[:, j].dtype for kind, j in places.items()]


def _without_objects(frame: nw.DataFrame) -> nw.DataFrame:
    """Read columns of Python objects that are all numbers as numbers; others are named where numbers are asked for."""
    if not frame.implementation.is_pandas():
        return frame
    native, read = frame.to_native(), {}
    for j in np.flatnonzero([kind == np.dtype(object) for kind in native.dtypes]):
        try:
            read[native.columns[j]] = _numbers(native.iloc[:, j].to_numpy()[:, None], "X")[:, 0]
        except ValueError:
            continue
    return frame if not read else nw.from_native(native.assign(**read), eager_only=True)


def _is_number(kind: Any) -> bool:
    return kind.is_numeric() or kind == nw.Boolean


def as_table(X: Any, name: str, missing: Missing = "refuse", words: Words | None = None) -> Table:
    """Recognise what kind of table X is; convert nothing that can be read in place."""
    if words is not None:
        mixed = _mixed_table(X, name, words)
        if mixed is not None:
            return mixed
    if isinstance(X, np.ma.MaskedArray):
        if missing == "refuse":
            raise errors.masked(name, int(np.ma.count_masked(X)))
        kind = np.float32 if X.dtype == np.float32 else np.float64
        return ArrayTable(np.ma.filled(X.astype(kind), np.nan), name)
    if isinstance(X, np.ndarray):
        return ArrayTable(np.asarray(X) if X.dtype.kind in "biuf" else _numbers(X, name), name)
    numbers = PandasNumbers.of(X)
    if numbers is not None:
        return numbers
    refuse_lazy(X, name)
    if scipy.sparse.issparse(X):
        from .sparse import SparseTable

        return SparseTable(X, name)
    X = arrow_table(X)
    if _has_sparse_columns(X):
        return _sparse_frame(X, name)
    if nw.dependencies.is_into_dataframe(X):
        return FrameTable(_read_frame(X, name), X, name)
    if str(getattr(X, "layout", "")).startswith("torch.sparse_"):
        return _sparse_tensor(X, name)
    if namespaces.is_array(X):
        return ArrayTable(namespaces.detached(X), name)
    if isinstance(X, str | bytes) or X is None or (not hasattr(X, "__len__") and not hasattr(X, "__array__")):
        raise _unsupported(name, type(X).__name__)
    if nw.dependencies.is_into_series(X):
        raise errors.not_a_table(name, (len(X),))
    return ArrayTable(_numbers(_from_lists(X, name), name), name)


def arrow_table(X: Any) -> Any:
    """Turn a record batch, or a table that speaks only Arrow's protocol for arrays, into an Arrow table."""
    if type(X).__name__ == "RecordBatch" and hasattr(X, "schema"):
        return import_module("pyarrow").Table.from_batches([X])
    if nw.dependencies.is_into_dataframe(X) or nw.dependencies.is_into_series(X):
        return X
    is_column = type(X).__module__.startswith("pyarrow")
    if is_column or not hasattr(X, "__arrow_c_array__") or hasattr(X, "__arrow_c_stream__"):
        return X
    pa = require("pyarrow", f"Reading a {type(X).__name__}")
    try:
        return pa.Table.from_batches([pa.record_batch(X)])
    except Exception as error:  # each library has errors of its own
        raise errors.unreadable(f"the {type(X).__name__}", error) from error


def _sparse_tensor(X: Any, name: str) -> Table:
    """Read a sparse torch tensor: on the host, as SciPy's tables are."""
    from .sparse import SparseTable

    if X.ndim != 2:
        raise errors.not_a_table(name, tuple(X.shape))
    if X.device.type != "cpu":
        raise errors.InputTypeError(
            f"{name} is a sparse {type(X).__name__} on {X.device}, and sparse tensors are read on the host only; pass "
            f"{name}.cpu(), or {name}.to_dense() if it fits the device."
        )
    return SparseTable(namespaces.sparse_tensor(X), name)


def _sparse_frame(frame: Any, name: str) -> Table:
    """Read a pandas frame with sparse columns: as a sparse table where empty cells of all columns are zeros."""
    kinds = set(frame.dtypes)
    if all(getattr(kind, "fill_value", None) == 0 and kind.subtype.kind in "biuf" for kind in kinds):
        from .sparse import SparseTable

        return SparseTable.of_frame(frame, name)
    plain = _dense_columns(frame)
    return FrameTable(_read_frame(plain, name), plain, name)


def _has_sparse_columns(X: Any) -> bool:
    return nw.dependencies.is_pandas_dataframe(X) and any(hasattr(kind, "fill_value") for kind in set(X.dtypes))


def _dense_columns(frame: Any) -> Any:
    full = {place: kind.subtype for place, kind in enumerate(frame.dtypes) if hasattr(kind, "subtype")}
    return frame.set_axis(range(frame.shape[1]), axis=1).astype(full).set_axis(frame.columns, axis=1)


def as_two_dimensional(y: Any, name: str = "Y") -> tuple[Any, bool]:
    """Read a single response as a table of one column; tell whether it was one."""
    y = unlabelled(y)
    if isinstance(y, Source) or nw.dependencies.is_into_dataframe(y) or scipy.sparse.issparse(y):
        return y, False
    if hasattr(y, "__dask_graph__"):
        return (y, False) if y.ndim == 2 else (y[:, None] if hasattr(y, "chunks") else y.to_frame(), True)
    values = y if namespaces.is_array(y) else as_column(y, name)
    single = len(values.shape) == 1
    return (values[:, None] if single else values), single


def finite_rows(table: Table, start: int, stop: int, name: str, missing: Missing = "refuse") -> Array:
    """Read rows and refuse infinity and, unless cells may be missing, NaN; name the first such cell.

    A finite sum proves finite entries; only one that is not (or that overflowed) is looked into.
    """
    X = table.rows(start, stop)
    if isinstance(table, MixedTable):
        _require_finite_numbers(table, X, start, name, missing)
        return X
    if not namespaces.sum_is_finite(X):
        values = namespaces.to_numpy(X)
        bad = ~np.isfinite(values) if missing == "refuse" else np.isinf(values)
        if bad.any():
            row, column = (int(i) for i in np.argwhere(bad)[0])
            kind = "NaN" if np.isnan(values[row, column]) else "infinity (inf)"
            label = table.names[column] if table.names else str(column)
            raise errors.not_finite(name, kind, start + row, label)
    if len(table.wide):
        warn_rounded(X, table.wide, name, table.names)
    return X


def table_of_rows(X: Any, name: str) -> Table:
    """Return rows of a block as a table: an array, or numbers with columns of words."""
    if not isinstance(X, MixedRows):
        return ArrayTable(X, name)
    return MixedTable(ArrayTable(X.numbers, name) if X.numbers.shape[1] else None, X.words, X.is_word, X)


def _mixed_table(X: Any, name: str, words: Words) -> MixedTable | None:
    """Read a table that may have columns of words; None where it has none, or is not a kind of table that could."""
    if isinstance(X, np.ma.MaskedArray) or scipy.sparse.issparse(X):
        return None
    mixed = mixed_frame(X, name, words)
    if mixed is not None:
        return mixed
    if nw.dependencies.is_into_dataframe(X):
        frame = _read_frame(_dense_columns(X) if _has_sparse_columns(X) else X, name)

        def of_numbers(part: nw.DataFrame) -> FrameTable:
            return FrameTable(part, part.to_native(), name)

        return frame_table(frame, X, name, words, of_numbers)
    if isinstance(X, list | tuple):
        X = of_rows(X)
    if not isinstance(X, np.ndarray):
        return None
    return array_table(X, name, words, lambda part: ArrayTable(_numbers(part, name), name))


def of_rows(X: Any) -> Any:
    """Return a list of rows as an array of objects, so numbers next to words stay numbers; other lists as given."""
    if not all(isinstance(row, list | tuple) and len(row) == len(X[0]) for row in X):
        return X
    if not any(isinstance(cell, str | bytes | bool) for row in X for cell in row):
        return X
    return np.array([list(row) for row in X], dtype=object)


def _require_finite_numbers(table: Any, X: Any, start: int, name: str, missing: Missing) -> None:
    """Refuse infinity and NaN among the numbers of a table with words; name the first such cell."""
    if sum_is_finite(X):
        return
    bad = ~np.isfinite(X.numbers) if missing == "refuse" else np.isinf(X.numbers)
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        kind = "NaN" if np.isnan(X.numbers[row, column]) else "infinity (inf)"
        raise errors.not_finite(name, kind, start + row, table.number_names[column], beside_words=True)


def wide_columns(values: Any) -> np.ndarray:
    """Return the columns of 64-bit integers of an array: all or none."""
    return np.arange(values.shape[1] if str(values.dtype).rpartition(".")[2] in ("int64", "uint64") else 0)


def warn_rounded(X: Array, wide: np.ndarray, name: str, names: Sequence[str] | None) -> None:
    """Warn of whole numbers that float64 may have rounded, given which columns held 64-bit integers."""
    if not len(wide):
        return
    xp = namespaces.namespace(X)
    some = X if len(wide) == X.shape[1] else xp.take(X, namespaces.like(wide, X), axis=1)
    if some.shape[0] and float(xp.max(xp.abs(some))) >= EXACT:
        column = int(wide[int(np.argmax(np.abs(namespaces.to_numpy(some)).max(axis=0)))])
        label = names[column] if names else column
        errors.warn(
            errors.RangeWarning(
                f"{name} holds whole numbers beyond 2**53 (column {label}), and float64 has no room for their last "
                f"digits: they were rounded. Subtract an offset from the column, as integers, before the call."
            )
        )


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
        numbers = values.astype(np.float64)
        whole = [isinstance(cell, int) and abs(cell) >= EXACT for cell in values.flat]
        warn_rounded(numbers, np.unique(np.flatnonzero(whole) % values.shape[-1]), name, None)
        return numbers
    except OverflowError as error:
        raise errors.InputError(
            f"{name} holds a whole number beyond 1.8e308, which float64 cannot hold; divide its column by 10**k."
        ) from error
    except (TypeError, ValueError) as error:
        raise errors.not_numbers(name, f"a cell cannot be read as one ({error})") from error


def _unsupported(name: str, kind: str) -> errors.InputTypeError:
    return errors.InputTypeError(
        f"{name} is a {kind}, which cannot be read as a table. Pass a NumPy array, a list of rows, a pandas or polars "
        f"DataFrame, an Arrow table or stream, a SciPy sparse matrix, a torch, CuPy or other array-API array, a Dask "
        f"array or frame, or eigenlens.open_rows(...) for files and streams."
    )
