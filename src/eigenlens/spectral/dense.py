"""Direct solvers of the standard problem A v = λ v.

A solver returns singular values (descending; all of them, or the k it found), k vectors, their images where A is
a factor, and a residual.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from .._core import xp as _xp
from .._core.typing import Array
from .pencil import Form


def eigh(A: Form, k: int) -> tuple[Array, Array, Array | None, float]:
    """Decompose the matrix of A in full; all values, k leading directions."""
    xp = _xp.namespace(A.values)
    values, vectors = _xp.symmetric_eigh(A.dense())
    return xp.sqrt(xp.clip(xp.flip(values), min=0.0)), xp.flip(vectors, axis=1)[:, :k], None, 0.0


def leading(A: Form, k: int) -> tuple[Array, Array, Array | None, float]:
    """Decompose the matrix of A for its k leading directions: a third of the work where they are few."""
    matrix = A.dense()
    if not isinstance(matrix, np.ndarray):
        return eigh(A, k)
    p = matrix.shape[0]
    values, vectors = scipy.linalg.eigh(matrix, subset_by_index=(p - k, p - 1), check_finite=False)
    return np.sqrt(np.maximum(values[::-1], 0.0)), vectors[:, ::-1], None, 0.0


def svd(A: Form, k: int) -> tuple[Array, Array, Array | None, float]:
    """Decompose the factor of A, so that small values keep their digits."""
    left, s, right = _xp.thin_svd(A.factor)
    return s, right.T[:, :k], left[:, :k], 0.0
