"""Square tables of distances: read, looked over, squared and centred in place, a few rows at a time.

One n-by-n array is made, none where the caller lets go of the input. Powers of two are taken out before squaring, so
that distances of 10^±200 keep their digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.spatial.distance

from ..arrays import errors, exponents, memory, namespaces
from ..arrays.typing import Array, TableLike
from ..rows.labels import as_column
from ..rows.table import Table, as_table
from .pairs import over_table, table_blocks

ROUNDING = {8: 1e-10, 4: 1e-5}  # differences between d_ij and d_ji that rounding may leave, relative to the largest
SELF, ROOTED = 1e-6, 1e-10  # and from a row to itself: roots of rounding, and their squares
ROWS = "pass rows of features and a metric, with n_landmarks= (a few hundred to a few thousand)"
LANDMARKS = "use n_landmarks= (a few hundred to a few thousand), which needs n × n_landmarks at a time"


@dataclass(frozen=True, eq=False)
class SquaredTable:
    """Squared distances among n points, over 4^exponent.

    Attributes
    ----------
    values : array of shape (n, n)
        float64, symmetric, at least 0, the diagonal 0.
    exponent : int
        The distances are roots of the values times 2^exponent.
    doubt : float
        Squared distance, over 4^exponent, up to which two points are one: what rounding leaves of the distance from a
        point to itself.
    """

    values: Array
    exponent: int = 0
    doubt: float = 0.0

    def distances(self) -> Array:
        """Return the distances themselves."""
        return namespaces.namespace(self.values).sqrt(self.values) * exponents.power(self.exponent)


def as_square(A: TableLike, name: str = "D") -> Array:
    """Read a square, finite, symmetric table as float64 without copying it where that is possible."""
    table = square_of(A, name)
    values = _float64(table)
    low, high = _ranges(values, name)
    tolerance = ROUNDING[_itemsize(table.sample)] * max(-low, high)
    if _refuse_asymmetry(values, name, tolerance, "Symmetrise it first: (A + A.T)/2.") > 0:
        return _average(values, namespaces.namespace(values).empty_like(values))
    return values


def square_of(X: TableLike, name: str) -> Table:
    """Recognise a square table of any kind, or the condensed form of one; nothing is looked at but its shape."""
    shape = getattr(X, "shape", None)
    if (shape is not None and len(shape) == 1) or (shape is None and _is_flat(X)):
        values = as_column(X, name)
        if values.dtype.kind not in "biuf":
            raise errors.not_numbers(name, f"it holds {values.dtype}")
        n = round((1 + (1 + 8 * len(values)) ** 0.5) / 2)
        if n < 2 or n * (n - 1) // 2 != len(values):
            raise errors.InputError(
                f"{name} has {len(values)} entries, which is not a number of pairs n(n − 1)/2; a condensed table of "
                "distances holds one entry for each pair i < j. Pass the square table instead."
            )
        memory.require(memory.square_bytes(n), f"The {n} × {n} table of {name}", ROWS)
        square = scipy.spatial.distance.squareform(values.astype(np.float64, copy=False), checks=False)
        X = namespaces.like(square, X) if namespaces.is_array(X) else square
    table = as_table(X, name)
    if table.shape[0] != table.shape[1]:
        raise errors.InputError(
            f"{name} should be a square matrix of distances between the same points, but it has shape "
            f"{tuple(table.shape)}. Pass an n × n table or its condensed form (scipy.spatial.distance.squareform); for "
            "rows of features name a metric, such as metric='euclidean'."
        )
    if table.shape[0] == 0:
        raise errors.no_columns(name, table.shape)
    return table


def is_made(X: TableLike) -> bool:
    """Tell whether `square_of` makes a new array of X, which nothing else holds: of pairs, and of lists."""
    shape = getattr(X, "shape", None)
    return isinstance(X, list | tuple) or (shape is not None and len(shape) == 1)


def read_distances(
    table: Table,
    name: str,
    *,
    squared: bool,
    symmetrize: bool = False,
    overwrite: bool = False,
    index: np.ndarray | None = None,
    ordinary: bool = False,
) -> SquaredTable:
    """Check a square table of distances and square it, in one new array or, with `overwrite`, in its own.

    Nothing is written before everything has been looked over.

    Parameters
    ----------
    index : positions of points, optional
        Those that are wanted; all of them are looked over.
    ordinary : bool
        Whether squares must be numbers as they are, rather than over a power of four.
    """
    n = table.shape[0]
    native: Any = getattr(table, "values", None)
    usable = native is not None and native.dtype == namespaces.namespace(native).float64
    wanted = n if index is None else len(index)
    in_place = wanted == n and overwrite and usable and _writable(native)
    if not in_place:
        what = f"The {wanted} × {wanted} table of squared distances"
        memory.require(memory.square_bytes(wanted), what, LANDMARKS, table.sample)
    values = _float64(table)
    high, gap = look_over(values, name, ROUNDING[_itemsize(table.sample)], symmetrize)
    if _exponent(high, squared, name) and ordinary:
        raise errors.squares_out_of_range(name)
    into = values
    if index is not None and wanted < n:
        into = values = _among(values, index)
    elif not in_place and (usable or native is None):
        into = namespaces.namespace(values).empty_like(values)  # a cast has made a new one already
    if gap > 0:
        values = _average(values, into)
    return square(values, into, high, squared, name)


def both_ways(values: Array, index: np.ndarray) -> Array:
    """Return the means of d_ij and d_ji for some i and all j."""
    there = namespaces.like(index, values)
    back = namespaces.namespace(values).take(values, there, axis=1).T
    return (namespaces.float64(namespaces.take_rows(values, there)) + namespaces.float64(back)) / 2


def look_over(values: Array, name: str, rounding: float, symmetrize: bool = False) -> tuple[float, float]:
    """Refuse what are not distances; return the largest of them, and the largest |d_ij − d_ji|."""
    xp = namespaces.namespace(values)
    low, high = _ranges(values, name)
    tolerance = rounding * high
    if low < -tolerance:
        raise _negative(values, name)
    way_out = "Pass symmetrize=True to take the mean of both directions."
    gap = _refuse_asymmetry(values, name, np.inf if symmetrize else tolerance, way_out)
    diagonal = namespaces.to_numpy(xp.linalg.diagonal(values))
    bad = np.flatnonzero(np.abs(diagonal) > tolerance)
    if len(bad):
        raise errors.InputError(
            f"{name} has {float(diagonal[bad[0]]):.6g} in row {int(bad[0])} of its diagonal, but a point is at "
            "distance 0 from itself. Set it to 0, or, if these are similarities, turn them into distances first."
        )
    return high, gap


def looks_like_distances(rows: Array) -> bool:
    """Tell whether rows of features may be a table of distances: square, symmetric, at least 0, the diagonal 0."""
    xp, n = namespaces.namespace(rows), rows.shape[0]
    if n != rows.shape[1] or n < 3 or bool(xp.any(xp.linalg.diagonal(rows) != 0)):
        return False
    high = float(xp.max(rows))
    return high > 0 and float(xp.min(rows)) >= 0 and _asymmetry(rows)[0] <= ROUNDING[8] * high


def square(distances: Array, into: Array, high: float, squared: bool, name: str) -> SquaredTable:
    """Square distances, unless they are, over a power of four, into an array, which may be their own."""
    xp, exponent = namespaces.namespace(into), _exponent(high, squared, name)
    factor = exponents.power(-exponent)

    def work(rows: slice) -> None:
        block = into[rows, :]
        if isinstance(block, np.ndarray):
            np.maximum(distances[rows, :], 0.0, out=block)  # what is below 0 here is rounding
        else:
            block[...] = xp.clip(distances[rows, :], min=0.0)
        if exponent:
            block *= factor
        if not squared:
            block *= block

    itself = float(xp.max(xp.linalg.diagonal(distances)))
    doubt = min(4 * max(itself, 0.0) + 8 * namespaces.EPS * high, (ROOTED if squared else SELF) * high) * factor
    over_table(work, into)
    clear_diagonal(into)
    return SquaredTable(into, exponent // 2 if squared else exponent, doubt if squared else doubt**2)


def _exponent(high: float, squared: bool, name: str) -> int:
    """Return the power of two to take out of (squared) distances of extreme size, even for squared ones."""
    exponent = exponents.extreme_exponent(high)
    if squared:
        exponent = 2 * (exponent // 2)
    if abs(exponent) >= 1023:
        raise errors.squares_out_of_range(name)
    return exponent


def symmetric(A: Array, name: str, tolerance: float, way_out: str) -> None:
    """Refuse a table that is not symmetric; the mean of both halves takes the place of what may be rounding."""
    if _refuse_asymmetry(A, name, tolerance, way_out) > 0:
        _average(A, A)


def _among(A: Array, index: np.ndarray) -> Array:
    """Return the rows and columns of some points, in one new array."""
    xp, m, there = namespaces.namespace(A), len(index), namespaces.like(index, A)
    into = xp.empty((m, m), dtype=A.dtype, device=namespaces.device(A))

    def work(rows: slice) -> None:
        into[rows, :] = xp.take(namespaces.take_rows(A, there[rows]), there, axis=1)

    over_table(work, into)
    return into


def _average(A: Array, into: Array) -> Array:
    for rows in table_blocks(A):
        mean = (A[rows, rows.start :] + A[rows.start :, rows].T) / 2
        into[rows, rows.start :] = mean
        into[rows.start :, rows] = mean.T
    return into


def _refuse_asymmetry(A: Array, name: str, tolerance: float, way_out: str) -> float:
    worst, i, j = _asymmetry(A)
    if worst > tolerance:
        raise errors.InputError(
            f"{name} is not symmetric: entry ({i}, {j}) is {float(A[i, j]):.10g} but entry ({j}, {i}) is "
            f"{float(A[j, i]):.10g}, a difference of {abs(float(A[i, j]) - float(A[j, i])):.3g} where {tolerance:.1g} "
            f"could be rounding (the largest difference). {way_out}"
        )
    return worst


def _asymmetry(A: Array) -> tuple[float, int, int]:
    """Return the largest |a_ij − a_ji| and where it is."""
    xp = namespaces.namespace(A)

    def work(rows: slice) -> tuple[float, int, int]:
        gap = xp.abs(A[rows, rows.start :] - A[rows.start :, rows].T)
        worst = float(xp.max(gap))
        at = int(xp.argmax(xp.reshape(gap, (-1,)))) if worst > 0 else 0
        return worst, rows.start + at // gap.shape[1], rows.start + at % gap.shape[1]

    return max(over_table(work, A), key=lambda found: found[0])


def _float64(table: Table) -> Array:
    """Return the numbers of a table, in its own memory where they are there."""
    native = getattr(table, "values", None)
    if native is not None and native.dtype == namespaces.namespace(native).float64:
        return native
    return namespaces.float64(table.rows(0, table.shape[0]))


def _ranges(values: Array, name: str) -> tuple[float, float]:
    """Return the least and the largest entry of a finite table."""
    xp = namespaces.namespace(values)
    found = over_table(lambda rows: (float(xp.min(values[rows, :])), float(xp.max(values[rows, :]))), values)
    low, high = (np.array(ends) for ends in zip(*found, strict=True))
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise _not_finite(values, name)
    return float(low.min()), float(high.max())


def _not_finite(values: Array, name: str) -> Exception:
    host = namespaces.to_numpy(values)
    bad = ~np.isfinite(host)
    i, j = divmod(int(np.argmax(bad)), bad.shape[1])
    kind = "NaN" if np.isnan(host[i, j]) else "infinity (inf)"
    return errors.InputError(
        f"{name} contains {kind} ({int(bad.sum())} entries, the first in row {i}, column {j}): classical scaling needs "
        "every distance. Leave such points out, estimate the missing ones (for example by shortest paths through the "
        "known ones, scipy.sparse.csgraph.shortest_path), or fit the known pairs only: write NaN for the others, and "
        "use ClassicalMDS(metric='precomputed', refine='stress')."
    )


def _negative(values: Array, name: str) -> Exception:
    host = namespaces.to_numpy(values)
    count, (i, j) = int((host < 0).sum()), (int(at) for at in np.unravel_index(np.argmin(host), host.shape))
    return errors.negative_distance(name, count, i, j, float(host[i, j]))


def clear_diagonal(values: Array) -> None:
    if isinstance(values, np.ndarray):
        np.fill_diagonal(values, 0.0)
        return
    if namespaces.on_accelerator(values):
        every = namespaces.namespace(values).arange(values.shape[0], device=namespaces.device(values))
        values[every, every] = 0.0  # one step of the device, where a loop would be n of them
        return
    for i in range(values.shape[0]):
        values[i, i] = 0.0


def _itemsize(sample: Array) -> int:
    return 4 if sample.dtype == namespaces.namespace(sample).float32 else 8


def _writable(values: Any) -> bool:
    return not isinstance(values, np.ndarray) or bool(values.flags.writeable)


def _is_flat(X: Any) -> bool:
    return isinstance(X, list | tuple) and len(X) > 0 and not any(hasattr(row, "__len__") for row in X)
