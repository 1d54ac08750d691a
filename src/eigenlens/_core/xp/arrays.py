"""What an array is, where it lives, and how it goes from one library, device or type to another."""

from __future__ import annotations

from typing import Any

import array_api_compat
import array_api_compat.numpy
import numpy as np
import scipy.sparse

from ..typing import Array, Namespace

EPS = float(np.finfo(np.float64).eps)


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


def on_accelerator(x: Array) -> bool:
    """Tell whether an array lives on a device of its own, which the host must wait for."""
    if array_api_compat.is_torch_array(x):
        return x.device.type != "cpu"
    return array_api_compat.is_cupy_array(x)


def is_sparse(x: Any) -> bool:
    """Tell whether `x` is a SciPy sparse matrix or array."""
    return scipy.sparse.issparse(x)


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


def single(x: Array) -> bool:
    """Tell whether an array that is not NumPy's holds single precision: sums of squares then need no care of range."""
    return not isinstance(x, np.ndarray) and x.dtype == namespace(x).float32


def all_finite(x: Array) -> bool:
    """Tell whether every entry is finite."""
    xp = namespace(x)
    return bool(xp.all(xp.isfinite(x)))


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


def dense(x: Array) -> Array:
    """Return rows as an array, sparse ones made dense."""
    return x.toarray() if is_sparse(x) else x


def detached(x: Array) -> Array:
    """Return `x` without its gradient history, where its library keeps one."""
    return x.detach() if array_api_compat.is_torch_array(x) else x


def cast(x: Array, dtype: Any) -> Array:
    """Convert to a dtype, without a copy where it is that already."""
    return namespace(x).astype(x, dtype, copy=False)


def attribute_copy(x: Array, dtype: Any) -> Array:
    """Copy for a fitted attribute: writing to it changes no prediction."""
    return namespace(x).astype(x, dtype, copy=True)


def same_dtype(dtype: Any, xp: Namespace) -> Any:
    """Return the dtype of the same name in another namespace."""
    return getattr(xp, str(dtype).rsplit(".", maxsplit=1)[-1])


def float64(x: Array) -> Array:
    """Convert to float64, the type every sum is kept in."""
    return cast(x, namespace(x).float64)


def take_rows(table: Array, codes: Array) -> Array:
    """Return table[codes]."""
    return namespace(table).take(table, codes, axis=0)
