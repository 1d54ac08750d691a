"""Local means: for each row the mean of its nearest neighbours among the rows of its own group.

The only moments that need a search rather than a pass. Neighbours are found by scikit-learn: a tree for few columns,
all distances for many.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
import scipy.sparse

from ..arrays import errors
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..rows import Block
from .base import Composed
from .centred import Centred
from .grouped import Grouped

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


@stored("moments.LocalMoments")
class LocalMoments(Composed):
    """What is kept of rows and their neighbours: many ridges or dimensions from one search. Parts do not merge.

    Attributes
    ----------
    slices : Grouped
        Of the rows with a response.
    everything : Centred
        Of all rows.
    local : Centred
        Of the local means.
    k : int
        Neighbours asked for.
    between : str
        "weighted" where rows count by their weight in `local`, "slices" where slices count alike.
    """

    def __init__(self, slices: Grouped, everything: Centred, local: Centred, k: int, between: str = "weighted") -> None:
        self.slices, self.everything, self.local, self.k, self.between = slices, everything, local, k, between

    def anchored(self, first: Block) -> NoReturn:
        raise _one_search()

    def update(self, block: Block) -> NoReturn:
        raise _one_search()

    def _require_like(self, other: Any) -> NoReturn:
        raise _one_search()

    _join = _require_like

    def sealed(self) -> NoReturn:
        raise errors.InputTypeError("LocalMoments moments keep single rows and cannot be sealed.")

    @property
    def _parts(self) -> list[Any]:
        return [self.everything]

    def _mapped(self, of_moments: Callable[[Any], Any], of_sum: Callable[[Array], Array]) -> LocalMoments:
        slices, everything, local = (of_moments(part) for part in (self.slices, self.everything, self.local))
        return LocalMoments(slices, everything, local, self.k, self.between)

    @property
    def n_features(self) -> int:
        return self.everything.n_features

    @property
    def labels(self) -> np.ndarray:
        return self.slices.labels

    @property
    def weights(self) -> np.ndarray:
        return self.slices.weights

    @property
    def meaning(self) -> Any:
        return self.slices.meaning

    def _details(self) -> str:
        return f" in {len(self.labels)} slices, with means of {self.k} neighbours"

    def _means(self) -> dict[str, np.ndarray]:
        return self.everything._means()

    def lacks(self, needed: Any) -> tuple[str, str] | None:
        if needed.between != self.between:
            return f"between={needed.between!r}", f"between={self.between!r}"
        if needed.k == self.k:
            return None
        return f"local means of {needed.k} neighbours", f"those of {self.k}"

    def total(self) -> Centred:
        """Return the moments of all rows."""
        return self.everything

    def within(self) -> Centred:
        """Return the slice means about the pivot of all rows."""
        return self.slices.within().moved_to(self.everything.pivot)


def _one_search() -> errors.InputError:
    return errors.InputError(
        "These moments cannot be merged: neighbours are found among all rows at once. Fit to all rows together."
    )
