"""Loadings without a penalty, once the places of the nonzeros are chosen."""

from __future__ import annotations

import numpy as np

from ..arrays import linalg, namespaces
from .axes_forms import Matrix

DENSE = 400  # rows and loadings of which products are formed
SETTLED = 1e-9  # relative size of what an axis lacks at which it is found
ROOM, STEPS = 24, 200  # directions of a space, and steps in which it grows, the most
NOTHING = 1e-12  # share of a square that is rounding: scores depend on others, or others explain a column


def refitted(form: Matrix, B: np.ndarray) -> np.ndarray:
    """Return axes with the supports of B that add, one after the other, the largest variance to those before.

    Parameters
    ----------
    form : Matrix
    B : array of shape (p, k)

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve.axes_forms import Matrix
    >>> from eigenlens.solve.refitted_axes import refitted
    >>> G = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 5.0]])
    >>> abs(refitted(Matrix(G), np.array([[1.0], [3.0], [0.0]]))[:, 0]).round(3)
    array([0.707, 0.707, 0.   ])
    """
    new = np.zeros_like(B)
    live = np.flatnonzero(B.any(axis=0))
    if min(int(np.count_nonzero(B, axis=0).max(initial=0)), len(form.values)) > DENSE:
        new[:, live] = _together(form, B[:, live])
        return new
    for j in live:
        on = np.flatnonzero(B[:, j])
        new[on, j] = best_axis(form, on, new[:, live[live < j]])
    return new


def _together(form: Matrix, B: np.ndarray) -> np.ndarray:
    """Return the same axes of many loadings, all found in the same products with the form."""
    spaces = [_OnSupport(np.flatnonzero(b), b) for b in B.T]
    fresh, steps = spaces, 0
    while fresh:
        images = form.image(np.stack([space.spread(space.fresh) for space in fresh], axis=1))
        for space, image in zip(fresh, images.T, strict=True):
            space.take(image)
        axes, seen = np.zeros((len(B), 0)), np.zeros((len(B), 0))
        for space in spaces:
            axis, image = space.best(axes, seen)
            axes, seen = np.column_stack([axes, axis]), np.column_stack([seen, image])
        steps += 1
        fresh = [space for space in spaces if space.outside > SETTLED and len(space.fresh) and steps < STEPS]
    return axes


class _OnSupport:
    """A space of loadings at given places, with their images, which grows by what its best axis lacks (Lanczos).

    Attributes
    ----------
    fresh : ndarray of shape (m,)
        The direction to take in next; empty where there is none.
    outside : float
        Relative size of what the best axis lacks.
    """

    def __init__(self, on: np.ndarray, start: np.ndarray) -> None:
        self.on, self.p, self.outside = on, len(start), np.inf
        self.V, self.H = np.empty((len(on), 0)), np.empty((len(start), 0))
        self.fresh = start[on] / np.linalg.norm(start)

    def spread(self, loadings: np.ndarray) -> np.ndarray:
        all_ = np.zeros(self.p)
        all_[self.on] = loadings
        return all_

    def take(self, image: np.ndarray) -> None:
        self.V, self.H = np.column_stack([self.V, self.fresh]), np.column_stack([self.H, image])

    def best(self, axes: np.ndarray, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the axis that adds most variance to the scores of earlier axes, and its image."""
        told, M = self.V.T @ seen[self.on], self.V.T @ self.H[self.on]
        known = pseudoinverse(axes.T @ seen)
        if _is_nothing(np.diagonal(M - told @ known @ told.T), np.diagonal(M)):
            told = np.zeros_like(told)
        M = M - told @ known @ told.T
        values, vectors = np.linalg.eigh((M + M.T) / 2)
        if self.V.shape[1] >= ROOM:
            kept = vectors[:, -ROOM // 4 :]
            self.V, self.H, vectors = self.V @ kept, self.H @ kept, np.eye(kept.shape[1])
            told = kept.T @ told
        u = vectors[:, -1]
        axis, image = self.V @ u, self.H @ u
        lacks = image[self.on] - seen[self.on] @ (known @ (told.T @ u)) - values[-1] * axis
        self.outside = float(np.linalg.norm(lacks)) / (abs(float(values[-1])) or 1.0)
        for _ in range(2):
            lacks = lacks - self.V @ (self.V.T @ lacks)
        size = float(np.linalg.norm(lacks))
        self.fresh = lacks / size if size > NOTHING * float(np.linalg.norm(image)) else np.empty(0)
        return self.spread(axis), image


def best_axis(form: Matrix, on: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Return the loadings at given places that add the largest variance to the scores of earlier axes.

    Where these explain all that is there, any loadings add the same: those of the largest variance are returned.
    """
    return _of_rows(form, on, before) if form.factored else _of_matrix(form, on, before)


def _of_matrix(form: Matrix, on: np.ndarray, before: np.ndarray) -> np.ndarray:
    image, block = form.image(before), form.block(on)
    left = block - image[on] @ pseudoinverse(before.T @ image) @ image[on].T
    return _last_vector(block if _is_nothing(np.diagonal(left), np.diagonal(block)) else left)


def _of_rows(form: Matrix, on: np.ndarray, before: np.ndarray) -> np.ndarray:
    F = form.values
    rows = F[:, on]
    scores = _basis(F @ before)
    left = rows - scores @ (scores.T @ rows)
    if not _is_nothing(namespaces.column_squares(left), namespaces.column_squares(rows)):
        rows = left
    if len(on) <= len(F):
        return _last_vector(form.unit * (rows.T @ rows))  # in one unit, whatever that of the rows
    axis = rows.T @ _last_vector(form.unit * (rows @ rows.T))
    return np.asarray(axis / (np.linalg.norm(axis) or 1.0))


def _is_nothing(left: np.ndarray, squares: np.ndarray) -> bool:
    """Tell whether the squares that earlier scores leave are rounding."""
    return bool((left <= NOTHING * squares).all())


def pseudoinverse(products: np.ndarray) -> np.ndarray:
    """Return the inverse of products of scores, without the directions in which these depend on each other."""
    squares = np.diagonal(products)
    size = np.sqrt(np.where(squares > 0, squares, 1.0))
    correlations = products / size / size[:, None]
    return np.asarray(np.linalg.pinv(correlations, rcond=NOTHING, hermitian=True) / size / size[:, None])


def _basis(scores: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of the span of scores, which may depend on each other."""
    size = np.linalg.norm(scores, axis=0)
    left, s, _ = linalg.thin_svd(scores / np.where(size > 0, size, 1.0))
    return np.asarray(left[:, s**2 > NOTHING * s.max(initial=0.0) ** 2])


def _last_vector(M: np.ndarray) -> np.ndarray:
    """Return the eigenvector of the largest eigenvalue."""
    return linalg.leading_eigh(M, 1)[1][:, 0]
