"""CSV files, read strictly: every cell of X is a number, or the error names file, line and column.

Types are fixed before the first row. A reader that infers them from the head of a file gives up in the middle of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import errors, optional
from .csv_text import BLOCK_BYTES, MISSING, PLAIN, arrow_batches, header_cells, lines_of, read_header
from .parquet import record_piece
from .pieces import Piece, Roles
from .snapshot import Snapshot

HEAD_BYTES = 2**20  # text decoded where only the first rows are wanted
PEEK = 1000  # lines from which the kind of labels is read
LINES_TRIED = 20  # lines that tell whether a column is written as whole numbers


class CsvReader:
    """CSV files with the same header."""

    n_rows: int | None = None
    rereadable = True
    has_target = has_weight = False

    def __init__(self, paths: list[Path], na: tuple[str, ...] = ()) -> None:
        self.paths, self.snapshot, self.na = paths, Snapshot(paths), na
        headers = [read_header(path, PLAIN) for path in paths]
        self.names: list[str] | None = headers[0]
        for path, header in zip(paths, headers, strict=True):
            if header != headers[0]:
                found, expected = (f"columns {errors.listed(h, 12)}" for h in (header, headers[0]))
                raise errors.files_differ(str(path), str(paths[0]), found, expected)
        self.width = len(headers[0])
        self.index = frozenset({0} if header_cells(paths[0], PLAIN)[0] == "" else ())
        if all(_number(name) is not None for name in headers[0]):
            raise errors.InputError(
                f"{paths[0]}: the first line ({errors.listed(headers[0])}) holds numbers, but it must hold the names "
                "of the columns; add a header."
            )

    def __repr__(self) -> str:
        return errors.listed(self.paths, 1)

    def dtype(self, roles: Roles) -> np.dtype:
        return np.dtype(np.float64)

    def found_words(self, roles: Roles) -> list[bool]:
        """Tell which columns of X are not numbers, by the first lines."""
        lines = [row for _, row in islice(lines_of(self.paths[0], PLAIN), 1, PEEK) if row]
        cells = [[row[j] for row in lines if len(row) > j and row[j] not in self.na] for j in roles.columns]
        return [any(_number(cell) is None for cell in column) for column in cells]

    def step(self, rows: int) -> int:
        return rows

    def pieces(
        self, roles: Roles, rows: int, only_target: bool = False, most_bytes: int = BLOCK_BYTES
    ) -> Iterator[Piece]:
        wanted = roles if not only_target else Roles((), roles.target, roles.weight, roles.single)
        assert self.names is not None
        names = [self.names[j] for j in wanted.all]
        kinds = self._kinds(roles)
        for path in self.paths:
            yield from self._file_pieces(path, wanted, names, {name: kinds[name] for name in names}, most_bytes)

    def head(self, roles: Roles) -> Iterator[Piece]:
        return self.pieces(roles, 1, most_bytes=HEAD_BYTES)

    def _kinds(self, roles: Roles) -> dict[str, Any]:
        """Return the type of each column: numbers, and for y whatever the first lines hold."""
        pa, names = optional.pyarrow(self.paths[0]), self.names
        assert names is not None
        kinds = {names[j]: pa.float64() for j in roles.all}
        kinds |= {names[j]: pa.dictionary(pa.int32(), pa.string()) for j in roles.words}
        if roles.target is not None and roles.single:
            name = names[roles.target[0]]
            place = roles.target[0]
            peeked = islice(lines_of(self.paths[0], PLAIN), 1, PEEK)
            cells = [row[place] if len(row) > place else "" for _, row in peeked if row]
            numbers = [_number(cell) for cell in cells]
            if None in numbers:
                kinds[name] = pa.string()
            elif all("." not in cell and "e" not in cell.lower() and "n" not in cell.lower() for cell in cells):
                kinds[name] = pa.int64()
        return kinds

    def _whole(self) -> set[str]:
        """Return the columns whose first cells are whole numbers, as which they were meant to be exact."""
        assert self.names is not None
        rows = [row for _, row in islice(lines_of(self.paths[0], PLAIN), 1, LINES_TRIED) if len(row) == self.width]
        columns = zip(self.names, zip(*rows, strict=True), strict=True) if rows else []
        return {name for name, cells in columns if all(_is_whole(cell) for cell in cells)}

    def _file_pieces(
        self, path: Path, roles: Roles, names: list[str], kinds: dict[str, Any], most_bytes: int
    ) -> Iterator[Piece]:
        nulls = [*_spellings(), *self.na]
        read = {"column_names": self.names, "skip_rows": 1}
        convert = {
            "column_types": kinds,
            "include_columns": names,
            "strings_can_be_null": True,
            "null_values": nulls,
        }
        start, whole, line_of = 0, self._whole(), partial(_line_of, path)
        try:
            read["block_size"] = most_bytes
            for batch in arrow_batches(path, read, {}, convert):
                yield record_piece(batch, roles, names, np.float64, str(path), start, line_of, whole)
                start += batch.num_rows
        except (OSError, ValueError) as error:
            if isinstance(error, errors.InputError):
                raise
            if "mpty CSV" not in str(error):  # a header without rows is a table without rows
                raise self._located(path, kinds, error) from error

    def _located(self, path: Path, kinds: dict[str, Any], cause: Exception) -> Exception:
        """Read the file again, cell by cell, to say which one it was."""
        assert self.names is not None
        for line, cells in islice(lines_of(path, PLAIN), 1, None):
            if not cells:
                continue
            if len(cells) != self.width:
                return errors.csv_line(path, line, len(cells), self.width)
            for name, cell in zip(self.names, cells, strict=True):
                kind = str(kinds.get(name, "string"))
                if kind == "double" and cell.strip() and cell not in self.na and _number(cell) is None:
                    rule = "is not a number; encode the column first, or leave it out with columns="
                    return _csv_cell(path, line, name, cell, rule)
                if kind == "int64" and cell and not _is_whole(cell):
                    rule = "is not a whole number, but the labels above it are; write all labels in one way"
                    return _csv_cell(path, line, name, cell, rule)
        return errors.unreadable(path, cause)


def _line_of(path: Path, row: int) -> int:
    """Return the line on which a row begins: blank lines are not rows, and a quoted cell may go over several."""
    lines = (line for line, cells in islice(lines_of(path, PLAIN), 1, None) if cells)
    return next(islice(lines, row, None))


def _number(cell: str) -> float | None:
    if cell.strip().lower() in MISSING:
        return float("nan")
    try:
        return float(cell) if "_" not in cell and cell.isascii() else None  # other digits are words to pyarrow
    except ValueError:
        return None


@cache
def _spellings() -> list[str]:
    """Return the spellings of a missing cell in large and small letters: pyarrow knows no others."""
    cases = [product(*({letter, letter.upper()} for letter in word)) for word in MISSING]
    return sorted("".join(letters) for words in cases for letters in words)


def _is_whole(cell: str) -> bool:
    try:
        return "_" not in cell and int(cell) is not None
    except ValueError:
        return False


def _csv_cell(path: Any, line: int, column: str, value: str, rule: str) -> errors.InputError:
    return errors.InputError(f"{path}, line {line}, column {column!r}: {value!r} {rule}.")
