"""CSV as text: the header, blocks of cells, and the line on which a cell stands.

Blocks come from pyarrow. Python's own reader, which knows lines and minds quotes, is asked where something is wrong.
"""

from __future__ import annotations

import codecs
import csv
import io
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile

import numpy as np

from ..arrays import errors, optional
from .addresses import arrow_input, open_bytes

GAPS = ("", "NA", "NaN", "nan", "N/A", "null", "NULL")  # the usual spellings of a missing cell
BLOCK_BYTES = 2**24  # text decoded at a time; no line may be longer
PLAIN_BYTES = 2**21  # the same, of numbers: pyarrow holds a dozen of these at once
MOST_LINES = 8  # that a message names
HEAD_BYTES = 2**20  # the same, of the first rows alone
ROW_NAMES = "row"  # what an unnamed first column is called: R and pandas write the names of rows so
MISSING = (  # in any case
    *("", "na", "n/a", "#n/a", "#na", "#n/a n/a", "nan", "-nan", "null"),
    *("1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"),
)
DAMAGED = (OSError, EOFError, zlib.error, BadZipFile)  # what a file that is cut short or does not decompress raises
DELIMITERS = (",", ";", "\t", "|")
AUTO = "auto"


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written.

    Parameters
    ----------
    delimiter, decimal, encoding : str
        "auto" detects it from the first lines of the file (`TableFile`).
    na : tuple of str
        Cells that stand for a missing value, in addition to the usual ones; a number stands for all that are equal to
        it, and "COLUMN=TEXT" is said of one column.
    words : tuple of str
        Columns to read as words even where they hold numbers.
    numbers : tuple of str
        Columns to read as numbers even where most cells are words, which then count as missing.
    na_of : tuple of pairs (str, tuple of str)
        Cells that stand for a missing value in a single column.
    dressed : tuple of str
        Columns of numbers with signs that are ignored: percent, currency, marks between thousands.
    header_line : int
        Line that holds the names of the columns; 0 detects it (`TableFile`).
    header : bool
        Whether that line holds names; if not, columns are named x1, x2, …

    Examples
    --------
    >>> from eigenlens.rows import Dialect
    >>> german = Dialect(delimiter=";", decimal=",")
    >>> german.delimiter, german.decimal
    (';', ',')
    """

    delimiter: str = AUTO
    decimal: str = AUTO
    encoding: str = AUTO
    na: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    na_of: tuple[tuple[str, tuple[str, ...]], ...] = ()
    dressed: tuple[str, ...] = ()
    header: bool = True
    numbers: tuple[str, ...] = ()
    header_line: int = 0

    @property
    def skipped(self) -> int:
        """How many lines there are above the header."""
        return max(self.header_line - 1, 0)

    def missing_in(self, column: str) -> tuple[str, ...]:
        """Return the cells that stand for a missing value in a column, in addition to the usual ones."""
        own = [text.removeprefix(f"{column}=") for text in self.na if text.startswith(f"{column}=")]
        return (*self.na, *own, *(word for name, words in self.na_of if name == column for word in words))


PLAIN = Dialect(",", ".", "utf8", header_line=1)


def read_header(path: Path, dialect: Dialect) -> list[str]:
    """Return the names of the columns; a first one without a name holds the names of the rows.

    Last ones without names, which separators at the ends of lines make, are named by their places.
    """
    names, line = header_cells(path, dialect), 1 + dialect.skipped
    if not dialect.header:
        return [f"x{j}" for j in range(1, len(names) + 1)]
    if names[0] == "" and len(names) > 1:
        names[0] = ROW_NAMES if ROW_NAMES not in names else f"{ROW_NAMES} names"
    last = max((j for j, name in enumerate(names) if name), default=0)
    names[last + 1 :] = [f"column {j + 1}" for j in range(last + 1, len(names))]
    for j, name in enumerate(names):
        if not name:
            raise errors.InputError(f"{path}, line {line}, column {j + 1}: the column has no name; give it one.")
    refuse_same_names(path, names, line)
    return names


def has_unnamed_index(path: Path, dialect: Dialect) -> bool:
    """Tell whether the first column has no name, so that `read_header` gives it one."""
    return dialect.header and header_cells(path, dialect)[0] == ""


def header_cells(path: Path, dialect: Dialect) -> list[str]:
    """Return the cells of the first line, as they are."""
    _refuse_binary(path, dialect)
    try:
        with opened(path, dialect) as file:
            lines = _Lines(path, file, dialect.skipped)
            header = next(csv.reader(lines, delimiter=dialect.delimiter, strict=True), None)
    except (UnicodeError, LookupError) as error:
        raise _undecodable(path, dialect, error) from error
    except csv.Error as error:
        _refuse_blanks(path, dialect)
        raise _bad_quotes(path, 1 + dialect.skipped, str(error)) from error
    except DAMAGED as error:
        raise errors.unreadable(path, error) from error
    if header and len(header) > 1 and not any(name.strip() for name in header):
        raise errors.InputError(
            f"{path}, line {1 + dialect.skipped}: the {len(header)} columns have no names; write names in this line."
        )
    if not header or not any(name.strip() for name in header):
        raise errors.unreadable(path, ValueError("it is empty; the first line must hold the names of the columns"))
    names = [name.strip() for name in header]
    if len(names) == 1:
        for other in DELIMITERS:
            if other != dialect.delimiter and other in names[0]:
                raise _one_column(path, 1 + dialect.skipped, names[0], dialect.delimiter, other)
        _refuse_blanks(path, dialect)
    return names


def refuse_same_names(path: Path, names: list[str], line: int = 1) -> None:
    """Refuse two columns of one name."""
    first: dict[str, int] = {}
    for j, name in enumerate(names):
        if first.setdefault(name, j) != j:
            raise errors.InputError(
                f"{path}, line {line}: columns {first[name] + 1} and {j + 1} are both named {name!r}; names must "
                "differ: rename one."
            )


class NotPlain(Exception):
    """A cell among numbers that pyarrow does not read as one: the file is to be read as text."""


def csv_batches(
    path: Path,
    dialect: Dialect,
    names: list[str],
    wanted: list[str],
    numbers: Collection[str] = (),
    head: bool = False,
) -> Iterator[Any]:
    """Yield Arrow record batches of text; of columns that are known to be numbers, as such, or raise NotPlain.

    With `head`, for whoever takes the first batch alone, batches are small: pyarrow reads several more meanwhile.
    """
    pa, block = optional.pyarrow(path), PLAIN_BYTES if numbers else BLOCK_BYTES
    read = {"column_names": names, "encoding": dialect.encoding, "block_size": block}
    if head:
        read |= {"block_size": min(HEAD_BYTES, block), "use_threads": False}
    read["skip_rows"] = dialect.skipped + (1 if numbers and dialect.header else 0)
    text = {"delimiter": dialect.delimiter, "newlines_in_values": True, "ignore_empty_lines": len(names) > 1}
    convert = {
        "column_types": {name: pa.float64() if name in numbers else pa.string() for name in names},
        "include_columns": wanted,
        "strings_can_be_null": False,
        "null_values": list(GAPS),
    }
    first = not numbers
    try:
        for batch in arrow_batches(path, read, text, convert):
            if first or batch.num_rows:  # a block of blank lines has none
                yield batch.slice(1) if first and dialect.header else batch  # read as a row, since its names are ours
            first = False
    except (OSError, ValueError, LookupError) as error:
        if isinstance(error, errors.InputError):
            raise
        if numbers:
            raise NotPlain from error
        raise _explained(path, dialect, len(names), error) from error


def arrow_batches(path: Path, read: dict[str, Any], parse: dict[str, Any], convert: dict[str, Any]) -> Iterator[Any]:
    """Yield what pyarrow reads of a CSV file, under its options."""
    pa_csv = optional.pyarrow(path, "csv")
    options = pa_csv.ReadOptions(**read)
    with pa_csv.open_csv(
        arrow_input(path), options, pa_csv.ParseOptions(**parse), pa_csv.ConvertOptions(**convert)
    ) as reader:
        yield from reader


def check_quotes(path: Path, dialect: Dialect) -> None:
    """Refuse quotes that do not match; looked into line by line only where one is neither at an end nor doubled."""
    if not _quotes_are_plain(path, dialect):
        for _ in lines_of(path, dialect):
            pass


def _quotes_are_plain(path: Path, dialect: Dialect) -> bool:
    """Tell whether quotes open at the beginning of cells and close at their end, and all others are doubled.

    Quotes that open and close alternate, a doubled one being both, so that their neighbours tell.
    """
    known = dialect.encoding.lower().replace("-", "") in ("utf8", "latin1", "cp1252", "ascii")
    edges = np.zeros(256, dtype=bool)  # bytes that a quote at the edge of a cell may have next to it
    edges[[ord(c) for c in ('"', "\n", "\r", dialect.delimiter) if ord(c) < 256]] = True
    count, held = 0, b"\n"
    with open_bytes(path) as raw:
        try:
            for part in chain(iter(lambda: raw.read(2**20), b""), [b"\n"]):
                text, held = held + part, (held + part)[-2:]
                if b'"' not in text:
                    continue
                if not known:
                    return False
                cells = np.frombuffer(text, dtype=np.uint8)
                places = np.flatnonzero(cells[1:-1] == ord('"')) + 1
                opening = (np.arange(len(places)) + count) % 2 == 0
                if not edges[cells[np.where(opening, places - 1, places + 1)]].all():
                    return False
                count += len(places)
        except DAMAGED as error:
            raise errors.unreadable(path, error) from error
    return count % 2 == 0


def locate(path: Path, dialect: Dialect, place: int, text: str) -> int | None:
    """Return the first line below the header whose cell at a place reads so."""
    rows = lines_of(path, dialect)
    if dialect.header:
        next(rows, None)
    return next((line for line, cells in rows if len(cells) > place and cells[place].strip() == text), None)


def lines_of(path: Path, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """Yield the line on which each row begins, and its cells."""
    limit = csv.field_size_limit(BLOCK_BYTES)
    try:
        with opened(path, dialect) as file:
            lines = _Lines(path, file, dialect.skipped)
            reader = csv.reader(lines, delimiter=dialect.delimiter, strict=True)
            line = first = 1 + dialect.skipped
            try:
                for cells in reader:
                    lines.begin_row()
                    yield line, cells
                    line = reader.line_num + first
            except csv.Error as error:
                raise _bad_quotes(path, line, str(error)) from error
    except UnicodeError as error:
        raise _undecodable(path, dialect, error) from error
    except DAMAGED as error:
        raise errors.unreadable(path, error) from error
    finally:
        csv.field_size_limit(limit)


class _Lines:
    """The lines of a text; a row longer than what is decoded at a time, which might never end, is refused."""

    def __init__(self, path: Path, file: IO[str], line: int = 0) -> None:
        self.path, self.file, self.line = path, file, line
        self.read = 0  # characters of this row so far

    def begin_row(self) -> None:
        self.read = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        text = self.file.readline(BLOCK_BYTES + 1 - self.read)
        if not text:
            raise StopIteration
        self.read += len(text)
        self.line += 1
        if self.read > BLOCK_BYTES:
            raise errors.InputError(
                f"{self.path}, line {self.line}: the row has more than {BLOCK_BYTES:,} characters; save the table as "
                "Parquet, or end its lines if they do not end."
            )
        return text


def _explained(path: Path, dialect: Dialect, width: int, cause: Exception) -> Exception:
    """Read the file again to say on which line it went wrong."""
    wrong: list[tuple[int, int]] = []
    others = 0
    try:
        for line, cells in lines_of(path, dialect):
            if len(cells) != width and (cells or width == 1):
                others += len(wrong) >= MOST_LINES
                wrong += [(line, len(cells))] if len(wrong) < MOST_LINES else []
    except errors.InputError as error:
        return error
    if len(wrong) < 2:
        return errors.csv_line(path, *wrong[0], width) if wrong else errors.unreadable(path, cause)
    named = ", ".join(f"{line} ({found})" for line, found in wrong) + (f" and {others:,} more" if others else "")
    shifted = all(found == width + 1 for _, found in wrong)
    hint = " If the first cells name the rows, the header needs a name for them as well." if shifted else ""
    return errors.InputError(
        f"{path}: {len(wrong) + others:,} lines do not have {width} cells, as the header has: line {named}. Every "
        f"line must have the same number.{hint}"
    )


def _refuse_blanks(path: Path, dialect: Dialect) -> None:
    """Refuse columns that blanks separate: below a header of several words stand several numbers."""
    with opened(path, dialect) as file:
        header, below = file.readline(BLOCK_BYTES).split(), file.readline(BLOCK_BYTES).split()
    try:
        numbers = [float(cell) for cell in below[1:]]  # the first may be the name of the row
    except ValueError:
        return
    if numbers and len(header) > 1:
        raise errors.InputError(
            f"{path}, line {1 + dialect.skipped}: blanks seem to separate the columns; separate them by commas, "
            "semicolons or tabs. In R, write.csv(x, file, row.names = FALSE) does."
        )


def _refuse_binary(path: Path, dialect: Dialect) -> None:
    with open_bytes(path) as file:
        try:
            head = file.read(4096)
        except DAMAGED as error:
            raise errors.unreadable(path, error) from error
    if "16" in dialect.encoding or "32" in dialect.encoding:
        if head and b"\0" not in head:  # a comma or the end of a line would have one
            cause = f"it has no NUL bytes, so it is not {dialect.encoding} text"
            raise _encoding(path, None, cause, "utf-8, which is the default, or latin-1")
        return
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise _encoding(path, 1, "the file begins like UTF-16 text", "utf-16")
    first = head.split(b"\n")[0]
    if first.count(b"\0") * 4 > len(first):
        raise _encoding(
            path, 1, "there are NUL bytes in the first line: it is UTF-16 without a mark, or not text", "utf-16-le"
        )


def _undecodable(path: Path, dialect: Dialect, error: Exception) -> Exception:
    if isinstance(error, LookupError):
        return _encoding(path, None, f"there is no encoding {dialect.encoding!r}", "utf-8, latin-1, utf-16")
    try:
        decoder, line = codecs.getincrementaldecoder("utf-8")(), 1
        with open_bytes(path) as file:
            for part in chain(iter(lambda: file.read(2**20), b""), [b""]):
                try:
                    decoder.decode(part, final=not part)
                except UnicodeDecodeError as found:
                    cause = f"byte 0x{found.object[found.start]:02x} is not UTF-8 text"
                    line += found.object.count(b"\n", 0, found.start)
                    return _encoding(path, line, cause, "latin-1 or cp1252, often")
                line += part.count(b"\n")
    except DAMAGED as damage:  # bytes that do not decompress to what they were
        return errors.unreadable(path, damage)
    return _encoding(path, None, f"it is not {dialect.encoding} text ({error})", "utf-8, latin-1, utf-16")


def opened(path: Path, dialect: Dialect) -> IO[str]:
    """Open a file as text from its header on; a mark at its beginning is left out."""
    encoding = "utf-8-sig" if dialect.encoding.lower() in ("utf8", "utf-8") else dialect.encoding
    file = io.TextIOWrapper(open_bytes(path), newline="", encoding=encoding)
    lines = _Lines(path, file)
    for _ in range(dialect.skipped):
        next(lines, None)
        lines.begin_row()
    return file


def _encoding(path: Any, line: int | None, cause: str, guess: str) -> errors.InputError:
    place = f"{path}, line {line}" if line is not None else str(path)
    return errors.InputError(
        f"{place}: {cause}; save it as UTF-8, or say on the command line how the text is stored, --encoding ({guess})."
    )


def _bad_quotes(path: Any, line: int, cause: str) -> errors.InputError:
    if "field limit" in cause:
        return errors.InputError(f"{path}, line {line}: a cell is too long ({cause}); a quote may be open.")
    return errors.InputError(f"{path}, line {line}: quotes do not match ({cause}); close or double them.")


def _one_column(path: Any, line: int, header: str, told: str, found: str) -> errors.InputError:
    tab = {"\t": "'\\t'"}
    told, option = tab.get(told, f"'{told}'"), tab.get(found, f"'{found}'")
    commas = "" if found == "," else " (and --decimal ',' if numbers are written 1,5)"
    return errors.InputError(
        f"{path}, line {line}: the header {errors.quoted(header)} has no {told} but is full of {option}; if that "
        f"separates the columns, add --delimiter {option}{commas} on the command line; open_rows reads files "
        "with commas only."
    )
