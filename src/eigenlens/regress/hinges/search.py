"""The forward search: which reflected pair of hinges lowers the residual sum of squares most.

The model is kept as an orthonormal basis Q of its terms b₁, …, b_M (rows scaled by √w). A candidate is a
parent term b, a feature j and a knot t. Next to b, its pair b·(x_j − t)₊, b·(t − x_j)₊ spans the same as
the straight column l = b·x_j and one hinge column h. With the residuals R the pair lowers the sum of
squares by

    ‖lᵀR‖²/‖l⊥‖² + ‖hᵀR − (h⊥ᵀl⊥)(lᵀR)/‖l⊥‖²‖² / (‖h⊥‖² − (h⊥ᵀl⊥)²/‖l⊥‖²),

where ⊥ projects Q out. `Ledger` keeps these for every candidate and needs, at each step, inner products
with the newest columns of Q only: O(n) per parent and feature, whatever the size of the model. Parents that
``fast_k`` sets aside fall behind and catch up when their turn comes.

References: J. H. Friedman (1991), Multivariate adaptive regression splines, Annals of Statistics 19;
(1993), Fast MARS, Stanford LCS 110.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from .candidates import INDEPENDENT, Floats, Indices, Ledger, compact
from .criterion import cost, gcv
from .knots import Grid, automatic_end_span, automatic_min_span, make_grid, spacing
from .rules import Rules
from .terms import Factor, Term

TIE = 1e-9  # gains this close (relative) are equal, and the first in order wins
AGEING = 1.0  # ranks a parent rises per step in which it was set aside


@dataclass
class Forward:
    """Outcome of the search: terms, the factor R of (√w terms) = Q R, z = Qᵀ√wY, and the way there."""

    terms: list[Term]
    R: Floats
    z: Floats
    rss: Floats  # by response
    path: list[tuple[int, float]]  # number of terms and RSS after each step
    reason: str


@dataclass
class Choice:
    """The best candidate of a step; ``feature`` counts in the ledger, position −1 is the straight column."""

    parent: int
    feature: int
    position: int
    columns: int
    gain: float


class Search:
    """The growing model on rows X, responses Y (unit removed) and weights w."""

    def __init__(self, X: Floats, Y: Floats, w: Floats, rules: Rules, pool: ThreadPoolExecutor | None) -> None:
        n, p = X.shape
        self.X, self.w, self.rules = X, w, rules
        self.W = float(w.sum())
        self.end_span = automatic_end_span(p) if rules.end_span is None else rules.end_span
        space, block = spacing(self.W, rules.min_span), 1 if rules.degree == 1 else 8
        laid = [make_grid(X[:, j], w, space, self.end_span, block) for j in range(p)]
        self.ledger = Ledger(X, w, {j: g for j, g in enumerate(laid) if g is not None}, Y.shape[1], pool)
        self.M = 0
        self.places = 1  # taken of max_terms: a pair takes two, also where the model already holds one of it
        self.Q = np.empty((n, rules.max_terms))
        self.R = np.zeros((rules.max_terms, rules.max_terms))
        self.z = np.zeros((rules.max_terms, Y.shape[1]))
        root = np.sqrt(w)
        self.res = root[:, None] * Y
        self.terms: list[Term] = []
        self.units: list[float] = []  # a column of the model is its term divided by this
        self.parents: list[int] = []  # term of each parent
        self.may = np.zeros((0, len(self.ledger.features)), dtype=bool)  # which features may join a parent
        self.score, self.age = np.zeros(0), np.zeros(0)
        self._append(Term(), 1.0, root)
        self.total = self.rss

    @property
    def rss(self) -> float:
        """Residual sum of squares over all responses."""
        return float(np.einsum("ij,ij->", self.res, self.res))

    def _append(self, term: Term, unit: float, column: Floats) -> bool:
        """Put a term into the model unless its column depends on what is there; a parent if it may be one."""
        M, Q = self.M, self.Q[:, : self.M]
        v, r = column, np.zeros(self.M)
        for _ in range(2):  # once leaves round-off along Q, twice is enough
            c = v @ Q
            v = v - Q @ c
            r += c
        left = float(v @ v)
        if not left > INDEPENDENT * float(column @ column):
            return False
        self.R[:M, M], self.R[M, M] = r, math.sqrt(left)
        v /= self.R[M, M]
        self.Q[:, M], self.z[M] = v, v @ self.res
        self.res -= np.outer(v, self.z[M])
        self.M += 1
        self.terms.append(term)
        self.units.append(unit)
        if term.degree < self.rules.degree:
            self._adopt(term, column)
        return True

    def _adopt(self, term: Term, column: Floats) -> None:
        self.parents.append(len(self.terms) - 1)
        if self.rules.end_span is None:
            span = self.end_span * (2 if term.degree else 1)
        else:
            span = self.end_span if self.end_span > 1 else 0.0  # at 1, all that the grid holds may serve
        self.ledger.adopt(column, span)
        may = [j not in term.features and self.rules.allowed(term.features, j) for j in self.ledger.features]
        self.may = np.concatenate([self.may, np.array(may, dtype=bool).reshape(1, -1)])
        self.score, self.age = np.append(self.score, np.inf), np.append(self.age, 0.0)

    def _active(self) -> Indices:
        """Parents to look at: all, or the fast_k best by rank of their last gain, less their age."""
        P, k = len(self.parents), self.rules.fast_k
        if not k or k >= P:
            return np.arange(P)
        rank = np.empty(P)
        rank[np.argsort(-self.score, kind="stable")] = np.arange(P)
        rank[np.isinf(self.score)] = -np.inf
        return np.sort(np.argsort(rank - AGEING * self.age, kind="stable")[:k])

    def choose(self) -> Choice | None:
        """Look at all candidates of the active parents; the best one, or None if none is left."""
        led, who = self.ledger, self._active()
        led.refresh(who, self.Q[:, : self.M], self.z, self.res)
        size = led.line[who]
        inv = np.divide(1.0, size, out=np.zeros_like(size), where=size > led.line_floor[who])
        line = np.sum(led.line_cov[who] ** 2, axis=2) * inv  # gain of the straight column, parents×features
        at = compact(who)

        def best(f: int) -> Floats:
            if led.features[f] in self.rules.straight:
                return np.zeros(len(who))
            return led.cands[f].gains(at, inv[:, f], led.line_cov[who, f]).max(axis=(0, 2))

        hinge = np.array(led.each(best)).reshape(len(led.features), len(who)).T
        if self.rules.max_terms - self.places < 2:  # a pair needs two places: only straight columns compete
            hinge = np.zeros_like(hinge)
            line = line if self.rules.allow_linear else np.zeros_like(line)
        total = np.where(self.may[who], line + hinge, 0.0)
        self.age += 1
        self.age[who] = 0
        self.score[who] = total.max(axis=1, initial=0.0)
        top = total.max(initial=0.0)
        if not top > 0:
            return None
        i, f = divmod(int(np.argmax(total.ravel() >= top * (1 - TIE))), len(led.features))
        return self._settle(int(who[i]), f, float(inv[i, f]), float(line[i, f]), float(hinge[i, f]))

    def _settle(self, k: int, f: int, inv: float, line: float, hinge: float) -> Choice:
        """Find the knot for the best parent and feature, unless a straight column does as well."""
        fresh = inv > 0
        if hinge == 0.0 or (fresh and self.rules.allow_linear and self._straight_will_do(line, hinge)):
            return Choice(k, f, -1, 1, line)
        c, cov = self.ledger.cands[f], self.ledger.line_cov[k : k + 1, f]
        g = c.grid.along(c.gains(slice(k, k + 1), np.array([inv]), cov)[:, 0])
        return Choice(k, f, int(np.argmax(g >= g.max() * (1 - TIE))), 2 if fresh else 1, line + hinge)

    def _straight_will_do(self, line: float, hinge: float) -> bool:
        """Whether the hinge does not earn its own column by GCV."""
        rss, M, W, c = self.rss, self.M, self.W, self.rules.penalty
        return gcv(max(rss - line, 0.0), M + 1, W, c) <= gcv(max(rss - line - hinge, 0.0), M + 2, W, c)

    def least(self, columns: int) -> float:
        """Gain that a step must reach: ``tol`` of the total, and per column where it may be noise.

        The best of m candidates reaches about 2σ² ln m on noise alone, which GCV does not charge for.
        """
        noise = 2 * self.rss / max(self.W - cost(self.M, self.rules.penalty), 1.0)
        m = len(self.parents) * sum(len(c.grid.values) for c in self.ledger.cands)
        tol = self.rules.tol * self.total
        return max(tol, min(columns * tol, noise * math.log(m)))

    def enter(self, choice: Choice) -> bool:
        """Put the chosen columns into the model; False, and never offered again, if they depend on it."""
        j = self.ledger.features[choice.feature]
        c, term = self.ledger.cands[choice.feature], self.parents[choice.parent]
        b, entered = self.ledger.B[:, choice.parent], False
        for factor in self._factors(choice, c.grid, j):
            u = (self.X[:, j] - factor.knot) / c.grid.scale
            column = b * (u if factor.sign == 0 else np.maximum(factor.sign * u, 0.0))
            unit = self.units[term] * c.grid.scale
            entered |= self._append(self.terms[term].times(factor), unit, column)
        if choice.position >= 0:
            c.close(choice.parent, self._taken(choice, c.grid))
        elif not entered:
            self.ledger.line_floor[choice.parent, choice.feature] = np.inf
        if entered:
            self.places += 1 if choice.position < 0 else 2
        return entered

    def _factors(self, choice: Choice, g: Grid, j: int) -> list[Factor]:
        name = self.rules.names[j]
        if choice.position < 0:
            straight = self.rules.allow_linear or j in self.rules.straight
            return [Factor(j, float(g.values[0]), 0 if straight else 1, name)]
        t = float(g.values[choice.position])
        small = -1 if g.mirrored[choice.position] else 1  # the hinge with the shorter reach, far from straight
        return [Factor(j, t, s, name) for s in ((small, -small) if choice.columns == 2 else (small,))]

    def _taken(self, choice: Choice, g: Grid) -> np.ndarray:
        """(G,) positions closer to the chosen knot, in the support of its parent, than the minimum span."""
        support = np.where(self.ledger.B[:, choice.parent] > 0, self.w, 0.0)
        span = self.rules.min_span
        if span is None:
            span = automatic_min_span(self.X.shape[1], float(support.sum()))
        if span > 1:
            taken = g.near(g.masses(support), choice.position, span)
        else:
            taken = np.zeros(len(g.values), dtype=bool)
        taken[choice.position] = True
        return taken


def forward(X: Floats, Y: Floats, w: Floats, rules: Rules, pool: ThreadPoolExecutor | None = None) -> Forward:
    """Run the search to its end; Y has its unit removed."""
    s = Search(X, Y, w, rules, pool)
    path, reason = [(1, s.rss)], ""
    while not reason:
        if rules.max_terms <= s.places:
            reason = f"max_terms={rules.max_terms} reached"
        elif not s.rss > 1e-14 * s.total:
            reason = "no residual left"
        elif max(cost(s.M + 1, rules.penalty), s.M + 1) >= s.W:
            reason = "no degrees of freedom left"
        elif (choice := s.choose()) is None:
            reason = "no candidate left" if rules.max_terms - s.places > 1 else f"max_terms={rules.max_terms} reached"
        elif choice.gain < s.least(choice.columns):
            reason = f"R² rose by less than tol={rules.tol:g}"
        elif s.enter(choice):
            path.append((s.M, s.rss))
    M = s.M
    return Forward(s.terms, s.R[:M, :M] * np.array(s.units), s.z[:M].copy(), np.sum(s.res**2, axis=0), path, reason)
