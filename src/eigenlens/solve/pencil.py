"""The problem: a positive semidefinite form A, measured against another one, B."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import linalg, namespaces
from ..arrays.stored import stored
from ..arrays.threads import rows_times
from ..arrays.typing import Array


@stored("Form")
@dataclass(frozen=True, eq=False)
class Form:
    """A positive semidefinite quadratic form on p coordinates, as a matrix or as rows F with the form FᵀF.

    Attributes
    ----------
    matrix : array of shape (p, p), or None
    factor : array of shape (r, p), or None
        Exactly one of the two is given. A factor keeps all digits where its square keeps half of them.
    squared : bool
        Whether the form went through a squared stage on its way here.

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

    @classmethod
    def of(cls, sums: Any, divisor: float) -> Form:
        """Sums of squares over a divisor; moments store them as rows of a factor, or, without any, as a matrix."""
        store = sums.store
        values = store.matrix() if store.rows is None else store.rows
        if divisor != 1.0:
            values = values / (divisor if store.rows is None else divisor**0.5)
        return cls(matrix=values) if store.rows is None else cls(factor=values, squared=store.squared)

    @property
    def values(self) -> Array:
        """The array that is given."""
        return self.matrix if self.factor is None else self.factor

    @property
    def shape(self) -> tuple[int, int]:
        """Of the array that is given."""
        given = self.matrix if self.factor is None else self.factor
        return given.shape[0], given.shape[1]

    @property
    def dimension(self) -> int:
        return self.shape[1]

    def diagonal(self) -> Array:
        if self.factor is None:
            return namespaces.namespace(self.matrix).linalg.diagonal(self.matrix)
        return namespaces.column_squares(self.factor)

    def trace(self) -> float:
        squares = self.diagonal()
        return float(namespaces.namespace(squares).sum(squares))

    def dense(self) -> Array:
        """The form as a matrix."""
        return self.matrix if self.factor is None else linalg.gram(self.factor)

    def apply(self, V: Array) -> Array:
        """The form times V."""
        return self.matrix @ V if self.factor is None else self.factor.T @ (self.factor @ V)

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

    def times(self, number: float) -> Form:
        """The form multiplied by a positive number."""
        if self.factor is None:
            return Form(matrix=self.matrix * number)
        return Form(factor=self.factor * number**0.5, squared=self.squared)

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
            return Form(factor=self.factor * d, squared=self.squared)
        return Form(matrix=self.matrix * d * d[:, None])

    def plus_identity(self, ridge: float) -> Form:
        """The form plus ridge·I."""
        if ridge == 0:
            return self
        xp = namespaces.namespace(self.values)
        eye = xp.eye(self.dimension, dtype=xp.float64, device=namespaces.device(self.values))
        if self.factor is None:
            return Form(matrix=self.matrix + ridge * eye)
        return Form(factor=xp.concat([self.factor, ridge**0.5 * eye], axis=0), squared=self.squared)

    def plus_squares(self, sizes: Array) -> Form:
        """The form plus diag(sizes²)."""
        eye = namespaces.namespace(sizes).eye(self.dimension, dtype=sizes.dtype, device=namespaces.device(sizes))
        if self.factor is None:
            return Form(matrix=self.matrix + eye * sizes**2)
        rows = namespaces.namespace(sizes).concat([self.factor, eye * sizes], axis=0)
        return Form(factor=rows, squared=self.squared)


@dataclass(frozen=True, eq=False)
class Pencil:
    """Find directions v with A v = λ B v, the largest λ first, Vᵀ B V = I.

    Attributes
    ----------
    A : Form
        What is to be large.
    B : Form or None
        What it is measured against; None is the identity.
    n_components : int or None
        How many directions are wanted; None is all of them.
    constant : boolean array of shape (p,), or None
        Columns of B (of A, if there is no B) known to be zero except for rounding.
    most : int or None
        How many positive values there can be, for instance by the number of rows; condition is judged on these.
    leading : bool
        Whether only the sum of the values is needed for the directions that are not kept.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve import Form, Pencil, solve
    >>> A, B = np.diag([4.0, 9.0]), np.diag([1.0, 3.0])
    >>> solve(Pencil(Form(matrix=A), Form(matrix=B))).values
    array([4., 3.])
    """

    A: Form
    B: Form | None = None
    n_components: int | None = None
    constant: Array | None = None
    most: int | None = None
    leading: bool = False

    @property
    def dimension(self) -> int:
        return self.A.dimension
