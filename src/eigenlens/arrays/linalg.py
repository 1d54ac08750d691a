"""Products, decompositions and distances, and the threads of NumPy's BLAS."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.linalg

from . import errors
from .namespaces import device, like, namespace, on_accelerator, to_numpy
from .typing import Array

STRIP_COLUMNS = 128  # of a product on a device: narrower ones leave it idle, and others may not begin where it reads
ONE_THREAD_CELLS = 1_000_000  # of a matrix up to which one thread decomposes it
NO_THREAD_CELLS = 1_024  # of a matrix that BLAS gives to one thread of its own accord


def gram(rows: Array) -> Array:
    """Return rowsᵀ·rows.

    On a device only what lies on and above the diagonal is multiplied, in strips of columns: no device library offers
    the symmetric product at the speed of the plain one (measured on an H200, float64, 513 to 1,100 columns: 0.56 to
    0.71 of its time). Strips of equal width would begin at odd addresses: 300 columns took 60 times as long.
    """
    p = rows.shape[1]
    if not on_accelerator(rows) or p <= STRIP_COLUMNS or rows.shape[0] < 8 * p:
        return rows.T @ rows
    edges = [*range(0, p, STRIP_COLUMNS), p]
    product = namespace(rows).empty((p, p), dtype=rows.dtype, device=device(rows))
    for low, high in pairwise(edges):
        strip = rows[:, low:high].T @ rows[:, low:]
        product[low:high, low:] = strip
        product[high:, low:high] = strip[:, high - low :].T
    return product


def thin_svd(x: Array) -> tuple[Array, Array, Array]:
    """Return U, s, Vᵀ of the thin decomposition.

    LAPACK's divide and conquer, which NumPy calls, fails on an ordinary matrix once in a long while; the older driver
    does not. Wide matrices are turned first: that takes 0.4 of the time at 160 × 20,000.
    """
    if isinstance(x, np.ndarray) and x.shape[1] > 2 * x.shape[0]:
        V, s, Ut = thin_svd(x.T)
        return Ut.T, s, V.T
    with limit_blas(x.shape[0] * x.shape[1]):
        try:
            U, s, Vt = namespace(x).linalg.svd(x, full_matrices=False)
        except np.linalg.LinAlgError:
            refuse_out_of_range(x)
            U, s, Vt = (like(part, x) for part in scipy.linalg.svd(to_numpy(x), False, lapack_driver="gesvd"))
    return U, s, Vt


def symmetric_eigh(matrix: Array) -> tuple[Array, Array]:
    """Return eigenvalues, ascending, and eigenvectors of a symmetric matrix, by the older driver where need be."""
    with limit_blas(matrix.shape[0] ** 2):
        try:
            return namespace(matrix).linalg.eigh(matrix)
        except np.linalg.LinAlgError:
            refuse_out_of_range(matrix)
            values, vectors = scipy.linalg.eigh(to_numpy(matrix), driver="ev")
            return like(values, matrix), like(vectors, matrix)


def leading_eigh(matrix: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k largest eigenvalues, descending, and their eigenvectors, of a symmetric matrix on the host.

    LAPACK's search for a range of eigenvalues comes back with fewer where many coincide, about once in a thousand.
    """
    n = len(matrix)
    with limit_blas(matrix.size):
        try:
            values, vectors = scipy.linalg.eigh(matrix, subset_by_index=(n - k, n - 1), check_finite=False)
        except np.linalg.LinAlgError:
            values = vectors = np.empty(0)
    if len(values) < k:
        values, vectors = symmetric_eigh(matrix)
    return values[::-1][:k], vectors[:, ::-1][:, :k]


def host_operator(matrix: Array) -> Callable[[np.ndarray], np.ndarray]:
    """Return a matrix as a function of vectors on the host; the matrix stays on its device."""
    if isinstance(matrix, np.ndarray):
        return lambda v: matrix @ v
    return lambda v: to_numpy(matrix @ like(v, matrix))


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
        with limit_blas(rows.size):
            return np.asarray(np.linalg.qr(rows, mode="r"))
    return namespace(rows).linalg.qr(rows, mode="reduced")[1]


def stack_triangle(R: Array, rows: Array) -> Array:
    """Return the triangle of [R; rows], where R is already upper triangular and square.

    LAPACK's tpqrt uses that R is a triangle: 1.5 times faster than a QR of the stacked rows.
    """
    if isinstance(rows, np.ndarray):
        below = np.asfortranarray(rows)
        mine = not np.shares_memory(below, rows)
        with limit_blas(R.size):
            A, _, _, info = scipy.linalg.lapack.dtpqrt(
                0, min(32, R.shape[1]), np.asfortranarray(R), below, overwrite_b=mine
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

    The largest entry goes first: with entries of 10^k, log Σ exp itself keeps only 16 − k decimals.
    """
    xp = namespace(a)
    below = a - xp.max(a, axis=-1, keepdims=True)
    return below - xp.log(xp.sum(xp.exp(below), axis=-1, keepdims=True))


def wishart_root(rng: np.random.Generator, p: int, freedom: float) -> np.ndarray:
    """Draw R with RᵀR Wishart, of p unrelated columns of variance 1: Bartlett's triangle, or the rows if few."""
    if freedom <= p:
        return rng.standard_normal((max(int(freedom), 0), p))
    R = np.triu(rng.standard_normal((p, p)), 1)
    np.fill_diagonal(R, np.sqrt(rng.chisquare(freedom - np.arange(p))))
    return R


def squared_distances(Z: Array, C: Array) -> Array:
    """Return ‖z_i − c_k‖² by differences, so that close points keep their digits."""
    xp = namespace(Z)
    return xp.stack([xp.sum((Z - C[k, :]) ** 2, axis=1) for k in range(C.shape[0])], axis=1)


# -- the threads of NumPy's BLAS -------------------------------------------------------------------------------

_holding = threading.Lock()
_holders = 0
_hold: Any = None


def _forked() -> None:
    """Lift a limit that a fit of the parent had set: its thread is not here to lift it, nor to release the lock."""
    global _holding, _holders, _hold
    _holding = threading.Lock()
    held, _holders, _hold = _hold, 0, None
    if held is not None:
        _set_threads(held)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


@cache
def blas_libraries() -> list[Any]:
    """Return the BLAS libraries of this process, NumPy's and SciPy's; looking for them takes milliseconds."""
    import scipy.linalg.blas  # noqa: F401  loads its copy
    from threadpoolctl import ThreadpoolController

    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


def blas_threads() -> int:
    """Return how many threads NumPy's BLAS would use."""
    return max((library.num_threads for library in blas_libraries()), default=1)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold NumPy's BLAS to one thread, while our own threads each take a share of the rows.

    Fits may overlap: the first in sets the limit, the last out lifts it.
    """
    global _holders, _hold
    with _holding:
        _holders += 1
        if _holders == 1:
            _hold = [(library, library.num_threads) for library in blas_libraries()]
            _set_threads((library, 1) for library, _ in _hold)
        held = _hold
    try:
        yield
    finally:
        with _holding:
            if held is _hold:  # a fork in between has lifted it already
                _holders -= 1
                if _holders == 0:
                    _set_threads(held)
                    _hold = None


def _set_threads(wanted: Iterable[tuple[Any, int]]) -> None:
    """Set the number of threads of each library, from whichever thread.

    Newer threadpoolctl lets only the thread that first set a number set another. The fit that ends last lifts our
    limit, whichever thread it runs on; it would silently leave BLAS at one thread.
    """
    for library, count in wanted:
        if library.num_threads == count:
            continue
        clear = getattr(library, "clear_controlling_thread", None)
        if clear is not None:
            clear(force=True)
        library.set_num_threads(count)
        if clear is not None:
            clear(force=True)


def limit_blas(cells: int) -> AbstractContextManager[None]:
    """Hold NumPy's BLAS to one thread while a matrix of so few cells is decomposed.

    Its threads meet at every column. That gains little, and where other programs want the cores each meeting waits for
    a thread that is not running (measured on two busy cores, 1,000 × 1,000: 5 to 50 times slower than one thread).
    """
    return one_blas_thread() if NO_THREAD_CELLS < cells <= ONE_THREAD_CELLS else nullcontext()
