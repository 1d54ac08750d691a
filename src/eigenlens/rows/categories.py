"""Columns of words next to columns of numbers: rows whose words are codes, each with its own list of levels.

Levels differ from block to block, so codes mean something only together with them; moments bring them together by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from ..arrays import errors, namespaces, optional
from ..arrays.typing import Array

#: Which columns are read as words, if they are allowed. "auto": columns of words, booleans and categories. A list
#: of columns, by name or by position: these.
Words = str | Sequence[Any]

Found = bool | None  # whether a column holds words; None for dates, which are neither words nor numbers

WORD_ROWS = 65_536  # rows of a block with words: tables of counts cost as much for fewer


@dataclass(frozen=True)
class WordColumn:
    """A column of words.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Places in `levels`.
    levels : tuple of str or None
        What the codes stand for; None is a missing cell.
    declared : bool
        Whether the table itself gives the levels an order.
    """

    codes: np.ndarray
    levels: tuple[str | None, ...]
    declared: bool = False

    def rows(self, key: Any) -> WordColumn:
        return WordColumn(self.codes[key], self.levels, self.declared)

    @classmethod
    def joined(cls, parts: Sequence[WordColumn]) -> WordColumn:
        """Put the rows of several columns one below the other."""
        first = parts[0]
        if all(part.levels == first.levels for part in parts):
            return cls(np.concatenate([part.codes for part in parts]), first.levels, first.declared)
        places: dict[str | None, int] = {}
        codes = []
        for part in parts:
            moved = np.array([places.setdefault(level, len(places)) for level in part.levels], dtype=np.int32)
            codes.append(moved[part.codes])
        return cls(np.concatenate(codes), tuple(places))


class MixedRows:
    """Rows with columns of words, as blocks hold them in place of an array.

    Attributes
    ----------
    numbers : ndarray of shape (n, q)
    words : tuple of WordColumn
    is_word : tuple of bool, length p
        Which columns are words, in the order of the table.
    """

    def __init__(self, numbers: np.ndarray, words: tuple[WordColumn, ...], is_word: tuple[bool, ...]) -> None:
        self.numbers, self.words, self.is_word = numbers, words, is_word

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.numbers), len(self.is_word)

    @property
    def dtype(self) -> np.dtype:
        return self.numbers.dtype

    @property
    def nbytes(self) -> int:
        return int(self.numbers.nbytes + sum(column.codes.nbytes for column in self.words))

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, key: Any) -> MixedRows:
        rows = key[0] if isinstance(key, tuple) else key
        return MixedRows(self.numbers[rows], tuple(column.rows(rows) for column in self.words), self.is_word)

    @classmethod
    def joined(cls, parts: Sequence[MixedRows]) -> MixedRows:
        """Put rows one below the other."""
        words = tuple(WordColumn.joined(columns) for columns in zip(*(part.words for part in parts), strict=True))
        return cls(np.concatenate([part.numbers for part in parts]), words, parts[0].is_word)


class MixedTable:
    """A table in memory with columns of words, whose levels are numbered once.

    Attributes
    ----------
    shape, names, native, sample, wide
        As in `Table`.
    labels : list or None
        The columns, as a frame has them.
    """

    labels: list[Any] | None = None

    def __init__(self, numbers: Any, words: tuple[WordColumn, ...], is_word: tuple[bool, ...], native: Any) -> None:
        self._numbers, self.words, self.is_word, self.native = numbers, words, is_word, native
        n = len(words[0].codes) if words else numbers.shape[0]
        self.shape = (n, len(is_word))
        self.names: list[str] | None = None
        self.wide = np.array([], dtype=np.intp) if numbers is None else numbers.wide
        dtype = np.float64 if numbers is None else numbers.sample.dtype
        self.sample: Array = np.zeros((0, len(is_word)), dtype=dtype)

    def rows(self, start: int, stop: int) -> MixedRows:
        rows = slice(start, stop)
        values = np.zeros((stop - start, 0)) if self._numbers is None else self._numbers.rows(start, stop)
        return MixedRows(values, tuple(column.rows(rows) for column in self.words), self.is_word)

    def picked(self, places: list[int]) -> MixedRows:
        """Return a few rows in one step."""
        values = np.zeros((len(places), 0)) if self._numbers is None else self._numbers.picked(places)
        return MixedRows(values, tuple(column.rows(places) for column in self.words), self.is_word)

    @property
    def number_names(self) -> list[str] | None:
        """Names of the columns of numbers."""
        if self.names is None:
            return [str(j) for j, word in enumerate(self.is_word) if not word]
        return [name for name, word in zip(self.names, self.is_word, strict=True) if not word]


def chosen_words(words: Words, names: Sequence[Any] | None, found: Sequence[Found], name: str) -> tuple[bool, ...]:
    """Tell which columns are read as words.

    Parameters
    ----------
    words : "auto" or list of columns
    names : names of the columns, where they have some
    found : whether each column holds words; None where it holds dates
    name : what messages call the table
    """
    if isinstance(words, str):
        if None in found:
            dates = [j if names is None else names[j] for j, f in enumerate(found) if f is None]
            raise errors.InputError(
                f"{name} has columns of dates: {errors.listed(map(repr, dates))}. Make them numbers, such as days "
                f"since the first, or words, such as months; list them in categories if every date is to be a word."
            )
        return tuple(bool(f) for f in found)
    if len(words) and all(isinstance(word, bool | np.bool_) for word in words):
        return _as_before(tuple(map(bool, words)), names, found)
    labels = list(range(len(found))) if names is None else list(names)
    places = {label: j for j, label in enumerate(labels)} | {str(label): j for j, label in enumerate(labels)}
    listed = set()
    for column in words:
        try:
            listed.add(places[column])
        except (KeyError, TypeError):
            raise errors.InputError(
                f"categories has the column {column!r}, but {name} has the columns "
                f"{errors.listed(map(repr, labels), 12)}; correct it."
            ) from None
    forgotten = [labels[j] for j, f in enumerate(found) if f is not False and j not in listed]
    if forgotten:
        raise errors.InputError(
            f"categories does not list {errors.listed(map(repr, forgotten))}, whose cells are not numbers; list all "
            f"columns of words, use categories='auto', or leave those columns out."
        )
    return tuple(j in listed for j in range(len(found)))


def holds_words(kind: nw.dtypes.DType) -> Found:
    """Tell by its type whether a column of a frame holds words; None for dates."""
    return None if kind.is_temporal() else not kind.is_numeric() or kind == nw.Boolean


def _as_before(is_word: tuple[bool, ...], names: Sequence[Any] | None, found: Sequence[Found]) -> tuple[bool, ...]:
    """Read the columns as an earlier table had them; refuse words where it had numbers."""
    if len(is_word) != len(found):
        return tuple(bool(f) for f in found)  # other columns, as the caller will say
    for j, (word, now) in enumerate(zip(is_word, found, strict=True)):
        if now is not False and not word:
            raise errors.InputError(
                f"column {names[j] if names is not None else j!r} holds words, but it held numbers when the model was "
                f"fitted; correct its cells, or fit again."
            )
    return is_word


# -- levels -------------------------------------------------------------------------------------------------------


def level_of(value: Any) -> str | None:
    """Return the level that a cell stands for: its text, None where it is missing."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # 4.0 is the level "4": a missing cell elsewhere turns whole numbers into floats
    return str(value)


def numbered(values: Sequence[Any], codes: np.ndarray, declared: bool = False, gaps: bool = True) -> WordColumn:
    """Make a column of codes and what they stand for; a code of −1 is a missing cell.

    `gaps` tells whether there may be such cells.
    """
    if not gaps and all(type(value) is str for value in values) and len(set(values)) == len(values):
        return WordColumn(codes, tuple(values), declared)
    levels: dict[str | None, int] = {}
    moved = np.array([levels.setdefault(level_of(value), len(levels)) for value in values], dtype=np.int32)
    codes = np.asarray(codes)
    if gaps and len(codes) and int(codes.min()) < 0:
        moved = np.append(moved, np.int32(levels.setdefault(None, len(levels))))
        return WordColumn(moved[codes], tuple(levels), declared)  # −1 is the last place
    in_order = len(levels) == len(moved)  # no two values are the same level
    codes = codes.astype(np.int32, copy=False) if in_order else moved[codes]
    return WordColumn(codes, tuple(levels), declared)


def of_objects(values: Iterable[Any]) -> WordColumn:
    """Number the distinct cells of a column, by hashing."""
    places: dict[Any, int] = {}
    items = list(values)
    try:
        codes = np.fromiter((places.setdefault(item, len(places)) for item in items), dtype=np.int32, count=len(items))
    except TypeError as error:
        raise errors.InputTypeError(
            f"X has a column of words with a cell that is neither a word nor a number ({error}); write it as text."
        ) from error
    return numbered(list(places), codes)


def of_arrow(column: Any) -> WordColumn:
    """Number the cells of an Arrow array by its dictionary."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
        if isinstance(column, pa.ChunkedArray):
            column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    indices = column.indices
    gaps = indices.null_count > 0
    codes = (indices.fill_null(-1) if gaps else indices).to_numpy(zero_copy_only=False)
    return numbered(column.dictionary.to_pylist(), codes, gaps=gaps)


def of_pandas(column: Any) -> WordColumn:
    """Number the cells of the array of a column of a frame; categories keep the order that they have there."""
    kind = column.dtype
    if type(kind).__name__ == "CategoricalDtype":
        return numbered(column.categories.tolist(), column.codes, declared=True)
    if getattr(kind, "storage", None) == "pyarrow":
        return of_arrow(column.__arrow_array__())
    codes, values = optional.pandas().factorize(column)
    return numbered(list(values), codes)


def of_series(series: nw.Series) -> WordColumn:
    """Number the cells of a column of a data frame; categories keep the order that they have there."""
    native = series.to_native()
    if series.implementation.is_pandas():
        return of_pandas(native.array)
    if series.implementation.is_pyarrow():
        return of_arrow(native)
    ordered = series.dtype == nw.Enum
    try:
        arrow = series.to_arrow()
    except ImportError:
        return of_objects(series.cast(nw.String).to_list() if ordered else series.to_list())
    return replace(of_arrow(arrow), declared=ordered)


# -- tables -------------------------------------------------------------------------------------------------------


def frame_table(frame: nw.DataFrame, native: Any, name: str, words: Words, numbers: Any) -> MixedTable | None:
    """Read a data frame with columns of words; None where it has only numbers.

    `numbers` makes a table of the columns that are numbers.
    """
    given = list(frame.columns)  # asked once: a frame makes a new list each time
    kinds = list(frame.schema.values())
    found = [holds_words(kind) for kind in kinds]
    for column, kind in enumerate(kinds):  # objects may all be numbers
        if kind == nw.Object and not _holds_words(frame[:, column].to_list()):
            found[column] = False
    is_word = chosen_words(words, given, found, name)
    if not any(is_word):
        return None
    columns = tuple(of_series(frame[:, j]) for j, word in enumerate(is_word) if word)
    rest = [given[j] for j, word in enumerate(is_word) if not word]
    part = numbers(frame.select(nw.col(*rest))) if rest else None
    table = MixedTable(part, columns, is_word, native)
    table.names = [str(c) for c in given]
    return table


def array_table(values: np.ndarray, name: str, words: Words, numbers: Any) -> MixedTable | None:
    """Read an array with columns of words: text, booleans, or objects; None where it has only numbers."""
    if values.ndim != 2:
        return None
    if values.dtype.kind in "USTb":
        found = [True] * values.shape[1]
    elif values.dtype.kind == "O":
        found = [_holds_words(values[:, j]) for j in range(values.shape[1])]
    else:
        found = [False] * values.shape[1]
    is_word = chosen_words(words, None, found, name)
    if not any(is_word):
        return None
    columns = tuple(of_objects(values[:, j].tolist()) for j, word in enumerate(is_word) if word)
    rest = [j for j, word in enumerate(is_word) if not word]
    part = numbers(values[:, rest]) if rest else None
    return MixedTable(part, columns, is_word, values)


def _holds_words(cells: Iterable[Any]) -> bool:
    return any(isinstance(cell, str | bytes | bool | np.bool_) for cell in cells)


def first_rows(rows: MixedRows, middle: Any) -> MixedRows:
    """Return one row with the middle of the numbers: the pivot of a pass. Its words say only which columns they are."""
    return MixedRows(middle(rows.numbers), tuple(column.rows(slice(0, 1)) for column in rows.words), rows.is_word)


def is_mixed(X: Any) -> bool:
    """Tell whether rows have words."""
    return isinstance(X, MixedRows)


def number_columns(X: Any) -> Array:
    """Return the columns of numbers of rows."""
    return X.numbers if isinstance(X, MixedRows) else X


def sum_is_finite(X: Any) -> bool:
    """Tell whether the numbers of rows add up to a finite number."""
    return namespaces.sum_is_finite(number_columns(X))
