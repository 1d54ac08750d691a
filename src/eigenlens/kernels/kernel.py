"""Kernels as objects that add and multiply: functions of two rows with parameters and an order of definiteness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from ..arrays import errors, namespaces
from ..arrays.parameters import check_number, is_number
from ..arrays.stored import stored
from ..arrays.typing import Array, ColumnLike, TableLike
from ..distances.pairs import PRODUCT_PAIRS, joined, over_rows, row_blocks
from . import evaluate
from .evaluate import BlockFunction


class Shift(IntEnum):
    """What a shift of all rows does to k(x, z); a sum of kernels has the least of its parts."""

    CHANGES = 0  # other numbers
    ABSORBED = 1  # a pivot can be taken off the rows, and what centring takes out anyway is never computed
    FREE = 2  # terms that centring, or an intercept, takes out again
    INVARIANT = 3  # nothing


class Kernel(BaseEstimator):
    """Base of the kernels.

    A subclass defines `_against(Z)`, which returns a function of row blocks, and declares its order of definiteness and
    what shifts and rotations of the rows do to it. Parameters that are None are chosen from the rows of a fit.

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

    #: parameters that None leaves to the rows of a fit, and those that are kernels
    _from_rows: ClassVar[tuple[str, ...]] = ()
    _parts: ClassVar[tuple[str, ...]] = ()
    #: whether it can be part of a sum or a product
    _composable: ClassVar[bool] = True

    @property
    def conditional_order(self) -> int:
        return 0

    @property
    def shift(self) -> Shift:
        """What a shift of all rows does."""
        return Shift.CHANGES

    @property
    def translation_invariant(self) -> bool:
        """Whether a shift of all rows leaves k(x, z) alone."""
        return self.shift is Shift.INVARIANT

    @property
    def rotation_invariant(self) -> bool:
        """Whether a rotation of all rows leaves k(x, z) alone."""
        return False

    @property
    def is_linear(self) -> bool:
        """Whether all its functions are linear."""
        return False

    @property
    def is_positive_definite(self) -> bool:
        """Whether cᵀKc ≥ 0 without any condition on c."""
        return self.conditional_order == 0

    # -- what a kernel says ------------------------------------------------------------------------------------

    def _against(self, Z: Array, pivot: Array | None = None) -> BlockFunction:
        """Return the function of row blocks X ↦ k(X, Z), all parameters known, which may write over what it returned.

        About a pivot, rows and Z come minus it, and what depends on one row only may be left out.
        """
        raise NotImplementedError

    def _diagonal(self, X: Array, pivot: Array | None = None) -> Array:
        some = [X[i : i + 1, :] for i in range(X.shape[0])]
        return namespaces.namespace(X).concat([self._against(row, pivot)(row)[0, :] for row in some])

    def _kernels(self) -> list[Kernel]:
        return [getattr(self, name) for name in self._parts]

    def _check_parameters(self) -> None:
        """Refuse parameters that cannot work with any rows."""
        for kernel in self._kernels():
            if not isinstance(kernel, Kernel):
                raise errors.not_a_kernel(kernel, ())
            if not kernel._composable:
                raise errors.precomputed_alone("added, multiplied or restricted")
            kernel._check_parameters()
        for name in self._from_rows:
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), 0.0, above=True)

    def _check_columns(self, p: int) -> None:
        """Refuse rows of so many columns, where the kernel has something against them."""
        for kernel in self._kernels():
            kernel._check_columns(p)

    def _seen(self, X: Array) -> Array:
        """Return what the parts see of rows."""
        return X

    def _resolved(self, X: Array, weight: Any) -> Self:
        """Return a copy whose open parameters are taken from rows."""
        found = {name: getattr(self, name)._resolved(self._seen(X), weight) for name in self._parts}
        found |= {name: self._from(name, X, weight) for name in self._from_rows if getattr(self, name) is None}
        return clone(self).set_params(**found) if found else self

    def _from(self, name: str, X: Array, weight: Any) -> Any:
        """Return what rows say a parameter should be: the median distance between them."""
        return evaluate.median_distance(X, weight)

    def _shift_constant(self, points: Array, c: Array, pivot: Array) -> Array:
        """Return what Σ cᵢ k(xᵢ, ·) gains where points and rows move by a pivot, if Σ cᵢ = 0 and a shift is free."""
        return namespaces.namespace(c).zeros_like(c[0, :])

    def _trend(self, X: Array) -> Array:
        """Return the functions that a fit leaves unpenalised, the constant first, at rows: (n, t)."""
        return namespaces.namespace(X).ones_like(X[:, :1])

    def _gram(self, X: Array) -> Array:
        """Return k(X, X), exactly symmetric."""
        return evaluate.symmetric(self._against, X)

    # -- use -----------------------------------------------------------------------------------------------------

    @property
    def is_resolved(self) -> bool:
        """Whether every parameter has a value, so the kernel can be evaluated anywhere."""
        own = all(getattr(self, name) is not None for name in self._from_rows)
        return own and all(kernel.is_resolved for kernel in self._kernels())

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
        kernel, rows, points = self._ready(X, Z)
        if points is rows:
            return _as_given(kernel._gram(rows), X)
        return _as_given(evaluate.fill(kernel._against(points), rows, points.shape[0]), X)

    def diagonal(self, X: TableLike) -> Array:
        """Return k(x, x) for each row."""
        kernel, rows, _ = self._ready(X, None)
        return _as_given(kernel._diagonal(rows), X)

    def blocks(self, X: TableLike, Z: TableLike) -> Iterator[Array]:
        """Yield k(X, Z) a block of rows at a time, each small enough for the cache."""
        kernel, rows, points = self._ready(X, Z)
        function = kernel._against(points)
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
        kernel, rows, points = self._ready(X, Z)
        return _as_given(kernel._apply(rows, points, namespaces.like(C, rows)), X)

    def _apply(self, X: Array, Z: Array, C: Array) -> Array:
        function = self._against(Z)
        n, m = X.shape[0], Z.shape[0]
        return joined(list(over_rows(lambda rows: function(X[rows, :]) @ C, n, m, X, PRODUCT_PAIRS)))

    def on(self, columns: Sequence[int]) -> Kernel:
        """Return the kernel that sees only some columns."""
        return OnColumns(self, columns)

    def __add__(self, other: Any) -> Kernel:
        return Sum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: Any) -> Kernel:
        if isinstance(other, Kernel):
            return Product(self, other)
        return Scaled(self, other) if is_number(other) else NotImplemented

    __rmul__ = __mul__

    def _ready(self, X: TableLike, Z: TableLike | None) -> tuple[Kernel, Array, Array]:
        """Return the kernel with all parameters, and both tables; rows lend parameters only where they are alone."""
        rows = evaluate.read_rows(X, "X")
        points = rows if Z is None or Z is X else namespaces.like(evaluate.read_rows(Z, "Z"), rows)
        if points.shape[1] != rows.shape[1]:
            raise errors.columns_of_points(rows.shape[1], points.shape[1])
        self._check_parameters()
        self._check_columns(rows.shape[1])
        if not self.is_resolved and points is not rows:
            raise errors.unresolved(self)
        return self._resolved(rows, None), rows, points


@stored("kernel.Sum")
class Sum(Kernel):
    """k₁ + k₂: functions that are a sum of one of each. Its order of definiteness is that of the weaker.

    Examples
    --------
    >>> from eigenlens.kernels import Gaussian, Linear
    >>> (Linear() + Gaussian(1.0))([[1.0]], [[1.0]])
    array([[2.]])
    """

    _parts = ("left", "right")

    def __init__(self, left: Kernel, right: Kernel) -> None:
        self.left = left
        self.right = right

    @property
    def conditional_order(self) -> int:
        return max(self.left.conditional_order, self.right.conditional_order)

    @property
    def shift(self) -> Shift:
        return min(self.left.shift, self.right.shift)

    @property
    def rotation_invariant(self) -> bool:
        return self.left.rotation_invariant and self.right.rotation_invariant

    @property
    def is_linear(self) -> bool:
        return self.left.is_linear and self.right.is_linear

    @staticmethod
    def _together(one: Array, other: Array) -> Array:
        return one + other

    def _against(self, Z: Array, pivot: Array | None = None) -> BlockFunction:
        one, other = self.left._against(Z, pivot), self.right._against(Z, pivot)
        return lambda X: self._together(one(X), other(X))

    def _diagonal(self, X: Array, pivot: Array | None = None) -> Array:
        return self._together(self.left._diagonal(X, pivot), self.right._diagonal(X, pivot))

    def _shift_constant(self, points: Array, c: Array, pivot: Array) -> Array:
        return self.left._shift_constant(points, c, pivot) + self.right._shift_constant(points, c, pivot)

    def _trend(self, X: Array) -> Array:
        xp, kept, others = namespaces.namespace(X), self.left._trend(X), self.right._trend(X)
        for j in range(others.shape[1]):
            column = others[:, j][:, None]
            if not bool(xp.any(xp.all(kept == column, axis=0))):
                kept = xp.concat([kept, column], axis=1)
        return kept


@stored("kernel.Product")
class Product(Sum):
    """k₁ · k₂, entry by entry: positive definite if both are.

    Examples
    --------
    >>> from eigenlens.kernels import Gaussian, Linear
    >>> (Linear() * Gaussian(1.0))([[2.0]], [[2.0]])
    array([[4.]])
    """

    is_linear = False

    @staticmethod
    def _together(one: Array, other: Array) -> Array:
        return one * other

    @property
    def shift(self) -> Shift:
        return Shift.INVARIANT if super().shift is Shift.INVARIANT else Shift.CHANGES

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.conditional_order:
            raise errors.InputError(
                "A product of kernels needs positive definite ones, but one is conditionally positive definite of "
                f"order {self.conditional_order}. Add it instead, or use it alone."
            )

    def _trend(self, X: Array) -> Array:
        return Kernel._trend(self, X)


class OfOne(Kernel):
    """A kernel made of another one."""

    _parts = ("kernel",)
    kernel: Kernel

    @property
    def conditional_order(self) -> int:
        return self.kernel.conditional_order

    @property
    def shift(self) -> Shift:
        return self.kernel.shift

    @property
    def rotation_invariant(self) -> bool:
        return self.kernel.rotation_invariant

    @property
    def is_linear(self) -> bool:
        return self.kernel.is_linear

    def _trend(self, X: Array) -> Array:
        return self.kernel._trend(self._seen(X))


@stored("kernel.Scaled")
class Scaled(OfOne):
    """factor · k, for a factor above 0.

    Examples
    --------
    >>> from eigenlens.kernels import Linear
    >>> (3 * Linear())([[1.0]], [[2.0]])
    array([[6.]])
    """

    def __init__(self, kernel: Kernel, factor: float = 1.0) -> None:
        self.kernel = kernel
        self.factor = factor

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("factor", self.factor, 0.0, above=True)

    def _against(self, Z: Array, pivot: Array | None = None) -> BlockFunction:
        inner = self.kernel._against(Z, pivot)
        return lambda X: inner(X) * float(self.factor)

    def _diagonal(self, X: Array, pivot: Array | None = None) -> Array:
        return self.kernel._diagonal(X, pivot) * float(self.factor)

    def _shift_constant(self, points: Array, c: Array, pivot: Array) -> Array:
        return float(self.factor) * self.kernel._shift_constant(points, c, pivot)


@stored("kernel.OnColumns")
class OnColumns(OfOne):
    """A kernel that sees only some columns.

    Examples
    --------
    >>> from eigenlens.kernels import Linear
    >>> Linear().on([0])([[1.0, 5.0]], [[2.0, 7.0]])
    array([[2.]])
    """

    rotation_invariant = False

    def __init__(self, kernel: Kernel, columns: Sequence[int]) -> None:
        self.kernel = kernel
        self.columns = columns

    def _check_parameters(self) -> None:
        super()._check_parameters()
        columns = [self.columns] if is_number(self.columns, integer=True) else self.columns
        if isinstance(columns, str) or not np.iterable(columns) or not all(is_number(j, integer=True) for j in columns):
            raise errors.number("columns", self.columns, "a list of column numbers, such as k.on([0, 3])")

    def _check_columns(self, p: int) -> None:
        chosen = np.atleast_1d(self.columns)
        if not len(chosen) or not ((chosen >= -p) & (chosen < p)).all():
            raise errors.InputError(
                f"on({self.columns!r}) does not suit rows of {p} columns; name at least one column, by numbers from 0 "
                f"to {p - 1}."
            )
        self.kernel._check_columns(len(chosen))

    def _seen(self, X: Array) -> Array:
        index = namespaces.like(np.atleast_1d(self.columns).astype(np.int64) % X.shape[-1], X)
        return namespaces.namespace(X).take(X, index, axis=-1)

    def _seen_pivot(self, pivot: Array | None) -> Array | None:
        return None if pivot is None else self._seen(pivot)

    def _against(self, Z: Array, pivot: Array | None = None) -> BlockFunction:
        inner = self.kernel._against(self._seen(Z), self._seen_pivot(pivot))
        return lambda X: inner(self._seen(X))

    def _diagonal(self, X: Array, pivot: Array | None = None) -> Array:
        return self.kernel._diagonal(self._seen(X), self._seen_pivot(pivot))

    def _shift_constant(self, points: Array, c: Array, pivot: Array) -> Array:
        return self.kernel._shift_constant(self._seen(points), c, self._seen(pivot))


class AboutPivot(OfOne):
    """k(u + a, v + a) − k(u + a, a) − k(a, v + a) + k(a, a), as a kernel of rows u and v minus a pivot a.

    What is taken away depends on one row only, so that centring or an intercept would take it out in any case; here it
    goes before it can be rounded. A kernel that a shift changes by no more than that stands for itself.
    """

    _composable = False

    def __init__(self, kernel: Kernel, pivot: Array) -> None:
        self.kernel = kernel
        self.pivot = pivot

    shift = Shift.CHANGES
    rotation_invariant = False
    is_linear = False

    def _against(self, Z: Array, pivot: Array | None = None) -> BlockFunction:
        return self.kernel._against(Z, namespaces.like(self.pivot, Z))

    def _diagonal(self, X: Array, pivot: Array | None = None) -> Array:
        return self.kernel._diagonal(X, namespaces.like(self.pivot, X))


def about_pivot(kernel: Kernel, pivot: Array | None) -> Kernel:
    """Return the kernel of rows minus a pivot, if there is one."""
    return kernel if pivot is None or kernel.shift >= Shift.FREE else AboutPivot(kernel, pivot)


def unmoved(kernel: Kernel) -> Kernel:
    """Return the kernel of the rows as they came."""
    return kernel.kernel if isinstance(kernel, AboutPivot) else kernel


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
