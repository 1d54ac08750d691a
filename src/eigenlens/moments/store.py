"""Two ways to keep Σ rᵢrᵢᵀ: the matrix itself, or rows that have it as their cross product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, Self

from .._core import xp as _xp
from .._core.stored import stored
from .._core.typing import Array


class Store(Protocol):
    """A sum of squares and products of rows that were centred before."""

    squared: bool

    @classmethod
    def of(cls, rows: Array) -> Self: ...
    def plus(self, other: Store) -> Self: ...
    def scaled(self, factor: Array) -> Self: ...
    def compacted(self) -> Self: ...
    def brought_to(self, like: Array) -> Self: ...
    def diagonal(self) -> Array: ...
    def matrix(self) -> Array: ...


@stored("moments.Gram")
@dataclass(eq=False)
class Gram:
    """The p × p matrix of sums of squares and products."""

    values: Array
    squared: ClassVar[bool] = True

    @classmethod
    def of(cls, rows: Array) -> Gram:
        return cls(_xp.gram(rows))

    def plus(self, other: Store) -> Gram:
        return Gram(self.values + other.matrix())

    def without_means(self, means: Array, weights: Array | float) -> Gram:
        """Take out Σ w m mᵀ, for means that are small beside the rows; weights as a factor of their rows."""
        return Gram(self.values - (means * weights).T @ means)

    def scaled(self, factor: Array) -> Gram:
        return Gram(self.values * factor * factor[:, None])

    def compacted(self) -> Gram:
        return self

    def brought_to(self, like: Array) -> Gram:
        return Gram(_xp.like(self.values, like))

    def diagonal(self) -> Array:
        return _xp.namespace(self.values).linalg.diagonal(self.values)

    def matrix(self) -> Array:
        return self.values


@stored("moments.Triangle")
@dataclass(eq=False)
class Triangle:
    """Rows F with FᵀF = the sum: the data rows themselves while they are few, their triangular factor afterwards."""

    rows: Array
    triangular: bool = False
    squared: bool = False

    @classmethod
    def of(cls, rows: Array) -> Triangle:
        return cls(rows)

    def plus(self, other: Store) -> Triangle:
        theirs = other if isinstance(other, Triangle) else Triangle(square_root(other.matrix()), squared=True)
        squared = self.squared or theirs.squared
        first, second = self.rows, theirs.rows
        if second.shape[0] == 0:
            return Triangle(first, self.triangular, squared)
        if first.shape[0] + second.shape[0] <= first.shape[1]:
            return Triangle(_xp.namespace(first).concat([first, second], axis=0), False, squared)
        return Triangle(_xp.stack_triangle(self._triangle(), second), True, squared)

    def _triangle(self) -> Array:
        """The factor as a p × p upper triangle."""
        if self.triangular:
            return self.rows
        rows, p = self.rows, self.rows.shape[1]
        xp = _xp.namespace(rows)
        R = _xp.triangle(rows) if rows.shape[0] > 0 else rows
        below = xp.zeros((p - R.shape[0], p), dtype=rows.dtype, device=_xp.device(rows))
        return xp.concat([R, below], axis=0)

    def scaled(self, factor: Array) -> Triangle:
        return Triangle(self.rows * factor, self.triangular, self.squared)

    def compacted(self) -> Triangle:
        """Keep no more rows than columns."""
        if self.rows.shape[0] <= self.rows.shape[1]:
            return self
        return Triangle(_xp.triangle(self.rows), True, self.squared)

    def brought_to(self, like: Array) -> Triangle:
        return Triangle(_xp.like(self.rows, like), self.triangular, self.squared)

    def diagonal(self) -> Array:
        return _xp.namespace(self.rows).sum(self.rows**2, axis=0)

    def matrix(self) -> Array:
        return _xp.gram(self.rows)


def square_root(matrix: Array) -> Array:
    """Return F with FᵀF = matrix."""
    xp = _xp.namespace(matrix)
    with _xp.limit_blas(matrix.shape[0] ** 2):
        values, vectors = xp.linalg.eigh(matrix)
    return vectors.T * xp.sqrt(xp.clip(values, min=0.0))[:, None]
