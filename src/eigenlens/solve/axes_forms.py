"""Forms G whose sparse axes are sought: as a matrix, as rows F with G = FᵀF, or at some of its columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import scipy.linalg

from ..arrays import namespaces

FEW_ROWS = 0.25  # of those of a sparse B, whose rows of G are then gathered before they are multiplied


class AxesForm(Protocol):
    """What the alternation of sparse axes B and their orthonormal partners A asks of a form."""

    @property
    def gram(self) -> np.ndarray: ...
    def image(self, A: np.ndarray) -> np.ndarray:
        """Return G A."""

    def turned(self, B: np.ndarray) -> tuple[np.ndarray, float]:
        """Return G B, in the coordinates of A, and tr BᵀGB."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """A form G.

    Attributes
    ----------
    values : ndarray of shape (p, p) or (n, p)
        G, or a factor F with FᵀF = G, before they are multiplied by the unit.
    factored : bool
    unit : float
        Number that multiplies the form, so that a large table is not copied to be scaled.
    """

    values: np.ndarray
    factored: bool = False
    unit: float = 1.0

    @cached_property
    def gram(self) -> np.ndarray:
        """G."""
        return self._in_unit(self.values.T @ self.values if self.factored else self.values)

    @cached_property
    def factor(self) -> np.ndarray:
        """F with FᵀF = G, where the values are one."""
        return self.values if self.unit == 1.0 else self.values * self.unit**0.5

    def image(self, A: np.ndarray) -> np.ndarray:
        """Return G A, along the rows of G, which is symmetric: twice as fast as across them."""
        return self._in_unit(((self.values @ A if self.factored else A).T @ self.values).T)

    def _in_unit(self, values: np.ndarray) -> np.ndarray:
        return values if self.unit == 1.0 else self.unit * values

    def turned(self, B: np.ndarray) -> tuple[np.ndarray, float]:
        """Return G B and tr BᵀGB."""
        on = np.flatnonzero(B.any(axis=1))
        if self.factored or len(on) > FEW_ROWS * len(B):
            GB = self.image(B)
            return GB, float(np.sum(B * GB))
        GB = self._in_unit((B[on].T @ self.values[on]).T)
        return GB, float(np.sum(B[on] * GB[on]))

    def restricted(self, on: np.ndarray) -> Matrix:
        """Return the form of the columns at given places."""
        return Matrix(self.values[:, on] if self.factored else self.values[np.ix_(on, on)], self.factored, self.unit)

    @property
    def diagonal(self) -> np.ndarray:
        """The diagonal of G."""
        return self._in_unit(namespaces.column_squares(self.values) if self.factored else np.diagonal(self.values))

    @property
    def varying(self) -> int:
        """Number of columns that are not constant."""
        return int(np.count_nonzero(self.values.any(axis=0)))

    @cached_property
    def row_space(self) -> RowSpace:
        """Coordinates of the space that the rows of the factor span."""
        return RowSpace.of(self.factor)


@dataclass(frozen=True, eq=False)
class RowSpace:
    """An orthonormal basis V of the span of the rows F, such that F = LVᵀ; V itself, as large as F, is not formed.

    Attributes
    ----------
    basic : ndarray of shape (r, p)
        Rows that span all: V = basicᵀT⁻ᵀ.
    T : ndarray of shape (r, r)
        Cholesky's factor of their products, lower triangular.
    L : ndarray of shape (n, r)
    """

    basic: np.ndarray
    T: np.ndarray
    L: np.ndarray

    @classmethod
    def of(cls, F: np.ndarray) -> RowSpace:
        """Take one row after the other, that of which most is left first (Cholesky's factor with pivots)."""
        K = F @ F.T
        tol = len(K) * namespaces.EPS * float(K.diagonal().max(initial=0.0))
        found, places, rank, _ = scipy.linalg.lapack.dpstrf(K, tol=tol, lower=1)
        lower = np.tril(found)[:, :rank]
        L = np.empty_like(lower)
        L[places - 1] = lower
        return cls(F[places[:rank] - 1], lower[:rank], L)

    def coordinates(self, A: np.ndarray) -> np.ndarray:
        """Return VᵀA."""
        return np.asarray(scipy.linalg.solve_triangular(self.T, self.basic @ A, lower=True))

    def lifted(self, a: np.ndarray) -> np.ndarray:
        """Return Va."""
        return np.asarray(self.basic.T @ scipy.linalg.solve_triangular(self.T, a, lower=True, trans="T"))


@dataclass(frozen=True, eq=False)
class SomeColumns:
    """A form G = FᵀF at some of its columns, with partners in coordinates of the space of its rows.

    The partners A, polar factors of GB, lie in that space: with F = LVᵀ and A = Va, all that the other columns say is
    in L.

    Attributes
    ----------
    P : ndarray of shape (columns, n)
        These columns of F, as rows.
    L : ndarray of shape (n, r)
    """

    P: np.ndarray
    L: np.ndarray

    @cached_property
    def gram(self) -> np.ndarray:
        """G at these columns."""
        return self.P @ self.P.T

    @cached_property
    def seen(self) -> np.ndarray | None:
        """These columns in the coordinates of V, where they are so few that a product with them costs less than L's."""
        return self.P @ self.L if len(self.P) <= FEW_ROWS * len(self.L) else None

    def image(self, A: np.ndarray) -> np.ndarray:
        """Return G V a at these columns."""
        return self.P @ (self.L @ A) if self.seen is None else self.seen @ A

    def turned(self, B: np.ndarray) -> tuple[np.ndarray, float]:
        """Return VᵀGB and tr BᵀGB."""
        inner = (B.T @ self.P).T
        image = self.L.T @ inner if self.seen is None else (B.T @ self.seen).T
        return image, float(np.sum(inner**2))
