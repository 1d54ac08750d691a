r"""Polynomial kernels without their matrix: the same functions from monomials about the centre of the rows.

Far from the origin, the matrix of a polynomial kernel spans so many decades that no digit of its weak axes survives.
Its functions are polynomials, and a kernel of inner products does not change if the rows are turned. With the first
axis along the centre a, the features are :math:`\phi(x) = C^T m(x - a)`, m the monomials and C a matrix of blocks: one
for each monomial of the other axes, with binomial coefficients times powers of \|a\|. Each block is eliminated in
exact fractions, C = X diag(S) Y, with X and Y well conditioned. Then

.. math:: P\sqrt{W} M X \,\mathrm{diag}(S)\, Y = U \,\mathrm{diag}(s)\, V^T

by pivoted QR and Jacobi rotations, which keep the digits of every s, however small compared with the largest.

References
----------
Demmel, Gu, Eisenstat, Slapničar, Veselić, Drmač (1999), Computing the singular value decomposition with high relative
accuracy, Linear Algebra and its Applications 299.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, groupby
from math import comb, factorial, prod, sqrt

import numpy as np
import scipy.linalg

from .._core import xp as _xp
from .._core.stored import stored
from .._core.typing import Array

MOST_MONOMIALS = 1000  # monomials up to which Jacobi rotations take about a second
CELLS = 2**24  # of the table of monomials
CONDITION = 1e6  # of the monomials at the rows: beyond it they tell too little of each other
FLAT = 1e-13  # axes below this share of the longest are rounding
ROUNDING = 8 * _xp.EPS

Blocks = list[tuple[np.ndarray, np.ndarray, np.ndarray]]  # X, S and Y of each block of features


@stored("kernel.Expansion")
@dataclass(frozen=True, eq=False)
class Expansion:
    """A kernel without what centring takes out, as Σ dⱼ uⱼ(x) uⱼ(z), the polynomials u orthonormal over the rows.

    Attributes
    ----------
    degree : int
    centre : array of shape (p,)
        Of the rows minus their pivot.
    turn : array of shape (p, r)
        From rows minus the centre to the axes of the monomials.
    means : array of shape (m,)
        Of the monomials.
    coefficients : array of shape (m, k)
        Of the polynomials u.
    singular_values : array of shape (k,)
        √d, descending.
    doubt : float
        What rounding may have changed the values s·u by: 0 where each axis has its own digits.
    hidden : int
        Axes that may be lost below that.
    """

    degree: int
    centre: Array
    turn: Array
    means: Array
    coefficients: Array
    singular_values: Array
    doubt: float
    hidden: int

    def __call__(self, X: Array) -> Array:
        """Return u(x) for rows minus the pivot: (n, k)."""
        centre, turn, means, coefficients = (
            _xp.like(a, X) for a in (self.centre, self.turn, self.means, self.coefficients)
        )
        return (_monomials((X - centre) @ turn, self.degree) - means) @ coefficients


def expand(d: int, scale: float, offset: float, X: Array, weight: Array, pivot: Array) -> Expansion | None:
    """Return (scale·xᵀz + offset)^d over rows minus a pivot; None where there are too many monomials."""
    rows, w, a = (np.asarray(_xp.to_numpy(part), dtype=float) for part in (X, weight, pivot))
    centre = w @ rows / w.sum()
    turn, along, beside = _turned(rows - centre, a + centre)
    n, r = rows.shape[0], turn.shape[1]
    count = comb(r + d, d) - 1
    if r == 0 or count * n > CELLS or min(count, n) > MOST_MONOMIALS:
        return None
    lengths = 1.0 / np.linalg.norm(turn, axis=0)  # powers of two that the axes were divided by
    with np.errstate(over="ignore", invalid="ignore"):
        M = _monomials((rows - centre) @ turn, d)
        means = w @ M / w.sum()
        B = np.sqrt(w)[:, None] * (M - means)
    try:
        found = _decomposed(B, _features(d, scale, offset + scale * beside, along, lengths))
    except (OverflowError, ZeroDivisionError):  # numbers that no float holds
        return None
    if found is None:
        return None
    A, s, doubt = found
    hidden = min(count, n - 1) - len(s) if doubt else 0
    centre, turn, means, A, s = (_xp.like(part, X) for part in (centre, turn, means, A, s))
    return Expansion(d, centre, turn, means, A, s, doubt, max(hidden, 0))


def _turned(rows: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return axes of the rows, the first along a; the length of a there, and the square of what is orthogonal to them.

    Each axis is divided by a power of two near the spread along it.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        spread = np.abs(rows).max(initial=0.0)
    if not 0 < spread < 1e150:
        return np.zeros((rows.shape[1], 0)), 0.0, 0.0
    _, s, Vt = scipy.linalg.svd(rows / spread, full_matrices=False, check_finite=False)
    V = Vt[s > FLAT * s[0]].T
    inside = V.T @ a
    along, beside = float(np.linalg.norm(inside)), float(((a - V @ inside) ** 2).sum())
    if along > 0:
        first = inside / along
        others = scipy.linalg.null_space(first[None, :])
        if others.shape[1]:
            others = others @ scipy.linalg.svd(rows @ (V @ others), full_matrices=False)[2].T
        V = V @ np.column_stack([first, others])
    length = np.sqrt(((rows @ V / spread) ** 2).mean(axis=0)) * spread
    if not (length > 0).all():
        return np.zeros((rows.shape[1], 0)), 0.0, 0.0
    return V / 2.0 ** np.round(np.log2(length)), along, beside


def _exponents(r: int, d: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield the monomials up to degree d, without the constant: factors among the other axes, power of the first."""
    for e in range(d + 1):
        for others in combinations_with_replacement(range(1, r), e):
            yield from ((others, i) for i in range(0 if e else 1, d - e + 1))


def _monomials(T: Array, d: int) -> Array:
    xp = _xp.namespace(T)
    ones = xp.ones_like(T[:, 0])
    powers = [ones]
    for _ in range(d):
        powers.append(powers[-1] * T[:, 0])
    columns: list[Array] = []
    for others, group in groupby(_exponents(T.shape[1], d), key=lambda m: m[0]):
        product = ones
        for k in others:
            product = product * T[:, k]
        columns.extend(product * powers[i] for _, i in group)
    return xp.stack(columns, axis=1)


def _features(d: int, scale: float, offset: float, along: float, lengths: np.ndarray) -> Blocks:
    """Return the blocks of the map from monomials to features."""
    blocks: Blocks = []
    for e in range(d + 1):
        X, S, Y = _eliminated(_block(d, e, scale, offset, along, lengths[0]))
        for others in combinations_with_replacement(range(1, len(lengths)), e):
            repeats = prod(factorial(len(list(group))) for _, group in groupby(others))
            blocks.append((X, S * (prod(lengths[list(others)]) / sqrt(repeats)), Y))
    return blocks


def _block(d: int, e: int, scale: float, offset: float, along: float, length: float) -> list[list[Fraction]]:
    """Return the features x₁ʲ in monomials (x₁ − along)ⁱ, times a monomial of degree e of the other axes."""
    powers = range(0 if e else 1, d - e + 1)

    def root(j: int) -> Fraction:
        rest = d - e - j
        share = Fraction(factorial(d), factorial(j) * factorial(rest))
        return Fraction(sqrt(share * Fraction(offset) ** rest * Fraction(scale) ** (j + e)))

    features = [(j, root(j)) for j in powers if offset > 0 or j == d - e]
    h, a = Fraction(length), Fraction(along)
    return [
        [root_j * comb(j, i) * a ** (j - i) * h**i if j >= i else Fraction(0) for j, root_j in features] for i in powers
    ]


def _eliminated(C: list[list[Fraction]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return X, S, Y with C = X diag(S) Y by Gaussian elimination with complete pivoting, exactly until the end."""
    rows, columns = range(len(C)), range(len(C[0]) if C else 0)
    X, S, Y = [], [], []
    for _ in range(min(len(rows), len(columns))):
        i, j = max(((i, j) for i in rows for j in columns), key=lambda place: abs(C[place[0]][place[1]]))
        pivot = C[i][j]
        if pivot == 0:
            break
        X.append([C[k][j] / pivot for k in rows])
        Y.append([C[i][k] / pivot for k in columns])
        S.append(pivot)
        C = [[C[k][m] - X[-1][k] * pivot * Y[-1][m] for m in columns] for k in rows]
    shape = (len(S), -1)
    numbers = [np.array(part, dtype=float) for part in (X, S, Y)]
    return (
        numbers[0].reshape(len(S), len(rows)).T,
        numbers[1],
        numbers[2].reshape(shape) if S else np.zeros((0, len(columns))),
    )


def _decomposed(B: np.ndarray, blocks: Blocks) -> tuple[np.ndarray, np.ndarray, float] | None:
    """Return the coefficients of u, s, and its doubt, from centred monomials and the features made of them."""
    size = np.linalg.norm(B, axis=0)
    if not np.isfinite(size).all():
        return None
    R: np.ndarray = np.asarray(np.linalg.qr(B, mode="r")) if B.shape[0] > B.shape[1] else B
    determined = R.shape[0] == R.shape[1] and (size > 0).all() and np.linalg.cond(R / size) < CONDITION
    S = np.concatenate([block[1] for block in blocks])
    F = _times(R, [block[0] for block in blocks]) * S
    if not np.isfinite(F).all():
        return None
    Y = [block[2] for block in blocks]
    return _accurate(R, F, Y) if determined else _direct(F, blocks)


def _accurate(R: np.ndarray, F: np.ndarray, Y: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, float] | None:
    """Decompose F Y where the monomials are well conditioned: every s has its own digits."""
    Q1, R1, order = scipy.linalg.qr(F, mode="economic", pivoting=True, check_finite=False)
    W = np.empty_like(R1)
    W[:, order] = R1
    s, _, V, work, _, info = scipy.linalg.lapack.dgejsv(np.asfortranarray(_times(W, Y).T), joba=0, jobr=0)
    s = s * (work[0] / work[1])
    if info != 0 or not (np.isfinite(s).all() and (s > 0).all()):
        return None
    return scipy.linalg.solve_triangular(R, Q1 @ V, check_finite=False), s, 0.0


def _direct(F: np.ndarray, blocks: Blocks) -> tuple[np.ndarray, np.ndarray, float] | None:
    """Decompose F Y where the rows do not determine all monomials: the least norm decides, and rounding is absolute."""
    G = _times(F, [block[2] for block in blocks])
    try:
        _, s, Vt = scipy.linalg.svd(G, full_matrices=False, check_finite=False)
    except scipy.linalg.LinAlgError:
        return None
    keep = s > max(F.shape) * _xp.EPS * s[0]
    V, s = Vt[keep].T, s[keep]
    parts, start = [], 0
    for X, S, Y in blocks:
        stop = start + Y.shape[1]
        parts.append(X @ (S[:, None] * (Y @ V[start:stop])))
        start = stop
    return np.concatenate(parts) / s, s, ROUNDING * float(s[0]) if len(s) else 0.0


def _times(A: np.ndarray, blocks: list[np.ndarray]) -> np.ndarray:
    """Return A times a matrix with these blocks along its diagonal."""
    parts, start = [], 0
    for block in blocks:
        stop = start + block.shape[0]
        parts.append(A[:, start:stop] @ block)
        start = stop
    return np.concatenate(parts, axis=1)
