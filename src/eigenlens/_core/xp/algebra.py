"""Products, decompositions and distances."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import scipy.linalg

from .. import errors
from ..typing import Array
from .arrays import device, like, namespace, on_accelerator, to_numpy
from .threads import calm_blas

GRAM_STRIPS, STRIP_COLUMNS = 4, 64  # of a product on a device: more, or narrower ones, leave it idle


def gram(rows: Array) -> Array:
    """Return rowsᵀ·rows.

    On a device only what lies on and above the diagonal is multiplied, in strips of columns: no device library offers
    the symmetric product at the speed of the plain one (measured on an H200, float64, 512 columns: 0.73 of its time).
    """
    p = rows.shape[1]
    if not on_accelerator(rows) or p < GRAM_STRIPS * STRIP_COLUMNS or rows.shape[0] < 8 * p:
        return rows.T @ rows
    edges = [p * k // GRAM_STRIPS for k in range(GRAM_STRIPS + 1)]
    product = namespace(rows).empty((p, p), dtype=rows.dtype, device=device(rows))
    for low, high in pairwise(edges):
        strip = rows[:, low:high].T @ rows[:, low:]
        product[low:high, low:] = strip
        product[high:, low:high] = strip[:, high - low :].T
    return product


def thin_svd(x: Array) -> tuple[Array, Array, Array]:
    """Return U, s, Vᵀ of the thin decomposition.

    LAPACK's divide and conquer, which NumPy calls, fails on an ordinary matrix once in a long while; the older driver
    does not.
    """
    with calm_blas(x.shape[0] * x.shape[1]):
        try:
            U, s, Vt = namespace(x).linalg.svd(x, full_matrices=False)
        except np.linalg.LinAlgError:
            refuse_out_of_range(x)
            U, s, Vt = (like(part, x) for part in scipy.linalg.svd(to_numpy(x), False, lapack_driver="gesvd"))
    return U, s, Vt


def symmetric_eigh(matrix: Array) -> tuple[Array, Array]:
    """Return eigenvalues, ascending, and eigenvectors of a symmetric matrix, by the older driver where need be."""
    try:
        return namespace(matrix).linalg.eigh(matrix)
    except np.linalg.LinAlgError:
        refuse_out_of_range(matrix)
        values, vectors = scipy.linalg.eigh(to_numpy(matrix), driver="ev")
        return like(values, matrix), like(vectors, matrix)


def refuse_out_of_range(x: Array) -> None:
    """Refuse what is not finite where the rows were: arithmetic has left the range of numbers."""
    if not np.isfinite(to_numpy(x)).all():
        raise errors.InputError(
            "The rows, their weights or a parameter are so large or so small that sums of their squares leave the "
            "range of numbers; divide the columns (or the weights) by their size."
        )


def triangle(rows: Array) -> Array:
    """Return R with RᵀR = rowsᵀ·rows, of at most p rows."""
    if isinstance(rows, np.ndarray):
        return np.linalg.qr(rows, mode="r")
    return namespace(rows).linalg.qr(rows, mode="reduced")[1]


def stack_triangle(R: Array, rows: Array) -> Array:
    """Return the triangle of [R; rows], where R is already upper triangular and square.

    LAPACK's tpqrt uses that R is a triangle: 1.5 times faster than a QR of the stacked rows.
    """
    if isinstance(rows, np.ndarray):
        below = np.asfortranarray(rows)
        A, _, _, info = scipy.linalg.lapack.dtpqrt(
            0, min(32, R.shape[1]), np.asfortranarray(R), below, overwrite_b=not np.shares_memory(below, rows)
        )
        if info == 0:
            return np.triu(A)
    xp = namespace(R)
    return triangle(xp.concat([R, rows], axis=0))


def logsumexp(a: Array) -> Array:
    """Return log Σ exp over the last axis, keeping it; no overflow."""
    xp = namespace(a)
    top = xp.max(a, axis=-1, keepdims=True)
    return top + xp.log(xp.sum(xp.exp(a - top), axis=-1, keepdims=True))


def log_softmax(a: Array) -> Array:
    """Return a − log Σ exp a over the last axis.

    The largest entry goes first: beside entries of 10^k, log Σ exp itself keeps only 16 − k decimals.
    """
    xp = namespace(a)
    below = a - xp.max(a, axis=-1, keepdims=True)
    return below - xp.log(xp.sum(xp.exp(below), axis=-1, keepdims=True))


def squared_distances(Z: Array, C: Array) -> Array:
    """Return ‖z_i − c_k‖² by differences, so that close points keep their digits."""
    xp = namespace(Z)
    return xp.stack([xp.sum((Z - C[k, :]) ** 2, axis=1) for k in range(C.shape[0])], axis=1)
