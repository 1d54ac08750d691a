"""Names for the types that cross rooms."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: An array of any namespace that follows the array API (NumPy, torch, CuPy, array-api-strict). Type checkers see that
#: of NumPy: rows of another library give arrays of that library, which are used alike.
Array: TypeAlias = NDArray[Any]

#: An array namespace, as array-api-compat gives it.
Namespace = Any


class ArrowStream(Protocol):
    """A table that Arrow can read: pyarrow, polars, DuckDB relations, ADBC readers."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class SparseMatrix(Protocol):
    """A SciPy sparse matrix or array."""

    def tocsr(self) -> Any: ...


class ArrayOfLibrary(Protocol):
    """An array of another library that exports its memory: torch, CuPy, JAX, array-api-strict."""

    def __dlpack__(self, *, stream: Any = ...) -> Any: ...


class TableOfEngine(Protocol):
    """A table with named columns that lives elsewhere: Dask, Spark, pandas on Spark."""

    @property
    def columns(self) -> Any: ...


class DatasetOfEngine(Protocol):
    """A dataset that hands out batches: Ray."""

    def iter_batches(self) -> Any: ...


class RowsOfSource(Protocol):
    """What `open_rows` returns."""

    @property
    def feature_names(self) -> list[str] | None: ...


class Annotated(Protocol):
    """A matrix with annotated rows and columns: AnnData."""

    @property
    def X(self) -> Any: ...

    @property
    def obs(self) -> Any: ...


#: What a user may hand in as a table of rows: an array, nested lists, a data frame, an Arrow table, a sparse matrix, a
#: table on a cluster, or what `open_rows` returns.
TableLike: TypeAlias = (
    ArrayLike | ArrowStream | SparseMatrix | ArrayOfLibrary | TableOfEngine | DatasetOfEngine | RowsOfSource | Annotated
)

#: What a user may hand in as a target, as groups or as weights: one value for each row.
ColumnLike: TypeAlias = ArrayLike | ArrowStream | ArrayOfLibrary

#: The name of a column, or its number where columns have no names; or several of them.
ColumnNames: TypeAlias = Hashable | Sequence[Hashable]

#: Class probabilities: in the order of the classes, or by label.
Priors: TypeAlias = ArrayLike | Mapping[Any, float]

#: A seed, or a generator of random numbers.
RandomState: TypeAlias = int | np.integer[Any] | np.random.Generator | np.random.RandomState

# Libraries that are loaded when they are needed: only type checkers see them here.
if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame as Frame
else:
    Axes = Figure = Frame = Any
