"""What is done to squared distances before they are scaled, and done to those of new points alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import errors, exponents, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from .metrics import squares_of
from .pairs import table_blocks
from .repairs import add_constant, cailliez_constant, lingoes_constant, with_constant
from .square_tables import SquaredTable, square
from .transforms import SchoenbergTransform

CONSTANTS = {"lingoes": lingoes_constant, "cailliez": cailliez_constant}


@stored("map.Preparation")
@dataclass(frozen=True, eq=False)
class Preparation:
    """A Schoenberg transform, then an additive constant.

    Attributes
    ----------
    transform : SchoenbergTransform or None
    correction : {"lingoes", "cailliez"} or None
    constant : float
        Added to the distances (Cailliez) or, twice, to their squares (Lingoes), in units of the prepared table.
    taken, given : int
        Exponents of the distances that come in and of those that go out.
    doubt : float
        Squared distance, as it comes in, up to which a new point is the point it is measured from.
    """

    transform: SchoenbergTransform | None
    correction: str | None
    constant: float
    taken: int
    given: int
    doubt: float = 0.0

    @classmethod
    def of(
        cls, table: SquaredTable, transform: SchoenbergTransform | None, correction: str | None
    ) -> tuple[SquaredTable, Preparation]:
        """Prepare a square table in place."""
        taken, doubt = table.exponent, table.doubt
        if transform is not None:
            table = _transformed(table, transform)
        constant = 0.0
        if correction is not None:
            constant = CONSTANTS[correction](table.values)
            add_constant(table.values, constant, correction)
        return table, cls(transform, correction, constant, taken, table.exponent, doubt)

    def __call__(self, D2: Array) -> Array:
        """Prepare squared distances of new points (rows) to those of the map (columns).

        One at distance 0 of a point is that point, and no constant comes between them. It is one of them only, where
        several are equal: the map has the constant between those.
        """
        ready = self._transformed(D2)
        if self.constant == 0 or self.correction is None:
            return ready
        xp = namespaces.namespace(D2)
        nearest = xp.arange(D2.shape[1], device=namespaces.device(D2))[None, :] == xp.argmin(D2, axis=1)[:, None]
        itself = nearest & (self.doubt >= D2)
        return xp.where(itself, xp.zeros_like(ready), with_constant(ready, self.constant, self.correction))

    def among(self, D2: Array) -> Array:
        """Prepare a square table of squared distances as that of the map was prepared."""
        ready = self._transformed(namespaces.namespace(D2).asarray(D2, copy=True))
        if self.correction is not None:
            add_constant(ready, self.constant, self.correction)
        return ready

    def _transformed(self, D2: Array) -> Array:
        return D2 if self.transform is None else self.transform(D2) * exponents.power(-2 * self.given)

    def of_ready(self, distances: Array, squared: bool) -> Array:
        """Prepare distances of new points that are given as such, or squared."""
        return self(squares_of(namespaces.float64(distances), squared, -self.taken))

    @property
    def additive_constant(self) -> float:
        """The constant in the units of the distances (Cailliez) or of their squares (Lingoes)."""
        power = 2 * self.given if self.correction == "lingoes" else self.given
        with np.errstate(over="ignore"):
            return exponents.power(power, self.constant)


def _transformed(table: SquaredTable, transform: SchoenbergTransform) -> SquaredTable:
    """Apply a transform, which knows units and so needs distances as they are."""
    if table.exponent:
        raise errors.squares_out_of_range("X")
    values, high = table.values, 0.0
    xp = namespaces.namespace(values)
    for rows in table_blocks(values):
        block = transform(values[rows, :])
        values[rows, :] = block
        high = max(high, float(xp.max(block)))
    return square(values, values, high, True, "X")
