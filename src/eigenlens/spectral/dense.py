"""Direct solvers of the standard problem A v = λ v, and the map that turns B of another one into the identity.

A solver returns singular values (descending; all of them, or the k it found), k vectors, their images where A is
a factor, and a residual.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from .._core import xp as _xp
from .._core.typing import Array
from .pencil import Form
from .spectrum import Whitening, condition_of, count_rank, orient

SQUARED_CONDITION = 1e-3  # directions weaker than this share of the strongest would lose more than six digits


def full(A: Form, k: int) -> tuple[Array, Array, Array | None, float]:
    """Decompose A in full: its factor where it has one, so that small values keep their digits, or its matrix."""
    if A.factor is not None:
        left, s, right = _xp.thin_svd(A.factor)
        return s, right.T[:, :k], left[:, :k], 0.0
    xp = _xp.namespace(A.matrix)
    values, vectors = _xp.symmetric_eigh(A.matrix)
    return xp.sqrt(xp.clip(xp.flip(values), min=0.0)), xp.flip(vectors, axis=1)[:, :k], None, 0.0


def leading(A: Form, k: int) -> tuple[Array, Array, Array | None, float]:
    """Decompose the matrix of A for its k leading directions: a third of the work where they are few."""
    matrix = A.dense()
    if not isinstance(matrix, np.ndarray):
        return full(Form(matrix=matrix), k)
    p = matrix.shape[0]
    values, vectors = scipy.linalg.eigh(matrix, subset_by_index=(p - k, p - 1), check_finite=False)
    return np.sqrt(np.maximum(values[::-1], 0.0)), vectors[:, ::-1], None, 0.0


def gram(A: Form, k: int) -> tuple[Array, Array, Array | None, float]:
    """Decompose FFᵀ, which is small where rows are few; the SVD itself where squares would cost digits that count."""
    F = A.factor
    s, left, _, _ = leading(Form(matrix=_xp.gram(F.T)), k)
    s = s[:k]
    if float(s[-1]) < SQUARED_CONDITION * float(s[0]):
        return full(A, k)
    vectors = F.T @ left
    s = _xp.namespace(F).sum(vectors**2, axis=0) ** 0.5
    return s, vectors / s, left, 0.0


def whiten(B: Form, constant: Array | None = None, most: int | None = None) -> Whitening:
    """Return W with Wᵀ B W = I, leaving out directions in which B vanishes.

    Columns are brought to unit size first, so that rank does not depend on the units of the columns.

    Parameters
    ----------
    B : Form
    constant : boolean array of shape (p,), optional
        Columns known to be zero except for rounding; they are dropped.
    most : int, optional
        The largest possible rank; a condition beyond it is not counted.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.spectral import Form, whiten
    >>> B = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> W = whiten(Form(matrix=B)).matrix
    >>> bool(np.allclose(W.T @ B @ W, np.eye(2)))
    True
    """
    xp = _xp.namespace(B.values)
    squares = B.diagonal()
    size = xp.sqrt(xp.where(squares > 0, squares, 0.0))
    dead = size == 0 if constant is None else (size == 0) | constant
    d = xp.where(dead, 0.0, 1.0 / xp.where(dead, 1.0, size))
    varying = int(np.count_nonzero(_xp.to_numpy(~dead)))
    if varying == 0:
        return Whitening(xp.zeros((B.dimension, 0), dtype=xp.float64, device=_xp.device(size)), 0, 0, 1.0)
    s, V, _, _ = full(B.column_scaled(d), B.dimension)
    rank = count_rank(s, B.dimension, B.squared)
    condition = condition_of(s, min(varying, most or varying))
    W = d[:, None] * (V[:, :rank] / s[:rank])
    return Whitening(W * orient(W), rank, varying, condition)
