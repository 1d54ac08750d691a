"""The forward search: which reflected pair of hinges lowers the residual sum of squares most.

The model is kept as an orthonormal basis Q of its terms b₁, …, b_M (rows scaled by √w). A candidate is a
parent term b, a feature j and a knot t. Next to b, its pair b·(x_j − t)₊, b·(t − x_j)₊ spans the same as
the straight column l = b·x_j and one hinge column h. With the residuals R the pair lowers the sum of
squares by

    ‖lᵀR‖²/‖l⊥‖² + ‖hᵀR − (h⊥ᵀl⊥)(lᵀR)/‖l⊥‖²‖² / (‖h⊥‖² − (h⊥ᵀl⊥)²/‖l⊥‖²),

where ⊥ projects Q out. `KnotTable` keeps these for every candidate and needs, at each step, inner products
with the newest columns of Q only: O(n) per parent and feature, whatever the size of the model. Parents that
``fast_k`` sets aside fall behind and catch up when their turn comes.

References: J. H. Friedman (1991), Multivariate adaptive regression splines, Annals of Statistics 19;
(1993), Fast MARS, Stanford LCS 110.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Self

import numpy as np

from ...solve.linear_smoother import gcv
from .candidates import INDEPENDENT, ROUNDING, Flags, Floats, Grid, Indices, KnotTable
from .pruning import cost
from .terms import Factor, Term

TIE = 1e-9  # gains this close (relative) are equal, and the first in order wins
ALPHA = 0.05  # Friedman's probability of a run of rows that a knot would follow


@dataclass(frozen=True)
class Rules:
    """What the search may do: the parameters of the estimator with their defaults filled in."""

    degree: int
    max_terms: int
    penalty: float
    tol: float
    min_span: float | None  # None: Friedman's, by the weight in the support of a parent
    end_span: float | None
    fast_k: int | None
    allow_linear: bool
    allowed: Callable[[frozenset[int], int], bool]  # may the feature join a term of these features
    linear: frozenset[int]
    names: tuple[str, ...]


@dataclass
class Choice:
    """The best candidate of a step; ``feature`` counts in the table of knots, position −1 is the straight column."""

    parent: int
    feature: int
    position: int
    columns: int
    gain: float


class Forward:
    """The growing model on rows X, responses Y (origin and unit removed) and weights w.

    Attributes
    ----------
    terms : list of Term
    Q, R, z, res : arrays
        (√w terms) = Q R·units, z = Qᵀ√wY, and what is left of √wY; of Q, R and z the first M columns or rows count.
    path : list of (int, float)
        Number of terms and RSS after each step.
    reason : str
        Why the search ended.
    """

    def __init__(self, X: Floats, Y: Floats, w: Floats, rules: Rules, pool: ThreadPoolExecutor | None = None) -> None:
        n, p = X.shape
        self.X, self.w, self.rules, self.W = X, w, rules, float(w.sum())
        self.end_span = math.floor(3.0 - math.log2(ALPHA / p)) if rules.end_span is None else rules.end_span
        # every value up to 1000 of them, then as coarse as needed; a span asked for is never widened by this
        space = max(1.0, min(math.ceil(self.W / 1000), math.inf if rules.min_span is None else rules.min_span))
        grids = {j: Grid.lay(X[:, j], w, space, self.end_span) for j in range(p)}
        root = np.sqrt(w)
        self.Y = root[:, None] * Y
        self.table = KnotTable(X, w, {j: g for j, g in grids.items() if g is not None}, Y.shape[1], pool)
        self.M = 0
        self.places = 1  # taken of max_terms: a pair takes two, also where the model already holds one of it
        self.Q, self.R = np.empty((n, rules.max_terms)), np.zeros((rules.max_terms, rules.max_terms))
        self.z, self.res = np.zeros((rules.max_terms, Y.shape[1])), self.Y.copy()
        self.terms: list[Term] = []
        self.units: list[float] = []  # a column of the model is its term divided by this
        self.parents: list[int] = []  # term of each parent
        self.allowed: Flags = np.zeros((0, len(self.table.features)), dtype=bool)  # which features may join a parent
        self.score, self.age = np.zeros(0), np.zeros(0)
        self._append(Term(), 1.0, root)
        self.total = self.rss
        self.path, self.reason = [(1, self.rss)], ""

    def run(self) -> Self:
        """Search to the end."""
        while not self.reason:
            self.reason = self._step()
        return self

    @property
    def rss(self) -> float:
        """Residual sum of squares over all responses."""
        return float(np.einsum("ij,ij->", self.res, self.res))

    @property
    def factor(self) -> Floats:
        """The triangular factor of the terms, rows scaled by √w."""
        return self.R[: self.M, : self.M] * np.array(self.units)

    def _step(self) -> str:
        """Add the best candidate; return why the search ends, if it does."""
        rules, full = self.rules, f"max_terms={self.rules.max_terms} reached"
        if rules.max_terms <= self.places:
            return full
        if not self.rss > 1e-14 * self.total:
            return "no residual left"
        if max(cost(self.M + 1, rules.penalty), self.M + 1) >= self.W:
            return "no degrees of freedom left"
        choice = self.choose()
        if choice is None:
            return "no candidate left" if rules.max_terms - self.places > 1 else full
        if choice.gain < self._least(choice.columns):
            return f"R² rose by less than tol={rules.tol:g}"
        if self.enter(choice):
            self.path.append((self.M, self.rss))
        return ""

    def _append(self, term: Term, unit: float, column: Floats) -> bool:
        """Put a term into the model unless its column depends on what is there; a parent if it may be one."""
        M, Q = self.M, self.Q[:, : self.M]
        v, r = column, np.zeros(M)
        for _ in range(2):  # once leaves round-off along Q, twice is enough
            c = v @ Q
            v, r = v - Q @ c, r + c
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
            self._add_parent(term, column)
        return True

    def _add_parent(self, term: Term, column: Floats) -> None:
        self.parents.append(len(self.terms) - 1)
        if self.rules.end_span is None:
            span = self.end_span * (2 if term.degree else 1)
        else:
            span = self.end_span if self.end_span > 1 else 0.0  # at 1, all that the grid holds may serve
        self.table.add_parent(column, span, self.Y)
        allowed = [j not in term.features and self.rules.allowed(term.features, j) for j in self.table.features]
        self.allowed = np.vstack([self.allowed, np.array(allowed, dtype=bool)])
        self.score, self.age = np.append(self.score, np.inf), np.append(self.age, 0.0)

    def _active(self) -> Indices:
        """Return the parents to look at: all, or the fast_k best by rank of their last gain, less their age."""
        k = self.rules.fast_k or len(self.parents)
        rank = np.argsort(np.argsort(-self.score, kind="stable"), kind="stable") - self.age
        rank[np.isinf(self.score)] = -np.inf
        return np.sort(np.argsort(rank, kind="stable")[:k])

    def choose(self) -> Choice | None:
        """Return the best candidate of the active parents, or None if none is left."""
        table, who = self.table, self._active()
        table.refresh(who, self.Q[:, : self.M], self.z)
        size = table.line[who]
        inv = np.divide(1.0, size, out=np.zeros_like(size), where=size > table.line_floor[who])
        line = np.sum(table.line_cov[who] ** 2, axis=2) * inv  # gain of the straight column, parents×features

        def best(f: int) -> Floats:
            if table.features[f] in self.rules.linear:
                return np.zeros(len(who))
            return np.asarray(table.candidates[f].gains(who, inv[:, f], table.line_cov[who, f]).max(axis=1))

        hinge = np.array(table.each(best)).reshape(len(table.features), len(who)).T
        if self.rules.max_terms - self.places < 2:  # a pair needs two places: only straight columns compete
            hinge, line = np.zeros_like(hinge), line * self.rules.allow_linear
        total = np.where(self.allowed[who], line + hinge, 0.0)
        self.age += 1
        self.age[who] = 0
        self.score[who] = total.max(axis=1, initial=0.0)
        top = total.max(initial=0.0)
        if not top > 0:
            return None
        i, f = divmod(int(np.argmax(total.ravel() >= top * (1 - TIE))), len(table.features))
        return self._settled(int(who[i]), f, float(inv[i, f]), float(line[i, f]), float(hinge[i, f]))

    def _settled(self, k: int, f: int, inv: float, line: float, hinge: float) -> Choice:
        """Find the knot for the best parent and feature, unless a straight column does as well by GCV."""
        fresh, M, rules = inv > 0, self.M, self.rules
        if hinge == 0.0:
            return Choice(k, f, -1, 1, line)
        if fresh and rules.allow_linear:
            rss = np.maximum([self.rss - line, self.rss - line - hinge], 0.0)
            one, two = gcv(rss, [cost(M + 1, rules.penalty), cost(M + 2, rules.penalty)], self.W)
            if one <= two:
                return Choice(k, f, -1, 1, line)
        who = np.array([k])
        g = self.table.candidates[f].gains(who, np.array([inv]), self.table.line_cov[who, f])[0]
        return Choice(k, f, int(np.argmax(g >= g.max() * (1 - TIE))), 2 if fresh else 1, line + hinge)

    def _least(self, columns: int) -> float:
        """Return the gain that a step must reach: ``tol`` of the total, and per column where it may be noise.

        The best of m candidates reaches about 2σ² ln m on noise alone, which GCV does not charge for.
        """
        noise = 2 * self.rss / max(self.W - cost(self.M, self.rules.penalty), 1.0)
        m = len(self.parents) * sum(len(c.grid.values) for c in self.table.candidates)
        tol = self.rules.tol * self.total
        return max(tol, min(columns * tol, noise * math.log(m)))

    def enter(self, choice: Choice) -> bool:
        """Put the chosen columns into the model; False, and never offered again, if they depend on it."""
        j, k = self.table.features[choice.feature], choice.parent
        c, b = self.table.candidates[choice.feature], self.table.parents[k]
        term, unit, entered = self.terms[self.parents[k]], self.units[self.parents[k]] * c.grid.scale, False
        for factor in self._factors(choice, c.grid, j):
            column = b * (factor(self.X) / c.grid.scale)
            entered |= self._append(term.times(factor), unit, column)
        if choice.position >= 0:
            c.floor[k][self._too_close(choice, c.grid)] = np.inf
        elif not entered:
            self.table.line_floor[k, choice.feature] = np.inf
        if entered:
            self.places += 1 if choice.position < 0 else 2
        return entered

    def _factors(self, choice: Choice, g: Grid, j: int) -> list[Factor]:
        name = self.rules.names[j]
        if choice.position < 0:
            straight = self.rules.allow_linear or j in self.rules.linear
            return [Factor(j, float(g.values[0]), 0 if straight else 1, name)]
        t = float(g.values[choice.position])
        small = -1 if choice.position < g.low else 1  # the hinge with the shorter reach, far from straight
        return [Factor(j, t, s, name) for s in ((small, -small) if choice.columns == 2 else (small,))]

    def _too_close(self, choice: Choice, g: Grid) -> Flags:
        """Return the positions closer to the chosen knot, in the support of its parent, than the minimum span."""
        support = np.where(self.table.parents[choice.parent] > 0, self.w, 0.0)
        span = self.rules.min_span
        if span is None:
            span = _automatic_min_span(self.X.shape[1], float(support.sum()))
        up_to = np.cumsum(g.masses(support))
        found = (np.abs(up_to - up_to[choice.position]) < span - ROUNDING) & (span > 1)
        found[choice.position] = True
        return np.asarray(found)


def _automatic_min_span(p: int, W: float) -> float:
    """Friedman's (1991, eq. 43) number of rows from a knot to the next."""
    return max(1.0, math.floor(-math.log2(-math.log1p(-ALPHA) / (p * max(W, 1.0))) / 2.5))
