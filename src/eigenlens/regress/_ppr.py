"""Projection pursuit regression: ŷ = ȳ + Σₘ βₘ fₘ(aₘᵀx), each fₘ of weighted mean 0 and variance 1.

Terms enter one at a time on the residuals; after each entry all terms are refitted in turn, function,
loadings and direction, until the residual sum of squares settles. From `max_terms` the least important term
(smallest ‖βₘ‖) is then dropped and the others refitted, down to `n_terms`.

A direction is improved by Gauss–Newton: with the slopes f′ at hand, β f(aᵀx + δᵀx) ≈ β f + β f′·(δᵀx) is
least squares in δ; the step is halved until the refitted function lowers the residual sum of squares, and
otherwise not taken.

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

from .._core.stored import stored
from .smoothers import Curve, SplineSmoother, supersmooth

Array = NDArray[np.float64]
Function = Callable[..., Array]
Smoother = Callable[[Array, Array, Array], Function]

# Residual sums below this share of the total are round-off: nothing is left to pursue.
ROUND_OFF = 1e-14
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
# Rounds in which every term of the final model is looked for anew.
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
    terms: list[Term] = []
    residual = Y.copy()
    forward: Pursuit | None = None
    moved, sweeps = 0.0, 0
    while len(terms) < max_terms and _rss(residual, w) > ROUND_OFF * total:
        term = _new_term(Z, residual, w, smooth, tol)
        if term is None:
            break
        terms.append(term)
        residual, moved, sweeps = _refit_all(terms, Z, residual - term.fitted, w, smooth, tol, max_iter)
        if len(terms) == n_terms:
            forward = Pursuit(list(terms), _rss(residual, w), moved=moved, sweeps=sweeps)
    path = {len(terms): _rss(residual, w)}
    while len(terms) > n_terms:
        terms, residual, moved, sweeps = _drop_one(terms, Z, residual, w, smooth, tol, max_iter)
        path[len(terms)] = _rss(residual, w)
    ends = [Pursuit(terms, _rss(residual, w), path, moved, sweeps)]
    if forward is not None and len(path) > 1:
        ends.append(forward)  # the way over max_terms does not always pay
    best = min((_exchanged(end, Z, Y, w, smooth, tol, max_iter) for end in ends), key=lambda end: end.rss)
    best.terms.sort(key=lambda term: -float(np.linalg.norm(term.beta)))
    return replace(best, path={**path, len(best.terms): best.rss})


def _exchanged(found: Pursuit, Z: Array, Y: Array, w: Array, smooth: Smoother, tol: float, max_iter: int) -> Pursuit:
    """Take each term out, look for it anew in what the others leave, and refit, as long as that helps."""
    if len(found.terms) < 2 or not found.rss > 0:
        return found
    for _ in range(EXCHANGES):
        before = found.rss
        for m in range(len(found.terms)):
            terms = list(found.terms)
            partial = Y - sum(t.fitted for k, t in enumerate(terms) if k != m)
            term = _new_term(Z, partial, w, smooth, tol)
            if term is None:
                continue
            terms[m] = term
            residual, moved, sweeps = _refit_all(terms, Z, partial - term.fitted, w, smooth, tol, max_iter)
            if _rss(residual, w) < found.rss:
                found = replace(found, terms=terms, rss=_rss(residual, w), moved=moved, sweeps=sweeps)
        if before - found.rss <= tol * found.rss:
            break
    return found


def _drop_one(
    terms: list[Term], Z: Array, residual: Array, w: Array, smooth: Smoother, tol: float, max_iter: int
) -> tuple[list[Term], Array, float, int]:
    """Leave out the least important term or one about as important, whichever the others make up for best."""
    size = np.array([np.linalg.norm(term.beta) for term in terms])
    order = np.argsort(size, kind="stable")[:DROPS_TRIED]
    found = []
    for m in order[size[order] <= ALIKE * size[order[0]]]:
        rest = [*terms[:m], *terms[m + 1 :]]
        found.append((rest, *_refit_all(rest, Z, residual + terms[m].fitted, w, smooth, tol, max_iter)))
    return min(found, key=lambda drop: _rss(drop[1], w))


def _rss(residual: Array, w: Array) -> float:
    return float(np.sum(w[:, None] * residual**2))


def _at(a: Array, beta: Array, Z: Array, R: Array, w: Array, smooth: Smoother) -> Term | None:
    """Fit function and loadings along a direction to the partial residuals R; None if the direction is
    empty.
    """
    t = Z @ a
    W = float(w.sum())
    if not w @ t**2 > EMPTY**2 * W or not np.any(beta):
        return None
    f = smooth(t, R @ beta / float(beta @ beta), w)
    raw = f(t)
    shift = float(w @ raw / W)
    scale = float(np.sqrt(w @ (raw - shift) ** 2 / W))
    if not scale > 0:
        return None
    values = (raw - shift) / scale
    beta = (w * values) @ R / W
    slopes = f(t, derivative=True) / scale
    return Term(a, f, shift, 1.0 / scale, values, slopes, beta, _rss(R - np.outer(values, beta), w))


def _improve(term: Term, Z: Array, R: Array, w: Array, smooth: Smoother, steps: int, tol: float) -> Term:
    """Turn the direction by Gauss–Newton while that lowers the residual sum of squares."""
    if Z.shape[1] == 1:
        return term
    for _ in range(steps):
        delta = _gauss_newton(term, Z, R, w)
        better = None
        for k in range(HALVINGS + 1):
            a = term.a + delta * 0.5**k
            trial = _at(a / np.linalg.norm(a), term.beta, Z, R, w, smooth)
            if trial is not None and trial.rss < term.rss:
                better = trial
                break
        if better is None:
            break
        gained = term.rss - better.rss
        term = better
        if gained <= tol * term.rss:
            break
    return term


def _gauss_newton(term: Term, Z: Array, R: Array, w: Array) -> Array:
    J = term.slopes[:, None] * Z
    # A step along a only rescales the argument of f.
    J = J - np.outer(J @ term.a, term.a)
    b2 = float(term.beta @ term.beta)
    e = (R - term.fitted) @ term.beta / b2
    G = (J * w[:, None]).T @ J
    ridge = RIDGE * np.trace(G) / G.shape[0]
    if not ridge > 0:
        return np.zeros_like(term.a)
    delta = np.linalg.solve(G + ridge * np.eye(G.shape[0]), J.T @ (w * e))
    return delta - term.a * float(term.a @ delta)


def _new_term(Z: Array, R: Array, w: Array, smooth: Smoother, tol: float) -> Term | None:
    """Find the best new term on the residuals from several start directions."""
    beta = np.linalg.svd(np.sqrt(w)[:, None] * R, full_matrices=False)[2][0]
    tried = [_at(a, beta, Z, R, w, smooth) for a in _starts(Z, R @ beta, w)]
    some = sorted((t for t in tried if t is not None), key=lambda t: t.rss)[:STARTS_LOOK]
    turned = (_improve(t, Z, R, w, smooth, STEPS_AGAIN, tol) for t in some)
    few = sorted(turned, key=lambda t: t.rss)[:STARTS_END]
    grown = [_improve(t, Z, R, w, smooth, STEPS_NEW, tol) for t in few]
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


def _refit_all(
    terms: list[Term], Z: Array, residual: Array, w: Array, smooth: Smoother, tol: float, max_iter: int
) -> tuple[Array, float, int]:
    """Refit every term in turn on its partial residuals until the residual sum of squares settles."""
    before = _rss(residual, w)
    moved = 0.0
    sweeps = 0
    while sweeps < max_iter:
        sweeps += 1
        for m, term in enumerate(terms):
            partial = residual + term.fitted
            again = _at(term.a, term.beta, Z, partial, w, smooth)
            old = replace(term, rss=_rss(residual, w))
            best = old if again is None or again.rss > old.rss else again
            terms[m] = _improve(best, Z, partial, w, smooth, STEPS_AGAIN, tol)
            residual = partial - terms[m].fitted
        after = _rss(residual, w)
        moved = (before - after) / after if after > 0 else 0.0
        if moved <= tol:
            break
        before = after
    return residual, moved, sweeps
