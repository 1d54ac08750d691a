"""Names for the types that cross rooms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from numpy.typing import NDArray

#: An array of any namespace that follows the array API (NumPy, torch, CuPy, array-api-strict). Type checkers see that
#: of NumPy: rows of another library give arrays of that library, which are used alike.
Array: TypeAlias = NDArray[Any]

#: An array namespace, as array-api-compat gives it.
Namespace = Any

#: What a user may hand in as a table of rows: array, nested list, data frame, Arrow table, sparse matrix, source.
TableLike = Any

# Libraries that are loaded when they are needed: only type checkers see them here.
if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame as Frame
else:
    Axes = Figure = Frame = Any
