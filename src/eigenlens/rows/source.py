"""Blocks, sources, and the one reduction that every back end shares.

A source cuts its rows into *segments*, and each segment into *blocks*. A block fits the processor's cache; a segment
is a piece of work for one thread (or, elsewhere, one worker). How rows are cut depends on the table alone, and parts
are merged in their order: a rerun gives the same bits, and tables that are spread over threads give them however many
threads there are.

The contract of a source is four verbs: `bound` (what a method asks of y), `first` (the pivot), `reduce` (one pass that
keeps moments) and `map` (one pass that returns rows). The last two are written here for whatever can be cut into
segments; a back end whose rows are reduced elsewhere writes its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol, Self, TypeVar

import numpy as np

from ..arrays import errors, memory, namespaces
from ..arrays.namespaces import Codes
from ..arrays.progress import tracked
from ..arrays.typing import Array
from .categories import MixedRows, Words, first_rows
from .labels import ClassReader, LabelReader, Labels

UNASKED_BYTES = 2**20  # bytes that are not checked for room: checking takes a fraction of a millisecond
BLOCK_BYTES = 2**22  # float64 rows of one block: they stay in cache from the first look to the product
DEVICE_SHARE, DEVICE_BLOCK_BYTES = 32, 2**28  # a device wants few large products: this share of its memory, or so many
SMALL_BYTES = 2**25  # a block of so many costs little, even where it leaves the cache
BLOCK_ROWS = (256, 65_536)  # fewer starve the matrix product, more leave the cache
SEGMENTS, SEGMENT_BLOCKS = 8, 8  # at least so many segments where there are blocks enough; at most so many blocks each
PIVOT_ROWS = 7  # the pivot is the median of so many rows: a wild one among them does not show


@dataclass(frozen=True, slots=True)
class Block:
    """A few rows: what a pass hands to the moments.

    Attributes
    ----------
    X : array of shape (rows, p)
        Real floating-point numbers, all finite. Sparse rows stay sparse for moments that take them so.
    y : array or None
        Class codes (rows,), or a second table (rows, s).
    weight : array of shape (rows,) or None
        Positive float64 weights; None means one each.
    classes : ndarray or None
        What the class codes stand for.
    runs : tuple of (code, start, stop), or None
        Where the rows of a class stand together: the classes in their order, and their rows. Then y is None.
    numbers : ndarray of int, shape (rows,), or None
        Which rows of the table these are, where a pass was asked to tell (`Source.numbered`).
    """

    X: Any  # dense, sparse, or with words
    y: Any = None
    weight: Any = None
    classes: np.ndarray | None = None
    runs: tuple[tuple[int, int, int], ...] | None = None
    numbers: np.ndarray | None = None

    def split(self, codes: Codes) -> Iterator[tuple[int, Block]]:
        """Yield the groups that codes, or runs, name, with the rows of each in their order."""
        pieces: list[tuple[int, Any]]
        if isinstance(codes, tuple):
            pieces = [(k, slice(start, stop)) for k, start, stop in codes]
        else:
            host = namespaces.to_numpy(codes)
            if host.min(initial=0) == host.max(initial=0):
                yield int(host.max(initial=0)), self
                return
            order = np.argsort(host, kind="stable")
            groups = np.split(order, np.flatnonzero(np.diff(host[order])) + 1)
            pieces = [(int(host[rows[0]]), rows) for rows in groups]
        for k, rows in pieces:
            X, y, weight, numbers = (_picked(v, rows) for v in (self.X, self.y, self.weight, self.numbers))
            yield k, Block(X, y, weight, self.classes, None, numbers)


def _picked(values: Any, rows: Any) -> Any:
    """Return values[rows]: of arrays of any library, sparse rows, or rows with words."""
    if values is None or isinstance(values, np.ndarray) or not namespaces.is_array(values):
        return None if values is None else values[rows]
    return values[rows, ...] if isinstance(rows, slice) else namespaces.take_rows(values, namespaces.like(rows, values))


class Accumulator(Protocol):
    """What `collect` needs of moments."""

    def anchored(self, first: Block) -> Self: ...
    def update(self, block: Block) -> Self: ...
    def merge(self, other: Self) -> Self: ...
    def copy(self) -> Self: ...
    @property
    def finite(self) -> bool: ...


M = TypeVar("M", bound=Accumulator)
T = TypeVar("T")
Segment = Iterable[Block]
Target = Literal["none", "labels", "table"]
Missing = str  # "refuse", or a word for how a method models the cells that were not observed


class Source(ABC):
    """Rows that can be read block by block.

    Attributes
    ----------
    n_rows : int or None
        Rows of positive weight, where they are known before reading.
    n_features : int
        Columns of X.
    feature_names : list of str or None
    labels : Labels or None
        Class labels, where they are known before reading.
    weighted : bool
        Whether rows have weights of their own.
    n_responses : int or None
        Columns of the second table, where there is one.
    response_names : list of str or None
    single_response : bool
        Whether the second table is a single column of shape (n,).
    rereadable : bool
        Whether a second pass is possible.
    in_memory_already : bool
        Whether the rows lie in memory, so keeping the source keeps them there.
    progress : bool or None
        Whether a long pass shows a bar; None for terminals and notebooks only.
    label_reader : LabelReader
        How y became labels.
    missing : str
        "refuse", or anything else where X, and a second table, may hold NaN: cells that were not observed.
    numbered : bool
        Whether blocks tell which rows of the table they hold.
    in_order : bool
        Whether rows have places; if not, their numbers depend on their cells.
    paths : list of Path
        The files that are read, where there are any.
    layout : object or None
        The labels of rows and columns, where what a model says about the rows is to have them.
    keeps_results : bool
        Whether `map` leaves its results with the rows: it returns a table of an engine, with columns added.
    result_names : str or list of str
        What these columns are called; a single name is followed by a number where there are several.
    """

    n_rows: int | None
    n_features: int
    feature_names: list[str] | None
    labels: Labels | None = None
    weighted: bool = False
    n_responses: int | None = None
    response_names: list[str] | None = None
    single_response: bool = False
    rereadable: bool = True
    in_memory_already: bool = False
    progress: bool | None = None
    name: str = "X"
    paths: Sequence[Path] = ()
    label_reader: LabelReader = ClassReader()
    missing: Missing = "refuse"
    numbered: bool = False
    in_order: bool = True
    layout: Any = None
    keeps_results: bool = False
    result_names: str | Sequence[str] = "result"

    @abstractmethod
    def segments(self) -> Iterator[Segment]:
        """Cut the rows into independent pieces, in order."""

    @abstractmethod
    def first(self) -> Block:
        """Return a typical row as a block: the pivot that all parts of a pass share."""

    @property
    def n_columns(self) -> int:
        """Columns of X and of the second table together."""
        return self.n_features

    @property
    def native(self) -> Any:
        """A table with the columns of X, from which scikit-learn reads their names and number."""
        return np.empty((0, self.n_features)) if self.feature_names is None else _empty_frame(self.feature_names)

    def settled(self) -> Source:
        """Return this source ready to be read a few rows at a time: with slices of y settled, for which y is read."""
        return self

    def finely_cut(self) -> Source:
        """Return the same rows in blocks of a cache's size, for a pass whose parts merge at no cost."""
        return self

    def with_words(self, words: Words) -> Source:
        """Return this source with columns of words read as such; by default there are none."""
        if not isinstance(words, str) and len(words):
            raise errors.InputError(
                f"categories={list(words)!r}, but {self.name} holds numbers only; leave categories at 'auto'."
            )
        return self

    def of_columns(self, names: Sequence[str]) -> Source:
        """Return the columns of a fit, if X may hold others too; by default it is taken as it is."""
        return self

    def without_weights(self) -> Source:
        """Return the same rows, each counted once: what a model says, it says about every row."""
        return self

    @abstractmethod
    def in_memory(self) -> Source:
        """Return the same rows, with their y and weights, as tables in memory."""

    def bound(self, y: Any, sample_weight: Any, target: Target, estimator: str, reader: LabelReader) -> Source:
        """Return this source with y read as the caller needs it: not at all, as labels, or as a second table."""
        if target != "none" or sample_weight is not None:
            raise errors.InputError(
                f"X is a {type(self).__name__} that has been prepared for another use; pass the table itself."
            )
        return self

    def target_values(self) -> tuple[Any, Any]:
        """Return y and the weights of all rows, where the source holds them; X stays where it is."""
        raise errors.InputError("X holds no y; pass y as well.")

    def one_reading(self) -> AbstractContextManager[Any]:
        """Let the first rows and the pass that follows be one reading, where each would be one of its own."""
        return nullcontext()

    def map_segments(self, work: Callable[[Segment], T]) -> Iterator[T]:
        """Apply `work` to every segment and yield the results in order."""
        return map(work, self.segments())

    def n_segments(self) -> int | None:
        """Return how many segments a pass has, where that is known."""
        return None

    def collect(self, empty: M) -> M:
        """Read the rows once and return what moments like `empty`, which have seen nothing, keep of them."""
        with self.one_reading():
            return self.reduce(empty.anchored(self.first()))

    def reduce(self, start: M) -> M:
        """Read the rows once, into `start`, which is empty except for the pivot."""
        takes_sparse = getattr(start, "takes_sparse", False)

        def reduce_segment(segment: Segment) -> M:
            part = start.copy()
            for block in segment:
                for piece in [block] if takes_sparse else dense_blocks(block):
                    part = part.update(piece)
            return part

        total = start.copy()
        parts = self.map_segments(reduce_segment)
        for part in tracked(parts, self.n_segments(), "Reading", self.progress):
            total = total.merge(part)
        return total

    def map(self, function: Callable[[Array], Array], takes_sparse: bool = False) -> Array:
        """Apply a function of rows block by block and stack what it returns."""
        pieces = [piece for part in self.mapped_segments(function, takes_sparse) for piece in part]
        return pieces[0] if len(pieces) == 1 else namespaces.namespace(pieces[0]).concat(pieces, axis=0)

    def mapped_segments(self, function: Callable[[Array], Array], takes_sparse: bool = False) -> Iterator[list[Array]]:
        """Yield what a function of rows returns for the blocks of each segment, in order."""

        def apply(segment: Segment) -> list[Array]:
            pieces = (piece for block in segment for piece in ([block] if takes_sparse else dense_blocks(block)))
            return [function(piece.X) for piece in pieces]

        return tracked(self.map_segments(apply), self.n_segments(), "Applying", self.progress)


def map_rows(source: Source, function: Callable[[Array], Array], takes_sparse: bool = False) -> Array:
    """Apply a function of rows block by block and stack what it returns; sparse rows as they are, if it takes them."""
    return source.map(function, takes_sparse)


def fine_rows(n_columns: int) -> int:
    """Return how many rows make a block where a merge costs nothing, so that they fit the cache however wide."""
    return min(max(BLOCK_BYTES // (8 * n_columns), 16), BLOCK_ROWS[1])


def block_rows(n_columns: int, n_groups: int = 1, device_bytes: int | None = None) -> int:
    """Return how many rows make a block: cache-sized, or for a device of so much memory, and many more than groups.

    A merge costs as much as p/2 rows or so, hence the floor at eight times the number of columns while such a block is
    small compared with any memory, and at half of it always.
    """
    if device_bytes is not None:
        size = max(device_bytes // DEVICE_SHARE, DEVICE_BLOCK_BYTES)
        return max(size // (8 * (n_columns + n_groups)), n_columns, 4 * n_groups)
    low, high = BLOCK_ROWS
    rows = min(max(BLOCK_BYTES // (8 * n_columns), low), high)
    return max(rows, min(8 * n_columns, SMALL_BYTES // (8 * n_columns)), n_columns // 2, 4 * n_groups)


def segment_blocks(n_rows: int, rows: int) -> int:
    """Return how many blocks make a segment: enough segments to keep threads busy, few enough to merge at no cost."""
    return min(max(n_rows // rows // SEGMENTS, 1), SEGMENT_BLOCKS)


def dense_blocks(block: Block) -> Iterator[Block]:
    """Yield a block as it is; one of sparse rows, which holds more of them, in dense pieces."""
    if not namespaces.is_sparse(block.X):
        yield block
        return
    step = block_rows(block.X.shape[1])
    for start in range(0, block.X.shape[0], step):
        rows = slice(start, start + step)
        beside = ("y", "weight", "numbers")
        y, weight, numbers = (None if (v := getattr(block, name)) is None else v[rows] for name in beside)
        yield replace(block, X=block.X[rows].toarray(), y=y, weight=weight, numbers=numbers)


def typical_rows(n: int, weight: np.ndarray | None) -> list[int]:
    """Return the places of a few rows, spread evenly, that count as much as others: one that hardly counts misleads."""
    counting = range(n) if weight is None else np.flatnonzero(weight >= (1 - 1e-9) * weight.mean())
    last, steps = len(counting) - 1, min(PIVOT_ROWS, len(counting)) - 1
    return [int(counting[last * i // max(steps, 1)]) for i in range(steps + 1)]


def typical_row(block: Block) -> Block:
    """Return the columnwise median of a few rows of a block that count: a pivot."""
    places = typical_rows(block.X.shape[0], block.weight)
    few, y = block.X[places], block.y
    X = first_rows(few, middle) if isinstance(few, MixedRows) else middle(few)
    return Block(X, None if y is None or y.ndim == 1 else middle(y[places]))


def middle(rows: Array) -> Array:
    """Return the columnwise median of a few rows, as a table of one row; NaN where a column holds nothing else."""
    xp = namespaces.namespace(rows)
    ordered = xp.sort(rows, axis=0)
    if isinstance(rows, np.ndarray) and not np.isnan(ordered[-1]).any():  # where it would be, since NaN comes last
        return ordered[len(ordered) // 2][None, :]
    seen = xp.sum(xp.astype(ordered == ordered, xp.int64), axis=0)  # NaN comes last
    return xp.take_along_axis(ordered, (seen // 2)[None, :], axis=0)


def whole(source: Source, work: tuple[int, int] | None = None) -> Block:
    """Read all rows into one block: for methods that search where others pass once.

    Rows are float64 of NumPy, one after the other in memory whatever the layout of the table: the same numbers give the
    same bits. With `work`, there must be room for so many copies of the rows, and so many columns, as well.
    """
    source = source.in_memory()
    assert source.n_rows is not None
    copies, columns = work or (1, 0)
    require_room(
        8 * source.n_rows * (source.n_columns * copies + columns), source.name, source.n_rows, work is not None
    )
    X = np.empty((source.n_rows, source.n_features))
    beside: list[tuple[Any, Any]] = []
    classes, at = None, 0
    for segment in source.segments():
        for piece in (piece for block in segment for piece in dense_blocks(block)):
            rows = piece.X.shape[0]
            X[at : at + rows] = namespaces.to_numpy(piece.X)
            beside.append((piece.y, piece.weight))
            classes, at = piece.classes if at == 0 else classes, at + rows

    def stacked(parts: list[Array | None]) -> Any:
        host = [np.ascontiguousarray(namespaces.to_numpy(part), dtype=np.float64) for part in parts if part is not None]
        return None if not host else host[0] if len(host) == 1 else np.concatenate(host)

    y, weight = (stacked([pair[k] for pair in beside]) for k in (0, 1))
    return Block(X, y, np.ones(len(X)) if weight is None else weight, classes)


def require_room(needed: int, name: str, n_rows: int | None = None, worked: bool = False) -> None:
    """Refuse to bring rows together in memory where they do not fit: the system would end the process in the middle."""
    if needed < UNASKED_BYTES:
        return
    rows = "All rows" if n_rows is None else f"All {n_rows:,} rows"
    way_out = "take fewer rows or columns, or a method that reads them once, a few at a time (PCA, LDA, CCA, SIR)"
    memory.require(needed, f"{rows} of {name} in one table{' with the work on it' if worked else ''}", way_out)


def gathered(parts: Iterable[T], size: Callable[[T], int], name: str) -> list[T]:
    """Keep all parts as they come, as long as there is room to join them: that takes as much memory once more."""
    kept, held = [], 0
    for part in parts:
        held += size(part)
        require_room(held, name)
        kept.append(part)
    return kept


def _empty_frame(names: list[str]) -> Any:
    """Return an empty data frame with these columns, of whichever library is here."""
    for library in ("pyarrow", "pandas", "polars"):
        try:
            module = import_module(library)
        except ImportError:
            continue
        values: dict[str, list[float]] = {name: [] for name in names}
        return module.table(values) if library == "pyarrow" else module.DataFrame(values)
    return np.empty((0, len(names)))
