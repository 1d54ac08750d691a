"""Projection pursuit regression: a few unknown functions of a few unknown directions, ŷ = ȳ + Σₘ βₘ fₘ(aₘᵀx).

Each fₘ has weighted mean 0 and variance 1. Terms enter one at a time on the residuals; after each entry all terms are
refitted in turn, function, loadings and direction, until the residual sum of squares settles. From `max_terms` the
least important term (smallest ‖βₘ‖) is then dropped and the others refitted, down to `n_terms`, or to the number of
least GCV. At last every term of the model is taken out and looked for again.

A direction is improved by Gauss–Newton: given the slopes f′, β f(aᵀx + δᵀx) ≈ β f + β f′·(δᵀx) is least squares in δ;
the step is halved until it suits the function as it is, which is then fitted again. If no step does, the direction
stays. A new one is looked for with cubic polynomials, which cost a tenth of the supersmoother.

References
----------
Friedman and Stuetzle (1981), Projection pursuit regression, JASA 76.
Friedman (1984), SMART user's guide, Stanford LCS technical report 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..arrays import errors
from ..arrays.linalg import one_blas_thread
from ..arrays.parameters import check_choice, check_number
from ..arrays.stored import stored
from ..arrays.summaries import Table, matrix
from ..arrays.typing import Array, ColumnLike, TableLike
from ..drawing import Display
from ..solve.linear_smoother import gcv
from .regressor import Floats, Regressor, warn_if_relative
from .smoothing_spline import Curve, SplineSmoother
from .supersmoother import SPANS, smoothed_rows

Function = Callable[..., Floats]
Smoother = Callable[[Floats, Floats, Floats], tuple[Function, Floats, Floats]]  # with values and slopes at the rows

ROUND_OFF = 1e-14  # share of the total below which residual sums are round-off: nothing is left to pursue
# Below this share of the total, changes are judged by this share, not by what is left: with more terms than rows can
# bear, sums fall towards zero for ever, and no prediction feels it.
LITTLE = 1e-3
EMPTY = 1e-8  # spread of the standardised rows along a direction that is a difference of equal features


@stored("pursuit.RidgeFunction")
@dataclass(frozen=True)
class RidgeFunction:
    """fₘ as a function of t = aₘᵀx, weighted mean 0 and variance 1 over the rows of fit.

    Attributes
    ----------
    low, high : float
        Range of t over the rows of fit; beyond it the function continues as a straight line.
    """

    function: Function
    centre: float
    stretch: float
    shift: float
    factor: float
    low: float
    high: float

    def __call__(self, t: Floats, derivative: bool = False) -> Floats:
        """Return fₘ(t), or its derivative."""
        arg = self.stretch * (np.asarray(t, dtype=np.float64) - self.centre)
        if derivative:
            return self.stretch * self.factor * self.function(arg, derivative=True)
        return self.factor * (self.function(arg) - self.shift)


@stored("ProjectionPursuit")
class ProjectionPursuit(Regressor):
    r"""Projection pursuit regression.

    .. math:: \hat y = \bar y + \sum_{m=1}^{M} \beta_m f_m(a_m^\top x), \qquad \|a_m\| = 1

    Directions and functions are found together: terms enter one at a time on the residuals, all terms are
    refitted after each entry, and from `max_terms` the least important ones are dropped again. Several
    responses share directions and functions and have their own loadings β.

    Parameters
    ----------
    n_terms : int or "gcv", default="gcv"
        Terms in the final model. "gcv" takes the number of least GCV, in which a term counts as the degrees of freedom
        of its function and `cost` for each coefficient of its direction.
    max_terms : int, optional
        Terms before pruning; if None, n_terms + 2, or 5 with "gcv".
    smoother : {"supersmoother", "spline"}, default="supersmoother"
        Friedman's supersmoother, or a cubic smoothing spline.
    span : float, optional
        Supersmoother: a fixed share of the rows per window; None chooses it locally by cross-validation.
    bass : float, default=0.0
        Supersmoother: 0 to 10, higher is smoother.
    df : float or "gcv", default=5
        Spline: degrees of freedom of each function, without the constant, or chosen by GCV.
    cost : float, default=2.0
        The price in GCV of a coefficient of a direction, and of a degree of freedom of a spline with df="gcv".
    tol : float, default=1e-3
        Refitting ends when a sweep lowers the residual sum of squares by less than this share.
    max_iter : int, default=20
        Largest number of sweeps over the terms after each entry or removal.

    Attributes
    ----------
    directions_ : ndarray (n_terms_, n_features)
        Unit directions aₘ, the most important term first; the largest entry of each is positive.
    ridge_functions_ : list
        fₘ as a function of an array t = aₘᵀx, with `derivative=True` for its slope, `low` and `high`.
    loadings_ : ndarray (n_terms_, n_outputs)
        βₘ. Its norm is the importance of the term, because fₘ has variance 1.
    intercept_ : ndarray (n_outputs,)
        ȳ.
    n_terms_ : int
        Terms in the model; fewer than a given n_terms only if no direction tells anything about what is left.
    rss_ : float
        Residual sum of squares.
    rss_path_ : dict
        Residual sum of squares by number of terms, from max_terms down to n_terms, or to 1.
    n_iter_ : int
        Sweeps of the last refitting.

    See Also
    --------
    eigenlens.regress.AdaptiveSplines : Products of hinges (MARS).
    SIR : Directions along which the mean of x moves with y.

    References
    ----------
    Friedman and Stuetzle (1981), Projection pursuit regression, JASA 76.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.regress import ProjectionPursuit
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 4))
    >>> y = np.tanh(2 * (X[:, 0] + X[:, 1])) + 0.1 * rng.normal(size=300)
    >>> model = ProjectionPursuit(n_terms=1, max_terms=1).fit(X, y)
    >>> print(np.round(np.abs(model.directions_[0]), 1))
    [0.7 0.7 0.  0. ]
    """

    directions_: Array
    ridge_functions_: list[Any]
    loadings_: Array
    intercept_: Array
    n_terms_: int
    rss_: float
    rss_path_: dict[int, float]
    n_iter_: int

    def __init__(
        self,
        n_terms: int | Literal["gcv"] = "gcv",
        max_terms: int | None = None,
        smoother: Literal["supersmoother", "spline"] = "supersmoother",
        span: float | None = None,
        bass: float = 0.0,
        df: float | Literal["gcv"] = 5,
        cost: float = 2.0,
        tol: float = 1e-3,
        max_iter: int = 20,
    ) -> None:
        self.n_terms = n_terms
        self.max_terms = max_terms
        self.smoother = smoother
        self.span = span
        self.bass = bass
        self.df = df
        self.cost = cost
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, X: Floats, Y: Floats, w: Floats) -> None:
        smooth, max_terms = self._check()
        warn_if_relative(w)
        W = w.sum()
        mean, center = w @ Y / W, w @ X / W
        D = X - center
        scale = np.sqrt(w @ D**2 / W)
        # A column without spread says nothing: it stays in the table with direction 0.
        live = scale > 1e-12 * np.max(np.abs(X), axis=0, initial=0.0)
        scale = np.where(live, scale, 1.0)
        Z = np.where(live, D / scale, 0.0)
        tol, sweeps = float(self.tol), int(self.max_iter)
        with one_blas_thread():
            task = Task(Z, Y - mean, w, smooth, tol, sweeps)
            number = None if isinstance(self.n_terms, str) else int(self.n_terms)
            found = task.pursue(number, max_terms, self._price(int(np.count_nonzero(live))))
        if found.moved > self.tol:
            what, advice = "the residual sum of squares", "Raise max_iter to go on."
            errors.warn(errors.not_converged(self.max_iter, what, found.moved, self.tol, advice))
        self._present(found, X, mean, center, scale)

    def _present(self, found: Pursuit, X: Floats, mean: Floats, center: Floats, scale: Floats) -> None:
        p, q = X.shape[1], mean.size
        ridges = [_ridge(term, X, center, scale) for term in found.terms]
        self.directions_ = np.array([a for a, _ in ridges]).reshape(-1, p)
        self.ridge_functions_ = [f for _, f in ridges]
        self.loadings_ = np.array([t.beta for t in found.terms]).reshape(-1, q)
        self.intercept_ = mean
        self.n_terms_ = len(found.terms)
        self.rss_, self.rss_path_ = found.rss, found.path
        self.n_iter_ = max(found.sweeps, 1)
        self._center = center

    def _facts(self) -> Iterator[str]:
        yield f"{self.n_terms_} ridge functions, RSS {self.rss_:.4g}."

    def _tables(self) -> Iterator[tuple[str, Table]]:
        terms = [f"term {m + 1}" for m in range(self.n_terms_)]
        yield "directions", matrix("Directions", self.directions_.T, self._feature_names(), terms)
        yield "loadings", matrix("Loadings of responses", self.loadings_.T, self._names_of_responses(), terms)

    def _predict(self, X: Floats) -> Floats:
        out = np.tile(self.intercept_, (X.shape[0], 1))
        for a, f, beta in zip(self.directions_, self.ridge_functions_, self.loadings_, strict=True):
            # Centred before the product, so that a far-off origin costs no digits.
            out += np.outer(f((X - self._center) @ a + f.centre), beta)
        return out

    def plot(
        self, X: TableLike | None = None, y: ColumnLike | None = None, *, response: int = 0, axes: Any = None
    ) -> Display:
        """Draw each βₘfₘ along its direction, the three largest loadings of the direction above it.

        Parameters
        ----------
        X, y : table and responses, optional
            If given, the partial residuals of these rows are drawn behind the curves.
        response : int
            Which response, if there are several.
        axes : sequence of matplotlib axes, optional
            One per term; made if not given.

        Returns
        -------
        display
            With `axes_` (one for each panel), `ax_` and `figure_`.
        """
        from .figures import Residuals, plot_ridges

        check_is_fitted(self)
        return plot_ridges(self, Residuals(self, X, y, response), response, axes)

    def _check(self) -> tuple[Smoother, int]:
        least = 1
        if isinstance(self.n_terms, str):
            check_choice("n_terms", self.n_terms, ("gcv",))
        else:
            check_number("n_terms", self.n_terms, 1, integer=True)
            least = self.n_terms
        default = 5 if isinstance(self.n_terms, str) else least + 2
        max_terms = default if self.max_terms is None else self.max_terms
        check_number("max_terms", max_terms, 1, integer=True)
        if max_terms < least:
            raise errors.InputError(
                f"max_terms={max_terms} but n_terms={self.n_terms} terms are to be left after pruning; "
                f"use max_terms ≥ {self.n_terms}"
            )
        check_number("tol", self.tol, 0.0)
        check_number("max_iter", self.max_iter, 1, integer=True)
        check_choice("smoother", self.smoother, ("supersmoother", "spline"))
        check_number("cost", self.cost, 0.0)
        if isinstance(self.df, str):
            check_choice("df", self.df, ("gcv",))
        else:
            check_number("df", self.df, 1.0)
        if self.smoother == "supersmoother":
            check_number("bass", self.bass, 0.0, 10.0)
            if self.span is not None:
                check_number("span", self.span, 0.0, 1.0, above=True)
            span, bass = self.span, float(self.bass)
            return (lambda t, y, w: smoothed_rows(t, y, w, span, bass)), int(max_terms)
        df = None if isinstance(self.df, str) else float(self.df)
        return spline_smoother(df, float(self.cost)), int(max_terms)

    def _price(self, p: int) -> float:
        """Return what a term counts in GCV: about the degrees of freedom that it takes of noise."""
        if self.smoother == "spline":
            function = 5.0 if isinstance(self.df, str) else float(self.df)
        else:
            spans = SPANS if self.span is None else (self.span,)
            function = 3.0 + sum(1.0 / span for span in spans) / len(spans)  # the windows, and their ends
        return function + float(self.cost) * max(p - 1, 0)


def _ridge(term: RidgeTerm, X: Floats, center: Floats, scale: Floats) -> tuple[Floats, RidgeFunction]:
    """Bring a term back to the user's units: a unit direction, its largest entry positive, and its
    function.
    """
    a = term.a / scale
    size = float(np.linalg.norm(a))
    lead = a[np.argmax(np.abs(a) >= (1.0 - 1e-6) * np.max(np.abs(a)))]
    a = a / (size * np.sign(lead))
    centre = float(center @ a)
    t = (X - center) @ a + centre
    stretch = size * float(np.sign(lead))
    low, high = float(t.min()), float(t.max())
    return a, RidgeFunction(term.function, centre, stretch, term.shift, term.factor, low, high)


@dataclass(frozen=True)
class RidgeTerm:
    """One term on standardised rows Z: direction a, values factor·(function(Za) − shift), loadings β."""

    a: Floats
    function: Function
    shift: float
    factor: float
    values: Floats
    slopes: Floats
    beta: Floats
    rss: float

    @property
    def fitted(self) -> Floats:
        return self.values[:, None] * self.beta


@dataclass
class Pursuit:
    """Terms, what they leave, its sum of squares, how far the last sweep moved that, and how many sweeps there were."""

    terms: list[RidgeTerm]
    residual: Floats
    rss: float
    moved: float = 0.0
    sweeps: int = 0
    path: dict[int, float] = field(default_factory=dict)


@dataclass
class Task:
    """What stays the same in a pursuit: standardised rows, centred responses, weights, the smoother, when it ends."""

    Z: Floats
    Y: Floats
    w: Floats
    smooth: Smoother
    tol: float
    max_iter: int

    def __post_init__(self) -> None:
        self.W, self.total = float(self.w.sum()), self.rss(self.Y)

    def rss(self, residual: Floats) -> float:
        """Return the weighted residual sum of squares."""
        return float((self.w @ (residual * residual)).sum())

    def moved(self, before: float, after: float) -> float:
        """Return by what share a residual sum of squares fell."""
        left = max(after, LITTLE * self.total)
        return (before - after) / left if left > 0 else 0.0

    def pursue(self, n_terms: int | None, max_terms: int, price: float) -> Pursuit:
        """Look for terms up to the most that are asked for, and drop some again: down to so many, or to least GCV."""
        found, ends = Pursuit([], self.Y, self.total), {}
        while len(found.terms) < max_terms and found.rss > ROUND_OFF * self.total:
            term = self._new_term(found.residual)
            if term is None:
                break
            found = self._refitted([*found.terms, term], found.residual - term.fitted)
            ends[len(found.terms)] = found  # the way over max_terms does not always pay
        path = {len(found.terms): found.rss}
        while len(found.terms) > (n_terms or 1):
            least = min(found.terms, key=lambda term: float(np.linalg.norm(term.beta)))
            rest = [term for term in found.terms if term is not least]
            found = self._refitted(rest, found.residual + least.fitted)
            path[len(rest)] = found.rss
            ends[len(rest)] = min(found, ends[len(rest)], key=lambda end: end.rss)
        if n_terms is None:
            best = min(ends.values(), key=lambda end: self._gcv(end, price), default=found)
        else:
            best = ends.get(len(found.terms), found)
        best = self._exchanged(best)
        best = self._refitted(best.terms, best.residual, self.max_iter)
        best.terms.sort(key=lambda term: -float(np.linalg.norm(term.beta)))
        best.path = {**path, len(best.terms): best.rss}
        return best

    def _gcv(self, end: Pursuit, price: float) -> float:
        """Return GCV, beyond all others where terms count as much as rows; there the fewest terms come first."""
        q = self.Y.shape[1]
        return float(gcv(end.rss, q + len(end.terms) * (price + q - 1), self.W * q))

    def _exchanged(self, found: Pursuit) -> Pursuit:
        """Take each term out, look for it again in the residuals of the others, and refit, where that helps."""
        live = int(np.count_nonzero(np.ptp(self.Z, axis=0) > 0))
        saturated = len(found.terms) * (live + 1) > len(self.Z)  # as many parameters as rows
        if len(found.terms) < 2 or not found.rss > LITTLE * self.total or saturated:
            return found
        for m in range(len(found.terms)):
            partial = found.residual + found.terms[m].fitted
            term = self._new_term(partial)
            if term is not None:
                terms = [*found.terms[:m], term, *found.terms[m + 1 :]]
                found = min(found, self._refitted(terms, partial - term.fitted), key=lambda end: end.rss)
        return found

    def _refitted(self, terms: list[RidgeTerm], residual: Floats, sweeps: int = 1) -> Pursuit:
        """Refit every term in turn on its partial residuals, at most so many times, until what is left settles."""
        terms, rss, moved, sweep = list(terms), self.rss(residual), 0.0, 0
        while sweep < sweeps:
            before, sweep = rss, sweep + 1
            for m, term in enumerate(terms):
                partial = residual + term.fitted
                terms[m] = self._turned(term, partial, rss)
                residual = partial - terms[m].fitted
                rss = min(rss, terms[m].rss)
            moved = self.moved(before, rss)
            if moved <= self.tol:
                break
        return Pursuit(terms, residual, self.rss(residual), moved, sweep)

    def _new_term(self, R: Floats) -> RidgeTerm | None:
        """Find the best new term on the residuals from several start directions."""
        beta = np.linalg.svd(np.sqrt(self.w)[:, None] * R, full_matrices=False)[2][0]
        rough = replace(self, smooth=cubic)
        tried = [rough._at(a, beta, R) for a in rough._starts(R @ beta)]
        best = min((term for term in tried if term is not None), key=lambda term: term.rss, default=None)
        for _ in range(4 if best is not None else 0):
            assert best is not None
            before, best = best.rss, rough._turned(best, R, best.rss)
            if self.moved(before, best.rss) <= self.tol:
                break
        return None if best is None else self._at(best.a, best.beta, R)

    def _starts(self, r: Floats) -> list[Floats]:
        """Return start directions: least squares, strongest curvatures (principal Hessian), the steepest axis."""
        weighted = self.Z.T * self.w
        linear = np.linalg.lstsq(weighted @ self.Z, weighted @ r, rcond=None)[0]
        curvature, V = np.linalg.eigh((weighted * (r - self.Z @ linear)) @ self.Z)
        bent = V[:, np.argsort(-np.abs(curvature), kind="stable")[:3]].T
        axis = np.eye(len(V))[np.argmax(np.abs(weighted @ r))]
        return [a / np.linalg.norm(a) for a in (linear, *bent, axis) if np.linalg.norm(a) > 0]

    def _at(self, a: Floats, beta: Floats, R: Floats) -> RidgeTerm | None:
        """Fit function and loadings along a direction to residuals R; None where the direction or function is empty."""
        t, w, W = self.Z @ a, self.w, self.W
        if not w @ t**2 > EMPTY**2 * W or not beta.any():
            return None
        y = R @ beta / float(beta @ beta)
        f, raw, slopes = self.smooth(t, y, w)
        shift = float(w @ raw / W)
        values = raw - shift
        scale = float(w @ values**2 / W) ** 0.5
        if not scale**2 > ROUND_OFF * float(w @ y**2 / W):  # to variance 1 it would be blown up
            return None
        values /= scale
        beta = (w * values) @ R / W
        return RidgeTerm(a, f, shift, 1.0 / scale, values, slopes / scale, beta, self.rss(R - values[:, None] * beta))

    def _turned(self, term: RidgeTerm, R: Floats, rss: float) -> RidgeTerm:
        """Return the term with another direction and function if that leaves less than rss, or itself."""
        again = self._at(self._direction(term, R, rss), term.beta, R)
        return again if again is not None and again.rss < rss * (1.0 - ROUND_OFF) else term

    def _direction(self, term: RidgeTerm, R: Floats, rss: float) -> Floats:
        """Return the direction after a Gauss–Newton step, or part of it, that suits the function as it is."""
        delta = self._gauss_newton(term, R)
        for k in range(3 if delta.any() else 0):
            a = term.a + delta * 0.5**k
            a = a / np.linalg.norm(a)
            values = term.factor * (term.function(self.Z @ a) - term.shift)
            if self.rss(R - values[:, None] * term.beta) < rss:
                return a
        return term.a

    def _gauss_newton(self, term: RidgeTerm, R: Floats) -> Floats:
        J = term.slopes[:, None] * self.Z
        J -= (J @ term.a)[:, None] * term.a  # a step along a only rescales the argument of f
        e = (R - term.fitted) @ term.beta / float(term.beta @ term.beta)
        weighted = J.T * self.w
        G = weighted @ J
        size = float(G.trace())
        if len(G) < 2 or not size > EMPTY**2 * float(self.w @ term.slopes**2):  # only round-off is left
            return np.zeros_like(term.a)
        G.flat[:: len(G) + 1] += 1e-3 * size / len(G)  # it keeps flat directions from flying off
        delta = np.linalg.solve(G, weighted @ e)
        return delta - term.a * float(term.a @ delta)


@stored("pursuit.OneResponse")
@dataclass(frozen=True)
class OneResponse:
    """A spline of one response as a function from array to array."""

    curve: Curve

    def __call__(self, x: Floats, derivative: bool = False) -> Floats:
        return self.curve(x, derivative)[:, 0]


def spline_smoother(df: float | None, cost: float) -> Smoother:
    """Return a smoother by cubic splines of fixed df (without the constant), or of least GCV if df is None."""

    def smooth(t: Floats, y: Floats, w: Floats) -> tuple[Function, Floats, Floats]:
        W = float(w.sum())
        mean = float(w @ y / W)
        s = SplineSmoother(t, w, max_knots=60)
        r = y - mean
        z, b = s.coordinates((w * r)[:, None])
        lam = np.inf
        if s.can_bend and df is None:
            straight = float(w @ r**2 - z @ z)
            lam, score = s.best_lam(straight, b[:, 0] ** 2, 0.0, W, cost, np.inf)
            lam = lam if score < gcv(straight, cost, W) else np.inf
        elif s.can_bend and df is not None and df > 1.0:
            lam = s.lam_for_df(df)
        curve = s.curve(lam, z, b)
        f = OneResponse(replace(curve, coef=curve.coef + mean))  # B-splines sum to one
        return f, f(t), f(t, derivative=True)

    return smooth


def cubic(t: Floats, y: Floats, w: Floats) -> tuple[Function, Floats, Floats]:
    """Fit a polynomial of third degree."""
    unit = float(np.abs(t).max())

    def powers(x: Floats) -> Floats:
        u = x / unit
        return np.array([np.ones_like(u), u, u * u, u * u * u])

    rows = powers(t)
    weighted = rows * w
    c = np.linalg.lstsq(weighted @ rows.T, weighted @ y, rcond=None)[0]
    slopes = (c[1:] * (1.0, 2.0, 3.0)) @ rows[:3] / unit
    return lambda x: c @ powers(x), c @ rows, slopes
