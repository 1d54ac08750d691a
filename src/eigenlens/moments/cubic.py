"""Third moments of two tables side by side, in addition to their joint scatter.

About another centre, d away from the mean of weight W and scatter T,

    Σ w (z + d)ⱼ (z + d)(z + d)ᵀ = Σ w zⱼ z zᵀ + dⱼ T + Tⱼ dᵀ + d Tⱼᵀ + W dⱼ d dᵀ,

so that one pass is enough and parts merge.
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
from .centred import Centred, Scatter
from .cross import Cross, beside


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
