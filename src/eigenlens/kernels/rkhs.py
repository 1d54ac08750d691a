"""Functions of a reproducing kernel Hilbert space: f = Σ cᵢ k(xᵢ, ·)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.parameters import is_number
from ..arrays.stored import stored
from ..arrays.typing import Array, TableLike
from . import evaluate
from .given import as_kernel
from .kernel import _as_given, same_kernel


@stored("RKHSFunction")
class RKHSFunction:
    """f = Σ cᵢ k(xᵢ, ·), or several such functions with the same points.

    Parameters
    ----------
    kernel : kernel, its name, or a function of two tables
    points : table of shape (m, p)
    coefficients : array of shape (m,), or (m, q) for q functions

    Examples
    --------
    >>> from eigenlens.kernels import Gaussian, RKHSFunction
    >>> k = Gaussian(1.0)
    >>> f = RKHSFunction(k, [[0.0], [1.0]], [2.0, -1.0])
    >>> k_x = RKHSFunction(k, [[0.5]], [1.0])
    >>> bool(f.inner(k_x) == f([[0.5]])[0])                 # the reproducing property
    True
    >>> round((f - 2 * k_x).norm(), 4)
    1.7447
    """

    __array_ufunc__ = None  # NumPy numbers leave products to us

    def __init__(self, kernel: Any, points: TableLike, coefficients: Any) -> None:
        self.kernel = as_kernel(kernel)
        self.points = evaluate.read_rows(points, "points")
        self.kernel._check_parameters()
        self.kernel._check_columns(self.points.shape[1])
        if not self.kernel.is_resolved:
            raise errors.unresolved(self.kernel)
        given = coefficients if namespaces.is_array(coefficients) else np.asarray(coefficients, dtype=np.float64)
        self.coefficients = namespaces.float64(namespaces.like(given, self.points))
        if self.coefficients.ndim not in (1, 2) or self.coefficients.shape[0] != self.points.shape[0]:
            raise errors.InputError(
                f"coefficients has shape {tuple(self.coefficients.shape)} but there are {self.points.shape[0]} points; "
                "give one number for each point, or one row of numbers for several functions."
            )

    def __call__(self, X: TableLike) -> Array:
        """Return the values at rows: (n,), or (n, q) for q functions; blockwise, so that n×m is never held."""
        rows = evaluate.read_rows(X)
        if rows.shape[1] != self.points.shape[1] and self.kernel._composable:
            raise errors.columns_of_points(rows.shape[1], self.points.shape[1])
        return _as_given(self._values(rows), X)

    def _values(self, rows: Array) -> Array:
        return self.kernel._apply(rows, namespaces.like(self.points, rows), namespaces.like(self.coefficients, rows))

    # -- several functions ---------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return 1 if self.coefficients.ndim == 1 else int(self.coefficients.shape[1])

    def __getitem__(self, j: int) -> RKHSFunction:
        """Return the j-th function."""
        if not -len(self) <= j < len(self):
            raise IndexError(f"there are {len(self)} functions, and no number {j}")
        return self if self.coefficients.ndim == 1 else self._with(self.points, self.coefficients[:, j % len(self)])

    def __iter__(self) -> Iterator[RKHSFunction]:
        return (self[j] for j in range(len(self)))

    # -- the vector space ----------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> RKHSFunction:
        if not isinstance(other, RKHSFunction):
            return NotImplemented
        self._check_same(other)
        if self.coefficients.ndim != other.coefficients.ndim or len(self) != len(other):
            raise errors.InputError(
                f"One side holds {len(self)} functions and the other {len(other)}; take one of them with f[j]."
            )
        points, coefficients = (namespaces.like(part, self.points) for part in (other.points, other.coefficients))
        xp = namespaces.namespace(self.points)
        if tuple(points.shape) == tuple(self.points.shape) and bool(xp.all(points == self.points)):
            return self._with(self.points, self.coefficients + coefficients)
        return self._with(xp.concat([self.points, points]), xp.concat([self.coefficients, coefficients]))

    def __sub__(self, other: Any) -> RKHSFunction:
        return self + (-1.0) * other if isinstance(other, RKHSFunction) else NotImplemented

    def __mul__(self, number: Any) -> RKHSFunction:
        return self._with(self.points, self.coefficients * float(number)) if is_number(number) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, number: Any) -> RKHSFunction:
        return self * (1.0 / number) if is_number(number) else NotImplemented

    def __neg__(self) -> RKHSFunction:
        return -1.0 * self

    # -- the Hilbert space ---------------------------------------------------------------------------------------

    def inner(self, other: RKHSFunction) -> Any:
        """Return ⟨f, g⟩ = Σᵢⱼ cᵢ k(xᵢ, zⱼ) dⱼ; for several functions the matrix of all pairs."""
        self._check_same(other)
        for f in (self, other):
            f._check_normed()
        points, coefficients = (namespaces.like(part, self.points) for part in (other.points, other.coefficients))
        if not self.kernel._composable:
            raise errors.InputError(
                f"inner and norm need the kernel between the points, and {self.kernel!r} cannot be evaluated there. "
                "With the matrix K of the fit and coefficients c and d they are c.T @ K @ d and (c.T @ K @ c) ** 0.5."
            )
        product = self.coefficients.T @ self.kernel._apply(self.points, points, coefficients)
        return float(product) if product.ndim == 0 else product

    def norm(self) -> Any:
        """Return ‖f‖; for several functions the norm of each."""
        xp = namespaces.namespace(self.points)
        if self.coefficients.ndim == 1:
            return max(self.inner(self), 0.0) ** 0.5
        return xp.sqrt(xp.clip(xp.linalg.diagonal(self.inner(self)), min=0.0))

    def project(self, points: TableLike) -> RKHSFunction:
        """Return the orthogonal projection on the span of k(z, ·) for given points z; it agrees with f there.

        Directions in which the kernel matrix of the points vanishes, up to rounding, are dropped.
        """
        if not self.kernel.is_positive_definite or not self.kernel._composable:
            order = self.kernel.conditional_order
            raise errors.conditional_kernel(self.kernel, order, "projections need inner products", "use another kernel")
        Z = namespaces.like(evaluate.read_rows(points, "points"), self.points)
        if Z.shape[1] != self.points.shape[1]:
            raise errors.columns_of_points(Z.shape[1], self.points.shape[1])
        if Z.shape[0] == 0:
            raise errors.InputError("points has no rows, so they span nothing to project on; pass at least one.")
        xp = namespaces.namespace(Z)
        values, vectors = xp.linalg.eigh(self.kernel._gram(Z))
        floor = 16.0 * Z.shape[0] * namespaces.EPS * float(xp.max(values))
        keep = values > floor
        inverse = xp.where(keep, 1.0 / xp.where(keep, values, xp.ones_like(values)), xp.zeros_like(values))
        image = vectors.T @ self._values(Z)
        return self._with(Z, vectors @ (image * inverse if image.ndim == 1 else image * inverse[:, None]))

    # -- helpers -------------------------------------------------------------------------------------------------

    def _with(self, points: Array, coefficients: Array) -> RKHSFunction:
        return RKHSFunction(self.kernel, points, coefficients)

    def _check_same(self, other: RKHSFunction) -> None:
        if not same_kernel(self.kernel, other.kernel):
            raise errors.InputError(
                f"The functions live in different spaces: one has the kernel {self.kernel!r}, the other "
                f"{other.kernel!r}. Sums and inner products need the same kernel with the same parameters."
            )
        if self.points.shape[1] != other.points.shape[1]:
            raise errors.columns_of_points(self.points.shape[1], other.points.shape[1])

    def _check_normed(self) -> None:
        order = self.kernel.conditional_order
        if order == 0:
            return
        xp = namespaces.namespace(self.points)
        T = self.kernel._trend(self.points)
        size = xp.sqrt(xp.sum(T**2, axis=0))
        moments = (T / xp.where(size > 0, size, xp.ones_like(size))).T @ self.coefficients
        if float(xp.max(xp.abs(moments))) > 1e-8 * float(xp.max(xp.abs(self.coefficients))) * T.shape[0] ** 0.5:
            raise errors.InputError(
                f"{self.kernel!r} is conditionally positive definite of order {order}: it has inner products only for "
                f"coefficients orthogonal to polynomials of degree below {order}, and these are not."
            )

    def __repr__(self) -> str:
        many = "" if self.coefficients.ndim == 1 else f"{len(self)} functions, "
        return f"RKHSFunction({self.kernel!r}, {many}{self.points.shape[0]} points)"
