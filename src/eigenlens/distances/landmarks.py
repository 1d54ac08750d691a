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
    n: int, m: int, how: str, rng: np.random.RandomState, distances_to: Callable[[int], np.ndarray]
) -> np.ndarray:
    """Choose m of n points, in ascending order.

    Parameters
    ----------
    how : {"random", "maxmin"}
        At random, or each as far as possible from those before it (the first at random).
    distances_to : function
        (Squared) distances of all points to one of them.
    """
    if m >= n:
        return np.arange(n)
    if how == "random":
        return np.sort(rng.choice(n, m, replace=False))
    chosen = [int(rng.randint(n))]
    nearest = np.array(distances_to(chosen[0]), dtype=np.float64)
    while len(chosen) < m:
        nearest[chosen[-1]] = -np.inf  # a point is no landmark twice, even where others coincide with it
        chosen.append(int(np.argmax(nearest)))
        nearest = np.minimum(nearest, distances_to(chosen[-1]))
    return np.sort(np.array(chosen))


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
