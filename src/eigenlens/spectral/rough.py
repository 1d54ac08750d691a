"""The square of a table in single precision, which takes half the time, and directions that are then made exact.

Where eigenvalues are close together, as in noise, a search takes many products. In single precision they are right to
seven digits, and so is what is found. The residuals of that, R = AV − VΘ, come from products in double precision; a
correction of each direction solves (θ − A)t = r at right angles to what is known, again in single precision. Each round
leaves about a hundredth of the residual (Davidson 1975; Sleijpen, van der Vorst 1996). What is returned was multiplied
in double precision, so its residual is certain, whatever single precision did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import frexp
from typing import Any

import numpy as np

from .._core import memory
from .._core import xp as _xp
from .._core.tiles import COLUMNS, Tiles
from .block_space import BlockSpace, Leading, Way

THIN = 4.0  # cost of a multiplication with a few vectors, relative to one in the product of a table with itself
HALF, TILED = 0.5, 0.3  # of the time in double precision: of the table's product with itself, and with a few vectors
COPIED, CORRECTED = 3.0, 6.0  # products whose time it takes to copy the table both ways, and to make directions exact
ROUND_OFF = 3e-7  # residual, relative to the largest value, below which single precision cannot go
ROUNDS = 4  # of corrections
CLOSER = 0.6  # share of the residual asked for that a correction may leave by its own account
MOST_CORRECTIONS = 16  # products that a round of corrections may take
PIECE_BYTES = 2**21  # of rows that are rounded together
ROOM = 2**28  # bytes that are not checked for


def rough_ways(products: Any, trace: float, width: int) -> list[Way]:
    """Return the ways to go on in single precision, with their cost relative to products in double precision."""
    if not getattr(products, "may_round", False) or not trace > 0:
        return []
    short, long = sorted(products.shape)
    ways = []
    if _fits(8 * short * long):
        ways.append(Way(lambda: RoughTable(products, trace, width), COPIED + CORRECTED, TILED, ROUND_OFF))
    if _fits(4 * short * (long + 3 * short)):  # the square itself, padded, and in tiles
        price = COPIED / 2 + CORRECTED / 2 + HALF * short / (2 * THIN * width)
        ways.append(Way(lambda: RoughSquare(products, trace, width), price, TILED * short / (2 * long), ROUND_OFF))
    return ways


def _fits(needed: int) -> bool:
    if needed < ROOM:
        return True
    available = memory.available_bytes()
    return available is None or needed <= memory.SHARE * available


class RoughTable:
    """Products with XᵀX, or with XXᵀ where rows are fewer: by X and by its transpose, in single precision."""

    def __init__(self, products: Any, trace: float, width: int) -> None:
        n, p = products.shape
        X, turned = Tiles(n, p, width), Tiles(p, n, width)
        self._unit = _unit(products, trace)
        for low, rows in _rounded(products, self._unit):
            X.write_rows(low, rows)
            turned.write_columns(low, rows)
        self._first, self._second = (X, turned) if products.over_rows else (turned, X)

    def __call__(self, V: np.ndarray) -> np.ndarray:
        return self._unit**2 * self._second.under(self._first.under(V.astype(np.float32))).astype(np.float64)


class RoughSquare:
    """Products with XᵀX, or with XXᵀ where rows are fewer, formed in single precision."""

    def __init__(self, products: Any, trace: float, width: int) -> None:
        X = np.empty(products.shape, dtype=np.float32)
        self._unit = _unit(products, trace)
        for low, rows in _rounded(products, self._unit):
            X[low : low + len(rows)] = rows
        self._tiles = Tiles(products.side, products.side, width)
        self._tiles.write_rows(0, X @ X.T if products.over_rows else X.T @ X)

    def __call__(self, V: np.ndarray) -> np.ndarray:
        return self._unit**2 * self._tiles.under(V.astype(np.float32)).astype(np.float64)


def _unit(products: Any, trace: float) -> float:
    """Return a power of two over which the cells of a table are near 1: they neither overflow nor vanish."""
    n, p = products.shape
    return 2.0 ** frexp((trace / n / p) ** 0.5)[1]


def _rounded(products: Any, unit: float) -> Iterator[tuple[int, np.ndarray]]:
    """Return the rows of a table over a unit, in single precision, a few at a time."""
    n, p = products.shape
    step = COLUMNS * max(PIECE_BYTES // (8 * p * COLUMNS), 1)
    for low in range(0, n, step):
        rows = products.centred(low, min(low + step, n))
        rows *= 1.0 / unit
        yield low, rows.astype(np.float32)


class _Corrections(BlockSpace):
    """The space in which corrections are looked for: at right angles to a frame, from the residuals."""

    def solved(self, values: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the solutions of (θ − A)t = r in this space, and how much of r each leaves; None if θ is within it.

        `start` has the coordinates of the residuals r in the first block.
        """
        inside, S = np.linalg.eigh(self.T[: self.m, : self.m])
        if values[-1] <= inside[-1]:
            return None
        y = S @ ((S[: len(start)].T @ start) / (values - inside[:, None]))
        left = np.linalg.norm(self._R @ y[self.m - self._R.shape[1] :], axis=0)
        return y.T @ self.Q[: self.m], left

    @property
    def is_full(self) -> bool:
        return self.steps >= MOST_CORRECTIONS or self.m + self.width > self.size


def refined(
    exact: Callable[[np.ndarray], np.ndarray],
    rough: Callable[[np.ndarray], np.ndarray],
    found: Leading,
    k: int,
    tol: float,
    weak: float,
) -> Leading:
    """Make the first k of some directions, which products in single precision have found, exact.

    Parameters
    ----------
    exact, rough : function
        Rows times the matrix, in double and in single precision.
    found : Leading
        More than k directions: corrections need not look for the others.
    k : int
    tol, weak : float
        As in `block_krylov.leading`.
    """
    known, beyond, steps = found.vectors[:k], found.vectors[k:], found.steps
    for turn in range(ROUNDS + 1):
        values, known, R = _rayleigh_ritz(exact, known)
        steps += 1
        gaps, unit = np.linalg.norm(R, axis=1), np.maximum(values, weak * values[0])
        settled = bool((gaps <= tol * unit).all())
        if settled or turn == ROUNDS:
            break
        moved = _moved(rough, known, values, R, beyond, found, CLOSER * tol * unit)
        if moved is None:
            break
        known, taken = moved
        steps += taken
    return Leading(values, known, gaps / values[0], steps, settled)


def _rayleigh_ritz(
    apply: Callable[[np.ndarray], np.ndarray], V: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the values and vectors of a matrix within the span of V, and their residuals."""
    image = apply(V)
    products = image @ V.T
    values, turn = _xp.leading_eigh((products + products.T) / 2, len(V))
    V = turn.T @ V
    return values, V, turn.T @ image - values[:, None] * V


def _moved(
    rough: Callable[[np.ndarray], np.ndarray],
    known: np.ndarray,
    values: np.ndarray,
    R: np.ndarray,
    beyond: np.ndarray,
    found: Leading,
    goal: np.ndarray,
) -> tuple[np.ndarray, int] | None:
    """Return corrected directions, orthonormal, and the products they took; None where nothing can be corrected."""
    k, n = known.shape
    others = _orthonormal(beyond - (beyond @ known.T) @ known)
    apart = values[:, None] - found.values[k:]
    size = np.linalg.norm(R, axis=1)
    if not size.min() > 0 or apart.min(initial=np.inf) <= 0:
        return None
    frame = np.concatenate([known, others])

    def outside(rows: np.ndarray) -> np.ndarray:
        return rows - (rows @ frame.T) @ frame

    unit = outside(R / size[:, None])
    space = _Corrections(lambda rows: outside(rough(rows)), n, k, known, 0.0, k, start=unit)
    start = space.first @ unit.T
    while True:
        space.grow()
        solved = space.solved(values, start)
        if solved is None:
            return None
        t, left = solved
        if (left * size <= goal).all() or space.is_full:
            break
    t = t * size[:, None] + ((R @ others.T) / apart) @ others
    return _orthonormal(known + t), space.steps


def _orthonormal(rows: np.ndarray) -> np.ndarray:
    return np.linalg.qr(rows.T)[0].T.copy()
