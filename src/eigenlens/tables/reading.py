"""Tables in CSV and Parquet files: what their columns hold, strictly, and their rows.

Rows are parsed on threads, a few thousand at a time, so that a file of any size can be looked through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from .._core import errors
from .._core.threads import thread_count, threaded
from ..sources import csv_text
from ..sources.csv_text import (
    AUTO,
    PLAIN,
    Dialect,
    NotPlain,
    check_quotes,
    csv_batches,
    locate,
    read_header,
    refuse_same_names,
)
from ..sources.parquet import open_parquet
from ..sources.snapshot import Snapshot
from . import refusals
from .cells import LONGEST, Cells, has_control, parse
from .endings import PACKED, SHEETS, TEXT, kind_of
from .guessing import guessed
from .judging import LEVELS, Column, JudgesColumns
from .parts import files_of, require_same_columns, with_folder
from .sheets import read_sheet

MANY_COLUMNS = 100  # from which columns of numbers are counted together
KEPT_BYTES = 2**26  # of text whose numbers are kept when they are counted, so that rows are not parsed twice

S = TypeVar("S")
T = TypeVar("T")


class Watcher(Protocol):
    """Who looks at rows while a file is profiled.

    Attributes
    ----------
    kinds : dict of str to str, or None
        Columns that are wanted, and what they hold; None as long as nothing is.
    """

    kinds: dict[str, str] | None

    def begin(self, columns: dict[str, Column], rows: int) -> None:
        """Decide what is wanted, from the first rows."""

    def part(self, table: Any, start: int) -> Any:
        """Return what is kept of rows; called on threads."""

    def join(self, part: Any) -> None:
        """Take in what was kept, in the order of the rows; None where a column is no longer what it was."""


class TableFile(JudgesColumns):
    r"""A table in a file; nothing is read before it is asked for.

    Parameters
    ----------
    path : path
        Ending in .csv, .tsv, .txt (also with .gz, .bz2, .zst or .zip), .parquet or .xlsx. A folder of such files of one
        kind, or a pattern (`rows/*.csv`), is one table: its files follow each other in the order of their names.
    dialect : Dialect, optional
        What it leaves open ("auto") is told from the file.

    Attributes
    ----------
    notes : list of str
        What was assumed of how the file is written.
    passes : int
        How often rows were read.
    told : function of (rows read, rows expected or 0), optional
        Is called while rows are read.

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
        self.paths, self._folders = files_of(self.path)
        suffix = kind_of(self.paths[0])
        _require_pyarrow(self.path)
        self.is_text = suffix in TEXT
        self._snapshot = Snapshot(self.paths)
        self.dialect, self.notes = self._written(dialect or Dialect())
        self._asked = self.dialect
        self._sheet: Any = None
        if suffix in SHEETS:
            self._sheet, self.notes = read_sheet(self.paths[0])
        self.n_rows: int | None = None
        self.passes = 0
        self.told: Callable[[int, int], None] | None = None
        self._numbers: frozenset[str] = frozenset()  # columns of text that pyarrow reads as numbers
        self._plain_quotes: set[Path] = set()
        self._parsed: dict[str, list[Cells]] = {}  # cells of columns of numbers, where the table is small
        self._profile: dict[str, Column] | None = None
        self.names = self._common_names()
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
            return guessed(self.paths[0], dialect)
        decimal = PLAIN.decimal if dialect.decimal == AUTO else dialect.decimal
        return replace(dialect, delimiter=PLAIN.delimiter, decimal=decimal, encoding=PLAIN.encoding), []

    def cells_expected(self, cell_bytes: int, packed: int) -> int:
        """Return about how many cells there are: of text, by its size; else as the file itself says.

        Parameters
        ----------
        cell_bytes : int
            Of text, for a cell.
        packed : int
            How many times as long text is as it is packed.
        """
        if self._sheet is not None:
            return int(self._sheet.num_rows * self._sheet.num_columns)
        if self.is_text:
            sizes = (p.stat().st_size * (packed if p.suffix.lower() in PACKED else 1) for p in self.paths)
            return sum(sizes) // cell_bytes
        return sum(parquet_rows(path) for path in self.paths) * len(self.names)

    # -- what is in it -----------------------------------------------------------------------------------------

    def profile(self, ignore: Sequence[str] = (), watcher: Watcher | None = None) -> dict[str, Column]:
        """Read the file once and tell what each column holds; columns to ignore may hold anything.

        Parameters
        ----------
        ignore : list of str
        watcher : Watcher, optional
            Is shown the same rows, as long as the columns are what the first of them have.
        """
        if self._profile is not None:
            return self._profile
        if watcher is not None:
            self._numbers = self._plain_numbers(ignore)
        try:
            return self._profiled(ignore, watcher)
        except NotPlain:  # a cell far down is written in another way: all are looked at as text
            self._numbers = frozenset()
            return self._profiled(ignore, watcher)

    def _plain_numbers(self, ignore: Sequence[str]) -> frozenset[str]:
        """Return the columns of text that the first rows have numbers in, where all of it is plainly written."""
        d = self.dialect
        if not self.is_text or d.decimal != "." or d.na or d.words or d.numbers or not d.header:
            return frozenset()
        stored = [name for name in self.names if name not in self._folders[0]]
        columns = {name: Column(name) for name in stored if name not in ignore}
        head = csv_batches(self.paths[0], self.dialect, stored, list(columns), head=True)
        try:
            first = next(head, None)
        except errors.InputError:  # what is wrong is said of the whole file
            return frozenset()
        for name, column in columns.items() if first is not None else ():
            self._take_in(column, self._cells(first, name))
        whole = [c for c in columns.values() if c.kind == "empty" and c.numbers and not c.words]
        return frozenset(c.name for c in whole)

    def _profiled(self, ignore: Sequence[str], watcher: Watcher | None) -> dict[str, Column]:
        columns = {name: Column(name) for name in self.names if name not in ignore}
        rows, self._parsed = 0, {}
        keeps = self.is_text and watcher is None and sum(p.stat().st_size for p in self.paths) <= KEPT_BYTES
        for batch, cells, made in self._looked_through(columns, watcher):
            self._take_all_in(columns, cells)
            for name, column in columns.items() if keeps else ():
                if not column.words:
                    found = cells[name]
                    self._parsed.setdefault(name, []).append(Cells(found.numbers, found.missing, found.words))
            if watcher is not None:
                if rows == 0:
                    self._begin(watcher, columns, batch, cells)
                else:
                    watcher.join(made)
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
            if watcher is not None:
                raise errors.InputError(
                    f"{self.path}, line 1: the first line ({errors.listed(self.names)}) looks like the rows below it, "
                    "but it must hold the names of the columns; add a line with names on top."
                )
            self._without_header()
            return self.profile()
        plain = {c.name for c in columns.values() if c.kind == "number" and not (c.odd or c.remark)}
        self._parsed = {name: cells for name, cells in self._parsed.items() if name in plain}
        self._profile = columns
        return columns

    def _looked_through(
        self, columns: dict[str, Column], watcher: Watcher | None
    ) -> Iterator[tuple[Any, dict[str, Cells], Any]]:
        """Yield batches with their cells, and what the watcher makes of them; the first is parsed before others are."""

        def parsed(item: tuple[int, Any]) -> tuple[Any, dict[str, Cells], Any]:
            start, batch = item
            cells = {name: self._cells(batch, name) for name in columns}
            made = None
            if watcher is not None and watcher.kinds is not None and start > 0:
                table = self._made(watcher.kinds, list(watcher.kinds), batch, cells)
                made = None if table is None else watcher.part(table, start)
            return batch, cells, made

        yield from _mapped(parsed, _numbered(self._batches(list(columns))))

    def _begin(self, watcher: Watcher, columns: dict[str, Column], batch: Any, cells: dict[str, Cells]) -> None:
        """Let a watcher begin with the first rows, if its columns are plainly numbers or words."""
        head, trial = copy(self), {name: _copied(c) for name, c in columns.items()}
        for column in trial.values():
            head._judge(column)
        if head.dialect == self.dialect:
            watcher.begin(trial, batch.num_rows)
        if watcher.kinds is not None:
            table = self._made(watcher.kinds, list(watcher.kinds), batch, cells)
            watcher.join(None if table is None else watcher.part(table, 0))

    def _cells(self, batch: Any, name: str) -> Cells:
        column = batch.column(name)
        if not self.is_text:
            self._require_known(name, column.type)
        if name in self._numbers:
            return self._plain(column)
        words = name in self.dialect.words
        dressed = name in self.dialect.dressed
        return parse(column, self.dialect.decimal, self.dialect.missing_in(name), words, dressed)

    def _plain(self, column: Any) -> Cells:
        """Return numbers that pyarrow has read; odd spellings of those that are none or too large are for text."""
        missing = np.asarray(column.is_null().to_numpy(zero_copy_only=False), dtype=bool)
        numbers = column.to_numpy(zero_copy_only=False)
        if np.isfinite(numbers).sum() + missing.sum() < len(numbers):
            raise NotPlain
        return Cells(numbers, missing, np.zeros(len(numbers), dtype=bool))

    def _take_all_in(self, columns: dict[str, Column], cells: dict[str, Cells]) -> None:
        """Count the cells of all columns; those of many columns of plain numbers at once."""
        plain = [name for name in columns if not cells[name].words.any()] if len(columns) > MANY_COLUMNS else []
        if plain:
            values = np.stack([cells[name].numbers for name in plain])
            known = ~np.stack([cells[name].missing for name in plain])
            plain = plain if np.isfinite(values[known]).all() else []
        if plain:
            counts, lows = known.sum(axis=1), np.where(known, values, np.inf).min(axis=1, initial=np.inf)
            highs = np.where(known, values, -np.inf).max(axis=1, initial=-np.inf)
            whole = (~known | (values == np.round(values))).all(axis=1)
            found = zip(plain, counts.tolist(), lows.tolist(), highs.tolist(), whole.tolist(), strict=True)
            for i, (name, count, low, high, is_whole) in enumerate(found):
                column = columns[name]
                column.missing, column.numbers = column.missing + values.shape[1] - count, column.numbers + count
                column.low, column.high = min(column.low, low), max(column.high, high)
                column.whole = column.whole and is_whole
                self._count_numbers(column, values[i][known[i]] if column.whole else values[i])
        counted = set(plain)
        for name, column in columns.items():
            if name not in counted:
                self._take_in(column, cells[name])

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

    def read_as_words(self, columns: list[Column]) -> None:
        """Take columns of numbers that are codes for words, after all."""
        self.dialect = replace(self.dialect, words=(*self.dialect.words, *(column.name for column in columns)))
        self._count_again(columns)
        for column in columns:
            column.kind = "word"

    def _count_again(self, columns: list[Column]) -> None:
        """Count the words of columns that were partly read as numbers."""
        for column in columns:
            column.missing = column.numbers = column.words = 0
            column.levels.clear()
        for batch in self._batches([column.name for column in columns]) if columns else ():
            for column in columns:
                self._take_in(column, self._cells(batch, column.name))

    def _without_header(self) -> None:
        """Take the first line for a row."""
        said = errors.listed(self.names)
        self.dialect = replace(self._asked, header=False, words=(), numbers=(), na_of=(), dressed=())
        self.names = read_header(self.paths[0], self.dialect) + list(self._folders[0])
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
        if rows is None and self._parsed:
            return self._read_rest(kinds, columns)
        parts, start = [], 0
        for batch in self.batches(kinds, columns):
            part = batch
            if rows is not None:
                low, high = np.searchsorted(rows, [start, start + batch.num_rows])
                part = batch.take(pa.array(rows[low:high] - start))
            parts.append(part)
            start += batch.num_rows
        return pa.concat_tables(parts).combine_chunks()

    def _read_rest(self, kinds: dict[str, str], columns: Sequence[str]) -> Any:
        """Return columns of which those of numbers were kept when they were counted: only the others are read."""
        import pyarrow as pa

        kept = {name: self._parsed[name] for name in columns if name in self._parsed and kinds[name] == "number"}
        others = [name for name in columns if name not in kept]
        rest: Any = pa.concat_tables(self.batches(kinds, others)).combine_chunks() if others else None
        made = {}
        for name in columns:
            if name not in kept:
                made[name] = rest.column(name)
                continue
            values, gaps = (np.concatenate([getattr(c, of) for c in kept[name]]) for of in ("numbers", "missing"))
            made[name] = pa.array(values, mask=gaps if gaps.any() else None)
        return pa.table(made)

    def batches(self, kinds: dict[str, str], columns: Sequence[str]) -> Iterator[Any]:
        """Yield columns of known kinds as Arrow tables of a few rows; refuse a cell of another kind with its line."""
        for name in columns:
            if name not in self.names:
                raise errors.no_column(name, self.names, "the table needs the column")
        for batch in self._batches(list(columns)):
            yield self._checked(kinds, columns, batch)

    def mapped(self, kinds: dict[str, str], columns: Sequence[str], work: Callable[[Any, int], T]) -> Iterator[T]:
        """Yield what a function makes of tables of a few rows, and of the number of their first row; on threads."""

        def done(item: tuple[int, Any]) -> T:
            start, batch = item
            return work(self._checked(kinds, columns, batch), start)

        yield from _mapped(done, _numbered(self._batches(list(columns))))

    def _checked(self, kinds: dict[str, str], columns: Sequence[str], batch: Any) -> Any:
        cells = {}
        for name in columns:
            if name in self._numbers:
                cells[name] = self._plain(batch.column(name))
                continue
            wordy = kinds[name] in ("word", "date") and self.is_text
            na = self.dialect.missing_in(name)
            cells[name] = parse(batch.column(name), self.dialect.decimal, na, wordy, dressed=True)
            if kinds[name] not in ("word", "date"):
                self._require_numbers(name, cells[name])
        return self._made(kinds, columns, batch, cells)

    def _made(self, kinds: dict[str, str], columns: Sequence[str], batch: Any, cells: dict[str, Cells]) -> Any:
        """Return columns of known kinds as an Arrow table; None where a word is among numbers."""
        import pyarrow as pa

        made = {}
        for name in columns:
            found = cells[name]
            if kinds[name] in ("word", "date"):
                made[name] = _words(found, batch.column(name))
            elif found.words.any():
                return None
            else:
                made[name] = pa.array(found.numbers, mask=found.missing if found.missing.any() else None)
        return pa.table(made)

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
        self.passes += 1
        with self._snapshot.held():
            rows, expected = 0, self.n_rows or 0
            for batch in self._read(names):
                rows += batch.num_rows
                expected = max(expected or self._rows_expected(batch), rows)
                if self.told is not None:
                    self.told(rows, expected)
                yield batch

    def _rows_expected(self, first: Any) -> int:
        """Return about how many rows there are, from the first of them; 0 where nothing tells."""
        if self._sheet is not None:
            return int(self._sheet.num_rows)
        if not self.is_text:
            return sum(int(parquet_rows(path)) for path in self.paths)
        if any(path.suffix.lower() in PACKED for path in self.paths):
            return 0
        size = sum(path.stat().st_size for path in self.paths)
        block = csv_text.PLAIN_BYTES if self._numbers else csv_text.BLOCK_BYTES
        return int(first.num_rows * max(size / block, 1.0))

    def _read(self, names: list[str]) -> Iterator[Any]:
        if self._sheet is not None:
            yield from self._sheet.select(names).to_batches(max_chunksize=2**16)
            return
        for path, folder in zip(self.paths, self._folders, strict=True):
            stored = [name for name in names if name not in folder]
            for batch in self._read_file(path, stored or self.names[:1], [n for n in self.names if n not in folder]):
                yield with_folder(batch, folder, names) if folder else batch

    def _read_file(self, path: Path, names: list[str], all_names: list[str]) -> Iterator[Any]:
        if self.is_text:
            if path not in self._plain_quotes:
                check_quotes(path, self.dialect)
                self._plain_quotes.add(path)
            yield from csv_batches(path, self.dialect, all_names, names, self._numbers & set(names))
            return
        try:
            with open_parquet(path) as file:
                yield from file.iter_batches(batch_size=2**16, columns=names)
        except (OSError, ValueError) as error:
            if isinstance(error, errors.InputError):
                raise
            raise errors.unreadable(str(path), error) from error

    def _common_names(self) -> list[str]:
        """Return the columns, which all files must have, and those that folders give."""
        names: list[str] = []
        for path in self.paths:
            found = read_header(path, self.dialect) if self.is_text else self._parquet_names(path)
            if names:
                require_same_columns(self.paths[0], names, path, found, self.is_text)
            names = names or found
        return names + [name for name in self._folders[0] if name not in names]

    def _parquet_names(self, path: Path) -> list[str]:
        pq = import_module("pyarrow.parquet")
        try:
            schema = pq.read_schema(path) if self._sheet is None else self._sheet.schema
            names = [str(name) for name in schema.names]
        except (OSError, ValueError) as error:
            raise errors.unreadable(str(path), error) from error
        refuse_same_names(path, names)
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
        single = self.is_text and len(self.paths) == 1
        return locate(self.path, self.dialect, self.names.index(name), word) if single else None


def parquet_rows(path: Path) -> int:
    """Return how many rows a Parquet file says it has."""
    with open_parquet(path) as file:
        return int(file.metadata.num_rows)


def _words(cells: Cells, column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = cells.text if cells.text is not None else pc.cast(column, pa.string())
    return pc.if_else(pa.array(cells.missing), pa.scalar(None, type=text.type), text)


def _require_pyarrow(path: Path) -> None:
    try:
        import_module("pyarrow")
    except ImportError as error:
        raise errors.missing_library("pyarrow", f"Reading {path}", "cli") from error


def _copied(column: Column) -> Column:
    values = None if column.values is None else set(column.values)
    return replace(column, levels=dict(column.levels), values=values)


def _numbered(batches: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    """Yield batches with the number of their first row."""
    start = 0
    for batch in batches:
        yield start, batch
        start += batch.num_rows


def _mapped(work: Callable[[S], T], items: Iterator[S]) -> Iterator[T]:
    """Do the first item here, and on threads what comes after it, if anything does."""
    for first in items:
        yield work(first)
        for second in items:
            yield from threaded(work, chain([second], items), thread_count() + 1)
