"""Loadings without a penalty, once the places of the nonzeros are chosen."""

from __future__ import annotations

import numpy as np

from .._core import xp as _xp
from .axes_forms import Matrix
from .pencil import Form

DENSE = 400  # rows and columns of which products are formed


def refitted(form: Matrix, B: np.ndarray) -> np.ndarray:
    """Return axes with the supports of B that add, one after the other, the largest variance to those before.

    Parameters
    ----------
    form : Matrix
    B : array of shape (p, k)

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.spectral.axes_forms import Matrix
    >>> from eigenlens.spectral.refitted_axes import refitted
    >>> G = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 5.0]])
    >>> abs(refitted(Matrix(G), np.array([[1.0], [3.0], [0.0]]))[:, 0]).round(3)
    array([0.707, 0.707, 0.   ])
    """
    new = np.zeros_like(B)
    for j in range(B.shape[1]):
        on = np.flatnonzero(B[:, j])
        if len(on):
            before = new[:, :j][:, new[:, :j].any(axis=0)]
            new[on, j] = best_axis(form, on, before)
    return new


def best_axis(form: Matrix, on: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Return the loadings at given places that add the largest variance to the scores of earlier axes."""
    return _of_rows(form.values, on, before) if form.factored else _of_matrix(form, on, before)


def _of_matrix(form: Matrix, on: np.ndarray, before: np.ndarray) -> np.ndarray:
    image = form.image(before)
    told = image[on] @ np.linalg.pinv(before.T @ image, hermitian=True) @ image[on].T  # what earlier scores explain
    return _last_vector(form.block(on) - told)


def _of_rows(F: np.ndarray, on: np.ndarray, before: np.ndarray) -> np.ndarray:
    rows = F[:, on]
    scores = np.linalg.qr(F @ before)[0]
    rows = rows - scores @ (scores.T @ rows)
    if min(rows.shape) > DENSE:
        found = Form(factor=rows).krylov.leading(1)
        if found.settled:
            return found.vectors[:, 0]
    if len(on) <= len(F):
        return _last_vector(rows.T @ rows)
    axis = rows.T @ _last_vector(rows @ rows.T)
    return np.asarray(axis / (np.linalg.norm(axis) or 1.0))


def _last_vector(M: np.ndarray) -> np.ndarray:
    """Return the eigenvector of the largest eigenvalue."""
    return _xp.leading_eigh(M, 1)[1][:, 0]
