"""Running quantities of all candidates of the forward search, and how they are kept up to date.

For a parent b, a feature and a knot, with h the hinge column and l = b·x the straight column, the ledger
holds ‖h⊥‖², h⊥ᵀl⊥, hᵀR, and for l itself ‖l⊥‖², lᵀR, where ⊥ projects the columns q of the basis out and R
are the residuals. A new q changes them by products of hᵀq, lᵀq and qᵀY, so nothing else has to be taken
over the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .knots import ROWS, Grid

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

INDEPENDENT = 1e-9  # a column counts as new if this share of its square is left after projection
COLUMNS = 32  # inner products are taken for so many columns at a time, which bounds memory


class Candidates:
    """Hinges of one feature under every parent; arrays are B×parents×nb, along the grid as `Grid` lays it."""

    def __init__(self, grid: Grid, q: int) -> None:
        self.grid, self.q = grid, q
        self.N = np.empty((grid.B, 0, grid.nb))  # ‖h⊥‖²
        self.X = self.N.copy()  # h⊥ᵀl⊥
        self.C = np.empty((q, grid.B, 0, grid.nb))  # hᵀR
        self.floor = self.N.copy()  # what ‖h⊥‖² must exceed; infinite where no knot may be

    def make_room(self, parents: int) -> None:
        """Have place for so many parents."""
        room = self.N.shape[1]
        if parents > room:
            more = max(4, 2 * room, parents) - room
            self.N, self.X = _widen(self.N, more), _widen(self.X, more)
            self.C, self.floor = _widen(self.C, more), _widen(self.floor, more)

    def start(self, k: int, b: Floats, masses: Floats, cov: Floats, end_span: float) -> float:
        """Enter parent k and return ‖l‖².

        b is its column, the two masses those of b² and of the weights in its support, cov (B×q×nb) is hᵀR.
        """
        g = self.grid
        m = masses[g.order, 0]
        a, n, line = g.squares(b * b, m)
        may = g.inside(masses[g.order, 1], end_span)
        self.N[:, k] = g.place(n, 0.0)
        self.X[:, k] = g.place(np.where(g.mirrored, -n, n) + g.scaled * a, 0.0)
        self.floor[:, k] = g.place(np.where(may, INDEPENDENT * n, np.inf), np.inf)
        self.C[:, :, k] = cov.transpose(1, 0, 2)
        return line

    def project_out(self, who: slice | Indices, A: Floats, line: Floats, z: Floats | None) -> None:
        """Project columns q out: A = hᵀq (B×columns×parents×nb), line = lᵀq (columns×parents), z = qᵀY.

        z is None where hᵀR includes these columns already.
        """
        self.N[:, who] -= np.einsum("bmpn,bmpn->bpn", A, A)
        self.X[:, who] -= np.einsum("bmpn,mp->bpn", A, line)
        if z is not None:
            for r in range(self.q):
                self.C[r][:, who] -= np.einsum("bmpn,m->bpn", A, z[:, r])

    def gains(self, who: slice | Indices, inv: Floats, cov: Floats) -> Floats:
        """Gain of the hinge beyond the straight column; inv = 1/‖l⊥‖², cov = lᵀR (parents×q)."""
        X = self.X[:, who]
        T = X * inv[:, None]
        D = self.N[:, who] - T * X
        E = self.C[0][:, who] - T * cov[:, :1]
        E *= E
        for r in range(1, self.q):
            F = self.C[r][:, who] - T * cov[:, r : r + 1]
            F *= F
            E += F
        E /= np.where(self.floor[:, who] < D, D, np.inf)
        return E

    def close(self, k: int, taken: NDArray[np.bool_]) -> None:
        """Bar positions of the grid from carrying a knot under parent k."""
        self.floor[:, k][self.grid.place(taken, False)] = np.inf


@dataclass
class Job:
    """Inner products to take: parents ``who`` against columns lo..hi of the basis.

    A parent that begins comes alone and brings b², the weights in its support and b∘R first.
    """

    who: Indices
    lo: int
    hi: int
    begins: bool = False
    renew: bool = True  # whether hᵀR has yet to hear of these columns
    at: slice = field(default_factory=lambda: slice(0))  # its place in the batch

    def width(self, q: int) -> int:
        """Number of columns it takes."""
        return (2 + q if self.begins else 0) + len(self.who) * (self.hi - self.lo)


class Ledger:
    """Candidates of all features that vary, under parents that are brought up to date when asked for."""

    def __init__(self, X: Floats, w: Floats, grids: dict[int, Grid], q: int, pool: ThreadPoolExecutor | None) -> None:
        self.w, self.q, self.pool = w, q, pool
        self.features = list(grids)
        self.cands = [Candidates(g, q) for g in grids.values()]
        self.scaled = np.empty((len(X), len(grids)))
        for f, (j, g) in enumerate(grids.items()):
            self.scaled[:, f] = (X[:, j] - g.values[0]) / g.scale + g.scaled[0]
        p = len(grids)
        self.B = np.empty((len(X), 0))  # √w b of each parent
        self.end_span: list[float] = []
        self.seen: list[int] = []  # columns of the basis each parent knows; −1 before it begins
        self.line = np.zeros((0, p))  # ‖l⊥‖², parents×features
        self.line_floor = np.zeros((0, p))  # what it must exceed
        self.line_cov = np.zeros((0, p, q))  # lᵀR

    def __len__(self) -> int:
        return len(self.seen)

    def each(self, f: Callable[[int], Any], items: Iterable[int] | None = None) -> list[Any]:
        """Map over features (all by default), in threads if there is a pool."""
        items = range(len(self.features)) if items is None else items
        return list(map(f, items) if self.pool is None else self.pool.map(f, items))

    def adopt(self, b: Floats, end_span: float) -> None:
        """Add a parent; b is √w times its term. Its quantities are computed when it is first looked at."""
        k = len(self)
        if self.B.shape[1] == k:
            self.B = np.concatenate([self.B, np.empty((len(b), max(4, k)))], axis=1)
        self.B[:, k] = b
        self.seen.append(-1)
        self.end_span.append(end_span)
        self.line = np.pad(self.line, ((0, 1), (0, 0)))
        self.line_floor = np.pad(self.line_floor, ((0, 1), (0, 0)))
        self.line_cov = np.pad(self.line_cov, ((0, 1), (0, 0), (0, 0)))

    def refresh(self, who: Indices, Q: Floats, z: Floats, res: Floats) -> None:
        """Bring parents to the basis Q (n×M), z = QᵀY, with the residuals res."""
        for c in self.cands:
            c.make_room(len(self))
        batch: list[Job] = []
        width = 0
        for job in self._jobs(who, Q.shape[1]):
            if batch and width + job.width(self.q) > COLUMNS:
                self._run(batch, width, Q, z, res)
                batch, width = [], 0
            job.at = slice(width, width + job.width(self.q))
            batch.append(job)
            width = job.at.stop
        if batch:
            self._run(batch, width, Q, z, res)
        for k in who:
            self.seen[k] = Q.shape[1]

    def _jobs(self, who: Indices, M: int) -> list[Job]:
        """What the parents lack; those that lack the same columns go together."""
        behind: dict[int, list[int]] = {}
        for k in who:
            behind.setdefault(self.seen[k], []).append(int(k))
        jobs: list[Job] = []
        for since, ks in sorted(behind.items()):
            start = max(since, 0)
            together = 1 if since < 0 else max(1, COLUMNS // max(1, M - start))
            for i in range(0, len(ks), together):
                for lo in range(start, M, COLUMNS):
                    hi = min(lo + COLUMNS, M)
                    begins = since < 0 and lo == 0
                    jobs.append(Job(np.array(ks[i : i + together]), lo, hi, begins, renew=since >= 0))
        return jobs

    def _run(self, jobs: list[Job], width: int, Q: Floats, z: Floats, res: Floats) -> None:
        """Take the inner products of a batch with all hinges and straight columns, and enter them."""
        masses: list[Any] = [0.0] * len(self.features)
        lines = np.zeros((len(self.features), width))
        for i, a in enumerate(range(0, len(Q), ROWS)):
            V = self._columns(jobs, width, slice(a, a + ROWS), Q, res)
            lines += self.scaled[a : a + ROWS].T @ V

            def add(f: int, i: int = i, V: Floats = V) -> None:
                masses[f] = masses[f] + self.cands[f].grid.hats[i] @ V

            self.each(add)

        def enter(f: int) -> None:
            A = self.cands[f].grid.hinges(masses[f])
            for job in jobs:
                self._enter(job, f, masses[f], A, lines[f], z)

        self.each(enter)

    def _columns(self, jobs: list[Job], width: int, rows: slice, Q: Floats, res: Floats) -> Floats:
        """Products of parents and basis columns that a batch needs, for some rows."""
        q, w = self.q, self.w[rows]
        V = np.empty((len(w), width))
        for job in jobs:
            v, b = V[:, job.at], self.B[rows, compact(job.who)]
            if job.begins:
                np.multiply(b[:, 0], b[:, 0], out=v[:, 0])
                v[:, 1] = np.where(b[:, 0] > 0, w, 0.0)
                np.multiply(b, res[rows], out=v[:, 2 : 2 + q])
                v = v[:, 2 + q :]
            P = b.shape[1]
            if P == 1:
                np.multiply(b, Q[rows, job.lo : job.hi], out=v)
                continue
            for i in range(job.hi - job.lo):
                np.multiply(b, Q[rows, job.lo + i, None], out=v[:, i * P : (i + 1) * P])
        return V

    def _enter(self, job: Job, f: int, masses: Floats, A: Floats, line: Floats, z: Floats) -> None:
        """Enter the inner products of one job for feature number f of the ledger."""
        c, q, i = self.cands[f], self.q, job.at.start
        if job.begins:
            k = int(job.who[0])
            cov = slice(i + 2, i + 2 + q)
            self.line[k, f] = c.start(k, self.B[:, k], masses[:, i : i + 2], A[:, cov], self.end_span[k])
            self.line_floor[k, f] = INDEPENDENT * self.line[k, f]
            self.line_cov[k, f] = line[cov]
            i += 2 + q
        m, P = job.hi - job.lo, len(job.who)
        part = line[i : job.at.stop].reshape(m, P)
        zs = z[job.lo : job.hi] if job.renew else None
        self.line[job.who, f] -= np.sum(part * part, axis=0)
        if zs is not None:
            self.line_cov[job.who, f] -= part.T @ zs
        B, _, nb = A.shape
        c.project_out(compact(job.who), A[:, i : job.at.stop].reshape(B, m, P, nb), part, zs)


def compact(who: Indices) -> slice | Indices:
    """Return a slice where the parents follow each other: slices are views, index arrays copy."""
    if len(who) and who[-1] - who[0] == len(who) - 1:
        return slice(int(who[0]), int(who[-1]) + 1)
    return who


def _widen(a: Floats, more: int) -> Floats:
    return np.concatenate([a, np.zeros((*a.shape[:-2], more, a.shape[-1]))], axis=-2)
