"""Iterative solvers of the standard problem, for a few leading directions of a large form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse.linalg

from .._core import xp as _xp
from .._core.typing import Array
from . import dense
from .pencil import Form

OVERSAMPLE = 10
POWERS = 4
SQUARED_DIGITS = 1e-5  # iterating on FᵀF squares the condition: weaker directions are left to the direct solver


def lanczos(A: Form, k: int) -> tuple[Array, Array, Array | None, float]:
    """Find k leading directions by implicitly restarted Lanczos (ARPACK), to machine precision; deterministic start."""
    apply, p = _operator(A), A.dimension
    direct = dense.eigh if A.factor is None else dense.svd
    if A.trace() == 0:
        return direct(A, k)
    start = np.full(p, p**-0.5) + np.linspace(0, 1e-3, p)
    matrix = scipy.sparse.linalg.LinearOperator((p, p), matvec=apply, dtype=np.float64)
    size = min(p, max(2 * k + 1, k + 32))
    try:
        values, vectors = scipy.sparse.linalg.eigsh(matrix, k=k, which="LA", v0=start, ncv=size, tol=0)
    except scipy.sparse.linalg.ArpackNoConvergence:
        return direct(A, k)
    if A.factor is not None and values[0] < SQUARED_DIGITS**2 * values[-1]:
        return direct(A, k)
    return _presented(A, values[::-1], vectors[:, ::-1], apply)


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
    return _presented(A, values[::-1][:k], (basis @ inner)[:, ::-1][:, :k], apply)


def _operator(A: Form) -> Any:
    apply = host_operator(A.values)
    if A.factor is None:
        return apply
    back = host_operator(A.values.T)
    return lambda v: back(apply(v))


def host_operator(values: Array) -> Callable[[np.ndarray], np.ndarray]:
    """Return a matrix as a function of vectors on the host; the matrix stays on its device."""
    if isinstance(values, np.ndarray):
        return lambda v: values @ v
    return lambda v: _xp.to_numpy(values @ _xp.like(v, values))


def _presented(
    A: Form, values: np.ndarray, vectors: np.ndarray, apply: Any
) -> tuple[Array, Array, Array | None, float]:
    values = np.maximum(values, 0.0)
    scale = values[0] if values.size and values[0] > 0 else 1.0
    residual = float(np.linalg.norm(apply(vectors) - vectors * values, axis=0).max() / scale)
    s = np.sqrt(values)
    if A.factor is None:
        return _xp.like(s, A.values), _xp.like(vectors.copy(), A.values), None, residual
    image = _xp.to_numpy(A.factor) @ vectors
    s = np.linalg.norm(image, axis=0)
    left = image / np.where(s > 0, s, 1.0)
    return _xp.like(s, A.values), _xp.like(vectors.copy(), A.values), _xp.like(left, A.values), residual
