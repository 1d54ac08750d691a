"""Adaptive backfitting of smoothing splines (BRUTO): which features bend, which are straight, which are out.

GCV = (RSS/W)/(1 − c·Σdf/W)², RSS summed over the responses. One sweep visits the features in order; each is
offered the partial residuals and chooses again between out (df 0), a line (df 1) and the smoothing spline
whose λ minimises the GCV of the **whole** model, with the other features fixed. Sweeps end when the GCV and the kinds
settle. Then the λ are held and plain backfitting goes on by the same rule towards the additive model they
define.

References
----------
Hastie (1989), discussion of "Flexible parsimonious smoothing and additive modeling", Technometrics 31.
Hastie and Tibshirani (1990), Generalized Additive Models, section 9.4.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .smoothing_spline import Curve, SplineSmoother, gcv

Array = NDArray[np.float64]

# Residual sums below this share of the total are round-off, on which no choice may rest.
ROUND_OFF = 1e-14


@dataclass
class Term:
    """One feature of the additive model: its smoother, what it chose, and its current fit."""

    smoother: SplineSmoother | None
    max_df: float
    values: Array
    z: Array
    b: Array
    kind: str = "out"
    lam: float = np.inf
    df: float = 0.0

    def set(self, kind: str, lam: float, df: float) -> None:
        self.kind, self.lam, self.df = kind, lam, df

    def refit(self, z: Array, b: Array) -> None:
        """Take new coordinates and the values they give."""
        self.z, self.b = z, b
        if self.kind == "out" or self.smoother is None:
            self.values = np.zeros_like(self.values)
        else:
            self.values = self.smoother.fit_values(self.lam, z, b)

    def curve(self) -> Curve | None:
        if self.kind == "out" or self.smoother is None:
            return None
        return self.smoother.curve(self.lam, self.z, self.b)


@dataclass
class AdditiveFit:
    """Terms, GCV and RSS, the GCV after each sweep, and how far the last sweeps still moved it."""

    terms: list[Term]
    gcv: float = 0.0
    rss: float = 0.0
    path: list[float] = field(default_factory=list)
    moved_select: float = 0.0
    moved_backfit: float = 0.0


def fit_additive(X: Array, Y: Array, w: Array, cost: float, max_df: Array, tol: float, max_iter: int) -> AdditiveFit:
    """Fit the centred responses Y (n×q) on the columns of X; max_df has one entry per feature."""
    W = float(w.sum())
    floor = ROUND_OFF * float(np.sum(w[:, None] * Y**2))
    fit = AdditiveFit([_term(X[:, j], Y, w, max_df[j]) for j in range(X.shape[1])])
    residual = _start_linear(fit.terms, Y, w, cost)
    for _ in range(max_iter):
        kinds = [t.kind for t in fit.terms]
        for term in fit.terms:
            if term.smoother is not None:
                residual = _choose(fit.terms, term, residual, w, W, cost, floor)
        fit.path.append(_total_gcv(fit.terms, residual, w, cost, floor))
        fit.moved_select = _moved(fit.path)
        if fit.moved_select <= tol and kinds == [t.kind for t in fit.terms]:
            break
    active = [t for t in fit.terms if t.kind != "out"]
    path = [fit.path[-1]]
    for _ in range(max_iter):
        for term in active:
            assert term.smoother is not None
            partial = residual + term.values
            term.refit(*term.smoother.coordinates(w[:, None] * partial))
            residual = partial - term.values
        path.append(_total_gcv(fit.terms, residual, w, cost, floor))
        fit.moved_backfit = _moved(path)
        if fit.moved_backfit <= tol:
            break
    fit.rss = float(np.sum(w[:, None] * residual**2))
    fit.gcv = _total_gcv(fit.terms, residual, w, cost, 0.0)
    return fit


def _moved(path: list[float]) -> float:
    """Return the relative change of the last step; a path of zeros has arrived."""
    if len(path) < 2:
        return np.inf
    return abs(path[-1] - path[-2]) / path[-1] if path[-1] > 0 else 0.0


def _term(x: Array, Y: Array, w: Array, max_df: float) -> Term:
    smoother = SplineSmoother(x, w) if x.max() > x.min() else None
    k = 0 if smoother is None else smoother.seen.size
    q = Y.shape[1]
    return Term(smoother, max_df, np.zeros_like(Y), np.zeros(q), np.zeros((k, q)))


def _start_linear(terms: list[Term], Y: Array, w: Array, cost: float) -> Array:
    """Start from least squares on all features, or from nothing if GCV could not afford that."""
    live = [t for t in terms if t.smoother is not None]
    if not live or cost * len(live) >= w.sum():
        return Y.copy()
    s = np.sqrt(w)[:, None]
    L = _lines(live)
    z = np.linalg.lstsq(s * L, s * Y, rcond=None)[0]
    for term, zj in zip(live, z, strict=True):
        term.set("linear", np.inf, 1.0)
        term.refit(zj, term.b)
    return Y - L @ z


def _lines(terms: list[Term]) -> Array:
    return np.column_stack([t.smoother.line for t in terms if t.smoother is not None])


def _choose(terms: list[Term], term: Term, residual: Array, w: Array, W: float, cost: float, floor: float) -> Array:
    """Let one feature choose its kind and λ on the partial residuals; return the new residuals."""
    s = term.smoother
    assert s is not None
    partial = residual + term.values
    wr = w[:, None] * partial
    rss = float(np.sum(wr * partial))
    z, b = s.coordinates(wr)
    straight = rss - float(z @ z)
    before = sum(t.df for t in terms if t is not term)
    scores = {
        "out": float(gcv(max(rss, floor), before, W, cost)),
        "linear": float(gcv(max(straight, floor), before + 1.0, W, cost)) if term.max_df >= 1.0 else np.inf,
    }
    lam = np.inf
    if s.can_bend and term.max_df > 1.0:
        lam, scores["smooth"] = s.best_lam(straight, np.sum(b**2, axis=1), before, W, cost, term.max_df, floor)
    # The simpler kind comes first in the table and wins a tie.
    kind = min(scores, key=lambda k: scores[k])
    if kind == "smooth":
        term.set("smooth", lam, s.df(lam))
    else:
        term.set(kind, np.inf, 1.0 if kind == "linear" else 0.0)
    term.refit(z, b)
    return partial - term.values


def _total_gcv(terms: list[Term], residual: Array, w: Array, cost: float, floor: float) -> float:
    rss = float(np.sum(w[:, None] * residual**2))
    return float(gcv(max(rss, floor), sum(t.df for t in terms), float(w.sum()), cost))
