"""From a file and what was asked to the rows of a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._core import errors, memory
from .._core.errors import listed
from ..report.findings import counted
from ..sources.csv_text import Dialect
from ..tables import Preparation, TableFile
from ..tables.identifiers import is_identifier, is_index
from ..tables.preparation import MOST_WORDS
from ..tables.reading import Column

FEW = 10  # whole numbers of at most so many different values are classes, unless told otherwise
COPIES = 10  # tables of numbers that a report holds at its peak, as measured; what a method takes itself comes on top
WORD_BYTES = 120  # of a cell of words, as measured
HUGE = 1e150  # what is larger, or smaller than its inverse, cannot be squared
FEW_NOTES = 4  # columns of words that get a note each
UNLIKE = 5.0  # standard deviations that differ by more than this factor have unlike units
MISSING = ("ml", "refuse", "drop", "mean")  # what can be done about missing cells

Progress = Callable[[str, int, int], None]  # what is done, how much of it, of how much


@dataclass(frozen=True)
class Plan:
    """What was asked.

    Attributes
    ----------
    target : str, optional
        Column to explain.
    target_is : {"classes", "number"}, optional
        What it holds, where the table leaves that open.
    views : pair of lists of str, optional
        Two sets of columns to relate.
    distances : bool
        The table holds distances.
    method : str
        "auto", or the name of a method.
    drop, keep : tuples of str
        Columns to leave out; columns of many words to take in.
    missing : {"ml", "refuse", "drop", "mean"}
        Missing cells: maximum likelihood where the method has it, else filled with what their row leads to expect;
        an error; rows left out; the mean of the column.
    standardise : bool, optional
        None where the spreads of the columns are to decide.
    sample : int, optional
        Analyse so many rows, drawn at random.
    seed : int
    folds : int
        Of the cross-validation; 0 leaves it out.

    Examples
    --------
    >>> from eigenlens.study import Plan
    >>> Plan(target="kind").target
    'kind'
    """

    target: str | None = None
    target_is: str | None = None
    views: tuple[list[str], list[str]] | None = None
    distances: bool = False
    method: str = "auto"
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    missing: str = "ml"
    standardise: bool | None = None
    sample: int | None = None
    seed: int = 0
    folds: int = 5
    title: str | None = None


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
    _check_names(file, plan)
    profile = file.profile(ignore=plan.drop)
    used, row_column, notes = _used(file, plan, profile)
    kind = _kind(plan, profile)
    rows = _sampled(file, plan, notes)
    _require_memory(file, plan, [profile[name] for name in used], len(rows) if rows is not None else file.n_rows or 0)
    wanted = [*used, *([plan.target] if plan.target else []), *([row_column] if row_column else [])]
    table = file.read(wanted, rows)
    table, gone = _without_gaps(file, table, [profile[c] for c in wanted if c != row_column], plan, notes)
    row_names = None if row_column is None else [_written(v) for v in table.column(row_column).to_pylist()]
    y = None if plan.target is None else _target(table.column(plan.target), kind, plan.target)
    if not plan.distances and plan.views is None:
        running = [name for name in used if _counts_rows(table.column(name), profile[name], file)]
        used = _without_counters(used, running, plan, notes)
    shown = {name: _shown(table.column(name)) for name in [*([plan.target] if plan.target else []), *used]}
    if plan.target is not None and kind == "classes":
        shown[plan.target] = np.array(y, dtype=object)
    return Data(
        source or str(file.path),
        table.select(used),
        y,
        kind,
        row_names,
        notes,
        shown,
        file.names,
        file.dialect if file.is_text else None,
        rows is not None,
        gone=gone,
    )


def prepared(data: Data, plan: Plan, table: Any = None, full: bool = False, of: str = "") -> Preparation:
    """Fit the preparation of a table, deciding whether its columns are standardised, and note what it did."""
    table = data.table if table is None else table
    missing = "keep" if plan.missing == "ml" and holes_in(data.table).any() else plan.missing
    missing = missing if missing in ("mean", "keep") else "refuse"
    trial = Preparation(standardise=False, missing=missing, full=full, keep=plan.keep).fit(table)
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
    return Preparation(standardise=decided, missing=missing, full=full, keep=plan.keep).fit(table)


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
    roles += [("--keep", name) for name in plan.keep]
    for role, name in roles:
        if name not in file.names:
            raise errors.no_column(str(name), file.names, role)
    if plan.target in plan.drop:
        raise errors.setting("--target", plan.target, "it is also among the columns to --drop")
    twice = {name for name in views if views.count(name) > 1}
    if twice:
        raise errors.setting("--views", sorted(twice)[0], "a column stands in one view only, and once")
    if plan.sample is not None and plan.sample < 10:
        raise errors.setting("--sample", plan.sample, "at least 10 rows are needed")


def _used(file: TableFile, plan: Plan, profile: dict[str, Column]) -> tuple[list[str], str | None, list[str]]:
    """Return the columns to analyse, the one that names the rows, and what to say about it."""
    n, words, notes = file.n_rows or 0, [], []
    kinds = [c.kind for c in profile.values()]
    counts = f"{kinds.count('number')} of numbers, {kinds.count('word')} of words"
    counts += f", {kinds.count('date')} of dates" if "date" in kinds else ""
    notes.append(f"{counted(n, 'row')}, {counted(len(profile), 'column')}: {counts}.")
    notes += file.notes
    for column in profile.values():
        if column.kind == "word" and column.name != plan.target and column.name not in plan.keep:
            distinct = len(column.levels) >= min(n, 1000) and all(v == 1 for v in column.levels.values())
            words += [column.name] if distinct and n > 2 else []
    notes += [column.remark for column in profile.values() if column.remark]
    row_column = words[0] if words else None
    unnamed = [column.name for column in profile.values() if _is_index(column, file, plan)]
    if unnamed and (row_column is None or profile[unnamed[0]].kind == "word"):
        row_column = unnamed[0]
    if row_column:
        notes.append(f"{row_column!r} names the rows and is not analysed.")
    dates = [column.name for column in profile.values() if column.kind == "date"]
    for role, names in (("--target", [plan.target]), ("--views", [n for view in plan.views or () for n in view])):
        for name in set(names) & set(dates):
            raise errors.setting(
                role, name, "it holds dates; turn them into numbers first, such as days since the first"
            )
    if plan.views is not None:
        return [*plan.views[0], *plan.views[1]], row_column, notes
    if plan.drop:
        notes.append(f"{_quoted(plan.drop)} left out, as asked.")
    if dates:
        notes.append(f"{_quoted(dates)} left out: dates are not numbers.")
    marks = [c.name for c in profile.values() if c.name not in unnamed and _is_mark(c, plan)]
    if marks:
        what = "it identifies rows" if len(marks) == 1 else "they identify rows"
        notes.append(f"{_quoted(marks)} left out: by name, {what} (--keep takes {_it(marks)} in).")
    gone: dict[str | None, str] = {row_column: "names the rows", **dict.fromkeys(unnamed, "is the index of the rows")}
    gone |= {**dict.fromkeys(dates, "holds dates"), **dict.fromkeys(marks, "identifies rows")}
    used = [name for name in profile if name != plan.target and name not in gone]
    if not used:
        raise errors.nothing_left(
            f"{name!r} {why} (--keep {name!r} takes it in)" if why != "holds dates" else f"{name!r} {why}"
            for name, why in gone.items()
            if name is not None and name != plan.target
        )
    return used, row_column, notes


def _is_index(column: Column, file: TableFile, plan: Plan) -> bool:
    """Tell whether a column is the index of the table, which was written without a name or by that of a program."""
    if column.name in (plan.target, *plan.keep) or not is_index(column.name):
        return False
    first = column.name == file.names[0] or column.name.startswith("__index")  # pandas writes that last to Parquet
    return first and column.kind in ("number", "word") and column.whole


def _is_mark(column: Column, plan: Plan) -> bool:
    """Tell whether a column of whole numbers identifies rows or persons: its size means nothing."""
    named = is_identifier(column.name) and column.name not in (plan.target, *plan.keep)
    return named and column.kind == "number" and column.whole


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


def _counts_rows(column: Any, profile: Column, file: TableFile) -> bool:
    """Tell whether a column is a running number; the rows at hand may be some of the file's."""
    if profile.kind != "number" or not profile.whole or len(column) < 10:
        return False
    if profile.high - profile.low + 1 != file.n_rows:
        return False
    return bool((np.diff(np.asarray(column.to_numpy(), dtype=float)) > 0).all())


def _without_counters(used: list[str], running: list[str], plan: Plan, notes: list[str]) -> list[str]:
    """Leave out running numbers; where a target has nothing else to depend on, they may be its time and stay."""
    left_out = [name for name in running if name not in plan.keep]
    rest = [name for name in used if name not in left_out]
    if not left_out:
        return used
    if rest:
        verb = "it only counts" if len(left_out) == 1 else "they only count"
        notes.append(f"{_quoted(left_out)} left out: {verb} the rows (--keep takes {_it(left_out)} in).")
        return rest
    if plan.target is None:
        raise errors.nothing_left(f"{name!r} only counts the rows (--keep {name!r} takes it in)" for name in left_out)
    notes.append(f"{_quoted(left_out)} only counts the rows, and is taken in since there is no other column.")
    return used


def _it(names: list[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _shown(column: Any) -> np.ndarray:
    import pyarrow as pa

    if pa.types.is_floating(column.type):
        return np.asarray(column.to_numpy(), dtype=float)
    return np.array(column.to_pylist(), dtype=object)


def _quoted(names: Any) -> str:
    return ", ".join(repr(name) for name in names)


def _missing(path: Any, counts: Mapping[str, int], rows: int, touched: int) -> errors.InputError:
    described = errors.listed((f"{name!r} {count:,}" for name, count in counts.items()), 8)
    return errors.InputError(
        f"{path} has missing cells in {touched:,} of {rows:,} rows (by column: {described}). Say what to do: "
        f"--missing drop leaves those rows out, --missing mean fills in the column's mean (words: the most frequent)."
    )
