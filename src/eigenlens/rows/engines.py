"""Tables that an engine holds (Spark, Ray): rows are reduced where they are, and only moments come back.

Workers fold the rows of a partition into moments, a few at a time. The moments come here and are merged in the order of
the partitions, so a rerun gives the same bits, also where the engine had to repeat partitions whose workers died. What
a model says about rows stays with the engine: it returns the table with more columns.
"""

from __future__ import annotations

import copy
import pickle
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from ..arrays import errors
from ..arrays.progress import tracked
from ..arrays.typing import Array
from .categories import Words, chosen_words, holds_words
from .in_memory import as_source
from .labels import LabelReader, as_counts, check_weights
from .parquet import as_values
from .partitions import ReadOptions, folded, mapped
from .source import Block, Segment, Source, Target, require_room

HEAD_ROWS = 64  # that are looked at for the pivot
FOLD_BYTES = 2**25  # of rows that a worker folds at a time, at most


@dataclass(frozen=True)
class ColumnRoles:
    """Which columns are X, y and weight, by name; `chosen` where the user named those of X."""

    columns: tuple[str, ...]
    target: tuple[str, ...] = ()
    weight: str | None = None
    single: bool = True
    chosen: bool = False

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
    keeps_results = True
    in_order = False

    def __init__(self, frame: Any, names: list[str], roles: ColumnRoles) -> None:
        self.frame, self.names, self.roles = frame, names, roles
        self._set_columns()
        self.n_rows = None
        self._target: Target = "none"
        self._words: Words | None = None
        self.weighted = roles.weight is not None

    def __repr__(self) -> str:
        return f"<the rows of {self.n_features} columns of a {self.kind} table>"

    def _set_columns(self) -> None:
        self.n_features, self.feature_names = len(self.roles.columns), list(self.roles.columns)

    # -- what an engine does ---------------------------------------------------------------------------------------

    @staticmethod
    @abstractmethod
    def read(frame: Any) -> tuple[Any, list[str]]:
        """Return a table whose columns are numbers, or words, and their names."""

    @abstractmethod
    def head(self) -> Any:
        """Return a few rows that count, as an Arrow table."""

    @abstractmethod
    def fetched(self, columns: Sequence[str]) -> Any:
        """Return these columns of all rows as an Arrow table."""

    @abstractmethod
    def count(self) -> int:
        """Return the number of rows."""

    @abstractmethod
    def folded_partitions(self, start: Any, fold: Callable[[Any, Any, str], Any]) -> Iterable[bytes]:
        """Fold every partition where it is; return what `kept` makes of the moments, in the order of the partitions."""

    @abstractmethod
    def extended(self, added: Callable[[Any, str], list[np.ndarray]], names: Sequence[str], sample: Array) -> Any:
        """Return the table of the engine, still to be computed, with columns that a function of its rows adds."""

    # -- what a method asks of y -----------------------------------------------------------------------------------

    def bound(self, y: Any, sample_weight: Any, target: Target, estimator: str, reader: LabelReader) -> EngineSource:
        self.refuse_beside(y, sample_weight)
        new = copy.copy(self)
        new._target, new.label_reader = target, reader
        if target == "none":
            new.roles = replace(self.roles, target=(), single=True)
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

    def refuse_beside(self, y: Any, sample_weight: Any) -> None:
        """Refuse what is given for each row, and is not a column of the table."""
        for name, values in (("y", y), ("sample_weight", sample_weight)):
            if values is not None:
                raise errors.InputError(
                    f"{name} was passed with a {self.kind} table, whose rows have no fixed order; keep it as a "
                    f"column and name that, open_rows(frame, target=…, weight=…) or fit(frame, target=…)."
                )

    def with_words(self, words: Words) -> EngineSource:
        frame = nw.from_native(self.head().select(self.feature_names), eager_only=True)
        found = [holds_words(kind) for kind in frame.schema.values()]
        is_word = chosen_words(words, self.feature_names, found, self.name)
        new = copy.copy(self)
        new._words = [name for name, word in zip(self.roles.columns, is_word, strict=True) if word] or None
        return new

    def of_columns(self, names: Sequence[str]) -> EngineSource:
        """Return the columns of a fit, if the table has them and no others were chosen."""
        if self.roles.chosen or not len(names) or not set(names) <= set(self.names):
            return self
        new = copy.copy(self)
        new.roles = replace(self.roles, columns=tuple(map(str, names)))
        new._words = [name for name in self._words or () if name in new.roles.columns] or None
        new._set_columns()
        return new

    def without_weights(self) -> EngineSource:
        new = copy.copy(self)
        new.roles, new.weighted = replace(self.roles, weight=None), False
        return new

    def settled(self) -> EngineSource:
        """Return this source with slices settled by y and the weights, which alone come here: a number a row."""
        if self._target != "labels" or self.label_reader.settled:
            return self
        new = copy.copy(self)
        alone = replace(self.roles, columns=())
        _, y, weight = alone.split(self.fetched(alone.all))
        weight = None if weight is None else as_counts(check_weights(np.asarray(weight), len(y)))
        new.label_reader = self.label_reader.read(y, weight)[1]
        return new

    def in_memory(self) -> Source:
        n = self.count()
        require_room(16 * n * len(self.roles.all), self.name, n)  # once as Arrow columns, once as one table
        X, y, weight = self.roles.split(self.fetched(self.roles.all))
        target, reader, words = self._target, self.label_reader, self._words
        return as_source(X, y, weight, target=target, name=self.name, reader=reader, missing=self.missing, words=words)

    def _options(self) -> ReadOptions:
        return ReadOptions(
            self.name,
            self._target,
            self.label_reader,
            self.missing,
            self._words,
            numbers_by_content=self.numbered,  # partitions may be cut differently, or come in another order
        )

    # -- passes ----------------------------------------------------------------------------------------------------

    def segments(self) -> Iterator[Segment]:
        raise NotImplementedError("the rows of an engine stay where they are")

    def first(self) -> Block:
        head = self.head()
        if head.num_rows == 0:
            if self.roles.weight is not None and self.count():
                raise errors.weight_all_zero()
            raise errors.too_few_rows(self.name, 0, (0, self.n_features), 1)
        X, y, weight = self.roles.split(head)
        options = self._options()
        return as_source(
            X,
            y,
            weight,
            target=options.target,
            name=options.name,
            reader=options.reader,
            missing=options.missing,
            words=options.words,
            counts=True,
        ).first()

    def reduce(self, start: Any) -> Any:
        roles, options = self.roles, self._options()

        def fold(total: Any, table: Any, place: str) -> Any:
            return folded(total, *roles.split(table), options, place)

        total = start.copy()
        for part in tracked(iter(self.folded_partitions(start, fold)), None, "Reducing", self.progress):
            total = total.merge(received(part))
        return total

    def answers_in(self, answered: Any) -> tuple[np.ndarray, Any, Any]:
        """Return the columns that `map` has added to the table of the engine, with y and the weights beside them."""
        names = type(self).read(answered)[1]
        roles = replace(self.roles, columns=tuple(name for name in names if name not in self.names))
        table, y, weight = roles.split(type(self)(answered, names, roles).fetched(roles.all))
        found = [as_values(table.column(name).combine_chunks()) for name in roles.columns]
        return found[0] if len(found) == 1 else np.stack(found, axis=1), y, weight

    def map(self, function: Callable[[Array], Array], takes_sparse: bool = False) -> Any:
        """Return the table of the engine with what a function makes of each row in columns of its own."""
        roles = ColumnRoles(self.roles.columns)
        options = ReadOptions(self.name, missing=self.missing, words=self._words)
        sample = np.asarray(function(self.first().X))
        empty = np.empty((0, *sample.shape[1:]), dtype=sample.dtype)
        names = self._names_of_results(sample)

        def added(table: Any, place: str) -> list[np.ndarray]:
            values = np.asarray(mapped(roles.split(table)[0], function, empty, options, place))
            return [values] if values.ndim == 1 else list(values.T)

        return self.extended(added, names, sample)

    def _names_of_results(self, sample: np.ndarray) -> list[str]:
        named = self.result_names
        if sample.ndim == 1:
            names = [named if isinstance(named, str) else named[-1]]
        else:
            k = sample.shape[1]
            names = [f"{named}{j}" for j in range(k)] if isinstance(named, str) or len(named) != k else list(named)
        there = [name for name in names if name in self.names]
        if there:
            raise errors.InputError(
                f"the {self.kind} table has columns {errors.listed(there)} already, and results are added under these "
                "names; drop or rename them."
            )
        return names


def kept(work: Callable[[], Any]) -> bytes:
    """Return the result of work as bytes, or what is wrong with the input: an engine would reword that."""
    try:
        return pickle.dumps(work())
    except (errors.InputError, errors.InputTypeError) as error:
        return pickle.dumps((type(error), str(error)))


def received(result: bytes) -> Any:
    """Return the moments that a worker sent, or raise what it has to say about the input."""
    found = pickle.loads(result)
    if isinstance(found, tuple):
        kind, message = found
        raise kind(message)
    return found


def tables(batches: Iterable[Any]) -> Iterator[Any]:
    """Bring record batches together into tables of some size, since each has to be merged."""
    import pyarrow as pa

    held: list[Any] = []
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
        if sum(part.nbytes for part in held) >= FOLD_BYTES:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def as_arrow(values: np.ndarray) -> Any:
    """Return results as an Arrow array; labels that NumPy keeps as objects, or as words, by what they are."""
    import pyarrow as pa

    return pa.array(values.tolist() if values.dtype.kind in "UO" else values)


def is_engine(X: Any) -> bool:
    """Tell whether a table is one of Spark's or Ray's."""
    kind = type(X)  # a Spark column has every attribute that it is asked for
    library = kind.__module__.partition(".")[0]
    return (library == "pyspark" and hasattr(kind, "mapInArrow")) or (library == "ray" and hasattr(kind, "map_batches"))


def refuse_parts_of_spark(X: Any, name: str) -> None:
    """Refuse columns, groups and RDDs of Spark, with the way to a frame."""
    if type(X).__module__.startswith(("pyspark.sql.", "pyspark.core.", "pyspark.rdd")) and not is_engine(X):
        raise errors.InputTypeError(
            f"{name} is a Spark {type(X).__name__}, not a data frame; pass a frame: frame.select('a', 'b') of columns, "
            "rdd.toDF() of an RDD."
        )


def engine_rows(frame: Any, columns: Any = None, target: Any = None, weight: Any = None) -> EngineSource:
    """Open a Spark data frame or a Ray dataset.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame or ray.data.Dataset
    columns, target, weight
        As in `open_rows`.
    """
    if type(frame).__module__.startswith("pyspark"):
        from .spark import SparkSource as kind
    else:
        from .ray import RaySource as kind  # type: ignore[assignment]
    frame, names = kind.read(frame)
    if isinstance(columns, str | bytes):
        raise errors.number("columns", columns, "a list of columns")
    single = not isinstance(target, list | tuple)
    targets = () if target is None else ((target,) if single else tuple(target))
    weights = () if weight is None else (weight,)
    chosen = tuple(n for n in names if n not in {*targets, *weights}) if columns is None else tuple(columns)
    given = {"columns": chosen, "target": targets, "weight": weights}
    for argument, of_argument in given.items():
        for name in of_argument:
            if name not in names:
                raise errors.InputError(f"{argument}={name!r}: no such column; there are {errors.listed(names, 12)}.")
    every = [name for of_argument in given.values() for name in of_argument]
    twice = next((name for name in every if every.count(name) > 1), None)
    if twice is not None:
        raise errors.InputError(f"column {twice!r} occurs or is named twice; a column has one name and one role.")
    if not chosen:
        raise errors.no_columns("X", (0, 0))
    return kind(frame, names, ColumnRoles(chosen, targets, weight, single, columns is not None))
