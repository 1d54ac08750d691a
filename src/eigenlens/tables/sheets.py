"""The first sheets of Excel workbooks as a table: names in the first row, numbers, dates and words below."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from .._core import errors
from ..sources.csv_text import ROW_NAMES, refuse_same_names
from .parts import require_same_columns


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
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        names = book.sheetnames
        rows = [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
        book.close()
    except (OSError, ValueError, KeyError, IndexError, BadZipFile) as error:
        raise errors.unreadable(str(path), error) from error
    rows = [row for row in rows if any(cell is not None for cell in row)]
    if not rows:
        raise errors.unreadable(str(path), ValueError(f"its first sheet, {names[0]!r}, is empty"))
    width = max(j + 1 for row in rows for j, cell in enumerate(row) if cell is not None)
    header = ["" if cell is None else str(cell).strip() for cell in rows[0][:width]]
    header[0] = header[0] or ROW_NAMES
    if not all(header):
        place = header.index("") + 1
        raise errors.InputError(f"{path}, row 1, column {place}: the column has no name; give it one.")
    refuse_same_names(path, header)
    columns = {name: [row[j] if j < len(row) else None for row in rows[1:]] for j, name in enumerate(header)}
    note = [f"The first of {len(names)} sheets, {names[0]!r}, is read."] if len(names) > 1 else []
    return columns, note


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
