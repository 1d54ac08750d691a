"""Local means: for each row the mean of its nearest neighbours among the rows of its own group.

The only moments that need a search rather than a pass. Neighbours are found by scikit-learn: a tree for few columns,
all distances for many.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse

TIED = 1e-9  # distances this close, relative to their size, count as equal


def local_means(rows: np.ndarray, codes: np.ndarray, weight: np.ndarray, k: float) -> np.ndarray:
    """Return, for each row of a group (in their order), the mean of k neighbours within the group, itself included.

    k counts weight: a row of weight 2 is two neighbours. Neighbours at the same distance share what is left of k, so
    that the order of the rows does not matter. A group of less weight than k gives its mean.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
    codes : ndarray of shape (n,)
        Group of each row; rows with code −1 belong to none, and are possible neighbours in all.
    weight : ndarray of shape (n,)
    k : float

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.moments import local_means
    >>> x = np.array([[0.0], [1.0], [5.0], [7.0]])
    >>> local_means(x, np.zeros(4, dtype=int), np.ones(4), 2)[:, 0]
    array([0.5, 0.5, 6. , 6. ])
    """
    free = np.flatnonzero(codes < 0)
    means = np.zeros_like(rows)
    for group in np.unique(codes[codes >= 0]):
        own = np.flatnonzero(codes == group)
        pool = np.concatenate([own, free])
        if weight[pool].sum() <= k:
            means[own] = weight[pool] @ rows[pool] / weight[pool].sum()
        else:
            means[own] = _means_near(rows[own], rows[pool], weight[pool], k)
    return means[codes >= 0]


def _means_near(queries: np.ndarray, pool: np.ndarray, weight: np.ndarray, k: float) -> np.ndarray:
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors().fit(pool)
    means = np.empty_like(queries)
    open_ = np.arange(len(queries))
    m = min(int(np.ceil(k)) + 1, len(pool))  # one more, to see whether the last is tied with the next
    while len(open_):
        distance, index = search.kneighbors(queries[open_], n_neighbors=m)
        share, complete = _shares(distance, weight[index], k, m == len(pool))
        means[open_[complete]] = _weighted(share[complete], index[complete], pool) / k
        open_, m = open_[~complete], min(2 * m, len(pool))
    return means


def _shares(distance: np.ndarray, weight: np.ndarray, k: float, all_seen: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the weight that each neighbour brings to the k, and for which rows enough neighbours were seen."""
    below = np.cumsum(weight, axis=1)
    enough = below[:, -1] >= k
    last = np.argmax(below >= k, axis=1)
    radius = np.take_along_axis(distance, last[:, None], axis=1)
    inside = distance < radius * (1 - TIED)
    tied = ~inside & (distance <= radius * (1 + TIED))
    left = k - np.sum(weight * inside, axis=1)
    share = weight * inside + weight * tied * (left / np.sum(weight * tied, axis=1))[:, None]
    return share, (enough & ~tied[:, -1]) | all_seen


def _weighted(share: np.ndarray, index: np.ndarray, pool: np.ndarray) -> np.ndarray:
    """Return Σ share·row; sparse, so that memory does not hold a table for each row."""
    n, m = index.shape
    matrix = scipy.sparse.csr_array((share.ravel(), index.ravel(), np.arange(0, n * m + 1, m)), shape=(n, len(pool)))
    return matrix @ pool
