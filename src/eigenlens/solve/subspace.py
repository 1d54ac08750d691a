"""The answer of every method: a centre and a basis to look through; angles between two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import errors, linalg, namespaces
from ..arrays.exponents import over_largest
from ..arrays.stored import stored
from ..arrays.typing import Array
from .pencil import count_rank


@stored("Subspace")
@dataclass(frozen=True, eq=False, repr=False)
class Subspace:
    """An affine subspace: a centre and a basis.

    Parameters
    ----------
    centre : array of shape (p,)
        An anchor near the data, subtracted first; with `remainder` added it is a point of the subspace (`point`).
    basis : array of shape (p, k)
        Directions as columns; they need not be orthonormal.
    remainder : array of shape (p,), optional
        The rest of the way from the anchor to the point of the subspace, of the size of the spread of the data rather
        than of their offset: rows are taken minus `centre`, then minus `remainder`, and so keep the digits that a
        large offset would take.
    dual : array of shape (p, k), optional
        Columns with dualᵀ basis = I that map scores back; by default those of the orthogonal projection.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import Subspace
    >>> plane = Subspace(np.zeros(3), np.eye(3)[:, :2])
    >>> plane.project(np.array([[1.0, 2.0, 3.0]]))
    array([[1., 2.]])
    >>> tilted = Subspace(np.zeros(3), np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1e-9]]))
    >>> plane.angles(tilted)
    array([0.e+00, 1.e-09])
    """

    centre: Array
    basis: Array
    remainder: Array | None = None
    dual: Array | None = None

    def __repr__(self) -> str:
        return f"<Subspace: {self.dimension} direction(s) in {self.basis.shape[0]} dimensions>"

    @property
    def dimension(self) -> int:
        """Number of directions."""
        return int(self.basis.shape[1])

    def centred(self, X: Array) -> Array:
        """Return X minus the centre, in float64, in the namespace of X."""
        rows = X - namespaces.like(self.centre, X)
        return rows if self.remainder is None else rows - namespaces.like(self.remainder, X)

    def project(self, X: Array) -> Array:
        """Return the coordinates (x − centre)ᵀ basis of rows; sparse ones stay so, unless an offset would take digits.

        Where the offset is no larger than the spread, no digit is saved by subtracting it from all rows: rounding of
        it is to be no more than a few times that of the remainder, in every direction; of sparse rows a thousand times,
        as three digits are worth it.
        """
        sparse = namespaces.is_sparse(X)
        many = isinstance(X, np.ndarray) and X.shape[0] >= 1_000 and isinstance(self.basis, np.ndarray)
        if (sparse and self._lies_within(1e3)) or (many and self._lies_within(4.0)):
            basis = namespaces.to_numpy(self.basis)
            scores = X @ basis
            scores -= namespaces.to_numpy(self.point) @ basis
            return scores
        if not sparse:
            return self.centred(X) @ namespaces.like(self.basis, X)
        table: Any = X
        step = max(2**19 // table.shape[1], 1)  # rows that are made dense together
        return np.concatenate([self.project(table[i : i + step].toarray()) for i in range(0, table.shape[0], step)])

    def _lies_within(self, times: float) -> bool:
        """Whether the offset is no larger than so many times the remainder, in every direction."""
        if self.remainder is None:
            return False
        size, point, remainder = (
            np.abs(namespaces.to_numpy(part)) for part in (self.basis, self.point, self.remainder)
        )
        return bool((point @ size <= times * (remainder @ size)).all())

    def lift(self, scores: Array) -> Array:
        """Return the points with given coordinates; on projected rows, the nearest points of the subspace."""
        return self.offsets(scores) + namespaces.like(self.point, scores)

    def offsets(self, scores: Array) -> Array:
        """Return lifted points minus the centre."""
        return namespaces.float64(scores) @ namespaces.like(self._dual(), scores).T

    @property
    def point(self) -> Array:
        """The centre, remainder included."""
        return self.centre if self.remainder is None else self.centre + self.remainder

    def _dual(self) -> Array:
        if self.dual is not None:
            return self.dual
        return namespaces.namespace(self.basis).linalg.pinv(self.basis).T

    def orthonormal(self) -> Array:
        """Return an orthonormal basis of the directions, of shape (p, rank)."""
        return orthonormal(self.basis)

    def angles(self, other: Subspace) -> Array:
        """Return the principal angles to another subspace, smallest first, accurate also when small."""
        self._require_same_space(other)
        return principal_angles(self.basis, namespaces.like(other.basis, self.basis))

    def distance(self, other: Subspace) -> float:
        """Return the sine of the largest angle between the directions; 1 if their dimensions differ."""
        self._require_same_space(other)
        if self.orthonormal().shape[1] != other.orthonormal().shape[1]:
            return 1.0
        xp = namespaces.namespace(self.basis)
        return float(xp.max(xp.sin(self.angles(other))))

    def aligned_to(self, other: Subspace) -> Subspace:
        """Rotate the basis, within its span, to lie as near as possible to that of another (Procrustes)."""
        self._require_same_space(other)
        if self.dimension != other.dimension:
            raise errors.InputError(
                f"other has {other.dimension} directions but this subspace has {self.dimension}; a basis is rotated to "
                "one of as many directions."
            )
        xp = namespaces.namespace(self.basis)
        target = namespaces.like(other.basis, self.basis)
        left, _, right = xp.linalg.svd(self.basis.T @ target, full_matrices=False)
        rotation = left @ right
        dual = None if self.dual is None else self.dual @ rotation
        return Subspace(self.centre, self.basis @ rotation, self.remainder, dual)

    def _require_same_space(self, other: Subspace) -> None:
        if not isinstance(other, Subspace):
            raise errors.InputTypeError(
                f"other is a {type(other).__name__}, but a subspace is compared with a subspace, such as subspace_ of "
                "a fitted model; project(X) gives the coordinates of rows."
            )
        if self.basis.shape[0] != other.basis.shape[0]:
            raise errors.InputError(
                f"other has {other.basis.shape[0]} coordinates but this subspace has {self.basis.shape[0]}; both must "
                "lie in the same space."
            )


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
    for name, basis in (("U", U), ("V", V)):
        readable = namespaces.is_array(basis) and basis.ndim == 2 and namespaces.is_number(basis)
        if not readable or not namespaces.all_finite(basis):
            raise errors.InputError(f"{name} must be an array of finite numbers, shape (p, k), a basis in its columns.")
    if U.shape[0] != V.shape[0]:
        raise errors.InputError(f"U and V have {U.shape[0]} and {V.shape[0]} rows; they must lie in the same space.")
    xp = namespaces.namespace(U, V)
    U, V = orthonormal(U), orthonormal(V)
    if U.shape[1] < V.shape[1]:
        U, V = V, U
    inside = U.T @ V
    cosines, sines = (linalg.thin_svd(part)[1] for part in (inside, V - U @ inside))
    return xp.atan2(xp.flip(sines), xp.clip(cosines, min=0.0))


def orthonormal(basis: Array) -> Array:
    """Return an orthonormal basis of the span of columns, whatever their lengths."""
    xp = namespaces.namespace(basis)
    basis = over_largest(basis)  # so that no square overflows
    size = xp.sqrt(xp.sum(basis**2, axis=0))
    left, s, _ = linalg.thin_svd(basis / xp.where(size > 0, size, xp.ones_like(size)))
    return left[:, : count_rank(s, basis.shape[0], squared=False)]
