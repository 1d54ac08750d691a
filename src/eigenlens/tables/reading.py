"""Tables in CSV and Parquet files: what their columns hold, strictly, and their rows.

A column is numbers or words. Where it is partly one and partly the other, the share of numbers decides, and the column
carries a remark that says so. Numbers in another dress ("1,234", "12%") are read where it is clear what they mean, and
refused where it is not: they would be gaps exactly where numbers are large.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .._core import errors
from .._core.errors import listed
from ..sources.csv_text import AUTO, PLAIN, Dialect, check_quotes, csv_batches, locate, read_header, refuse_same_names
from ..sources.parquet import open_parquet
from ..sources.snapshot import Snapshot
from . import refusals
from .cells import LONGEST, Cells, disguised, has_control, is_date, is_dressed, parse, unit
from .endings import PACKED, PARQUET, SHEETS, TEXT, kind_of
from .guessing import guessed
from .sheets import read_sheet

LEVELS = 1000  # different words that are remembered of a column
ODD_SHARE = 0.1  # of the cells of a column of numbers that may be words; one always may


@dataclass
class Column:
    """What a column holds.

    Attributes
    ----------
    kind : {"number", "word", "date", "empty"}
    missing : int
    levels : dict of str to int
        How often each word stands there; at most a thousand words.
    low, high : float
    whole : bool
        Whether all numbers are whole.
    values : set of float or None
        The different whole numbers; None where there are more than a thousand, or others.
    odd : int
        Words among numbers, which count as missing.
    remark : str
        How the reader decided between numbers and words.
    """

    name: str
    kind: str = "empty"
    missing: int = 0
    numbers: int = 0
    words: int = 0
    levels: dict[str, int] = field(default_factory=dict)
    low: float = np.inf
    high: float = -np.inf
    whole: bool = True
    values: set[float] | None = field(default_factory=set)
    odd: int = 0
    remark: str = ""

    @property
    def distinct(self) -> int:
        """How many different cells there are, as far as they are counted: beyond a thousand, a thousand and one."""
        if self.kind == "word":
            return len(self.levels)
        return LEVELS + 1 if self.values is None else len(self.values)


class TableFile:
    r"""A table in a file; nothing is read before it is asked for.

    Parameters
    ----------
    path : path
        Ending in .csv, .tsv, .txt (also with .gz, .bz2, .zst or .zip), .parquet or .xlsx.
    dialect : Dialect, optional
        What it leaves open ("auto") is told from the file.

    Attributes
    ----------
    notes : list of str
        What was assumed of how the file is written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from eigenlens.tables import TableFile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "small.csv"
    >>> _ = path.write_text("size,kind\n1.5,a\n2,b\n")
    >>> table = TableFile(path)
    >>> [(column.name, column.kind) for column in table.profile().values()], table.n_rows
    ([('size', 'number'), ('kind', 'word')], 2)
    """

    def __init__(self, path: str | Path, dialect: Dialect | None = None) -> None:
        self.path = Path(path)
        suffix = kind_of(self.path)
        packed = self.path.suffix.lower() in PACKED
        if suffix not in TEXT and (packed or suffix not in (*PARQUET, *SHEETS)):
            raise errors.InputError(
                f"{self.path}: a table must end in .csv, .tsv, .txt (also with .gz, .bz2, .zst or .zip), .parquet or "
                ".xlsx; rename it, or convert it first."
            )
        if not self.path.is_file():
            raise errors.no_files(self.path)
        _require_pyarrow(self.path)
        self.is_text = suffix in TEXT
        self._snapshot = Snapshot([self.path])
        self.dialect, self.notes = self._written(dialect or Dialect())
        self._asked = self.dialect
        self._sheet: Any = None
        if suffix in SHEETS:
            self._sheet, self.notes = read_sheet(self.path)
        self.n_rows: int | None = None
        self._quotes_match = False
        self._profile: dict[str, Column] | None = None
        self.names = read_header(self.path, self.dialect) if self.is_text else self._parquet_names()
        for name in self.names:
            if has_control(name):
                raise errors.InputError(
                    f"{self.path}, line 1: the column {errors.quoted(name)} has a control character in its name; "
                    "remove it."
                )
        for option, given in (("--words", self.dialect.words), ("--numbers", self.dialect.numbers)):
            for name in given:
                if name not in self.names:
                    raise errors.no_column(name, self.names, option)
        for name in set(self.dialect.words) & set(self.dialect.numbers):
            raise errors.setting("--words", name, "it is also among the columns of --numbers; name it once")

    def _written(self, dialect: Dialect) -> tuple[Dialect, list[str]]:
        """Return how the cells are written, and what was assumed."""
        if self.is_text:
            return guessed(self.path, dialect)
        decimal = PLAIN.decimal if dialect.decimal == AUTO else dialect.decimal
        return replace(dialect, delimiter=PLAIN.delimiter, decimal=decimal, encoding=PLAIN.encoding), []

    # -- what is in it -----------------------------------------------------------------------------------------

    def profile(self, ignore: Sequence[str] = ()) -> dict[str, Column]:
        """Read the file once and tell what each column holds; columns to ignore may hold anything."""
        if self._profile is not None:
            return self._profile
        columns = {name: Column(name) for name in self.names if name not in ignore}
        rows = 0
        for batch in self._batches(list(columns)):
            for name, column in columns.items():
                self._take_in(column, self._cells(batch, name))
            rows += batch.num_rows
        self.n_rows = rows
        if rows == 0:
            raise errors.InputError(f"{self.path} has a header but no rows; there is nothing to look at.")
        for column in columns.values():
            self._judge(column)
        dressed = [columns[name] for name in self.dialect.dressed if name in columns]
        self._count_again(dressed)
        for column in dressed:
            self._judge(column)
        self._count_again([column for column in columns.values() if column.kind == "word" and column.numbers])
        if self.is_text and self._is_headless(columns):
            self._without_header()
            return self.profile()
        self._profile = columns
        return columns

    def _cells(self, batch: Any, name: str) -> Cells:
        column = batch.column(name)
        if not self.is_text:
            self._require_known(name, column.type)
        words = name in self.dialect.words
        dressed = name in self.dialect.dressed
        return parse(column, self.dialect.decimal, self.dialect.missing_in(name), words, dressed)

    def _take_in(self, column: Column, cells: Cells) -> None:
        column.missing += int(cells.missing.sum())
        finite = cells.numbers[~cells.missing & ~cells.words]
        if len(finite):
            if not np.isfinite(finite).all():
                raise self._infinite(column.name, cells)
            column.numbers += len(finite)
            column.low, column.high = min(column.low, finite.min()), max(column.high, finite.max())
            column.whole = column.whole and bool((finite == np.round(finite)).all())
            self._count_numbers(column, finite)
        if cells.words.any():
            column.words += int(cells.words.sum())
            self._count_words(column, cells)

    def _count_numbers(self, column: Column, numbers: np.ndarray) -> None:
        if column.values is not None:
            column.values |= set(np.unique(numbers).tolist()) if column.whole else set()
            column.values = column.values if column.whole and len(column.values) <= LEVELS else None

    def _count_words(self, column: Column, cells: Cells) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        found = pc.value_counts(cells.text.filter(pa.array(cells.words)))
        for word, count in zip(found.field("values").to_pylist(), found.field("counts").to_pylist(), strict=True):
            if has_control(word):
                raise refusals.control(self.path, self._line(column.name, word), column.name, word)
            if len(word) > LONGEST:
                raise refusals.long_cell(self.path, self._line(column.name, word), column.name, word, LONGEST)
            if word in column.levels or len(column.levels) < LEVELS:
                column.levels[word] = column.levels.get(word, 0) + count

    def _judge(self, column: Column) -> None:
        """Decide what a column holds, or refuse it."""
        declared = column.name in self.dialect.words
        if column.words and not declared:
            if not column.numbers and all(map(is_date, column.levels)):
                column.kind = "date"
                return
            if column.name not in self.dialect.dressed and self._is_dressed(column):
                self.dialect = replace(self.dialect, dressed=(*self.dialect.dressed, column.name))
                return
            self._refuse_disguised(column)
            if column.numbers:
                self._settle(column)
        column.kind = "word" if column.words else "number" if column.numbers else "empty"
        if column.kind == "word" and column.name in self.dialect.numbers:
            first = errors.quoted(next(iter(column.levels)))
            raise errors.setting("--numbers", column.name, f"its cells are words, such as {first}")

    def read_as_words(self, columns: list[Column]) -> None:
        """Take columns of numbers that are codes for words, after all."""
        self.dialect = replace(self.dialect, words=(*self.dialect.words, *(column.name for column in columns)))
        self._count_again(columns)
        for column in columns:
            column.kind = "word"

    def _is_dressed(self, column: Column) -> bool:
        """Tell whether the words of a column are numbers with signs that can be left out, and remark on it."""
        decimal = self.dialect.decimal
        worn = {word: count for word, count in column.levels.items() if is_dressed(word, decimal)}
        cells, known = column.numbers + column.words, sum(column.levels.values())
        odd = column.words * (1 - sum(worn.values()) / known)
        if not worn or odd > max(1, ODD_SHARE * cells) or 2 * odd >= cells:
            return False
        word = next(iter(worn))
        units = {unit(each) for each in worn} | ({""} if column.numbers else set())
        if len(units - {""}) > 1 or units > {"%"}:
            others = "have no percent sign" if units == {"%", ""} else f"have others ({listed(sorted(units - {''}))})"
            rule = f"has a sign, but cells of the column {others}; write them alike, or leave it out (--drop)"
            word = next(each for each in worn if unit(each))
            raise errors.bad_cell(self.path, self._line(column.name, word), column.name, word, rule)
        value = parse(_strings([word]), decimal, dressed=True).numbers[0]
        column.remark = f"{column.name!r} holds numbers such as {word!r}, which is read as {value:.12g}."
        return True

    def _refuse_disguised(self, column: Column) -> None:
        """Refuse numbers in a dress that may mean two things: all words of a column, or those beside the numbers."""
        found = ((word, disguised(word)) for word in column.levels if not is_dressed(word, self.dialect.decimal))
        odd = [(word, what) for word, what in found if what]
        if odd and (column.numbers or len(odd) == len(column.levels)):
            word, (what, way_out) = odd[0]
            raise errors.bad_cell(
                self.path,
                self._line(column.name, word),
                column.name,
                word,
                f"looks like {what}, which is not read as a number; {way_out}",
            )

    def _settle(self, column: Column) -> None:
        """Read a column with numbers and words as what most of its cells are, and say so."""
        word, cells = next(iter(column.levels)), column.numbers + column.words
        line = self._line(column.name, word)
        first = errors.quoted(word) + (f", line {line:,}" if line is not None else "")
        few = column.words <= max(1, ODD_SHARE * cells) and column.words < column.numbers
        few = few or column.name in self.dialect.numbers
        if few and len(column.levels) < LEVELS:
            column.remark += " " * bool(column.remark) + (
                f"{column.name!r} holds numbers, except {column.words:,} of {cells:,} cells "
                f"({listed([first, *map(errors.quoted, list(column.levels)[1:])], 3)}), which count as missing "
                f"(--words {column.name!r} reads the column as words)."
            )
            self.dialect = replace(self.dialect, na_of=(*self.dialect.na_of, (column.name, tuple(column.levels))))
            column.missing, column.odd = column.missing + column.words, column.words
            column.words, column.levels = 0, {}
            return
        column.remark = (
            f"{column.name!r} holds numbers in {column.numbers:,} of {cells:,} cells and words in the others (such as "
            f"{first}), and is read as words."
        )
        self.dialect = replace(self.dialect, words=(*self.dialect.words, column.name))

    def _count_again(self, columns: list[Column]) -> None:
        """Count the words of columns that were partly read as numbers."""
        for column in columns:
            column.missing = column.numbers = column.words = 0
            column.levels.clear()
        for batch in self._batches([column.name for column in columns]) if columns else ():
            for column in columns:
                self._take_in(column, self._cells(batch, column.name))

    def _is_headless(self, columns: dict[str, Column]) -> bool:
        """Tell whether the first line looks like the rows below it: numbers over numbers, words that repeat."""
        cells = {name: parse(_strings([name]), self.dialect.decimal) for name in columns}
        numbers = [name for name, c in cells.items() if not c.words[0] and not c.missing[0]]
        like = all(columns[name].kind == "number" for name in numbers)
        words = [name for name in columns if name not in numbers]
        found = numbers and words and like and all(name in columns[name].levels for name in words)
        return bool(found) and self.dialect.header

    def _without_header(self) -> None:
        """Take the first line for a row."""
        said = listed(self.names)
        self.dialect = replace(self._asked, header=False, words=(), numbers=(), na_of=(), dressed=())
        self.names = read_header(self.path, self.dialect)
        self.notes.append(
            f"The first line ({said}) looks like the rows below it: it counts as a row, and columns are named x1 to "
            f"x{len(self.names)}."
        )

    # -- rows --------------------------------------------------------------------------------------------------

    def read(self, columns: Sequence[str], rows: np.ndarray | None = None) -> Any:
        """Return columns as an Arrow table: numbers as float64, words as text, gaps as null.

        Parameters
        ----------
        columns : list of str
        rows : sorted ndarray of int, optional
            Which rows; all if not given.
        """
        import pyarrow as pa

        kinds = {name: column.kind for name, column in self.profile().items()}
        parts, start = [], 0
        for batch in self.batches(kinds, columns):
            part = batch
            if rows is not None:
                low, high = np.searchsorted(rows, [start, start + batch.num_rows])
                part = batch.take(pa.array(rows[low:high] - start))
            parts.append(part)
            start += batch.num_rows
        return pa.concat_tables(parts).combine_chunks()

    def batches(self, kinds: dict[str, str], columns: Sequence[str]) -> Iterator[Any]:
        """Yield columns of known kinds as Arrow tables of a few rows; refuse a cell of another kind with its line."""
        import pyarrow as pa

        for name in columns:
            if name not in self.names:
                raise errors.no_column(name, self.names, "the table needs the column")
        for batch in self._batches(list(columns)):
            made = {}
            for name in columns:
                wordy = kinds[name] in ("word", "date")
                na = self.dialect.missing_in(name)
                cells = parse(batch.column(name), self.dialect.decimal, na, wordy and self.is_text, dressed=True)
                if wordy:
                    made[name] = _words(cells, batch.column(name))
                else:
                    self._require_numbers(name, cells)
                    made[name] = pa.array(cells.numbers, mask=cells.missing)
            yield pa.table(made)

    def _require_numbers(self, name: str, cells: Cells) -> None:
        if cells.words.any():
            word = cells.text[int(np.argmax(cells.words))].as_py()
            raise refusals.not_a_number(
                self.path, self._line(name, word), name, word, "the model was fitted to numbers"
            )
        if not np.isfinite(cells.numbers[~cells.missing]).all():
            raise self._infinite(name, cells)

    # -- files -------------------------------------------------------------------------------------------------

    def _batches(self, names: list[str]) -> Iterator[Any]:
        with self._snapshot.held():
            yield from self._read(names)

    def _read(self, names: list[str]) -> Iterator[Any]:
        if self.is_text:
            if not self._quotes_match:
                check_quotes(self.path, self.dialect)
                self._quotes_match = True
            yield from csv_batches(self.path, self.dialect, self.names, names)
            return
        if self._sheet is not None:
            yield from self._sheet.select(names).to_batches(max_chunksize=2**16)
            return
        try:
            with open_parquet(self.path) as file:
                yield from file.iter_batches(batch_size=2**16, columns=names)
        except (OSError, ValueError) as error:
            if isinstance(error, errors.InputError):
                raise
            raise errors.unreadable(str(self.path), error) from error

    def _parquet_names(self) -> list[str]:
        pq = import_module("pyarrow.parquet")
        try:
            schema = pq.read_schema(self.path) if self._sheet is None else self._sheet.schema
            names = [str(name) for name in schema.names]
        except (OSError, ValueError) as error:
            raise errors.unreadable(str(self.path), error) from error
        refuse_same_names(self.path, names)
        return names

    def _require_known(self, name: str, kind: Any) -> None:
        import pyarrow as pa

        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        t = pa.types
        text = t.is_string(kind) or t.is_large_string(kind)
        number = t.is_floating(kind) or t.is_integer(kind) or t.is_boolean(kind) or t.is_decimal(kind)
        date = t.is_date(kind) or t.is_timestamp(kind)
        if not (text or number or date or t.is_null(kind)):
            raise errors.InputError(
                f"{self.path}, column {name!r} holds {kind} values, which is neither numbers nor words; leave it out "
                f"(--drop {name!r}) or turn it into numbers first."
            )

    def _infinite(self, name: str, cells: Cells) -> Exception:
        place = int(np.argmax(np.isinf(np.where(cells.missing, 0.0, cells.numbers))))
        word = str(cells.numbers[place]) if cells.text is None else cells.text[place].as_py()
        return errors.bad_cell(
            self.path, self._line(name, word), name, word, "is infinite or too large for a number; correct or remove it"
        )

    def _line(self, name: str, word: str) -> int | None:
        """Return the first line on which a cell reads so, None where lines mean nothing."""
        return locate(self.path, self.dialect, self.names.index(name), word) if self.is_text else None


def _words(cells: Cells, column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = cells.text if cells.text is not None else pc.cast(column, pa.string())
    return pc.if_else(pa.array(cells.missing), pa.scalar(None, type=text.type), text)


def _strings(values: list[str]) -> Any:
    import pyarrow as pa

    return pa.array(values, type=pa.string())


def _require_pyarrow(path: Path) -> None:
    try:
        import_module("pyarrow")
    except ImportError as error:
        raise errors.missing_library("pyarrow", f"Reading {path}", "cli") from error
