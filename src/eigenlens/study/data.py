"""From a file and what was asked to the rows of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import file_digest
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import errors, memory
from ..arrays.spelling import option
from ..rows import TableFile
from ..rows.csv_text import Dialect
from ..rows.judging import Column
from ..rows.preparation import MOST_WORDS
from .columns import check_names, counted_kinds, counts_blocks, counts_rows, used_columns, without_counters
from .gaps import without_gaps
from .plan import Plan, Progress
from .roles import Roles, hinted_groups, noted_years, roles_of
from .targets import kind_of_target, shown_column, target_of, written
from .weights import weighted

SAMPLE_ROWS, SAMPLE_CELLS, FEWEST_ROWS = 50_000, 10_000_000, 8_000  # that tests and pictures of large tables take
LARGE_CELLS = 10_000_000  # from which a file is read in pieces
CELL_BYTES = 8  # of text for a cell
MOST_FILES = 5  # that a page lists with their checksums
COPIES = 10  # tables of numbers that a report holds at its peak, as measured; what a method takes itself comes on top
WORD_BYTES = 120  # of a cell of words, as measured


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
        Whether the rows are a sample of the file.
    in_memory : bool
        Whether the rows were passed, not read from a file.
    second_look : bool
        Whether only the fit, its test and its own score are wanted, as of rows without wild cells.
    gone : tuple of str
        Which rows were dropped although missing cells are kept: those without a "target", those that are "empty".
    weights : ndarray or None
        How much each row counts, with mean 1; None where all count the same.
    groups : ndarray of int or None
        Which rows belong together.
    first_copies : ndarray of int or None
        Where rows were repeated as often as they occurred: the first of each.
    roles : Roles
        What the columns that are not analysed are for.
    numbers : ndarray of int, optional
        Numbers of the rows in the file, where some were left out or are not in memory.
    whole : Whole, optional
        All rows of a file that is read in pieces; `table` and `y` are a sample of them then.
    source : str
        What the table is called.
    sources : tuple of str
        What names it on a command line.
    asked : Dialect
        How the file is written, as far as the user said.
    unnamed_index : bool
        Whether the first column of the file has no name.
    files : tuple of (str, int, str)
        Name, bytes and SHA-256 of each file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from eigenlens.study import read_data, study
    >>> from eigenlens.study.demos import write_demo
    >>> from eigenlens.rows import TableFile
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
    second_look: bool = False
    gone: tuple[str, ...] = ()
    weights: np.ndarray | None = None
    groups: np.ndarray | None = None
    first_copies: np.ndarray | None = None
    roles: Roles = field(default_factory=Roles)
    numbers: np.ndarray | None = None
    whole: Any = None
    sources: tuple[str, ...] = ()
    asked: Dialect = field(default_factory=Dialect)
    unnamed_index: bool = False
    files: tuple[tuple[str, int, str], ...] = ()

    def __post_init__(self) -> None:
        self.sources = self.sources or (self.source,)

    @property
    def n_rows(self) -> int:
        return int(self.table.num_rows) if self.whole is None else int(self.whole.n_rows)

    def class_sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the classes of all rows, sorted, and how many rows each has."""
        if self.whole is not None:
            return self.whole.class_sizes()
        return np.unique(np.asarray(self.y), return_counts=True)


def read_data(
    file: TableFile, plan: Plan, source: str | Sequence[str] | None = None, progress: Progress | None = None
) -> Data:
    """Read what a plan needs from a file, and say what was found.

    A large file is read in pieces if the method allows it; `Data.whole` then represents all of its rows.

    Parameters
    ----------
    file : TableFile
    plan : Plan
        What to read, and for which question.
    source : str or list of str, optional
        What names the table on a command line: by default the file, or the files.
    progress : function of (what, done, total), optional

    Returns
    -------
    Data
        The table, with notes on what was found in it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from eigenlens.study import read_data, study
    >>> from eigenlens.study.demos import write_demo
    >>> from eigenlens.rows import TableFile
    >>> path, plan = write_demo("iris", pathlib.Path(tempfile.mkdtemp()))
    >>> data = read_data(TableFile(path), plan)
    >>> data.notes
    ['150 rows, 5 columns: 4 of numbers, 1 of words.']
    """
    sources = sources_of(file, source)
    try:
        check_names(file, plan)
    except errors.InputError:
        if not file.may_lack_header:
            raise
        file.profile(ignore=plan.drop)  # a first line that is a row gives way to other names
        check_names(file, plan)
    if reads_in_pieces(file, plan):
        from .file_in_pieces import read_in_pieces

        found = read_in_pieces(file, plan, sources, progress)
        if found is not None:
            return replace(found, files=digests(file.paths))
    tell(file, "reading rows", progress)
    return replace(_read_at_once(file, plan, sources), files=digests(file.paths))


def digests(paths: Sequence[Path]) -> tuple[tuple[str, int, str], ...]:
    """Return the name, the bytes and the SHA-256 of files; nothing of many files, which no page lists."""
    made = []
    for path in paths if len(paths) <= MOST_FILES else ():
        with path.open("rb") as opened:
            made.append((path.name, path.stat().st_size, file_digest(opened, "sha256").hexdigest()))
    return tuple(made)


def _read_at_once(file: TableFile, plan: Plan, sources: tuple[str, ...]) -> Data:
    """Read the columns that a plan needs, of all rows or of a sample of them."""
    profile = file.profile(ignore=plan.drop)
    notes = counted_kinds(file, profile)
    roles = roles_of(file, plan, profile)
    notes += roles.notes
    used = used_columns(plan, profile, roles)
    rows = _sampled(file, plan, notes)
    _require_memory(file, plan, [profile[name] for name in used], len(rows) if rows is not None else file.n_rows or 0)
    beside = [name for name in (roles.rows, roles.weights, roles.group) if name is not None]
    wanted = [*used, *([plan.target] if plan.target else []), *dict.fromkeys(beside)]
    table = file.read(wanted, rows)
    if plan.distances:
        table = _without_dropped_points(table, used, [name for name in file.names if name in (*used, *plan.drop)])
    table, gone, kept = without_gaps(file, table, [profile[c] for c in wanted if c not in beside], plan, notes)
    if not plan.distances and plan.views is None:
        used = _measured(table, used, profile, file.n_rows or 0, plan, notes)
        notes += noted_years(roles, used)
    counting = weighted(table, roles.weights, len(used), notes)
    table, numbers = counting.table, None if kept is None else np.flatnonzero(kept)
    if counting.kept is not None:
        numbers = np.flatnonzero(counting.kept) if numbers is None else numbers[counting.kept]
    kind = kind_of_target(plan, profile)
    y = None if plan.target is None else target_of(table.column(plan.target), kind)
    shown = {name: shown_column(table.column(name)) for name in [*([plan.target] if plan.target else []), *used]}
    if plan.target is not None and kind == "classes":
        shown[plan.target] = np.array(y, dtype=object)
        roles.hints += hinted_groups(table, used, np.asarray(y), profile) if roles.group is None else []
    return Data(
        errors.listed(sources, 3),
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
        numbers=None if counting.first_copies is not None else numbers,
        weights=counting.weights,
        groups=None if roles.group is None else group_numbers(table.column(roles.group)),
        first_copies=counting.first_copies,
        roles=roles,
        sources=sources,
        asked=file.asked,
        unnamed_index=file.unnamed_index,
    )


def _without_dropped_points(table: Any, used: list[str], points: list[str]) -> Any:
    """Drop the rows of points whose columns were dropped: a table of distances stays square."""
    if len(points) == table.num_rows + 1 and points[0] not in used:
        points = points[1:]  # the names of the rows were dropped as well
    if len(points) != table.num_rows:
        return table
    return table.take([i for i, name in enumerate(points) if name in used])


def _measured(
    table: Any, used: list[str], profile: dict[str, Column], n: int, plan: Plan, notes: list[str]
) -> list[str]:
    """Leave out columns that only count the n rows of a file."""
    columns = {name: (table.column(name), profile[name]) for name in used}
    running = [name for name, c in columns.items() if counts_rows(*c, n) or counts_blocks(*c, n)]
    return without_counters(used, running, plan, notes)


def sources_of(file: TableFile, source: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return what names a table on a command line: its file, folder or pattern, or several of them."""
    if isinstance(source, str):
        return (source,)
    return tuple(source) if source is not None else (file.path,) if file.is_one_place else tuple(map(str, file.paths))


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
    if plan.missing == "mean":
        return False
    return bool(plan.stream) or file.cells_expected(CELL_BYTES, LARGE_CELLS) >= LARGE_CELLS


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
        f"analyse some of the rows, drawn at random: {option('sample', some)}; leave out columns ({option('drop')}); "
        f"or fit all rows in Python, from the file and in one pass: "
        f"eigenlens.PCA().fit(eigenlens.open_rows({file.path!r})), and the same for LDA, CCA, SIR"
    )
    memory.require(needed, f"A report on {n:,} rows and {made:,} columns", way_out)


def group_numbers(column: Any) -> np.ndarray:
    """Return the number of the group that each row belongs to; rows without a group share one."""
    return np.unique([written(v) for v in column.to_pylist()], return_inverse=True)[1]
