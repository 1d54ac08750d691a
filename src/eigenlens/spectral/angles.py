"""Principal angles between subspaces, accurate also when they are small."""

from __future__ import annotations

from .._core import xp as _xp
from .._core.typing import Array


def principal_angles(U: Array, V: Array) -> Array:
    """Return the angles between the spans of two orthonormal bases, smallest first.

    The cosine of a small angle has lost it: cos 10⁻⁹ = 1. So the sine is computed too, from the part of V that is
    orthogonal to U, and the angle is atan2(sin, cos) (Björck, Golub 1973).

    Parameters
    ----------
    U, V : arrays of shape (p, k) and (p, l)
        Orthonormal columns.
    """
    xp = _xp.namespace(U, V)
    if U.shape[1] < V.shape[1]:
        U, V = V, U
    _, cosines, right = xp.linalg.svd(U.T @ V, full_matrices=False)
    aligned = V @ right.T
    apart = aligned - U @ (U.T @ aligned)
    sines = xp.sqrt(xp.sum(apart**2, axis=0))
    return xp.sort(xp.atan2(sines, xp.clip(cosines, min=0.0)))
