"""A sum of squares and products: what moments keep of rows, and what is solved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ..arrays import errors, linalg, namespaces
from ..arrays.stored import stored
from ..arrays.threads import rows_times
from ..arrays.typing import Array

INCOMPLETE = (
    "These moments keep means and variances only: directions were found from products with the rows, without a scatter "
    "of all columns. Fit with solver='dense' to keep one, or pass the rows."
)
Keeps = Literal["matrix", "factor", "squares"]


def _of_squares(old: Any) -> None:
    """Say of variances from older files that they went through no squared stage."""
    object.__setattr__(old, "squared", False)


@stored("Form")
@stored("moments.Diagonal", renamed={"values": "squares"}, upgrade=_of_squares)
@stored("moments.Triangle", renamed={"rows": "factor"})
@stored("moments.Gram", renamed={"values": "matrix"})
@dataclass(frozen=True, eq=False)
class Form:
    """A positive semidefinite quadratic form on p coordinates: a matrix, rows F with the form FᵀF, or its diagonal.

    Attributes
    ----------
    matrix : array of shape (p, p), or None
    factor : array of shape (r, p), or None
        Keeps all digits where its square keeps half of them.
    squared : bool
        Whether the form went through a squared stage on its way here.
    squares : array of shape (p,), or None
        The diagonal, where neither a matrix nor a factor is kept.
    products : RowProducts or None
        Beside the diagonal: products with rows of the form, which are never formed.
    triangular : bool
        Whether the factor is an upper triangle.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve import Form, Pencil, solve
    >>> form = Form(factor=np.array([[3.0, 0.0], [0.0, 2.0]]))
    >>> solve(Pencil(form)).values
    array([9., 4.])
    """

    matrix: Any = None
    factor: Any = None
    squared: bool = True
    squares: Any = None
    products: Any = None
    triangular: bool = False

    @staticmethod
    def of(sums: Any, divisor: float) -> Form:
        """Sums of squares over a divisor, as moments keep them."""
        store: Form = sums.store
        if store.squares is not None and store.products is None:
            raise errors.InputError(INCOMPLETE)
        return store if divisor == 1.0 or store.products is not None else store.times(1 / divisor)

    @classmethod
    def of_rows(cls, rows: Array, keeps: Keeps) -> Form:
        """The sum of squares of rows, kept as a matrix, as these rows, or as its diagonal."""
        if keeps == "matrix":
            return cls(matrix=linalg.gram(rows))
        return cls(factor=rows, squared=False) if keeps == "factor" else cls._diagonal(namespaces.column_squares(rows))

    @classmethod
    def _diagonal(cls, squares: Array, products: Any = None) -> Form:
        return cls(squares=squares, products=products, squared=False)

    @property
    def values(self) -> Array:
        """The array that is given."""
        given = self.matrix if self.factor is None else self.factor
        return self.squares if given is None else given

    @property
    def shape(self) -> tuple[int, int]:
        """Of the array that is given, or of the rows that are multiplied with."""
        given = self.matrix if self.factor is None else self.factor
        rows, columns = (self.products if given is None else given).shape
        return rows, columns

    @property
    def dimension(self) -> int:
        return int(self.values.shape[-1])

    @cached_property
    def _column_squares(self) -> Array:
        return namespaces.column_squares(self.factor)

    def diagonal(self) -> Array:
        if self.factor is not None:
            return self._column_squares  # asked several times in a fit
        return self.squares if self.matrix is None else namespaces.namespace(self.matrix).linalg.diagonal(self.matrix)

    def trace(self) -> float:
        squares = self.diagonal()
        return float(namespaces.namespace(squares).sum(squares))

    def dense(self) -> Array:
        """The form as a matrix."""
        if self.squares is not None:
            raise errors.InputError(INCOMPLETE)
        return self.matrix if self.factor is None else linalg.gram(self.factor)

    def apply(self, V: Array) -> Array:
        """The form times V."""
        return self.matrix @ V if self.factor is None else self.factor.T @ (self.factor @ V)

    # -- sums ------------------------------------------------------------------------------------------------------

    def plus(self, other: Form) -> Form:
        """The sum of two forms, kept as this one is."""
        if self.matrix is not None:
            return Form(matrix=self.matrix + other.dense())
        if self.factor is None:
            return self._diagonal(self.squares + other.diagonal())
        theirs = Form(factor=square_root(other.dense())) if other.factor is None else other
        first, second, squared = self.factor, theirs.factor, self.squared or theirs.squared
        if 0 in second.shape:
            return replace(self, squared=squared)
        if first.shape[0] + second.shape[0] <= first.shape[1]:
            return Form(factor=namespaces.namespace(first).concat([first, second], axis=0), squared=squared)
        return Form(factor=linalg.stack_triangle(self.as_triangle().factor, second), squared=squared, triangular=True)

    def without_means(self, means: Array, weights: Array | float) -> Form:
        """Take out Σ w m mᵀ, for means that are small compared with the rows; weights as a factor of their rows."""
        if self.matrix is None:
            return self._diagonal(self.squares - namespaces.namespace(means).sum(weights * means**2, axis=0))
        product = (means * -weights).T @ means
        product += self.matrix  # a second large array would cost more than the sum
        return Form(matrix=product)

    def compacted(self) -> Form:
        """The form with no more rows than columns."""
        if self.factor is None or self.factor.shape[0] <= self.factor.shape[1]:
            return self
        return Form(factor=linalg.triangle(self.factor), squared=self.squared, triangular=True)

    def as_triangle(self) -> Form:
        """The form with a p × p upper triangle in place of rows, in which no row is a row of data."""
        if self.factor is None or self.triangular:
            return self
        R = linalg.triangle(self.factor) if self.factor.shape[0] > 0 else self.factor
        return replace(Form(factor=R, squared=self.squared).with_rows(self.dimension), triangular=True)

    def brought_to(self, like: Array) -> Form:
        """The same form in the array library and on the device of `like`."""
        matrix, factor, squares = (
            None if array is None else namespaces.like(array, like)
            for array in (self.matrix, self.factor, self.squares)
        )
        return replace(self, matrix=matrix, factor=factor, squares=squares)

    # -- directions ------------------------------------------------------------------------------------------------

    def decomposed(self, k: int) -> tuple[Array, Array, Array | None, float]:
        """Decompose the form in full: its factor where it has one, so that small values keep their digits.

        Like every solver it returns singular values (descending; all of them, or the k it found), k vectors, their
        images where there is a factor, and a residual.
        """
        if self.factor is not None:
            left, s, right = linalg.thin_svd(self.factor)
            return s, right.T[:, :k], left[:, :k], 0.0
        xp = namespaces.namespace(self.matrix)
        values, vectors = linalg.symmetric_eigh(self.matrix)
        return xp.sqrt(xp.clip(xp.flip(values), min=0.0)), xp.flip(vectors, axis=1)[:, :k], None, 0.0

    def leading(self, k: int) -> tuple[Array, Array, Array | None, float]:
        """Decompose the form, as a matrix, for its k leading directions: a third of the work where they are few."""
        matrix = self.dense()
        if not isinstance(matrix, np.ndarray):
            return Form(matrix=matrix).decomposed(k)
        values, vectors = linalg.leading_eigh(matrix, k)
        return np.sqrt(np.maximum(values, 0.0)), vectors, None, 0.0

    @cached_property
    def spaces(self) -> list[Any]:
        """What searches for its leading directions have left for those that ask more of it; no part of the form."""
        return []

    def operator(self) -> Callable[[Array], Array]:
        """The form as a function of rows."""
        matrix = self.dense()
        return lambda V: rows_times(V, matrix)

    # -- other forms -----------------------------------------------------------------------------------------------

    def times(self, number: float) -> Form:
        """The form multiplied by a positive number."""
        if self.factor is not None:
            return replace(self, factor=self.factor * number**0.5)
        return Form(matrix=self.matrix * number) if self.squares is None else self._diagonal(self.squares * number)

    def seen_through(self, V: Array) -> Form:
        """The form in other coordinates: Vᵀ·form·V."""
        if self.factor is not None:
            return Form(factor=self.factor @ V, squared=self.squared)
        M = V.T @ self.matrix @ V
        return Form(matrix=(M + M.T) / 2)

    def with_rows(self, count: int) -> Form:
        """The form with a factor of at least so many rows, padded with zeros, so it has as many directions."""
        if self.factor is None or self.factor.shape[0] >= count:
            return self
        xp = namespaces.namespace(self.factor)
        shape = (count - self.factor.shape[0], self.dimension)
        rest = xp.zeros(shape, dtype=self.factor.dtype, device=namespaces.device(self.factor))
        return Form(factor=xp.concat([self.factor, rest], axis=0), squared=self.squared)

    def column_scaled(self, d: Array) -> Form:
        """The form with its coordinates multiplied by d."""
        if self.factor is not None:
            return replace(self, factor=self.factor * d)
        if self.matrix is not None:
            return Form(matrix=self.matrix * d * d[:, None])
        return self._diagonal(self.squares * d**2, None if self.products is None else self.products.scaled(d))

    def plus_identity(self, ridge: float) -> Form:
        """The form plus ridge·I."""
        if ridge == 0:
            return self
        squares = self.diagonal()
        return self.plus_squares(namespaces.namespace(squares).ones_like(squares) * ridge**0.5)

    def plus_squares(self, sizes: Array) -> Form:
        """The form plus diag(sizes²)."""
        eye = namespaces.namespace(sizes).eye(self.dimension, dtype=sizes.dtype, device=namespaces.device(sizes))
        if self.factor is None:
            return Form(matrix=self.matrix + eye * sizes**2)
        rows = namespaces.namespace(sizes).concat([self.factor, eye * sizes], axis=0)
        return Form(factor=rows, squared=self.squared)


def square_root(matrix: Array) -> Array:
    """Return F with FᵀF = matrix."""
    xp = namespaces.namespace(matrix)
    with linalg.limit_blas(matrix.shape[0] ** 2):
        values, vectors = xp.linalg.eigh(matrix)
    return vectors.T * xp.sqrt(xp.clip(values, min=0.0))[:, None]
