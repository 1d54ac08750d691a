"""A scatter that also keeps fourth moments, which the Ledoit–Wolf shrinkage needs.

About the mean m: q₄ = Σ w‖x − m‖⁴ (a number) and q₃ = Σ w‖x − m‖²(x − m) (a vector). Moving the mean by δ gives

    q₄ ← q₄ − 4δᵀq₃ + 4δᵀTδ + 2‖δ‖² tr T + W‖δ‖⁴,      q₃ ← q₃ − δ tr T − 2Tδ − W‖δ‖²δ,

so that one pass is enough and parts merge.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from .._core import xp as _xp
from .._core.stored import stored
from .._core.typing import Array
from .centred import Centred, Scatter
from .centring import CentredBlock


@stored("moments.Quartic")
class Quartic(Scatter):
    """Scatter with the third and fourth moments of the length of a row.

    Attributes
    ----------
    fourth : float
        Σ w‖x − m‖⁴.
    third : array of shape (p,)
        Σ w‖x − m‖²(x − m).
    """

    takes_sparse = False
    exact = True

    def anchored_at(self, row: Array, n_groups: int = 1) -> Self:
        new = super().anchored_at(row, n_groups)
        new.fourth, new.third = 0.0, _xp.namespace(row).zeros_like(new.pivot)
        return new

    def _set_centred(self, block: CentredBlock) -> None:
        super()._set_centred(block)
        xp, w = _xp.namespace(block.rows), 1.0 if block.weight is None else block.weight
        rows = block.rows if block.weight is None else block.rows / xp.sqrt(w)[:, None]
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = xp.sum(rows**2, axis=1)
            self.fourth, self.third = float(xp.sum(w * lengths**2)), (w * lengths) @ rows

    def _mergeable(self, other: object) -> bool:
        return isinstance(other, Quartic)

    def merge(self, other: Centred) -> Self:
        if not (isinstance(other, Quartic) and self.n_rows and other.n_rows and self.n_features == other.n_features):
            return super().merge(other)  # one side is empty, or the merge is refused
        mean_a, mean_b = self.mean_from(self.pivot), other.mean_from(self.pivot)
        total = self.weight + other.weight
        step = mean_b - mean_a
        fourth_a, third_a = self._moved(step * (other.weight / total))
        fourth_b, third_b = other._moved(-step * (self.weight / total))
        super().merge(other)
        self.fourth, self.third = fourth_a + fourth_b, third_a + third_b
        return self

    def times(self, factor: float) -> Self:
        new = super().times(factor)
        new.fourth, new.third = self.fourth * factor, self.third * factor
        return new

    def brought_to(self, like: Array) -> Self:
        new = super().brought_to(like)
        if new is not self:
            new.third = _xp.like(self.third, like)
        return new

    def mean_from(self, origin: Array) -> Array:
        """Mean minus `origin`, a row near it."""
        return (self.pivot - origin) + self.shift[0, :]

    def _moved(self, delta: Array) -> tuple[float, Array]:
        """Moments about mean + delta."""
        xp = _xp.namespace(delta)
        T = self.matrix
        trace, square, Td = float(xp.sum(self.store.diagonal())), float(delta @ delta), T @ delta
        fourth = self.fourth - 4 * float(delta @ self.third) + 4 * float(delta @ Td)
        fourth += 2 * square * trace + self.weight * square**2
        return fourth, self.third - delta * trace - 2 * Td - delta * (self.weight * square)
