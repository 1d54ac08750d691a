"""The forward search: which reflected pair of hinges lowers the residual sum of squares most.

The model is kept as an orthonormal basis Q of its terms b₁, …, b_M (rows scaled by √w). A candidate is a parent term
b, a feature j and a knot t. Its pair b·(x_j − t)₊, b·(t − x_j)₊ spans, next to b, the same as the straight column
l = b·x_j and one hinge column h. With the residuals R the pair lowers the sum of squares by

    ‖lᵀR‖²/‖l⊥‖² + ‖hᵀR − (h⊥ᵀl⊥)(lᵀR)/‖l⊥‖²‖² / (‖h⊥‖² − (h⊥ᵀl⊥)²/‖l⊥‖²),

where ⊥ projects Q out. For every parent, feature and knot the running ‖h⊥‖², h⊥ᵀl⊥, hᵀR are kept, and a new column q
of Q changes them by products of hᵀq and lᵀq alone. So a step needs inner products with the newest columns only, which
`Grid.products` gives for all knots of a feature at once: O(n) per parent and feature, whatever the size of the model.
Parents that `fast_k` sets aside fall behind and catch up when their turn comes.

References: J. H. Friedman (1991), Multivariate adaptive regression splines, Annals of Statistics 19; (1993), Fast MARS,
Stanford LCS 110.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .knots import Grid, automatic_end_span, automatic_min_span, make_grid, spacing
from .rules import Rules
from .terms import Factor, Term

Floats = NDArray[np.float64]

INDEPENDENT = 1e-9  # a column enters if this share of its square is left after projection
TIE = 1e-9  # gains this close (relative) are equal, and the first in order wins
COLUMNS = 64  # inner products are taken for so many columns at a time, which bounds memory
AGEING = 1.0  # ranks a parent rises per step in which it was set aside


@dataclass
class Forward:
    """Outcome of the search: terms, R and z of (√w B) = Q R, z = Qᵀ√w(Y − pivot), and the way there."""

    terms: list[Term]
    R: Floats
    z: Floats
    rss: Floats  # by response
    path: list[tuple[int, float]] = field(default_factory=list)  # (number of terms, RSS) after each step
    reason: str = ""


def cost(M: int, penalty: float) -> float:
    """Effective number of parameters of M terms, C = M + penalty·(M − 1)/2; a negative penalty charges nothing."""
    return 0.0 if penalty < 0 else M + penalty * (M - 1) / 2


def gcv(rss: float, M: int, W: float, penalty: float) -> float:
    """GCV = (RSS/W) / (1 − C/W)², infinite where C ≥ W."""
    left = 1.0 - cost(M, penalty) / W
    return rss / W / left**2 if left > 0 else math.inf


class Candidates:
    """Running quantities of all knots of one feature, for every parent (B×parents×nb along the grid)."""

    def __init__(self, grid: Grid, q: int) -> None:
        self.grid, self.q = grid, q
        self.N = np.empty((grid.B, 0, grid.nb))  # ‖h⊥‖²
        self.X = self.N.copy()  # h⊥ᵀl⊥
        self.C = np.empty((q, grid.B, 0, grid.nb))  # hᵀR
        self.floor = self.N.copy()  # what ‖h⊥‖² must exceed; infinite where no knot may be

    def make_room(self, parents: int) -> None:
        room = self.N.shape[1]
        if parents <= room:
            return
        more = max(4, 2 * room, parents) - room
        grow = lambda a: np.concatenate([a, np.zeros((*a.shape[:-2], more, a.shape[-1]))], axis=-2)  # noqa: E731
        self.N, self.X, self.C, self.floor = grow(self.N), grow(self.X), grow(self.C), grow(self.floor)

    def start(self, k: int, b2: Floats, masses: Floats, end_span: float) -> float:
        """Enter parent k with squares b2 and return ‖l‖²; the two masses are of b2 and of the weights in its support."""
        g = self.grid
        m = masses[g.order, 0]
        a, n = g.squares(b2, m)
        may = g.inside(masses[g.order, 1], end_span)
        self.N[:, k] = self._place(n, 0.0)
        self.X[:, k] = self._place(np.where(g.mirrored, -n, n) + g.scaled * a, 0.0)
        self.floor[:, k] = self._place(np.where(may, INDEPENDENT * n, np.inf), np.inf)
        self.C[:, :, k] = 0.0
        return float(m @ g.scaled**2 - b2 @ g.bend)

    def close(self, k: int, taken: NDArray[np.bool_]) -> None:
        """Bar positions of the grid from carrying a knot under parent k."""
        self.floor[:, k][self._place(taken, False)] = np.inf

    def _place(self, v: Floats, fill: float) -> Floats:
        out = np.full(self.grid.B * self.grid.nb, fill, dtype=v.dtype)
        out[self.grid.order] = v
        return out.reshape(self.grid.B, self.grid.nb)

    def catch_up(self, k: int, A: Floats, l: Floats, z: Floats | None) -> None:
        """Project many columns q out for one parent: A = hᵀq, l = lᵀq, z = qᵀY (None if C already knows)."""
        self.N[:, k] -= np.einsum("bcn,bcn->bn", A, A)
        self.X[:, k] -= np.matmul(l, A)
        if z is not None:
            self.C[:, :, k] -= np.matmul(z.T, A).transpose(1, 0, 2)

    def update(self, who: slice | NDArray[np.intp], A: Floats, l: Floats, z: Floats) -> None:
        """Project one column q out for many parents: A = hᵀq and l = lᵀq for each, z = qᵀY; A is used up."""
        for r in range(self.q):
            self.C[r][:, who] -= z[r] * A
        self.X[:, who] -= l[:, None] * A
        A *= A
        self.N[:, who] -= A

    def gains(self, who: slice | NDArray[np.intp], inv: Floats, cl: Floats) -> Floats:
        """Gain of the hinge beyond the straight column, B×parents×nb; inv = 1/‖l⊥‖², cl = lᵀR (parents×q)."""
        X = self.X[:, who]
        T = X * inv[:, None]
        D = self.N[:, who] - T * X
        E = self.C[0][:, who] - T * cl[:, :1]
        E *= E
        for r in range(1, self.q):
            F = self.C[r][:, who] - T * cl[:, r : r + 1]
            F *= F
            E += F
        E /= np.where(D > self.floor[:, who], D, np.inf)
        return E


@dataclass
class Job:
    """Columns of one inner product to take: parents ``who`` against columns lo..hi of the basis.

    A parent that begins brings b², its support and b∘R first; many parents go against one column at a time.
    """

    who: NDArray[np.intp]
    lo: int
    hi: int
    begins: bool = False
    renew: bool = True  # whether hᵀR has yet to hear of these columns
    at: slice = field(default_factory=lambda: slice(0))

    @property
    def many(self) -> bool:
        return len(self.who) > 1

    def width(self, q: int) -> int:
        return (2 + q if self.begins else 0) + len(self.who) * (self.hi - self.lo)


@dataclass
class Choice:
    """The best candidate of a step."""

    parent: int
    feature: int
    position: int  # on the grid; −1 for the straight column alone
    columns: int  # 1 or 2
    line_gain: float
    hinge_gain: float


class Search:
    """State of the forward search on rows X, responses Y (pivot removed) and weights w."""

    def __init__(
        self, X: Floats, Y: Floats, w: Floats, rules: Rules, pool: ThreadPoolExecutor | None = None
    ) -> None:
        n, p = X.shape
        self.X, self.rules, self.pool = X, rules, pool
        self.W = float(w.sum())
        self.w, self.root = w, np.sqrt(w)
        self.end_span = automatic_end_span(p) if rules.end_span is None else rules.end_span
        block = 1 if rules.degree == 1 else 8
        space = spacing(self.W, rules.min_span)
        grids = self._each(lambda j: make_grid(X[:, j], w, space, self.end_span, block), range(p))
        self.features = [j for j in range(p) if grids[j] is not None]
        self.cands = {j: Candidates(grids[j], Y.shape[1]) for j in self.features}
        self.scaled = np.empty((n, len(self.features)))
        for i, j in enumerate(self.features):
            g = grids[j]
            self.scaled[:, i] = (X[:, j] - g.values[0]) / g.scale + g.scaled[0]
        self.terms = [Term()]
        self.units = [1.0]  # product of the scales in a term: its column holds term/unit
        M = rules.max_terms
        self.Q = np.empty((n, M))
        self.R = np.zeros((M, M))
        self.z = np.zeros((M, Y.shape[1]))
        self.res = self.root[:, None] * Y
        self.M = 0
        self.parents: list[int] = []  # term of each parent
        self.B = np.empty((n, 0))  # √w b of each parent
        self.seen: list[int] = []  # columns of Q each parent knows
        self.line = np.zeros((0, len(self.features)))  # ‖l⊥‖² by parent and feature
        self.line_floor = np.zeros((0, len(self.features)))
        self.line_cov = np.zeros((0, len(self.features), Y.shape[1]))  # lᵀR
        self.may = np.zeros((0, len(self.features)), dtype=bool)
        self.score = np.zeros(0)
        self.age = np.zeros(0)
        self._append(self.root.copy())
        self.total = self.rss
        self._adopt(0, self.root)

    @property
    def rss(self) -> float:
        return float(np.sum(self.res * self.res))

    def _each(self, f: Callable, items: object) -> list:
        return list(map(f, items) if self.pool is None else self.pool.map(f, items))

    # growing the model -------------------------------------------------------------------------------------------

    def _append(self, v: Floats) -> bool:
        """Put the column v (√w times a term) into the basis, unless it depends on what is there."""
        M, Q = self.M, self.Q[:, : self.M]
        size = float(v @ v)
        r = np.zeros(M)
        for _ in range(2):  # twice is enough
            c = v @ Q
            v = v - Q @ c
            r += c
        left = float(v @ v)
        if not left > INDEPENDENT * size:
            return False
        norm = math.sqrt(left)
        v /= norm
        self.R[:M, M], self.R[M, M] = r, norm
        self.Q[:, M] = v
        self.z[M] = v @ self.res
        self.res -= np.outer(v, self.z[M])
        self.M += 1
        return True

    def _adopt(self, term: int, b: Floats) -> None:
        """Make a term a parent; its running quantities start when it is first looked at."""
        self.parents.append(term)
        k = len(self.parents)
        if self.B.shape[1] < k:
            self.B = np.concatenate([self.B, np.empty((len(b), max(4, k)))], axis=1)
        self.B[:, k - 1] = b
        self.seen.append(-1)
        t = self.terms[term]
        may = [j not in t.features and self.rules.allowed(t.features, j) for j in self.features]
        f, q = len(self.features), self.res.shape[1]
        self.may = np.concatenate([self.may, np.array(may, dtype=bool).reshape(1, f)])
        self.line = np.concatenate([self.line, np.zeros((1, f))])
        self.line_floor = np.concatenate([self.line_floor, np.zeros((1, f))])
        self.line_cov = np.concatenate([self.line_cov, np.zeros((1, f, q))])
        self.score, self.age = np.append(self.score, np.inf), np.append(self.age, 0.0)

    # keeping the candidates up to date -----------------------------------------------------------------------------

    def _refresh(self, who: NDArray[np.intp]) -> None:
        """Bring the parents ``who`` to the present basis."""
        for c in self.cands.values():
            c.make_room(len(self.parents))
        batch: list[Job] = []
        width, q = 0, self.res.shape[1]
        for job in self._jobs(who):
            if batch and width + job.width(q) > COLUMNS:
                self._run(batch, width)
                batch, width = [], 0
            job.at = slice(width, width + job.width(q))
            batch.append(job)
            width = job.at.stop
        if batch:
            self._run(batch, width)
        for k in who:
            self.seen[k] = self.M

    def _jobs(self, who: NDArray[np.intp]) -> list[Job]:
        """What has to be done for the parents ``who``, in an order that keeps each parent's columns in order."""
        behind: dict[int, list[int]] = {}
        for k in who:
            behind.setdefault(self.seen[k], []).append(int(k))
        jobs: list[Job] = []
        for since, ks in sorted(behind.items()):
            if since >= 0 and len(ks) > self.M - since:
                for i in range(0, len(ks), COLUMNS):
                    jobs += [Job(np.array(ks[i : i + COLUMNS]), m, m + 1) for m in range(since, self.M)]
                continue
            for k in ks:
                for lo in range(max(since, 0), self.M, COLUMNS):
                    hi = min(lo + COLUMNS, self.M)
                    jobs.append(Job(np.array([k]), lo, hi, begins=since < 0 and lo == 0, renew=since >= 0))
        return jobs

    def _run(self, jobs: list[Job], width: int) -> None:
        """Take the inner products of a batch of jobs with all hinges and straight columns, and apply them."""
        q = self.res.shape[1]
        V = np.empty((len(self.X), width))
        for job in jobs:
            v, b = V[:, job.at], self.B[:, _compact(job.who)]
            if job.begins:
                np.multiply(b[:, 0], b[:, 0], out=v[:, 0])
                v[:, 1] = np.where(b[:, 0] > 0, self.w, 0.0)
                np.multiply(b, self.res, out=v[:, 2 : 2 + q])
                v = v[:, 2 + q :]
            np.multiply(b, self.Q[:, job.lo : job.hi], out=v)
        l = self.scaled.T @ V  # features×columns

        def apply(f: int) -> None:
            c = self.cands[self.features[f]]
            masses = c.grid.hats @ V
            A = c.grid.hinges(masses)
            for job in jobs:
                self._apply(job, f, c, V, masses, A, l[f])

        self._each(apply, range(len(self.features)))

    def _apply(
        self, job: Job, f: int, c: Candidates, V: Floats, masses: Floats, A: Floats, l: Floats
    ) -> None:
        """Enter the inner products of one job for feature f."""
        k, i, q = int(job.who[0]), job.at.start, self.res.shape[1]
        if job.begins:
            self.line[k, f] = c.start(k, V[:, i], masses[:, i : i + 2], self._end_span(k))
            self.line_floor[k, f] = INDEPENDENT * self.line[k, f]
            self.line_cov[k, f] = l[i + 2 : i + 2 + q]
            c.C[:, :, k] = A[:, i + 2 : i + 2 + q].transpose(1, 0, 2)
            i += 2 + q
        at = slice(i, job.at.stop)
        if job.many:
            self.line[job.who, f] -= l[at] ** 2
            self.line_cov[job.who, f] -= l[at, None] * self.z[job.lo]
            c.update(_compact(job.who), A[:, at], l[at], self.z[job.lo])
        else:
            z = self.z[job.lo : job.hi]
            self.line[k, f] -= l[at] @ l[at]
            if job.renew:
                self.line_cov[k, f] -= l[at] @ z
            c.catch_up(k, A[:, at], l[at], z if job.renew else None)

    def _end_span(self, k: int) -> float:
        """Rows beyond the outermost knots in the support of a parent; every knot there is may serve when it is 1."""
        if self.rules.end_span is not None:
            return self.end_span if self.end_span > 1 else 0.0
        return self.end_span * (1 if self.terms[self.parents[k]].degree == 0 else 2)

    # choosing ----------------------------------------------------------------------------------------------------

    def _active(self) -> NDArray[np.intp]:
        """Parents to look at: all, or the fast_k most promising by rank of their last gain, less their age."""
        P = len(self.parents)
        k = self.rules.fast_k
        if not k or P <= k:
            return np.arange(P)
        rank = np.empty(P)
        rank[np.argsort(-self.score, kind="stable")] = np.arange(P)
        rank[np.isinf(self.score)] = -np.inf
        return np.sort(np.argsort(rank - AGEING * self.age, kind="stable")[:k])

    def _lines(self, who: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """1/‖l⊥‖² (zero where l is in the span already) and the gain of the straight column, parents×features."""
        L = self.line[who]
        inv = np.divide(1.0, L, out=np.zeros_like(L), where=L > self.line_floor[who])
        return inv, np.sum(self.line_cov[who] ** 2, axis=2) * inv

    def choose(self) -> Choice | None:
        """Look at all candidates of the active parents; the best one, or None if none is left."""
        who = self._active()
        self._refresh(who)
        inv, line = self._lines(who)
        at = _compact(who)

        def best(f: int) -> Floats:
            g = self.cands[self.features[f]].gains(at, inv[:, f], self.line_cov[who, f])
            return g.max(axis=(0, 2))

        hinge = (
            np.stack(self._each(best, range(len(self.features))), axis=1)
            if self.features
            else np.zeros((len(who), 0))
        )
        for f, j in enumerate(self.features):
            if j in self.rules.straight:
                hinge[:, f] = 0.0
        if self.rules.max_terms - self.M < 2:  # a pair needs two places: only what fits in one competes
            line_only = np.where(inv > 0, line if self.rules.allow_linear else 0.0, 0.0)
            hinge = np.where(inv > 0, 0.0, hinge)
            line = line_only
        total = np.where(self.may[who], line + hinge, 0.0)
        self.age += 1
        self.age[who] = 0
        self.score[who] = total.max(axis=1, initial=0.0)
        top = total.max(initial=0.0)
        if not top > 0:
            return None
        i, f = divmod(int(np.argmax(total.ravel() >= top * (1 - TIE))), len(self.features))
        return self._settle(int(who[i]), f, float(inv[i, f]), float(line[i, f]), float(hinge[i, f]))

    def _settle(self, k: int, f: int, inv: float, line: float, hinge: float) -> Choice:
        """Find the knot of the best parent and feature, and whether a straight column does as well."""
        c = self.cands[self.features[f]]
        fresh = inv > 0
        straight = Choice(k, f, -1, 1, line, 0.0)
        if hinge == 0.0:
            return straight
        if fresh and self.rules.allow_linear and self._straight_will_do(line, hinge):
            return straight
        g = c.gains(slice(k, k + 1), np.array([inv]), self.line_cov[k : k + 1, f])[:, 0].ravel()[c.grid.order]
        return Choice(k, f, int(np.argmax(g >= g.max() * (1 - TIE))), 2 if fresh else 1, line, hinge)

    def _straight_will_do(self, line: float, hinge: float) -> bool:
        """Whether the hinge does not earn its own column by GCV."""
        pay = lambda gain, more: gcv(max(self.rss - gain, 0.0), self.M + more, self.W, self.rules.penalty)  # noqa: E731
        return pay(line, 1) <= pay(line + hinge, 2)

    def enter(self, choice: Choice) -> bool:
        """Put the chosen columns into the model; False (and the candidate is struck off) if they depend on it."""
        j = self.features[choice.feature]
        c, term = self.cands[j], self.parents[choice.parent]
        g, b, x = c.grid, self.B[:, choice.parent], self.X[:, j]
        name = self.rules.names[j]
        if choice.position < 0:
            straight = self.rules.allow_linear or j in self.rules.straight
            factors = [Factor(j, float(g.values[0]), 0 if straight else 1, name)]
        else:
            t = float(g.values[choice.position])
            local = -1 if g.mirrored[choice.position] else 1
            factors = [Factor(j, t, s, name) for s in ((local, -local) if choice.columns == 2 else (local,))]
        entered = False
        for factor in factors:
            u = (x - factor.knot) / g.scale
            column = b * (u if factor.sign == 0 else np.maximum(factor.sign * u, 0.0))
            if not self._append(column):
                continue
            entered = True
            self.terms.append(self.terms[term].times(factor))
            self.units.append(self.units[term] * g.scale)
            if self.terms[-1].degree < self.rules.degree:
                self._adopt(len(self.terms) - 1, column)
        if choice.position >= 0:
            c.close(choice.parent, self._taken(choice, c.grid))
        elif not entered:
            self.line_floor[choice.parent, choice.feature] = np.inf
        return entered

    def _taken(self, choice: Choice, g: Grid) -> NDArray[np.bool_]:
        """(G,) positions closer to the chosen knot than the minimum span allows, in the support of the parent."""
        span = self.rules.min_span
        support = np.where(self.B[:, choice.parent] > 0, self.w, 0.0)
        if span is None:
            span = automatic_min_span(self.X.shape[1], float(support.sum()))
        taken = (
            g.near((g.hats @ support)[g.order], choice.position, span)
            if span > 1
            else np.zeros(len(g.order), bool)
        )
        taken[choice.position] = True
        return taken


def _compact(who: NDArray[np.intp]) -> slice | NDArray[np.intp]:
    """A slice where the parents follow each other: slices are views, index arrays copy."""
    if len(who) and who[-1] - who[0] == len(who) - 1:
        return slice(int(who[0]), int(who[-1]) + 1)
    return who


def forward(X: Floats, Y: Floats, w: Floats, rules: Rules, pool: ThreadPoolExecutor | None = None) -> Forward:
    """Run the search to its end; Y has its pivot removed."""
    s = Search(X, Y, w, rules, pool)
    path = [(1, s.rss)]
    reason = ""
    while not reason:
        if s.M >= rules.max_terms:
            reason = f"max_terms={rules.max_terms} reached"
        elif not s.rss > 1e-14 * s.total:
            reason = "no residual left"
        elif cost(s.M + 1, rules.penalty) >= s.W or s.M + 1 >= s.W:
            reason = "no degrees of freedom left"
        else:
            choice = s.choose()
            if choice is None:
                reason = "no candidate left"
            elif choice.line_gain + choice.hinge_gain < rules.tol * s.total:
                reason = f"R² rose by less than tol={rules.tol:g}"
            elif s.enter(choice):
                path.append((s.M, s.rss))
    M = s.M
    units = np.array(s.units)
    return Forward(s.terms, s.R[:M, :M] * units, s.z[:M].copy(), np.sum(s.res**2, axis=0), path, reason)
