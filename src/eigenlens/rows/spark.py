"""Spark data frames: `mapInArrow` folds the rows of a partition into moments in its executor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..arrays import errors
from ..arrays.typing import Array
from .engines import HEAD_ROWS, EngineSource, as_arrow, kept, received, tables

SMALL_COLUMNS = 64  # up to which the moments of each partition come here as they are
NEIGHBOURS = 16  # partitions whose moments are merged in an executor where there are more columns

RESULT = "place long, result binary"
TYPES = {"f8": "double", "f4": "float", "b1": "boolean"}  # of Spark, for what a function of rows returns


class SparkSource(EngineSource):
    """A Spark data frame."""

    kind = "Spark"

    @staticmethod
    def read(frame: Any) -> tuple[Any, list[str]]:
        return frame, list(frame.columns)

    def head(self) -> Any:
        frame, weight = self._selected(self.roles.all), self.roles.weight
        if weight is not None:
            frame = frame.where(f"{_quoted(weight)} > 0")
        return frame.limit(HEAD_ROWS).toArrow()

    def fetched(self, columns: Sequence[str]) -> Any:
        return self._selected(columns).toArrow()

    def count(self) -> int:
        return int(self.frame.count())

    def _selected(self, names: Sequence[str]) -> Any:
        return self.frame.select(*map(_quoted, names))

    def folded_partitions(self, start: Any, fold: Callable[[Any, Any, str], Any]) -> Iterable[bytes]:
        parts = self._selected(self.roles.all).mapInArrow(_fold(start, fold), RESULT)
        if self.n_features > SMALL_COLUMNS:
            run = f"cast(floor(place / {NEIGHBOURS}) as long) as run"
            parts = parts.selectExpr("*", run).groupBy("run").applyInArrow(_merge(start), RESULT)
        return [bytes(row["result"]) for row in sorted(parts.collect(), key=lambda row: row["place"])]

    def extended(self, added: Callable[[Any, str], list[np.ndarray]], names: Sequence[str], sample: Array) -> Any:
        from pyspark.sql.types import StructType

        schema = StructType(list(self.frame.schema.fields))
        for name in names:
            schema = schema.add(name, _type(sample.dtype), True)

        def extend(batches: Iterator[Any]) -> Iterator[Any]:
            import pyarrow as pa

            place = f"partition {_partition()}"
            for batch in batches:
                table = pa.Table.from_batches([batch])
                for name, values in zip(names, added(table, place), strict=True):
                    table = table.append_column(name, as_arrow(values))
                yield from table.to_batches()

        return self.frame.mapInArrow(extend, schema)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _type(dtype: np.dtype) -> str:
    found = TYPES.get(dtype.str[1:], {"i": "long", "u": "long", "U": "string", "O": "string"}.get(dtype.kind))
    if found is None:
        raise errors.InputTypeError(f"results of type {dtype} have no column type in Spark; fetch the rows first.")
    return found


# -- what runs in executors --------------------------------------------------------------------------------------------


def _fold(start: Any, fold: Callable[[Any, Any, str], Any]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def run(batches: Iterator[Any]) -> Iterator[Any]:
        number, n = _partition(), 0

        def moments() -> Any:
            nonlocal n
            total = start
            for table in tables(batches):
                total = fold(total, table, f"partition {number}, from row {n}" if n else f"partition {number}")
                n += table.num_rows
            return total

        yield _record(number, kept(moments))

    return run


def _merge(start: Any) -> Callable[[Any], Any]:
    def run(table: Any) -> Any:
        parts = sorted(zip(table["place"].to_pylist(), table["result"].to_pylist(), strict=True))

        def moments() -> Any:
            total = start
            for _, part in parts:
                total = total.copy().merge(received(part))
            return total

        import pyarrow as pa

        return pa.Table.from_batches([_record(parts[0][0], kept(moments))])

    return run


def _partition() -> int:
    """Return the place of the partition that this executor is reading."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    return context.partitionId()


def _record(place: int, result: bytes) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_pydict({"place": pa.array([place]), "result": pa.array([result], pa.binary())})
