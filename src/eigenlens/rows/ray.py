"""Ray datasets: `map_batches` folds blocks into moments where they are; they come in the order of the blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..arrays.optional import require
from ..arrays.typing import Array
from .engines import HEAD_ROWS, EngineSource, as_arrow, kept

PLACE = "a block of the Ray dataset"


class RaySource(EngineSource):
    """A Ray dataset."""

    kind = "Ray"

    @staticmethod
    def read(frame: Any) -> tuple[Any, list[str]]:
        schema = frame.schema()
        if schema is None:
            return frame, []
        wide = {
            name: kind.shape[0]
            for name, kind in zip(schema.names, schema.types, strict=True)
            if len(getattr(kind, "shape", None) or ()) == 1
        }
        if not wide:
            return frame, list(schema.names)
        names = [part for name in schema.names for part in _parts(name, wide.get(name))]
        return frame.map_batches(lambda table: _flat(table, wide), batch_format="numpy", batch_size=None), names

    def head(self) -> Any:
        frame, weight = self.frame.select_columns(self.roles.all), self.roles.weight
        if weight is not None:
            frame = frame.map_batches(lambda table: _counting(table, weight), batch_format="pyarrow", batch_size=None)
        return self._joined(frame.limit(HEAD_ROWS))

    def fetched(self, columns: Sequence[str]) -> Any:
        return self._joined(self.frame.select_columns(list(columns)))

    def count(self) -> int:
        return int(self.frame.count())

    def folded_partitions(self, start: Any, fold: Callable[[Any, Any, str], Any]) -> Iterable[bytes]:
        def run(table: Any) -> dict[str, Any]:
            found = [kept(lambda: fold(start, table, PLACE))] if table.num_rows else []
            return {"result": np.array(found, dtype=object)}

        parts = self.frame.select_columns(self.roles.all).map_batches(run, batch_format="pyarrow", batch_size=None)
        with _ordered(parts) as parts:
            for row in parts.iter_rows():
                yield bytes(row["result"])

    def extended(self, added: Callable[[Any, str], list[np.ndarray]], names: Sequence[str], sample: Array) -> Any:
        def extend(table: Any) -> Any:
            for name, values in zip(names, added(table, PLACE), strict=True):
                table = table.append_column(name, as_arrow(values))
            return table

        return self.frame.map_batches(extend, batch_format="pyarrow", batch_size=None)

    def _joined(self, frame: Any) -> Any:
        pa = require("pyarrow", "Reading a Ray dataset")
        with _ordered(frame) as frame:
            parts = list(frame.iter_batches(batch_format="pyarrow", batch_size=None))
        return pa.concat_tables(parts) if parts else pa.table({name: [] for name in self.roles.all})


def _parts(name: str, width: int | None) -> list[str]:
    return [name] if width is None else [f"{name}{j}" for j in range(width)]


def _flat(table: dict[str, np.ndarray], wide: dict[str, int]) -> dict[str, np.ndarray]:
    """Return columns of vectors, such as `ray.data.from_numpy` makes, as columns of numbers."""
    found: dict[str, np.ndarray] = {}
    for name, values in table.items():
        parts = _parts(name, wide.get(name))
        found.update(zip(parts, [values] if name not in wide else np.reshape(values, (-1, len(parts))).T, strict=True))
    return found


def _counting(table: Any, weight: str) -> Any:
    """Return the rows of positive weight."""
    return table.filter(table.column(weight).to_numpy() > 0)


@contextmanager
def _ordered(frame: Any) -> Iterator[Any]:
    """Let results come in the order of the blocks, whoever finishes first."""
    options = frame.context.execution_options  # which the dataset shares with those that it was made from
    before, options.preserve_order = options.preserve_order, True
    try:
        yield frame
    finally:
        options.preserve_order = before
