"""The three ways to a map: by the rows themselves, by a square table, by landmarks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import exponents, namespaces
from ..arrays.typing import Array
from ..solve import Inertia, Spectrum
from ..solve.subspace import Subspace
from .landmarks import JUDGED, Landmarks, landmark_error
from .metrics import Metric
from .pairs import rough_centre, row_blocks, squared_distances
from .placement import Placement
from .prepared_distances import Preparation
from .scaling import Judgement, judge, scale, scale_rows
from .square_tables import SquaredTable
from .transforms import SchoenbergTransform


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
    return Map(Y, scaling.eigenvalues, total, exponent, scaling.rank, judgement, scaling.spectrum, place)


def map_of_table(
    table: SquaredTable,
    weight: np.ndarray,
    k: int,
    steps: tuple[SchoenbergTransform | None, str | None],
    metric: Metric | None,
    points: Any,
    squared: bool,
) -> Map:
    """Map all points of a square table, which is overwritten.

    Parameters
    ----------
    steps : Schoenberg transform and correction
    metric : Metric or None
        What measures new rows against `points`; None where `points` are columns of distances that come ready.
    squared : bool
        Whether those are squared.
    """
    table, preparation = Preparation.of(table, *steps)
    scaling, products = scale(table.values, weight, k)
    place = Placement(scaling, preparation, metric, points, squared)
    return Map(
        scaling.coordinates * exponents.power(preparation.given),
        scaling.eigenvalues,
        products.inertia(),
        preparation.given,
        scaling.rank,
        judge(products.squares, scaling.coordinates, weight),
        scaling.spectrum,
        place,
        preparation.additive_constant,
    )


def map_by_landmarks(
    rows: Array,
    weight: np.ndarray,
    marks: Landmarks,
    table: SquaredTable,
    k: int,
    steps: tuple[SchoenbergTransform | None, str | None],
    metric: Metric | None,
    points: Any,
    squared: bool,
) -> Map:
    """Map landmarks by their square table, which is overwritten, and all rows by their distances to them.

    Parameters
    ----------
    rows : array
        Features, or distances to all points where those come ready.
    """
    xp, stand = namespaces.namespace(rows), marks.stand
    table, preparation = Preparation.of(table, *steps)
    kept = xp.asarray(table.values, copy=True)  # scaling writes over it, and the error is judged from it
    scaling, products = scale(table.values, stand, k)
    first = Placement(scaling, preparation, metric, points, squared)
    place, Y, values = first.along_principal_axes(first.project(rows), weight)
    everybody = len(stand) == len(weight)
    error = 0.0
    if not everybody:
        some = namespaces.like(np.linspace(0, len(weight) - 1, min(JUDGED, len(weight))).astype(int), rows)
        parts = row_blocks(some.shape[0], max(rows.shape[1], len(stand)), rows)
        to_sample = xp.concat([first.squares(namespaces.take_rows(rows, some[part])) for part in parts], axis=0)
        error = landmark_error(kept, to_sample, marks, scaling)

    def among(index: Array | None) -> Callable[[slice], Array]:
        some = rows if index is None else namespaces.take_rows(rows, index)
        if metric is not None:
            return lambda part: preparation(metric.squares(some[part, :], some[part.start :, :], preparation.taken))
        others = xp.arange(rows.shape[0], device=namespaces.device(rows)) if index is None else index
        return lambda part: preparation.of_ready(xp.take(some[part, :], others[part.start :], axis=1), squared)

    unit = exponents.power(-preparation.given)
    judgement = judge(among, Y * unit, weight, with_share=True)
    inertia = products.inertia()
    if not everybody:
        inertia = _of_all(inertia, float(xp.sum(values)), judgement.shown)
    return Map(
        Y,
        values,
        inertia,
        preparation.given,
        scaling.rank,
        judgement,
        scaling.spectrum,
        place,
        preparation.additive_constant,
        error,
    )


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
