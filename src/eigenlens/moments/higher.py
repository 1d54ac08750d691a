"""Higher moments beside a scatter: they move with the mean, so one pass is enough and parts merge.

**Fourth moments**, which the Ledoit–Wolf shrinkage needs, in any units of the columns. The length of a row depends on
the units of its columns, which are known only after the pass. So products are summed of 1, z and z² of all columns,
z = x − m. With columns divided by s, Σ w‖z/s‖⁴ is the form of the squares at s⁻², and since (z + δ)² = z² + 2δz + δ²,
another mean is a change of coordinates. While the rows are fewer than the columns, they are kept themselves: nothing of
columns by columns is formed.

**Third moments** of two tables side by side. About another centre, d away from the mean of weight W and scatter T,

    Σ w (z + d)ⱼ (z + d)(z + d)ᵀ = Σ w zⱼ z zᵀ + dⱼ T + Tⱼ dᵀ + d Tⱼᵀ + W dⱼ d dᵀ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from ..arrays import errors, exponents, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..rows import Block
from .base import Moments
from .centred import Centred, Factor, Scatter
from .centring import CentredBlock
from .cross import Cross, beside
from .form import Form, square_root


def _with_powers(old: Quartic) -> None:
    """Put together the moments that older files keep apart."""
    third, fourth, weight = (old.__dict__.pop(name, None) for name in ("third", "fourth", "row_weight"))
    if weight is not None:
        old.powers = _powers(old.store.factor, weight)
    elif fourth is not None:
        T = old.store.matrix
        squares, zero = T.diagonal()[None, :], np.zeros((1, len(T)))
        M = np.block([[np.full((1, 1), old.weight), zero, squares], [zero.T, T, third.T], [squares.T, third, fourth]])
        old.powers, old.store = (Form(factor=square_root(form)) for form in (M, T))


@stored("moments.Quartic", upgrade=_with_powers)
class Quartic(Factor):
    """Weight, mean and scatter with the fourth moments of pairs of columns.

    Attributes
    ----------
    powers : Form
        Sums of products of 1, z and z² of all columns, about the mean; rows while they are few.
    """

    powers: Form

    def _set_centred(self, block: CentredBlock) -> None:
        super()._set_centred(block)
        ones = namespaces.namespace(block.rows).ones_like(block.rows[:, 0])
        self.powers = _powers(block.rows, ones if block.weight is None else namespaces.float64(block.weight))

    @property
    def _merges_with(self) -> type[Centred]:
        return Quartic

    def _join(self, other: Centred) -> None:
        assert isinstance(other, Quartic)
        before = self.copy()
        super()._join(other)
        if before.n_rows:
            self.powers = before._about(self).plus(other.brought_to(self.pivot)._about(self))

    def times(self, factor: float) -> Self:
        new = super().times(factor)
        new.powers = self.powers.times(factor)
        return new

    def sealed(self) -> Self:
        new = super().sealed()
        new.powers = self.powers.as_triangle()
        return new

    def brought_to(self, like: Array) -> Self:
        new = super().brought_to(like)
        if new is not self:
            new.powers = self.powers.brought_to(like)
        return new

    def fourth_of(self, scale: Array | float = 1.0) -> float:
        """Return Σ w‖z/s‖⁴ of columns divided by a scale."""
        xp, p = namespaces.namespace(self.pivot), self.n_features
        with np.errstate(over="ignore", invalid="ignore"):
            return float(xp.sum(xp.sum(self.powers.factor[:, p + 1 :] / scale**2, axis=1) ** 2))

    def _about(self, joined: Centred) -> Form:
        """Return the sums of products about the mean of others: (z + d)² = z² + 2dz + d²."""
        d = self.moved_to(joined.pivot).shift[0, :] - joined.shift[0, :]
        rows, p = self.powers.factor, self.n_features
        one, z, square = rows[:, :1], rows[:, 1 : p + 1], rows[:, p + 1 :]
        with np.errstate(over="ignore", invalid="ignore"):
            moved = [one, z + one * d, square + 2 * d * z + one * d**2]
        return Form(factor=namespaces.namespace(rows).concat(moved, axis=1), squared=False)


def _powers(rows: Array, weight: Array) -> Form:
    """Return the products of √w(1, z, z²), from rows √w·z."""
    xp, root = namespaces.namespace(rows), namespaces.namespace(rows).sqrt(weight)[:, None]
    with np.errstate(over="ignore", invalid="ignore"):
        return Form(factor=xp.concat([root, rows, rows**2 / root], axis=1), squared=False).compacted()


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

    @property
    def _first(self) -> int:
        """The first column whose products with two others are kept."""
        return 0 if self.every else self.split

    def update(self, block: Block) -> Self:
        if self.split == 0:
            self._anchor(block)
        part = self.copy()
        part.joint = self.joint.anchored_at(self.joint.pivot)
        Cross.update(part, block)
        if part.n_rows:
            part.third = part._cubed(beside(block), block.weight)
            self._join(part)
        return self

    def _cubed(self, rows: Array, weight: Array | None) -> Array:
        """Return the third moments of rows about their mean."""
        unit, xp = self.joint.unit, namespaces.namespace(rows)
        centred = namespaces.float64(rows) / unit - self.joint.pivot / unit - self.joint.shift
        weighted = centred if weight is None else centred * weight[:, None]
        P = centred.shape[1]
        third = xp.zeros((P - self._first, P, P), dtype=centred.dtype, device=namespaces.device(centred))
        if not self.every:
            for place, j in enumerate(range(self.split, P)):
                third[place, :, :] = (centred * weighted[:, j, None]).T @ centred
            return third
        for j in range(P):  # products of three columns do not depend on their order
            product = (centred[:, j:] * weighted[:, j, None]).T @ centred[:, j:]
            third[j, j:, j:] = third[j:, j, j:] = third[j:, j:, j] = product
        return third

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
        T, W = self.joint.matrix, self.weight
        dj, Tj = d[self._first :, None, None], T[self._first :, :]
        return self.third + dj * (T + W * d[:, None] * d) + Tj[:, :, None] * d + Tj[:, None, :] * d[:, None]

    def rescaled(self, exponent: exponents.Exponents) -> Self:
        """Return the same moments over another power of two in each column."""
        new = self.copy()
        new.joint = self.joint.rescaled(exponent)
        if new.joint is not self.joint:
            f = exponents.shrink(self.joint._exponents, new.joint._exponents, self.joint.pivot)
            new.third = self.third * f[self._first :, None, None] * f[:, None] * f
        return new

    @property
    def inner(self) -> None:
        return None

    @property
    def finite(self) -> bool:
        return super().finite and (self.n_rows == 0 or namespaces.all_finite(self.third))

    def lacks(self, needed: Moments) -> tuple[str, str] | None:
        assert isinstance(needed, Cubic)
        return ("third moments of all columns", "those of y alone") if needed.every and not self.every else None

    def _mapped(self, of_moments: Callable[[Any], Any], of_sum: Callable[[Array], Array]) -> Self:
        new = super()._mapped(of_moments, of_sum)
        if hasattr(self, "third"):
            new.third = of_sum(self.third)
        return new
