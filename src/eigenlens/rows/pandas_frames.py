"""pandas frames of plain columns, read directly: asking what columns hold takes longer than reading a small one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy as np

from ..arrays.typing import Array
from .categories import MixedTable, Words, chosen_words, of_pandas

AT_ONCE = 2**19  # cells of a frame up to which it is converted as one: no more than a block of rows

#: What a NumPy type is among the types of frames.
PLAIN = {
    np.dtype(name.lower()): getattr(nw, name)()
    for name in ["Float64", "Float32", "Int64", "Int32", "Int16", "Int8", "UInt64", "UInt32", "UInt16", "UInt8"]
}


def is_pandas(X: Any) -> bool:
    """Tell whether X is a pandas frame."""
    return type(X).__name__ == "DataFrame" and type(X).__module__.partition(".")[0] == "pandas"


def kinds_of(X: Any) -> list[Any]:
    """Return the types of the columns of a frame: `dtypes` would make a Series of them, which takes a while."""
    manager: Any = getattr(X, "_mgr", None)
    return (manager.get_dtypes() if hasattr(manager, "get_dtypes") else X.dtypes).tolist()


class PandasNumbers:
    """A pandas frame whose columns are all NumPy's numbers: it is read without asking what each column holds.

    Parameters
    ----------
    frame : pandas frame
    kinds : list of dtype
        Of its columns.
    columns : dict of str to array, optional
        Those of its columns that count, by name, if not all: taking them out as a frame would be slow.
    """

    labels: list[Any] | None = None  # of the columns, as the frame has them

    def __init__(self, frame: Any, kinds: list[np.dtype], columns: dict[str, Any] | None = None) -> None:
        self.native, self.shape = frame, (len(frame), len(kinds))
        labels = list(columns or frame.columns.tolist())
        self.labels = labels if columns is None else None
        self.names: list[str] | None = list(map(str, labels))
        narrow = all(kind == np.float32 for kind in kinds)
        self.sample = np.zeros((0, len(kinds)), dtype=np.float32 if narrow else np.float64)
        self.wide = np.flatnonzero([kind in (np.int64, np.uint64) for kind in kinds])
        small = self.shape[0] * self.shape[1] <= AT_ONCE
        self._converted = frame.to_numpy(self.sample.dtype) if small and columns is None else None
        if columns is not None:
            self._converted = np.empty(self.shape, self.sample.dtype, order="F")
            for j, column in enumerate(columns.values()):
                self._converted[:, j] = column

    @classmethod
    def of(cls, X: Any) -> PandasNumbers | None:
        """Return a frame as such a table; None for anything else, and for names that occur twice."""
        if not is_pandas(X) or not len(X.columns):
            return None
        kinds = kinds_of(X)
        return cls(X, kinds) if all(kind in PLAIN for kind in set(kinds)) and X.columns.is_unique else None

    def rows(self, start: int, stop: int) -> Array:
        if self._converted is not None:
            return self._converted[start:stop]
        return self.native.iloc[start:stop].to_numpy(self.sample.dtype)

    def picked(self, places: list[int]) -> Array:
        """Return a few rows in one step."""
        return (
            self.native.iloc[places].to_numpy(self.sample.dtype) if self._converted is None else self._converted[places]
        )


def mixed_frame(X: Any, table_name: str, words: Words) -> MixedTable | None:
    """Read a pandas frame of NumPy's numbers, text, booleans and categories that has words; None for anything else."""
    if not is_pandas(X) or not X.columns.is_unique:
        return None
    kinds = kinds_of(X)
    is_number = [isinstance(kind, np.dtype) and kind in PLAIN for kind in kinds]
    if not all(number or is_plain_word(kind) for number, kind in zip(is_number, kinds, strict=True)):
        return None
    given = X.columns.tolist()
    is_word = chosen_words(words, given, [not number for number in is_number], table_name)
    if not any(is_word):
        return None
    names, column = list(map(str, given)), _columns_of(X)
    rest, numbers = [j for j, word in enumerate(is_word) if not word], None
    if rest and len(X) * len(rest) <= AT_ONCE and len(set(names)) == len(names):
        numbers = PandasNumbers(X, [kinds[j] for j in rest], {names[j]: column(j) for j in rest})
    elif rest:
        numbers = PandasNumbers(X.iloc[:, rest], [kinds[j] for j in rest])
    words_found = tuple(of_pandas(column(j)) for j, word in enumerate(is_word) if word)
    table = MixedTable(numbers, words_found, is_word, X)
    table.names, table.labels = names, given
    return table


def _columns_of(X: Any) -> Callable[[int], Any]:
    """Return a function that gives the array of a column of a frame: a Series around it would take a while to make."""
    given: Any = getattr(X, "_get_column_array", None)
    return given if given is not None else lambda j: X.iloc[:, j].array


def is_plain_word(kind: Any) -> bool:
    """Tell whether a type of pandas is that of text, booleans or categories; objects may be anything."""
    if isinstance(kind, np.dtype):
        return bool(kind == np.bool_)
    return type(kind).__name__ in ("StringDtype", "CategoricalDtype")
