"""A table of counts that lies in memory: its margins, its standardised residuals, and products of vectors with them.

With totals r, c and n of rows, columns and the whole table N, the residuals are

    S = D_r^{-1/2} (N − r cᵀ/n) D_c^{-1/2} ,

and the sum of their squares is χ²/n. A small table forms them. Those of a large one are only multiplied with: with
α = r^{-1/2}, β = c^{-1/2} and the roots a, b of the shares of rows and columns, S v = α(N(βv)) − a(b·v).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import linalg, namespaces

MOST_CELLS = 2**22  # of a table that is kept until its moments are asked for
WHOLE = 2.0**53  # counts beyond this are rounded, which is said where rows are read
SMALLEST = 1e-100  # total below which squares might underflow
ROUNDED_INERTIA = (
    64 * namespaces.EPS
) ** 2  # below which residuals are rounding: a few units in the last place of a bᵀ
BLOCK_CELLS = 2**16  # that are squared together
ONE_BY_ONE = 4  # vectors up to which a product with each is faster than one with all


class CountTable:
    """A table of counts, none of whose rows is empty.

    Attributes
    ----------
    counts : ndarray of shape (I, J)
    totals, sums : ndarrays of shape (I,) and (J,)
        Of the rows and the columns.
    total : float
    dtype : dtype
        Of results.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.moments.count_table import CountTable
    >>> table = CountTable(np.array([[1.0, 3.0], [4.0, 2.0]]))
    >>> float((table.residuals ** 2).sum().round(4)), table.column_squares.round(4)
    (0.1667, array([0.0833, 0.0833]))
    """

    # of products with the residuals: see `solve/products.py`
    single, forms_gram, may_form = False, False, True
    width: int | None = None

    def __init__(self, counts: np.ndarray, dtype: Any = np.float64) -> None:
        self.counts, self.dtype = counts, dtype
        self.totals, self.sums = counts.sum(axis=1), counts.sum(axis=0)
        self.total = float(self.totals.sum())
        self.passes = 0

    @classmethod
    def of(cls, source: Any) -> CountTable | None:
        """Return rows in memory as a table; None where they are sparse, weighted, large, empty or not all counts."""
        table = source.table if source.in_memory_already and not source.weighted else None
        if table is None or not isinstance(table.sample, np.ndarray) or hasattr(table, "sparse_rows"):
            return None
        if table.shape[0] * table.shape[1] > MOST_CELLS:
            return None
        rows = table.rows(0, table.shape[0])
        dtype, all_integers = rows.dtype, len(table.wide) == table.shape[1] and not hasattr(table, "values")
        if dtype != np.float64 or not all_integers:  # numbers may lie where their owner can change them
            rows = np.array(rows, dtype=np.float64)
        if not rows.min(initial=0.0) >= 0:
            return None
        found = cls(rows, dtype)
        usual = SMALLEST < found.total < WHOLE and found.totals.min(initial=1.0) > 0
        return found if usual and len(rows) > 1 else None

    @property
    def shape(self) -> tuple[int, int]:
        return self.counts.shape

    @cached_property
    def margin(self) -> np.ndarray:
        """The share of each column."""
        return self.sums / self.total

    @cached_property
    def roots(self) -> tuple[np.ndarray, np.ndarray]:
        """α and β: one over the roots of the totals of rows and of columns; 0 for empty columns."""
        live = self.sums > 0
        beta = np.sqrt(self.sums) if live.all() else np.sqrt(np.where(live, self.sums, np.inf))
        return 1.0 / np.sqrt(self.totals), 1.0 / beta

    @cached_property
    def _shares(self) -> tuple[np.ndarray, np.ndarray]:
        """The roots a and b of the shares of rows and columns."""
        return np.sqrt(self.totals / self.total), np.sqrt(self.sums / self.total)

    @cached_property
    def residuals(self) -> np.ndarray:
        """S."""
        (alpha, beta), (a, b) = self.roots, self._shares
        S = self.counts * alpha[:, None]
        S *= beta
        S -= a[:, None] * b
        if np.vdot(S, S) < ROUNDED_INERTIA:
            S[:] = 0.0
        self.__dict__.pop("_squares", None)  # differences of sums, which have fewer digits than sums of S²
        return S

    @cached_property
    def _squares(self) -> tuple[np.ndarray, np.ndarray]:
        if "residuals" in self.__dict__:
            squares = np.square(self.residuals)
            return squares.sum(axis=1), squares.sum(axis=0)
        (alpha, beta), (a, b) = self.roots, self._shares
        if self.counts.flags.f_contiguous:
            columns, rows = _sums_of_squares(self.counts.T, beta**2, alpha**2)
        else:
            rows, columns = _sums_of_squares(self.counts, alpha**2, beta**2)
        return np.maximum(alpha**2 * rows - a**2, 0.0), np.maximum(beta**2 * columns - b**2, 0.0)

    @property
    def row_squares(self) -> np.ndarray:
        """The squared length of each row of S."""
        return self._squares[0]

    @property
    def column_squares(self) -> np.ndarray:
        """The squared length of each column of S."""
        return self._squares[1]

    # -- products with S; vectors are rows -----------------------------------------------------------------------

    @property
    def like(self) -> np.ndarray:
        return self.counts

    @property
    def over_rows(self) -> bool:
        return self.shape[0] < self.shape[1]

    @property
    def side(self) -> int:
        return min(self.shape)

    def forward(self, V: np.ndarray) -> np.ndarray:
        """Return V Sᵀ, a row of numbers for the rows of the table."""
        if "residuals" in self.__dict__:
            return V @ self.residuals.T
        (alpha, beta), (a, b) = self.roots, self._shares
        self.passes += 1
        return _times(V * beta, self.counts.T) * alpha - (V @ b)[:, None] * a

    def backward(self, U: np.ndarray) -> np.ndarray:
        """Return U S, a row of numbers for the columns of the table."""
        (alpha, beta), (a, b) = self.roots, self._shares
        self.passes += 1
        return _times(U * alpha, self.counts) * beta - (U @ a)[:, None] * b

    def squared(self, V: np.ndarray) -> np.ndarray:
        """Return V SᵀS, or V SSᵀ where rows are fewer than columns."""
        return self.forward(self.backward(V)) if self.over_rows else self.backward(self.forward(V))

    def image_sizes(self, V: np.ndarray) -> np.ndarray:
        return np.sqrt(np.square(self.forward(V)).sum(axis=1))

    def gram(self) -> np.ndarray:
        """Return SᵀS, or SSᵀ where rows are fewer than columns, from products of counts."""
        near, far = self.roots if self.over_rows else self.roots[::-1]
        share = self._shares[0 if self.over_rows else 1]
        Z = (self.counts.T if self.over_rows else self.counts) * far[:, None]
        G = np.asarray(linalg.gram(Z))
        G *= near
        G *= near[:, None]
        G -= share[:, None] * share
        return G


def _sums_of_squares(A: np.ndarray, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return A² @ right and left @ A², a few rows at a time, so that no second table is made."""
    step = max(BLOCK_CELLS // A.shape[1], 1)
    if step >= len(A):
        squares = np.square(A)
        return squares @ right, left @ squares
    rows, columns, squares = np.empty(len(A)), np.zeros(A.shape[1]), np.empty((step, A.shape[1]))
    for start in range(0, len(A), step):
        part = slice(start, start + step)
        some = np.square(A[part], out=squares[: len(A[part])])
        rows[part] = some @ right
        columns += left[part] @ some
    return rows, columns


def _times(V: np.ndarray, A: np.ndarray) -> np.ndarray:
    return V @ A if len(V) > ONE_BY_ONE else np.array([v @ A for v in V])
