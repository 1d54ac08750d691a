"""Landmarks: a few points are scaled exactly, all others are placed by their distances to them.

References
----------
de Silva, Tenenbaum (2004), Sparse multidimensional scaling using landmark points, Stanford technical report.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import namespaces
from ..arrays.typing import Array
from .procrustes import procrustes
from .scaling import Scaling, scale

CHOICES = ("random", "maxmin")


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Points that are scaled exactly.

    Attributes
    ----------
    places : ndarray of shape (m,)
        Positions among all points, ascending.
    stand : ndarray of shape (m,)
        How much each of them stands for.
    order : ndarray of shape (m,), or None
        Positions among the landmarks in the order in which they were chosen; None where that means nothing.
    """

    places: np.ndarray
    stand: np.ndarray
    order: np.ndarray | None = None


def choose_landmarks(
    weight: np.ndarray, m: int, how: str, rng: np.random.RandomState, distances_to: Callable[[int], np.ndarray]
) -> Landmarks:
    """Choose m of n points, and say how much each of them stands for.

    Points that were drawn at random stand for themselves. Those that lie far from each other say nothing of where the
    many are; each of them stands for all points that it is nearest to, which is known from choosing them.

    Parameters
    ----------
    weight : ndarray of shape (n,)
    m : int
    how : {"random", "maxmin"}
        At random, or each as far as possible from those before it (the first at random).
    distances_to : function
        (Squared) distances of all points to one of them.
    """
    n = len(weight)
    if m >= n:
        return Landmarks(np.arange(n), weight)
    if how == "random":
        chosen = np.sort(rng.choice(n, m, replace=False))
        return Landmarks(chosen, weight[chosen])
    places = [int(rng.randint(n))]
    nearest, owner = np.array(distances_to(places[0]), dtype=np.float64), np.zeros(n, dtype=np.intp)
    while True:
        owner[places[-1]] = len(places) - 1
        nearest[places[-1]] = -np.inf  # a point is a landmark once, even where others coincide with it
        if len(places) == m:
            break
        places.append(int(np.argmax(nearest)))
        here = distances_to(places[-1])
        closer = here < nearest
        nearest[closer], owner[closer] = here[closer], len(places) - 1
    order = np.argsort(places)
    stand = np.bincount(owner, weights=weight, minlength=m)
    return Landmarks(np.array(places)[order], stand[order], np.argsort(order))


def landmark_error(D2: Array, to_sample: Array, marks: Landmarks, scaling: Scaling) -> float:
    """Estimate how far the choice of landmarks moves the points of a map, relative to the size of the map.

    Of landmarks drawn at random, two maps, each from every other landmark, are laid onto each other. Their differences
    have about four times the variance that the map from all landmarks has, so that half of their root mean square is
    the estimate.

    The first half of landmarks that lie far from each other is such a choice itself, and the map by it, each landmark
    of the second half counted to its nearest of the first, is laid onto the map by all. The error of these falls like
    1/m rather than 1/√m (they cut the space into cells, rather than draw from it), so that the half map has twice the
    error of the whole, and their difference √5 times, which it is divided by.

    Half of the landmarks must be enough for a map of as many axes; else the answer is NaN.

    Parameters
    ----------
    D2 : array of shape (m, m)
        Squared distances among landmarks.
    to_sample : array of shape (r, m)
        Squared distances of some points to the landmarks.
    marks : Landmarks
    scaling : Scaling
        Of all landmarks.
    """
    k, m = scaling.coordinates.shape[1], len(marks.places)
    if (m if marks.order is None else m + 1) // 2 <= k:
        return float("nan")  # a half has no map of k axes
    if marks.order is None:
        halves = [np.arange(first, m, 2) for first in (0, 1)]
        return 0.5 * _apart(*(_part_map(D2, to_sample, half, marks.stand[half], k) for half in halves))
    early, late = marks.order[: (m + 1) // 2], marks.order[(m + 1) // 2 :]
    nearest = namespaces.to_numpy(D2)[np.ix_(late, early)].argmin(axis=1)
    stand = marks.stand[early] + np.bincount(nearest, weights=marks.stand[late], minlength=len(early))
    return _apart(_part_map(D2, to_sample, early, stand, k), scaling.place(to_sample)) / 5**0.5


def _part_map(D2: Array, to_sample: Array, part: np.ndarray, stand: np.ndarray, k: int) -> Array:
    """Return the places of points on the map by some of the landmarks."""
    xp, there = namespaces.namespace(D2), namespaces.like(part, D2)
    scaling, _ = scale(xp.take(xp.take(D2, there, axis=0), there, axis=1), stand, k)
    return scaling.place(xp.take(to_sample, there, axis=1))


def _apart(Y: Array, target: Array) -> float:
    """Return the root mean square distance of a map from another, onto which it is laid, relative to its size."""
    xp = namespaces.namespace(target)
    size = float(xp.mean(xp.sum((target - xp.mean(target, axis=0)) ** 2, axis=1))) ** 0.5
    return procrustes(Y, target, scaling=False).residual / size if size > 0 else 0.0
