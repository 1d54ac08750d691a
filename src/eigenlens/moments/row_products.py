"""Products of a few vectors with the centred, weighted rows of a source: XᵀWX·v without XᵀWX.

Vectors are rows here, over the columns of X or, where those are fewer, over its rows. Where the offset of the rows is
moderate, it is taken out of the products, one number for each vector; rows far from the origin are centred first, a few
at a time. A sparse table stays as it is. Rows that do not lie in memory are read once for each product.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, Self

import numpy as np
import scipy.sparse

from ..arrays import namespaces
from ..arrays.threads import PARALLEL_CELLS, thread_count, threaded
from ..arrays.typing import Array
from ..rows import Block, Source
from .centred import Outline

FAR = 1e3  # times the spread of a typical direction that an offset may be: three digits of sixteen
SINGLE_FAR = 10.0  # the same where products are taken in single precision, or it is taken out of squares
SMALL = 600  # rows of a sparse table whose products with each other are formed
PIECE_BYTES = 2**22  # of rows that are multiplied together, twice while they are at hand
DEVICE_PIECE_BYTES = 2**30  # of rows that are centred together on a device, which wants few large products


class RowProducts(ABC):
    """Products with centred rows X, weighted by the roots of their weights, whose columns may be scaled.

    Attributes
    ----------
    shape : (int, int)
        Rows and columns.
    over_rows : bool
        Whether vectors have a number for each row rather than for each column: those are fewer.
    like : array
        Of the library and device on which vectors are to be.
    single : bool
        Whether products are taken in single precision.
    width : int or None
        How many vectors are best multiplied at a time, where that is few.
    forms_gram : bool
        Whether the products of rows with each other cost less than a search.
    passes : int
        How often the rows were read.
    most_steps : int
        Products with a block of vectors after which a search ends; 0 where that is left to it.
    images : function
        Vectors times Xᵀ, or X where they are over the rows, which lie in memory.
    """

    like: Array
    images: Callable[[Array], Array]
    single: bool = False
    width: int | None = None
    forms_gram: bool = False

    def __init__(self, shape: tuple[int, int], over_rows: bool | None = None) -> None:
        n, p = shape
        self.shape, self.passes, self.most_steps = shape, 0, 0
        self.over_rows = n < p if over_rows is None else over_rows
        self._columns: Array | None = None

    @property
    def side(self) -> int:
        """How long vectors are."""
        n, p = self.shape
        return n if self.over_rows else p

    @abstractmethod
    def squared(self, V: Array) -> Array:
        """Return vectors times XᵀX, or XXᵀ where they are over the rows."""

    def image_sizes(self, V: Array) -> Array:
        """Return the lengths of the images of vectors."""
        return lengths(self.images(V))

    def scaled(self, factor: Array) -> Self:
        """Return products with the columns multiplied by numbers."""
        new = copy(self)
        new._columns = factor if self._columns is None else self._columns * factor
        return new


class ArrayRows(RowProducts):
    """An array in memory or on a device, multiplied in pieces along its longer side.

    Neither pieces nor the order in which their sums are added depend on the number of threads.
    """

    def __init__(
        self, X: Array, outline: Outline | None = None, weight: Array | None = None, over_rows: bool | None = None
    ) -> None:
        n, p = int(X.shape[0]), int(X.shape[1])
        super().__init__((n, p), over_rows)
        xp = namespaces.namespace(X)
        self._X, self.like, self._root = X, X, None if weight is None else xp.sqrt(weight)
        device = namespaces.on_accelerator(X)
        self.single = device and namespaces.single(X)
        self._dtype = X.dtype if self.single else xp.float64
        self._centre = None if outline is None else (outline.pivot, outline.shift[0, :])
        mean = xp.zeros(p, dtype=xp.float64, device=namespaces.device(X))
        if outline is not None and _is_near(outline, self.shape, SINGLE_FAR if self.single else FAR):
            self._centre, mean = None, outline.mean
        ones = xp.ones(n, dtype=xp.float64, device=namespaces.device(X))
        means = (mean, ones) if self.over_rows else (ones, mean)
        self._means = tuple(namespaces.cast(part, self._dtype) for part in means)  # X̄ is their product, long side first
        long, short = (p, n) if self.over_rows else (n, p)
        rows = (DEVICE_PIECE_BYTES if device else PIECE_BYTES) // (8 * max(short, 1))
        self._long, self._step = long, long if device and self._centre is None else max(rows, 16)

    def squared(self, V: Array) -> Array:
        self.passes += 2
        across, along = self._factors

        def work(piece: slice) -> tuple[Array, Array]:
            cells, images = self._images(piece, W)
            images = images if along is None else images * along[piece] ** 2
            return images @ cells, images @ self._means[0][piece]

        W = self._brought(V, across)
        total, level = _added(self._over(work))
        found = namespaces.float64(total - level[:, None] * self._means[1])
        return found if across is None else found * across

    def images(self, V: Array) -> Array:
        self.passes += 1
        across, along = self._factors
        W = self._brought(V, across)
        images = namespaces.namespace(V).concat(list(self._over(lambda piece: self._images(piece, W)[1])), axis=1)
        found = namespaces.float64(images)
        return found if along is None else found * along

    @property
    def _factors(self) -> tuple[Array | None, Array | None]:
        """What the cells are multiplied by across the longer side, and along it."""
        return (self._root, self._columns) if self.over_rows else (self._columns, self._root)

    def _brought(self, V: Array, factor: Array | None) -> Array:
        return namespaces.cast(V if factor is None else V * factor, self._dtype)

    def _images(self, piece: slice, W: Array) -> tuple[Array, Array]:
        """Return the cells of a piece, and their products with vectors: centred, but not weighted.

        A few vectors as rows times many cells take half of the time of many cells times a few columns.
        """
        cells = self._X[:, piece].T if self.over_rows else self._X[piece, :]
        if self._centre is not None:  # minus the pivot, which is exact even with a large offset, then minus the rest
            cells = namespaces.float64(cells)
            for part in self._centre:
                cells = cells - (part[piece, None] if self.over_rows else part)
        cells = namespaces.cast(cells, self._dtype)
        return cells, W @ cells.T - (W @ self._means[1])[:, None] * self._means[0][piece]

    def _over(self, work: Callable[[slice], Any]) -> Iterator[Any]:
        pieces = (slice(low, min(low + self._step, self._long)) for low in range(0, self._long, self._step))
        if isinstance(self._X, np.ndarray) and self._X.size >= PARALLEL_CELLS and thread_count() > 1:
            return threaded(work, pieces)
        return map(work, pieces)


class SparseRows(RowProducts):
    """A SciPy sparse table, which stays so; one vector at a time: a block takes more products and saves little.

    A column whose mean is a thousand times its spread has no empty cell, unless there are a million rows: such columns,
    and only they, have their pivot taken out of what is stored.
    """

    width = 1

    def __init__(
        self, X: Any, outline: Outline, weight: np.ndarray | None = None, over_rows: bool | None = None
    ) -> None:
        super().__init__(X.shape, over_rows)
        self.like, self._mean = np.empty(0), outline.mean
        far = self._mean**2 > FAR**2 * outline.store.diagonal() / outline.weight
        if far.any():
            far &= _cells_of_columns(X) == X.shape[0]
        if far.any():
            X = X.astype(np.float64)
            X.data -= np.where(far, outline.pivot, 0.0)[X.indices]
            self._mean = np.where(far, outline.shift[0], self._mean)
        self._X, self._T = X, X.T
        self._root = None if weight is None else np.sqrt(weight)
        self.forms_gram = self.over_rows and self.side <= SMALL and _is_near(outline, self.shape, SINGLE_FAR)

    def forward(self, V: np.ndarray) -> np.ndarray:
        """Return V·Xᵀ for vectors over the columns."""
        self.passes += 1
        V = V if self._columns is None else V * self._columns
        found = (self._X @ V.T - self._mean @ V.T).T
        return found if self._root is None else found * self._root

    def backward(self, U: np.ndarray) -> np.ndarray:
        """Return U·X for vectors over the rows."""
        self.passes += 1
        U = U if self._root is None else U * self._root
        found = (self._T @ U.T).T - U.sum(axis=1)[:, None] * self._mean
        return found if self._columns is None else found * self._columns

    def images(self, V: np.ndarray) -> np.ndarray:
        return self.backward(V) if self.over_rows else self.forward(V)

    def squared(self, V: np.ndarray) -> np.ndarray:
        return self.forward(self.backward(V)) if self.over_rows else self.backward(self.forward(V))

    def gram(self) -> np.ndarray:
        """Return the products of rows with each other, where those are fewer than the columns."""
        self.passes += 1
        root = np.ones(self._X.shape[0]) if self._root is None else self._root
        X = self._X if self._columns is None else self._X.multiply(self._columns[None, :])
        X = scipy.sparse.csr_array(X if self._root is None else X.multiply(root[:, None]))
        G, unit = (X @ X.T).toarray(), root / np.linalg.norm(root)
        G -= (G @ unit)[:, None] * unit
        return G - unit[:, None] * (unit @ G)


class SourceRows(RowProducts):
    """Rows that are read again for each product."""

    def __init__(self, source: Source, outline: Outline) -> None:
        super().__init__((outline.n_rows, source.n_features), over_rows=False)
        self._source, self._outline, self.like = source, outline, outline.pivot

    def squared(self, V: Array) -> Array:
        found = self._pass(V, sizes=False)
        return found if self._columns is None else found * self._columns

    def image_sizes(self, V: Array) -> Array:
        return self._pass(V, sizes=True) ** 0.5

    def _pass(self, V: Array, sizes: bool) -> Array:
        self.passes += 1
        V = V if self._columns is None else V * self._columns
        return self._source.reduce(_Sum(self._outline, V, sizes)).total


class _Sum:
    """Σ w (x − m)(x − m)ᵀv, or Σ w ((x − m)ᵀv)², over the blocks of a pass."""

    takes_sparse = True
    finite = True

    def __init__(self, outline: Outline, V: Array, sizes: bool, total: Any = 0.0) -> None:
        self.outline, self.V, self.sizes, self.total = outline, V, sizes, total

    def anchored(self, first: Block) -> Self:
        return self

    def update(self, block: Block) -> Self:
        X, sparse = block.X, namespaces.is_sparse(block.X)
        kind: Any = SparseRows if sparse else ArrayRows
        rows = kind(X.tocsr() if sparse else X, self.outline, block.weight, over_rows=False)
        self.total = self.total + (rows.image_sizes(self.V) ** 2 if self.sizes else rows.squared(self.V))
        return self

    def merge(self, other: Self) -> Self:
        self.total = self.total + other.total
        return self

    def copy(self) -> Self:
        return type(self)(self.outline, self.V, self.sizes, self.total)


def products(source: Source, outline: Outline, most_steps: int = 0) -> RowProducts:
    """Return products with the rows of a source, about the means that a pass over it has found."""
    table: Any = getattr(source, "table", None)
    weight = getattr(source, "row_weights", None)
    values, rows = getattr(table, "values", None), getattr(table, "sparse_rows", None)
    found: RowProducts
    if rows is not None:
        found = SparseRows(rows(0, table.shape[0]), outline, weight)
    elif values is not None and source.in_memory_already:
        found = ArrayRows(values, outline, weight)
    else:
        found = SourceRows(source, outline)
    found.most_steps = most_steps
    return found


def _is_near(outline: Outline, shape: tuple[int, int], far: float) -> bool:
    """Tell whether the offset of rows is at most so many times the spread of a direction if all had the same."""
    n, p = shape
    xp = namespaces.namespace(outline.pivot)
    variance = float(xp.sum(outline.store.diagonal())) / outline.weight / max(min(n, p), 1)
    return float(xp.sum(outline.mean**2)) <= far**2 * variance


def _cells_of_columns(X: Any) -> np.ndarray:
    """Count the cells stored of each column, a piece at a time: NumPy copies what it counts."""
    count = np.zeros(X.shape[1], dtype=np.int64)
    for start in range(0, X.nnz, PIECE_BYTES):
        count += np.bincount(X.indices[start : start + PIECE_BYTES], minlength=X.shape[1])
    return count


def lengths(rows: Array) -> Array:
    """Return the lengths of rows."""
    return namespaces.namespace(rows).sum(rows**2, axis=1) ** 0.5


def _added(parts: Iterator[tuple[Array, Array]]) -> tuple[Array, Array]:
    first, second = next(parts)
    for one, other in parts:
        first, second = first + one, second + other
    return first, second
