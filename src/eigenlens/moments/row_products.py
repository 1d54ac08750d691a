"""Products of a few vectors with the centred, weighted rows of a source: XᵀWX·v without XᵀWX.

Vectors are rows here, so a product runs along the memory of the table. Where the offset of the rows is moderate, it is
taken out of the products, one number for each vector; rows far from the origin are centred first, a few at a time. A
sparse table stays as it is. Rows that do not lie in memory are read once for each product.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import scipy.sparse

from ..arrays import linalg, namespaces
from ..arrays.threads import PARALLEL_CELLS, thread_count, threaded
from ..arrays.typing import Array
from ..rows import Block, Source
from .outline import Outline

FAR = 1e3  # times the spread of a typical direction that an offset may be: three digits of sixteen
SINGLE_FAR = 10.0  # the same where products are taken in single precision
ONE = 1  # vector at a time of a sparse table: a block of them takes more products, and saves little on each
SQUARED_FAR = 1e2  # the same where it is taken out of squares
SMALL = 600  # rows, or columns, of a sparse table whose products with each other are formed
COUNTED = 2**22  # cells that are counted at a time
MOST_GRAM = 2**28  # bytes of such products of a dense table, which a search may form on its way
PIECE_BYTES = 2**23  # of rows that are converted or centred together
DEVICE_PIECE_BYTES = 2**30  # the same on a device, which wants few large products


class Products(ABC):
    """Products with centred rows, weighted by the roots of their weights.

    Attributes
    ----------
    shape : (int or None, int)
        Rows and columns.
    like : array
        Of the library and device on which vectors are to be.
    single : bool
        Whether products are taken in single precision.
    width : int or None
        How many vectors are best multiplied at a time, where that is few.
    forms_gram : bool
        Whether the products of rows with each other, or of columns where those are fewer, cost less than a search.
    may_form : bool
        Whether they can be formed where a search turns out to be long.
    """

    like: Array
    single: bool = False
    width: int | None = None
    forms_gram: bool = False
    may_form: bool = False

    def __init__(self, shape: tuple[int | None, int]) -> None:
        self.shape = shape
        self._passes = 0

    @property
    def passes(self) -> int:
        """How often the rows were read."""
        return self._passes

    @property
    def over_rows(self) -> bool:
        """Whether vectors have a number for each row rather than for each column: those are fewer."""
        return self.shape[0] is not None and self.shape[0] < self.shape[1]

    @property
    def side(self) -> int:
        """How long vectors are."""
        n, p = self.shape
        return n if self.over_rows and n is not None else p

    @abstractmethod
    def forward(self, V: Array) -> Array:
        """Return V·Xᵀ for vectors over the columns."""

    @abstractmethod
    def backward(self, U: Array) -> Array:
        """Return U·X for vectors over the rows."""

    def squared(self, V: Array) -> Array:
        """Return vectors times XᵀX, or XXᵀ where they are over the rows."""
        return self.forward(self.backward(V)) if self.over_rows else self.backward(self.forward(V))

    def gram(self) -> np.ndarray:
        """Return the products of rows with each other, or of columns where those are fewer."""
        raise NotImplementedError("they are not formed")

    @abstractmethod
    def image_sizes(self, V: Array) -> Array:
        """Return ‖Xv‖ for vectors over the columns."""

    def scaled(self, factor: Array) -> ScaledProducts:
        """Return products with the columns multiplied by numbers."""
        return ScaledProducts(self, factor)


class ScaledProducts(Products):
    """Products with rows whose columns are multiplied by numbers."""

    def __init__(self, inner: Products, factor: Array) -> None:
        super().__init__(inner.shape)
        self._inner, self._factor, self.width = inner, factor, inner.width
        self.like, self.single = inner.like, inner.single

    @property
    def passes(self) -> int:
        return self._inner.passes

    def forward(self, V: Array) -> Array:
        return self._inner.forward(V * self._factor)

    def backward(self, U: Array) -> Array:
        return self._inner.backward(U) * self._factor

    def squared(self, V: Array) -> Array:
        if self.over_rows:
            return self._inner.forward(self._inner.backward(V) * self._factor**2)
        return self._inner.squared(V * self._factor) * self._factor

    def image_sizes(self, V: Array) -> Array:
        return self._inner.image_sizes(V * self._factor)


class ArrayProducts(Products):
    """An array in memory or on a device: whole where its offset is moderate, else in pieces that are centred first."""

    def __init__(self, X: Array, outline: Outline, weight: Array | None) -> None:
        n, p = int(X.shape[0]), int(X.shape[1])
        super().__init__((n, p))
        xp = namespaces.namespace(X)
        self._X, self._root = X, None if weight is None else xp.sqrt(weight)
        self.like, self.single = outline.pivot, namespaces.single(X) and namespaces.on_accelerator(X)
        self._dtype = X.dtype if self.single else xp.float64
        self._mean, self._pivot, self._shift = outline.mean, outline.pivot, outline.shift[0, :]
        far = SINGLE_FAR if self.single else FAR
        near = float(xp.sum(self._mean**2)) <= far**2 * _typical_variance(outline, self.shape)
        whole = X.dtype == self._dtype and near and not _strided(X)
        rows = (DEVICE_PIECE_BYTES if namespaces.on_accelerator(X) else PIECE_BYTES) // (8 * self.shape[1])
        self._step = n if whole else max(rows, 16)
        self._whole = whole
        near = float(xp.sum(self._mean**2)) <= SQUARED_FAR**2 * _typical_variance(outline, self.shape)
        rows_alone = self._root is None or self.over_rows
        self.may_form = isinstance(X, np.ndarray) and whole and near and rows_alone and 8 * self.side**2 <= MOST_GRAM

    def forward(self, V: Array) -> Array:
        self._passes += 1
        xp, cast = namespaces.namespace(V), namespaces.cast(V, self._dtype)
        if self._whole:
            found = _few_times(cast, self._X.T) - namespaces.cast(V @ self._mean, self._dtype)[:, None]
        else:
            found = xp.concat(list(self._over(lambda low, high: cast @ self._rows(low, high).T)), axis=1)
        return found if self._root is None else found * namespaces.cast(self._root, self._dtype)

    def backward(self, U: Array) -> Array:
        self._passes += 1
        U = U if self._root is None else U * self._root
        xp, cast = namespaces.namespace(U), namespaces.cast(U, self._dtype)
        if self._whole:
            return _few_times(cast, self._X) - namespaces.cast(xp.sum(U, axis=1)[:, None] * self._mean, self._dtype)
        parts = self._over(lambda low, high: cast[:, low:high] @ self._rows(low, high))
        return _added(parts)

    def gram(self) -> np.ndarray:
        self._passes += 1
        n = self._X.shape[0]
        if not self.over_rows:
            return linalg.gram(self._X) - n * self._mean[:, None] * self._mean
        G, unit = linalg.gram(self._X.T), np.full(n, n**-0.5)
        if self._root is not None:
            G, unit = G * self._root * self._root[:, None], self._root / np.linalg.norm(self._root)
        G = G - (G @ unit)[:, None] * unit
        return G - unit[:, None] * (unit @ G)

    def _rows(self, low: int, high: int) -> Array:
        """Return centred rows: minus the pivot, which is exact even with a large offset, then minus the rest."""
        rows = namespaces.float64(self._X[low:high, :]) - self._pivot - self._shift
        return namespaces.cast(rows, self._dtype)

    def _over(self, work: Any) -> Iterator[Array]:
        n = self.shape[0]
        assert n is not None
        pieces = ((low, min(low + self._step, n)) for low in range(0, n, self._step))
        if isinstance(self._X, np.ndarray) and n * self.shape[1] >= PARALLEL_CELLS and thread_count() > 1:
            return threaded(lambda piece: work(*piece), pieces)
        return (work(*piece) for piece in pieces)

    def image_sizes(self, V: Array) -> Array:
        return _lengths(namespaces.float64(self.forward(V)))


def _few_times(V: Array, M: Array) -> Array:
    """Return V·M for few rows V; turned over on a device, which then needs 0.95 of the time."""
    return (M.T @ V.T).T if namespaces.on_accelerator(M) else V @ M


def _cells_of_columns(X: Any) -> np.ndarray:
    """Count the cells stored of each column, a piece at a time: NumPy copies what it counts."""
    count = np.zeros(X.shape[1], dtype=np.int64)
    for start in range(0, X.nnz, COUNTED):
        count += np.bincount(X.indices[start : start + COUNTED], minlength=X.shape[1])
    return count


class SparseProducts(Products):
    """A SciPy sparse table, which stays so.

    A column whose mean is a thousand times its spread has no empty cell, unless there are a million rows: such columns,
    and only they, have their pivot taken out of what is stored.
    """

    def __init__(self, X: Any, outline: Outline, weight: np.ndarray | None) -> None:
        super().__init__(X.shape)
        n = X.shape[0]
        self.like = np.empty(0)
        self.width = ONE
        mean, variance = outline.mean, outline.store.diagonal() / outline.weight
        far = mean**2 > FAR**2 * variance
        if far.any():
            far &= _cells_of_columns(X) == n
        self._mean = mean
        if far.any():
            X = X.astype(np.float64)
            moved = np.where(far, outline.pivot, 0.0)
            X.data -= moved[X.indices]
            self._mean = np.where(far, outline.shift[0], mean)
        self._X, self._T = X, X.T
        self._root = None if weight is None else np.sqrt(weight)[:, None]
        self._unit = np.full((n, 1), n**-0.5) if self._root is None else self._root / np.sum(self._root**2) ** 0.5
        few_digits = float(mean @ mean) > SQUARED_FAR**2 * _typical_variance(outline, self.shape)
        self.forms_gram = self.side <= SMALL and not few_digits

    def forward(self, V: np.ndarray) -> np.ndarray:
        self._passes += 1
        found = self._X @ V.T - self._mean @ V.T
        return (found if self._root is None else found * self._root).T

    def backward(self, U: np.ndarray) -> np.ndarray:
        self._passes += 1
        columns = U.T if self._root is None else U.T * self._root
        return (self._T @ columns).T - columns.sum(axis=0)[:, None] * self._mean

    def squared(self, V: np.ndarray) -> np.ndarray:
        self._passes += 2
        root, X, T = self._root, self._X, self._T
        if self.over_rows:
            columns = self._centred(V.T)
            return self._centred(X @ (T @ (columns if root is None else root * columns)), root).T
        columns = self._centred(X @ V.T, root)
        return (T @ (columns if root is None else root * columns)).T

    def gram(self) -> np.ndarray:
        self._passes += 1
        X = self._X if self._root is None else scipy.sparse.csr_array(self._X.multiply(self._root))
        if self.over_rows:
            return self._centred(self._centred((X @ X.T).toarray()).T)
        sums = X.T @ self._unit
        return (X.T @ X).toarray() - sums * sums.T

    def _centred(self, columns: np.ndarray, root: np.ndarray | None = None) -> np.ndarray:
        """Return what is at right angles to the roots of the weights: of a product, that with centred rows."""
        columns = columns if root is None else root * columns
        return columns - self._unit * (self._unit.T @ columns)

    def image_sizes(self, V: np.ndarray) -> np.ndarray:
        return _lengths(self.forward(V))


class SourceProducts(Products):
    """Rows that are read again for each product."""

    def __init__(self, source: Source, outline: Outline) -> None:
        super().__init__((None, source.n_features))
        self._source, self._outline, self.like = source, outline, outline.pivot

    def squared(self, V: Array) -> Array:
        return self._pass(V, sizes=False)

    def image_sizes(self, V: Array) -> Array:
        return self._pass(V, sizes=True) ** 0.5

    def _pass(self, V: Array, sizes: bool) -> Array:
        self._passes += 1
        return self._source.reduce(_Sum(self._outline.without_rows(), V, sizes)).total

    def forward(self, V: Array) -> Array:
        raise NotImplementedError("rows that are read again are multiplied twice at a time")

    def backward(self, U: Array) -> Array:
        return self.forward(U)


class _Sum:
    """Σ w (x − m)(x − m)ᵀv, or Σ w ((x − m)ᵀv)², over the blocks of a pass."""

    takes_sparse = True
    finite = True

    def __init__(self, outline: Outline, V: Array, sizes: bool, total: Any = 0.0) -> None:
        self.outline, self.V, self.sizes, self.total = outline, V, sizes, total

    def anchored(self, first: Block) -> Self:
        return self

    def update(self, block: Block) -> Self:
        if namespaces.is_sparse(block.X):
            products: Products = SparseProducts(block.X.tocsr(), self.outline, block.weight)
        else:
            products = ArrayProducts(block.X, self.outline, block.weight)
        image = products.forward(self.V)
        self.total = self.total + (
            namespaces.namespace(image).sum(image**2, axis=1) if self.sizes else products.backward(image)
        )
        return self

    def merge(self, other: Self) -> Self:
        self.total = self.total + other.total
        return self

    def copy(self) -> Self:
        return type(self)(self.outline, self.V, self.sizes, self.total)


def products(source: Source, outline: Outline) -> Products:
    """Return products with the rows of a source, about the means that a pass over it has found."""
    table, weight = getattr(source, "table", None), getattr(source, "row_weights", None)
    if hasattr(table, "sparse_rows"):
        return SparseProducts(table.sparse_rows(0, table.shape[0]), outline, weight)  # type: ignore[union-attr]
    values = getattr(table, "values", None)
    if values is not None and source.in_memory_already:
        return ArrayProducts(values, outline, weight)
    return SourceProducts(source, outline)


def _typical_variance(outline: Outline, shape: tuple[int | None, int]) -> float:
    """Return the variance of a direction if all had the same: the largest has at least that."""
    n, p = shape
    total = float(namespaces.namespace(outline.pivot).sum(outline.store.diagonal()))
    return total / outline.weight / max(min(n or p, p), 1)


def _strided(X: Array) -> bool:
    """Tell whether BLAS would copy an array before each product."""
    return isinstance(X, np.ndarray) and not (X.flags.c_contiguous or X.flags.f_contiguous)


def _lengths(rows: Array) -> Array:
    return namespaces.namespace(rows).sum(rows**2, axis=1) ** 0.5


def _added(parts: Iterator[Array]) -> Array:
    total = next(parts)
    for part in parts:
        total = total + part
    return total
