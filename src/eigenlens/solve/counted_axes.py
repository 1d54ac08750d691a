r"""Sparse axes with given numbers of nonzeros, one after the other, each with the most variance that a search finds.

The search multiplies a vector by what earlier axes leave of a form and keeps its largest entries, again and again,
which never lowers the variance. It starts from the leading axis and from single columns, all in the same products; the
places that it ends at get the loadings that add most variance.

References
----------
Yuan, Zhang (2013), Truncated power method for sparse eigenvalue problems. *J. Machine Learning Research* 14.
"""

from __future__ import annotations

import numpy as np

from ..arrays import linalg, namespaces
from .leading import KrylovSpace, leading
from .pencil import Form
from .sparse_axes import SLACK, SparseAxes, some_columns

DENSE = 200  # loadings up to which a matrix is decomposed


class Remainder:
    """What the scores of the axes taken so far leave of a form."""

    def __init__(self, form: Form) -> None:
        self.form, self.trace = form, form.trace()
        self.told = np.zeros((form.dimension, 0))

    def image(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(self.form.apply(X)) - self.told @ (self.told.T @ X)

    def take(self, axis: np.ndarray) -> None:
        own = self.form.apply(axis[:, None])
        image = own - self.told @ (self.told.T @ axis[:, None])
        left = float(axis @ image[:, 0])
        if left > SLACK * float(axis @ own[:, 0]):
            self.told = np.column_stack([self.told, image / left**0.5])

    def best_axis(self, on: np.ndarray, start: np.ndarray) -> np.ndarray:
        """Return the unit axis with loadings at given places that has most variance; those of rounding are 0.

        Where earlier axes explain all that is there, any loadings add the same: those of the whole form are returned.
        """
        told, axis, some = self.told[on], np.zeros(len(start)), some_columns(self.form, on)
        squares = some.diagonal()
        open_ = squares - np.sum(told**2, axis=1) > SLACK * squares
        if open_.any():
            on, told, squares, some = on[open_], told[open_], squares[open_], some_columns(some, np.flatnonzero(open_))
        else:
            told = told[:, :0]
        value, axis[on] = _leading_axis(some, told, start[on])
        size = np.sqrt(squares)
        rounding = 16 * namespaces.EPS * size * (size @ np.abs(axis[on]))  # of products of two columns
        axis[on[np.abs(axis[on]) * value <= rounding]] = 0.0
        return axis


def _leading_axis(some: Form, told: np.ndarray, start: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the largest eigenvalue of a form less what axes have told, and its vector."""
    if len(start) <= DENSE:
        values, vectors = linalg.leading_eigh(some.dense() - told @ told.T, 1)
        return float(values[0]), vectors[:, 0]

    def apply(V: np.ndarray) -> np.ndarray:
        return np.asarray(some.apply(V.T)).T - (V @ told) @ told.T

    found = leading(KrylovSpace(apply, len(start), 1, start, 1, start[None, :]), 1, tol=1e-11, weak=1.0)
    return float(found.values[0]), found.vectors[0, :]


def loadings_on(form: Form, B: np.ndarray) -> np.ndarray:
    """Return axes with the nonzeros where those of B are, each adding the largest variance to those before it.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve import Form
    >>> from eigenlens.solve.counted_axes import loadings_on
    >>> G = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 5.0]])
    >>> abs(loadings_on(Form(matrix=G), np.array([[1.0], [3.0], [0.0]]))[:, 0]).round(3)
    array([0.707, 0.707, 0.   ])
    """
    remainder, found = Remainder(form), np.zeros_like(B)
    for j in np.flatnonzero(B.any(axis=0)):
        found[:, j] = remainder.best_axis(np.flatnonzero(B[:, j]), B[:, j])
        remainder.take(found[:, j])
    return found


def counted_axes(form: Form, start: np.ndarray, counts: np.ndarray) -> SparseAxes:
    """Find unit axes with given numbers of nonzeros.

    Parameters
    ----------
    form : Form
        Of NumPy arrays.
    start : array of shape (p, k)
        Principal axes.
    counts : array of shape (k,) of int

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve import Form
    >>> from eigenlens.solve.counted_axes import counted_axes
    >>> G = np.diag([3.0, 1.0, 1.0, 1.0])
    >>> G[1:, 1:] += 1.5
    >>> np.flatnonzero(counted_axes(Form(matrix=G), np.linalg.eigh(G)[1][:, 3:], np.array([3])).B)
    array([1, 2, 3])
    """
    remainder, B, seen = Remainder(form), np.zeros_like(start), form.apply(start)
    for j, count in enumerate(counts):
        B[:, j] = _best(remainder, _starts(remainder, start, seen), int(count))
        remainder.take(B[:, j])
    image = np.asarray(form.apply(B))
    left, _, right = linalg.thin_svd(image)
    share = float(adjusted_variance(Form(matrix=B.T @ image)).sum()) / remainder.trace
    none = np.full(len(counts), np.nan)
    return SparseAxes(B, left @ right, none, 1, 0.0, True, -share * form.dimension, np.inf)


def adjusted_variance(scores: Form) -> np.ndarray:
    """Return the squared diagonal of R in the QR decomposition of the scores, from their form.

    Zeros belong to scores that add nothing, since they vanish or depend on those before them.
    """
    M = np.array(namespaces.to_numpy(scores.dense()))
    pivots = np.zeros(len(M))
    scale = np.diag(M).max(initial=0.0)
    for j in range(len(M)):  # Cholesky without roots, in order: a pivot is the variance that a component adds
        if M[j, j] > 1e-14 * scale:
            pivots[j] = M[j, j]
            M = M - np.outer(M[:, j], M[j]) / M[j, j]
    return pivots


def _starts(remainder: Remainder, start: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return the leading axis of what is left, and columns of it: those that say most about the principal axes."""
    image = seen - remainder.told @ (remainder.told.T @ start)
    inner = start.T @ image
    size = np.linalg.norm(image, axis=1)
    most = min(32, 2**21 // remainder.form.values.size)  # each start is multiplied with all cells of the form
    order = np.argsort(-size, kind="stable")[:most]
    columns = order[size[order] > 0]
    leading = start @ np.linalg.eigh((inner + inner.T) / 2)[1][:, -1:]
    if not len(columns):
        return leading
    units = np.zeros((len(start), len(columns)))
    units[columns, np.arange(len(columns))] = 1.0
    return np.hstack([leading, remainder.image(units)])


def _best(remainder: Remainder, starts: np.ndarray, count: int) -> np.ndarray:
    """Return the best axis that the searches end at: those go on that are best after a few rounds."""
    X = _searched(remainder, starts, count, rounds=2)
    X = _searched(remainder, X[:, _best_of(remainder, X, 2)], count, rounds=30)
    end = X[:, _best_of(remainder, X, 1)[0]]
    return remainder.best_axis(np.flatnonzero(end), end)


def _best_of(remainder: Remainder, X: np.ndarray, count: int) -> list[int]:
    """Return the places of the axes with most variance; of those equal up to rounding, the first."""
    if X.shape[1] <= count:
        return list(range(X.shape[1]))
    worth, best = _worth(remainder, X), []
    for _ in range(count):
        best.append(int(np.flatnonzero(worth >= worth.max() - SLACK)[0]))
        worth[best[-1]] = -np.inf
    return best


def _worth(remainder: Remainder, axes: np.ndarray) -> np.ndarray:
    """Return the variance of axes as a share; of equal ones, those that tell more about other columns have more."""
    images, trace = remainder.image(axes), remainder.trace
    told = 1e-6 * np.sum(images**2, axis=0) / trace  # single columns of one unit all have the same variance
    return np.asarray(np.sum(axes * images, axis=0) + told) / trace


def _searched(remainder: Remainder, X: np.ndarray, count: int, rounds: int) -> np.ndarray:
    """Multiply and keep the largest entries until they stay where they are."""
    before = np.zeros(X.shape, dtype=bool)
    for _ in range(rounds):
        places = _largest_places(X, count)
        X = np.where(places, X, 0.0)
        X = X / np.maximum(np.linalg.norm(X, axis=0), np.finfo(float).tiny)
        if np.count_nonzero(places & ~before, axis=0).max() <= 0.01 * count:
            return X
        X, before = remainder.image(X), places
    return np.where(before, X, 0.0)


def _largest_places(X: np.ndarray, count: int) -> np.ndarray:
    """Tell where the `count` largest entries of each column are; of those equal up to rounding, the first."""
    size, tie = np.abs(X), 1e-9
    level = np.partition(np.ascontiguousarray(size.T), len(X) - count, axis=1)[:, len(X) - count]
    places = size > level * (1 + tie)
    missing = count - np.count_nonzero(places, axis=0)
    ties = ~places & (size >= level * (1 - tie))
    return np.asarray(places | (ties & (np.cumsum(ties, axis=0) <= missing)))
