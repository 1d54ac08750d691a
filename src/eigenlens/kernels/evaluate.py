"""Pairs of rows, a block of rows at a time: squared distances that keep their digits, matrices filled in parallel.

What a kernel makes of rows against fixed points Z is a function of row blocks: whatever depends on Z alone is prepared
once, and n×m numbers are held only where the whole matrix is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log2
from typing import Any

import numpy as np

from ..arrays import exponents, namespaces
from ..arrays.threads import PARALLEL_CELLS, threaded
from ..arrays.typing import Array, TableLike
from ..distances.pairs import PRODUCT_PAIRS, joined, over_rows, rough_centre, row_blocks, squared_distances
from ..rows.table import as_table, finite_rows

BlockFunction = Callable[[Array], Array]  # rows (b, p) against fixed points -> a new array (b, m)


def read_rows(X: TableLike, name: str = "X") -> Array:
    """Read a table whole, checked, in its own library, as float64."""
    table = as_table(X, name)
    rows = finite_rows(table, 0, table.shape[0], name)
    return namespaces.float64(namespaces.dense(rows))


def fill(function: BlockFunction, X: Array, m: int) -> Array:
    """Return the whole n×m matrix of a function of row blocks."""
    n = X.shape[0]
    if not isinstance(X, np.ndarray):
        return joined([function(X[rows, :]) for rows in row_blocks(n, m, X, PRODUCT_PAIRS)])
    matrix = np.empty((n, m))

    def work(rows: slice) -> None:
        matrix[rows] = function(X[rows])

    for _ in over_rows(work, n, m, X, PRODUCT_PAIRS):
        pass
    return matrix


def symmetric(function: Callable[[Array], BlockFunction], X: Array) -> Array:
    """Return the n×n matrix of rows with themselves: NumPy computes the blocks below the diagonal by reflection."""
    n = X.shape[0]
    if not isinstance(X, np.ndarray):
        K = fill(function(X), X, n)
        return (K + K.T) / 2
    matrix, step = np.empty((n, n)), 192  # rows whose kernels stay in cache up to a thousand rows

    def work(start: int) -> None:
        stop = min(start + step, n)
        block = function(X[start:])(X[start:stop])
        block[:, : stop - start] = (block[:, : stop - start] + block[:, : stop - start].T) / 2
        matrix[start:stop, start:] = block
        for a in range(stop, n, step):
            b = min(a + step, n)
            matrix[a:b, start:stop] = block[:, a - start : b - start].T

    starts = iter(range(0, n, step))
    for _ in threaded(work, starts) if n * n >= PARALLEL_CELLS else map(work, starts):
        pass
    return matrix


def half_negative_squares(Z: Array, smooth: bool, unit: float = 1.0) -> BlockFunction:
    """Return the function x ↦ −½‖x − z‖²/unit² for all z, without the digits that a product loses of close pairs.

    Where what follows is smooth in d² and the rows spread over not too many units, that loss does not show, and one
    product of rows with two more columns gives all, up to rounding on either side of 0. The unit is taken out after the
    offset, except for its power of two.
    """
    xp = namespaces.namespace(Z)
    power = 2.0 ** round(log2(unit))  # dividing by it is exact, and squares of numbers near 10^±300 stay numbers
    rest = power / unit
    Z = Z if power == 1 else Z / power
    centre = rough_centre(Z)
    Zc = (Z - centre) * rest
    sizes = xp.sum(Zc**2, axis=1)
    B = xp.concat([Zc, xp.ones_like(sizes)[:, None], -0.5 * sizes[:, None]], axis=1).T
    widest = float(xp.max(sizes))

    def function(X: Array) -> Array:
        X = X if power == 1 else X / power
        Xc = (X - centre) * rest
        own = xp.sum(Xc**2, axis=1)
        if not smooth or widest + float(xp.max(own)) > 1e3:  # beyond it the cancellation is felt
            return (-0.5 * rest**2) * squared_distances(X, Z, centre)
        A = xp.concat([Xc, -0.5 * own[:, None], xp.ones_like(own)[:, None]], axis=1)
        return A @ B

    return function


def median_distance(X: Array, weight: Any = None) -> float:
    """Return the median of the distances between different rows: the default bandwidth.

    Of up to 1000 rows, evenly spaced where there are more; a pair counts as often as the product of its weights. Rows
    that are all the same give 1.
    """
    rows, most = np.asarray(namespaces.to_numpy(X), dtype=np.float64), 1000
    w = np.ones(len(rows)) if weight is None else np.asarray(namespaces.to_numpy(weight), dtype=np.float64)
    if len(rows) > most:
        below = np.cumsum(w)
        picks = np.searchsorted(below, (np.arange(most) + 0.5) * below[-1] / most)
        rows, w = rows[picks], np.ones(most)
    rows = rows - rows.mean(axis=0)
    size = exponents.unit_of(rows)
    rows, centre = rows / size, np.zeros(rows.shape[1])
    tables = (squared_distances(rows[part], rows[part.start :], centre) for part in row_blocks(len(w), len(w), rows))
    d = np.concatenate([row[i + 1 :] for table in tables for i, row in enumerate(table)])
    apart = d > (64 * namespaces.EPS) ** 2 * d.max(initial=0.0)  # scores of equal rows differ by rounding
    if not apart.any():
        return 1.0
    if (w == w[0]).all():
        d, middle = d[apart], (int(apart.sum()) - 1) // 2
        return float(np.sqrt(np.partition(d, middle)[middle])) * size
    pairs = np.concatenate([own * w[i + 1 :] for i, own in enumerate(w)])
    median = np.quantile(d[apart], 0.5 * (1 - 1e-12), weights=pairs[apart], method="inverted_cdf")
    return float(np.sqrt(median)) * size
