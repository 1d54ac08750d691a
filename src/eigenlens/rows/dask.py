"""Dask arrays and frames: partitions are reduced where they are, and only moments come back.

Partitions are cut into at most RUNS runs. A run is folded partition by partition where its partitions are made, so that
only one partial result lives for each run; finished runs are merged here, in their order. How partitions are cut
into runs depends on their number alone, so that a rerun gives the same bits on any cluster, and after any loss of
workers: nothing is scattered, every block can be made again from the graph, and a run that has been merged is never
needed again.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import Any

import dask
import dask.array as da
import narwhals as nw
import numpy as np
from dask.array.dispatch import concatenate_lookup
from dask.sizeof import sizeof

from ..arrays import errors
from ..arrays.progress import tracked
from ..arrays.threads import thread_count
from ..arrays.typing import Array
from .categories import Words, chosen_words, holds_words
from .in_memory import as_source
from .labels import LabelReader, as_column, as_counts, read_weights
from .partitions import ReadOptions, first_row, folded, mapped
from .source import Block, Segment, Source, Target, gathered, require_room

RUNS = 256  # folded in parallel, at most; so many partial results live on a cluster
ATTEMPTS = 10  # a run is given up when its workers have died so often


class DaskSource(Source):
    """The partitions of a Dask array or data frame."""

    def __init__(self, X: Any, name: str = "X") -> None:
        self.X, self.name = _whole_rows(X), name
        self.is_frame = not hasattr(X, "chunks")
        if X.ndim != 2:
            raise errors.not_a_table(name, X.shape if not self.is_frame else (len(X.divisions) - 1,))
        self.n_features = int(X.shape[1])
        if self.n_features == 0:
            raise errors.no_columns(name, (0, 0))
        self.feature_names = [str(c) for c in X.columns] if self.is_frame else None
        self.n_rows = None if self.is_frame else _known(X.shape[0])
        self._target: Target = "none"
        self._words: Words | None = None
        self._starts: list[int] | None = None
        self._parts: list[tuple[Any, Any, Any]] = [(part, None, None) for part in _partitions(self.X)]

    @property
    def native(self) -> Any:
        return self.X._meta if self.is_frame else super().native

    def __repr__(self) -> str:
        return f"<{len(self._parts)} partitions of {self.n_features} columns>"

    # -- what a method asks of y -------------------------------------------------------------------------------

    def bound(self, y: Any, sample_weight: Any, target: Target, estimator: str, reader: LabelReader) -> DaskSource:
        new = copy.copy(self)
        new._target, new.label_reader, new.weighted = target, reader, sample_weight is not None
        ys: list[Any] = [None] * len(self._parts)
        if target != "none":
            if y is None:
                raise errors.target_missing(estimator, "Y" if target == "table" else "y")
            y = _matched(y, self.X, "y" if target == "labels" else "Y")
            ys = _partitions(y)
            if target == "table":
                new.single_response = y.ndim == 1
                new.n_responses = 1 if y.ndim == 1 else int(y.shape[1])
                new.response_names = [str(c) for c in y.columns] if hasattr(y, "columns") else None
        weights: list[Any] = [None] * len(self._parts)
        if sample_weight is not None and np.ndim(sample_weight) == 0:
            weights = [sample_weight] * len(self._parts)
        elif sample_weight is not None:
            weights = _partitions(_matched(sample_weight, self.X, "sample_weight"))
            new.n_rows = None
        for name, parts in (("y", ys), ("sample_weight", weights)):
            if len(parts) != len(self._parts):
                raise _dask_target(name, f"it has {len(parts)} partitions and X has {len(self._parts)}")
        new._parts = [(part, b, c) for (part, _, _), b, c in zip(self._parts, ys, weights, strict=True)]
        return new

    def with_words(self, words: Words) -> DaskSource:
        """Return this source with columns of words read as such: by their types, which all partitions share."""
        if not self.is_frame:
            super().with_words(words)
            return self
        kinds = [nw.from_native(self.X._meta[name], series_only=True).dtype for name in self.X.columns]
        found = [holds_words(kind) for kind in kinds]
        is_word = chosen_words(words, list(self.X.columns), found, self.name)
        new = copy.copy(self)
        new._words = [name for name, word in zip(self.X.columns, is_word, strict=True) if word] or None
        return new

    def settled(self) -> DaskSource:
        """Return this source with slices settled by y and the weights, which alone come here: a number a row."""
        if self._target != "labels" or self.label_reader.settled:
            return self
        new = copy.copy(self)
        parts = _fetched([(y, weight) for _, y, weight in self._parts], "y")
        y = np.concatenate([as_column(y, "y") for y, _ in parts])
        new.label_reader = self.label_reader.read(y, self._counts([weight for _, weight in parts], len(y)))[1]
        return new

    def _weights(self, parts: list[Any], n: int) -> np.ndarray | None:
        """Return the weights of all rows; a single number, or none at all, is that of every partition."""
        if np.ndim(parts[0]) == 0:
            return read_weights(parts[0], n)
        return read_weights(np.concatenate([as_column(weight, "sample_weight") for weight in parts]), n)

    def _counts(self, parts: list[Any], n: int) -> np.ndarray | None:
        weight = self._weights(parts, n)
        return None if weight is None else as_counts(weight)

    def in_memory(self) -> Source:
        if self.n_rows is not None:  # once as partitions, once as one table
            require_room(16 * self.n_rows * self.n_features, self.name, self.n_rows)
        parts = _fetched(self._parts, self.name)
        X: Any = _joined([part for part, _, _ in parts])
        y = None if parts[0][1] is None else _joined([part for _, part, _ in parts])
        weight = self._weights([weight for _, _, weight in parts], X.shape[0])
        target, reader = self._target, self.label_reader
        found = {"target": target, "name": self.name, "reader": reader, "missing": self.missing, "words": self._words}
        options: dict[str, Any] = found
        return as_source(X, y, weight, **options)

    def _options(self, k: int = 0) -> ReadOptions:
        """Return how partition k is to be read."""
        first = self._first_numbers()[k] if self.numbered else None
        return ReadOptions(self.name, self._target, self.label_reader, self.missing, self._words, first)

    def _first_numbers(self) -> list[int]:
        """Return the number of the first row of each partition; a frame has to be asked how long its partitions are."""
        if self._starts is None:
            lengths = None if self.is_frame else [_known(rows) for rows in self.X.chunks[0]]
            if lengths is None or None in lengths:
                count = dask.delayed(len, pure=False)
                places = [f"partition {k}" for k in range(len(self._parts))]
                lengths = list(_results([count(part) for part, _, _ in self._parts], places))
            self._starts = np.cumsum([0, *lengths])[:-1].tolist()
        return self._starts

    # -- passes ------------------------------------------------------------------------------------------------

    def segments(self) -> Iterator[Segment]:
        raise NotImplementedError("the rows of a Dask collection stay where they are")

    def first(self) -> Block:
        read = dask.delayed(first_row, pure=False)
        for k, part in enumerate(self._parts):
            block = _compute(read(*part, self._options(), f"partition {k}"))
            if block is not None:
                return block
        raise errors.too_few_rows(self.name, 0, (0, self.n_features), 1)

    def reduce(self, start: Any) -> Any:
        fold = dask.delayed(folded, pure=False)
        size = -(-len(self._parts) // RUNS)
        runs, places = [], []
        for low in range(0, len(self._parts), size):
            total, high = start, min(low + size, len(self._parts))
            for k in range(low, high):
                total = fold(total, *self._parts[k], self._options(k), f"partition {k}")
            runs.append(total)
            places.append(f"partitions {low} to {high - 1}")
        total = start.copy()
        for part in tracked(_results(runs, places), len(runs), "Reducing", self.progress):
            total = total.merge(part)
        return total

    def map(self, function: Callable[[Array], Array], takes_sparse: bool = False) -> Any:
        """Return a Dask array, still to be computed, of what the function makes of each partition."""
        sample = function(self.first().X)
        apply = dask.delayed(mapped, pure=False)
        meta = np.empty((0, *sample.shape[1:]), dtype=sample.dtype)
        lengths = (np.nan,) * len(self._parts) if self.is_frame else self.X.chunks[0]
        options = ReadOptions(self.name, missing=self.missing, words=self._words)
        pieces = [
            da.from_delayed(
                apply(part, function, meta, options, f"partition {k}"),
                shape=(rows, *sample.shape[1:]),
                dtype=sample.dtype,
                meta=meta,
            )
            for k, ((part, _, _), rows) in enumerate(zip(self._parts, lengths, strict=True))
        ]
        return da.concatenate(pieces, axis=0, allow_unknown_chunksizes=True)


def _whole_rows(X: Any) -> Any:
    """Bring the columns of an array together, chunk by chunk of rows; frames have them so."""
    return X.rechunk({1: -1}) if hasattr(X, "chunks") and X.ndim == 2 and len(X.chunks[1]) > 1 else X


def _partitions(values: Any) -> list[Any]:
    return list(np.ravel(np.array(_whole_rows(values).to_delayed(), dtype=object)))


def _known(n: Any) -> int | None:
    return int(n) if n == n else None


def _matched(values: Any, X: Any, name: str) -> Any:
    """Cut y or weights like X."""
    if hasattr(values, "__dask_graph__"):
        cut = getattr(values, "chunks", None)
        if cut and hasattr(X, "chunks") and _known(sum(cut[0])) is not None and _known(sum(X.chunks[0])) is not None:
            if sum(cut[0]) != sum(X.chunks[0]):
                raise errors.lengths_differ("X", sum(X.chunks[0]), name, sum(cut[0]))
            return values.rechunk({0: X.chunks[0]})
        return values
    if not hasattr(X, "chunks") or _known(X.shape[0]) is None:
        raise _dask_target(name, "it lies in memory, and the lengths of the partitions are not known")
    column = as_column(values, name)
    if len(column) != X.shape[0]:
        raise errors.lengths_differ("X", int(X.shape[0]), name, len(column))
    return da.from_array(column, chunks=(X.chunks[0], *(-1 for _ in column.shape[1:])))


# -- running -----------------------------------------------------------------------------------------------------


def _client() -> Any:
    """Return the user's client, if there is one."""
    try:
        from distributed import get_client

        return get_client()
    except (ImportError, ValueError):
        return None


def _compute(value: Any) -> Any:
    return next(_results([value], ["the first partition"]))


def _fetched(parts: Sequence[tuple[Any, ...]], name: str) -> list[tuple[Any, ...]]:
    """Bring partitions here, each by itself, so that those of a worker that dies are all that is asked for again."""
    together = dask.delayed(_together, pure=False)
    results = _results([together(*part) for part in parts], [f"partition {k}" for k in range(len(parts))])
    return gathered(results, lambda part: sum(map(sizeof, part)), name)


def _together(*values: Any) -> tuple[Any, ...]:
    return values


def _joined(parts: list[Any]) -> Any:
    if hasattr(parts[0], "columns") or hasattr(parts[0], "to_frame"):
        from dask.dataframe.dispatch import concat

        return concat(parts)
    return concatenate_lookup.dispatch(type(parts[0]))(parts, axis=0)


def _results(runs: list[Any], places: list[str]) -> Iterator[Any]:
    """Compute runs and yield their results in order, each as soon as those before it are there."""
    client = _client()
    if client is None:
        step = 4 * thread_count()
        for low in range(0, len(runs), step):
            yield from dask.compute(*runs[low : low + step])
        return
    futures = _asked(client, runs)
    try:
        for k in range(len(runs)):
            yield _outlived(client, futures, k, runs, places[k])
            futures[k].release()
    finally:
        unfinished = [future for future in futures if not future.done()]
        if unfinished and _connected(client):
            client.cancel(unfinished)


def _asked(client: Any, runs: Any) -> Any:
    """Return the futures of runs; where there is no scheduler any more, say so."""
    try:
        return client.compute(runs)
    except Exception as error:
        if _connected(client):
            raise
        raise RuntimeError(
            "the Dask scheduler is gone, and with it everything that was computed; the model is as it was. Start a "
            "scheduler, connect a new Client, and fit again."
        ) from error


def _connected(client: Any) -> bool:
    return getattr(client, "status", "running") == "running"


def _outlived(client: Any, futures: list[Any], k: int, runs: list[Any], place: str) -> Any:
    """Wait for a run; where its workers have died so often that the scheduler gave it up, ask for it again.

    So too where the cluster was restarted meanwhile, which cancels whatever is wanted of it.
    """
    from distributed import KilledWorker

    for _ in range(ATTEMPTS):
        try:
            return futures[k].result()
        except (KilledWorker, CancelledError):
            lost = [j for j in range(k, len(runs)) if j == k or futures[j].cancelled()]
            for j in lost:
                futures[j].release()  # before the run is asked for again: as long as somebody wants it, it stays failed
            client.sync(asyncio.sleep, 0)
            for j in lost:
                futures[j] = _asked(client, runs[j])
    raise RuntimeError(
        f"{place}: the workers died {ATTEMPTS} times while reducing them, so they are probably too large for a "
        "worker's memory; use smaller partitions (rechunk, repartition) or larger workers."
    )


def _dask_target(name: str, why: str) -> errors.InputError:
    return errors.InputError(
        f"{name} cannot be matched with the partitions of X: {why}. Pass {name} as a Dask array or series cut like X, "
        f"or keep it as a column of one Dask frame (X = frame[columns], {name} = frame[column])."
    )
