"""From squared distances to inner products."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.typing import Array, TableLike
from ..rows.labels import as_column
from .square_tables import as_square, double_center_in_place


def double_center(D: TableLike, weights: Any = None) -> Array:
    r"""Return :math:`B = -\tfrac12 H D H^T`, :math:`H = I - 1\alpha^T`: inner products about the centre Σαᵢxᵢ.

    Young–Householder–Schoenberg: B is positive semidefinite for one α, and then for every α, if and only if D holds
    squared distances of points in a Euclidean space.

    Parameters
    ----------
    D : table of shape (n, n)
        Squared distances (or any symmetric matrix).
    weights : array of shape (n,), optional
        α, of any signs, summing to 1; by default 1/n each.

    Returns
    -------
    array of shape (n, n)
        B.

    References
    ----------
    Young, Householder (1938), Discussion of a set of points in terms of their mutual distances, Psychometrika 3.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import double_center
    >>> D = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]])     # three points on a line
    >>> double_center(D).diagonal().round(12)                                 # squared distances from their mean
    array([1., 0., 1.])
    >>> double_center(D, [1.0, 0.0, 0.0]).round(12) + 0.0                     # inner products seen from the first
    array([[0., 0., 0.],
           [0., 1., 2.],
           [0., 2., 4.]])
    """
    values = as_square(D)
    xp, n = namespaces.namespace(values), values.shape[0]
    B = xp.asarray(values, copy=True)
    double_center_in_place(B, namespaces.like(read_coefficients(weights, n), B))
    return B


def read_coefficients(weights: Any, n: int) -> np.ndarray:
    """Read the coefficients of a centre: one for each point, any signs, with sum 1."""
    if weights is None:
        return np.full(n, 1.0 / n)
    try:
        alpha = np.asarray(as_column(weights, "weights"), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise errors.not_read_as_numbers("weights", weights, f"{n} numbers with sum 1") from error
    if alpha.shape != (n,):
        raise errors.InputError(
            f"weights has shape {tuple(alpha.shape)} but must be one number per point, shape ({n},)."
        )
    if not abs(alpha.sum() - 1) <= 1e-10 * max(1.0, float(np.abs(alpha).sum())):
        raise errors.InputError(
            f"weights sum to {float(alpha.sum()):.10g} but those of a centre sum to 1; divide them by their sum."
        )
    return alpha
