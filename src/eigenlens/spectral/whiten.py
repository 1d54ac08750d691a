"""Turning a form into the identity on its range."""

from __future__ import annotations

import numpy as np

from .._core import xp as _xp
from .._core.typing import Array
from .pencil import Form
from .spectrum import Whitening, orient

RANK_TOLERANCE = 16.0  # singular values below this many ulps (times the dimension) of the largest are rounding


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
    size = xp.sqrt(xp.clip(B.diagonal(), min=0.0))
    dead = size == 0 if constant is None else (size == 0) | constant
    d = xp.where(dead, xp.zeros_like(size), 1.0 / xp.where(dead, xp.ones_like(size), size))
    varying = int(xp.sum(xp.astype(~dead, xp.int64)))
    if varying == 0:
        return Whitening(xp.zeros((B.dimension, 0), dtype=xp.float64, device=_xp.device(size)), 0, 0, 1.0)
    s, V = _principal(B.column_scaled(d))
    rank = count_rank(s, B.dimension, B.squared)
    condition = condition_of(s, min(varying, most or varying))
    W = d[:, None] * (V[:, :rank] / s[:rank])
    return Whitening(W * orient(W), rank, varying, condition)


def _principal(B: Form) -> tuple[Array, Array]:
    """Singular values (descending) and axes of a form."""
    xp = _xp.namespace(B.values)
    if B.factor is not None:
        _, s, right = _xp.thin_svd(B.factor)
        return s, right.T
    values, V = _xp.symmetric_eigh(B.matrix)
    return xp.sqrt(xp.clip(xp.flip(values), min=0.0)), xp.flip(V, axis=1)


def count_rank(s: Array, dimension: int, squared: bool) -> int:
    """Count the singular values that are not rounding beside the largest.

    Squaring raises the floor of rounding from ε to √ε.
    """
    if s.shape[0] == 0 or float(s[0]) == 0:
        return 0
    ulp = RANK_TOLERANCE * max(dimension, 1) * _xp.EPS
    floor = float(s[0]) * (ulp**0.5 if squared else ulp)
    return int(np.count_nonzero(_xp.to_numpy(s) > floor))


def condition_of(s: Array, count: int) -> float:
    """Return the largest over the count-th singular value."""
    if s.shape[0] == 0 or float(s[0]) == 0:
        return 1.0
    weakest = float(s[count - 1]) if s.shape[0] >= count else 0.0
    return float(s[0]) / weakest if weakest > 0 else float("inf")
