"""The same as Scatter, kept as a triangular factor: R with RᵀR = T.

Squaring the data halves their digits: at condition 10⁸ a scatter matrix holds one or two right digits of the smallest
singular value, its triangular factor ten. While there are fewer rows than columns, the rows themselves are the factor.
"""

from __future__ import annotations

from .._core.stored import stored
from .centred import Centred
from .store import Triangle


@stored("moments.Factor")
class Factor(Centred):
    """Weight, mean and a triangular factor of the centred scatter.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.moments import Factor
    >>> from eigenlens.sources import Block
    >>> X = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 7.0]])
    >>> R = Factor().update(Block(X[:2])).update(Block(X[2:])).factor
    >>> (R.T @ R).round(12)
    array([[ 8., 12.],
           [12., 24.]])
    """

    store_type = Triangle
