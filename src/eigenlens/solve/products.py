"""A form that is known by its products with vectors alone, and its leading directions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import numpy as np

from ..arrays import linalg, namespaces
from ..arrays.typing import Array
from .block_krylov import HELD, RESIDUAL, SINGLE_RESIDUAL, THIN, Leading, block_width, leading
from .block_space import Way
from .pencil import Form

STEPS = 300  # products with a block of vectors, at most
WEAK = 1e-3  # directions weaker than this share of the strongest are measured by their image, not by its square


class Products(Protocol):
    """Products with rows X; vectors are rows, over the columns of X or, where those are fewer, over its rows."""

    like: Array
    single: bool
    passes: int

    @property
    def over_rows(self) -> bool: ...
    @property
    def side(self) -> int: ...
    def squared(self, V: Array) -> Array: ...
    def backward(self, U: Array) -> Array: ...
    def image_sizes(self, V: Array) -> Array: ...


@dataclass(frozen=True, eq=False)
class ProductForm(Form):
    """A positive semidefinite form XᵀX whose rows X are only multiplied with.

    Attributes
    ----------
    products : Products
    squares : array of shape (p,)
        The diagonal of the form.
    rows : int
        Rows of X.
    most_steps : int
        Products with a block of vectors after which a search ends.
    """

    squared: bool = False
    products: Any = None
    squares: Any = None
    rows: int = 0
    most_steps: int = STEPS

    @property
    def values(self) -> Array:
        return self.squares

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.squares.shape[0]

    def diagonal(self) -> Array:
        return self.squares

    def dense(self) -> NoReturn:
        raise NotImplementedError("a form that is known by its products is not formed")

    def with_rows(self, count: int) -> Form:
        return self


class FactorProducts:
    """Products with the rows of a factor that lies in memory."""

    passes = 0

    def __init__(self, F: Array) -> None:
        self._F, self.like = F, F
        self.single = False
        self.over_rows = F.shape[0] < F.shape[1]
        self.side = int(min(F.shape))

    def squared(self, V: Array) -> Array:
        self.passes += 2
        F = self._F
        return (V @ F) @ F.T if self.over_rows else (V @ F.T) @ F

    def backward(self, U: Array) -> Array:
        self.passes += 1
        return U @ self._F

    def image_sizes(self, V: Array) -> Array:
        self.passes += 1
        return _lengths(V @ self._F.T)


def gram(A: Form, k: int) -> tuple[Any, ...]:
    """Decompose FFᵀ, which is small where rows are few; the SVD itself where squares would cost digits that count."""
    if isinstance(A, ProductForm):
        return _gram_of_products(A.products, k)
    F = A.factor
    s, left, _, _ = Form(matrix=linalg.gram(F.T)).leading(k)
    if float(s[k - 1]) < WEAK * float(s[0]):
        return A.decomposed(k)
    vectors = F.T @ left
    s = _lengths(vectors.T)
    return s, vectors / s, left, 0.0


def _gram_of_products(products: Any, k: int) -> tuple[Any, ...]:
    G = products.gram()
    theta, inner = linalg.leading_eigh(G, k)
    rows = inner.T.copy()
    top = float(theta[0]) or 1.0
    gaps = np.linalg.norm(rows @ G - theta[:, None] * rows, axis=1) / top
    return _presented(products, Leading(theta, rows, gaps, 1, True), None)


def krylov(A: Form, k: int) -> tuple[Array, Array, Array | None, float, dict[str, Any]]:
    """Find k leading directions from products with a block of vectors, until ‖Av − λv‖ is small for each."""
    products = A.products if isinstance(A, ProductForm) else FactorProducts(A.factor)
    steps = A.most_steps if isinstance(A, ProductForm) else STEPS
    tol, weak = (SINGLE_RESIDUAL, 1.0) if products.single else (RESIDUAL, HELD)
    width = getattr(products, "width", None)
    ways = _forming(products, block_width(k))
    found = leading(products.squared, products.side, k, products.like, tol, weak, steps, width, ways)
    return _presented(products, found, A.factor)


def _forming(products: Any, width: int) -> list[Way]:
    """Return the way to form the matrix and multiply with it, where a table allows it."""
    if not getattr(products, "may_form", False):
        return []
    short, long = sorted(products.shape)

    def formed() -> Callable[[Array], Array]:
        matrix = products.gram()
        return lambda rows: rows @ matrix

    return [Way(formed, short / (2 * THIN * width), short / (2 * long))]


def _presented(products: Any, found: Leading, F: Array | None) -> tuple[Any, ...]:
    """Return singular values, directions over columns, over rows if they are available, residual, and effort."""
    s, vectors, residuals = _directions(products, found)
    residual = float(np.max(residuals, initial=0.0))
    effort = {"steps": found.steps, "passes": products.passes, "settled": found.settled}
    left = found.vectors.T if products.over_rows else None
    if left is None and F is not None:
        left = F @ vectors.T / namespaces.namespace(s).where(s > 0, s, 1.0)
    return s, vectors.T, left, residual, effort


def _directions(products: Products, found: Leading) -> tuple[Array, Array, np.ndarray]:
    """Return singular values, directions over the columns as rows, and residuals relative to the largest value."""
    like, vectors = products.like, found.vectors
    size = np.sqrt(np.maximum(found.values, 0.0))
    top = float(size[0]) if len(size) else 0.0
    if not products.over_rows:
        weak = top > 0 and size[-1] < WEAK * top
        return products.image_sizes(vectors) if weak else namespaces.like(size, like), vectors, found.residuals
    images = namespaces.float64(products.backward(vectors))
    s = _lengths(images)
    size = namespaces.to_numpy(s)
    kept = size > namespaces.EPS * images.shape[1] * top
    stretch = top / np.where(kept, size, max(top, 1.0))  # from vectors over rows to directions over columns
    return s, _unit_rows(images, s, kept), found.residuals * np.where(kept, stretch, 1.0)


def _unit_rows(images: Array, s: Array, kept: np.ndarray) -> Array:
    """Return images over their lengths; for those without any, vectors at right angles to the others."""
    xp = namespaces.namespace(images)
    unit = images / xp.where(s > 0, s, 1.0)[:, None]
    if kept.all():
        return unit
    mask = namespaces.like(kept.astype(np.float64)[:, None], images)
    drawn = namespaces.like(np.random.default_rng(1).standard_normal(images.shape), images)
    basis, _ = xp.linalg.qr((unit * mask + drawn * (1.0 - mask)).T, mode="reduced")
    return unit * mask + basis.T * (1.0 - mask)


def _lengths(rows: Array) -> Array:
    return namespaces.namespace(rows).sum(rows**2, axis=1) ** 0.5
