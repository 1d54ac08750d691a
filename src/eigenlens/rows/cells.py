"""Cells of text, read as numbers where they are numbers; what is one is written down here and nowhere else."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .csv_text import GAPS, MISSING

NUMBER = r"^[+-]?([0-9]+DOT?[0-9]*|DOT[0-9]+)([eE][+-]?[0-9]+)?$"
INFINITE = r"^[+-]?(inf|infinity)$"
SIGNS = "$€£¥%"
SPACES = " \u00a0\u202f"  # the last two do not break lines, and stand between thousands
#: A formatted number: D is the decimal mark, T what stands between thousands.
DRESSED = (
    r"^([+-]?[$€£¥]?[_]?|[$€£¥][_]?[+-]?)([1-9][0-9]{0,2}([T'’_][0-9]{3})+|[0-9]+)(D[0-9]+)?[_]?[$€£¥%]?$"
).replace("_", SPACES)
LONGEST = 10_000  # characters of a cell
REPEATS = 4  # times that a cell occurs, on average, from which different cells are looked into instead of all
PROBED = 1000  # cells by which that is judged first

#: What a column of words may be instead, and what to do then.
DISGUISES = (
    (re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?"), "a number with commas between thousands", "write it without them"),
    (re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?"), "a number with a decimal comma", "add --decimal ','"),
    (re.compile(r"[+-]?\d+\.\d+"), "a number with a decimal point", "leave out --decimal"),
    (re.compile(r"[+-]?\d+(\.\d+)?\s?%"), "a percentage", "write it as a number"),
    (re.compile(r"[$€£]\s?\d[\d.,]*"), "an amount of money", "write it as a number"),
    (re.compile(r"\d{1,3}( \d{3})+"), "a number with spaces between thousands", "write it without them"),
    (re.compile(r"0[xX][0-9a-fA-F]+"), "a hexadecimal number", "write it with decimal digits"),
    (re.compile(r"[+-]?\d+(_\d+)+"), "a number with underscores", "write it without them"),
    (re.compile(r"(?=.*[^\x00-\x7f])[+-]?\d+([.,٫]\d+)?"), "a number in other digits", "write it with 0 to 9"),
)
DATE = re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}([ T].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}( .*)?")


@dataclass(frozen=True)
class Cells:
    """A column of a few rows.

    Attributes
    ----------
    numbers : ndarray of float
        NaN where a cell is missing or is a word.
    missing, words : ndarray of bool
    text : Arrow array or None
        The cells as text, where they came as text.
    """

    numbers: np.ndarray
    missing: np.ndarray
    words: np.ndarray
    text: Any = None


def parse(
    column: Any, decimal: str = ".", na: tuple[str, ...] = (), words: bool = False, dressed: bool = False
) -> Cells:
    """Read an Arrow column: text is looked into, numbers are taken as they are; formatted ones only if asked."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_temporal(column.type):  # how it is written does not matter, only that it is a date
        column = pc.cast(column, pa.string())
    if words and not _is_text(column.type):  # codes in a typed file: 1 and 1.0 are the same word
        column = pc.cast(column, pa.string())
    if not _is_text(column.type):
        null = _mask(pc.is_null(column, nan_is_null=True))
        values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return _without_codes(Cells(values, null, np.zeros(len(column), dtype=bool)), na, decimal)
    if len(column) > PROBED and len(column.slice(0, PROBED).unique()) * REPEATS <= PROBED:
        coded = column.dictionary_encode()
        if len(coded.dictionary) * REPEATS <= len(column):
            return _each_once(coded, decimal, na, words, dressed)
    return _looked_into(column, decimal, na, words, dressed)


def _each_once(coded: Any, decimal: str, na: tuple[str, ...], words: bool, dressed: bool) -> Cells:
    """Read text whose cells repeat: each different one is looked into once."""
    import pyarrow as pa

    kind = coded.dictionary.type
    texts = pa.concat_arrays([coded.dictionary, pa.array([""], type=kind)])
    found = _looked_into(texts, decimal, na, words, dressed)
    places = coded.indices.fill_null(len(texts) - 1).to_numpy(zero_copy_only=False)
    text = found.text.take(pa.array(places))
    return Cells(found.numbers[places], found.missing[places], found.words[places], text)


def _looked_into(column: Any, decimal: str, na: tuple[str, ...], words: bool, dressed: bool) -> Cells:
    """Read text cell by cell."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if decimal == "." and not na and not words:
        plain_cells = _plain(column)
        if plain_cells is not None:
            return plain_cells
    text = pc.utf8_trim_whitespace(pc.fill_null(column, ""))
    missing = pc.is_in(pc.utf8_lower(text), pa.array(MISSING, type=text.type))
    if na:
        missing = pc.or_(missing, pc.is_in(text, pa.array(na, type=text.type)))
    if words:
        none = np.zeros(len(column), dtype=bool)
        return Cells(np.full(len(column), np.nan), _mask(missing), ~_mask(missing) | none, text)
    pattern = NUMBER.replace("DOT", "\\" + decimal)
    number = pc.match_substring_regex(text, pattern)
    number = pc.or_(number, pc.match_substring_regex(text, INFINITE, ignore_case=True))
    number = pc.and_(number, pc.invert(missing))
    plain = text
    if dressed and not pc.all(pc.or_(missing, number)).as_py():
        worn = pc.and_(pc.match_substring_regex(text, _dressed(decimal)), pc.invert(pc.or_(missing, number)))
        bare = pc.replace_substring_regex(text, f"[^0-9{re.escape(decimal)}+-]", "")
        plain, number = pc.if_else(worn, bare, text), pc.or_(worn, number)
    plain = plain if decimal == "." else pc.replace_substring(plain, decimal, ".")
    values = pc.if_else(number, plain, pa.scalar(None, type=text.type)).cast(pa.float64())
    numbers = values.to_numpy(zero_copy_only=False)
    return _without_codes(Cells(numbers, _mask(missing), ~_mask(pc.or_(missing, number)), text), na, decimal)


def _without_codes(cells: Cells, na: tuple[str, ...], decimal: str) -> Cells:
    """Return cells without the numbers that stand for a missing value, however they are written."""
    codes = [number_in(text, decimal) for text in na]
    found = np.isin(cells.numbers, [code for code in codes if code is not None]) if na else np.array(False)
    if not found.any():
        return cells
    return replace(cells, numbers=np.where(found, np.nan, cells.numbers), missing=cells.missing | found)


def number_in(text: str, decimal: str) -> float | None:
    """Return the number that a text is; None where it is none."""
    found = re.fullmatch(NUMBER.replace("DOT", "\\" + decimal), text.strip())
    return float(text.replace(decimal, ".")) if found else None


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _plain(column: Any) -> Cells | None:
    """Read text that holds finite numbers and gaps alone, several times as fast as cell by cell; None for any other."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for gaps in ((), GAPS):
        text = column
        if gaps:
            lacking = pc.is_in(column, pa.array(gaps, type=column.type))
            text = pc.if_else(lacking, pa.scalar(None, type=column.type), column)
        try:
            values = text.cast(pa.float64())
        except pa.ArrowInvalid:
            continue
        missing = _mask(values.is_null())
        numbers = np.asarray(values.to_numpy(zero_copy_only=False), dtype=float)
        if np.isfinite(numbers).sum() + missing.sum() < len(numbers):  # spellings of no number, or of too large a one
            return None
        return Cells(numbers, missing, np.zeros(len(numbers), dtype=bool), column)
    return None


def has_control(text: str) -> bool:
    """Tell whether a text holds characters that are not written but obeyed, other than tabs and line ends."""
    return any((c < " " and c not in "\t\n\r") or "\x7f" <= c <= "\x9f" for c in text)


def is_date(text: str) -> bool:
    """Tell whether a word is a day, as the usual orders of year, month and day write it."""
    return DATE.fullmatch(text) is not None


def is_dressed(text: str, decimal: str) -> bool:
    """Tell whether a word is a number with signs that can be left out: 12%, $5, 1,234."""
    return re.fullmatch(_dressed(decimal), text) is not None


def unit(text: str) -> str:
    """Return the sign of what a number counts, empty where there is none."""
    return next((sign for sign in SIGNS if sign in text), "")


def _dressed(decimal: str) -> str:
    return DRESSED.replace("T", "." if decimal == "," else ",").replace("D", re.escape(decimal))


def disguised(text: str) -> tuple[str, str] | None:
    """Tell what a word looks like, if it looks like a formatted number, and what to do then."""
    return next(((what, way_out) for pattern, what, way_out in DISGUISES if pattern.fullmatch(text)), None)


def _mask(values: Any) -> np.ndarray:
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=bool)
