"""Powers of two taken out of columns before they are squared.

Columns of ordinary size (10^±60) are left alone, and exponents are then None. Beyond, each column gets the power of
two of its largest entry. Multiplying by powers of two is exact, so this changes no digit.
"""

from __future__ import annotations

import numpy as np

from .._core import errors
from .._core import xp as _xp
from .._core.typing import Array

ORDINARY = 200  # |x| within 2^±200 squares and sums safely
FREE = -(10**6)  # exponent of a column that is all zeros
LIMIT = 1000  # 2^±1000 and their inverses are ordinary numbers

Exponents = np.ndarray | None


def is_safe(diagonal: Array) -> bool:
    """Tell from sums of squares that no column came near overflow or underflow."""
    xp = _xp.namespace(diagonal)
    low, high = 2.0 ** (-2 * ORDINARY), 2.0 ** (2 * ORDINARY)
    return bool(xp.all((diagonal >= low) & (diagonal <= high)))


def column_exponents(rows: Array) -> np.ndarray:
    """Return the exponent to take out of each column: 0 for ordinary columns, FREE for zero ones."""
    if rows.shape[0] == 0:
        return np.full(rows.shape[1], FREE)
    xp = _xp.namespace(rows)
    peaks = _xp.to_numpy(xp.max(xp.abs(rows), axis=0)).astype(np.float64)
    _, exponent = np.frexp(peaks)
    exponent = np.where(np.abs(exponent) <= ORDINARY, 0, exponent)
    return np.where(peaks == 0, FREE, np.clip(exponent, -LIMIT, LIMIT))


def common(exponents: list[np.ndarray]) -> Exponents:
    """Return exponents that suit all: those of the largest entries; None where nothing is to be taken out."""
    top = np.max(np.stack(exponents), axis=0)
    top = np.where(top == FREE, 0, np.clip(top, -LIMIT, LIMIT))
    return top if np.any(top) else None


def shrink(exponent_from: np.ndarray, exponent_to: np.ndarray, like: Array) -> Array:
    """Return the factor per column that moves numbers from one exponent to another."""
    steps = np.where(exponent_from == FREE, 0, exponent_from - exponent_to)
    return _xp.like(np.ldexp(1.0, np.clip(steps, -1100, LIMIT)), like)


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
