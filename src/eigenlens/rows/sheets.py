"""The first sheets of Excel workbooks as a table: names in the first row, numbers, dates and words below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import date, datetime
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from ..arrays import errors, memory
from .csv_text import DAMAGED, ROW_NAMES, refuse_same_names
from .parts import require_same_columns

MOST_ROWS = 2**20  # of a sheet, by its format
BYTES_OF_TEXT = 2  # that a workbook takes in memory for each byte of its XML: 24 or more of them make a number


def read_sheets(paths: list[Path], folders: list[dict[str, str]]) -> tuple[Any, list[str]]:
    """Return the first sheet of each workbook, one below the other, as an Arrow table, and what was assumed.

    Parameters
    ----------
    paths : list of Path
    folders : list of dict of str to str
        What the folders around each file say about it: columns of words.
    """
    import pyarrow as pa

    found: dict[str, list[Any]] = {}
    notes: list[str] = []
    for path, folder in zip(paths, folders, strict=True):
        columns, said = _read_sheet(path)
        rows = len(next(iter(columns.values())))
        columns |= {name: [word] * rows for name, word in folder.items()}
        if found:
            require_same_columns(paths[0], list(found), path, list(columns))
        for name, cells in columns.items():
            found.setdefault(name, []).extend(cells)
        notes += [note for note in said if note not in notes]
    return pa.table({name: _column(cells) for name, cells in found.items()}), notes


def _read_sheet(path: Path) -> tuple[dict[str, list[Any]], list[str]]:
    """Return the cells of each column of the first sheet, and what was assumed."""
    try:
        openpyxl = import_module("openpyxl")
    except ImportError as error:
        way_out = "pip install openpyxl, or save the sheet as CSV"
        raise ImportError(f"Reading {path} needs openpyxl, which is not installed: {way_out}.") from error
    try:
        with ZipFile(path) as archive:
            unpacked = sum(file.file_size for file in archive.infolist())
        memory.require(BYTES_OF_TEXT * unpacked, f"Reading {path}", "save the sheet as CSV or Parquet")
        with closing(openpyxl.load_workbook(path, read_only=True, data_only=True)) as book:
            sheets = book.worksheets
            sheet = next((sheet for sheet in sheets if sheet.sheet_state == "visible"), sheets[0])
            found = {k: row for k, row in _rows_of(sheet, True) if any(cell is not None for cell in row)}
        if len(found) <= max(found, default=0) or any(None in row for row in found.values()):
            with closing(openpyxl.load_workbook(path, read_only=True)) as book:
                _require_computed(path, book[sheet.title], found)
    except errors.InputError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, SyntaxError, *DAMAGED) as error:
        raise errors.unreadable(path, error) from error  # openpyxl has no error of its own for what is damaged
    rows = list(found.values())
    if not rows:
        raise errors.unreadable(path, ValueError(f"its first sheet, {sheet.title!r}, is empty"))
    width = max(j + 1 for row in rows for j, cell in enumerate(row) if cell is not None)
    header = ["" if cell is None else str(cell).strip() for cell in rows[0][:width]]
    header += [""] * (width - len(header))
    header[0] = header[0] or ROW_NAMES
    if not all(header):
        place = header.index("") + 1
        raise errors.InputError(f"{path}, row 1, column {place}: the column has no name; give it one.")
    refuse_same_names(path, header)
    columns = {name: [row[j] if j < len(row) else None for row in rows[1:]] for j, name in enumerate(header)}
    first = "first" if sheet is sheets[0] else "first visible one"
    return columns, [f"The {first} of {len(sheets)} sheets, {sheet.title!r}, is read."] if len(sheets) > 1 else []


def _rows_of(sheet: Any, values_only: bool = False) -> Iterator[tuple[int, Any]]:
    """Yield the number and the cells of each row of a sheet, whatever size its file claims for it."""
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(values_only=values_only)):
        if number >= MOST_ROWS:
            raise ValueError(f"it has rows beyond {MOST_ROWS:,}, where sheets end")
        yield number, row


def _require_computed(path: Path, sheet: Any, found: dict[int, Any]) -> None:
    """Refuse a sheet with formulas of which none has a value: no spreadsheet program has computed them yet."""
    first = None
    for number, row in _rows_of(sheet):
        values = found.get(number, [None] * len(row))
        for cell, value in zip(row, values, strict=True):
            if cell.data_type == "f":
                if value is not None:
                    return
                first = first or cell.coordinate
    if first is not None:
        raise errors.InputError(
            f"{path}, sheet {sheet.title!r}, cell {first}: the formula has no value, and neither has any other. Open "
            "the workbook in a spreadsheet program, which computes them, and save it."
        )


def _column(cells: Sequence[Any]) -> Any:
    """Return a column of one type: numbers or dates where all cells are such, else text."""
    import pyarrow as pa

    kept = [cell for cell in cells if cell is not None]
    if kept and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in kept):
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    if kept and all(isinstance(cell, datetime) for cell in kept):
        return pa.array(cells, pa.timestamp("us"))
    return pa.array([None if cell is None else _text(cell) for cell in cells], pa.string())


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    return cell.isoformat() if isinstance(cell, date) else str(cell)
