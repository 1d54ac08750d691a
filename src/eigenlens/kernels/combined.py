"""Kernels made of kernels: sums, products, multiples, and kernels of some columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from ..arrays import errors, namespaces
from ..arrays.parameters import check_number, is_number
from ..arrays.stored import stored
from ..arrays.typing import Array
from .evaluate import BlockFunction
from .kernel import Kernel


class Combined(Kernel):
    """A kernel with parts; set their parameters with left__bandwidth and the like."""

    _parts: tuple[str, ...] = ()

    def _kernels(self) -> list[Kernel]:
        return [getattr(self, name) for name in self._parts]

    def _check_parameters(self) -> None:
        for kernel in self._kernels():
            if not isinstance(kernel, Kernel):
                raise errors.not_a_kernel(kernel, ())
            if not kernel._composable:
                raise errors.precomputed_alone("added, multiplied or restricted")
            kernel._check_parameters()

    def _check_columns(self, p: int) -> None:
        for kernel in self._kernels():
            kernel._check_columns(p)

    def _resolved(self, X: Array, weight: Any) -> Self:
        parts = {name: getattr(self, name)._resolved(X, weight) for name in self._parts}
        return clone(self).set_params(**parts)

    @property
    def translation_invariant(self) -> bool:  # type: ignore[override]
        """Whether a shift of all rows leaves k(x, z) alone."""
        return all(kernel.translation_invariant for kernel in self._kernels())

    @property
    def shift_is_free(self) -> bool:
        return all(kernel.shift_is_free for kernel in self._kernels())

    @property
    def absorbs_shift(self) -> bool:
        return all(kernel.absorbs_shift for kernel in self._kernels())

    @property
    def is_linear(self) -> bool:
        return all(kernel.is_linear for kernel in self._kernels())

    @property
    def rotation_invariant(self) -> bool:  # type: ignore[override]
        """Whether a rotation of all rows leaves k(x, z) alone."""
        return all(kernel.rotation_invariant for kernel in self._kernels())


@stored("kernel.Sum")
class Sum(Combined):
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
        return max(kernel.conditional_order for kernel in self._kernels())

    def _against(self, Z: Array) -> BlockFunction:
        one, other = (kernel._against(Z) for kernel in self._kernels())

        def function(X: Array, out: Array | None = None) -> Array:
            return one(X) + other(X)

        return function

    def _diagonal(self, X: Array) -> Array:
        return self.left._diagonal(X) + self.right._diagonal(X)

    def _against_about(self, Z: Array, pivot: Array) -> BlockFunction:
        one, other = (kernel._against_about(Z, pivot) for kernel in self._kernels())

        def function(X: Array, out: Array | None = None) -> Array:
            return one(X) + other(X)

        return function

    def _diagonal_about(self, X: Array, pivot: Array) -> Array:
        return self.left._diagonal_about(X, pivot) + self.right._diagonal_about(X, pivot)

    def _shift_constant(self, points: Array, c: Array, pivot: Array) -> Array:
        return self.left._shift_constant(points, c, pivot) + self.right._shift_constant(points, c, pivot)

    def _trend(self, X: Array) -> Array:
        return _joined([kernel._trend(X) for kernel in self._kernels()])


@stored("kernel.Product")
class Product(Combined):
    """k₁ · k₂, entry by entry: positive definite if both are.

    Examples
    --------
    >>> from eigenlens.kernels import Gaussian, Linear
    >>> (Linear() * Gaussian(1.0))([[2.0]], [[2.0]])
    array([[4.]])
    """

    _parts = ("left", "right")

    def __init__(self, left: Kernel, right: Kernel) -> None:
        self.left = left
        self.right = right

    @property
    def shift_is_free(self) -> bool:
        return self.translation_invariant

    @property
    def absorbs_shift(self) -> bool:
        return self.translation_invariant

    @property
    def is_linear(self) -> bool:
        return False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        worst = max(kernel.conditional_order for kernel in self._kernels())
        if worst:
            raise errors.InputError(
                "A product of kernels needs positive definite ones, but one is conditionally positive definite of "
                f"order {worst}. Add it instead, or use it alone."
            )

    def _against(self, Z: Array) -> BlockFunction:
        one, other = (kernel._against(Z) for kernel in self._kernels())

        def function(X: Array, out: Array | None = None) -> Array:
            return one(X) * other(X)

        return function

    def _diagonal(self, X: Array) -> Array:
        return self.left._diagonal(X) * self.right._diagonal(X)


@stored("kernel.Scaled")
class Scaled(Combined):
    """factor · k, for a factor above 0.

    Examples
    --------
    >>> from eigenlens.kernels import Linear
    >>> (3 * Linear())([[1.0]], [[2.0]])
    array([[6.]])
    """

    _parts = ("kernel",)

    def __init__(self, kernel: Kernel, factor: float = 1.0) -> None:
        self.kernel = kernel
        self.factor = factor

    @property
    def conditional_order(self) -> int:
        return self.kernel.conditional_order

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("factor", self.factor, 0.0, above=True)

    def _against(self, Z: Array) -> BlockFunction:
        inner = self.kernel._against(Z)

        def function(X: Array, out: Array | None = None) -> Array:
            return inner(X) * float(self.factor)

        return function

    def _diagonal(self, X: Array) -> Array:
        return self.kernel._diagonal(X) * float(self.factor)

    def _against_about(self, Z: Array, pivot: Array) -> BlockFunction:
        inner = self.kernel._against_about(Z, pivot)

        def function(X: Array, out: Array | None = None) -> Array:
            return inner(X) * float(self.factor)

        return function

    def _diagonal_about(self, X: Array, pivot: Array) -> Array:
        return self.kernel._diagonal_about(X, pivot) * float(self.factor)

    def _shift_constant(self, points: Array, c: Array, pivot: Array) -> Array:
        return float(self.factor) * self.kernel._shift_constant(points, c, pivot)

    def _trend(self, X: Array) -> Array:
        return self.kernel._trend(X)


@stored("kernel.OnColumns")
class OnColumns(Combined):
    """A kernel that sees only some columns.

    Examples
    --------
    >>> from eigenlens.kernels import Linear
    >>> Linear().on([0])([[1.0, 5.0]], [[2.0, 7.0]])
    array([[2.]])
    """

    _parts = ("kernel",)

    def __init__(self, kernel: Kernel, columns: Sequence[int]) -> None:
        self.kernel = kernel
        self.columns = columns

    @property
    def conditional_order(self) -> int:
        return self.kernel.conditional_order

    @property
    def rotation_invariant(self) -> bool:  # type: ignore[override]
        """Whether a rotation of all rows leaves k(x, z) alone."""
        return False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        columns = [self.columns] if is_number(self.columns, integer=True) else self.columns
        if isinstance(columns, str) or not np.iterable(columns) or not all(is_number(j, integer=True) for j in columns):
            raise errors.number("columns", self.columns, "a list of column numbers, such as k.on([0, 3])")

    def _check_columns(self, p: int) -> None:
        chosen = self._chosen()
        if not chosen or not all(-p <= j < p for j in chosen):
            raise errors.InputError(
                f"on({self.columns!r}) does not suit rows of {p} columns; name at least one column, by numbers from 0 "
                f"to {p - 1}."
            )
        self.kernel._check_columns(len(chosen))

    def _chosen(self) -> list[int]:
        return [int(j) for j in np.atleast_1d(self.columns)]

    def _seen(self, X: Array) -> Array:
        xp, p = namespaces.namespace(X), X.shape[1]
        index = xp.asarray([j % p for j in self._chosen()], device=namespaces.device(X))
        return xp.take(X, index, axis=1)

    def _resolved(self, X: Array, weight: Any) -> Self:
        return clone(self).set_params(kernel=self.kernel._resolved(self._seen(X), weight))

    def _against(self, Z: Array) -> BlockFunction:
        inner = self.kernel._against(self._seen(Z))

        def function(X: Array, out: Array | None = None) -> Array:
            return inner(self._seen(X), out=out)

        return function

    def _diagonal(self, X: Array) -> Array:
        return self.kernel._diagonal(self._seen(X))

    def _against_about(self, Z: Array, pivot: Array) -> BlockFunction:
        inner = self.kernel._against_about(self._seen(Z), self._seen(pivot[None, :])[0, :])

        def function(X: Array, out: Array | None = None) -> Array:
            return inner(self._seen(X), out=out)

        return function

    def _diagonal_about(self, X: Array, pivot: Array) -> Array:
        return self.kernel._diagonal_about(self._seen(X), self._seen(pivot[None, :])[0, :])

    def _shift_constant(self, points: Array, c: Array, pivot: Array) -> Array:
        return self.kernel._shift_constant(self._seen(points), c, self._seen(pivot[None, :])[0, :])

    def _trend(self, X: Array) -> Array:
        return self.kernel._trend(self._seen(X))


def _joined(trends: list[Array]) -> Array:
    """Put free functions side by side, each once."""
    xp, kept = namespaces.namespace(trends[0]), trends[0]
    for trend in trends[1:]:
        for j in range(trend.shape[1]):
            column = trend[:, j][:, None]
            if not bool(xp.any(xp.all(kept == column, axis=0))):
                kept = xp.concat([kept, column], axis=1)
    return kept
