"""Moments computed inside a database: a statement, and the way back from its result.

The statement takes the average of each column as the pivot and sums differences from it and their products, in two
passes of the database over its table:

    d = x − pivot,   Σ w d,   Σ w d dᵀ,   and so   T = Σ w d dᵀ − (Σ w d)(Σ w d)ᵀ / W,

where Σ w d is nearly zero, so that nothing cancels, however far the columns lie from the origin. Only sums leave the
database: for p columns 2 + 3p + p(p + 1)/2 numbers for each group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..arrays import errors
from ..arrays.parameters import check_choice
from .base import Moments
from .centred import Scatter
from .cross import Cross
from .form import Form
from .grouped import Grouped

MOST_COLUMNS = 60  # SQLite gives at most 2,000 numbers in a row


class MomentsQuery(str):
    """A SELECT that computes moments: text for the database, and `moments(result)`, which reads its answer.

    Examples
    --------
    >>> from eigenlens.moments import to_sql
    >>> query = to_sql("patients", ["age", "weight"], group="diagnosis")
    >>> query.columns, query.group
    (('age', 'weight'), 'diagnosis')
    """

    columns: tuple[str, ...]
    second: tuple[str, ...]
    group: str | None

    def moments(self, result: Any, pooled: bool = True) -> Moments:
        """Return the moments that the database has computed.

        Parameters
        ----------
        result : cursor, relation, or list of rows
            The answer of the database to this statement.
        pooled : bool
            With a group: keep one scatter for all groups (LDA), or one for each (QDA).

        Returns
        -------
        moments : Scatter; Grouped, with a group; Cross, with a second table
        """
        rows = result.fetchall() if hasattr(result, "fetchall") else list(result)
        width = _width(len(self.columns) + len(self.second), self.group is not None)
        if not rows or any(len(row) != width for row in rows):
            raise errors.InputError(
                f"result has {len(rows)} rows and must have rows of {width} numbers; execute this very statement."
            )
        parts = [self._part(row[1:] if self.group is not None else row) for row in rows]
        if self.group is not None:
            return self._grouped([row[0] for row in rows], parts, pooled)
        parts[0].names = self.columns
        return parts[0] if not self.second else self._cross(parts[0])

    def _part(self, row: Sequence[Any]) -> Scatter:
        """Return the moments of one row of the result."""
        names = (*self.columns, *self.second)
        p = len(names)
        n_rows, weight = int(row[0]), float(row[1] or 0.0)
        missing, pivot, sums, products = np.split(np.array(row[2:], dtype=object), np.cumsum([p, p, p]))
        if n_rows and any(missing):
            j = int(np.argmax(missing.astype(float)))
            raise errors.InputError(
                f"column {names[j]!r} has {int(missing[j])} cells that are missing or not numbers. Leave those rows "
                f"out with a view or a subquery as the table, (SELECT * FROM … WHERE {names[j]} IS NOT NULL)."
            )
        if weight <= 0:
            raise errors.empty_moments()
        values = [np.array(part, dtype=np.float64) for part in (pivot, sums, products)]
        if not all(np.isfinite(part).all() for part in values):
            raise errors.InputError("The sums are not finite: a cell is NaN or infinite, or squares leave the range.")
        shift = values[1] / weight
        T = np.zeros((p, p))
        T[np.triu_indices(p)] = values[2]
        T = T + np.triu(T, 1).T - weight * np.outer(shift, shift)
        new = Scatter().anchored_at(values[0])
        new.weights, new.n_rows, new.shift, new.store = np.array([weight]), n_rows, shift[None, :], Form(matrix=T)
        return new

    def _grouped(self, labels: list[Any], parts: list[Scatter], pooled: bool) -> Grouped:
        order = np.argsort(np.asarray(labels), kind="stable")
        new = Grouped(Scatter, pooled=False)
        new.labels, new._first, new.names = np.asarray(labels)[order], parts[0].pivot, self.columns
        new.groups = [parts[k] for k in order]
        return new.holding(Scatter, [new.within()], pooled=True) if pooled else new

    def _cross(self, joint: Scatter) -> Cross:
        new = Cross(Scatter)
        new.names, new.second_names, joint.names = self.columns, self.second, None
        new.joint, new.split = joint, len(self.columns)
        return new


def to_sql(
    table: str,
    columns: Sequence[str],
    *,
    second: Sequence[str] = (),
    group: str | None = None,
    weight: str | None = None,
    dialect: Literal["duckdb", "sqlite"] = "duckdb",
) -> MomentsQuery:
    """Return a SELECT statement that computes moments inside a database, for tables that must not leave it.

    Parameters
    ----------
    table : str
        A table, a view, or a subquery in parentheses.
    columns : list of str
        The columns of X.
    second : list of str
        The columns of Y, for CCA.
    group : str, optional
        The column of labels, for LDA and QDA.
    weight : str, optional
        The column that says how often each row counts.
    dialect : {"duckdb", "sqlite"}
        The statement is plain SQL; that for SQLite also looks for cells that are not numbers, which SQLite allows.

    Returns
    -------
    query : MomentsQuery
        A string; `query.moments(result)` reads the result.

    Examples
    --------
    >>> import sqlite3
    >>> from eigenlens import PCA
    >>> from eigenlens.moments import to_sql
    >>> store = sqlite3.connect(":memory:")
    >>> _ = store.execute("CREATE TABLE t(a REAL, b REAL)")
    >>> _ = store.executemany("INSERT INTO t VALUES (?, ?)", [(1, 2), (3, 3), (4, 9)])
    >>> query = to_sql("t", ["a", "b"], dialect="sqlite")
    >>> moments = query.moments(store.execute(query))
    >>> moments
    <Scatter: 3 rows of 2 columns (a, b)>
    >>> PCA(1).fit_moments(moments).explained_variance_.round(3)
    array([16.038])
    """
    check_choice("dialect", dialect, ("duckdb", "sqlite"))
    columns, second = tuple(_named("columns", columns)), tuple(_named("second", second))
    names = (*columns, *second)
    if not columns or len(set(names)) < len(names):
        raise errors.InputError(f"columns={list(names)!r}: name one column or more, each once.")
    if second and group is not None:
        raise errors.InputError("second and group were both given; CCA takes a second table, LDA and QDA a group.")
    if dialect == "sqlite" and len(names) > MOST_COLUMNS:
        raise errors.InputError(
            f"columns: SQLite gives at most 2,000 numbers in a row, enough for {MOST_COLUMNS} columns, and there are "
            f"{len(names)}. Leave some out, or read the rows: open_rows('sqlite:///…', query=…)."
        )
    query = MomentsQuery(_statement(table, names, group, weight, dialect))
    query.columns, query.second, query.group = columns, second, group
    return query


def _statement(table: str, names: Sequence[str], group: str | None, weight: str | None, dialect: str) -> str:
    p = len(names)
    cells = [f"CAST({_quoted(name)} AS DOUBLE)" for name in names]
    w = None if weight is None else f"CAST({_quoted(weight)} AS DOUBLE)"
    times = "" if weight is None else "el_w * "  # a product with 1 costs as much as any other
    kept = "" if weight is None else f" WHERE {_quoted(weight)} > 0"
    source = table if table.lstrip().startswith("(") else ".".join(_quoted(part) for part in table.split("."))
    averages = ", ".join(f"AVG({cell}) AS el_m{j}" for j, cell in enumerate(cells))
    rows = [
        *(() if group is None else (f"{_quoted(group)} AS el_k",)),
        *(() if w is None else (f"{w} AS el_w",)),
        *(f"{cell} - el_m{j} AS el_d{j}" for j, cell in enumerate(cells)),
        *(f"{_is_number(_quoted(name), dialect)} AS el_b{j}" for j, name in enumerate(names)),
        *(f"el_m{j}" for j in range(p)),
    ]
    sums = [
        *(() if group is None else ("el_k",)),
        "COUNT(*)",
        "COUNT(*)" if w is None else "SUM(el_w)",
        *(f"COUNT(*) - COUNT(el_b{j})" for j in range(p)),
        *(f"MAX(el_m{j})" for j in range(p)),
        *(f"SUM({times}el_d{j})" for j in range(p)),
        *(f"SUM({times}el_d{i} * el_d{j})" for i in range(p) for j in range(i, p)),
    ]
    return (
        f"WITH el_rows AS (SELECT * FROM {source}{kept}),\n"
        f"el_averages AS (SELECT {averages} FROM el_rows),\n"
        f"el_centred AS (SELECT {', '.join(rows)} FROM el_rows, el_averages)\n"
        f"SELECT {', '.join(sums)}\nFROM el_centred" + ("" if group is None else "\nGROUP BY el_k ORDER BY el_k")
    )


def _is_number(column: str, dialect: str) -> str:
    """Return what is NULL where a cell is missing or not a number."""
    return column if dialect != "sqlite" else f"CASE WHEN typeof({column}) IN ('integer', 'real') THEN 1 END"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _named(argument: str, names: Any) -> Sequence[str]:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise errors.number(argument, names, "a list of columns")
    return list(names)


def _width(p: int, grouped: bool) -> int:
    return 2 + 3 * p + p * (p + 1) // 2 + grouped
