"""Maps of rows, of all pairs of points, or by landmarks: what is done to distances before, and placing new rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import errors, exponents, linalg, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..solve import Form, Inertia, Pencil, Spectrum, orient, solve
from ..solve.subspace import Subspace
from .landmarks import Landmarks, landmark_error
from .metrics import GivenDistances, Metric
from .pairs import joined, over_rows, rough_centre, row_blocks, squared_distances, table_blocks
from .repairs import add_constant, cailliez_constant, lingoes_constant, with_constant
from .scaling import Judgement, Scaling, judge, scale, scale_rows
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

    @property
    def measure(self) -> Metric | GivenDistances:
        """What says how far new rows are from the points."""
        return GivenDistances(self.squared) if self.metric is None else self.metric

    def squares(self, X: Array, first: int = 0) -> Array:
        """Return prepared squared distances of rows, numbered from `first` on, to the points of the map."""
        X = namespaces.float64(X) if self.metric is not None else X
        ready = self.preparation
        return ready(self.measure.squares(X, namespaces.like(self.points, X), ready.taken, first))

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

        parts = list(over_rows(work, n, m, X) if self.measure.bears_threads else map(work, row_blocks(n, m, X)))
        return joined(parts) * exponents.power(self.preparation.given)

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


@dataclass(frozen=True, eq=False)
class Map:
    """A map of n points in k dimensions.

    Attributes
    ----------
    coordinates : array of shape (n, k)
    eigenvalues : array of shape (k,)
        Over 4^exponent.
    inertia : Inertia
        Over 4^exponent.
    exponent : int
    rank : int
        Axes that are not 0.
    judgement : Judgement
    spectrum : Spectrum
    place : function of rows
        The coordinates of new rows.
    squares : function
        From a slice of the points to their squared distances to those from it on, over 4^exponent.
    constant : float
        What a correction has added.
    landmark_error : float
    """

    coordinates: Array
    eigenvalues: Array
    inertia: Inertia
    exponent: int
    rank: int
    judgement: Judgement
    spectrum: Spectrum
    place: Any
    squares: Callable[[slice], Array]
    constant: float = 0.0
    landmark_error: float = 0.0


def map_of_rows(rows: Array, weight: np.ndarray, k: int) -> Map:
    """Map Euclidean distances between rows: their principal components."""
    xp, w = namespaces.namespace(rows), namespaces.like(weight, rows)
    pivot = rough_centre(rows)
    centred = rows - pivot
    rest = (w / float(weight.sum())) @ centred
    centred = centred - rest
    exponent = exponents.extreme_exponent(xp.max(xp.abs(centred)))
    A = centred * exponents.power(-exponent) if exponent else centred
    scaling, axes, values = scale_rows(A, weight, k)

    def among(index: Array | None) -> Callable[[slice], Array]:
        some = A if index is None else namespaces.take_rows(A, index)
        return lambda part: squared_distances(some[part, :], some[part.start :, :])

    judgement = judge(among, scaling.coordinates, weight)
    total = Inertia(float(xp.sum(w * scaling.diagonal)), 0.0, True, 0.0, values)
    Y = scaling.coordinates * exponents.power(exponent)
    place = Subspace(pivot, axes, rest)
    return Map(Y, scaling.eigenvalues, total, exponent, scaling.rank, judgement, scaling.spectrum, place, among(None))


def map_of_pairs(
    table: SquaredTable,
    weight: np.ndarray,
    k: int,
    steps: tuple[SchoenbergTransform | None, str | None],
    metric: Metric | None,
    points: Any,
    squared: bool,
    marks: Landmarks | None = None,
    rows: Any = None,
) -> Map:
    """Map all points of a square table, or landmarks and all rows by their distances to these.

    Parameters
    ----------
    table : SquaredTable
        Distances among the points, or among the landmarks; it is overwritten.
    steps : Schoenberg transform and correction
    metric : Metric or None
        What measures new rows against `points`; None where `points` are columns of distances that come ready.
    squared : bool
        Whether those are squared.
    marks : Landmarks, optional
    rows : array
        With landmarks: features, or distances to all points where those come ready.
    """
    table, preparation = Preparation.of(table, *steps)
    kept = table.values if marks is None else namespaces.namespace(table.values).asarray(table.values, copy=True)
    scaling, products = scale(table.values, weight if marks is None else marks.stand, k)  # which writes over the table
    place, inertia, error = Placement(scaling, preparation, metric, points, squared), products.inertia(), 0.0
    unit, Y, values = exponents.power(preparation.given), scaling.coordinates, scaling.eigenvalues
    among: Any = products.squares
    if marks is None:
        judgement = judge(among, Y, weight)
    else:
        first = place
        place, Y, values = first.along_principal_axes(first.project(rows), weight)
        Y = Y / unit
        among = _pairs_of(rows, first)
        judgement = judge(among, Y, weight, with_share=True)
        if len(marks.stand) < len(weight):
            inertia = _of_all(inertia, float(namespaces.namespace(Y).sum(values)), judgement.shown)
            some = namespaces.like(np.linspace(0, len(weight) - 1, min(2000, len(weight))).astype(int), rows)
            parts = row_blocks(some.shape[0], max(rows.shape[1], len(marks.stand)), rows)
            to_sample = joined([first.squares(namespaces.take_rows(rows, some[part])) for part in parts])
            error = landmark_error(kept, to_sample, marks, scaling)
    return Map(
        Y * unit,
        values,
        inertia,
        preparation.given,
        scaling.rank,
        judgement,
        scaling.spectrum,
        place,
        among(None),
        preparation.additive_constant,
        error,
    )


def _pairs_of(rows: Array, place: Placement) -> Callable[[Array | None], Callable[[slice], Array]]:
    """Return what `judge` asks of rows: from positions of some to the squared distances among them."""
    xp, ready = namespaces.namespace(rows), place.preparation
    points = xp.arange(rows.shape[0], device=namespaces.device(rows)) if place.metric is None else rows

    def among(index: Array | None) -> Callable[[slice], Array]:
        some, others = (part if index is None else namespaces.take_rows(part, index) for part in (rows, points))
        return lambda part: ready(place.measure.squares(some[part, :], others[part.start :, ...], ready.taken))

    return among


def _of_all(landmarks: Inertia, kept: float, shown: float) -> Inertia:
    """Return the inertia of all points: their trace from the pairs looked at, its negative part as of the landmarks.

    What the axes keep is known of all points, and so is the share of the trace that they show: the landmarks' own
    trace, blown up, would be another one, the more so the fewer they are.
    """
    own = landmarks.positive - landmarks.negative
    if not (own > 0 and shown > 0):
        return Inertia(landmarks.positive, landmarks.negative, False, landmarks.error)
    growth = kept / shown / own
    negative = landmarks.negative * growth
    return Inertia(kept / shown + negative, negative, False, landmarks.error * growth)
