"""Projection pursuit regression: a few unknown functions of a few unknown directions, ŷ = ȳ + Σₘ βₘ fₘ(aₘᵀx).

References
----------
Friedman and Stuetzle (1981), Projection pursuit regression, JASA 76.
Friedman (1984), SMART user's guide, Stanford LCS technical report 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
from ._ppr import Function, Pursuit, Smoother, Term, pursue, spline_smoother, super_smoother
from .regressor import Floats, Regressor, warn_if_relative


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
    n_terms : int, default=3
        Terms in the final model.
    max_terms : int, optional
        Terms before pruning; n_terms + 2 if None.
    smoother : {"supersmoother", "spline"}, default="supersmoother"
        Friedman's supersmoother, or a cubic smoothing spline.
    span : float, optional
        Supersmoother: a fixed share of the rows per window; None chooses it locally by cross-validation.
    bass : float, default=0.0
        Supersmoother: 0 to 10, higher is smoother.
    df : float or "gcv", default=5
        Spline: degrees of freedom of each function, without the constant, or chosen by GCV.
    cost : float, default=2.0
        Spline with df="gcv": the price of one degree of freedom.
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
        Terms in the model; fewer than n_terms only if no direction tells anything about what is left.
    rss_ : float
        Residual sum of squares.
    rss_path_ : dict
        Residual sum of squares by number of terms, from max_terms down to n_terms.
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
        n_terms: int = 3,
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
            found = pursue(Z, Y - mean, w, smooth, int(self.n_terms), max_terms, tol, sweeps)
        self._warn_unsettled(found)
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
        check_number("n_terms", self.n_terms, 1, integer=True)
        max_terms = self.n_terms + 2 if self.max_terms is None else self.max_terms
        check_number("max_terms", max_terms, 1, integer=True)
        if max_terms < self.n_terms:
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
            return super_smoother(self.span, float(self.bass)), int(max_terms)
        df = None if isinstance(self.df, str) else float(self.df)
        return spline_smoother(df, float(self.cost)), int(max_terms)

    def _warn_unsettled(self, found: Pursuit) -> None:
        if found.moved > self.tol:
            what, advice = "the residual sum of squares", "Raise max_iter to go on."
            errors.warn(errors.not_converged(self.max_iter, what, found.moved, self.tol, advice))


def _ridge(term: Term, X: Floats, center: Floats, scale: Floats) -> tuple[Floats, RidgeFunction]:
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
