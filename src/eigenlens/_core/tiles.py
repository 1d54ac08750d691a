"""Products of a few rows with a large matrix that is kept in tiles.

BLAS rearranges a large matrix for each product, which takes longer than multiplying it with a few rows. Tiles, each in
one piece of memory, are so small that it takes them as they are: 12 rows of single precision times 5,000 × 5,000 need
0.4 of the time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .limits import thread_count
from .threads import PARALLEL_CELLS, threaded

COLUMNS, MOST_ROWS = 64, 1000  # of a tile
MULTIPLIED = 10**6  # multiplications of a product up to which BLAS takes numbers as they are


class Tiles:
    """A matrix M of single precision, for products V·M.

    Parameters
    ----------
    n_rows, n_columns : int
        Of M, which is zero until it is written.
    width : int
        Rows of V for which tiles are cut.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens._core.tiles import Tiles
    >>> tiles = Tiles(2, 3, width=1)
    >>> tiles.write_rows(0, np.array([[1, 3, 5], [2, 4, 6]]))
    >>> tiles.under(np.ones((1, 2), dtype=np.float32))
    array([[ 3.,  7., 11.]], dtype=float32)
    """

    def __init__(self, n_rows: int, n_columns: int, width: int) -> None:
        self._down = -(-n_rows // min(MULTIPLIED // (COLUMNS * width), MOST_ROWS))
        self._high = -(-n_rows // self._down)
        self._across = -(-n_columns // COLUMNS)
        self._shape = n_rows, n_columns
        self._tiles = np.zeros((self._across, self._down, self._high, COLUMNS), dtype=np.float32)

    def write_rows(self, low: int, rows: np.ndarray) -> None:
        """Write rows of M, from the row `low` on."""
        rows = _padded(rows, self._across * COLUMNS)
        while len(rows):
            block, first = divmod(low, self._high)
            some, rows = rows[: self._high - first], rows[self._high - first :]
            cut = some.reshape(len(some), self._across, COLUMNS).transpose(1, 0, 2)
            self._tiles[:, block, first : first + len(some)] = cut
            low += len(some)

    def write_columns(self, low: int, columns: np.ndarray) -> None:
        """Write columns of M, given as rows, from the column `low` on, where a tile begins."""
        columns = _padded(columns, self._down * self._high)
        for start in range(0, len(columns), COLUMNS):
            some = columns[start : start + COLUMNS].T
            tile = self._tiles[(low + start) // COLUMNS, :, :, : some.shape[1]]
            tile[:] = some.reshape(self._down, self._high, -1)

    def under(self, V: np.ndarray) -> np.ndarray:
        """Return V·M for a few rows V of single precision."""
        (n_rows, n_columns), w = self._shape, len(V)
        V = _padded(V, self._down * self._high)
        cut = np.ascontiguousarray(V.reshape(w, self._down, self._high).transpose(1, 0, 2))

        def multiplied(tiles: np.ndarray) -> np.ndarray:
            return np.matmul(cut, tiles).sum(axis=1).transpose(1, 0, 2).reshape(w, -1)

        parts: Iterator[np.ndarray] = iter([self._tiles])
        if n_rows * n_columns >= PARALLEL_CELLS and thread_count() > 1:
            parts = threaded(multiplied, iter(np.array_split(self._tiles, 2 * thread_count())))
        else:
            parts = map(multiplied, parts)
        return np.concatenate(list(parts), axis=1)[:, :n_columns]


def _padded(rows: np.ndarray, length: int) -> np.ndarray:
    """Return rows of a given length, with zeros at their end."""
    if rows.shape[1] == length:
        return rows
    longer = np.zeros((len(rows), length), dtype=rows.dtype)
    longer[:, : rows.shape[1]] = rows
    return longer
