"""Means and variances alone: what is kept of rows whose directions are found by multiplying the rows themselves."""

from __future__ import annotations

from typing import Any, NoReturn, Self

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from .base import Moments
from .centred import Centred
from .centring import INCOMPLETE, Codes, Store
from .sparse_scatter import column_squares


@stored("moments.Diagonal")
class Diagonal:
    """Sums of squares of the columns, without those of their products."""

    rows = None
    squared = False
    complete = False

    def __init__(self, values: Array) -> None:
        self.values = values

    @classmethod
    def of(cls, rows: Array) -> Diagonal:
        return cls(namespaces.column_squares(rows))

    def plus(self, other: Store) -> Diagonal:
        return Diagonal(self.values + other.diagonal())

    def without_means(self, means: Array, weights: Array | float) -> Diagonal:
        """Take out Σ w m², for means that are small compared with the rows; weights as a factor of their rows."""
        return Diagonal(self.values - namespaces.namespace(means).sum(weights * means**2, axis=0))

    def scaled(self, factor: Array) -> Diagonal:
        return Diagonal(self.values * factor**2)

    def triangular_only(self) -> Diagonal:
        return self  # sums of squares hold no cell of a single row

    def compacted(self) -> Diagonal:
        return self

    def brought_to(self, like: Array) -> Diagonal:
        return Diagonal(namespaces.like(self.values, like))

    def diagonal(self) -> Array:
        return self.values

    def matrix(self) -> NoReturn:
        raise errors.InputError(INCOMPLETE)


@stored("moments.Outline")
class Outline(Centred):
    """Weight, means and variances of the rows seen, without their scatter.

    If a table has many columns and you want few directions, these are found from products with the rows, and p × p
    numbers are never needed. Outlines merge with each other, but say nothing about directions.

    Attributes
    ----------
    products : Products or None
        Products with the rows, while they are available.
    most_steps : int
        Largest number of products with a block of vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.moments import Outline
    >>> from eigenlens.rows import Block
    >>> outline = Outline().update(Block(np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 7.0]])))
    >>> outline.mean, outline.store.diagonal()
    (array([2., 3.]), array([ 8., 24.]))
    """

    store_type = Diagonal
    takes_sparse = True
    products: Any = None
    most_steps: int = 0

    @property
    def factor(self) -> Array | None:
        return None

    @property
    def _merges_with(self) -> type[Centred]:
        return Outline

    def _update_sparse(self, X: Any, weight: Array | None, codes: Codes) -> Self:
        part = type(self)()
        part.pivot, part.dtype, part.n_rows = self.pivot, np.result_type(X.dtype, self.dtype), int(X.shape[0])
        part.weights, means, squares = column_squares(X, weight)
        part.store, part.shift = Diagonal(squares), (means - self.pivot)[None, :]
        return self.merge(part)

    def divided(self, scale: Array) -> Self:
        new = super().divided(scale)
        if self.products is not None:
            new.products = self.products.scaled(1.0 / scale)
        return new

    def lacks(self, needed: Moments) -> tuple[str, str] | None:
        return ("a scatter", "means and variances only") if not isinstance(needed, Outline) else None

    def without_rows(self) -> Self:
        """Return the same moments without the rows."""
        new = self.copy()
        new.products = None
        return new
