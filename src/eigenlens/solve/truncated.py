"""Iterative solvers of the standard problem, for a few leading directions of a large form."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse.linalg

from ..arrays import namespaces
from ..arrays.typing import Array
from .krylov import WIDTH
from .pencil import Form

OVERSAMPLE = 10
POWERS = 4
SQUARED_DIGITS = 1e-5  # iterating on FᵀF squares the condition: weaker directions are left to the direct solver


def lanczos(A: Form, k: int) -> tuple[Array, Array, Array | None, float]:
    """Find k leading directions to machine precision: a few in a Krylov space, more, or ones hard to tell, by ARPACK.

    The starts are seeded, so that a rerun gives the same.
    """
    if A.trace() == 0:
        return A.decomposed(k)
    found = A.krylov.leading(k) if k <= WIDTH else None
    if found is not None and found.settled:
        values, vectors, residual = found.values, found.vectors, found.residual
    else:
        try:
            values, vectors, residual = _restarted(A, k)
        except scipy.sparse.linalg.ArpackNoConvergence:
            return A.decomposed(k)
    if A.factor is not None and values[-1] < SQUARED_DIGITS**2 * values[0]:
        return A.decomposed(k)
    return _presented(A, values, vectors, residual)


def _restarted(A: Form, k: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Run implicitly restarted Lanczos (ARPACK)."""
    apply, p = _operator(A), A.dimension
    matrix = scipy.sparse.linalg.LinearOperator((p, p), matvec=apply, dtype=np.float64)
    start, size = np.full(p, p**-0.5) + np.linspace(0, 1e-3, p), min(p, max(2 * k + 1, k + 32))
    values, vectors = scipy.sparse.linalg.eigsh(matrix, k=k, which="LA", v0=start, ncv=size, tol=0)
    return values[::-1], vectors[:, ::-1], _residual(apply, values, vectors)


def randomized(A: Form, k: int) -> tuple[Array, Array, Array | None, float]:
    """Find k leading directions by subspace iteration from a random start (Halko, Martinsson, Tropp 2011).

    Approximate: the residual says how good it is. The start is seeded, so that a rerun gives the same.
    """
    apply, p = _operator(A), A.dimension
    basis = np.random.default_rng(0).standard_normal((p, min(p, k + OVERSAMPLE)))
    for _ in range(POWERS):
        basis, _ = np.linalg.qr(apply(basis))
    small = basis.T @ apply(basis)
    values, inner = np.linalg.eigh((small + small.T) / 2)
    values, vectors = values[::-1][:k], (basis @ inner)[:, ::-1][:, :k]
    return _presented(A, values, vectors, _residual(apply, values, vectors))


def _operator(A: Form) -> Callable[[np.ndarray], np.ndarray]:
    apply = A.operator()
    return lambda V: apply(V.T).T


def host_operator(values: Array) -> Callable[[np.ndarray], np.ndarray]:
    """Return a matrix as a function of vectors on the host; the matrix stays on its device."""
    if isinstance(values, np.ndarray):
        return lambda v: values @ v
    return lambda v: namespaces.to_numpy(values @ namespaces.like(v, values))


def _residual(apply: Callable[[np.ndarray], np.ndarray], values: np.ndarray, vectors: np.ndarray) -> float:
    """Return the largest ‖Av − θv‖ over the largest θ."""
    gap = np.linalg.norm(apply(vectors) - vectors * values, axis=0).max()
    return float(gap / (values.max(initial=0.0) or 1.0))


def _presented(
    A: Form, values: np.ndarray, vectors: np.ndarray, residual: float
) -> tuple[Array, Array, Array | None, float]:
    s = np.sqrt(np.maximum(values, 0.0))
    if A.factor is None:
        return namespaces.like(s, A.values), namespaces.like(vectors.copy(), A.values), None, residual
    image = namespaces.to_numpy(A.factor) @ vectors
    s = np.linalg.norm(image, axis=0)
    left = image / np.where(s > 0, s, 1.0)
    return (
        namespaces.like(s, A.values),
        namespaces.like(vectors.copy(), A.values),
        namespaces.like(left, A.values),
        residual,
    )
