"""A file that is read in pieces: what its columns hold, then moments and a sample of its rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import errors
from ..rows import TableFile
from .columns import counted_kinds, used_columns, without_counters
from .data import Data, group_numbers, tell
from .first_pass import FirstPass, collected, weights_of
from .gaps import missing_cells, no_row_left, note_gone
from .layout import layout_of
from .methods import chosen, made
from .plan import Plan, Progress
from .response_bins import second_pivot, slices_means, slices_wanted
from .roles import hinted_groups, noted_years, roles_of
from .targets import shown_column, target_of, written
from .weights import refuse_words
from .whole import FIRST, SECOND, Whole

MOST_COLUMNS = 2_000


def read_in_pieces(
    file: TableFile, plan: Plan, sources: tuple[str, ...], progress: Progress | None = None
) -> Data | None:
    """Read a file twice: what its columns hold, then moments and a sample; None where a study needs all rows at hand.

    Parameters
    ----------
    file : TableFile
    plan : Plan
    sources : tuple of str
        What names the table on a command line.
    progress : Progress or None
    """
    tell(file, FIRST, progress)
    profile = file.profile(ignore=plan.drop)
    notes, roles, n = counted_kinds(file, profile), roles_of(file, plan, profile), file.n_rows or 0
    layout = layout_of(file, plan, profile, n, set(profile), roles)
    if layout.weights is not None and profile[layout.weights].kind == "word":
        raise refuse_words(layout.weights)
    if not _fits_from_moments(layout, plan):
        return None
    tell(file, SECOND, progress)
    first = collected(file, plan, layout)
    layout = layout_of(file, plan, profile, n, _running(first, profile), roles)
    if not first.patterned and first.layout != layout:  # numbers that ran from row to row by their range alone
        first = collected(file, plan, layout)
    if first.patterned:
        return None
    first.finish()
    first = _sliced(first, plan)
    tell(file, "", None)
    kept = first.kept
    if first.patterned:
        return None
    if kept.weighing is not None:
        kept.weighing.require(str(layout.weights))
        if kept.weighing.repeats(len(layout.used)):
            return None
    notes += roles.notes
    gone = _note_gaps(file, plan, first, profile, notes)
    used = without_counters(used_columns(plan, profile, roles), list(layout.counters), plan, notes)
    notes += noted_years(roles, used)
    if kept.weighing is not None:
        notes.append(kept.weighing.noted(str(layout.weights), repeated=False))
    table, numbers = kept.rows[0], kept.numbers[0]
    order = np.argsort(numbers)
    table, numbers = table.take(order), numbers[order]
    shown = {name: shown_column(table.column(name)) for name in [*([plan.target] if plan.target else []), *used]}
    y = None if plan.target is None else target_of(table.column(plan.target), layout.kind)
    if layout.kind == "classes":
        shown[str(plan.target)] = np.array(y, dtype=object)
        roles.hints += hinted_groups(table, used, np.asarray(y), profile) if roles.group is None else []
    row_names = None if roles.rows is None else [written(v) for v in table.column(roles.rows).to_pylist()]
    data = Data(errors.listed(sources, 3), table.select(used), y, layout.kind, row_names, notes, shown, file.names)
    data.dialect, data.gone, data.roles = file.dialect if file.is_text else None, gone, roles
    data.sources, data.asked, data.unnamed_index = sources, file.asked, file.unnamed_index
    if kept.weighing is not None:
        data.weights = weights_of(table.column(layout.weights)) / kept.weighing.mean
    if layout.group is not None:
        data.groups = group_numbers(table.column(layout.group))
    data.numbers = numbers if kept.n_rows < n or len(numbers) < n else None
    if len(numbers) < kept.n_rows:
        data.whole = Whole(first, plan)
        data.whole.progress = progress
        if layout.missing == "keep" and not data.whole.has_likelihood(data):
            return None
    return data


def _sliced(first: FirstPass, plan: Plan) -> FirstPass:
    """Count a response again where its bins are too coarse for slices, and count slices where rows have holes."""
    bins, layout = first.kept.bins, first.layout
    if bins is None:
        return first
    again = first
    model = made(chosen(plan.method, layout.kind), plan.seed)
    H = slices_wanted(model, first.kept.n_rows, len(first.raw.names_out_))
    if H is not None and bins.coarse(H):
        y = first.kept.rows[0].column(layout.target).to_numpy()
        again = collected(first.file, plan, layout, pivot=second_pivot(y))
        assert again.kept.bins is not None
        bins = again.kept.bins
    if layout.missing == "keep":
        again = collected(first.file, plan, layout, pivot=bins.pivot, slicing=bins.slicing(H or 2))
    again.finish()
    return again


def _running(first: FirstPass, profile: dict[str, Any]) -> set[str]:
    """Return columns of ascending numbers; those that were not followed may be."""
    return first.kept.running | {name for name in profile if name not in first.kept.ends}


def _fits_from_moments(layout: Any, plan: Plan) -> bool:
    if layout.kind not in ("none", "classes", "number") or len(layout.columns) > MOST_COLUMNS or not layout.columns:
        return False
    model = made(chosen(plan.method, layout.kind), plan.seed)
    return slices_means(model) if layout.kind == "number" else hasattr(model, "fit_moments")


def _note_gaps(file: TableFile, plan: Plan, first: FirstPass, profile: Any, notes: list[str]) -> tuple[str, ...]:
    """Say which rows are left out for missing cells, or refuse these."""
    layout, kept = first.layout, first.kept
    counts = {name: profile[name].missing for name in layout.wanted if profile[name].missing}
    true_gaps = [name for name in counts if profile[name].missing > profile[name].odd]
    if plan.missing == "refuse" and true_gaps:
        raise missing_cells(file.path, counts, file.n_rows or 0, kept.n_holed + kept.n_unknown)
    if kept.n_rows == 0:
        raise no_row_left(plan, counts, file.n_rows or 0)
    if plan.missing == "ml":
        return note_gone(kept.n_unknown, kept.n_empty, plan, notes)
    left = kept.n_unknown + kept.n_empty + kept.n_holed
    if left:
        notes.append(f"{left:,} rows with missing cells are left out.")
    return ()
