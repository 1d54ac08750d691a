"""What a person wants to read after a fit: the call, the rows, and a few tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from textwrap import fill
from typing import Any

import numpy as np

from . import errors, namespaces, optional
from .errors import plain
from .typing import Frame

LINES, WIDTH = 15, 7  # of a table as text or in a notebook


@dataclass(frozen=True, eq=False)
class Table:
    """Numbers with names for their rows and columns.

    Attributes
    ----------
    title : str
    values : ndarray of shape (r, c)
    rows, columns : list of str
    lines : int
        So many are shown; `to_frame()` has them all.
    """

    title: str
    values: np.ndarray
    rows: list[str]
    columns: list[str]
    lines: int = LINES

    def to_frame(self) -> Frame:
        """Return the table as a pandas DataFrame."""
        return optional.pandas().DataFrame(self.values, index=self.rows, columns=self.columns)

    def _cells(self) -> tuple[list[list[str]], str]:
        """Return the part of the table that is shown, names included, and what is said about the rest."""
        r, c = self.values.shape
        head = ["", *self.columns[:WIDTH]]
        body = [
            [name, *("" if np.isnan(v) else f"{v:.4g}" for v in line[:WIDTH])]
            for name, line in zip(self.rows[: self.lines], self.values[: self.lines], strict=True)
        ]
        left = [f"{r - self.lines} more rows"] * (r > self.lines) + [f"{c - WIDTH} more columns"] * (c > WIDTH)
        return [head, *body], f"… {' and '.join(left)}: to_frame()" if left else ""

    def __str__(self) -> str:
        cells, rest = self._cells()
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in cells
        ]
        return "\n".join([self.title, *lines, *([rest] if rest else [])])

    def _repr_html_(self) -> str:
        cells, rest = self._cells()
        rows = [f"<tr>{''.join(f'<th>{escape(cell)}</th>' for cell in cells[0])}</tr>"]
        for line in cells[1:]:
            rows.append(f"<tr><th>{escape(line[0])}</th>{''.join(f'<td>{escape(v)}</td>' for v in line[1:])}</tr>")
        more = f"<p>{escape(rest)}</p>" if rest else ""
        return f"<p><b>{escape(self.title)}</b></p><table>{''.join(rows)}</table>{more}"


@dataclass(frozen=True, eq=False, repr=False)
class Summary:
    """What a fitted model says about itself; `print` it, or show it in a notebook.

    Attributes
    ----------
    call : str
        The model, with its parameters.
    facts : list of str
        Sentences: how many rows, columns and classes there were, and what else is worth a line.
    tables : dict of str to Table
        By name, such as "columns", "classes", "means", "directions", "coefficients", "structure". Each has `values`,
        `rows`, `columns`, and `to_frame()`.
    test : str
        What a test of dimension says, where it needs no rows.

    Examples
    --------
    >>> from eigenlens import LDA
    >>> from sklearn.datasets import load_iris
    >>> summary = LDA().fit(*load_iris(return_X_y=True)).summary()
    >>> print(summary.tables["directions"])
    Directions
          eigenvalue     share  cumulative
    lda0       31.55    0.9912      0.9912
    lda1      0.2797  0.008787           1
    >>> summary.to_frame("classes")["rows"].tolist()
    [50.0, 50.0, 50.0]
    """

    call: str
    facts: list[str]
    tables: dict[str, Table] = field(default_factory=dict)
    test: str = ""

    def to_frame(self, table: str | None = None) -> Frame:
        """Return one table as a pandas DataFrame; without a name all of them, a row for each number.

        Parameters
        ----------
        table : str, optional
            A name in `tables`.
        """
        if table is not None:
            if table not in self.tables:
                raise errors.option("table", table, self.tables)
            return self.tables[table].to_frame()
        cells = [
            (name, row, column, part.values[i, j])
            for name, part in self.tables.items()
            for i, row in enumerate(part.rows)
            for j, column in enumerate(part.columns)
        ]
        return optional.pandas().DataFrame(cells, columns=["table", "row", "column", "value"])

    def __str__(self) -> str:
        head = "\n".join([self.call, *self.facts])
        return "\n\n".join([head, *map(str, self.tables.values()), *([fill(self.test, 100)] if self.test else [])])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.call}: {', '.join(self.tables)}>"

    def _repr_html_(self) -> str:
        tables = "".join(table._repr_html_() for table in self.tables.values())
        test = f"<p>{escape(self.test)}</p>" if self.test else ""
        return f"<div><p>{escape(' '.join(self.facts))}</p>{tables}{test}</div>"


def table(title: str, columns: Mapping[str, Any], rows: Sequence[Any]) -> Table:
    """Return a table of columns that have names; those that are None are left out."""
    kept = {name: namespaces.floats(v) for name, v in columns.items() if v is not None}
    return Table(title, np.column_stack(list(kept.values())), names_of(rows), list(kept))


def matrix(title: str, values: Any, rows: Iterable[Any], columns: Iterable[Any]) -> Table:
    """Return a table of an array whose rows and columns have names."""
    return Table(title, namespaces.floats(values), names_of(rows), names_of(columns))


def names_of(labels: Any) -> list[str]:
    """Return labels as words."""
    return [str(plain(label)) for label in labels]


def tables_of(parts: Iterator[tuple[str, Table | None]]) -> dict[str, Table]:
    """Return the tables that are there, by name."""
    return {name: part for name, part in parts if part is not None}
