"""Missing cells of a table: found, refused, or left out with their rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import errors
from ..arrays.errors import listed
from ..arrays.spelling import option, refused
from ..rows import TableFile
from ..rows.judging import Column
from .plan import Plan


def holes_in(table: Any) -> np.ndarray:
    """Return which cells of an Arrow table are missing, as an array of shape (n, p)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    def gaps_of(column: Any) -> np.ndarray:
        if pa.types.is_float64(column.type) and not column.null_count:
            return np.isnan(column.to_numpy())
        return np.asarray(pc.is_null(column, nan_is_null=True).to_numpy(), dtype=bool)

    gaps = [gaps_of(column) for column in table.columns]
    return np.stack(gaps, axis=1) if gaps else np.zeros((table.num_rows, 0), dtype=bool)


def without_gaps(
    file: TableFile, table: Any, columns: list[Column], plan: Plan, notes: list[str]
) -> tuple[Any, tuple[str, ...], np.ndarray | None]:
    """Refuse gaps, or leave out rows that have them; gaps in the target cannot be filled in."""
    import pyarrow as pa

    mask = holes_in(table.select([c.name for c in columns]))
    gaps = {c.name: mask[:, j] for j, c in enumerate(columns)}
    counts = {name: int(gap.sum()) for name, gap in gaps.items() if gap.any()}
    all_gone = [name for name, count in counts.items() if count == table.num_rows]
    counts = {name: count for name, count in counts.items() if name not in all_gone or name == plan.target}
    if not counts:
        return table, (), None
    touched = np.logical_or.reduce([gaps[name] for name in counts])
    true_gaps = [c.name for c in columns if c.name in counts and c.missing > c.odd]
    kept = plan.missing == "ml" and not plan.distances
    if plan.missing in ("refuse", "ml") and not kept and true_gaps:
        raise missing_cells(file.path, counts, table.num_rows, int(touched.sum()))
    unknown = gaps.get(plan.target or "", np.zeros(table.num_rows, dtype=bool))
    if kept:
        empty = np.logical_and.reduce([gap for name, gap in gaps.items() if name != plan.target]) & ~unknown
        return _without_unknown(table, unknown, empty, plan, counts, notes)
    leave = unknown if plan.missing == "mean" else touched
    if leave.all():
        raise no_row_left(plan, counts, table.num_rows)
    filled = {name: count for name, count in counts.items() if name != plan.target}
    if plan.missing == "mean" and filled:
        notes.append(f"{sum(filled.values()):,} missing cells are filled with the mean (words: the most frequent one).")
    if leave.any():
        notes.append(f"{int(leave.sum()):,} rows with missing cells are left out.")
    return table.filter(pa.array(~leave)), (), ~leave


def _without_unknown(
    table: Any, unknown: np.ndarray, empty: np.ndarray, plan: Plan, counts: dict[str, int], notes: list[str]
) -> tuple[Any, tuple[str, ...], np.ndarray]:
    """Leave out rows whose target is missing, and those that miss everything else."""
    import pyarrow as pa

    kept = ~(unknown | empty)
    if not kept.any():
        raise no_row_left(plan, counts, table.num_rows)
    return table.filter(pa.array(kept)), note_gone(int(unknown.sum()), int(empty.sum()), plan, notes), kept


def note_gone(unknown: int, empty: int, plan: Plan, notes: list[str]) -> tuple[str, ...]:
    """Note how many rows are left out although holes are kept; return which."""
    for gone, what in ((unknown, f"whose {plan.target!r} is missing"), (empty, "without any observed cell")):
        if gone:
            notes.append(f"{_rows(gone)} {what} {'is' if gone == 1 else 'are'} left out.")
    return tuple(name for name, gone in (("target", unknown), ("empty", empty)) if gone)


def _rows(n: int) -> str:
    return "1 row" if n == 1 else f"{n:,} rows"


def no_row_left(plan: Plan, counts: dict[str, int], n: int) -> Exception:
    """Say which columns have so many gaps that no row is left."""
    if plan.target is not None and counts.get(plan.target) == n:
        return refused("target", plan.target, "all its cells are missing, so there is nothing to explain")
    worst = sorted(counts, key=lambda name: -counts[name])
    described = listed((f"{name!r} {counts[name]:,}" for name in worst), 8)
    rule = f"each of the {n:,} rows has a missing cell (by column: {described}), so no row is left"
    return refused(
        "missing",
        plan.missing,
        f"{rule}; fill them with {option('missing', 'mean')}, or leave columns out: {option('drop', worst[0])}",
    )


def missing_cells(path: Any, counts: Mapping[str, int], rows: int, touched: int) -> errors.InputError:
    """Refuse missing cells, with their counts."""
    described = errors.listed((f"{name!r} {count:,}" for name, count in counts.items()), 8)
    return errors.InputError(
        f"{path} has missing cells in {touched:,} of {rows:,} rows (by column: {described}). Say what to do: "
        f"{option('missing', 'drop')} leaves those rows out, {option('missing', 'mean')} fills in the column's mean "
        f"(words: the most frequent)."
    )
