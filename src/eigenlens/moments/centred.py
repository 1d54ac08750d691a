"""Weights, means and centred sums of squares of one or several groups of rows.

A block is centred on its own (group) means before anything is squared, and blocks are merged by the shift of the means,

    T = T₁ + T₂ + (W₁W₂/W) (m₁ − m₂)(m₁ − m₂)ᵀ          (Chan, Golub, LeVeque 1979),

so that raw sums ΣxxᵀW − Wmmᵀ, which lose every digit at a large offset, appear nowhere. Means are kept as a pivot (a
typical row, shared by all parts of a pass) plus a small remainder, and so keep the digits that an offset would take.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import errors, exponents, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..rows import Block, dense_blocks
from . import centring
from .base import AboutPivot, Moments
from .centring import CentredBlock, Codes, centre_block, sparse_is_worth_it, sparse_scatter, sparse_squares
from .form import INCOMPLETE, Form, Keeps

FACTOR_WORK = 5e7  # multiplications a triangular factor may cost without anyone noticing


class Centred(AboutPivot):
    """Group weights and means, and one pooled sum of squares about them.

    Scatter and Factor are this with a single group; Grouped shares one of it among all groups.

    Attributes
    ----------
    weights : ndarray of shape (G,)
    pivot : array of shape (p,)
        In the units of the data.
    shift : array of shape (G, p)
        Group means minus the pivot, over 2^exponent.
    exponent : ndarray of int, shape (p,), or None
        Power of two taken out of each column; None where none is.
    store : Form
        Σ w (x − m)(x − m)ᵀ of all groups, over 2^exponent in rows and columns.
    n_rows : int
        Rows seen.
    dtype : dtype
        Of the rows, and so of results.
    """

    keeps: ClassVar[Keeps]
    exact: ClassVar[bool] = True  # whether means are taken out of the rows, rather than of their sums of squares
    pivot: Array
    shift: Array
    store: Form
    dtype: Any

    def __init__(self) -> None:
        self.weights: np.ndarray = np.zeros(1)
        self.n_rows = 0
        self.ordinary = False  # every row so far was single precision of weight one: nothing can overflow

    def anchored_at(self, row: Array, n_groups: int = 1) -> Self:
        """Return empty moments with `row` as the pivot."""
        new = type(self)()
        new.weights = np.zeros(n_groups)
        xp = namespaces.namespace(row)
        new.dtype = row.dtype
        new.pivot = xp.astype(row, xp.float64)
        new.shift = xp.zeros((n_groups, row.shape[0]), dtype=xp.float64, device=namespaces.device(row))
        new.store = Form.of_rows(new.shift[:0, :], new.keeps)
        return new

    @property
    def weight(self) -> float:
        return float(self.weights.sum())

    @property
    def squared(self) -> bool:  # type: ignore[override]
        return bool(self.store.squared)

    @property
    def unit(self) -> Array:
        """Power of two taken out of each column."""
        ones = namespaces.namespace(self.pivot).ones_like
        return ones(self.pivot) if self.exponent is None else exponents.units(self.exponent, self.pivot)

    @property
    def mean(self) -> Array:
        """Mean of the first group, in the units of the data."""
        return self.means[0, :]

    @property
    def means(self) -> Array:
        """Mean of each group, in the units of the data, as far as float64 can hold it."""
        if not hasattr(self, "pivot"):
            raise errors.empty_moments()
        return self.pivot + self.shift * self.unit

    def _means(self) -> dict[str, np.ndarray]:
        return {"all rows": np.asarray(namespaces.to_numpy(self.mean))}

    @property
    def factor(self) -> Array | None:
        """Rows F with FᵀF = the sum of squares, over 2^exponent; None where only the matrix is kept."""
        return self.store.factor

    @property
    def matrix(self) -> Array:
        """Sum of squares and products, over 2^exponent in rows and columns."""
        if not hasattr(self, "pivot"):
            raise errors.empty_moments()
        return self.store.dense()

    def constant_columns(self) -> Array:
        """Tell which columns do not vary within any group: squares up to W·(ε·size)² are the rounding of means."""
        xp = namespaces.namespace(self.pivot)
        size = xp.max(xp.maximum(xp.abs(self.shift + self.pivot / self.unit), xp.abs(self.shift)), axis=0)
        return self.store.diagonal() <= float(self.weights.sum()) * (namespaces.EPS * size) ** 2

    def update_groups(self, X: Array, weight: Array | None, codes: Codes) -> Self:
        """Take in rows whose groups are given by codes."""
        if X.shape[1] != self.pivot.shape[0]:
            raise errors.moments_differ("the number of columns", self.n_features, X.shape[1])
        if X.shape[0] == 0:
            return self
        if namespaces.is_sparse(X):
            return self._update_sparse(X, weight, codes)
        centred = centre_block(X, weight, codes, len(self.weights), self.pivot, self.exact)
        part = type(self)() if self.n_rows else self
        dtype = self.dtype if X.dtype == self.dtype else namespaces.namespace(X).result_type(X.dtype, self.dtype)
        part.pivot, part.n_rows, part.dtype = self.pivot, int(X.shape[0]), dtype
        part._set_centred(centred)
        if part is not self:
            return self.merge(part)
        self.store = self.store.compacted()
        return self

    def _update_sparse(self, X: Any, weight: Array | None, codes: Codes) -> Self:
        """Take in sparse rows, as they are where that pays."""
        found = self._sums_of_sparse(X, weight, codes)
        if found is None:
            for block in dense_blocks(Block(X, codes, weight)):
                self.update_groups(block.X, block.weight, block.y)
            return self
        part = type(self)()
        part.pivot, part.dtype, part.n_rows = self.pivot, np.result_type(X.dtype, self.dtype), int(X.shape[0])
        part.store, means, part.weights = found
        part.shift = means - self.pivot
        return self.merge(part)

    def _sums_of_sparse(self, X: Any, weight: Array | None, codes: Codes) -> tuple[Form, np.ndarray, np.ndarray] | None:
        """Return the sum of squares of sparse rows, their means and weights; None where they should be dense."""
        return sparse_scatter(X, weight, codes, len(self.weights)) if sparse_is_worth_it(X, weight) else None

    def _set_centred(self, block: CentredBlock) -> None:
        """Become the moments of these rows."""
        self.weights, self.shift, self.ordinary = block.weights, block.shift, block.ordinary
        residual = block.residual
        if block.ordinary:
            self.store = Form.of_rows(block.rows, self.keeps)
        else:
            lifted = np.full(block.rows.shape[1], block.lift)
            self.store, exponent = centring.summed(self.keeps, block.rows, lifted)
            if block.lift or exponent.any():
                factor = exponents.shrink(lifted, exponent, self.pivot)
                self.shift, residual = self.shift * factor, residual * factor
                self.exponent = exponent if exponent.any() else None
        if self.keeps != "factor":
            self.store = self.store.without_means(residual, _per_group(self.weights, self.pivot))

    def _require_like(self, other: Moments) -> None:
        if isinstance(other, Centred) and (self.keeps == "squares") != (other.keeps == "squares"):
            raise errors.InputError(INCOMPLETE)
        if not isinstance(other, self._merges_with):
            raise errors.moments_differ("the kind of moments", type(self).__name__, type(other).__name__)

    @property
    def _merges_with(self) -> type[Centred]:
        return Centred

    def _join(self, other: Centred) -> None:
        if self.n_rows == 0:
            self._become(other)
            return
        exponent = self.joint_exponent(other)
        a, b = self.rescaled(exponent), other.rescaled(exponent).brought_to(self.pivot)
        jump = b.moved_to(a.pivot).shift - a.shift
        total = self.weights + other.weights
        share = other.weights / np.where(total > 0, total, 1.0)
        spread = jump * _per_group(np.sqrt(self.weights * share), jump)
        self.store = a.store.plus(b.store)
        self.shift = a.shift + jump * _per_group(share, jump)
        self.ordinary = self.ordinary and other.ordinary
        self.weights, self.exponent = total, exponent
        self.n_rows += other.n_rows
        self.dtype = namespaces.namespace(self.pivot).result_type(self.dtype, b.dtype)
        self._take_in(spread)

    def _become(self, other: Centred) -> None:
        """Take over what another object has seen, where this one has seen nothing."""
        store = other.store
        if other.keeps != self.keeps:
            store = Form.of_rows(other.shift[:0, :], self.keeps).plus(store)
        self.__dict__.update(other.__dict__)
        self.store = store.compacted()

    def brought_to(self, like: Array) -> Self:
        """Return the same moments in the array library and on the device of `like`."""
        if type(like) is type(self.pivot) and namespaces.device(like) == namespaces.device(self.pivot):
            return self
        new = self.copy()
        new.pivot, new.shift = namespaces.like(self.pivot, like), namespaces.like(self.shift, like)
        new.store = self.store.brought_to(like)
        new.dtype = namespaces.same_dtype(self.dtype, namespaces.namespace(like))
        return new

    def _take_in(self, rows: Array) -> None:
        """Add rows, in the units of this object, to the sum of squares."""
        if self.ordinary:
            self.store = self.store.plus(Form.of_rows(rows, self.keeps))
            return
        store, exponent = centring.summed(self.keeps, rows, self._exponents)
        extra = type(self)().anchored_at(self.pivot)
        extra.store, extra.exponent = store, exponent if exponent.any() else None
        common = self.joint_exponent(extra)
        moved = self.rescaled(common)
        self.shift, self.exponent = moved.shift, common
        self.store = moved.store.plus(extra.rescaled(common).store)

    @property
    def group_weights(self) -> np.ndarray:
        """Total weight of each group."""
        return self.weights

    def regrouped(self, places: np.ndarray, n_groups: int) -> Self:
        """Return moments with more groups, the present ones at the given places."""
        new = self.copy()
        new.weights = np.bincount(places, self.weights, minlength=n_groups)
        new.shift = namespaces.group_sums(self.shift, namespaces.like(places, self.shift), n_groups, None)
        return new

    @property
    def scalable(self) -> bool:
        return self._merges_with is Centred and self.exponent is None

    def about(self, point: Array) -> Self:
        """Return one group of all rows, its sum of squares taken about a point (minus the pivot, over 2^exponent)."""
        new = self.copy()
        apart = (self.shift - point) * namespaces.like(np.sqrt(self.weights), self.shift)[:, None]
        new.weights, new.shift = np.array([self.weight]), point[None, :]
        new._take_in(apart)
        return new

    def sealed(self) -> Self:
        spread = np.sqrt(namespaces.to_numpy(self.store.diagonal()) / max(self.weight, 1.0))
        step = 2.0 ** np.ceil(np.log2(np.where(spread > 0, spread, 1.0))) * namespaces.to_numpy(self.unit)
        near = np.round(namespaces.to_numpy(self.mean) / step) * step
        new = self.moved_to(namespaces.like(near, self.pivot))
        new.store = self.store.as_triangle()
        return new

    def times(self, factor: float) -> Self:
        new = self.copy()
        new.weights, new.store, new.ordinary = self.weights * factor, self.store.times(factor), False
        return new

    def _is_zero(self) -> np.ndarray:
        zero = (self.store.diagonal() == 0) & namespaces.namespace(self.shift).all(self.shift == 0, axis=0)
        return np.asarray(namespaces.to_numpy(zero))

    def moved_to(self, pivot: Array) -> Self:
        """Return the same moments about another pivot."""
        if pivot is self.pivot:
            return self
        new, apart = self.copy(), self.pivot - pivot
        new.pivot, new.shift = pivot, self.shift + apart / exponents.units(self.exponent, apart)
        return new

    def _scaled(self, factor: Array) -> Self:
        new = self.copy()
        new.shift, new.store = self.shift * factor, self.store.column_scaled(factor)
        return new

    def divided(self, scale: Array) -> Self:
        """Return the moments of columns divided by positive numbers, which are given over 2^exponent."""
        new = self._scaled(1.0 / scale)
        new.pivot, new.exponent, new.ordinary = self.pivot / self.unit / scale, None, False
        return new


@stored("moments.Scatter")
class Scatter(Centred):
    """Weight, mean and centred scatter T = Σ w (x − m)(x − m)ᵀ of the rows seen.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.moments import Scatter
    >>> from eigenlens.rows import Block
    >>> X = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 7.0]])
    >>> one = Scatter().update(Block(X[:1])).merge(Scatter().update(Block(X[1:])))
    >>> one.mean
    array([2., 3.])
    >>> one.matrix
    array([[ 8., 12.],
           [12., 24.]])
    """

    keeps = "matrix"
    exact = False
    takes_sparse = True

    @classmethod
    def from_covariance(cls, covariance: Any, weight: float, mean: Any = None, ddof: float = 1.0) -> Scatter:
        """Make the moments of a table of which only the covariance matrix is known.

        Parameters
        ----------
        covariance : array of shape (p, p)
            Covariance or correlation matrix.
        weight : float
            Number of rows (total weight) it was computed from.
        mean : array of shape (p,), optional
            Zero if not given.
        ddof : float
            The covariance had the divisor weight − ddof.
        """
        S = np.asarray(covariance, dtype=np.float64)
        centre = np.zeros(S.shape[0]) if mean is None else np.asarray(mean, dtype=np.float64)
        new = cls().anchored_at(centre)
        new.weights, new.n_rows = np.array([float(weight)]), int(weight)
        new.store = Form(matrix=S * (weight - ddof))
        return new


@stored("moments.Factor")
class Factor(Centred):
    """The same as Scatter, kept as a triangular factor: R with RᵀR = T.

    Squaring the data halves their digits: at condition 10⁸ a scatter matrix holds one or two right digits of the
    smallest singular value, its triangular factor ten. While there are fewer rows than columns, the rows themselves are
    the factor.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.moments import Factor
    >>> from eigenlens.rows import Block
    >>> X = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 7.0]])
    >>> R = Factor().update(Block(X[:2])).update(Block(X[2:])).factor
    >>> (R.T @ R).round(12)
    array([[ 8., 12.],
           [12., 24.]])
    """

    keeps = "factor"


@stored("moments.Outline", renamed={"products": None, "most_steps": None})
class Outline(Centred):
    """Weight, means and variances of the rows seen, without their scatter.

    If a table has many columns and you want few directions, these are found from products with the rows, and p × p
    numbers are never needed. Outlines merge with each other, but say nothing about directions.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.moments import Outline
    >>> from eigenlens.rows import Block
    >>> outline = Outline().update(Block(np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 7.0]])))
    >>> outline.mean, outline.store.diagonal()
    (array([2., 3.]), array([ 8., 24.]))
    """

    keeps = "squares"
    takes_sparse = True

    @property
    def _merges_with(self) -> type[Centred]:
        return Outline

    def _sums_of_sparse(self, X: Any, weight: Array | None, codes: Codes) -> tuple[Form, np.ndarray, np.ndarray]:
        return sparse_squares(X, weight)

    def lacks(self, needed: Moments) -> tuple[str, str] | None:
        return ("a scatter", "means and variances only") if not isinstance(needed, Outline) else None

    def with_products(self, products: Any) -> Self:
        """Return the same moments with products with their rows, or, where that is None, without them."""
        new = self.copy()
        new.store = replace(self.store, products=products)
        return new


def choose_kind(n_rows: int | None, n_columns: int) -> type[Centred]:
    """Choose between the two ways of keeping a scatter of so many rows, if known, and columns.

    A triangular factor keeps all digits where the scatter keeps half of them, and needs only n rows where the
    scatter needs p; it costs about five times the work. So: the factor for fewer rows than columns and for small
    tables, where the difference in time does not matter; the scatter otherwise.
    """
    if n_rows is not None and (n_rows <= n_columns or n_rows * n_columns**2 <= FACTOR_WORK):
        return Factor
    return Scatter


def _per_group(values: np.ndarray, like: Array) -> Any:
    """Return one number for each group as a factor of its row; a plain number where there is one group."""
    return float(values[0]) if len(values) == 1 else namespaces.like(values, like)[:, None]
