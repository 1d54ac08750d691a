"""A scatter that also keeps fourth moments, which the Ledoit–Wolf shrinkage needs, in any units of the columns.

The length of a row depends on the units of its columns, which are known only after the pass. So a pair of columns has
its own moments about the mean m: Q = Σ w z_i² z_j² and C = Σ w z_i² z_j with z = x − m. With columns divided by s,

    Σ w‖z/s‖⁴ = s⁻²ᵀ Q s⁻².

Moving the mean by δ gives, with squares taken cell by cell,

    Q ← Q − 2Cδᵀ − 2(Cδᵀ)ᵀ + (diag T)(δ²)ᵀ + (δ²)(diag T)ᵀ + 4 δδᵀ∘T + W δ²(δ²)ᵀ,
    C ← C − (diag T)δᵀ − 2 δ1ᵀ∘T − W δ²δᵀ,

where Cδᵀ has the entries C_ij δ_j. One pass is enough and parts merge. While the rows are fewer than the columns, they
are kept themselves, centred: nothing of columns by columns is formed.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..arrays import linalg, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from .centred import Centred
from .centring import CentredBlock, Gram, Triangle


@stored("moments.Quartic")
class Quartic(Centred):
    """Weight, mean and scatter with the fourth moments of pairs of columns.

    Attributes
    ----------
    row_weight : array of shape (n,), or None
        While the rows are few: their weights, in the order of the rows of `factor`, which are √w(x − m).
    third, fourth : array of shape (p, p), or None
        C and Q, once there are more rows than columns.
    """

    takes_sparse = False
    exact = True
    row_weight: Any = None
    third: Any = None
    fourth: Any = None

    @property
    def store_type(self) -> type[Any]:  # type: ignore[override]
        """Rows at first, squares once they are many."""
        return type(self.store) if hasattr(self, "store") else Triangle

    def _set_centred(self, block: CentredBlock) -> None:
        xp, (n, p) = namespaces.namespace(block.rows), block.rows.shape
        weight = xp.ones_like(block.rows[:, 0]) if block.weight is None else namespaces.cast(block.weight, xp.float64)
        if n <= p:
            self.row_weight, self.store = weight, Triangle(block.rows[:0, :])
            super()._set_centred(block)
            return
        self.store = Gram.of(block.rows[:0, :])
        super()._set_centred(block)
        self.third, self.fourth = _pairs(block.rows, weight)

    @property
    def _merges_with(self) -> type[Centred]:
        return Quartic

    def _join(self, other: Centred) -> None:
        if self.n_rows == 0:
            super()._join(other)
            return
        assert isinstance(other, Quartic)
        mean_a, mean_b = self.mean_from(self.pivot), other.mean_from(self.pivot)
        step, total = mean_b - mean_a, self.weight + other.weight
        moves = step * (other.weight / total), -step * (self.weight / total)
        sides: tuple[Quartic, Quartic] = (self.copy(), other.brought_to(self.pivot))
        few = all(side.row_weight is not None for side in sides) and self.n_rows + other.n_rows < self.n_features
        if not few:
            sides = sides[0]._with_squares(), sides[1]._with_squares()
        self.__dict__.update(sides[0].__dict__)
        super()._join(sides[1])
        xp = namespaces.namespace(self.pivot)
        if few:
            self.row_weight = xp.concat([side.row_weight for side in sides], axis=0)
            if self.exponent is None:
                self.store = Triangle(xp.concat([side._moved_rows(d) for side, d in zip(sides, moves, strict=True)]))
            return
        (third, fourth), (third_b, fourth_b) = (side._moved(d) for side, d in zip(sides, moves, strict=True))
        self.third, self.fourth = third + third_b, fourth + fourth_b

    def times(self, factor: float) -> Self:
        new = super().times(factor)
        for name in ("row_weight", "third", "fourth"):
            kept = getattr(self, name)
            setattr(new, name, None if kept is None else kept * factor)
        return new

    def sealed(self) -> Self:
        return super(Quartic, self._with_squares()).sealed()

    def brought_to(self, like: Array) -> Self:
        new = super().brought_to(like)
        if new is not self:
            for name in ("row_weight", "third", "fourth"):
                kept = getattr(self, name)
                setattr(new, name, None if kept is None else namespaces.like(kept, like))
        return new

    def mean_from(self, origin: Array) -> Array:
        """Mean minus `origin`, a row near it."""
        return (self.pivot - origin) + self.shift[0, :]

    def fourth_of(self, scale: Array | float = 1.0) -> float:
        """Return Σ w‖z/s‖⁴ of columns divided by a scale."""
        xp = namespaces.namespace(self.pivot)
        with np.errstate(over="ignore", invalid="ignore"):
            if self.row_weight is not None:
                lengths = xp.sum((self.store.rows / scale) ** 2, axis=1)
                return float(xp.sum(lengths**2 / self.row_weight))
            d = xp.ones_like(self.pivot) / scale**2
            return float(d @ self.fourth @ d)

    def _with_squares(self) -> Self:
        """Return these moments with squares in place of rows."""
        if self.row_weight is None:
            return self
        new = self.copy()
        new.third, new.fourth = _pairs(self.store.rows, self.row_weight)
        new.store, new.row_weight = Gram(self.store.matrix()), None
        return new

    def _moved_rows(self, delta: Array) -> Array:
        """Rows about mean + delta, times the roots of their weights."""
        return self.store.rows - namespaces.namespace(delta).sqrt(self.row_weight)[:, None] * delta

    def _moved(self, delta: Array) -> tuple[Array, Array]:
        """Third and fourth moments about mean + delta."""
        T, square = self.matrix, delta**2
        spread = self.store.diagonal()
        cross = self.third * delta + spread[:, None] * (square / -2)
        fourth = self.fourth - 2 * (cross + cross.T) + 4 * T * delta * delta[:, None]
        third = self.third - spread[:, None] * delta - 2 * T * delta[:, None]
        weighted = self.weight * square[:, None]
        return third - weighted * delta, fourth + weighted * square


def _pairs(rows: Array, weight: Array) -> tuple[Array, Array]:
    """Return C and Q of rows √w·z."""
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = rows**2 / namespaces.namespace(rows).sqrt(weight)[:, None]  # √w·z²
        return scaled.T @ rows, linalg.gram(scaled)
