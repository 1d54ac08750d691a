"""From a file and what was asked to the rows of a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._core import errors, memory
from .._core.errors import listed
from ..report.findings import counted
from ..sources.csv_text import Dialect
from ..tables import Preparation, TableFile
from ..tables.preparation import MOST_WORDS
from ..tables.reading import Column
from .plan import Plan
from .roles import Roles, hinted_groups, noted_years, quoted, roles_of
from .weights import weighted

FEW = 10  # whole numbers of at most so many different values are classes, unless told otherwise
COPIES = 10  # tables of numbers that a report holds at its peak, as measured; what a method takes itself comes on top
WORD_BYTES = 120  # of a cell of words, as measured
HUGE = 1e150  # what is larger, or smaller than its inverse, cannot be squared
FEWEST_COUNTED = 10  # rows in which a running number is told from chance
FEW_NOTES = 4  # columns of words that get a note each
UNLIKE = 5.0  # standard deviations that differ by more than this factor have unlike units


@dataclass
class Data:
    """Rows of a study.

    Attributes
    ----------
    table : Arrow table
        Columns to analyse.
    y : ndarray or None
        Labels (text), or numbers.
    kind : str
        "none", "classes", "number", "views" or "distances".
    row_names : list of str or None
    notes : list of str
    shown : dict of str to ndarray
        Columns of the table for the page, words as objects.
    all_names : list of str
        Columns of the file.
    dialect : Dialect or None
        How the file is written, if it is text.
    sampled : bool
        Whether the rows are some of the file's.
    in_memory : bool
        Whether the rows were given, and not read from a file of the user's.
    gone : tuple of str
        Which rows were left out though holes are kept: those without a "target", those that are "empty".
    weights : ndarray or None
        How much each row counts, with mean 1; None where all count the same.
    groups : ndarray of int or None
        Which rows belong together.
    first_copies : ndarray of int or None
        Where rows were repeated as often as they were met: the first of each.
    roles : Roles
        What columns are for that are not analysed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from eigenlens.study import read_data, study
    >>> from eigenlens.study.demos import write_demo
    >>> from eigenlens.tables import TableFile
    >>> path, plan = write_demo("iris", pathlib.Path(tempfile.mkdtemp()))
    >>> data = read_data(TableFile(path), plan)
    >>> data.kind, len(data.y)
    ('classes', 150)
    """

    source: str
    table: Any
    y: np.ndarray | None
    kind: str
    row_names: list[str] | None
    notes: list[str]
    shown: dict[str, np.ndarray] = field(default_factory=dict)
    all_names: list[str] = field(default_factory=list)
    dialect: Dialect | None = None
    sampled: bool = False
    in_memory: bool = False
    gone: tuple[str, ...] = ()
    weights: np.ndarray | None = None
    groups: np.ndarray | None = None
    first_copies: np.ndarray | None = None
    roles: Roles = field(default_factory=Roles)

    @property
    def n_rows(self) -> int:
        return int(self.table.num_rows)


def read_data(file: TableFile, plan: Plan, source: str | None = None) -> Data:
    """Read what a plan needs from a file, and say what was found.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from eigenlens.study import read_data, study
    >>> from eigenlens.study.demos import write_demo
    >>> from eigenlens.tables import TableFile
    >>> path, plan = write_demo("iris", pathlib.Path(tempfile.mkdtemp()))
    >>> data = read_data(TableFile(path), plan)
    >>> data.notes
    ['150 rows, 5 columns: 4 of numbers, 1 of words.']
    """
    try:
        _check_names(file, plan)
    except errors.InputError:
        file.profile(ignore=plan.drop)  # a first line that is a row gives way to other names
        _check_names(file, plan)
    profile = file.profile(ignore=plan.drop)
    notes = _counted_kinds(file, profile)
    roles = roles_of(file, plan, profile)
    notes += roles.notes
    used = _used(plan, profile, roles)
    kind = _kind(plan, profile)
    rows = _sampled(file, plan, notes)
    _require_memory(file, plan, [profile[name] for name in used], len(rows) if rows is not None else file.n_rows or 0)
    beside = [name for name in (roles.rows, roles.weights, roles.group) if name is not None]
    wanted = [*used, *([plan.target] if plan.target else []), *dict.fromkeys(beside)]
    table = file.read(wanted, rows)
    table, gone = _without_gaps(file, table, [profile[c] for c in wanted if c not in beside], plan, notes)
    if not plan.distances and plan.views is None:
        running = [name for name in used if _counts_rows(table.column(name), profile[name], file.n_rows or 0)]
        used = _without_counters(used, running, plan, notes)
        notes += noted_years(roles, used)
    table, weights, first_copies = weighted(table, roles.weights, len(used), notes)
    y = None if plan.target is None else _target(table.column(plan.target), kind, plan.target)
    shown = {name: _shown(table.column(name)) for name in [*([plan.target] if plan.target else []), *used]}
    if plan.target is not None and kind == "classes":
        shown[plan.target] = np.array(y, dtype=object)
        roles.hints += hinted_groups(table, used, np.asarray(y), profile) if roles.group is None else []
    return Data(
        source or str(file.path),
        table.select(used),
        y,
        kind,
        None if roles.rows is None else [_written(v) for v in table.column(roles.rows).to_pylist()],
        notes,
        shown,
        file.names,
        file.dialect if file.is_text else None,
        rows is not None,
        gone=gone,
        weights=weights,
        groups=None if roles.group is None else _numbered(table.column(roles.group)),
        first_copies=first_copies,
        roles=roles,
    )


def prepared(data: Data, plan: Plan, table: Any = None, full: bool = False, of: str = "") -> Preparation:
    """Fit the preparation of a table, deciding whether its columns are standardised, and note what it did."""
    table = data.table if table is None else table
    missing = "keep" if plan.missing == "ml" and holes_in(data.table).any() else plan.missing
    missing = missing if missing in ("mean", "keep") else "refuse"
    trial = Preparation(standardise=False, missing=missing, full=full, keep=plan.keep).fit(
        table, sample_weight=data.weights
    )
    spread = trial.spread_
    decided = plan.standardise
    beyond = (spread > HUGE) | (spread < 1 / HUGE)
    if decided is None:
        decided = bool(spread.max() > UNLIKE * spread.min()) or bool(trial.levels_) or bool(beyond.any())
    if beyond.any() and not decided:
        name = trial.names_out_[int(np.argmax(beyond))]
        rule = f"the column {name!r} has a standard deviation of {spread[beyond][0]:.3g}, whose square is no number"
        raise errors.setting("--no-standardise", name, f"{rule}; leave out --no-standardise, or the column (--drop)")
    why = f"standard deviations from {spread.min():.3g} to {spread.max():.3g}"
    columns = f"Columns of the {of}" if of else "Columns"
    done = f"{columns} are standardised" if decided else f"{columns} are centred, not standardised"
    how = "" if plan.standardise is None else ", as asked"
    if len(spread) > 1:
        data.notes.append(f"{done}{how} ({why}).")
    data.notes += _words_noted(trial)
    for reason in dict.fromkeys(trial.left_out_.values()):
        names = [repr(name) for name, why in trial.left_out_.items() if why == reason]
        data.notes.append(f"{listed(names)} left out: {reason}.")
    return Preparation(standardise=decided, missing=missing, full=full, keep=plan.keep).fit(
        table, sample_weight=data.weights
    )


def holes_in(table: Any) -> np.ndarray:
    """Return which cells of an Arrow table are missing, as an array of shape (n, p)."""
    import pyarrow.compute as pc

    gaps = [np.asarray(pc.is_null(column, nan_is_null=True).to_numpy(), dtype=bool) for column in table.columns]
    return np.stack(gaps, axis=1) if gaps else np.zeros((table.num_rows, 0), dtype=bool)


def _words_noted(preparation: Preparation) -> list[str]:
    """Say what became of columns of words: each for itself while they are few."""
    levels = preparation.levels_
    if len(levels) <= FEW_NOTES:
        return [f"{name!r} holds words and becomes {len(w)} kinds as columns of 0 and 1." for name, w in levels.items()]
    made = sum(len(b) for b, c in zip(preparation.blocks(), preparation.columns_, strict=True) if c in levels)
    return [f"{len(levels):,} columns hold words ({listed(map(repr, levels))}) and become {made:,} columns of 0 and 1."]


def _check_names(file: TableFile, plan: Plan) -> None:
    views = [name for view in plan.views or () for name in view]
    roles = [("--target", plan.target)] if plan.target else []
    roles += [("--drop", name) for name in plan.drop] + [("--views", name) for name in views]
    roles += [("--keep", name) for name in plan.keep] + [("--numbers", name) for name in plan.numbers]
    single = {"--target": plan.target, "--id": plan.id, "--weights": plan.weights, "--group": plan.group}
    roles += [(option, name) for option, name in single.items() if name is not None and option != "--target"]
    for role, name in roles:
        if name not in file.names:
            raise errors.no_column(str(name), file.names, role)
    taken: dict[str, str] = {}
    for option, column in [*single.items(), *(("--drop", name) for name in plan.drop)]:
        if column is not None and taken.setdefault(column, option) != option:
            raise errors.setting(taken[column], column, f"it is also the column of {option}; a column has one use")
    twice = {name for name in views if views.count(name) > 1}
    if twice:
        raise errors.setting("--views", sorted(twice)[0], "a column stands in one view only, and once")
    if plan.sample is not None and plan.sample < 10:
        raise errors.setting("--sample", plan.sample, "at least 10 rows are needed")


def _counted_kinds(file: TableFile, profile: dict[str, Column]) -> list[str]:
    """Say how many rows and columns there are, and how the reader has read them."""
    kinds = [c.kind for c in profile.values()]
    counts = f"{kinds.count('number')} of numbers, {kinds.count('word')} of words"
    counts += f", {kinds.count('date')} of dates" if "date" in kinds else ""
    first = f"{counted(file.n_rows or 0, 'row')}, {counted(len(profile), 'column')}: {counts}."
    return [first, *file.notes, *(column.remark for column in profile.values() if column.remark)]


def _used(plan: Plan, profile: dict[str, Column], roles: Roles) -> list[str]:
    """Return the columns to analyse."""
    dates = [column.name for column in profile.values() if column.kind == "date"]
    for role, names in (("--target", [plan.target]), ("--views", [n for view in plan.views or () for n in view])):
        for name in set(names) & set(dates):
            raise errors.setting(
                role, name, "it holds dates; turn them into numbers first, such as days since the first"
            )
    if plan.views is not None:
        return [*plan.views[0], *plan.views[1]]
    used = [name for name in profile if name != plan.target and name not in roles.gone]
    if not used:
        raise errors.nothing_left(
            f"{name!r} {why}" + ("" if "dates" in why else f" (--keep {name!r} takes it in)")
            for name, why in roles.gone.items()
            if name != plan.target
        )
    return used


def _kind(plan: Plan, profile: dict[str, Column]) -> str:
    if plan.distances:
        return "distances"
    if plan.views is not None:
        return "views"
    if plan.target is None:
        return "none"
    column = profile[plan.target]
    if column.kind == "word":
        if plan.target_is == "number":
            raise errors.setting("--target", plan.target, "it holds words, which are no numbers; leave out --as number")
        return "classes"
    if plan.target_is is not None:
        return plan.target_is
    kinds = column.high - column.low + 1
    few = column.whole and kinds <= FEW and column.numbers > kinds  # so that some value repeats
    return "classes" if few else "number"


def _sampled(file: TableFile, plan: Plan, notes: list[str]) -> np.ndarray | None:
    n = file.n_rows or 0
    if plan.sample is None or plan.sample >= n:
        return None
    notes.append(f"{plan.sample:,} of {n:,} rows are analysed, drawn at random (seed {plan.seed}).")
    return np.sort(np.random.default_rng(plan.seed).choice(n, plan.sample, replace=False))


def _require_memory(file: TableFile, plan: Plan, used: list[Column], n: int) -> None:
    """Refuse rows that would not fit, before any is kept: the profile was made block by block."""
    words = [c for c in used if c.kind == "word"]
    made = len(used) - len(words) + sum(min(len(c.levels), MOST_WORDS) for c in words)
    needed = n * (8 * COPIES * made + WORD_BYTES * len(words))
    available = memory.available_bytes()
    fitting = n if available is None else int(n * min(memory.SHARE * available / max(needed, 1), 1.0))
    power = 10 ** max(len(str(fitting)) - 2, 0)
    some = max(fitting // 2 // power * power, 10)
    way_out = (
        f"analyse some of the rows, drawn at random: --sample {some}; leave out columns (--drop); or "
        f"fit all rows in Python, from the file and in one pass: "
        f"eigenlens.PCA().fit(eigenlens.open_rows({str(file.path)!r})), and the same for LDA, CCA, SIR"
    )
    memory.require(needed, f"A report on {n:,} rows and {made:,} columns", way_out)


def _without_gaps(
    file: TableFile, table: Any, columns: list[Column], plan: Plan, notes: list[str]
) -> tuple[Any, tuple[str, ...]]:
    """Refuse gaps, or leave out rows that have them; gaps in the target cannot be filled in."""
    import pyarrow as pa

    mask = holes_in(table.select([c.name for c in columns]))
    gaps = {c.name: mask[:, j] for j, c in enumerate(columns)}
    counts = {name: int(gap.sum()) for name, gap in gaps.items() if gap.any()}
    all_gone = [name for name, count in counts.items() if count == table.num_rows]
    counts = {name: count for name, count in counts.items() if name not in all_gone or name == plan.target}
    if not counts:
        return table, ()
    touched = np.logical_or.reduce([gaps[name] for name in counts])
    true_gaps = [c.name for c in columns if c.name in counts and c.missing > c.odd]
    kept = plan.missing == "ml" and not plan.distances
    if plan.missing in ("refuse", "ml") and not kept and true_gaps:
        raise _missing(file.path, counts, table.num_rows, int(touched.sum()))
    unknown = gaps.get(plan.target or "", np.zeros(table.num_rows, dtype=bool))
    if kept:
        empty = np.logical_and.reduce([gap for name, gap in gaps.items() if name != plan.target]) & ~unknown
        return _without_unknown(table, unknown, empty, plan, counts, notes)
    leave = unknown if plan.missing == "mean" else touched
    if leave.all():
        raise _no_row_left(plan, counts, table.num_rows)
    filled = {name: count for name, count in counts.items() if name != plan.target}
    if plan.missing == "mean" and filled:
        notes.append(f"{sum(filled.values()):,} missing cells are filled with the mean (words: the most frequent one).")
    if leave.any():
        notes.append(f"{int(leave.sum()):,} rows with missing cells are left out.")
    return table.filter(pa.array(~leave)), ()


def _without_unknown(
    table: Any, unknown: np.ndarray, empty: np.ndarray, plan: Plan, counts: dict[str, int], notes: list[str]
) -> tuple[Any, tuple[str, ...]]:
    """Leave out rows whose target is missing, and those that miss everything else."""
    import pyarrow as pa

    if (unknown | empty).all():
        raise _no_row_left(plan, counts, table.num_rows)
    for gone, what in ((unknown, f"whose {plan.target!r} is missing"), (empty, "without any observed cell")):
        if gone.any():
            notes.append(f"{_rows(int(gone.sum()))} {what} {'is' if gone.sum() == 1 else 'are'} left out.")
    which = [name for name, gone in (("target", unknown), ("empty", empty)) if gone.any()]
    return table.filter(pa.array(~(unknown | empty))), tuple(which)


def _rows(n: int) -> str:
    return "1 row" if n == 1 else f"{n:,} rows"


def _no_row_left(plan: Plan, counts: dict[str, int], n: int) -> Exception:
    """Say which columns have so many gaps that no row is left."""
    if plan.target is not None and counts.get(plan.target) == n:
        return errors.setting("--target", plan.target, "all its cells are missing, so that there is nothing to explain")
    worst = sorted(counts, key=lambda name: -counts[name])
    described = listed((f"{name!r} {counts[name]:,}" for name in worst), 8)
    rule = f"each of the {n:,} rows has a missing cell (by column: {described}), so that no row is left"
    return errors.setting(
        "--missing",
        plan.missing,
        f"{rule}; fill them with --missing mean, or leave columns out: --drop {worst[0]!r}",
    )


def _target(column: Any, kind: str, name: str) -> np.ndarray:
    values = column.to_pylist()
    if kind == "classes":
        return np.array([_written(v) for v in values])
    return np.array(values, dtype=float)


def _written(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _counts_rows(column: Any, profile: Column, n: int) -> bool:
    """Tell whether a column is a running number of n rows, in steps of 1 or more; those at hand may be some of them."""
    if profile.kind != "number" or not profile.whole or len(column) < FEWEST_COUNTED:
        return False
    step = (profile.high - profile.low) / (n - 1)
    values = np.asarray(column.to_numpy(), dtype=float)
    return step >= 1 and not ((values - profile.low) % step).any() and bool((np.diff(values) > 0).all())


def _without_counters(used: list[str], running: list[str], plan: Plan, notes: list[str]) -> list[str]:
    """Leave out running numbers; where a target has nothing else to depend on, they may be its time and stay."""
    left_out = [name for name in running if name not in (*plan.keep, *plan.numbers)]
    rest = [name for name in used if name not in left_out]
    if not left_out:
        return used
    if rest:
        verb = "it only counts" if len(left_out) == 1 else "they only count"
        notes.append(f"{quoted(left_out)} left out: {verb} the rows (--keep takes {_it(left_out)} in).")
        return rest
    if plan.target is None:
        raise errors.nothing_left(f"{name!r} only counts the rows (--keep {name!r} takes it in)" for name in left_out)
    notes.append(f"{quoted(left_out)} only counts the rows, and is taken in since there is no other column.")
    return used


def _numbered(column: Any) -> np.ndarray:
    """Return the number of the group that each row belongs to; rows without a group share one."""
    return np.unique([_written(v) for v in column.to_pylist()], return_inverse=True)[1]


def _it(names: list[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _shown(column: Any) -> np.ndarray:
    import pyarrow as pa

    if pa.types.is_floating(column.type):
        return np.asarray(column.to_numpy(), dtype=float)
    return np.array(column.to_pylist(), dtype=object)


def _missing(path: Any, counts: Mapping[str, int], rows: int, touched: int) -> errors.InputError:
    described = errors.listed((f"{name!r} {count:,}" for name, count in counts.items()), 8)
    return errors.InputError(
        f"{path} has missing cells in {touched:,} of {rows:,} rows (by column: {described}). Say what to do: "
        f"--missing drop leaves those rows out, --missing mean fills in the column's mean (words: the most frequent)."
    )
