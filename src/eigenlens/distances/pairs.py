"""Squared distances between rows, a block at a time: what kernels and distances share.

Rows are centred first, so that a common offset costs no digits. ‖x‖² + ‖z‖² − 2xᵀz is one matrix product, but loses the
digits of close pairs; those are computed again from differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
import scipy.spatial.distance

from ..arrays import namespaces
from ..arrays.threads import PARALLEL_CELLS, threaded
from ..arrays.typing import Array

CACHED_PAIRS = 2**17  # pairs at a time: they stay in cache
PRODUCT_PAIRS = 2**21  # pairs at a time of a product: smaller ones spend their time packing Z (1.7 times slower)

T = TypeVar("T")


def squared_distances(X: Array, Z: Array, centre: Array | None = None) -> Array:
    """Return ‖x_i − z_j‖² for two tables of rows, to about 12 digits of every entry, in float64.

    Parameters
    ----------
    X : array of shape (n, p)
    Z : array of shape (m, p)
    centre : array of shape (p,), optional
        A point in the midst of the rows, by default the mean of those of Z; far from the origin it saves the digits.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances.pairs import squared_distances
    >>> squared_distances(np.array([[1e8, 1e8]]), np.array([[1e8 + 3, 1e8 - 4], [1e8, 1e8]]))
    array([[25.,  0.]])
    """
    xp, same = namespaces.namespace(X, Z), X is Z
    X, Z = namespaces.float64(X), namespaces.float64(Z)
    if centre is None:
        centre = rough_centre(Z)
    A = X - centre
    B = A if same else Z - centre
    squares = xp.sum(A * A, axis=1)
    size = squares[:, None] + (squares if same else xp.sum(B * B, axis=1))[None, :]
    D2 = A @ B.T
    if isinstance(D2, np.ndarray):
        D2 *= -2.0
        D2 += size
    else:
        D2 = size - 2.0 * D2
    close = 1e-3 * size > D2  # the product would keep under 12 digits
    if same and isinstance(D2, np.ndarray):  # a row is close to itself, which needs no differences
        np.fill_diagonal(D2, 0.0)
        np.fill_diagonal(close, False)
    (places,) = xp.nonzero(xp.reshape(close, (-1,)))
    count = places.shape[0]
    if count > 0.05 * D2.shape[0] * D2.shape[1]:
        return by_differences(X, Z)
    if count:
        near = namespaces.take_rows(X, places // D2.shape[1]) - namespaces.take_rows(Z, places % D2.shape[1])
        D2[close] = xp.sum(near * near, axis=1)
    return D2


def by_differences(A: Array, B: Array) -> Array:
    """Return ‖a_i − b_j‖² from differences: every digit, at several times the cost of a product."""
    if isinstance(A, np.ndarray):
        return scipy.spatial.distance.cdist(A, B, "sqeuclidean")
    xp = namespaces.namespace(A)
    parts = []
    for part in row_blocks(A.shape[0], B.shape[0] * B.shape[1], A):
        differences = A[part, :][:, None, :] - B[None, :, :]
        parts.append(xp.sum(differences * differences, axis=2))
    return joined(parts)


def rough_centre(Z: Array) -> Array:
    """Return a point in the midst of rows: that it is not their exact mean does not matter."""
    xp = namespaces.namespace(Z)
    first = Z[:1, :]
    return first[0, :] + xp.mean(Z - first, axis=0)


def row_blocks(n: int, m: int, like: Array, pairs: int = CACHED_PAIRS) -> list[slice]:
    """Cut n rows so that each piece makes a bounded number of pairs with m others: many on a device."""
    on_host = isinstance(like, np.ndarray)
    step = max(1, (2**25 if namespaces.on_accelerator(like) else pairs) // max(m, 1))
    if on_host and pairs > CACHED_PAIRS and n * m >= PARALLEL_CELLS:
        step = max(32, -(-n // (8 * -(-n // (8 * step)))))  # as many as threads can share evenly
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def table_blocks(table: Array) -> list[slice]:
    """Cut the rows of a table into such pieces."""
    return row_blocks(table.shape[0], table.shape[1], table)


def over_rows(work: Callable[[slice], T], n: int, m: int, like: Array, pairs: int = CACHED_PAIRS) -> Iterator[T]:
    """Apply `work` to pieces of n rows that meet m others, on threads where there is enough to do; results in order."""
    parts = row_blocks(n, m, like, pairs)
    if isinstance(like, np.ndarray) and n * m >= PARALLEL_CELLS:
        return threaded(work, iter(parts))
    return map(work, parts)


def over_table(work: Callable[[slice], T], table: Array) -> list[T]:
    """Apply `work` to pieces of the rows of a table, as `over_rows` does; return the results in order."""
    n, m = table.shape
    return list(over_rows(work, n, m, table))


def joined(parts: Sequence[Array]) -> Array:
    """Put pieces of rows together."""
    return parts[0] if len(parts) == 1 else namespaces.namespace(parts[0]).concat(parts, axis=0)
