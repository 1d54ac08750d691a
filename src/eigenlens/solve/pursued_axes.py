r"""Sparse axes found one after the other, each with the most variance that a search finds in what those before leave.

The search multiplies a vector by the form and keeps its largest entries, again and again, which never lowers the
variance. It starts from the leading axis and from single columns, all in the same products.

References
----------
Yuan, Zhang (2013), Truncated power method for sparse eigenvalue problems. *J. Machine Learning Research* 14.
"""

from __future__ import annotations

import numpy as np

from ..arrays import linalg
from .sparse_axes import largest_places

COLUMNS = 32  # from which searches start, the most
ROUNDS = 30
JUDGED = 4  # of the ends of searches, those whose best loadings are found
BETTER = 1e-12  # rise of a share that is more than rounding
NUDGE = 1e-6  # by which axes that tell more are preferred: single columns of one unit all have the same variance
NOTHING = 1e-9  # share of the variance of an axis that leaves nothing to take away
MOST = 512  # columns of a form that is searched so


def pursued_axes(G: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return axes with given numbers of nonzeros, one after the other.

    Parameters
    ----------
    G : array of shape (p, p)
        Positive semidefinite.
    counts : array of shape (k,) of int

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve.pursued_axes import pursued_axes
    >>> G = np.diag([3.0, 1.0, 1.0, 1.0])
    >>> G[1:, 1:] += 1.5
    >>> np.flatnonzero(pursued_axes(G, np.array([3]))[:, 0])
    array([1, 2, 3])
    """
    M, B, trace = G.copy(), np.zeros((len(G), len(counts))), float(np.trace(G))
    for j, count in enumerate(counts):
        B[:, j] = _best(M, int(count), trace)
        image = M @ B[:, j]
        told = float(B[:, j] @ image)
        if told > NOTHING * trace:
            M = M - np.outer(image, image) / told
    return B


def _best(M: np.ndarray, count: int, trace: float) -> np.ndarray:
    """Return the best axis that the searches end at."""
    ends = _searched(M, _starts(M), count)
    worth, best, most = _worth(M, ends, trace), np.zeros(len(M)), -np.inf
    for _ in range(JUDGED):
        i = int(np.flatnonzero(worth >= worth.max() - BETTER)[0])
        on = np.flatnonzero(ends[:, i])
        if not len(on) or worth[i] == -np.inf:
            break
        worth[((ends != 0) == (ends[:, i] != 0)[:, None]).all(axis=0)] = -np.inf
        axis = np.zeros(len(M))
        axis[on] = linalg.leading_eigh(M[np.ix_(on, on)], 1)[1][:, 0]
        reached = float(_worth(M, axis[:, None], trace)[0])
        if reached > most + BETTER:
            best, most = axis, reached
    return best


def _worth(M: np.ndarray, axes: np.ndarray, trace: float) -> np.ndarray:
    """Return the variance of axes as a share; of equal ones, those that tell more about other columns have more."""
    images = M @ axes
    return np.asarray(np.sum(axes * images, axis=0) + NUDGE * np.sum(images**2, axis=0) / trace) / trace


def _starts(M: np.ndarray) -> np.ndarray:
    """Return the leading axis, and the columns that say most about all."""
    size = np.linalg.norm(M, axis=0)
    columns = np.argsort(-size, kind="stable")[:COLUMNS]
    return np.column_stack([linalg.leading_eigh(M, 1)[1], M[:, columns[size[columns] > 0]]])


def _searched(M: np.ndarray, X: np.ndarray, count: int) -> np.ndarray:
    """Multiply by M and keep the largest entries until they stay where they are."""
    counts, places = np.full(X.shape[1], count), np.zeros(X.shape, dtype=bool)
    for _ in range(ROUNDS):
        before, places = places, largest_places(X, counts)
        X = np.where(places, X, 0.0)
        X = X / np.maximum(np.linalg.norm(X, axis=0), np.finfo(float).tiny)
        if np.array_equal(places, before):
            break
        X = M @ X
    else:
        X = np.where(places, X, 0.0)
    return X
