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
    X = X - w @ X / w.sum()
    squares = np.einsum("ij,ij->i", X, X)
    centres = X[_far_apart(X, squares, w, count, rng)]
    settled = STILL * float(w @ squares) / (w.sum() * X.shape[1])
    found = _nearest(X, centres)
    for _ in range(rounds):
        before = centres
        members = (np.arange(count)[:, None] == found) * w
        size = members.sum(axis=1)
        centres = np.where(size[:, None] > 0, members @ X / np.where(size > 0, size, 1.0)[:, None], before)
        found, last = _nearest(X, centres), found
        if np.array_equal(found, last) or ((centres - before) ** 2).sum() <= settled:
            break
    return found


def _nearest(X: Floats, centres: Floats) -> Places:
    apart = 0.5 * (centres**2).sum(axis=1)[:, None] - centres @ X.T
    best, found = apart[0], np.zeros(len(X), dtype=np.intp)
    for k in range(1, len(centres)):  # few centres, many rows: along the rows
        found[apart[k] < best] = k
        best = np.minimum(best, apart[k])
    return found


def _far_apart(X: Floats, squares: Floats, w: Floats, count: int, rng: np.random.RandomState) -> list[int]:
    """Return rows to start from: each the best of a few drawn by their squared distance to those before it."""
    tries = 2 + int(np.log(count))
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
