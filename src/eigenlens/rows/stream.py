"""Rows that are read as they are needed: what all readers of files and streams share.

A reader hands out *pieces*, rows that are still to be loaded. They are cut again into even segments and blocks, so that
the cutting of files and batches changes nothing, and loaded where they are used: while some threads compute, others
read.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ..arrays import devices, errors, namespaces
from ..arrays.progress import tracked
from ..arrays.threads import thread_count, threaded
from ..arrays.typing import Array
from .categories import WORD_ROWS, MixedRows, Words, chosen_words, is_mixed
from .labels import LabelReader, Labels, as_column, as_counts, check_weights, read_weights
from .pieces import Batch, Piece, Reader, Roles, even, in_vectors, require_finite
from .source import Block, Segment, Source, Target, block_rows, fine_rows, gathered, require_room, typical_row
from .table import ArrayTable, as_table, as_two_dimensional, finite_rows, table_of_rows

HEAD_ROWS = 1024  # among which the pivot is looked for
SEGMENT_BLOCKS = 4  # fewer than in memory: a few segments wait to be read into, and count as memory

T = TypeVar("T")


class RowSource(Source):
    """Rows of files or of a stream, made by `eigenlens.open_rows`."""

    def __init__(
        self, reader: Reader, roles: Roles, batch_rows: int | None, device: Any, progress: bool | None
    ) -> None:
        self.reader, self.roles, self.device, self.progress = reader, roles, device, progress
        self.n_features = len(roles.columns)
        self.feature_names = None if reader.names is None else [reader.names[j] for j in roles.columns]
        self.rereadable, self.paths = reader.rereadable, reader.paths
        self._has_weight = self.weighted = roles.weight is not None or reader.has_weight
        self.n_rows = None if self._has_weight else reader.n_rows
        self._batch_rows = batch_rows
        rows = block_rows(len(roles.all), device_bytes=None if device is None else 0)
        self._block = batch_rows or in_vectors(rows, getattr(reader, "vector", 1))
        self._target: Target = "none"
        self._estimator = "This method"
        self._given: Labels | Any = None
        self._given_weight: np.ndarray | None = None

    @property
    def _has_target(self) -> bool:
        return self.roles.target is not None or self.reader.has_target

    def __repr__(self) -> str:
        rows = "rows" if self.reader.n_rows is None else f"{self.reader.n_rows:,} rows"
        return f"<{rows} of {self.n_features} columns from {self.reader!r}>"

    def finely_cut(self) -> RowSource:
        new = copy.copy(self)
        new._block = min(self._block, fine_rows(len(self.roles.all))) if self.device is None else self._block
        return new

    # -- what a method asks of y -------------------------------------------------------------------------------

    def bound(self, y: Any, sample_weight: Any, target: Target, estimator: str, reader: LabelReader) -> RowSource:
        new = copy.copy(self)
        new._target, new.label_reader, new._estimator = target, reader, estimator
        if sample_weight is not None:
            if self._has_weight:
                raise errors.two_targets("sample_weight")
            n, weight = self.reader.n_rows, as_column(sample_weight, "sample_weight")
            new.weighted = True
            new._given_weight = given = read_weights(weight, weight.size if n is None else n)
            new.n_rows = None if n is None or given is None else int(np.count_nonzero(given))
        if target == "none":
            new.roles = replace(self.roles, target=None)  # a column that is not needed is not read
        else:
            new._bind_target(y, target)
        return new

    def with_words(self, words: Words) -> RowSource:
        is_word = chosen_words(words, self.feature_names, self.reader.found_words(self.roles), self.name)
        places = tuple(j for j, word in zip(self.roles.columns, is_word, strict=True) if word)
        if places and self.device is not None:
            raise errors.InputError(
                f"device={self.device!r}, but words are counted on the processor; leave device out of open_rows."
            )
        new = copy.copy(self)
        new.roles = replace(self.roles, words=places)
        if places and self._batch_rows is None:
            new._block = max(self._block, WORD_ROWS)
        return new

    def _bind_target(self, y: Any, target: Target) -> None:
        if y is None:
            if not self._has_target:
                raise _source_lacks_target(self._estimator)
            if target == "table":
                self._describe_responses()
            return
        if self._has_target:
            raise errors.two_targets("y")
        if isinstance(y, Source):
            raise errors.InputTypeError(
                "Y is a source of its own, but rows and their second table are read together: keep them in one file "
                "or stream and name the columns of Y, open_rows(..., columns=..., target=[...]), or pass Y as a table "
                "in memory."
            )
        if target == "labels":
            given, self.label_reader = self.label_reader.read(y, self._given_weight)
            m = len(given)
            counted = (
                given
                if self._given_weight is None or m != len(self._given_weight)
                else given.among(self._given_weight > 0)
            )
            self.labels = self._given = counted
        else:
            second, self.single_response = as_two_dimensional(y)
            self._given = as_table(second, "Y")
            m, self.n_responses = self._given.shape
            self.response_names = self._given.names
        if self.reader.n_rows is not None and m != self.reader.n_rows:
            raise errors.lengths_differ(self.name, self.reader.n_rows, "y" if target == "labels" else "Y", m)

    def _describe_responses(self) -> None:
        if self.roles.target is not None:
            self.n_responses, self.single_response = len(self.roles.target), self.roles.single
            names = self.reader.names
            self.response_names = None if names is None else [names[j] for j in self.roles.target]
            return
        y = next(self.reader.head(self.roles)).load(0, 1).y
        assert y is not None
        self.single_response = y.ndim == 1
        self.n_responses = 1 if self.single_response else y.shape[1]

    def without_weights(self) -> RowSource:
        new = copy.copy(self)
        new.roles, new.n_rows = replace(self.roles, weight=None), self.reader.n_rows
        new._has_weight = new.weighted = False
        return new

    def settled(self) -> RowSource:
        if self._target != "labels" or self._given is not None or self.label_reader.settled:
            return self
        new = copy.copy(self)
        new.label_reader = self.label_reader.read(*self.target_values())[1]
        return new

    def target_values(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Read y and the weights alone, in one pass that leaves X where it is (as far as the files allow)."""
        if not self._has_target:
            raise _source_lacks_target(self._estimator)
        if not self.rereadable:
            raise errors.InputError(
                f"{self._estimator} must see all of y before it can cut it into slices, and a stream of batches is "
                "read once. Give the cuts (n_slices=[cut, cut, …]), or pass open_rows a list of batches, files, or a "
                "function that returns a new iterator each time."
            )
        with self.reader.snapshot.held():
            pieces = self.reader.pieces(self.roles, self._block * SEGMENT_BLOCKS, only_target=True)
            batches = [piece.load(piece.start, piece.stop) for piece in pieces]
        weight = self._given_weight
        if self._has_weight:
            weight = as_counts(np.concatenate([np.asarray(batch.weight, dtype=np.float64) for batch in batches]))
        return np.concatenate([batch.y for batch in batches]), weight

    def in_memory(self) -> Source:
        from .in_memory import MemorySource

        if self.reader.n_rows is not None:  # once as pieces, once as one table
            itemsize = self.reader.dtype(self.roles).itemsize
            require_room(2 * itemsize * self.reader.n_rows * len(self.roles.all), self.name, self.reader.n_rows)
        with self.reader.snapshot.held():
            pieces = self.reader.pieces(self.roles, self._segment_rows)
            loaded = map(self._checked, tracked(pieces, None, "Loading", self.progress))
            batches = gathered(loaded, lambda batch: batch.X.nbytes, self.name)
        if not batches:
            raise errors.too_few_rows(self.name, 0, (0, self.n_features), 1)
        self._check_length(sum(len(batch.X) for batch in batches))
        table = table_of_rows(_joined([batch.X for batch in batches]), self.name)
        table.names, table.native = self.feature_names, self.native
        weight = as_counts(_joined([batch.weight for batch in batches])) if self._has_weight else self._given_weight
        if weight is not None and not weight.any():
            raise errors.weight_all_zero()
        companion, reader = self._given, self.label_reader
        if companion is None and self._target != "none":
            y = _joined([batch.y for batch in batches])
            if self._target == "labels":
                companion, reader = reader.read(y, weight)
                companion = companion if weight is None else companion.among(weight > 0)
            else:
                companion = ArrayTable(y, "Y")
                companion.names = self.response_names
        source = MemorySource(table, companion, weight, self.name)
        source.single_response, source.label_reader, source.missing = self.single_response, reader, self.missing
        return source

    # -- reading -----------------------------------------------------------------------------------------------

    def segments(self) -> Iterator[Segment]:
        rows, start = self._segment_rows, 0
        for pieces in even(self.reader.pieces(self.roles, rows), rows):
            yield _StreamSegment(self, pieces, start)
            start += sum(map(len, pieces))
        self._check_length(start)

    @property
    def _segment_rows(self) -> int:
        return self.reader.step(self._block * (1 if self.device else SEGMENT_BLOCKS))

    def n_segments(self) -> int | None:
        return None if self.reader.n_rows is None else -(-self.reader.n_rows // self._segment_rows)

    def _check_length(self, n: int, at_least: bool = False) -> None:
        """Compare the number of rows read, so far or in all, with that of y and weights given separately."""
        given, weight = self._given, self._given_weight
        if given is not None:
            m = len(given) if isinstance(given, Labels) else given.shape[0]
            if m < n or (m > n and not at_least):
                y = "y" if isinstance(given, Labels) else "Y"
                raise errors.lengths_differ(self.name, f"at least {n}" if at_least else n, y, m)
        if weight is not None and (len(weight) < n or (len(weight) > n and not at_least)):
            raise errors.weight_shape(weight.shape, n)

    def map_segments(self, work: Callable[[Segment], T]) -> Iterator[T]:
        with self.reader.snapshot.held():
            if self.device is None:
                yield from threaded(work, self.segments(), thread_count() + 1)
                return
            upload = self._upload()
            blocks = (block for segment in self.segments() for block in segment)
            yield from (work([upload(block)]) for block in ahead(blocks))

    def reduce(self, start: Any) -> Any:
        if self.device is None:
            return super().reduce(start)
        return super().reduce(start.brought_to(self._upload().sample)).brought_to(np.empty(0))

    def _upload(self) -> devices.Upload:
        try:
            return devices.Upload(self.device)
        except (AssertionError, ImportError, RuntimeError, ValueError) as error:  # each library has words of its own
            raise _no_device(self.device, error) from error

    def mapped_segments(self, function: Callable[[Array], Array], takes_sparse: bool = False) -> Iterator[list[Array]]:
        if self.device is None:
            return super().mapped_segments(function, takes_sparse)
        return super().mapped_segments(lambda block: namespaces.to_numpy(function(block)))

    @contextmanager
    def one_reading(self) -> Iterator[None]:
        reader = self.reader
        with getattr(reader, "one_reading", lambda: nullcontext(reader))() as self.reader:
            try:
                yield
            finally:
                self.reader = reader

    def first(self) -> Block:
        with self.reader.snapshot.held():
            return self._first()

    def _first(self) -> Block:
        start = 0
        few = min(self._block, HEAD_ROWS)
        for pieces in even(self.reader.head(self.roles), few):
            block = self.block(pieces, start)
            start += sum(map(len, pieces))
            if block.X.shape[0]:
                return typical_row(block)
        if self._has_weight and start:
            raise errors.weight_all_zero()
        raise errors.too_few_rows(self.name, 0, (0, self.n_features), 1)

    def block(self, pieces: list[Piece], start: int) -> Block:
        """Load and check rows; `start` is the number of the first among all rows."""
        batches = [self._checked(piece) for piece in pieces]
        stop = start + sum(map(len, pieces))
        self._check_length(stop, at_least=True)
        X = _joined([batch.X for batch in batches])
        y, classes = self._target_of(batches, pieces, start, stop, X.dtype)
        weight = None
        if self._has_weight:
            weight = _joined([batch.weight for batch in batches])
        elif self._given_weight is not None:
            weight = self._given_weight[start:stop]
        numbers = np.arange(start, stop) if self.numbered else None
        if weight is not None and not (weight > 0).all():
            keep = weight > 0
            X, weight, y = X[keep], weight[keep], None if y is None else y[keep]
            numbers = None if numbers is None else numbers[keep]
        return Block(X, y, weight, classes, numbers=numbers)

    def _checked(self, piece: Piece) -> Batch:
        batch = piece.load(piece.start, piece.stop)
        names = self.feature_names
        require_finite(batch.X, self.name, piece, names, self.missing)
        y, weight = batch.y, batch.weight
        if weight is not None:
            try:
                weight = check_weights(np.asarray(weight), len(piece), some=False)
            except ValueError as error:
                raise errors.located(piece.place, error) from error
        if self._target == "table" and y is not None:
            if y.dtype.kind not in "biuf":
                raise errors.located(piece.place, errors.not_numbers("Y", f"it holds {y.dtype}"))
            y = np.asarray(y[:, None] if y.ndim == 1 else y, dtype=batch.X.dtype)
            require_finite(y, "Y", piece, self.response_names, self.missing)
        return Batch(batch.X, y, weight)

    def _target_of(
        self, batches: list[Batch], pieces: list[Piece], start: int, stop: int, dtype: Any
    ) -> tuple[Any, np.ndarray | None]:
        if self._target == "none":
            return None, None
        if isinstance(self._given, Labels):
            return namespaces.to_numpy(self._given.codes[start:stop]), self._given.classes
        if self._given is not None:
            return namespaces.to_numpy(finite_rows(self._given, start, stop, "Y", self.missing)).astype(dtype), None
        if self._target == "table":
            return _joined([batch.y for batch in batches]), None
        try:
            labels = self.label_reader.read(_joined([batch.y for batch in batches]), None)[0]
        except ValueError as error:
            raise errors.located(pieces[0].place, error) from error
        return labels.codes, labels.classes


class _StreamSegment:
    """A segment: pieces that are loaded block by block as they are iterated over."""

    def __init__(self, source: RowSource, pieces: list[Piece], start: int) -> None:
        self.source, self.pieces, self.start = source, pieces, start

    def __iter__(self) -> Iterator[Block]:
        start = self.start
        for pieces in even(self.pieces, self.source._block):
            yield self.source.block(pieces, start)
            start += sum(map(len, pieces))


def ahead(items: Iterable[T], depth: int = 2) -> Iterator[T]:
    """Read a few items ahead on a thread of their own."""
    iterator = iter(items)
    done = object()
    with ThreadPoolExecutor(1) as pool:
        waiting = [pool.submit(next, iterator, done) for _ in range(depth)]
        while True:
            item: Any = waiting.pop(0).result()
            if item is done:
                return
            waiting.append(pool.submit(next, iterator, done))
            yield item


def _joined(arrays: list[Any]) -> Any:
    if len(arrays) == 1:
        return arrays[0]
    return MixedRows.joined(arrays) if is_mixed(arrays[0]) else np.concatenate(arrays)


def _source_lacks_target(estimator: str) -> errors.InputError:
    return errors.InputError(
        f"{estimator} requires y to be passed, but the target y is None: name its column in open_rows(..., "
        f"target=...), or pass y with the source."
    )


def _no_device(device: Any, cause: Exception) -> errors.InputError:
    reason = str(cause).splitlines()[0]
    return errors.InputError(
        f"device={device!r} cannot be computed on ({reason}); name a device that torch or CuPy has here, such as "
        f"'cuda', or leave device out."
    )
