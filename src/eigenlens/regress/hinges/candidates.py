"""Candidate knots of all features under all parents, and what each would gain.

A row at x between grid points g_k ≤ x ≤ g_{k+1} acts on every hinge with a knot on the grid exactly as two masses do,
1 − λ at g_k and λ at g_{k+1}, λ = (x − g_k)/(g_{k+1} − g_k). So Σᵢ vᵢ (xᵢ − g_k)₊ for all k is one sparse product with
the hat functions of the grid, then two running sums along it. Only gaps between grid points enter, so an offset of the
feature costs no digits.

Below the middle of the grid the mirrored hinge (g_k − x)₊ is used. Modulo b and b·x, which every comparison projects
out, the two are the same function up to sign, and the mirrored one is small where the other is nearly straight: its
projected norm keeps its digits.

For a parent b, a feature and a knot, with h the hinge column and l = b·x the straight column, ‖h⊥‖², h⊥ᵀl⊥, hᵀR, ‖l⊥‖²
and lᵀR are kept, where ⊥ projects the columns q of the basis out and R are the residuals. A new q changes them by
products of hᵀq, lᵀq and qᵀY, so nothing else has to be taken over the rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]
T = TypeVar("T")

ROWS = 1 << 16  # rows taken at a time: bounds the memory for products, and the cache likes it
INDEPENDENT = 1e-9  # a column counts as new if this share of its square is left after projection
COLUMNS = 32  # inner products are taken for so many columns at a time, which bounds memory
ROUNDING = 1e-9  # keeps a count that is whole in exact arithmetic from falling on either side


@dataclass(eq=False)
class Grid:
    """The grid of one feature: its smallest value, its candidate knots, its largest value.

    Attributes
    ----------
    values, scaled : arrays of shape (G,)
        In the units of the feature, and centred over `scale`.
    scale : float
    segment, share : arrays of shape (n,)
        The grid point below each row, and the mass of the row on the point above.
    low : int
        Positions below use the mirrored hinge.
    """

    values: Floats
    scaled: Floats
    scale: float
    segment: NDArray[np.int32]
    share: Floats
    low: int

    @classmethod
    def lay(cls, x: Floats, w: Floats, space: float, end_span: float) -> Grid | None:
        """Lay the grid of a feature; None if it is constant."""
        o = np.argsort(x)
        xs = x[o]
        width = xs[-1] - xs[0]
        if not width > 0:
            return None
        first = _positions(xs, w[o], space, end_span)
        values, u = xs[first], (x - xs[0]) / width
        centre = w @ u / w.sum()
        spread = math.sqrt(w @ (u - centre) ** 2 / w.sum())
        segment = np.empty(len(x), dtype=np.int32)
        segment[o] = np.repeat(np.arange(len(values) - 1), np.diff(np.append(first[:-1], len(x))))
        share = (x - values[segment]) / np.diff(values)[segment]
        scaled = ((values - xs[0]) / width - centre) / spread
        return cls(values, scaled, width * spread, segment, share, len(values) // 2)

    @property
    def mirrored(self) -> Flags:
        """Which positions use (t − x)₊."""
        return np.arange(len(self.values)) < self.low

    def hats(self) -> list[sp.csc_array]:
        """Return the masses of rows on the grid, G×ROWS each."""
        found, size = [], len(self.values)
        for a in range(0, len(self.share), ROWS):
            left, up = self.segment[a : a + ROWS], self.share[a : a + ROWS]
            places = np.stack([left, left + 1], axis=1).ravel()
            data = np.stack([1.0 - up, up], axis=1).ravel()
            hat = sp.csc_array((data, places, np.arange(0, 2 * len(up) + 1, 2)), shape=(size, len(up)))
            hat.eliminate_zeros()  # most rows may lie on grid points and need one place only
            found.append(hat)
        return found

    def masses(self, v: Floats) -> Floats:
        """Return the masses (G,) of a weight per row."""
        on = self.segment
        parts = np.bincount(on, v * (1 - self.share), len(self.values))
        return np.asarray(parts + np.bincount(on + 1, v * self.share, len(self.values)))

    def hinges(self, m: Floats) -> Floats:
        """Return Σ mᵢhᵢ for the hinge at every position, from masses (G×c)."""
        out, low, g = np.empty_like(m), self.low, self.scaled
        out[low:] = _beyond(m[low:], g[low:])
        out[:low] = _beyond(m[:low][::-1], -g[:low][::-1])[::-1]
        return out

    def squares(self, v: Floats, m: Floats) -> tuple[Floats, Floats, float]:
        """Return Σ vᵢhᵢ and Σ vᵢhᵢ² for the hinge h at every position, and Σ vᵢxᵢ²; m are the masses of v."""
        gap = np.diff(self.scaled)
        overstated = v * self.share * (1.0 - self.share) * (gap**2)[self.segment]  # of (x − t)², by the hats
        e = np.asarray(np.bincount(self.segment, overstated, len(gap)), dtype=np.float64)
        up, down = _squares_beyond(m, gap, e), _squares_beyond(m[::-1], gap[::-1], e[::-1])
        a, n = (np.where(self.mirrored, other[::-1], one) for one, other in zip(up, down, strict=True))
        return a, n, float(m @ self.scaled**2 - e.sum())


def _positions(xs: Floats, ws: Floats, space: float, end_span: float) -> Indices:
    """Return the first index, among sorted rows, of each value on the grid."""
    start = np.flatnonzero(np.concatenate([[True], xs[1:] > xs[:-1]]))
    total = np.concatenate([[0.0], np.cumsum(ws)])
    below, above = total[start], total[-1] - total[np.append(start[1:], len(xs))]
    keep = (below + ROUNDING >= end_span) & (above + ROUNDING >= end_span)
    keep[[0, -1]] = False
    if space > 1 and keep.any():
        kept = np.flatnonzero(keep)
        turn = np.floor((below[kept] - below[kept[0]]) / space + ROUNDING)
        keep[kept[1:]] = np.diff(turn) > 0
    keep[[0, -1]] = True
    return start[keep]


def _beyond(m: Floats, g: Floats) -> Floats:
    """Return Σ_{i>k} mᵢ (gᵢ − g_k) for every k, along the first axis."""
    out = np.zeros_like(m)
    above = np.cumsum(m[:0:-1], axis=0)
    above *= np.diff(g)[::-1, None]
    np.cumsum(above, axis=0, out=out[-2::-1])
    return out


def _squares_beyond(m: Floats, gap: Floats, e: Floats) -> tuple[Floats, Floats]:
    """Return Σ_{i>k} mᵢ (gᵢ − g_k) and Σ_{i>k} mᵢ (gᵢ − g_k)² − Σ_{i≥k} eᵢ for every k."""
    a, n = np.zeros(len(m)), np.zeros(len(m))
    a[:-1] = np.cumsum(gap[::-1] * np.cumsum(m[:0:-1]))[::-1]
    n[:-1] = np.cumsum((gap * (a[1:] + a[:-1]) - e)[::-1])[::-1]
    return a, n


class Candidates:
    """Hinges of one feature under every parent: ‖h⊥‖², h⊥ᵀl⊥, hᵀR, and what ‖h⊥‖² must exceed."""

    def __init__(self, grid: Grid, q: int) -> None:
        self.grid, self.hats, size = grid, grid.hats(), len(grid.values)
        self.squares, self.cross, self.floor = (np.empty((0, size)) for _ in range(3))
        self.cov = np.empty((0, q, size))

    def add_parent(self, b: Floats, m: Floats, cov: Floats, end_span: float) -> float:
        """Enter a parent and return ‖l‖²; m are the masses of b² and of the weights in its support, cov is hᵀY."""
        g = self.grid
        a, n, line = g.squares(b * b, m[:, 0])
        up_to = np.cumsum(m[:, 1])
        allowed = (up_to - m[:, 1] + ROUNDING >= end_span) & (up_to[-1] - up_to + ROUNDING >= end_span)
        allowed[[0, -1]] = False
        self.squares = np.vstack([self.squares, n])
        self.cross = np.vstack([self.cross, np.where(g.mirrored, -n, n) + g.scaled * a])
        self.floor = np.vstack([self.floor, np.where(allowed, INDEPENDENT * n, np.inf)])
        self.cov = np.concatenate([self.cov, cov.T[None]])
        return line

    def project_out(self, who: list[int], A: Floats, line: Floats, z: Floats) -> None:
        """Project columns q out: A = hᵀq (G×columns×parents), line = lᵀq (columns×parents), z = qᵀY."""
        self.squares[who] -= np.einsum("gcp,gcp->pg", A, A)
        self.cross[who] -= np.einsum("gcp,cp->pg", A, line)
        self.cov[who] -= np.einsum("gcp,cq->pqg", A, z)

    def gains(self, who: Indices, inv: Floats, cov: Floats) -> Floats:
        """Return what hinges gain beyond the straight column, parents×G; inv = 1/‖l⊥‖², cov = lᵀR (parents×q)."""
        cross = self.cross[who]
        T = cross * inv[:, None]
        left = self.squares[who] - T * cross
        found = np.sum((self.cov[who] - T[:, None] * cov[..., None]) ** 2, axis=1)
        return np.asarray(found / np.where(self.floor[who] < left, left, np.inf))


class KnotTable:
    """Candidates of all features that vary; a parent is brought up to date when it is looked at."""

    def __init__(self, X: Floats, w: Floats, grids: dict[int, Grid], q: int, pool: ThreadPoolExecutor | None) -> None:
        self.w, self.pool, p = w, pool, len(grids)
        self.features = list(grids)
        self.candidates = [Candidates(g, q) for g in grids.values()]
        scaled = [(X[:, j] - g.values[0]) / g.scale + g.scaled[0] for j, g in grids.items()]
        self.scaled = np.column_stack(scaled) if scaled else np.empty((len(X), 0))
        self.parents: list[Floats] = []  # √w b
        self.seen: list[int] = []  # columns of the basis that a parent knows
        self.line = np.zeros((0, p))  # ‖l⊥‖², parents×features
        self.line_floor = np.zeros((0, p))  # what it must exceed
        self.line_cov = np.zeros((0, p, q))  # lᵀR

    def each(self, f: Callable[[int], T]) -> list[T]:
        """Map over features, in threads if there is a pool."""
        return list((self.pool.map if self.pool else map)(f, range(len(self.features))))

    def add_parent(self, b: Floats, end_span: float, Y: Floats) -> None:
        """Add a parent that knows no column of the basis yet; b and Y are times √w."""
        support = np.where(b > 0, self.w, 0.0)
        masses, lines = self._products(lambda rows: np.column_stack([b * b, support, b[:, None] * Y])[rows])
        self.parents.append(b)
        self.seen.append(0)

        def add(f: int) -> float:
            c = self.candidates[f]
            return c.add_parent(b, masses[f], c.grid.hinges(masses[f][:, 2:]), end_span)

        line = np.array(self.each(add))
        self.line, self.line_floor = np.vstack([self.line, line]), np.vstack([self.line_floor, INDEPENDENT * line])
        self.line_cov = np.concatenate([self.line_cov, lines[None, :, 2:]])

    def _products(self, columns: Callable[[slice], Floats]) -> tuple[list[Floats], Floats]:
        """Return the masses of columns on every grid, and their products with every feature."""
        masses: list[Floats] = []
        lines = np.zeros(())
        for i, a in enumerate(range(0, len(self.scaled), ROWS)):
            rows = slice(a, a + ROWS)
            V = columns(rows)

            def on_grid(f: int, i: int = i, V: Floats = V) -> Floats:
                return np.asarray(self.candidates[f].hats[i] @ V)

            new = self.each(on_grid)
            masses = [m + more for m, more in zip(masses, new, strict=True)] if i else new
            lines = lines + self.scaled[rows].T @ V
        return masses, lines

    def refresh(self, who: Indices, Q: Floats, z: Floats) -> None:
        """Bring parents to the basis Q (n×M), z = QᵀY; those that lack the same columns go together."""
        for some, new in self._lacking(who, Q.shape[1]):
            B = np.column_stack([self.parents[k] for k in some])

            def columns(rows: slice, B: Floats = B, new: slice = new) -> Floats:
                return (Q[rows, new, None] * B[rows, None, :]).reshape(len(B[rows]), -1)

            masses, lines = self._products(columns)
            part = lines.reshape(-1, new.stop - new.start, len(some))  # features×columns×parents

            def enter(
                f: int, some: list[int] = some, new: slice = new, masses: list[Floats] = masses, part: Floats = part
            ) -> None:
                c = self.candidates[f]
                c.project_out(some, c.grid.hinges(masses[f]).reshape(-1, *part.shape[1:]), part[f], z[new])

            self.each(enter)
            self.line[some] -= np.sum(part**2, axis=1).T
            self.line_cov[some] -= np.einsum("fcp,cq->pfq", part, z[new])
            for k in some:
                self.seen[k] = new.stop

    def _lacking(self, who: Indices, M: int) -> Iterator[tuple[list[int], slice]]:
        """Yield parents with columns that they lack, so many at a time that memory is bounded."""
        for since in sorted({self.seen[k] for k in who} - {M}):
            behind = [int(k) for k in who if self.seen[k] == since]
            for start in range(since, M, COLUMNS):
                new = slice(start, min(start + COLUMNS, M))
                step = max(1, COLUMNS // (new.stop - new.start))
                yield from ((behind[i : i + step], new) for i in range(0, len(behind), step))
