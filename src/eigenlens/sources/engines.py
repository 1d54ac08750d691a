"""Spark data frames and Ray datasets: partitions are reduced where they are, and only moments come back.

The moments of each partition come with its place and are merged in that order, so a rerun gives the same bits, also
where the engine had to repeat partitions whose workers died.
"""

from __future__ import annotations

import copy
import pickle
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core import errors
from .._core.optional import require
from .._core.typing import Array
from .base import Block, Segment, Source, Target, require_room
from .in_memory import as_source
from .labels import LabelReader, as_counts, check_weights
from .parquet import as_values
from .partitions import ReadOptions, folded, mapped, opened

PARTS = 256  # partial results that come here, at most
HEAD = 64  # rows that are looked at for the pivot


@dataclass(frozen=True)
class ColumnRoles:
    """Which columns are X, y and weight, by name."""

    columns: tuple[str, ...]
    target: tuple[str, ...] = ()
    weight: str | None = None
    single: bool = True

    @property
    def all(self) -> list[str]:
        return [*self.columns, *self.target, *(() if self.weight is None else (self.weight,))]

    def split(self, table: Any) -> tuple[Any, Any, Any]:
        """Return X, y and weights of an Arrow table."""
        y = None
        if self.target:
            parts = [as_values(table.column(name).combine_chunks()) for name in self.target]
            y = parts[0] if self.single else np.stack(parts, axis=1)
        weight = None if self.weight is None else as_values(table.column(self.weight).combine_chunks())
        return table.select(list(self.columns)), y, weight


class EngineSource(Source):
    """The partitions of a table that an engine holds."""

    kind = "engine"

    def __init__(self, frame: Any, roles: ColumnRoles) -> None:
        self.frame, self.roles = frame, roles
        self.n_features, self.feature_names, self.n_rows = len(roles.columns), list(roles.columns), None
        self._target: Target = "none"
        self._has_weight = roles.weight is not None

    def __repr__(self) -> str:
        return f"<the rows of {self.n_features} columns of a {self.kind} table>"

    # -- what an engine says ---------------------------------------------------------------------------------------

    @abstractmethod
    def head(self) -> Any:
        """Return a few rows as an Arrow table."""

    @abstractmethod
    def fetched(self, columns: Sequence[str]) -> Any:
        """Return these columns of all rows as an Arrow table."""

    @abstractmethod
    def partial_results(self, work: Callable[[Any, Any], bytes]) -> Iterable[bytes]:
        """Apply work to every partition, an Arrow table and its place, where it is; return the results in order."""

    # -- what a method asks of y -----------------------------------------------------------------------------------

    def bound(self, y: Any, sample_weight: Any, target: Target, estimator: str, reader: LabelReader) -> EngineSource:
        for name, values in (("y", y), ("sample_weight", sample_weight)):
            if values is not None:
                raise errors.InputError(
                    f"{name} was passed beside a {self.kind} table, whose rows have no fixed order; keep it as a "
                    f"column and name that, open_rows(frame, target=…, weight=…) or fit(frame, target=…)."
                )
        new = copy.copy(self)
        new._target, new.label_reader = target, reader
        if target == "none":
            new.roles = ColumnRoles(self.roles.columns, (), self.roles.weight)
            return new
        if not self.roles.target:
            raise errors.InputError(
                f"{estimator} requires y to be passed, but the target y is None: name its column, "
                "open_rows(frame, target=…) or fit(frame, target=…)."
            )
        if target == "table":
            new.n_responses, new.single_response = len(self.roles.target), self.roles.single
            new.response_names = list(self.roles.target)
        return new

    def without_weights(self) -> EngineSource:
        new = copy.copy(self)
        new.roles = ColumnRoles(self.roles.columns, self.roles.target, None, self.roles.single)
        return new

    def settled(self) -> EngineSource:
        """Return this source with slices settled by y and the weights, which alone come here: a number a row."""
        if self._target != "labels" or self.label_reader.settled:
            return self
        new = copy.copy(self)
        alone = ColumnRoles((), self.roles.target, self.roles.weight, self.roles.single)
        _, y, weight = alone.split(self.fetched(alone.all))
        weight = None if weight is None else as_counts(check_weights(np.asarray(weight), len(y)))
        new.label_reader = self.label_reader.read(y, weight)[1]
        return new

    def in_memory(self) -> Source:
        table = self.fetched(self.roles.all)
        require_room(8 * table.num_rows * table.num_columns, self.name, table.num_rows)
        X, y, weight = self.roles.split(table)
        target, reader = self._target, self.label_reader
        return as_source(X, y, weight, target=target, name=self.name, reader=reader, missing=self.missing)

    @property
    def _options(self) -> ReadOptions:
        return ReadOptions(self.name, self._target, self.label_reader, self.missing)

    # -- passes ----------------------------------------------------------------------------------------------------

    def segments(self) -> Iterator[Segment]:
        raise NotImplementedError("the rows of an engine stay where they are")

    def first(self) -> Block:
        source = opened(*self.roles.split(self.head()), self._options, 0)
        if source is None:
            raise errors.too_few_rows(self.name, 0, (0, self.n_features), 1)
        return source.first()

    def reduce(self, start: Any) -> Any:
        roles, options = self.roles, self._options

        def work(table: Any, k: Any) -> bytes:
            return pickle.dumps(folded(start, *roles.split(table), options, k))

        total = start.copy()
        for part in self.partial_results(work):
            total = total.merge(pickle.loads(part))
        return total

    def map(self, function: Callable[[Array], Array]) -> Array:
        """Return what a function makes of the rows, in the order of the partitions."""
        roles, options = ColumnRoles(self.roles.columns), ReadOptions(self.name, missing=self.missing)
        sample = function(self.first().X)
        empty = np.empty((0, *sample.shape[1:]), dtype=sample.dtype)

        def work(table: Any, k: Any) -> bytes:
            return pickle.dumps(mapped(roles.split(table)[0], function, empty, options, k))

        return np.concatenate([empty, *(pickle.loads(part) for part in self.partial_results(work))])


class SparkSource(EngineSource):
    """A Spark data frame: `mapInArrow` reduces its partitions in their executors."""

    kind = "Spark"

    def head(self) -> Any:
        return self._arrow(self.frame.select(*self._quoted(self.roles.all)).limit(HEAD))

    def fetched(self, columns: Sequence[str]) -> Any:
        return self._arrow(self.frame.select(*self._quoted(columns)))

    def partial_results(self, work: Callable[[Any, Any], bytes]) -> Iterable[bytes]:
        frame = self.frame.select(*self._quoted(self.roles.all))
        if frame.rdd.getNumPartitions() > PARTS:
            frame = frame.coalesce(PARTS)  # neighbours are read one after the other; no row moves
        rows = frame.mapInArrow(_in_executor(work, self.roles.all), "place long, result binary").collect()
        return [bytes(row["result"]) for row in sorted(rows, key=lambda row: row["place"])]

    @staticmethod
    def _quoted(names: Sequence[str]) -> list[str]:
        return ["`" + name.replace("`", "``") + "`" for name in names]

    @staticmethod
    def _arrow(frame: Any) -> Any:
        if hasattr(frame, "toArrow"):
            return frame.toArrow()
        pa = require("pyarrow", "Reading a Spark table", "spark")
        return pa.Table.from_pandas(frame.toPandas(), preserve_index=False)


def _in_executor(work: Callable[[Any, Any], bytes], names: Sequence[str]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return what runs in an executor: the batches of a partition make one table, and one result."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa
        from pyspark import TaskContext

        place = TaskContext.get().partitionId()
        kept = [batch for batch in batches if batch.num_rows]
        if kept:
            result = work(pa.Table.from_batches(kept), place)
            yield pa.RecordBatch.from_pydict({"place": pa.array([place]), "result": pa.array([result], pa.binary())})

    return run


class RaySource(EngineSource):
    """A Ray dataset: `map_batches` reduces its blocks where they are, in their order."""

    kind = "Ray"

    def head(self) -> Any:
        return self._joined(self.frame.select_columns(self.roles.all).limit(HEAD))

    def fetched(self, columns: Sequence[str]) -> Any:
        return self._joined(self.frame.select_columns(list(columns)))

    def partial_results(self, work: Callable[[Any, Any], bytes]) -> Iterable[bytes]:
        frame = self._ordered(self.frame.select_columns(self.roles.all))

        def run(table: Any) -> dict[str, Any]:
            return {"result": np.array([work(table, "of a Ray dataset")] if table.num_rows else [], dtype=object)}

        results = frame.map_batches(run, batch_format="pyarrow", batch_size=None)
        return [bytes(row["result"]) for row in self._ordered(results).iter_rows()]

    @staticmethod
    def _ordered(frame: Any) -> Any:
        """Let results come in the order of the blocks, whoever finishes first."""
        frame.context.execution_options.preserve_order = True
        return frame

    def _joined(self, frame: Any) -> Any:
        pa = require("pyarrow", "Reading a Ray dataset", "ray")
        return pa.concat_tables(self._ordered(frame).iter_batches(batch_format="pyarrow", batch_size=None))


def is_engine(X: Any) -> bool:
    """Tell whether a table is one of Spark's or Ray's."""
    library = type(X).__module__.partition(".")[0]
    return (library == "pyspark" and hasattr(X, "mapInArrow")) or (library == "ray" and hasattr(X, "map_batches"))


def engine_rows(frame: Any, columns: Any = None, target: Any = None, weight: Any = None) -> EngineSource:
    """Open a Spark data frame or a Ray dataset.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame or ray.data.Dataset
    columns, target, weight
        As in `open_rows`.
    """
    spark = type(frame).__module__.startswith("pyspark")
    names = list(frame.columns if spark else frame.columns())
    single = target is not None and not isinstance(target, list | tuple)
    targets = () if target is None else ((target,) if single else tuple(target))
    others = {*targets, *(() if weight is None else (weight,))}
    chosen = tuple(name for name in names if name not in others) if columns is None else tuple(columns)
    for argument, given in (("columns", chosen), ("target", targets), ("weight", () if weight is None else (weight,))):
        for name in given:
            if name not in names:
                raise errors.InputError(f"{argument}={name!r}: no such column; there are {errors.listed(names, 12)}.")
    if not chosen:
        raise errors.no_columns("X", (0, 0))
    return (SparkSource if spark else RaySource)(frame, ColumnRoles(chosen, targets, weight, single))
