"""Landmarks: a few points are scaled exactly, all others are placed by their distances to them.

References
----------
de Silva, Tenenbaum (2004), Sparse multidimensional scaling using landmark points, Stanford technical report.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._core import xp as _xp
from .._core.typing import Array
from .procrustes import procrustes
from .scaling import scale

CHOICES = ("random", "maxmin")
JUDGED = 2000  # rows by which two half maps are compared


def choose_landmarks(
    weight: np.ndarray, m: int, how: str, rng: np.random.RandomState, distances_to: Callable[[int], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Choose m of n points, in ascending order, and say how much each of them stands for.

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
        return np.arange(n), weight
    if how == "random":
        chosen = np.sort(rng.choice(n, m, replace=False))
        return chosen, weight[chosen]
    places = [int(rng.randint(n))]
    nearest, owner = np.array(distances_to(places[0]), dtype=np.float64), np.zeros(n, dtype=np.intp)
    while True:
        owner[places[-1]] = len(places) - 1
        nearest[places[-1]] = -np.inf  # a point is no landmark twice, even where others coincide with it
        if len(places) == m:
            break
        places.append(int(np.argmax(nearest)))
        here = distances_to(places[-1])
        closer = here < nearest
        nearest[closer], owner[closer] = here[closer], len(places) - 1
    order = np.argsort(places)
    return np.array(places)[order], np.bincount(owner, weights=weight, minlength=m)[order]


def split_half_error(D2: Array, to_sample: Array, weight: np.ndarray, k: int) -> float:
    """Estimate how far the choice of landmarks moves the points of a map, relative to the size of the map.

    Two maps, each from every other landmark, are laid onto each other. Their differences have about four times the
    variance that the map from all landmarks has, so that half of their root mean square is the estimate.

    Parameters
    ----------
    D2 : array of shape (m, m)
        Squared distances among landmarks.
    to_sample : array of shape (r, m)
        Squared distances of some points to the landmarks.
    weight : ndarray of shape (m,)
    k : int
    """
    xp, m = _xp.namespace(D2), D2.shape[0]
    maps = []
    for first in (0, 1):
        half = _xp.like(np.arange(first, m, 2), D2)
        part = xp.take(xp.take(D2, half, axis=0), half, axis=1)
        scaling, _ = scale(part, weight[first::2], k)
        maps.append(scaling.place(xp.take(to_sample, half, axis=1)))
    size = float(xp.mean(xp.sum((maps[1] - xp.mean(maps[1], axis=0)) ** 2, axis=1))) ** 0.5
    return 0.5 * procrustes(maps[0], maps[1], scaling=False).residual / size if size > 0 else 0.0
