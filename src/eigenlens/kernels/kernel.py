"""The base of kernels: a function of two rows, with parameters and an order of definiteness, evaluated in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from ..arrays import errors, namespaces
from ..arrays.parameters import is_number
from ..arrays.typing import Array, ColumnLike, TableLike
from ..distances.pairs import PRODUCT_PAIRS, joined, over_rows, row_blocks
from . import evaluate
from .evaluate import BlockFunction


class Kernel(BaseEstimator):
    """Base of the kernels.

    A subclass defines `_against(Z)`, which returns a function of row blocks, and declares its order of definiteness and
    whether it is invariant to shifts and rotations of the rows. Parameters that are None are chosen from the rows of a
    fit.

    Attributes
    ----------
    conditional_order : int
        0 for a positive definite kernel: cᵀKc ≥ 0 for every c. m > 0 for a conditionally positive definite one of
        order m: cᵀKc ≥ 0 for every c that is orthogonal to the polynomials of degree below m.
    translation_invariant, rotation_invariant : bool
        Whether k(x + a, z + a) = k(x, z), and whether a rotation of both rows changes nothing.

    Examples
    --------
    >>> from eigenlens.kernels import Gaussian, Linear
    >>> k = Gaussian(1.0) + 2 * Linear()
    >>> k([[0.0], [1.0]], [[0.0]]).round(3)
    array([[1.   ],
           [0.607]])
    """

    translation_invariant: bool = False
    rotation_invariant: bool = False
    #: parameters that None leaves to the rows of a fit
    _from_rows: ClassVar[tuple[str, ...]] = ()
    #: whether it can be part of a sum or a product
    _composable: ClassVar[bool] = True

    @property
    def conditional_order(self) -> int:
        return 0

    @property
    def shift_is_free(self) -> bool:
        """Whether a shift of all rows adds to k(x, z) only what centring, or an intercept, takes out again."""
        return self.translation_invariant

    @property
    def absorbs_shift(self) -> bool:
        """Whether the kernel can be evaluated about a pivot, without what centring takes out (`kernels/shifted.py`)."""
        return self.shift_is_free

    @property
    def is_linear(self) -> bool:
        """Whether all its functions are linear."""
        return False

    @property
    def is_positive_definite(self) -> bool:
        """Whether cᵀKc ≥ 0 without any condition on c."""
        return self.conditional_order == 0

    # -- what a kernel says ------------------------------------------------------------------------------------

    def _against(self, Z: Array) -> BlockFunction:
        """Return the function of row blocks X ↦ k(X, Z), all parameters known; `out`, where given, may be used."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        """Refuse parameters that cannot work with any rows."""

    def _check_columns(self, p: int) -> None:
        """Refuse rows of so many columns, where the kernel has something against them."""

    def _resolved(self, X: Array, weight: Any) -> Self:
        """Return a copy whose open parameters are taken from rows."""
        open_ones = [name for name in self._from_rows if getattr(self, name) is None]
        if not open_ones:
            return self
        return clone(self).set_params(**{name: self._from(name, X, weight) for name in open_ones})

    def _from(self, name: str, X: Array, weight: Any) -> Any:
        """Return what rows say a parameter should be: the median distance between them."""
        return evaluate.median_distance(X, weight)

    def _diagonal(self, X: Array) -> Array:
        xp = namespaces.namespace(X)
        values = [self._against(X[i : i + 1, :])(X[i : i + 1, :])[0, :] for i in range(X.shape[0])]
        return xp.concat(values)

    def _against_about(self, Z: Array, pivot: Array) -> BlockFunction:
        """Return `_against` for the kernel about a pivot; rows and Z are given minus the pivot."""
        return self._against(Z)

    def _diagonal_about(self, X: Array, pivot: Array) -> Array:
        return self._diagonal(X)

    def _shift_constant(self, points: Array, c: Array, pivot: Array) -> Array:
        """Return what Σ cᵢ k(xᵢ, ·) gains where points and rows move by a pivot, if Σ cᵢ = 0 and a shift is free."""
        return namespaces.namespace(c).zeros_like(c[0, :])

    def _trend(self, X: Array) -> Array:
        """Return the functions that a fit leaves unpenalised, the constant first, at rows: (n, t)."""
        xp = namespaces.namespace(X)
        return xp.ones((X.shape[0], 1), dtype=xp.float64, device=namespaces.device(X))

    def _gram(self, X: Array) -> Array:
        """Return k(X, X), exactly symmetric."""
        return evaluate.symmetric(self._against, X)

    # -- use -----------------------------------------------------------------------------------------------------

    @property
    def is_resolved(self) -> bool:
        """Whether every parameter has a value, so the kernel can be evaluated anywhere."""
        parts = [part for part in vars(self).values() if isinstance(part, Kernel)]
        return all(getattr(self, name) is not None for name in self._from_rows) and all(k.is_resolved for k in parts)

    def fitted(self, X: TableLike, sample_weight: ColumnLike | None = None) -> Self:
        """Return this kernel with every open parameter (None) chosen from rows, such as the median distance.

        Parameters
        ----------
        X : table of shape (n, p)
        sample_weight : array of shape (n,), optional
        """
        rows = evaluate.read_rows(X)
        self._check_parameters()
        self._check_columns(rows.shape[1])
        return self._resolved(rows, sample_weight)

    def __call__(self, X: TableLike, Z: TableLike | None = None) -> Array:
        """Return the matrix k(X, Z), or k(X, X); this is where n×m numbers are held.

        Parameters
        ----------
        X : table of shape (n, p)
        Z : table of shape (m, p), optional
        """
        rows, points = self._read(X, Z)
        kernel = self._ready(rows, Z is None or Z is X)
        if Z is None or Z is X:
            matrix = kernel._gram(rows)
        else:
            matrix = evaluate.fill(kernel._against(points), rows, points.shape[0])
        return _as_given(matrix, X)

    def diagonal(self, X: TableLike) -> Array:
        """Return k(x, x) for each row."""
        rows, _ = self._read(X, None)
        return _as_given(self._ready(rows, True)._diagonal(rows), X)

    def blocks(self, X: TableLike, Z: TableLike) -> Iterator[Array]:
        """Yield k(X, Z) a block of rows at a time, each small enough for the cache."""
        rows, points = self._read(X, Z)
        function = self._ready(rows, Z is X)._against(points)
        for part in row_blocks(rows.shape[0], points.shape[0], rows, PRODUCT_PAIRS):
            yield function(rows[part, :])

    def apply(self, X: TableLike, Z: TableLike, C: Array) -> Array:
        """Return k(X, Z) @ C without holding k(X, Z).

        Parameters
        ----------
        X : table of shape (n, p)
        Z : table of shape (m, p)
        C : array of shape (m,) or (m, q)
        """
        rows, points = self._read(X, Z)
        return _as_given(self._ready(rows, Z is X)._apply(rows, points, namespaces.like(C, rows)), X)

    def _apply(self, X: Array, Z: Array, C: Array) -> Array:
        function = self._against(Z)
        n, m = X.shape[0], Z.shape[0]
        return joined(list(over_rows(lambda rows: function(X[rows, :]) @ C, n, m, X, PRODUCT_PAIRS)))

    def on(self, columns: Sequence[int]) -> Kernel:
        """Return the kernel that sees only some columns."""
        from .combined import OnColumns

        return OnColumns(self, columns)

    def __add__(self, other: Any) -> Kernel:
        from .combined import Sum

        return Sum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: Any) -> Kernel:
        from .combined import Product, Scaled

        if isinstance(other, Kernel):
            return Product(self, other)
        return Scaled(self, other) if is_number(other) else NotImplemented

    __rmul__ = __mul__

    # -- helpers -------------------------------------------------------------------------------------------------

    def _read(self, X: TableLike, Z: TableLike | None) -> tuple[Array, Array]:
        rows = evaluate.read_rows(X, "X")
        points = rows if Z is None or Z is X else namespaces.like(evaluate.read_rows(Z, "Z"), rows)
        if points.shape[1] != rows.shape[1]:
            raise errors.columns_of_points(rows.shape[1], points.shape[1])
        return rows, points

    def _ready(self, rows: Array, alone: bool) -> Kernel:
        """Return the kernel with all parameters; rows may lend theirs only where they are the only ones."""
        self._check_parameters()
        self._check_columns(rows.shape[1])
        if self.is_resolved:
            return self
        if not alone:
            raise errors.unresolved(self)
        return self._resolved(rows, None)


def same_kernel(one: Any, other: Any) -> bool:
    """Return whether two kernels have the same kind and the same parameters."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, Kernel):
        ours, theirs = one.get_params(deep=False), other.get_params(deep=False)
        return all(same_kernel(ours[name], theirs[name]) for name in ours)
    if namespaces.is_array(one):
        return one.shape == other.shape and np.array_equal(namespaces.to_numpy(one), namespaces.to_numpy(other))
    return bool(one == other)


def _as_given(result: Array, X: Any) -> Array:
    """Give results in the floating-point type of the rows."""
    if namespaces.is_array(X) and namespaces.is_floating(X):
        return namespaces.cast(result, X.dtype) if X.dtype != namespaces.namespace(X).float64 else result
    return result
