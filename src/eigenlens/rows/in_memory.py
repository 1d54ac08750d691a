"""Rows in memory, and the door through which every table comes: `as_source`."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import narwhals as nw
import numpy as np

from ..arrays import devices, errors, namespaces
from ..arrays.threads import PARALLEL_CELLS, thread_count, threaded
from ..arrays.typing import Array, TableLike
from .categories import WORD_ROWS, MixedRows, MixedTable, Words, chosen_words, first_rows, sum_is_finite
from .grids import is_labelled, labelled_rows
from .labels import ClassReader, LabelReader, Labels, as_counts, given_as_counts, given_target, read_weights, unlabelled
from .pandas_frames import is_pandas
from .source import (
    Block,
    M,
    Missing,
    Segment,
    Source,
    Target,
    block_rows,
    fine_rows,
    middle,
    require_room,
    segment_blocks,
    typical_row,
    typical_rows,
)
from .table import EXACT, Table, as_table, as_two_dimensional, finite_rows

SPARSE_ROWS = 16  # sparse rows of a block for each column: a merge costs p² however few cells a block has
RUN_ROWS = 256  # rows of a class, on average, that make it worth while to bring them together on a device


class MemorySource(Source):
    """Rows of a table in memory, with labels or a second table, and weights."""

    in_memory_already = True
    native: Any = None
    n_columns: int = 0
    single_response = False  # whether the second table came as a single column without its own dimension
    first_number = 0  # the number of the first row, where these are a part of a table

    def __init__(
        self, X: Table, y: Labels | Table | None, weight: np.ndarray | None, name: str = "X", second_name: str = "Y"
    ) -> None:
        self.table, self.name, self.second_name = X, name, second_name
        n, self.n_features = X.shape
        self.feature_names, self.native = X.names, X.native
        self.column_labels = getattr(X, "labels", None)
        self.labels = y if isinstance(y, Labels) else None
        self.second: Table | None = None if y is None or isinstance(y, Labels) else y
        self.n_responses = self.second.shape[1] if self.second else None
        self.response_names = self.second.names if self.second else None
        self.n_columns = self.n_features + (self.n_responses or 0)
        self.n_rows = n if weight is None else int(np.count_nonzero(weight))
        self.weighted = weight is not None
        n_groups = 1 if self.labels is None else len(self.labels.classes)
        on_host = isinstance(X.sample, np.ndarray)
        self._single, self._sparse = not on_host and namespaces.single(X.sample), hasattr(X, "sparse_rows")
        self._block = block_rows(self.n_columns, n_groups, None if on_host else devices.device_memory(X.sample))
        self._codes = None if self.labels is None else namespaces.like(self.labels.codes, X.sample)
        self._weight = None if weight is None else namespaces.like(weight, X.sample)
        self._positive = weight is None or bool((weight > 0).all())
        self._weights = weight
        if self._sparse:
            self._block = max(self._block, SPARSE_ROWS * self.n_columns)
        if isinstance(X, MixedTable):
            self._block = max(self._block, WORD_ROWS)
        # whether all rows can be handed over as they are: dense, on the host, and few
        self._is_one_block = n <= self._block and on_host and not self._sparse
        self._order: Array | None = None  # rows of each class together, where that is worth a sort
        self._finite_checks: list[Array] = []  # whether blocks were finite, still to be asked of the device
        self._reducing = False  # a pass whose moments tell that at its end

    @property
    def kept(self) -> np.ndarray:
        """Positions of the rows of positive weight: those that blocks hold."""
        return (
            np.arange(self.table.shape[0])
            if self._weight is None
            else np.flatnonzero(namespaces.to_numpy(self._weight))
        )

    @property
    def row_weights(self) -> Array | None:
        """The weights of all rows, on the device of the table; None where each counts once."""
        return self._weight

    def finely_cut(self) -> MemorySource:
        if self._sparse or not isinstance(self.table.sample, np.ndarray):
            return self
        new = copy.copy(self)
        new._block = min(self._block, fine_rows(self.n_columns))
        new._is_one_block = self.table.shape[0] <= new._block
        return new

    def with_words(self, words: Words) -> MemorySource:
        if isinstance(self.table, MixedTable):  # words were found when the rows were read
            chosen_words(words, self.feature_names, self.table.is_word, self.name)
        else:
            super().with_words(words)
        return self

    def in_memory(self) -> MemorySource:
        return self

    def everything(self) -> tuple[Array, np.ndarray | None]:
        """Return all rows, those of weight zero too, and their weights, for methods that answer for each row."""
        if not hasattr(self.table, "values"):  # arrays are read in place, other tables are converted
            require_room(8 * self.table.shape[0] * self.n_features, self.name, self.table.shape[0])
        X = finite_rows(self.table, 0, self.table.shape[0], self.name, self.missing)
        return X, None if self._weight is None else namespaces.to_numpy(self._weight)

    def segments(self) -> Iterator[Segment]:
        n, step = self.table.shape[0], self._step
        for start in range(0, n, step):
            yield self._blocks(start, min(start + step, n))

    def n_segments(self) -> int:
        return -(-self.table.shape[0] // self._step)

    @property
    def _step(self) -> int:
        return self._block * segment_blocks(self.table.shape[0], self._block)

    def _blocks(self, start: int, stop: int) -> Iterator[Block]:
        for low in range(start, stop, self._block):
            yield self._read(low, min(low + self._block, stop))

    def _read(self, start: int, stop: int) -> Block:
        runs = None if self._order is None else self._runs(start, stop)
        if self._single:
            X = self._taken(start, stop)
            if not self._reducing:
                self._finite_checks.append(namespaces.means_are_finite(X))
        elif self._sparse:
            X = self._checked(start, stop)
        else:
            X = finite_rows(self.table, start, stop, self.name, self.missing)
        y = None
        if self._codes is not None and runs is None:
            y = self._codes[start:stop]
        elif self.second is not None:
            y = namespaces.like(
                finite_rows(self.second, start, stop, self.second_name, self.missing), self.table.sample
            )
        w = None if self._weight is None else self._weight[start:stop]
        numbers = np.arange(start, stop) + self.first_number if self.numbered else None
        if w is not None and not self._positive:
            keep = w > 0
            numbers = None if numbers is None else numbers[namespaces.to_numpy(keep)]
            X, w, y = (
                X[keep, :],
                w[keep],
                None if y is None else (y[keep] if self.second is None else y[keep, :]),
            )
        return Block(X, y, w, None if self.labels is None else self.labels.classes, runs, numbers)

    def _checked(self, start: int, stop: int) -> Array:
        """Return finite rows of a sparse table as they are; dense ones where something is to be said about them."""
        X = self.table.sparse_rows(start, stop)  # type: ignore[attr-defined]
        rounded = len(self.table.wide) and np.abs(X.data).max(initial=0.0) >= EXACT
        if namespaces.sum_is_finite(X.data) and not rounded:
            return X
        return finite_rows(self.table, start, stop, self.name, self.missing)

    def _taken(self, start: int, stop: int) -> Array:
        """Return rows in their order, or those of each class together."""
        if self._order is None:
            return self.table.rows(start, stop)
        return namespaces.take_rows(self.table.values, self._order[start:stop])  # type: ignore[attr-defined]

    def _sort_by_class(self) -> None:
        """Bring the rows of each class together: sums by class are then sums of neighbours, in a fixed order."""
        codes, K = self._codes, 0 if self.labels is None else len(self.labels.classes)
        if codes is None or self._weight is not None or not self._single or self._order is not None:
            return
        if self.numbered:  # rows are told apart by their places
            return
        if codes.shape[0] < RUN_ROWS * K:
            return
        xp = namespaces.namespace(codes)
        self._order = xp.argsort(codes, stable=True)
        edges = xp.searchsorted(namespaces.take_rows(codes, self._order), xp.arange(K, device=namespaces.device(codes)))
        self._edges = np.append(namespaces.to_numpy(edges), codes.shape[0])

    def _runs(self, start: int, stop: int) -> tuple[tuple[int, int, int], ...]:
        low, high = np.clip(self._edges[:-1], start, stop) - start, np.clip(self._edges[1:], start, stop) - start
        return tuple((int(k), int(low[k]), int(high[k])) for k in np.flatnonzero(high > low))

    def _name_the_first_not_finite(self) -> None:
        for start in range(0, self.table.shape[0], self._block):
            finite_rows(self.table, start, min(start + self._block, self.table.shape[0]), self.name, self.missing)

    def first(self) -> Block:
        """Return the columnwise median of a few rows that count."""
        X = self._median(self.table, self.name)
        second = None if self.second is None else namespaces.like(self._median(self.second, self.second_name), X)
        return Block(X, second)

    def _median(self, table: Table, name: str) -> Any:
        places = typical_rows(table.shape[0], self._weights)
        if isinstance(table, MixedTable):
            if all(table.is_word):  # there is nothing to take the middle of
                return table.rows(0, 1)
            some = table.picked(places)
            if not sum_is_finite(some):
                parts: list[Any] = [finite_rows(table, i, i + 1, name, self.missing) for i in places]
                some = MixedRows.joined(parts)
            return first_rows(some, middle)
        few = table.picked(places) if hasattr(table, "picked") else None
        if few is None or not namespaces.sum_is_finite(few):
            parts = [finite_rows(table, i, i + 1, name, self.missing) for i in places]
            few = namespaces.namespace(parts[0]).concat(parts, axis=0)
        return middle(few)

    def map_segments(self, work: Any) -> Iterator[Any]:
        n, p = self.table.shape
        many = n * p >= PARALLEL_CELLS and n > self._block
        if many and isinstance(self.table.sample, np.ndarray) and thread_count() > 1:
            return threaded(work, self.segments())
        return self._checked_segments(work)

    def _checked_segments(self, work: Any) -> Iterator[Any]:
        """Work through the segments; ask the device once, at the end, whether all rows were finite."""
        self._finite_checks = []
        self._sort_by_class()
        yield from super().map_segments(work)
        checks, self._finite_checks = self._finite_checks, []
        if checks and not bool(namespaces.namespace(checks[0]).all(namespaces.namespace(checks[0]).stack(checks))):
            self._name_the_first_not_finite()

    def map(self, function: Callable[[Array], Array], takes_sparse: bool = False) -> Array:
        if self._is_one_block:
            return function(self._read(0, self.table.shape[0]).X)
        if self.weighted or not isinstance(self.table.sample, np.ndarray):
            return super().map(function, takes_sparse)
        found, at = np.empty(0), 0
        for piece in (piece for part in self.mapped_segments(function, takes_sparse) for piece in part):
            if at == 0:
                found = np.empty((self.table.shape[0], *piece.shape[1:]), dtype=piece.dtype)
            found[at : at + len(piece)] = piece  # while it is in cache, and so that its memory serves the next one
            at += len(piece)
        return found

    def collect(self, empty: M) -> M:
        if not self._is_one_block:
            return super().collect(empty)
        block = self._read(0, self.table.shape[0])
        return empty.anchored(typical_row(block)).update(block)

    def reduce(self, start: M) -> M:
        self._reducing = True
        try:
            total = super().reduce(start)
        finally:
            self._reducing = False
        if self._single and not total.finite:
            self._name_the_first_not_finite()
        return total


def as_source(
    X: TableLike,
    y: Any = None,
    sample_weight: Any = None,
    *,
    target: Target = "none",
    min_rows: int = 1,
    missing: Missing = "refuse",
    name: str = "X",
    second_name: str = "Y",
    estimator: str = "This estimator",
    reader: LabelReader | None = None,
    in_memory: bool = False,
    every_row: bool = False,
    words: Words | None = None,
    counts: bool = False,
) -> Source:
    """Check a table, its target and its weights, and make them a source.

    Parameters
    ----------
    X : table
        Array of any namespace, nested list, data frame, Arrow table, SciPy sparse matrix, Dask array or frame, or a
        source (`open_rows`).
    y : labels or table, optional
    sample_weight : one number per row, optional
        How often each row counts.
    target : {"none", "labels", "table"}
        What `y` must be.
    min_rows : int
        Rows of positive weight needed.
    missing : str
        "refuse" NaN in X, or anything else where it means "not observed"; infinity is always refused.
    name : str
        What messages call X.
    second_name : str
        What messages call y where it is a table.
    estimator : str
        What messages call the caller.
    reader : LabelReader, optional
        How `y` becomes labels; by default it holds them.
    in_memory : bool
        Whether the caller needs all rows in memory: those that live elsewhere are fetched.
    every_row : bool
        Whether the caller answers for every row, including those without weight.
    words : None, "auto" or list of columns
        Which columns of X are words: none may be, those that look like it, or these.
    counts : bool
        Whether weights count rows whatever they add up to. Otherwise those that add up to 1 are shares.
    """
    reader = ClassReader() if reader is None else reader
    if y is not None and not isinstance(y, np.ndarray):
        y = given_target(y)
    if sample_weight is not None:
        sample_weight = unlabelled(sample_weight)
    if not isinstance(X, np.ndarray) and not is_pandas(X):
        given = sample_weight if counts else given_as_counts(sample_weight)
        X = X.without_weights() if every_row and isinstance(X, Source) else X
        remote = _remote_source(X, y, given, target, estimator, reader)
        if remote is not None:
            return _ready(remote, missing, words, in_memory, name, min_rows)
    table = as_table(X, name, missing, words)
    n = table.shape[0]
    if table.shape[1] == 0:
        raise errors.no_columns(name, table.shape)
    weight = None if sample_weight is None else read_weights(sample_weight, n)
    weight = weight if weight is None or counts else as_counts(weight)
    companion: Labels | Table | None = None
    single_response = False
    if target != "none" and y is None:
        raise errors.target_missing(estimator, second_name if target == "table" else "y")
    if target == "labels":
        companion, reader = reader.read(y, weight)
        if companion.codes.shape[0] != n:
            raise errors.lengths_differ(name, n, "y", companion.codes.shape[0])
    elif target == "table":
        companion, single_response = _second_table(y, second_name, missing)
        if companion.shape[0] != n:
            raise errors.lengths_differ(name, n, second_name, companion.shape[0])
    counted = n if weight is None else int(np.count_nonzero(weight))
    if counted < min_rows:
        raise errors.too_few_rows(name, counted, table.shape, min_rows)
    if weight is not None and isinstance(companion, Labels):
        companion = companion.among(weight > 0)
    source = MemorySource(table, companion, weight, name, second_name)
    source.single_response, source.label_reader, source.missing = single_response, reader, missing
    return source


def _second_table(y: Any, name: str, missing: Missing) -> tuple[Table, bool]:
    """Read a second table; tell whether it was a single column without its own dimension."""
    second, single = as_two_dimensional(y, name)
    table = as_table(second, name, missing)
    if table.shape[1] == 0:
        raise errors.no_columns(name, table.shape)
    return table, single


def _ready(source: Source, missing: Missing, words: Words | None, in_memory: bool, name: str, min_rows: int) -> Source:
    """Return rows that do not lie in memory as the caller reads them; refuse too few."""
    source.missing = missing
    source = source if words is None else source.with_words(words)
    source = source.in_memory() if in_memory else source.settled()
    source.name = name
    if source.n_rows is not None and source.n_rows < min_rows:
        raise errors.too_few_rows(name, source.n_rows, (source.n_rows, source.n_features), min_rows)
    return source


def _remote_source(
    X: Any, y: Any, sample_weight: Any, target: Target, estimator: str, reader: LabelReader
) -> Source | None:
    """Recognise rows that do not lie in memory."""
    if isinstance(X, Source):
        return X.bound(y, sample_weight, target, estimator, reader)
    if hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed"):
        from .dask import DaskSource

        return DaskSource(X).bound(y, sample_weight, target, estimator, reader)
    if type(X).__module__.partition(".")[0] in ("pyspark", "ray"):
        from .engines import engine_rows, is_engine, refuse_parts_of_spark  # it opens partitions with as_source

        if is_engine(X):
            return engine_rows(X).bound(y, sample_weight, target, estimator, reader)
        refuse_parts_of_spark(X, "X")
    if is_labelled(X):
        return labelled_rows(X).bound(y, sample_weight, target, estimator, reader)
    if hasattr(X, "__arrow_c_stream__") and not _is_table(X):
        from .files import open_rows

        return open_rows(X).bound(y, sample_weight, target, estimator, reader)
    return None


def _is_table(X: Any) -> bool:
    """Tell whether rows that speak Arrow lie in memory already."""
    if type(X).__module__.partition(".")[0] == "pandas":
        return True
    if nw.dependencies.is_into_dataframe(X) or nw.dependencies.is_into_series(X):
        return True
    return type(X).__name__ in ("RecordBatch", "ChunkedArray")
