"""Projection pursuit regression: ŷ = ȳ + Σₘ βₘ fₘ(aₘᵀx), each fₘ of weighted mean 0 and variance 1.

Terms enter one at a time on the residuals; after each entry all terms are refitted in turn, function,
loadings and direction, until the residual sum of squares settles. From `max_terms` the least important term
(smallest ‖βₘ‖) is then dropped and the others refitted, down to `n_terms`.

A direction is improved by Gauss–Newton: given the slopes f′, β f(aᵀx + δᵀx) ≈ β f + β f′·(δᵀx) is
least squares in δ; the step is halved until the refitted function lowers the residual sum of squares. If no
step does, the direction stays.

References
----------
Friedman and Stuetzle (1981), Projection pursuit regression, JASA 76.
Friedman (1984), SMART user's guide, Stanford LCS technical report 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..arrays.stored import stored
from .smoothing_spline import Curve, SplineSmoother
from .supersmoother import supersmooth

Array = NDArray[np.float64]
Function = Callable[..., Array]
Smoother = Callable[[Array, Array, Array], Function]

# Residual sums below this share of the total are round-off: nothing is left to pursue.
ROUND_OFF = 1e-14
# Below this share of the total, changes are judged by this share, not by what is left: with more terms than rows can
# bear, sums fall towards zero for ever, and no prediction feels it.
LITTLE = 1e-3
# A direction along which the standardised rows spread less than this is a difference of equal features.
EMPTY = 1e-8
# Gauss–Newton: a little ridge keeps flat directions from flying off; so many halvings; so many steps per
# visit.
RIDGE = 1e-3
HALVINGS = 4
STEPS_NEW, STEPS_AGAIN = 20, 2
# The best start directions take a few steps, the best of those go to the end; so many axes are paired.
STARTS_LOOK, STARTS_END = 8, 3
AXES = 6
SPLINE_KNOTS = 60
# Rounds in which every term of the final model is searched again.
EXCHANGES = 5
# On the way down terms up to this many times as important as the least one may go in its place, so many at most: among
# equals the least is not always the one that the others make up for best.
ALIKE, DROPS_TRIED = 1.5, 3


@dataclass(frozen=True)
class Term:
    """One term on standardised rows Z: direction a, values factor·(function(Za) − shift), loadings β."""

    a: Array
    function: Function
    shift: float
    factor: float
    values: Array
    slopes: Array
    beta: Array
    rss: float

    @property
    def fitted(self) -> Array:
        return np.outer(self.values, self.beta)


@dataclass(frozen=True)
class Task:
    """What stays the same in a pursuit: standardised rows, weights, the smoother, and when it ends.

    Attributes
    ----------
    little : float
        Residual sum of squares below which changes are compared with it, not with what is left.
    """

    Z: Array
    w: Array
    smooth: Smoother
    tol: float
    max_iter: int
    little: float

    def rss(self, residual: Array) -> float:
        """Return the weighted residual sum of squares."""
        return float(np.sum(self.w[:, None] * residual**2))

    def saturated(self, n_terms: int) -> bool:
        """Tell whether terms have as many parameters (a direction and two for the function) as there are rows."""
        live = int(np.count_nonzero(np.ptp(self.Z, axis=0) > 0))
        return n_terms * (live + 1) > self.Z.shape[0]

    def moved(self, before: float, after: float) -> float:
        """Return by what share a residual sum of squares fell."""
        left = max(after, self.little)
        return (before - after) / left if left > 0 else 0.0


@dataclass
class Pursuit:
    """Terms by importance, RSS, the RSS per number of terms on the way down, and how far the last sweep moved
    it.
    """

    terms: list[Term]
    rss: float
    path: dict[int, float] = field(default_factory=dict)
    moved: float = 0.0
    sweeps: int = 0


@stored("pursuit.OneResponse")
@dataclass(frozen=True)
class OneResponse:
    """A spline of one response as a function from array to array."""

    curve: Curve

    def __call__(self, x: Array, derivative: bool = False) -> Array:
        return self.curve(x, derivative)[:, 0]


def spline_smoother(df: float | None, cost: float) -> Smoother:
    """Return a smoother by cubic splines of fixed df (without the constant), or of least GCV if df is
    None.
    """

    def smooth(t: Array, y: Array, w: Array) -> Function:
        W = float(w.sum())
        mean = float(w @ y / W)
        s = SplineSmoother(t, w, SPLINE_KNOTS)
        r = y - mean
        z, b = s.coordinates((w * r)[:, None])
        lam = np.inf
        if s.can_bend and df is None:
            straight = float(w @ r**2 - z @ z)
            line = straight / W / max(1.0 - cost / W, 1e-300) ** 2
            lam, score = s.best_lam(straight, b[:, 0] ** 2, 0.0, W, cost, np.inf)
            lam = lam if score < line else np.inf
        elif s.can_bend and df is not None and df > 1.0:
            lam = s.lam_for_df(df)
        return OneResponse(s.curve(lam, z, b).shifted(np.array([mean])))

    return smooth


def super_smoother(span: float | None, bass: float) -> Smoother:
    """Return Friedman's supersmoother as a smoother."""
    return lambda t, y, w: supersmooth(t, y, w, span, bass)


def pursue(
    Z: Array, Y: Array, w: Array, smooth: Smoother, n_terms: int, max_terms: int, tol: float, max_iter: int
) -> Pursuit:
    """Fit centred responses Y (n×q) on centred and scaled rows Z."""
    total = float(np.sum(w[:, None] * Y**2))
    task = Task(Z, w, smooth, tol, max_iter, LITTLE * total)
    terms: list[Term] = []
    residual = Y.copy()
    forward: Pursuit | None = None
    moved, sweeps = 0.0, 0
    while len(terms) < max_terms and task.rss(residual) > ROUND_OFF * total:
        term = _new_term(task, residual)
        if term is None:
            break
        terms.append(term)
        residual, moved, sweeps = _refit_all(task, terms, residual - term.fitted)
        if len(terms) == n_terms:
            forward = Pursuit(list(terms), task.rss(residual), moved=moved, sweeps=sweeps)
    path = {len(terms): task.rss(residual)}
    while len(terms) > n_terms:
        terms, residual, moved, sweeps = _drop_one(task, terms, residual)
        path[len(terms)] = task.rss(residual)
    ends = [Pursuit(terms, task.rss(residual), path, moved, sweeps)]
    if forward is not None and len(path) > 1:
        ends.append(forward)  # the way over max_terms does not always pay
    best = min((_exchanged(task, end, Y) for end in ends), key=lambda end: end.rss)
    best.terms.sort(key=lambda term: -float(np.linalg.norm(term.beta)))
    return replace(best, path={**path, len(best.terms): best.rss})


def _exchanged(task: Task, found: Pursuit, Y: Array) -> Pursuit:
    """Take each term out, look for it again in the residuals of the others, and refit, as long as that helps."""
    if len(found.terms) < 2 or not found.rss > task.little or task.saturated(len(found.terms)):
        return found
    for _ in range(EXCHANGES):
        before = found.rss
        for m in range(len(found.terms)):
            terms = list(found.terms)
            partial = Y - sum(t.fitted for k, t in enumerate(terms) if k != m)
            term = _new_term(task, partial)
            if term is None:
                continue
            terms[m] = term
            residual, moved, sweeps = _refit_all(task, terms, partial - term.fitted)
            if task.rss(residual) < found.rss:
                found = replace(found, terms=terms, rss=task.rss(residual), moved=moved, sweeps=sweeps)
        if task.moved(before, found.rss) <= task.tol:
            break
    return found


def _drop_one(task: Task, terms: list[Term], residual: Array) -> tuple[list[Term], Array, float, int]:
    """Drop the least important term, or one about as unimportant that the others replace better."""
    size = np.array([np.linalg.norm(term.beta) for term in terms])
    order = np.argsort(size, kind="stable")[:DROPS_TRIED]
    found = []
    for m in order[size[order] <= ALIKE * size[order[0]]]:
        rest = [*terms[:m], *terms[m + 1 :]]
        found.append((rest, *_refit_all(task, rest, residual + terms[m].fitted)))
    return min(found, key=lambda drop: task.rss(drop[1]))


def _at(task: Task, a: Array, beta: Array, R: Array) -> Term | None:
    """Fit function and loadings along a direction to the partial residuals R; None if the direction or the
    function is empty.
    """
    t, w = task.Z @ a, task.w
    W = float(w.sum())
    if not w @ t**2 > EMPTY**2 * W or not np.any(beta):
        return None
    y = R @ beta / float(beta @ beta)
    f = task.smooth(t, y, w)
    raw = f(t)
    shift = float(w @ raw / W)
    scale = float(np.sqrt(w @ (raw - shift) ** 2 / W))
    if not scale**2 > ROUND_OFF * float(w @ y**2 / W):  # to variance 1 it would be blown up
        return None
    values = (raw - shift) / scale
    beta = (w * values) @ R / W
    slopes = f(t, derivative=True) / scale
    return Term(a, f, shift, 1.0 / scale, values, slopes, beta, task.rss(R - np.outer(values, beta)))


def _improve(task: Task, term: Term, R: Array, steps: int) -> Term:
    """Turn the direction by Gauss–Newton while that lowers the residual sum of squares."""
    if task.Z.shape[1] == 1:
        return term
    for _ in range(steps):
        delta = _gauss_newton(task, term, R)
        better = None
        for k in range(HALVINGS + 1):
            a = term.a + delta * 0.5**k
            trial = _at(task, a / np.linalg.norm(a), term.beta, R)
            if trial is not None and trial.rss < term.rss:
                better = trial
                break
        if better is None:
            break
        moved, term = task.moved(term.rss, better.rss), better
        if moved <= task.tol:
            break
    return term


def _gauss_newton(task: Task, term: Term, R: Array) -> Array:
    w = task.w
    J = term.slopes[:, None] * task.Z
    whole = float(np.sum(w[:, None] * J**2))
    # A step along a only rescales the argument of f.
    J = J - np.outer(J @ term.a, term.a)
    b2 = float(term.beta @ term.beta)
    e = (R - term.fitted) @ term.beta / b2
    G = (J * w[:, None]).T @ J
    if not np.trace(G) > EMPTY**2 * whole:  # what is left is round-off: there is no other direction
        return np.zeros_like(term.a)
    ridge = RIDGE * np.trace(G) / G.shape[0]
    delta = np.linalg.solve(G + ridge * np.eye(G.shape[0]), J.T @ (w * e))
    return delta - term.a * float(term.a @ delta)


def _new_term(task: Task, R: Array) -> Term | None:
    """Find the best new term on the residuals from several start directions."""
    beta = np.linalg.svd(np.sqrt(task.w)[:, None] * R, full_matrices=False)[2][0]
    tried = [_at(task, a, beta, R) for a in _starts(task.Z, R @ beta, task.w)]
    some = sorted((t for t in tried if t is not None), key=lambda t: t.rss)[:STARTS_LOOK]
    turned = (_improve(task, t, R, STEPS_AGAIN) for t in some)
    few = sorted(turned, key=lambda t: t.rss)[:STARTS_END]
    grown = [_improve(task, t, R, STEPS_NEW) for t in few]
    return min(grown, key=lambda t: t.rss, default=None)


def _starts(Z: Array, r: Array, w: Array) -> list[Array]:
    """Return start directions: least squares, strongest curvatures (principal Hessian), axes and their
    pairs.
    """
    s = np.sqrt(w)[:, None]
    p = Z.shape[1]
    linear = np.linalg.lstsq(s * Z, s[:, 0] * r, rcond=None)[0]
    e = r - Z @ linear
    curvature, V = np.linalg.eigh((Z * (w * e)[:, None]).T @ Z)
    bent = V[:, np.argsort(-np.abs(curvature), kind="stable")[: min(p, 3)]].T
    live = np.flatnonzero(np.ptp(Z, axis=0) > 0)
    slope = np.abs(Z.T @ (w * r))
    axes = np.eye(p)[live[np.argsort(-slope[live], kind="stable")][:AXES]]
    pairs = [sign * u + v for i, u in enumerate(axes) for v in axes[:i] for sign in (1.0, -1.0)]
    every = (linear, *bent, *axes, *pairs)
    return [a / np.linalg.norm(a) for a in every if np.linalg.norm(a) > 0]


def _refit_all(task: Task, terms: list[Term], residual: Array) -> tuple[Array, float, int]:
    """Refit every term in turn on its partial residuals until the residual sum of squares settles."""
    before = task.rss(residual)
    moved = 0.0
    sweeps = 0
    while sweeps < task.max_iter:
        sweeps += 1
        for m, term in enumerate(terms):
            partial = residual + term.fitted
            again = _at(task, term.a, term.beta, partial)
            old = replace(term, rss=task.rss(residual))
            best = old if again is None or again.rss > old.rss else again
            terms[m] = _improve(task, best, partial, STEPS_AGAIN)
            residual = partial - terms[m].fitted
        after = task.rss(residual)
        moved = task.moved(before, after)
        if moved <= task.tol:
            break
        before = after
    return residual, moved, sweeps
