"""Rows made ready to be squared: taken about the means of their groups, and powers of two taken out of columns.

Columns of ordinary size (10^±60) are left alone, and exponents are then None. Beyond, each column gets the power of
two of its largest entry. Multiplying by powers of two is exact, so this changes no digit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core import errors
from .._core import xp as _xp
from .._core.typing import Array
from .._core.xp import Codes
from .store import Store

ORDINARY = 200  # |x| within 2^±200 squares and sums safely
FREE = -(10**6)  # exponent of a column that is all zeros
LAST_EXPONENT = 1000  # 2^±1000 and their inverses are ordinary numbers
LIFT = 64  # sums of rows beyond 2^1024/rows are taken in units of 2^64
SAMPLE = 64  # so many rows of a group tell where single-precision rows lie
Exponents = np.ndarray | None


@dataclass(frozen=True, slots=True)
class CentredBlock:
    """Rows about their group means, in units of 2^lift.

    Attributes
    ----------
    rows : float64 array of shape (n, p)
        √w·(x − c), where c is nearly the mean of the row's group.
    residual : array of shape (G, p)
        What the group means of x − c still are; zero if they were taken out.
    shift : array of shape (G, p)
        Group means minus the pivot.
    weights : ndarray of shape (G,)
        Total weight of each group.
    weight : array of shape (n,) or None
        That of each row; None means one each.
    ordinary : bool
        Whether the rows are known to square without overflow or underflow.
    """

    rows: Array
    residual: Array
    shift: Array
    weights: np.ndarray
    lift: int
    weight: Array | None = None
    ordinary: bool = False


def centre_block(
    X: Array,
    weight: Array | None,
    codes: Codes,
    n_groups: int,
    pivot: Array,
    exact: bool,
) -> CentredBlock:
    """Subtract group means twice: a rough mean from all rows, then what is left of it.

    The rough mean carries the offset and its rounding; the differences x − c are small and exact, and so their mean is.
    With `exact=False` that second mean is returned rather than subtracted, one pass over the rows less.
    """
    xp = _xp.namespace(X)
    weights = _xp.group_weights(X, weight, codes, n_groups)
    single = _xp.single(X)
    if single and weight is None and (codes is None or isinstance(codes, tuple)):
        return _centre_single(X, codes, weights, pivot, exact)
    rough = _xp.group_means(X, weight, codes, weights)
    lift = 0
    if not _xp.all_finite(rough):
        lift, X = LIFT, X * 2.0**-LIFT
        rough = _xp.group_means(X, weight, codes, weights)
    rough = _xp.float64(rough)
    rows = _xp.minus_groups(X, rough, codes)
    residual = _xp.group_means(rows, weight, codes, weights)
    shift = (rough - pivot * 2.0**-lift) + residual
    if exact or single:  # a mean of single precision leaves more than its own rounding behind
        rows, residual = _xp.minus_groups(rows, residual, codes), xp.zeros_like(residual)
    if weight is not None:
        rows = rows * xp.sqrt(weight)[:, None]
    return CentredBlock(rows, residual, shift, weights, lift, weight)


def _centre_single(X: Array, codes: Codes, weights: np.ndarray, pivot: Array, exact: bool) -> CentredBlock:
    """Centre single-precision rows of a device without waiting for it, and with one pass over them less.

    The centre is the mean of a few rows in single precision: differences from that are exact, constant
    columns come out as zero, and the mean of the differences says how far off it was.
    """
    xp = _xp.namespace(X)
    runs = ((0, 0, X.shape[0]),) if codes is None else codes
    few = _xp.float64(_xp.cast(xp.mean(_xp.run_samples(X, runs, SAMPLE), axis=1), xp.float32))
    centre = few
    if len(runs) < len(weights):
        position = np.zeros(len(weights), dtype=np.intp)  # groups without rows take any centre
        position[[k for k, _, _ in runs]] = np.arange(len(runs))
        centre = _xp.take_rows(few, _xp.like(position, few))
    rows = _xp.minus_groups(X, centre, codes)
    residual = _xp.group_means(rows, None, codes, weights)
    shift = (centre - pivot) + residual
    if exact:
        rows, residual = _xp.minus_groups(rows, residual, codes), xp.zeros_like(residual)
    return CentredBlock(rows, residual, shift, weights, 0, ordinary=True)


# -- powers of two ---------------------------------------------------------------------------------------------


def column_exponents(rows: Array) -> np.ndarray:
    """Return the exponent to take out of each column: 0 for ordinary columns, FREE for zero ones."""
    if rows.shape[0] == 0:
        return np.full(rows.shape[1], FREE)
    xp = _xp.namespace(rows)
    peaks = _xp.to_numpy(xp.max(xp.abs(rows), axis=0)).astype(np.float64)
    _, exponent = np.frexp(peaks)
    exponent = np.where(np.abs(exponent) <= ORDINARY, 0, exponent)
    return np.where(peaks == 0, FREE, np.clip(exponent, -LAST_EXPONENT, LAST_EXPONENT))


def common(exponents: list[np.ndarray]) -> Exponents:
    """Return exponents that suit all: those of the largest entries; None where nothing is to be taken out."""
    top = np.max(np.stack(exponents), axis=0)
    top = np.where(top == FREE, 0, np.clip(top, -LAST_EXPONENT, LAST_EXPONENT))
    return top if np.any(top) else None


def shrink(exponent_from: np.ndarray, exponent_to: np.ndarray, like: Array) -> Array:
    """Return the factor per column that moves numbers from one exponent to another."""
    steps = np.where(exponent_from == FREE, 0, exponent_from - exponent_to)
    return _xp.like(np.ldexp(1.0, np.clip(steps, -1100, LAST_EXPONENT)), like)


def ridge_over(ridge: float, unit: float) -> float:
    """Return a ridge for columns over a unit: ridge / unit²."""
    scaled = ridge / unit / unit  # the square alone may be out of range
    if ridge and not np.isfinite(scaled):
        raise errors.InputError(
            f"ridge={ridge:g} beside columns of size {unit:g} is out of the range of numbers; use a smaller ridge, or "
            f"bring the columns to ordinary size."
        )
    return scaled


def powers(exponent: Exponents, like: Array) -> Array | float:
    """Return 2^exponent per column."""
    return 1.0 if exponent is None else _xp.like(np.ldexp(1.0, exponent), like)


def summed(kind: type[Any], rows: Array, exponent: np.ndarray) -> tuple[Store, np.ndarray]:
    """Sum squares of rows given over 2^exponent, taking out more where a column would overflow or underflow."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        store = kind.of(rows)
        squares, low, high = store.diagonal(), 2.0 ** (-2 * ORDINARY), 2.0 ** (2 * ORDINARY)
        ordinary = _xp.namespace(squares).all((squares >= low) & (squares <= high))
    if bool(ordinary) and not exponent.any():
        return store, exponent
    more = column_exponents(rows)
    total = np.where(more == FREE, 0, np.clip(exponent + more, -LAST_EXPONENT, LAST_EXPONENT))
    total = np.where(np.abs(total) <= ORDINARY, 0, total)
    if np.array_equal(total, exponent):
        return store, exponent
    return kind.of(rows * shrink(exponent, total, rows)), total
