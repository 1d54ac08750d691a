"""What the columns of a table in files hold: one pass over its cells counts them, and each column is judged.

Rows are parsed on threads, a few thousand at a time, so that a file of any size can be looked through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..arrays import errors
from ..arrays.threads import thread_count, threaded
from . import refusals
from .cells import LONGEST, Cells, has_control, parse
from .csv_text import Dialect, NotPlain, csv_batches
from .judging import LEVELS, Column, JudgesColumns, strings
from .raw_files import RawFiles

MANY_COLUMNS = 100  # from which columns of numbers are counted together

S = TypeVar("S")
T = TypeVar("T")


class ProfiledFiles(RawFiles, JudgesColumns):
    """Files whose columns are told apart as numbers and words; parameters and attributes are those of `TableFile`."""

    def __init__(self, path: str | Path | Sequence[str | Path], dialect: Dialect | None = None) -> None:
        super().__init__(path, dialect)
        self._profile: dict[str, Column] | None = None

    @property
    def may_lack_header(self) -> bool:
        """Whether the first line of a text file may be a row, by its cells alone: some are numbers, some are words."""
        words = parse(strings(self.names), self.dialect.decimal).words
        return self.is_text and bool(words.any()) and not bool(words.all())

    def profile(self, ignore: Sequence[str] = ()) -> dict[str, Column]:
        """Read the file once and tell what each column holds; columns to ignore may hold anything."""
        if self._profile is not None:
            return self._profile
        self._numbers = self._plain_numbers(ignore)
        try:
            return self._profiled(ignore)
        except NotPlain:  # a cell far down is written in another way: all are looked at as text
            self._numbers = frozenset()
            return self._profiled(ignore)

    def _plain_numbers(self, ignore: Sequence[str]) -> frozenset[str]:
        """Return the columns of text that the first rows have numbers in, where all of it is plainly written."""
        d = self.dialect
        if not self.is_text or d.decimal != "." or d.na or d.words or d.numbers or not d.header:
            return frozenset()
        stored = self._names_in[self.paths[0]]
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

    def _profiled(self, ignore: Sequence[str]) -> dict[str, Column]:
        columns = {name: Column(name) for name in self.names if name not in ignore}

        def parsed(batch: Any) -> tuple[int, dict[str, Cells]]:
            return batch.num_rows, {name: self._cells(batch, name) for name in columns}

        rows = 0
        for count, cells in mapped_on_threads(parsed, iter(self._batches(list(columns)))):
            self._take_all_in(columns, cells)
            rows += count
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
            return self.profile(ignore)
        self._forget_unmet()
        self._profile = columns
        return columns

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
        """Read columns of numbers as words: the numbers are codes."""
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
        self.names = self._common_names()
        self.notes.append(
            f"The first line ({said}) looks like the rows below it: it counts as a row, and columns are named x1 to "
            f"x{len(self.names)}."
        )

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

    def _infinite(self, name: str, cells: Cells) -> Exception:
        place = int(np.argmax(np.isinf(np.where(cells.missing, 0.0, cells.numbers))))
        word = str(cells.numbers[place]) if cells.text is None else cells.text[place].as_py()
        return errors.bad_cell(
            self.path, self._line(name, word), name, word, "is infinite or too large for a number; correct or remove it"
        )


def _words(cells: Cells, column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = cells.text if cells.text is not None else pc.cast(column, pa.string())
    return pc.if_else(pa.array(cells.missing), pa.scalar(None, type=text.type), text)


def numbered(batches: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    """Yield batches with the number of their first row."""
    start = 0
    for batch in batches:
        yield start, batch
        start += batch.num_rows


def mapped_on_threads(work: Callable[[S], T], items: Iterator[S]) -> Iterator[T]:
    """Do the first item here, and on threads what comes after it, if anything does."""
    for first in items:
        yield work(first)
        for second in items:
            yield from threaded(work, chain([second], items), thread_count() + 1)
