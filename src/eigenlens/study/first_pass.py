"""The first pass over the rows of a file whose columns are known: moments, and a sample of rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ..arrays import errors
from ..moments import Centred, Grouped, Moments, Patterns, Scatter
from ..rows import Block, Slicing, TableFile
from ..rows.sampled_rows import keys, smallest
from ..rows.source import middle
from .data import sample_rows
from .gaps import holes_in
from .identifiers import is_running
from .layout import Layout
from .part_sums import added_sums, joined_runs, joined_steps, restarts, runs_of, steps_of, sums_of
from .plan import Plan
from .response_bins import Bins, bins_of, pivot_of
from .targets import MOST_CLASSES, labels_of, too_many_classes
from .waiting import cut, joined_rows, worth_merging
from .weights import Weighing

OF_EACH_CLASS = 100  # rows kept at least
BLOCK_ROWS = 2**14
MOST_CELLS = 2e7  # of the scatters of all classes; of more, their sum is kept
MOST_PATTERNS = 2**23  # cells of the moments of all patterns of holes
HEAD = 1024  # rows among which a typical one is looked for


@dataclass
class Kept:
    """What is kept of rows.

    Attributes
    ----------
    moments : Moments or None
        Of the prepared columns, not yet scaled.
    waiting : list of Block
        Rows that moments do not have yet: those of a small file, whose sample has them all, and of a wide one.
    rows : list of Arrow tables
        The sample, and the keys and numbers of its rows in the file.
    keys, numbers : lists of ndarray
    n_rows, n_unknown, n_empty, n_holed : int
        Rows that count; those left out because their target or everything else is missing, or some cell is.
    gaps : ndarray of int
        Missing cells of each column that is used, in the rows that count.
    sums : ndarray of shape (4, p)
        Count, weight, mean and sum of squares of the known cells of each prepared column, where some are missing.
    n_gaps, n_complete : int
        Rows that count and miss a cell of the columns analysed; those of which everything is observed, where a frequent
        missing word is a word.
    classes : dict of str to int
        Rows of each class.
    weighing : Weighing or None
        Of rows that are weighted.
    bins : Bins or None
    ends : dict of str to (float, float, float or None)
        First and last number of a column, and the step between its numbers: 0 where steps differ, None where there
        is one number so far.
    runs : dict of str to (float, float, float or None)
        The same of columns that may count rows within blocks, and where they restart (`runs_of`).
    """

    moments: Moments | None = None
    waiting: list[Block] = field(default_factory=list)
    rows: list[Any] = field(default_factory=list)
    keys: list[np.ndarray] = field(default_factory=list)
    numbers: list[np.ndarray] = field(default_factory=list)
    n_rows: int = 0
    n_unknown: int = 0
    n_empty: int = 0
    n_holed: int = 0
    gaps: Any = 0
    sums: np.ndarray | None = None
    n_gaps: int = 0
    n_complete: int = 0
    classes: dict[str, int] = field(default_factory=dict)
    weighing: Weighing | None = None
    bins: Bins | None = None
    ends: dict[str, tuple[float, float, float | None]] = field(default_factory=dict)
    runs: dict[str, tuple[float, float, float | None]] = field(default_factory=dict)

    def merge(self, other: Self) -> Self:
        if other.moments is not None:
            self.moments = other.moments if self.moments is None else self.moments.merge(other.moments)
        self.waiting += other.waiting
        self.rows += other.rows
        self.keys += other.keys
        self.numbers += other.numbers
        for name in ("n_rows", "n_unknown", "n_empty", "n_holed", "n_gaps", "n_complete", "gaps"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.sums = added_sums(self.sums, other.sums)
        for label, count in other.classes.items():
            self.classes[label] = self.classes.get(label, 0) + count
        if other.weighing is not None:
            self.weighing = other.weighing if self.weighing is None else self.weighing.merged(other.weighing)
        if other.bins is not None:
            self.bins = other.bins if self.bins is None else self.bins.merged(other.bins)
        for name, after in other.ends.items():
            self.ends[name] = joined_steps(self.ends[name], after) if name in self.ends else after
        for name, after in other.runs.items():
            self.runs[name] = joined_runs(self.runs[name], after) if name in self.runs else after
        return self

    @property
    def running(self) -> set[str]:
        """Columns whose numbers ascend from row to row, in even steps of one or more; or that count rows in blocks."""
        ascending = {name for name, (_, _, step) in self.ends.items() if step is not None and step >= 1}
        return ascending | {name for name, runs in self.runs.items() if restarts(runs)}


class FirstPass:
    """Keeps what a study needs of all rows.

    Attributes
    ----------
    patterned : bool
        Whether nothing is kept, since there are too many patterns of holes.

    Parameters
    ----------
    file : TableFile
    plan : Plan
    layout : Layout
    kind : type
        How scatters are kept.
    pivot : float, optional
        About which a target of numbers is counted; if not given, the first rows tell it.
    slicing : Slicing, optional
        Slices of a target of numbers, where they are known.
    """

    def __init__(
        self,
        file: TableFile,
        plan: Plan,
        layout: Layout,
        kind: type[Centred] = Scatter,
        pivot: float | None = None,
        slicing: Slicing | None = None,
    ) -> None:
        self.file, self.plan, self.layout, self.of = file, plan, layout, kind
        self.pivot, self.slicing = pivot, slicing
        self.kept = Kept()
        self.limit = np.uint64(2**64 - 1)
        self.patterned = False
        self._start: Moments | None = None
        columns = file.profile()
        self.kinds = {name: columns[name].kind for name in layout.wanted}
        self.raw = layout.preparation(plan, standardise=False, centre=False)
        numbers = [*layout.used, *layout.counters]
        self.whole = {name for name in numbers if columns[name].kind == "number" and columns[name].whole}
        self.sample = sample_rows(len(self.raw.names_out_))

    def join(self, part: Kept) -> None:
        """Take in what was kept of some rows, in their order."""
        self.kept.merge(part)
        self._reduce(finished=False)
        if _pattern_cells(self.kept.moments) > MOST_PATTERNS:
            self.kept, self.patterned = Kept(), True
            return
        if len(self.kept.classes) > 4 * MOST_CLASSES:
            raise too_many_classes(self.layout.target, len(self.kept.classes))
        if sum(map(len, self.kept.keys)) > 3 * self.sample:
            self.prune()

    def finish(self) -> None:
        """Take in the rows that wait, where the sample does not have all rows."""
        self._reduce(finished=True)
        self.prune()

    def _reduce(self, finished: bool) -> None:
        waiting = self.kept.waiting
        if not waiting or self._start is None or self.kept.n_rows <= self.sample:
            return
        if finished or worth_merging(waiting, self._start):
            self.kept.waiting = []
            self.kept.merge(Kept(self._reduced(joined_rows(waiting))))

    def prune(self) -> None:
        """Keep the rows of the sample that are drawn so far."""
        import pyarrow as pa

        if not self.kept.rows:
            return
        table, order = pa.concat_tables(self.kept.rows), np.concatenate(self.kept.keys)
        numbers, places = np.concatenate(self.kept.numbers), self._drawn(table, order)
        self.kept.rows, self.kept.keys = [table.take(pa.array(places))], [order[places]]
        self.kept.numbers = [numbers[places]]
        if len(order) > self.sample:
            self.limit = np.partition(order, self.sample - 1)[self.sample - 1]

    def _drawn(self, table: Any, order: np.ndarray) -> np.ndarray:
        """Return the places of the rows that are drawn: of all, and some of each class."""
        drawn = smallest(order, self.sample)
        if self.layout.kind != "classes" or len(order) <= self.sample:
            return drawn
        codes = labels_of(table.column(self.layout.target))[1]
        parts = [drawn]
        for k in range(int(codes.max()) + 1):
            places = np.flatnonzero(codes == k)
            parts.append(places[smallest(order[places], OF_EACH_CLASS)])
        return np.unique(np.concatenate(parts))

    # -- on threads ----------------------------------------------------------------------------------------------

    def part(self, table: Any, start: int) -> Kept:
        """Return what is kept of a few rows."""
        import narwhals as nw
        import pyarrow as pa

        layout = self.layout
        ends = {name: steps_of(table.column(name)) for name in self.whole}
        runs = {name: runs_of(table.column(name)) for name in self.whole if is_running(name)}
        kept, table, numbers, holes = self.rows_that_count(table, start)
        kept.ends = ends
        kept.runs = runs
        analysed = [layout.used.index(name) for name in layout.columns]
        kept.gaps, kept.n_gaps = holes.sum(axis=0), int(holes[:, analysed].any(axis=1).sum())
        if not len(numbers):
            return kept
        X = self.raw._raw(nw.from_native(table, eager_only=True), lambda gaps: errors.InputError(str(gaps)))
        weights = None if layout.weights is None else weights_of(table.column(layout.weights))
        if layout.missing == "keep":
            kept.sums, kept.n_complete = sums_of(X, weights), int((~np.isnan(X).any(axis=1)).sum())
        block = self._block(kept, X, table, numbers, weights)
        if self._start is not None and start >= self.sample and worth_merging([block], self._start):
            kept.moments = self._reduced(block)
        elif self._start is not None:
            kept.waiting = [block]
        order = keys(numbers, self.plan.seed)
        near = order <= self.limit
        if layout.kind == "classes":
            near[self._drawn(table, order)] = True
        chosen = np.flatnonzero(near)
        chosen = chosen[self._drawn(table.take(pa.array(chosen)), order[chosen])]
        kept.rows, kept.keys, kept.numbers = [table.take(pa.array(chosen))], [order[chosen]], [numbers[chosen]]
        return kept

    def rows_that_count(self, table: Any, start: int) -> tuple[Kept, Any, np.ndarray, np.ndarray]:
        """Return counts of rows that are left out, the others, their numbers, and which of their cells are missing."""
        import pyarrow as pa

        layout = self.layout
        holes = holes_in(table.select(list(layout.used)))
        unknown = np.zeros(table.num_rows, dtype=bool)
        if layout.target is not None:
            unknown = holes_in(table.select([layout.target]))[:, 0]
        empty = holes.all(axis=1) & ~unknown
        holed = np.zeros_like(unknown)
        if layout.missing == "drop":
            holed = holes[:, [layout.used.index(name) for name in layout.columns]].any(axis=1) & ~unknown
        keep, numbers = ~(unknown | empty | holed), np.arange(start, start + table.num_rows)
        kept = Kept(n_unknown=int(unknown.sum()), n_empty=int(empty.sum()), n_holed=int(holed.sum()))
        if layout.weights is not None:
            w = weights_of(table.column(layout.weights))
            kept.weighing = Weighing.of(w[keep])
            keep &= w > 0
        kept.n_rows = int(keep.sum())
        if not keep.all():
            table, numbers, holes = table.filter(pa.array(keep)), numbers[keep], holes[keep]
        return kept, table, numbers, holes

    def _block(self, kept: Kept, X: np.ndarray, table: Any, numbers: np.ndarray, weights: np.ndarray | None) -> Block:
        """Return rows with their classes, or with the slices or bins of their response."""
        layout = self.layout
        labels = codes = None
        if layout.kind == "classes":
            labels, codes = labels_of(table.column(layout.target))
            sizes = np.bincount(codes, minlength=len(labels)).tolist()
            kept.classes = {str(label): size for label, size in zip(labels, sizes, strict=True) if size}
        elif layout.kind == "number":
            labels, codes = self._slices(kept, table.column(layout.target).to_numpy(), weights)
        if self._start is None:
            self._start = self._empty(X, labels)
        return Block(X, codes, weights, labels, None, numbers)

    def _reduced(self, block: Block) -> Moments:
        assert self._start is not None
        new = self._start.copy()
        for part in cut(block, BLOCK_ROWS):
            new.update(part)
        return new

    def _slices(self, kept: Kept, y: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the slices of a response, and the place of each row's; bins, as long as slices are not known."""
        if self.pivot is None:
            self.pivot = pivot_of(y)
        kept.bins = Bins.of(y, weights, self.pivot)
        if self.slicing is None:
            return kept.bins.codes, np.searchsorted(kept.bins.codes, bins_of(y, self.pivot))
        return np.arange(self.slicing.n_cells), self.slicing.codes(y[:, None])

    def _empty(self, X: np.ndarray, labels: np.ndarray | None) -> Moments | None:
        """Return empty moments about a typical row, which all parts share; None where slices are not known yet."""
        layout = self.layout
        holed = layout.missing == "keep"
        of: Any = Patterns if holed else self.of
        typical = Block(middle(X[: HEAD : max(min(len(X), HEAD) // 7, 1)]))
        if labels is None:
            return of().anchored(typical)
        if layout.kind == "number":
            if holed and self.slicing is None:
                return None
            return Grouped(of, meaning=self.slicing).anchored(typical)
        return Grouped(of, pooled=len(labels) * X.shape[1] ** 2 > MOST_CELLS).anchored(typical)


def collected(file: TableFile, plan: Plan, layout: Layout, **known: Any) -> FirstPass:
    """Read the rows, and keep what a study needs of them; nothing where there are too many patterns of holes."""
    found = FirstPass(file, plan, layout, **known)
    for part in file.mapped(found.kinds, list(found.kinds), found.part):
        found.join(part)
        if found.patterned:
            break
    return found


def _pattern_cells(moments: Moments | None) -> int:
    """Return how many cells the moments of all patterns of holes have."""
    found = None if moments is None else moments.inner
    return found.rows.size + found.masks.size if isinstance(found, Patterns) and found.n_rows else 0


def weights_of(column: Any) -> np.ndarray:
    """Return a column of weights; NaN where one is missing."""
    return np.asarray(column.to_numpy(), dtype=float)
