"""Few directions of a form from its products with a few vectors at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import linalg, namespaces
from ..arrays.typing import Array
from ..moments.row_products import ArrayRows, lengths
from .leading import RESIDUAL, STEPS, WEAK, KrylovSpace, Leading, leading
from .pencil import Form

IMAGED = 1e-3  # directions weaker than this share of the strongest are measured by their image, not by its square


def gram(A: Form, k: int) -> tuple[Any, ...]:
    """Decompose FFᵀ, which is small where rows are few; the SVD itself where squares would cost digits that count."""
    rows: Any = ArrayRows(A.factor, over_rows=True) if A.products is None else A.products
    s, vectors, _, _ = Form(matrix=linalg.gram(A.factor.T) if A.products is None else rows.gram()).leading(k)
    if A.factor is not None and float(s[k - 1]) < IMAGED * float(s[0]):
        return A.decomposed(k)
    return _presented(rows, Leading(namespaces.to_numpy(s) ** 2, vectors.T, np.zeros(k), 1, True), A.factor)


def krylov(A: Form, k: int) -> tuple[Any, ...]:
    """Find k leading directions, until ‖Av − λv‖ is small for each."""
    rows = _rows_of(A)
    tol, weak = (1e-6, 1.0) if rows.single else (RESIDUAL, WEAK)  # single precision resolves no more
    return _presented(rows, _searched(rows, k, tol=tol, weak=weak, most_steps=rows.most_steps or STEPS), A.factor)


def lanczos(A: Form, k: int) -> tuple[Any, ...]:
    """Find k leading directions to machine precision; where that is not reached, a matrix or factor is decomposed."""
    if A.matrix is not None:
        found = _searched_matrix(A, k, tol=_rounding(A.dimension), weak=1.0)
        return _of_matrix(A, found) if found.settled else A.decomposed(k)
    rows = _rows_of(A)
    if rows.single:
        return krylov(A, k)
    most = 2 * (rows.most_steps or STEPS)
    found = _searched(rows, k, tol=_rounding(rows.side), weak=1.0, most_steps=most)
    # products with FᵀF square the condition: directions below 1e-5 of the first are left to the direct solver
    weak = len(found.values) < k or float(found.values[-1]) < 1e-5**2 * float(found.values[0])
    if A.factor is not None and (weak or not found.settled):
        return A.decomposed(k)
    return _presented(rows, found, A.factor)


def randomized(A: Form, k: int) -> tuple[Any, ...]:
    """Find k leading directions in the space of a few products with random vectors (Musco, Musco 2015).

    Approximate: the residual says how good it is. The start is seeded, so that a rerun gives the same.
    """
    width, products = k + 10, 4
    if A.matrix is not None:
        return _of_matrix(A, _searched_matrix(A, k, width, most_steps=products))
    rows = _rows_of(A)
    *found, effort = _presented(rows, _searched(rows, k, width, most_steps=products), A.factor)
    return *found, {**effort, "settled": True}


def _searched(rows: Any, k: int, width: int | None = None, **asked: Any) -> Leading:
    return leading(KrylovSpace(rows.squared, rows.side, k, rows.like, width or rows.width), k, **asked)


def _searched_matrix(A: Form, k: int, width: int | None = None, **asked: Any) -> Leading:
    A.spaces.append(KrylovSpace(A.operator(), A.dimension, k, A.values, width))
    return leading(A.spaces[-1], k, **asked)


def _rounding(n: int) -> float:
    """Return what rounding may make of the product with a vector of length one, relative to the size of a matrix."""
    return (16 + 0.5 * n**0.5) * namespaces.EPS


def _rows_of(A: Form) -> Any:
    return ArrayRows(A.factor) if A.products is None else A.products


def _of_matrix(A: Form, found: Leading) -> tuple[Any, ...]:
    s = namespaces.like(np.sqrt(np.maximum(found.values, 0.0)), A.values)
    return s, found.vectors.T, None, float(found.residuals.max(initial=0.0))


def _presented(products: Any, found: Leading, F: Array | None) -> tuple[Any, ...]:
    """Return singular values, directions over columns, over rows if they are available, residual, and effort."""
    s, vectors, residuals = _directions(products, found)
    residual = float(np.max(residuals, initial=0.0))
    effort = {"steps": found.steps, "passes": products.passes, "settled": found.settled}
    left = found.vectors.T if products.over_rows else None
    if left is None and F is not None:
        left = F @ vectors.T / namespaces.namespace(s).where(s > 0, s, 1.0)
    return s, vectors.T, left, residual, effort


def _directions(products: Any, found: Leading) -> tuple[Array, Array, np.ndarray]:
    """Return singular values, directions over the columns as rows, and residuals relative to the largest value."""
    like, vectors = products.like, found.vectors
    size = np.sqrt(np.maximum(found.values, 0.0))
    top = float(size[0]) if len(size) else 0.0
    if not products.over_rows:
        weak = top > 0 and size[-1] < IMAGED * top
        return products.image_sizes(vectors) if weak else namespaces.like(size, like), vectors, found.residuals
    images = namespaces.float64(products.images(vectors))
    s = lengths(images)
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
