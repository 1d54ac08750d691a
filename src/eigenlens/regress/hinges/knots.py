"""Candidate knots of one feature, and inner products with all their hinges at once.

A row at x between grid points g_k ≤ x ≤ g_{k+1} acts on every hinge with a knot on the grid exactly as two
masses do, 1 − λ at g_k and λ at g_{k+1}, λ = (x − g_k)/(g_{k+1} − g_k). So Σᵢ vᵢ (xᵢ − g_k)₊ for all k is
one sparse product with the hat functions of the grid, then two running sums over the grid. Only gaps
between grid points enter, so an offset of the feature costs no digits.

Below the middle of the grid the mirrored hinge (g_k − x)₊ is used. Modulo b and b·x, which every comparison
projects out, the two are the same function up to sign, and the mirrored one is small where the other is
nearly straight: its projected norm keeps its digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ALPHA = 0.05
MOST_KNOTS = 1000
ROWS = 1 << 16  # rows taken at a time: bounds the memory for products, and the cache likes it


def automatic_min_span(p: int, W: float) -> float:
    """Friedman's (1991, eq. 43) number of rows from a knot to the next."""
    return max(1.0, math.floor(-math.log2(-math.log1p(-ALPHA) / (p * max(W, 1.0))) / 2.5))


def spacing(W: float, min_span: float | None) -> float:
    """Rows from one candidate to the next: every value up to MOST_KNOTS of them, then as coarse as needed.

    A span asked for is never widened by this: ``min_span=1`` tries every value however many there are.
    """
    return max(1.0, min(math.ceil(W / MOST_KNOTS), math.inf if min_span is None else min_span))


def automatic_end_span(p: int) -> float:
    """Friedman's (1991, eq. 45) span between the outermost knots and the ends of the data."""
    return math.floor(3.0 - math.log2(ALPHA / p))


@dataclass
class Grid:
    """The grid of one feature: its smallest value, its candidate knots, its largest value.

    Positions along the grid are stored in blocks of ``B``: position ``pos`` is row ``(pos % B)·nb + pos //
    B``, so that a running sum takes B additions of long rows. ``order[pos]`` is that row; rows beyond the
    grid pad it.
    """

    values: Floats  # (G,) grid in the units of the feature
    scaled: Floats  # (G,) the same, centred and scaled
    scale: float
    B: int
    nb: int
    low: int  # blocks that use the mirrored hinge
    order: NDArray[np.intp]  # (G,)
    mirrored: NDArray[np.bool_]  # (G,) whether a position uses (t − x)₊
    hats: list[sp.csc_array]  # (B·nb)×ROWS each
    segment: NDArray[np.int32]  # (n,) segment of each row
    bend: Floats  # (n,) λ(1−λ)·gap², what the hats overstate of (x − t)²
    halves: list[Floats]  # scaled grid in blocks, upper and mirrored lower half; padding repeats the end
    blocks: sp.csr_array  # (2·nb)×(B·nb), see `_block_sums`

    def place(self, v: NDArray[Any], fill: Any) -> NDArray[Any]:
        """Lay values of the positions (G,) out in blocks, B×nb."""
        out = np.full(self.B * self.nb, fill, dtype=v.dtype)
        out[self.order] = v
        return out.reshape(self.B, self.nb)

    def along(self, v: NDArray[Any]) -> NDArray[Any]:
        """Take values laid out in blocks back to the positions (G,)."""
        return v.reshape(-1)[self.order]

    def masses(self, v: Floats) -> Floats:
        """Masses (G,) of a weight per row."""
        parts = (h @ v[i * ROWS : (i + 1) * ROWS] for i, h in enumerate(self.hats))
        return self.along(np.sum(list(parts), axis=0))

    def hinges(self, masses: Floats) -> Floats:
        """Inner products with the hinge at every place of the grid, B×c×nb, from the masses hats·V."""
        c = masses.shape[1]
        m = np.ascontiguousarray(masses.reshape(self.B, self.nb, c).transpose(0, 2, 1))
        sums = np.ascontiguousarray((self.blocks @ masses).reshape(2, self.nb, c).transpose(0, 2, 1))
        out = np.empty_like(m)
        halves: list[tuple[slice, ...]] = [np.s_[:, :, self.low :]]
        if self.low:
            halves.append(np.s_[::-1, :, self.low - 1 :: -1])
        for half, g in zip(halves, self.halves, strict=True):
            _suffix_hinges(m[half], sums[(slice(None), *half[1:])], g, out[half])
        return out

    def squares(self, v: Floats, m: Floats) -> tuple[Floats, Floats, float]:
        """Σ vᵢhᵢ and Σ vᵢhᵢ² for the hinge h at every position (G,), and Σ vᵢxᵢ²; m are the masses of v."""
        e = np.asarray(np.bincount(self.segment, v * self.bend, len(m) - 1), dtype=np.float64)
        a, n = _suffix_moments(m, self.scaled, e)
        a_low, n_low = _suffix_moments(m[::-1], -self.scaled[::-1], e[::-1])
        low = self.mirrored
        line = float(np.sum(m * self.scaled**2) - e.sum())
        return np.where(low, a_low[::-1], a), np.where(low, n_low[::-1], n), line

    def inside(self, m: Floats, end_span: float) -> NDArray[np.bool_]:
        """(G,) positions with weight ``end_span`` on either side, m being the masses of the rows that count.

        A row between two grid points counts for both by its part. The small addend keeps a count that is
        whole in exact arithmetic from falling on either side by round-off.
        """
        up_to = np.cumsum(m)
        may = (up_to - m + 1e-9 >= end_span) & (up_to[-1] - up_to + 1e-9 >= end_span)
        may[[0, -1]] = False
        return may

    def near(self, m: Floats, position: int, span: float) -> NDArray[np.bool_]:
        """(G,) positions with less than ``span`` weight from here to there, m being the masses."""
        up_to = np.cumsum(m)
        return np.abs(up_to - up_to[position]) < span - 1e-9


def _suffix_hinges(m: Floats, sums: Floats, g: Floats, out: Floats) -> None:
    """Write Σ_{i after k} mᵢ (gᵢ − g_k) for every k; m and out are B×c×nb in blocks, g is B×nb.

    ``sums`` (2×c×nb) holds the mass of each block and its moment about the last point of the block before.
    """
    B, c, nb = m.shape
    end = g[-1]
    s, part = np.zeros((c, nb)), np.empty((c, nb))
    np.cumsum(sums[0, :, :0:-1], axis=1, out=s[:, -2::-1])
    step = (end[1:] - end[:-1]) * s[:, 1:]
    step += sums[1, :, 1:]
    out[-1, :, -1] = 0.0
    np.cumsum(step[:, ::-1], axis=1, out=out[-1, :, -2::-1])
    for b in range(B - 2, -1, -1):
        s += m[b + 1]
        np.multiply(g[b + 1] - g[b], s, out=part)
        np.add(out[b + 1], part, out=out[b])


def _block_sums(halves: list[Floats], low: int) -> sp.csr_array:
    """Sparse matrix from the masses of the grid to the two ``sums`` of each block, see `_suffix_hinges`."""
    B, nb = halves[0].shape[0], low + halves[0].shape[1]
    moment = np.zeros((B, nb))
    moment[:, low + 1 :] = halves[0][:, 1:] - halves[0][-1, :-1]
    if low > 1:
        moment[::-1, low - 2 :: -1] = halves[1][:, 1:] - halves[1][-1, :-1]
    column = np.arange(B * nb).reshape(B, nb).T
    data = np.concatenate([np.ones(B * nb), moment.T.ravel()])
    indices = np.concatenate([column.ravel(), column.ravel()]).astype(np.int32)
    return sp.csr_array((data, indices, B * np.arange(2 * nb + 1, dtype=np.int32)), shape=(2 * nb, B * nb))


def _suffix_moments(m: Floats, g: Floats, e: Floats) -> tuple[Floats, Floats]:
    """Σ_{i>k} mᵢ (gᵢ − g_k) and Σ_{i>k} mᵢ (gᵢ − g_k)² − Σ_{i≥k} eᵢ for masses m on a line."""
    gap = np.diff(g)
    s = np.cumsum(m[:0:-1])[::-1]
    a, n = np.zeros(len(m)), np.zeros(len(m))
    a[:-1] = np.cumsum((gap * s)[::-1])[::-1]
    n[:-1] = np.cumsum((gap * (a[1:] + a[:-1]) - e)[::-1])[::-1]
    return a, n


def make_grid(x: Floats, w: Floats, space: float, end_span: float, block: int) -> Grid | None:
    """Lay the grid of a feature; None if the feature is constant."""
    o = np.argsort(x)
    xs = x[o]
    width = xs[-1] - xs[0]
    if not width > 0:
        return None
    first = _grid_positions(xs, w[o], space, end_span)
    values = xs[first]
    u = (x - xs[0]) / width
    W = w.sum()
    centre = np.sum(w * u) / W
    spread = math.sqrt(np.sum(w * (u - centre) ** 2) / W)
    gap = np.diff(values)
    G, n = len(values), len(x)
    segment = np.empty(n, dtype=np.int32)
    segment[o] = np.repeat(np.arange(G - 1), np.diff(np.append(first[:-1], n)))
    lam = (x - values[segment]) / gap[segment]
    B = max(1, min(block, G // 4))
    nb = -(-G // B)
    pos = np.arange(G)
    order = (pos % B) * nb + pos // B
    scaled = ((values - xs[0]) / width - centre) / spread
    flat = np.full(B * nb, scaled[-1])
    flat[order] = scaled
    points, low = flat.reshape(B, nb), nb // 2
    halves = [points[:, low:].copy()] + ([-points[::-1, low - 1 :: -1]] if low else [])
    return Grid(
        values=values,
        scaled=scaled,
        scale=width * spread,
        B=B,
        nb=nb,
        low=low,
        order=order,
        mirrored=pos < low * B,
        hats=_hats(segment, lam, order.astype(np.int32), B * nb),
        segment=segment,
        bend=lam * (1.0 - lam) * ((gap / width / spread) ** 2)[segment],
        halves=halves,
        blocks=_block_sums(halves, low),
    )


def _grid_positions(xs: Floats, ws: Floats, space: float, end_span: float) -> NDArray[np.intp]:
    """First index, among the sorted rows, of each value on the grid."""
    start = np.flatnonzero(np.concatenate([[True], xs[1:] > xs[:-1]]))
    total = np.concatenate([[0.0], np.cumsum(ws)])
    below, above = total[start], total[-1] - total[np.append(start[1:], len(xs))]
    keep = (below + 1e-9 >= end_span) & (above + 1e-9 >= end_span)
    keep[[0, -1]] = False
    if space > 1 and keep.any():
        kept = np.flatnonzero(keep)
        turn = np.floor((below[kept] - below[kept[0]]) / space + 1e-9)
        keep[kept[1:]] = np.diff(turn) > 0
    keep[[0, -1]] = True
    return start[keep]


def _hats(segment: NDArray[np.int32], lam: Floats, order: NDArray[np.int32], places: int) -> list[sp.csc_array]:
    """Sparse matrices of the hats, ROWS rows of the data each: (1 − λ, λ) at the ends of the segment."""
    hats = []
    for a in range(0, len(lam), ROWS):
        at, right = segment[a : a + ROWS], lam[a : a + ROWS]
        ends, data = np.empty((len(at), 2), dtype=np.int32), np.empty((len(at), 2))
        ends[:, 0], ends[:, 1] = order[at], order[at + 1]
        data[:, 0], data[:, 1] = 1.0 - right, right
        used = data != 0.0
        start = np.arange(0, 2 * len(at) + 1, 2, dtype=np.int32)
        if np.count_nonzero(used) < 1.8 * len(at):  # most rows lie on grid points and need one place only
            start = np.concatenate([[0], np.cumsum(used.sum(axis=1))]).astype(np.int32)
            ends, data = ends[used], data[used]
        hats.append(sp.csc_array((data.ravel(), ends.ravel(), start), shape=(places, len(at))))
    return hats
