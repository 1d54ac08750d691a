"""Principal angles between subspaces, accurate also when they are small."""

from __future__ import annotations

from ..arrays import linalg, namespaces
from ..arrays.typing import Array


def principal_angles(U: Array, V: Array) -> Array:
    """Return the angles between the spans of two bases, smallest first.

    A cosine cannot tell small angles apart: cos 10⁻⁹ = 1. So the sines are computed too, as the singular values of
    the part of V that is orthogonal to U, and the angle is atan2(sin, cos) (Björck, Golub 1973). Directions found with
    the cosines would not do: if several angles are small, they are an arbitrary rotation of the right ones.

    Parameters
    ----------
    U, V : arrays of shape (p, k) and (p, l)
        Columns that span a space each; they need not be orthonormal.

    Returns
    -------
    array
        As many as the smaller space has dimensions.
        In radians.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve import principal_angles
    >>> U, V = np.eye(3)[:, :1], np.array([[1.0], [1.0], [0.0]])
    >>> np.degrees(principal_angles(U, V)).round(6)
    array([45.])
    """
    xp = namespaces.namespace(U, V)
    U, V = _orthonormal(U), _orthonormal(V)
    if U.shape[1] < V.shape[1]:
        U, V = V, U
    inside = U.T @ V
    cosines, sines = (linalg.thin_svd(part)[1] for part in (inside, V - U @ inside))
    return xp.atan2(xp.flip(sines), xp.clip(cosines, min=0.0))


def _orthonormal(B: Array) -> Array:
    """Return an orthonormal basis of the span of columns, whatever their lengths."""
    xp = namespaces.namespace(B)
    size = xp.max(xp.abs(B), axis=0)
    left, s, _ = linalg.thin_svd(B / xp.where(size > 0, size, xp.ones_like(size)))
    rank = int(xp.sum(xp.astype(s > max(B.shape) * namespaces.EPS * s[0], s.dtype))) if s.shape[0] else 0
    return left[:, :rank]
