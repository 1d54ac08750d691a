"""How a text file is written, detected from its bytes and its first lines, unless the user says it."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice, pairwise
from pathlib import Path

from .addresses import open_bytes
from .cells import SIGNS, SPACES
from .csv_text import AUTO, DAMAGED, DELIMITERS, PLAIN, Dialect, opened

ALIKE = 0.5  # share of the rows that must have as many cells as the header
SAMPLE = 2**18  # characters that are looked at
ROWS = 200  # rows of them that are counted
NAMED = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
#: A number whose decimal mark M is beyond doubt, T being the mark between thousands.
SURE = r"[+-]?(\d+M(\d{1,2}|\d{4,})|0M\d+|\d{4,}M\d+|\d{1,3}(T\d{3})+M\d+)([eE][+-]?\d+)?"
COMMA, POINT = (re.compile(SURE.replace("M", m).replace("T", t)) for m, t in ((",", r"\."), (r"\.", ",")))
EITHER = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")  # 1,234 may be a thousand or a little more than one
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3}){2,}")
UNUSED = b"\x81\x8d\x8f\x90\x9d"  # bytes that cp1252 does not use
YEAR = re.compile(r"1[5-9]\d\d|20\d\d|2100")
NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?")


def guessed(path: Path, dialect: Dialect) -> tuple[Dialect, list[str]]:
    """Fill in what a dialect leaves open, and say what was assumed; what it says stays."""
    notes: list[str] = []
    tab = ".tsv" in [suffix.lower() for suffix in path.suffixes]
    plain = replace(PLAIN, delimiter="\t" if tab else PLAIN.delimiter)
    if dialect.encoding == AUTO:
        dialect = replace(dialect, encoding=_encoding(path))
        if dialect.encoding != PLAIN.encoding:
            notes.append(f"The text is read as {dialect.encoding}, since it is not UTF-8 (--encoding overrides this).")
    sample = _sample(path, dialect)
    if dialect.delimiter == AUTO:
        dialect = replace(dialect, delimiter=_delimiter(sample, plain.delimiter))
        if dialect.delimiter != plain.delimiter:
            notes.append(f"Columns are separated by {NAMED[dialect.delimiter]} (--delimiter overrides this).")
    if dialect.header_line == 0:
        dialect = replace(dialect, header_line=_header_line(sample, dialect.delimiter))
        if dialect.skipped:
            lines = "The first line is" if dialect.skipped == 1 else f"The first {dialect.skipped} lines are"
            notes.append(
                f"{lines} above the table: the names of the columns are in line {dialect.header_line} (--header-line "
                "overrides this)."
            )
    rows = _rows(_sample(path, dialect), dialect.delimiter)
    if dialect.decimal == AUTO:
        decimal, example = _decimal(rows[1:], dialect.delimiter)
        dialect = replace(dialect, decimal=decimal)
        if decimal != PLAIN.decimal:
            notes.append(f"Numbers have a decimal comma, as in {example!r} (--decimal . overrides this).")
    if dialect.header and rows and _is_headless(rows[0]):
        dialect = replace(dialect, header=False)
        k = len(rows[0])
        named = f"columns are named x1 to x{k}" if k > 1 else "the column is named x1"
        notes.append(f"The first line holds numbers and no names: it counts as a row, and {named}.")
    return dialect, notes


def _encoding(path: Path) -> str:
    """Return the encoding of a file: UTF-8 where its bytes allow it, that of Windows in the West where they do not."""
    try:
        with open_bytes(path) as file:
            marked = _of_head(file.read(4096))
        if marked:
            return marked
        with open_bytes(path) as file:
            return _of_bytes(iter(lambda: file.read(2**20), b""))
    except DAMAGED:
        return PLAIN.encoding  # whoever reads it says what is wrong


def _of_head(head: bytes) -> str:
    """Return what the first bytes prove: a mark, or every other byte of the first line a NUL; empty where nothing."""
    for mark, name in MARKS:
        if head.startswith(mark):
            return name
    first = head.split(b"\n")[0]
    for name, letters, nulls in (("utf-16-le", first[0::2], first[1::2]), ("utf-16-be", first[1::2], first[0::2])):
        if len(letters) > 1 and not nulls.strip(b"\0") and b"\0" not in letters[:-1]:
            return name
    return ""


def _of_bytes(parts: Iterator[bytes]) -> str:
    decoder, broken, western = codecs.getincrementaldecoder("utf-8")(), False, True
    for part in chain(parts, [b""]):
        if not broken:
            try:
                known = decoder.decode(part, final=not part)
            except UnicodeDecodeError as error:
                broken, known = True, error.object[: error.start].decode("utf-8")
            if not known.isascii():  # a letter of UTF-8: bytes that are not, later, are damage and no other encoding
                return PLAIN.encoding
        western = western and not any(byte in part for byte in UNUSED)
    return ("cp1252" if western else "latin-1") if broken else PLAIN.encoding


def _sample(path: Path, dialect: Dialect) -> str:
    """Return the first lines of a file; nothing where it cannot be read, since the reader says why."""
    try:
        with opened(path, dialect) as file:
            text = file.read(SAMPLE)
    except (UnicodeError, LookupError, *DAMAGED):
        return ""
    return text if len(text) < SAMPLE else text[: max(text.rfind("\n"), text.rfind("\r")) + 1]


def _rows(sample: str, delimiter: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    try:
        return [[cell.strip() for cell in row] for row in islice(reader, ROWS) if row]
    except csv.Error:
        return []


def _delimiter(sample: str, usual: str) -> str:
    """Return what cuts the most rows into as many cells as the header has."""

    def merit(delimiter: str) -> tuple[float, int, bool]:
        rows = _rows(sample, delimiter)
        if not rows or len(rows[0]) < 2:
            return 0.0, 0, delimiter == usual
        alike = sum(len(row) == len(rows[0]) for row in rows) / len(rows)
        return alike, len(rows[0]), delimiter == usual

    def merit_of_most(delimiter: str) -> tuple[float, int, bool]:
        rows = _rows(sample, delimiter)
        width, alike = Counter(map(len, rows)).most_common(1)[0] if rows else (0, 0)
        return (alike if width > 1 else 0), width, delimiter == usual

    best = max(DELIMITERS, key=merit)
    return best if merit(best)[0] > ALIKE else max(DELIMITERS, key=merit_of_most)


def _header_line(sample: str, delimiter: str) -> int:
    """Return the line of the first row with about as many cells as most rows have; a title has few."""
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    found, line = [], 1
    try:
        for row in islice(reader, ROWS):
            found.append((line, [cell.strip() for cell in row]))
            line = reader.line_num + 1
    except csv.Error:
        return 1
    counts = Counter(len(row) for _, row in found if row)
    width, alike = counts.most_common(1)[0] if counts else (0, 0)
    if width < 2 or alike <= ALIKE * counts.total():
        return 1
    line, names = next(((line, row) for line, row in found if not _is_title(row, width)), (1, []))
    return line if line == 1 or not _is_headless(names) else 1


def _is_title(row: list[str], width: int) -> bool:
    """Tell whether a line has far fewer cells than the rows of a table; a header may lack its first name, or one."""
    lacks_first = len(row) == width and all(row[1:])
    return sum(map(bool, row)) < max(width - 1, 2) and not lacks_first


def _decimal(rows: list[list[str]], delimiter: str) -> tuple[str, str]:
    """Return the decimal mark that numbers have, and one of those that have it."""
    cells = [cell.strip(SIGNS + SPACES) for row in rows for cell in row]
    commas, points = ([c for c in cells if pattern.fullmatch(c)] for pattern in (COMMA, POINT))
    if not commas and not points and delimiter == ";":  # where columns are cut so, commas are decimal marks
        commas = [cell for cell in cells if EITHER.fullmatch(cell)]
        points = [cell for cell in cells if THOUSANDS.fullmatch(cell)]
    return (",", commas[0]) if len(commas) > len(points) else (".", "")


def _is_headless(first: list[str]) -> bool:
    """Tell whether a first line holds a row of numbers; years, and numbers in equal steps, name columns."""
    if not all(map(NUMBER.fullmatch, first)):
        return False
    values = [float(cell.replace(",", ".")) for cell in first]
    steps = {round(b - a, 9) for a, b in pairwise(values)}
    named = len(first) > 2 and len(steps) == 1 and steps != {0.0}
    return not named and not (len(first) > 1 and all(map(YEAR.fullmatch, first)))
