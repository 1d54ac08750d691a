"""Cells far beyond all others of their column: what is said of them, and what the finding is without them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays.errors import EigenlensWarning, InputError, listed
from ..arrays.spelling import option
from ..page.findings import Findings, number
from ..rows import TableFile
from ..rows.extreme_cells import ExtremeCells, extreme_cells
from .data import Data
from .missing_cells import ALIKE
from .plan import Plan
from .sentences import joined

MOST_NOTED = 4  # columns that get a sentence each
MOST_VALUES = 10  # different numbers that a command names


@dataclass(frozen=True)
class Extremes:
    """Cells far beyond all others of a column.

    Attributes
    ----------
    column : str
    found : ExtremeCells
    decimal : str
        The mark that the file writes numbers with.
    """

    column: str
    found: ExtremeCells
    decimal: str = "."

    @property
    def options(self) -> list[str]:
        """What treats them as missing on a command line; nothing where they are too many to be named."""
        values = self.found.values
        if len(values) > MOST_VALUES:
            return []
        return [f"{self.column}={_written(value).replace('.', self.decimal)}" for value in values]


def extremes_of(data: Data, plan: Plan) -> list[Extremes]:
    """Return the cells far beyond the others in columns of numbers, the target's among them."""
    if data.kind == "distances":
        return []
    columns = {name: data.table.column(name).to_numpy() for name in _numbers(data)}
    if data.kind == "number" and plan.target is not None:
        columns[plan.target] = np.asarray(data.y, dtype=float)
    decimal = "." if data.dialect is None else data.dialect.decimal
    if data.whole is None:
        return [Extremes(name, each, decimal) for name, column in columns.items() for each in extreme_cells(column)]
    return _of_all_rows(data.whole.file, columns, decimal)


def _of_all_rows(file: TableFile, columns: dict[str, np.ndarray], decimal: str) -> list[Extremes]:
    """Return the same of a file, from a sample of its rows, its largest and smallest numbers, and one more pass."""
    profile = file.profile()
    ends = {name: (profile[name].low, profile[name].high) for name in columns}
    limits: dict[str, tuple[float, float]] = {}  # between which the others lie
    for name, column in columns.items():
        found = extreme_cells(np.append(column, [end for end in ends[name] if end not in column]))
        below, above = ([e.next for e in found if (e.values[0] > e.next) == upper] for upper in (False, True))
        if found:
            limits[name] = (below[0] if below else -np.inf, above[0] if above else np.inf)
    if not limits:
        return []

    def work(table: Any, start: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        parts = {}
        for name, (low, high) in limits.items():
            values = table.column(name).to_numpy()
            places = np.flatnonzero((values < low) | (values > high))
            parts[name] = (places + start, values[places])
        return parts

    parts = list(file.mapped(dict.fromkeys(limits, "number"), list(limits), work))
    all_found = []
    for name, (low, high) in limits.items():
        places, values = (np.concatenate([part[name][i] for part in parts]) for i in (0, 1))
        others = columns[name][(columns[name] >= low) & (columns[name] <= high)]
        for each in extreme_cells(np.append(values, others)):
            if each.places.max() < len(values):
                all_found.append(Extremes(name, replace(each, places=places[each.places]), decimal))
    return all_found


def tell_extremes(found: list[Extremes], data: Data) -> list[str]:
    """Say which cells they are, and what to do if they stand for no value."""
    said = []
    for each in found[:MOST_NOTED]:
        values, count = each.found.values, len(each.found.places)
        cells = f"{count:,} cell{'' if count == 1 else 's'}"
        numbers = listed((number(value, 6) for value in values), 3)
        where = f"{numbers} in {cells} ({listed(_rows(each, data), 3)})"
        if each.found.is_code:
            side = "above" if values[0] > each.found.next else "below"
            what = f"{each.column!r} holds {where}, and no other number {side} {number(each.found.next, 6)}"
            question = f"if {numbers} stands for a missing cell"
        else:
            what = f"{each.column!r} holds {where}, far beyond the others, which end at {number(each.found.next, 6)}"
            question = "if this is a mistake" if count == 1 else "if these are mistakes"
        names = " ".join(option("na", text) for text in each.options)
        way_out = f"treat it as missing with {names}" if names else "correct these cells, or leave them empty"
        said.append(f"{what}; {question}, {way_out}.")
    more = [repr(each.column) for each in found[MOST_NOTED:]]
    if more:
        said.append(f"Cells far beyond the others are also in {listed(more, 8)}.")
    return said


def without_extremes(found: list[Extremes], data: Data, plan: Plan) -> tuple[Data, Plan] | None:
    """Return the same study with these cells missing, and without rows whose target is one of them."""
    import pyarrow as pa

    if data.whole is not None:
        return None
    table, keep = data.table, np.ones(data.n_rows, dtype=bool)
    for each in found:
        if each.column == plan.target:
            keep[each.found.places] = False
            continue
        values = table.column(each.column).to_numpy().copy()
        values[each.found.places] = np.nan
        column = pa.array(values, mask=np.isnan(values))
        table = table.set_column(table.column_names.index(each.column), each.column, column)
    new = replace(data, table=table.filter(pa.array(keep)), notes=[], second_look=True)
    if not keep.all():
        names = ("y", "weights", "groups", "numbers")
        parts = {name: getattr(data, name) for name in names}
        kept: dict[str, Any] = {n: None if part is None else np.asarray(part)[keep] for n, part in parts.items()}
        row_names = data.row_names and [name for name, stays in zip(data.row_names, keep, strict=True) if stays]
        numbers = np.flatnonzero(keep) if kept["numbers"] is None else kept["numbers"]
        shown = {name: column[keep] for name, column in data.shown.items()}
        kept |= {"numbers": numbers, "row_names": row_names, "shown": shown, "first_copies": None}
        new = replace(new, **kept)
    return new, replace(plan, missing="ml")


def changed(findings: Findings, answer: Callable[[], Findings]) -> list[str]:
    """Say what another finding, of the same rows without these cells, has that this one has not."""
    try:
        other = answer()
    except (InputError, EigenlensWarning):
        return []
    said = []
    a, b = findings.ours, other.ours
    if a and b and not (a.low <= b.score <= a.high and b.low <= a.score <= b.high):
        said.append(f"{findings.score_name} on rows left out is {b.score:.1%} instead of {a.score:.1%}")
    j, k = findings.shown_directions, other.shown_directions
    counted = not findings.test.stopped and not other.test.stopped
    if counted and j is not None and k is not None and j != k:
        said.append(f"{k} of {len(other.directions)} directions are significant instead of {j}")
    if not _alike(findings, other) and other.top_loadings(0, 1):
        tops = [name for name, _ in other.top_loadings(0, 2)]
        most = f"{joined(tops)} count{'' if len(tops) > 1 else 's'} most"
        said.append(f"the first direction is another one, in which {most}")
    return [f"With these cells missing, {'; '.join(said)}."] if said else ["The finding is the same without them."]


def _alike(findings: Findings, other: Findings) -> bool:
    """Tell whether the first direction weighs the columns in the same way."""
    names = [name for name in findings.loading_names if name in other.loading_names]
    if not names or not findings.loadings.size or not other.loadings.size:
        return True
    pair = [each.loadings[[each.loading_names.index(name) for name in names], 0] for each in (findings, other)]
    lengths = [np.linalg.norm(v) for v in pair]
    return bool(abs(pair[0] @ pair[1]) >= ALIKE * lengths[0] * lengths[1])


def _numbers(data: Data) -> list[str]:
    import pyarrow as pa

    return [field.name for field in data.table.schema if pa.types.is_floating(field.type)]


def _rows(each: Extremes, data: Data) -> list[str]:
    """Return what the rows of these cells are called."""
    places = each.found.places.tolist()
    if data.whole is not None:
        return [f"row {place + 1:,}" for place in places]
    if data.row_names is not None:
        return [str(data.row_names[i]) for i in places]
    return [f"row {(i if data.numbers is None else int(data.numbers[i])) + 1:,}" for i in places]


def _written(value: float) -> str:
    return f"{value:g}" if float(f"{value:g}") == value else repr(float(value))
