"""Higher moments beside a scatter: they move with the mean, so one pass is enough and parts merge.

**Fourth moments**, which the Ledoit–Wolf shrinkage needs, in any units of the columns. The length of a row depends on
the units of its columns, which are known only after the pass. So a pair of columns has its own moments about the mean
m: Q = Σ w z_i² z_j² and C = Σ w z_i² z_j with z = x − m. With columns divided by s,

    Σ w‖z/s‖⁴ = s⁻²ᵀ Q s⁻².

Moving the mean by δ gives, with squares taken cell by cell,

    Q ← Q − 2Cδᵀ − 2(Cδᵀ)ᵀ + (diag T)(δ²)ᵀ + (δ²)(diag T)ᵀ + 4 δδᵀ∘T + W δ²(δ²)ᵀ,
    C ← C − (diag T)δᵀ − 2 δ1ᵀ∘T − W δ²δᵀ,

where Cδᵀ has the entries C_ij δ_j. While the rows are fewer than the columns, they are kept themselves, centred:
nothing of columns by columns is formed.

**Third moments** of two tables side by side. About another centre, d away from the mean of weight W and scatter T,

    Σ w (z + d)ⱼ (z + d)(z + d)ᵀ = Σ w zⱼ z zᵀ + dⱼ T + Tⱼ dᵀ + d Tⱼᵀ + W dⱼ d dᵀ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from ..arrays import errors, exponents, linalg, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..rows import Block
from .base import Moments
from .centred import Centred, Scatter
from .centring import CentredBlock
from .cross import Cross, beside
from .form import Form, Keeps


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
    def keeps(self) -> Keeps:  # type: ignore[override]
        """Rows at first, squares once they are many."""
        return "matrix" if hasattr(self, "store") and self.store.factor is None else "factor"

    def _set_centred(self, block: CentredBlock) -> None:
        self.store = Form.of_rows(block.rows[:0, :], "factor")
        super()._set_centred(block)
        ones = namespaces.namespace(block.rows).ones_like(block.rows[:, 0])
        self.row_weight = ones if block.weight is None else namespaces.float64(block.weight)
        if block.rows.shape[0] > self.n_features:
            self.__dict__.update(self._with_squares().__dict__)

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
                rows = [side._moved_rows(d) for side, d in zip(sides, moves, strict=True)]
                self.store = Form(factor=xp.concat(rows), squared=False)
            return
        (third, fourth), (third_b, fourth_b) = (side._moved(d) for side, d in zip(sides, moves, strict=True))
        self.third, self.fourth = third + third_b, fourth + fourth_b

    def _mapped(self, new: Self, of: Callable[[Array], Array]) -> Self:
        """Return other moments with the same rows and higher moments, changed."""
        for name in ("row_weight", "third", "fourth"):
            kept = getattr(self, name)
            setattr(new, name, None if kept is None else of(kept))
        return new

    def times(self, factor: float) -> Self:
        return self._mapped(super().times(factor), lambda kept: kept * factor)

    def sealed(self) -> Self:
        return super(Quartic, self._with_squares()).sealed()

    def brought_to(self, like: Array) -> Self:
        new = super().brought_to(like)
        return self if new is self else self._mapped(new, lambda kept: namespaces.like(kept, like))

    def mean_from(self, origin: Array) -> Array:
        """Mean minus `origin`, a row near it."""
        return (self.pivot - origin) + self.shift[0, :]

    def fourth_of(self, scale: Array | float = 1.0) -> float:
        """Return Σ w‖z/s‖⁴ of columns divided by a scale."""
        xp = namespaces.namespace(self.pivot)
        with np.errstate(over="ignore", invalid="ignore"):
            if self.row_weight is not None:
                lengths = xp.sum((self.store.factor / scale) ** 2, axis=1)
                return float(xp.sum(lengths**2 / self.row_weight))
            d = xp.ones_like(self.pivot) / scale**2
            return float(d @ self.fourth @ d)

    def _with_squares(self) -> Self:
        """Return these moments with squares in place of rows."""
        if self.row_weight is None:
            return self
        new = self.copy()
        new.third, new.fourth = _pairs(self.store.factor, self.row_weight)
        new.store, new.row_weight = Form(matrix=self.store.dense()), None
        return new

    def _moved_rows(self, delta: Array) -> Array:
        """Rows about mean + delta, times the roots of their weights."""
        return self.store.factor - namespaces.namespace(delta).sqrt(self.row_weight)[:, None] * delta

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


@stored("moments.Cubic")
class Cubic(Cross):
    """Joint moments of X and y up to the third.

    Parameters
    ----------
    of : {Scatter, Factor}
        How the joint scatter is kept.
    every : bool
        Whether products of three columns of X are kept too (memory p³), rather than those of y with two of X alone.

    Attributes
    ----------
    third : array of shape (p + 1, p + 1, p + 1), or (1, p + 1, p + 1)
        Σ w zⱼ z zᵀ of the columns z of [X, y] about their means, for each column j or for y alone; over 2^exponent of
        the three columns.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.moments import Cubic
    >>> from eigenlens.rows import Block
    >>> X, y = np.array([[0.0], [1.0], [5.0]]), np.array([[1.0], [2.0], [0.0]])
    >>> first, rest = (Cubic(every=False).update(Block(X[part], y[part])) for part in (slice(0, 1), slice(1, 3)))
    >>> first.merge(rest).third.round(9) + 0.0
    array([[[-8.,  2.],
            [ 2.,  0.]]])
    """

    third: Array

    def __init__(self, of: type[Centred] = Scatter, every: bool = True) -> None:
        super().__init__(of)
        self.every = every

    def anchored(self, first: Block) -> Self:
        new = super().anchored(first)
        P = new.joint.n_features
        shape = (P if self.every else P - new.split, P, P)
        new.third = namespaces.namespace(new.joint.pivot).zeros(
            shape, dtype=new.joint.shift.dtype, device=namespaces.device(first.X)
        )
        return new

    def update(self, block: Block) -> Self:
        if self.split == 0:
            self._anchor(block)
        part = self.copy()
        part.joint = self.joint.anchored_at(self.joint.pivot)
        Cross.update(part, block)
        if part.n_rows:
            part.third = self._cubed(beside(block), block.weight, part.joint)
            self._join(part)
        return self

    def _cubed(self, rows: Array, weight: Array | None, joint: Centred) -> Array:
        """Return the third moments of rows about the mean of their moments."""
        unit = joint.unit
        centred = namespaces.float64(rows) / unit - joint.pivot / unit - joint.shift
        weighted = centred if weight is None else centred * weight[:, None]
        third = namespaces.namespace(centred).zeros_like(self.third)
        if not self.every:
            for place, j in enumerate(range(self.split, centred.shape[1])):
                third[place, :, :] = (centred * weighted[:, j, None]).T @ centred
            return third
        for j in range(centred.shape[1]):  # products of three columns do not depend on their order
            product = (centred[:, j:] * weighted[:, j, None]).T @ centred[:, j:]
            third[j, j:, j:] = third[j:, j, j:] = third[j:, j:, j] = product
        return third

    @property
    def _has_seen(self) -> bool:
        return self.n_rows > 0

    def _join(self, other: Self) -> None:
        if self.every != other.every:
            kept = {True: "of all columns", False: "of y with two columns"}
            raise errors.moments_differ("the third moments", kept[self.every], kept[other.every])
        if self.n_rows == 0:
            super()._join(other)
            self.third = other.third
            return
        theirs = other if type(other.third) is type(self.third) else other.brought_to(self.third)
        joined = self.joint.copy().merge(theirs.joint)
        moved = [part.rescaled(joined.exponent)._about(joined) for part in (self, theirs)]
        self.joint, self.third = joined, moved[0] + moved[1]

    def _about(self, joined: Centred) -> Array:
        """Return the third moments about the mean of others, in their units."""
        d = self.joint.moved_to(joined.pivot).shift[0, :] - joined.shift[0, :]
        T, W, first = self.joint.matrix, self.weight, 0 if self.every else self.split
        dj, Tj = d[first:, None, None], T[first:, :]
        across = Tj[:, :, None] * d[None, None, :]
        return self.third + dj * (T + W * d[:, None] * d) + across + _swapped(across)

    def rescaled(self, exponent: exponents.Exponents) -> Self:
        """Return the same moments over another power of two in each column."""
        new = self.copy()
        new.joint = self.joint.rescaled(exponent)
        if new.joint is not self.joint:
            old, target = (
                np.zeros(len(self.joint.pivot), int) if e is None else e for e in (self.joint.exponent, exponent)
            )
            f = exponents.shrink(old, target, self.joint.pivot)
            new.third = self.third * f[0 if self.every else self.split :, None, None] * f[:, None] * f
        return new

    @property
    def inner(self) -> None:
        return None

    @property
    def finite(self) -> bool:
        return super().finite and namespaces.all_finite(self.third)

    def lacks(self, needed: Moments) -> tuple[str, str] | None:
        assert isinstance(needed, Cubic)
        return ("third moments of all columns", "those of y alone") if needed.every and not self.every else None

    def _mapped(self, of_moments: Callable[[Any], Any], of_sum: Callable[[Array], Array]) -> Self:
        new = super()._mapped(of_moments, of_sum)
        if hasattr(self, "third"):
            new.third = of_sum(self.third)
        return new


def _swapped(values: Array) -> Array:
    return namespaces.namespace(values).permute_dims(values, (0, 2, 1))
