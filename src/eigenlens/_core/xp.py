"""The array namespace: one set of verbs over NumPy, torch, CuPy and any array-API library.

This is the only file that knows that array libraries differ. The rest of the package writes array-API code and asks
here for the few verbs that the standard lacks or that NumPy does better in another way.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import array_api_compat
import array_api_compat.numpy
import numpy as np
import scipy.linalg
import scipy.sparse

from .typing import Array, Namespace

EPS = float(np.finfo(np.float64).eps)
GRAM_STRIPS, STRIP_COLUMNS = 4, 64  # of a product on a device: more, or narrower ones, leave it idle


def namespace(*arrays: Array) -> Namespace:
    """Return the array namespace the arrays share."""
    if all(a is None or isinstance(a, np.ndarray) for a in arrays):
        return array_api_compat.numpy
    return array_api_compat.array_namespace(*[a for a in arrays if a is not None])


def is_array(x: Any) -> bool:
    """Tell whether `x` is an array of some array-API namespace."""
    return array_api_compat.is_array_api_obj(x)


def device(x: Array) -> Any:
    """Return the device `x` lives on."""
    return array_api_compat.device(x)


def device_free_bytes(x: Array) -> int | None:
    """Return the free memory of the device of `x`; None where it is that of the host."""
    if array_api_compat.is_cupy_array(x):
        return int(x.device.mem_info[0])
    if array_api_compat.is_torch_array(x) and x.device.type == "cuda":
        import torch

        return int(torch.cuda.mem_get_info(x.device)[0])
    return None


def is_floating(x: Array) -> bool:
    """Tell whether `x` holds real floating-point numbers."""
    return namespace(x).isdtype(x.dtype, "real floating")


def is_whole(x: Any) -> bool:
    """Tell whether `x` is an array, not NumPy's, of signed integers."""
    return is_array(x) and not isinstance(x, np.ndarray) and namespace(x).isdtype(x.dtype, "signed integer")


def is_complex(x: Array) -> bool:
    """Tell whether `x` holds complex numbers."""
    return namespace(x).isdtype(x.dtype, "complex floating")


def is_number(x: Array) -> bool:
    """Tell whether `x` holds booleans or real numbers."""
    return namespace(x).isdtype(x.dtype, ("bool", "integral", "real floating"))


def to_numpy(x: Array) -> np.ndarray:
    """Copy an array of any namespace and device to NumPy."""
    if isinstance(x, np.ndarray):
        return x
    if array_api_compat.is_torch_array(x):
        return x.detach().cpu().numpy()
    if array_api_compat.is_cupy_array(x):
        return x.get()
    return np.asarray(x)


def like(values: Any, ref: Array) -> Array:
    """Put float64 `values` into the namespace and device of `ref`."""
    xp = namespace(ref)
    if is_array(values) and type(values) is type(ref) and device(values) == device(ref):
        return values
    values = to_numpy(values) if is_array(values) else np.asarray(values)
    if any(step < 0 for step in values.strides):
        values = values.copy()  # torch knows no rows in reversed order
    if on_accelerator(ref) and array_api_compat.is_torch_array(ref):
        # torch's blocking copy waits for all work on the device; from pageable memory the other one is as safe
        return xp.asarray(values).to(device(ref), non_blocking=True)
    return xp.asarray(values, device=device(ref))


def on_accelerator(x: Array) -> bool:
    """Tell whether an array lives on a device of its own, which the host must wait for."""
    if array_api_compat.is_torch_array(x):
        return x.device.type != "cpu"
    return array_api_compat.is_cupy_array(x)


def is_sparse(x: Any) -> bool:
    """Tell whether `x` is a SciPy sparse matrix or array."""
    return scipy.sparse.issparse(x)


def dense(x: Array) -> Array:
    """Return rows as an array, sparse ones made dense."""
    return x.toarray() if is_sparse(x) else x


def detached(x: Array) -> Array:
    """Return `x` without its gradient history, where its library keeps one."""
    return x.detach() if array_api_compat.is_torch_array(x) else x


def cast(x: Array, dtype: Any) -> Array:
    """Convert to a dtype, without a copy where it is that already."""
    return namespace(x).astype(x, dtype, copy=False)


def published(x: Array, dtype: Any) -> Array:
    """Copy for a fitted attribute: writing to it changes no prediction."""
    return namespace(x).astype(x, dtype, copy=True)


def same_dtype(dtype: Any, xp: Namespace) -> Any:
    """Return the dtype of the same name in another namespace."""
    return getattr(xp, str(dtype).rsplit(".", maxsplit=1)[-1])


def float64(x: Array) -> Array:
    """Convert to float64, the type every sum is kept in."""
    return cast(x, namespace(x).float64)


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
    try:
        U, s, Vt = namespace(x).linalg.svd(x, full_matrices=False)
    except np.linalg.LinAlgError:
        import scipy.linalg

        U, s, Vt = (like(part, x) for part in scipy.linalg.svd(to_numpy(x), False, lapack_driver="gesvd"))
    return U, s, Vt


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


def means_are_finite(X: Array) -> Array:
    """Tell, without waiting for the answer, whether rows on a device are all finite: exactly where their mean is."""
    xp = namespace(X)
    n = X.shape[0]
    return xp.all(xp.isfinite(xp.full((n,), 1.0 / n, dtype=X.dtype, device=device(X)) @ X))


def column_sums(X: Array, weight: Array | None = None) -> Array:
    """Sum the (weighted) rows; no warning where the sums overflow.

    For NumPy by calls that let other threads run, which `ones @ X` does not; elsewhere by that, which is faster on a
    device than a sum (measured on an H200: three times).
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if weight is None:
            if isinstance(X, np.ndarray):
                return np.sum(X, axis=0, dtype=X.dtype)
            return namespace(X).ones((X.shape[0],), dtype=X.dtype, device=device(X)) @ X
        top = float(namespace(weight).max(weight))  # weights of any size fit the dtype of X once they are at most 1
        w = cast(weight / top, X.dtype)
        return (np.dot(w, X) if isinstance(X, np.ndarray) else w @ X) * top


def group_sums(rows: Array, codes: Array, n_groups: int, weight: Array | None) -> Array:
    """Sum the (weighted) rows of each group: an n_groups × p table."""
    xp = namespace(rows)
    if isinstance(rows, np.ndarray):
        n = rows.shape[0]
        data = np.ones(n) if weight is None else weight
        indicator = scipy.sparse.csc_array((data, codes, np.arange(n + 1)), shape=(n_groups, n))
        return indicator @ rows
    groups = xp.arange(n_groups, device=device(rows))
    indicator = xp.astype(groups[:, None] == codes[None, :], rows.dtype)
    return (indicator if weight is None else indicator * cast(weight, rows.dtype)[None, :]) @ rows


def run_sums(rows: Array, runs: Any, n_groups: int) -> Array:
    """Sum the rows of groups that stand together: an n_groups × p table, in a fixed order of addition."""
    xp = namespace(rows)
    ones = xp.ones((max(b - a for _, a, b in runs),), dtype=rows.dtype, device=device(rows))
    sums = {k: ones[: b - a] @ rows[a:b, :] for k, a, b in runs}
    none = xp.zeros_like(next(iter(sums.values())))
    return xp.stack([sums.get(k, none) for k in range(n_groups)], axis=0)


def minus_run_rows(X: Array, table: Array, runs: Any) -> Array:
    """Return X minus the row of `table` that belongs to each group, the groups standing together."""
    xp = namespace(X)
    if not (array_api_compat.is_torch_array(X) or array_api_compat.is_cupy_array(X)):
        return xp.concat([X[a:b, :] - table[k, :] for k, a, b in runs], axis=0)
    rows = xp.empty(X.shape, dtype=table.dtype, device=device(X))
    for k, a, b in runs:
        xp.subtract(X[a:b, :], table[k, :], out=rows[a:b, :])
    return rows


def run_samples(X: Array, runs: Any, size: int) -> Array:
    """Return so many rows of each run, evenly spaced, in float64: an array of shape (runs, size, p)."""
    places = np.concatenate([np.linspace(a, b - 1, size).astype(np.intp) for _, a, b in runs])
    return namespace(X).reshape(float64(take_rows(X, like(places, X))), (len(runs), size, X.shape[1]))


def device_memory(x: Array) -> int:
    """Return how many bytes the device of an array has in all; 0 where that is not known."""
    if array_api_compat.is_torch_array(x) and x.device.type == "cuda":
        return int(namespace(x).cuda.get_device_properties(x.device).total_memory)
    if array_api_compat.is_cupy_array(x):
        return int(x.device.mem_info[1])
    return 0


def single(x: Array) -> bool:
    """Tell whether an array that is not NumPy's holds single precision: sums of squares then need no care of range."""
    return not isinstance(x, np.ndarray) and x.dtype == namespace(x).float32


def group_counts(codes: Array, n_groups: int, weight: Array | None) -> np.ndarray:
    """Add up the weights of each group, on the host."""
    w = None if weight is None else to_numpy(weight)
    return np.bincount(to_numpy(codes), weights=w, minlength=n_groups).astype(np.float64)


def take_rows(table: Array, codes: Array) -> Array:
    """Return table[codes]."""
    return namespace(table).take(table, codes, axis=0)


def minus_group_rows(X: Array, table: Array, codes: Array) -> Array:
    """Return X − table[codes]."""
    rows = take_rows(table, codes)
    if isinstance(rows, np.ndarray):
        return np.subtract(X, rows, out=rows)
    return X - rows


def logsumexp(a: Array) -> Array:
    """Return log Σ exp over the last axis, keeping it; no overflow."""
    xp = namespace(a)
    top = xp.max(a, axis=-1, keepdims=True)
    return top + xp.log(xp.sum(xp.exp(a - top), axis=-1, keepdims=True))


def squared_distances(Z: Array, C: Array) -> Array:
    """Return ‖z_i − c_k‖² by differences, so that close points keep their digits."""
    xp = namespace(Z)
    return xp.stack([xp.sum((Z - C[k, :]) ** 2, axis=1) for k in range(C.shape[0])], axis=1)


def all_finite(x: Array) -> bool:
    """Tell whether every entry is finite."""
    xp = namespace(x)
    return bool(xp.all(xp.isfinite(x)))


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def blas_threads() -> int:
    """Return how many threads NumPy's BLAS would use."""
    return max((lib["num_threads"] for lib in _blas().info() if lib["user_api"] == "blas"), default=1)


_holding = threading.Lock()
_holders = 0
_hold: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold NumPy's BLAS to one thread, while our own threads each take a share of the rows.

    Fits may overlap: the first in sets the limit, the last out lifts it.
    """
    global _holders, _hold
    with _holding:
        _holders += 1
        if _holders == 1:
            _hold = _blas().limit(limits=1, user_api="blas")
    try:
        yield
    finally:
        with _holding:
            _holders -= 1
            if _holders == 0:
                _hold.restore_original_limits()


class Upload:
    """Copies host blocks to a device, through pinned buffers and a stream of its own where the device is CUDA.

    The copy of one block then runs while the block before it is computed with. torch is used where it is installed,
    CuPy otherwise.
    """

    def __init__(self, device: Any) -> None:
        try:
            import torch
        except ImportError:
            self._start_cupy(device)
            return
        self.library, self.device, self.turn = torch, torch.device(device), 0
        self.sample = torch.empty(0, dtype=torch.float64, device=self.device)
        self.stream = torch.cuda.Stream(self.device) if self.device.type == "cuda" else None
        self.buffers: list[Any] = [{}, {}, {}]

    def _start_cupy(self, device: Any) -> None:
        import cupy

        if str(device).split(":")[0] not in ("cuda", "gpu"):
            raise ValueError(f"device={device!r}: without torch, blocks are copied to CUDA devices only")
        self.library, self.device, self.stream = cupy, device, None
        self.sample = cupy.empty(0)

    def __call__(self, block: Any) -> Any:
        """Return the block with its arrays on the device."""
        self.turn = (getattr(self, "turn", 0) + 1) % 3
        moved = {name: self._moved(name, getattr(block, name)) for name in ("X", "y", "weight")}
        return replace(block, **moved)

    def _moved(self, name: str, values: Any) -> Any:
        if values is None or not isinstance(values, np.ndarray):
            return values
        values = np.ascontiguousarray(values)
        if self.stream is None:
            on_cupy = self.library.__name__ == "cupy"
            return self.library.asarray(values) if on_cupy else self.library.as_tensor(values, device=self.device)
        torch = self.library
        held, done = self._pinned(name, values)
        if done is not None:
            done.synchronize()  # the copy that used this buffer three blocks ago
        held[: values.nbytes].numpy()[:] = values.reshape(-1).view(np.uint8)
        with torch.cuda.stream(self.stream):
            raw = held[: values.nbytes].to(self.device, non_blocking=True)
            finished = torch.cuda.Event()
            finished.record(self.stream)
        self.buffers[self.turn][name] = (held, finished)
        current = torch.cuda.current_stream(self.device)
        current.wait_event(finished)
        raw.record_stream(current)
        return raw.view(getattr(torch, values.dtype.name)).reshape(values.shape)

    def _pinned(self, name: str, values: np.ndarray) -> tuple[Any, Any]:
        held, done = self.buffers[self.turn].get(name, (None, None))
        if held is None or held.shape[0] < values.nbytes:
            held, done = self.library.empty(values.nbytes, dtype=self.library.uint8, pin_memory=True), None
        return held, done
