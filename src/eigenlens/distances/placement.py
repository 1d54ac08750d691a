"""Placing rows on a map that has been made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import errors, exponents, linalg, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..solve import Form, Pencil, orient, solve
from .metrics import EUCLIDEAN, Metric
from .pairs import over_rows, row_blocks
from .prepared_distances import Preparation
from .scaling import Scaling
from .square_tables import ROUNDING, SquaredTable


@stored("map.Placement")
@dataclass(frozen=True, eq=False)
class Placement:
    """A map with the way from rows, or from distances to its points, to coordinates on it.

    Attributes
    ----------
    scaling : Scaling
    preparation : Preparation
    metric : Metric or None
        None where distances come ready.
    points : array
        Rows of the points of the map; where distances come ready, the columns that hold those to the points.
    squared : bool
        Whether distances that come ready are squared ones.
    shift, rotation : arrays of shapes (k,) and (k, k)
        From the axes of the points to those of the map.
    """

    scaling: Scaling
    preparation: Preparation
    metric: Metric | None
    points: Array
    squared: bool
    shift: Any = None
    rotation: Any = None

    def squares(self, X: Array, first: int = 0) -> Array:
        """Return prepared squared distances of rows, numbered from `first` on, to the points of the map."""
        if self.metric is not None:
            X = namespaces.float64(X)
            return self.preparation(self.metric.squares(X, namespaces.like(self.points, X), self.preparation.taken))
        xp = namespaces.namespace(X)
        block = namespaces.float64(xp.take(X, namespaces.like(self.points, X), axis=1))
        low = float(xp.min(block))
        if low < -ROUNDING[8] * float(xp.max(block)):
            i, j = divmod(int(xp.argmin(xp.reshape(block, (-1,)))), block.shape[1])
            raise errors.negative_distance("X", None, first + i, int(self.points[j]), low)
        return self.preparation.of_ready(xp.clip(block, min=0.0) if low < 0 else block, self.squared)

    def distances(self, table: SquaredTable) -> Array:
        """Return the distances of a square table as they are prepared for this map."""
        ready = self.preparation
        D2 = ready.among(table.values * exponents.power(2 * (table.exponent - ready.taken)))
        return SquaredTable(D2, ready.given).distances()

    def project(self, X: Array) -> Array:
        """Return coordinates in the units of the distances."""
        n, m = X.shape[0], self.points.shape[0]

        def work(part: slice) -> Array:
            return self._placed(X[part, :], part.start)

        ours = self.metric is None or self.metric.metric in EUCLIDEAN  # metrics of others need not bear threads
        parts = list(over_rows(work, n, m, X) if ours else map(work, row_blocks(n, m, X)))
        xp = namespaces.namespace(X)
        unit = exponents.power(self.preparation.given)
        return (parts[0] if len(parts) == 1 else xp.concat(parts, axis=0)) * unit

    def _placed(self, X: Array, first: int) -> Array:
        Y = self.scaling.place(self.squares(X, first))
        if self.rotation is None:
            return Y
        return (Y - namespaces.like(self.shift, Y)) @ namespaces.like(self.rotation, Y)

    def along_principal_axes(self, Y: Array, weight: np.ndarray) -> tuple[Placement, Array, Array]:
        """Turn the map to the principal axes of all its rows, as an exact one has them.

        Returns
        -------
        placement : Placement
        coordinates : array of shape (n, k)
        values : array of shape (k,)
            Sums of squares along the axes.
        """
        xp = namespaces.namespace(Y)
        w = namespaces.like(weight, Y)
        unit = exponents.power(-self.preparation.given)
        Y = Y * unit
        shift = (w @ Y) / xp.sum(w)
        centred = Y - shift
        spectrum = solve(Pencil(Form(factor=linalg.triangle(centred * xp.sqrt(w)[:, None]), squared=False)))
        k = Y.shape[1]
        rotation = spectrum.vectors if len(spectrum) == k else xp.eye(k, dtype=xp.float64, device=namespaces.device(Y))
        turned = centred @ rotation
        signs = orient(turned)
        placed = replace(self, shift=shift, rotation=rotation * signs)
        turned = turned * signs
        return placed, turned / unit, xp.sum(w[:, None] * turned**2, axis=0)
