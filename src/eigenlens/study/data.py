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
from ..tables.judging import Column
from ..tables.preparation import MOST_WORDS
from .plan import Plan, Progress
from .roles import Roles, hinted_groups, noted_years, quoted, roles_of
from .weights import weighted

MOST_CLASSES = 50
SAMPLE_ROWS, SAMPLE_CELLS, FEWEST_ROWS = 50_000, 10_000_000, 8_000  # that tests and pictures of large tables take
LARGE_CELLS = 10_000_000  # from which a file is read in pieces
CELL_BYTES, PACKED = 8, 5  # of text for a cell, and how much longer text is than it is packed
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
    numbers : ndarray of int, optional
        Numbers of the rows in the file, where some were left out or are not at hand.
    whole : Whole, optional
        All rows of a file that is read in pieces; `table` and `y` are a sample of them then.

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
    numbers: np.ndarray | None = None
    whole: Any = None

    @property
    def n_rows(self) -> int:
        return int(self.table.num_rows) if self.whole is None else int(self.whole.n_rows)

    def class_sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the classes of all rows, sorted, and how many rows each has."""
        if self.whole is not None:
            return self.whole.class_sizes()
        return np.unique(np.asarray(self.y), return_counts=True)


def read_data(file: TableFile, plan: Plan, source: str | None = None, progress: Progress | None = None) -> Data:
    """Read what a plan needs from a file, and say what was found.

    A large file is read in pieces where the method allows it: `Data.whole` then stands for all of its rows.

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
        check_names(file, plan)
    except errors.InputError:
        file.profile(ignore=plan.drop)  # a first line that is a row gives way to other names
        check_names(file, plan)
    if reads_in_pieces(file, plan):
        from .whole import read_in_pieces

        found = read_in_pieces(file, plan, source or str(file.path), progress)
        if found is not None:
            return found
    tell(file, "reading rows", progress)
    profile = file.profile(ignore=plan.drop)
    notes = counted_kinds(file, profile)
    roles = roles_of(file, plan, profile)
    notes += roles.notes
    used = used_columns(plan, profile, roles)
    kind = kind_of_target(plan, profile)
    rows = _sampled(file, plan, notes)
    _require_memory(file, plan, [profile[name] for name in used], len(rows) if rows is not None else file.n_rows or 0)
    beside = [name for name in (roles.rows, roles.weights, roles.group) if name is not None]
    wanted = [*used, *([plan.target] if plan.target else []), *dict.fromkeys(beside)]
    table = file.read(wanted, rows)
    table, gone, kept = _without_gaps(file, table, [profile[c] for c in wanted if c not in beside], plan, notes)
    if not plan.distances and plan.views is None:
        running = [name for name in used if _counts_rows(table.column(name), profile[name], file.n_rows or 0)]
        used = without_counters(used, running, plan, notes)
        notes += noted_years(roles, used)
    table, weights, first_copies = weighted(table, roles.weights, len(used), notes)
    y = None if plan.target is None else target_of(table.column(plan.target), kind)
    shown = {name: shown_column(table.column(name)) for name in [*([plan.target] if plan.target else []), *used]}
    if plan.target is not None and kind == "classes":
        shown[plan.target] = np.array(y, dtype=object)
        roles.hints += hinted_groups(table, used, np.asarray(y), profile) if roles.group is None else []
    return Data(
        source or str(file.path),
        table.select(used),
        y,
        kind,
        None if roles.rows is None else [written(v) for v in table.column(roles.rows).to_pylist()],
        notes,
        shown,
        file.names,
        file.dialect if file.is_text else None,
        rows is not None,
        gone=gone,
        numbers=None if kept is None or roles.weights is not None else np.flatnonzero(kept),
        weights=weights,
        groups=None if roles.group is None else _numbered(table.column(roles.group)),
        first_copies=first_copies,
        roles=roles,
    )


def tell(file: TableFile, what: str, progress: Progress | None) -> None:
    """Have a file tell how far it has been read, or have it keep quiet."""
    file.told = None if progress is None else lambda rows, expected: progress(what, rows, expected)


def sample_rows(p: int) -> int:
    """Return the most rows of p columns that tests and pictures take: of more, so many are drawn at random."""
    return min(max(SAMPLE_CELLS // max(p, 1), FEWEST_ROWS), SAMPLE_ROWS)


def reads_in_pieces(file: TableFile, plan: Plan) -> bool:
    """Tell whether a file is read in pieces, if its method allows it: on request, or from ten million cells on."""
    if plan.stream is False or plan.sample is not None or plan.distances or plan.views is not None:
        return False
    if plan.missing == "mean" or plan.weights is not None or plan.group is not None:
        return False
    return bool(plan.stream) or file.cells_expected(CELL_BYTES, PACKED) >= LARGE_CELLS


def prepared(data: Data, plan: Plan, table: Any = None, full: bool = False, of: str = "") -> Preparation:
    """Fit the preparation of a table, deciding whether its columns are standardised, and note what it did."""
    table = data.table if table is None else table
    missing = "keep" if plan.missing == "ml" and holes_in(data.table).any() else plan.missing
    missing = missing if missing in ("mean", "keep") else "refuse"

    if data.whole is not None:
        trial = data.whole.preparation(standardise=False)
    else:
        trial = Preparation(standardise=False, missing=missing, full=full, keep=plan.keep)
        trial.fit(table, sample_weight=data.weights)
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
    trial.set_params(standardise=decided)
    trial.scale_ = trial.spread_ if decided else trial.scale_
    return trial


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


def _words_noted(preparation: Preparation) -> list[str]:
    """Say what became of columns of words: each for itself while they are few."""
    levels = preparation.levels_
    if len(levels) <= FEW_NOTES:
        columns = {name: "a column" if len(words) == 2 else "columns" for name, words in levels.items()}
        return [
            f"{name!r} holds {len(words)} different words, which become {columns[name]} of 0 and 1."
            for name, words in levels.items()
        ]
    made = sum(len(b) for b, c in zip(preparation.blocks(), preparation.columns_, strict=True) if c in levels)
    return [f"{len(levels):,} columns hold words ({listed(map(repr, levels))}) and become {made:,} columns of 0 and 1."]


def check_names(file: TableFile, plan: Plan) -> None:
    """Refuse names of columns that the file does not have."""
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


def counted_kinds(file: TableFile, profile: dict[str, Column]) -> list[str]:
    """Say how many rows and columns there are, and how the reader has read them."""
    kinds = [c.kind for c in profile.values()]
    nouns = {"number": "numbers", "word": "words", "date": "dates"}
    found = {noun: kinds.count(kind) for kind, noun in nouns.items() if kind in kinds}
    counts = ": " + ", ".join(f"{count} of {noun}" for noun, count in found.items())
    counts = f" of {next(iter(found))}" if list(found.values()) == [len(kinds)] else counts
    files = f" in {len(file.paths):,} files" if len(file.paths) > 1 else ""
    first = f"{counted(file.n_rows or 0, 'row')}{files}, {counted(len(profile), 'column')}{counts if found else ''}."
    return [first, *file.notes, *(column.remark for column in profile.values() if column.remark)]


def used_columns(plan: Plan, profile: dict[str, Column], roles: Roles) -> list[str]:
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


def kind_of_target(plan: Plan, profile: dict[str, Column]) -> str:
    """Return what is asked: the kind of the target, or of the table."""
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
        return errors.setting("--target", plan.target, "all its cells are missing, so that there is nothing to explain")
    worst = sorted(counts, key=lambda name: -counts[name])
    described = listed((f"{name!r} {counts[name]:,}" for name in worst), 8)
    rule = f"each of the {n:,} rows has a missing cell (by column: {described}), so that no row is left"
    return errors.setting(
        "--missing",
        plan.missing,
        f"{rule}; fill them with --missing mean, or leave columns out: --drop {worst[0]!r}",
    )


def target_of(column: Any, kind: str) -> np.ndarray:
    """Return a target: labels as text, or numbers."""
    if kind == "classes":
        labels, codes = labels_of(column)
        return labels[codes]
    return np.asarray(column.to_numpy(), dtype=float)


def labels_of(column: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the different classes of a column as text, sorted, and the place of each row's among them."""
    import pyarrow as pa

    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(column, pa.ChunkedArray):  # of no chunks
        column = pa.array([], type=column.type)
    coded = column.dictionary_encode()
    texts = np.array([written(v) for v in coded.dictionary.to_pylist()], dtype=str)
    labels, places = np.unique(texts, return_inverse=True)
    return labels, places[np.asarray(coded.indices.to_numpy(zero_copy_only=False), dtype=np.intp)]


def too_many_classes(target: str | None, count: int) -> Exception:
    """Refuse a target with more values than classes have."""
    rule = f"it has {count:,} different values, too many for classes"
    return errors.setting("--target", target, rule + "; if it is a number, add --as number")


def written(value: Any) -> str:
    """Return a cell as text: a whole number without its decimals."""
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


def without_counters(used: list[str], running: list[str], plan: Plan, notes: list[str]) -> list[str]:
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
    return np.unique([written(v) for v in column.to_pylist()], return_inverse=True)[1]


def _it(names: list[str]) -> str:
    return "it" if len(names) == 1 else "them"


def shown_column(column: Any) -> np.ndarray:
    """Return a column as the page shows it: numbers, or words as objects."""
    import pyarrow as pa

    if pa.types.is_floating(column.type):
        return np.asarray(column.to_numpy(), dtype=float)
    return np.array(column.to_pylist(), dtype=object)


def missing_cells(path: Any, counts: Mapping[str, int], rows: int, touched: int) -> errors.InputError:
    """Refuse missing cells, with their counts."""
    described = errors.listed((f"{name!r} {count:,}" for name, count in counts.items()), 8)
    return errors.InputError(
        f"{path} has missing cells in {touched:,} of {rows:,} rows (by column: {described}). Say what to do: "
        f"--missing drop leaves those rows out, --missing mean fills in the column's mean (words: the most frequent)."
    )
