"""Powers of two taken out of numbers before they are squared, and put back: exact, so this changes no digit.

Numbers of ordinary size (10^±60) are left alone. Beyond, what is squared is divided by the power of two of its largest
entry, for a whole table or column by column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import errors, namespaces
from .typing import Array

ORDINARY = 200  # |x| within 2^±200 squares and sums safely
FREE = -(10**6)  # exponent of a column that is all zeros
LAST_EXPONENT = 1000  # 2^±1000 and their inverses are ordinary numbers
Exponents = np.ndarray | None  # of each column; None where nothing is taken out


def power(exponent: int, times: float = 1.0) -> float:
    """Return 2^exponent, times a number: one product, so that it overflows only where the result does."""
    return float(np.ldexp(times, exponent))


def extreme_exponent(largest: Any) -> int:
    """Return the exponent to take out of numbers up to this size: 0 where it is ordinary."""
    exponent = int(np.frexp(float(largest))[1])
    return exponent if abs(exponent) > ORDINARY else 0


def unit_of(rows: np.ndarray) -> float:
    """Return the power of two of the largest entry: over it, squares neither overflow nor vanish."""
    exponent = int(np.frexp(np.max(np.abs(rows), initial=0.0))[1])
    return power(min(max(exponent, -LAST_EXPONENT), LAST_EXPONENT))


def ridge_over(ridge: float, unit: float) -> float:
    """Return a ridge for columns over a unit: ridge / unit²."""
    scaled = ridge / unit / unit  # the square alone may be out of range
    if ridge and not np.isfinite(scaled):
        raise errors.InputError(
            f"ridge={ridge:g} with columns of size {unit:g} leaves the range of numbers; use a smaller ridge, or "
            f"bring the columns to ordinary size."
        )
    return scaled


def over_largest(columns: Array) -> Array:
    """Return columns over the powers of two of their largest entries: no square overflows, and no digit changes."""
    xp = namespaces.namespace(columns)
    _, exponent = np.frexp(namespaces.to_numpy(xp.max(xp.abs(columns), axis=0)))
    units = np.ldexp(1.0, np.clip(exponent, -LAST_EXPONENT, LAST_EXPONENT))
    return columns / namespaces.like(units, columns)


# -- column by column ------------------------------------------------------------------------------------------


def column_exponents(rows: Array) -> np.ndarray:
    """Return the exponent to take out of each column: 0 for ordinary columns, FREE for zero ones."""
    if rows.shape[0] == 0:
        return np.full(rows.shape[1], FREE)
    xp = namespaces.namespace(rows)
    peaks = namespaces.to_numpy(xp.max(xp.abs(rows), axis=0)).astype(np.float64)
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
    return namespaces.like(np.ldexp(1.0, np.clip(steps, -1100, LAST_EXPONENT)), like)


def units(exponent: Exponents, like: Array) -> Any:
    """Return 2^exponent per column."""
    return 1.0 if exponent is None else namespaces.like(np.ldexp(1.0, exponent), like)
