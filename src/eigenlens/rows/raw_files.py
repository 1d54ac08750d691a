"""The files of one table, as batches of cells that have not been judged yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import errors, optional
from ..arrays.spelling import option, refused
from . import csv_text
from .addresses import open_bytes
from .cells import Cells, has_control, parse
from .csv_text import (
    AUTO,
    MISSING,
    PLAIN,
    ROW_NAMES,
    Dialect,
    NotPlain,
    check_quotes,
    csv_batches,
    has_unnamed_index,
    locate,
    read_header,
    refuse_same_names,
)
from .endings import PACKED, SHEETS, TEXT, kind_of
from .guessing import NAMED, guessed
from .parquet import open_parquet, parquet_batches, read_footer
from .parts import files_of, place_in_words, require_same_columns, with_folder
from .sheets import read_sheets
from .snapshot import Snapshot

BATCH_ROWS = 2**16  # of a Parquet file or a sheet that are judged at a time


class RawFiles:
    """Files of one table; parameters and attributes are those of `TableFile`."""

    notes: list[str]
    passes: int

    def __init__(self, path: str | Path | Sequence[str | Path], dialect: Dialect | None = None) -> None:
        place = Path(path) if isinstance(path, str | Path) else [Path(each) for each in path]
        self.path = place_in_words(place)
        self.paths, self._folders = files_of(place)
        suffix = kind_of(self.paths[0])
        optional.pyarrow(self.path)
        self.is_one_place = isinstance(place, Path)
        self.asked = dialect or Dialect()
        self.is_text = suffix in TEXT
        self._snapshot = Snapshot(self.paths)
        self.dialect, self.notes = self._written(self.asked)
        self._asked = self.dialect
        self._sheet: Any = None
        if suffix in SHEETS:
            self._sheet, self.notes = read_sheets(self.paths, self._folders)
        self.n_rows: int | None = None
        self.passes = 0
        self.told: Callable[[int, int], None] | None = None
        self._numbers: frozenset[str] = frozenset()  # columns of text that pyarrow reads as numbers
        self._plain_quotes: set[Path] = set()
        self._met: set[str] = set()  # values of `asked.na` that stand in some cell
        self.names = self._common_names()
        for name in self.names:
            if has_control(name):
                raise errors.InputError(
                    f"{self.path}, line 1: the column {errors.quoted(name)} has a control character in its name; "
                    "remove it."
                )
        for role, given in (("words", self.dialect.words), ("numbers", self.dialect.numbers)):
            for name in given:
                if name not in self.names:
                    raise errors.no_column(name, self.names, option(role, name))
        for name in set(self.dialect.words) & set(self.dialect.numbers):
            raise refused("words", name, f"it is also among the columns of {option('numbers')}; name it once")

    def _written(self, dialect: Dialect) -> tuple[Dialect, list[str]]:
        """Return how the cells are written, and what was assumed."""
        if self.is_text:
            return guessed(self.paths[0], dialect)
        decimal = PLAIN.decimal if dialect.decimal == AUTO else dialect.decimal
        return replace(dialect, delimiter=PLAIN.delimiter, decimal=decimal, encoding=PLAIN.encoding), []

    def cells_expected(self, cell_bytes: int, most: int) -> int:
        """Return about how many cells there are: of text, by its size; otherwise as the file itself says.

        Packed text is unpacked until it has the most cells that matter: how much there is in it, only it can say.

        Parameters
        ----------
        cell_bytes : int
            Of text, for a cell.
        most : int
        """
        if self._sheet is not None:
            return int(self._sheet.num_rows * self._sheet.num_columns)
        if self.is_text:
            return sum(_text_bytes(path, most * cell_bytes) for path in self.paths) // cell_bytes
        return sum(read_footer(path)[1] for path in self.paths) * len(self.names)

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
            return sum(read_footer(path)[1] for path in self.paths)
        if any(path.suffix.lower() in PACKED for path in self.paths):
            return 0
        size = sum(path.stat().st_size for path in self.paths)
        block = csv_text.PLAIN_BYTES if self._numbers else csv_text.BLOCK_BYTES
        return int(first.num_rows * max(size / block, 1.0))

    def _read(self, names: list[str]) -> Iterator[Any]:
        if self._sheet is not None:
            yield from self._sheet.select(names).to_batches(max_chunksize=BATCH_ROWS)
            return
        for path, folder in zip(self.paths, self._folders, strict=True):
            stored = [name for name in names if name not in folder]
            for batch in self._read_file(path, stored or self.names[:1], self._names_in[path]):
                yield with_folder(batch, folder, names) if folder else batch

    def _read_file(self, path: Path, names: list[str], all_names: list[str]) -> Iterator[Any]:
        if self.is_text:
            if path not in self._plain_quotes:
                check_quotes(path, self.dialect)
                self._plain_quotes.add(path)
            yield from csv_batches(path, self.dialect, all_names, names, self._numbers & set(names))
            return
        with open_parquet(path) as file:
            yield from parquet_batches(path, file, names, BATCH_ROWS)

    def _common_names(self) -> list[str]:
        """Return the columns, which all files must have, and those that folders give."""
        if self._sheet is not None:
            return [str(name) for name in self._sheet.column_names]
        self._names_in = {path: self._names_of(path) for path in self.paths}
        names = self._names_in[self.paths[0]]
        for path, found in self._names_in.items():
            require_same_columns(self.paths[0], names, path, found)
        return names + [name for name in self._folders[0] if name not in names]

    @property
    def unnamed_index(self) -> bool:
        """Whether the first column has no name in the file."""
        if self._sheet is not None:
            return bool(self._sheet.column_names[0] == ROW_NAMES)
        return self.is_text and has_unnamed_index(self.paths[0], self.dialect)

    def _names_of(self, path: Path) -> list[str]:
        if self.is_text:
            try:
                return read_header(path, self.dialect)
            except errors.InputError:
                self._require_same_delimiter(path)
                raise
        names = [str(name) for name in read_footer(path)[0].names]
        refuse_same_names(path, names)
        return names

    def _require_same_delimiter(self, path: Path) -> None:
        """Refuse a file whose columns are separated in another way than those of the first."""
        first, told = self.paths[0], self.dialect.delimiter
        if path == first or self.asked.delimiter != AUTO:
            return
        found = guessed(path, self.asked)[0].delimiter
        if found != told:
            raise errors.InputError(
                f"{path}: its columns are separated by {NAMED[found]}, those of {first} by {NAMED[told]}. All files "
                "of a table need the same separator; save this one like the first."
            )

    def _cells(self, batch: Any, name: str) -> Cells:
        column = batch.column(name)
        if not self.is_text:
            self._require_known(name, column.type)
        if name in self._numbers:
            return self._plain(column)
        words = name in self.dialect.words
        dressed = name in self.dialect.dressed
        na = self.dialect.missing_in(name)
        if len(self._met) < len(self.asked.na):
            self._meet(name, column, words)
        return parse(column, self.dialect.decimal, na, words, dressed)

    def _meet(self, name: str, column: Any, words: bool) -> None:
        """Remember which of the values that were said to stand for a missing one stand in a cell."""
        own = {text: text.removeprefix(f"{name}=") for text in self.asked.na if text not in self._met}
        before = int(parse(column, self.dialect.decimal, (), words).missing.sum())
        for text, value in own.items():
            if int(parse(column, self.dialect.decimal, (value,), words).missing.sum()) > before:
                self._met.add(text)

    def _forget_unmet(self) -> None:
        """Say which of these values stand in no cell, and ask for the others only from now on."""
        met = tuple(text for text in self.asked.na if text in self._met or text.lower() in MISSING)
        unmet = [text for text in self.asked.na if text not in met]
        if unmet:
            named = errors.listed([option("na", unmet[0]), *map(errors.quoted, unmet[1:])])
            self.notes.append(f"{named}: no cell of the columns that are read has this value.")
        self.asked = replace(self.asked, na=met)

    def _plain(self, column: Any) -> Cells:
        """Return numbers that pyarrow has read; odd spellings of those that are none or too large are for text."""
        missing = np.asarray(column.is_null().to_numpy(zero_copy_only=False), dtype=bool)
        numbers = column.to_numpy(zero_copy_only=False)
        if np.isfinite(numbers).sum() + missing.sum() < len(numbers):
            raise NotPlain
        return Cells(numbers, missing, np.zeros(len(numbers), dtype=bool))

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
                f"({option('drop', name)}) or turn it into numbers first."
            )

    def _line(self, name: str, word: str) -> int | None:
        """Return the first line on which a cell reads so, None where lines mean nothing."""
        single = self.is_text and len(self.paths) == 1
        return locate(self.paths[0], self.dialect, self.names.index(name), word) if single else None


def _text_bytes(path: Path, most: int) -> int:
    """Return how much text a file holds, up to about `most` bytes where it is packed."""
    if path.suffix.lower() not in PACKED:
        return path.stat().st_size
    count = 0
    with suppress(*csv_text.DAMAGED), open_bytes(path) as file:  # whoever reads it says what is wrong
        while count < most and (part := file.read(2**20)):
            count += len(part)
    return count
