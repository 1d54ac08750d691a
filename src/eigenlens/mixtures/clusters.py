"""k-means of weighted rows, from first centres that are far apart (k-means++): where a mixture starts.

EM moves on from here, so a start must be quick and need not be exact. A class of a hundred rows takes a third of a
millisecond.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

STILL = 1e-4  # of the mean variance of a column: centres that move by less have settled


def k_means(X: Floats, w: Floats, count: int, rounds: int, rng: np.random.RandomState) -> Places:
    """Return the cluster of each row. A cluster may lose all its rows.

    Parameters
    ----------
    X : array of shape (n, p)
    w : array of shape (n,)
        Weights.
    count : int
        How many clusters, at most as many as there are different rows.
    rounds : int
        How often centres move, at most.
    rng : RandomState
        For the first centres.
    """
    X = X - np.average(X, axis=0, weights=w)
    centres = X[_far_apart(X, w, count, rng)]
    settled = STILL * float(np.average(X**2, axis=0, weights=w).mean())
    found = _nearest(X, centres)
    for _ in range(rounds):
        before = centres
        members = (found[:, None] == np.arange(count)) * w[:, None]
        size = members.sum(axis=0)
        centres = np.where(size[:, None] > 0, members.T @ X / np.where(size > 0, size, 1.0)[:, None], before)
        found, last = _nearest(X, centres), found
        if np.array_equal(found, last) or ((centres - before) ** 2).sum() <= settled:
            break
    return found


def _nearest(X: Floats, centres: Floats) -> Places:
    return np.asarray(np.argmin(0.5 * (centres**2).sum(axis=1) - X @ centres.T, axis=1))


def _far_apart(X: Floats, w: Floats, count: int, rng: np.random.RandomState) -> list[int]:
    """Return rows to start from: each the best of a few drawn by their squared distance to those before it."""
    squares, tries = (X**2).sum(axis=1), 2 + int(np.log(count))
    chosen = [_drawn(w, rng.random_sample(1))[0]]
    left = _distances(X, squares, chosen)[0]
    while len(chosen) < count:
        drawn = _drawn(w * left, rng.random_sample(tries))
        after = np.minimum(left, _distances(X, squares, drawn))
        best = int(np.argmin(after @ w))
        chosen.append(drawn[best])
        left = after[best]
    return chosen


def _distances(X: Floats, squares: Floats, rows: list[int]) -> Floats:
    """Return squared distances of all rows to some of them, of shape (some, n)."""
    between = squares[rows, None] + squares - 2 * (X[rows] @ X.T)
    between[np.arange(len(rows)), rows] = 0.0
    return np.maximum(between, 0.0)


def _drawn(mass: Floats, at: Floats) -> list[int]:
    """Return the rows at some shares of a total mass."""
    below = np.cumsum(mass)
    return np.minimum(np.searchsorted(below, at * below[-1], side="right"), len(mass) - 1).tolist()
