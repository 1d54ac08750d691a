"""Weight, mean and centred scatter: T = Σ w (x − m)(x − m)ᵀ."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.stored import stored
from .centred import Centred
from .store import Gram


@stored("moments.Scatter")
class Scatter(Centred):
    """Weight, mean and centred scatter of the rows seen.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.moments import Scatter
    >>> from eigenlens.sources import Block
    >>> X = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 7.0]])
    >>> one = Scatter().update(Block(X[:1])).merge(Scatter().update(Block(X[1:])))
    >>> one.mean
    array([2., 3.])
    >>> one.matrix
    array([[ 8., 12.],
           [12., 24.]])
    """

    store_type = Gram
    takes_sparse = True

    @classmethod
    def from_covariance(cls, covariance: Any, weight: float, mean: Any = None, ddof: float = 1.0) -> Scatter:
        """Make the moments of a table of which only the covariance matrix is known.

        Parameters
        ----------
        covariance : array of shape (p, p)
            Covariance or correlation matrix.
        weight : float
            Number of rows (total weight) it was computed from.
        mean : array of shape (p,), optional
            Zero if not given.
        ddof : float
            The covariance had the divisor weight − ddof.
        """
        S = np.asarray(covariance, dtype=np.float64)
        centre = np.zeros(S.shape[0]) if mean is None else np.asarray(mean, dtype=np.float64)
        new = cls().anchored_at(centre)
        new.weights, new.n_rows = np.array([float(weight)]), int(weight)
        new.store = Gram(S * (weight - ddof))
        return new
