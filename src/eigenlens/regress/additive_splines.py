"""Additive model of smoothing splines, each feature out, straight or smooth: y = μ + Σⱼ fⱼ(xⱼ).

GCV = (RSS/W)/(1 − c·Σdf/W)², RSS summed over the responses (BRUTO). One sweep visits the features in order; each is
offered the partial residuals and chooses again between out (df 0), a line (df 1) and the smoothing spline whose λ
minimises the GCV of the **whole** model, with the other features fixed. Sweeps end when the GCV and the kinds settle.
Then the λ are held and plain backfitting goes on by the same rule towards the additive model they define.

References
----------
Hastie (1989), discussion of "Flexible parsimonious smoothing and additive modeling", Technometrics 31.
Hastie and Tibshirani (1990), Generalized Additive Models, section 9.4.
Hastie, Tibshirani and Buja (1994), Flexible discriminant analysis by optimal scoring.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..arrays import errors
from ..arrays.linalg import one_blas_thread
from ..arrays.parameters import check_number
from ..arrays.stored import stored
from ..arrays.summaries import Table, table
from ..arrays.typing import Array, ColumnLike, TableLike
from ..drawing import Display
from ..solve.linear_smoother import gcv
from .regressor import Floats, Regressor, warn_if_relative
from .smoothing_spline import SplineSmoother


@stored("AdditiveSplines")
class AdditiveSplines(Regressor):
    r"""Additive smoothing splines with automatic choice of features and smoothness (BRUTO).

    The model is :math:`\hat y = \mu + \sum_j f_j(x_j)`. Starting from the linear fit, each feature in turn
    sees the partial residuals and becomes out (df 0), linear (df 1) or a cubic smoothing spline, whichever
    minimises

    .. math:: \mathrm{GCV} = \frac{\mathrm{RSS}/W}{(1 - c \sum_j \mathrm{df}_j / W)^2}

    where W is the sum of the weights. Several responses share features and smoothness; RSS is then summed over
    them.

    Parameters
    ----------
    cost : float, default=2.0
        c, the price of one degree of freedom. 1 is ordinary GCV; 2 accounts for the choice among features.
    max_df : float or array of shape (n_features,), optional
        Largest number of degrees of freedom for each feature, without the constant: 1 allows a straight line, 0 keeps a
        feature out. With None, GCV decides.
    tol : float, default=1e-3
        Sweeps end when the GCV moves by less than this share. The fit solves the penalised least squares
        problem of the chosen smoothness to the same accuracy; with 1e-10 and a large max_iter, exactly.
    max_iter : int, default=20
        Largest number of sweeps that choose, and of backfitting sweeps after them.
    df : float or array of shape (n_features,), optional
        Degrees of freedom of each feature, without the constant, instead of a choice: 0 keeps it out, 1 is a straight
        line, more a curve, as near to them as its values allow.
    lam : float or array of shape (n_features,), optional
        λ of each feature instead, as in `lam_`: infinite is a straight line, NaN keeps it out.

    Attributes
    ----------
    kind_ : ndarray of str (n_features,)
        "out", "linear" or "smooth".
    df_ : ndarray (n_features,)
        Effective degrees of freedom of each feature, without the constant: the trace of its smoother minus one.
    lam_ : ndarray (n_features,)
        λ of Σw(r − f)² + λ∫f″² on the feature scaled to [0, 1]; infinite if linear, NaN if out.
    gcv_, rss_ : float
        Of the final fit.
    gcv_path_ : ndarray (n_iter_,)
        GCV after each sweep of the search; with df or lam that of the start.
    intercept_ : ndarray (n_outputs,)
        μ, the weighted mean of the response: every fⱼ has weighted mean zero.
    curves_ : list
        fⱼ as a function of an array, with `derivative=True` for its slope; None if out.
    n_iter_ : int
        Sweeps of the search.

    See Also
    --------
    eigenlens.regress.AdaptiveSplines : Products of hinges (MARS).
    eigenlens.regress.PenalizedRegression : A line with a quadratic penalty.
    FDA : Boundaries that bend.

    References
    ----------
    Hastie and Tibshirani (1990), Generalized Additive Models, section 9.4.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.regress import AdditiveSplines
    >>> rng = np.random.default_rng(1)
    >>> X = rng.uniform(-2, 2, size=(300, 4))
    >>> y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.2 * rng.normal(size=300)
    >>> model = AdditiveSplines().fit(X, y)
    >>> print(*model.kind_)
    smooth linear out out
    >>> parts = model.partial(X)
    >>> bool(np.allclose(model.intercept_ + parts.sum(axis=1), model.predict(X)))
    True
    """

    kind_: Array
    df_: Array
    lam_: Array
    gcv_: float
    rss_: float
    gcv_path_: Array
    intercept_: Array
    curves_: list[Any]
    n_iter_: int

    #: Given the smoothness chosen, fits are S y with a symmetric S, up to where the iteration ends (see `scoring`).
    symmetric_smoother = True

    _x_reach = 300.0  # features are scaled before they are multiplied

    def __init__(
        self,
        cost: float = 2.0,
        max_df: float | ArrayLike | None = None,
        tol: float = 1e-3,
        max_iter: int = 20,
        *,
        df: float | ArrayLike | None = None,
        lam: float | ArrayLike | None = None,
    ) -> None:
        self.cost = cost
        self.max_df = max_df
        self.tol = tol
        self.max_iter = max_iter
        self.df = df
        self.lam = lam

    def _fit(self, X: Floats, Y: Floats, w: Floats) -> None:
        check_number("cost", self.cost, 0.0)
        check_number("tol", self.tol, 0.0)
        check_number("max_iter", self.max_iter, 1, integer=True)
        max_df = _check_max_df(self.max_df, X.shape[1])
        if sum(value is not None for value in (self.max_df, self.df, self.lam)) > 1:
            raise errors.InputError("max_df, df and lam all say how smooth the features are; pass one of them.")
        held = _read_held(self.df, self.lam, X.shape[1])
        warn_if_relative(w)
        mean = w @ Y / w.sum()
        with one_blas_thread():
            model = _AdditiveModel(X, Y - mean, w, float(self.cost), max_df)
            if held is None:
                path = model.choose(float(self.tol), int(self.max_iter))
            else:
                path = model.hold(held, self.lam is None)
            moved = max(_moved(path) if len(path) > 1 else 0.0, model.backfit(float(self.tol), int(self.max_iter)))
        if moved > self.tol:
            advice = "Strongly related features do that; raise max_iter to go on."
            errors.warn(errors.not_converged(self.max_iter, "the GCV", moved, self.tol, advice))
        parts = model.components
        self.kind_ = np.array([c.kind for c in parts])
        self.df_ = np.array([c.df for c in parts])
        self.lam_ = np.array([np.nan if c.kind == "out" else c.lam for c in parts])
        self.gcv_, self.rss_ = model.gcv(0.0), model.rss()
        self.gcv_path_ = np.array(path)
        self.intercept_ = mean
        self.curves_ = [None if c.kind == "out" else c.smoother.curve(c.lam, c.z, c.b) for c in parts]
        self.n_iter_ = len(path)

    def _facts(self) -> Iterator[str]:
        kinds = [f"{np.sum(self.kind_ == kind)} {kind}" for kind in ("smooth", "linear", "out")]
        yield f"Features: {', '.join(kinds)}. GCV {self.gcv_:.4g}, RSS {self.rss_:.4g}."

    def _tables(self) -> Iterator[tuple[str, Table]]:
        rows = [f"{name} ({kind})" for name, kind in zip(self._feature_names(), self.kind_, strict=True)]
        yield "features", table("Features", {"degrees of freedom": self.df_, "λ": self.lam_}, rows)

    def _predict(self, X: Floats) -> Floats:
        return self._parts(X).sum(axis=1) + self.intercept_

    def partial(self, X: TableLike) -> Array:
        """Return the contributions fⱼ(xⱼ), which with μ sum to the prediction.

        Beyond the range seen in fit each fⱼ continues as a straight line.

        Parameters
        ----------
        X : array of shape (n, p)

        Returns
        -------
        array of shape (n, p), or (n, p, q) if y had two dimensions
        """
        rows, given_back = self._read_rows(X)
        return given_back(self._shaped(self._parts(rows)))

    def plot(
        self,
        X: TableLike | None = None,
        y: ColumnLike | None = None,
        *,
        features: Sequence[int | str] | None = None,
        response: int = 0,
        axes: Any = None,
    ) -> Display:
        """Draw fⱼ over its range, one panel per feature, with its kind and df.

        Parameters
        ----------
        X, y : table and responses, optional
            If given, the partial residuals of these rows are drawn behind the curves.
        features : sequence of positions or names, optional
            All features in the model by default.
        response : int
            Which response, if there are several.
        axes : sequence of matplotlib axes, optional
            One per panel; made if not given.

        Returns
        -------
        display
            With `axes_` (one for each panel), `ax_` and `figure_`.
        """
        from .figures import Residuals, plot_partials

        check_is_fitted(self)
        return plot_partials(self, features, Residuals(self, X, y, response), response, axes)

    def _parts(self, X: Floats) -> Floats:
        out = np.zeros((*X.shape, self.intercept_.size))
        for j, curve in enumerate(self.curves_):
            if curve is not None:
                out[:, j] = curve(X[:, j])
        return out


@dataclass
class _Component:
    """One feature of the additive model: its smoother, what it chose, and its current fit."""

    smoother: Any  # a SplineSmoother, or None for a constant feature
    max_df: float
    values: Floats
    z: Floats
    b: Floats
    kind: str = "out"
    lam: float = np.inf
    df: float = 0.0

    def refit(self, z: Floats, b: Floats) -> None:
        """Take new coordinates and the values they give."""
        self.z, self.b = z, b
        self.values = 0.0 * self.values if self.kind == "out" else self.smoother.fit_values(self.lam, z, b)


class _AdditiveModel:
    """The components, and what they leave of the centred responses Y (n×q)."""

    def __init__(self, X: Floats, Y: Floats, w: Floats, cost: float, max_df: Floats) -> None:
        self.w, self.cost, self.W, self.residual = w, cost, float(w.sum()), Y
        self.floor = 1e-14 * self.rss()  # below it residual sums are round-off, on which no choice may rest
        self.components = []
        for x, most in zip(X.T, max_df, strict=True):
            s = SplineSmoother(x, w) if x.max() > x.min() else None
            b = np.zeros((0 if s is None else s.seen.size, Y.shape[1]))
            self.components.append(_Component(s, most, np.zeros_like(Y), np.zeros(Y.shape[1]), b))
        self.live = [c for c in self.components if c.smoother is not None]
        if self.live and cost * len(self.live) < self.W:  # else GCV could not afford the linear fit
            L, root = np.column_stack([c.smoother.line for c in self.live]), np.sqrt(w)[:, None]
            z = np.linalg.lstsq(root * L, root * Y, rcond=None)[0]
            for c, own in zip(self.live, z, strict=True):
                c.kind, c.df = "linear", 1.0
                c.refit(own, c.b)
            self.residual = Y - L @ z

    def rss(self) -> float:
        return float(np.sum(self.w[:, None] * self.residual**2))

    def gcv(self, floor: float) -> float:
        return float(gcv(max(self.rss(), floor), self.cost * sum(c.df for c in self.components), self.W))

    def choose(self, tol: float, max_iter: int) -> list[float]:
        """Let the features choose in turn until the GCV and the kinds settle; return the GCV after each sweep."""
        path: list[float] = []
        for _ in range(max_iter):
            kinds = [c.kind for c in self.live]
            for c in self.live:
                self._choose(c)
            path.append(self.gcv(self.floor))
            if _moved(path) <= tol and kinds == [c.kind for c in self.live]:
                break
        return path

    def hold(self, values: Floats, are_df: bool) -> list[float]:
        """Give each feature its degrees of freedom or its λ; return the GCV."""
        for c, lam in zip(self.components, values, strict=True):
            if c.smoother is None:
                continue
            if are_df:
                lam = np.nan if lam == 0 else np.inf if lam == 1 else c.smoother.lam_for_df(lam)
            bends = np.isfinite(lam) and c.smoother.can_bend
            c.kind = "out" if np.isnan(lam) else "smooth" if bends else "linear"
            c.lam = float(lam) if bends else np.inf
            c.df = 0.0 if c.kind == "out" else c.smoother.df(c.lam)
            partial = self.residual + c.values
            c.refit(*c.smoother.coordinates(self.w[:, None] * partial))
            self.residual = partial - c.values
        return [self.gcv(self.floor)]

    def backfit(self, tol: float, max_iter: int) -> float:
        """Refit the features with the λ that they have until the fit settles; return how far the last sweep moved."""
        path = [max(self.rss(), self.floor)]
        for _ in range(max_iter):
            for c in self.live:
                if c.kind != "out":
                    partial = self.residual + c.values
                    c.refit(*c.smoother.coordinates(self.w[:, None] * partial))
                    self.residual = partial - c.values
            path.append(max(self.rss(), self.floor))
            if _moved(path) <= tol:
                break
        return _moved(path)

    def _choose(self, c: _Component) -> None:
        """Let one feature choose its kind and λ on the partial residuals; the simpler kind wins a tie."""
        partial = self.residual + c.values
        weighted = self.w[:, None] * partial
        rss = float(np.sum(weighted * partial))
        z, b = c.smoother.coordinates(weighted)
        straight = rss - float(z @ z)
        before = sum(other.df for other in self.components if other is not c)
        c.kind, c.lam, c.df, best = "out", np.inf, 0.0, gcv(max(rss, self.floor), self.cost * before, self.W)
        if c.max_df >= 1.0:
            score = gcv(max(straight, self.floor), self.cost * (before + 1.0), self.W)
            if score < best:
                c.kind, c.df, best = "linear", 1.0, score
        if c.smoother.can_bend and c.max_df > 1.0:
            b2 = np.sum(b**2, axis=1)
            lam, score = c.smoother.best_lam(straight, b2, before, self.W, self.cost, c.max_df, self.floor)
            if score < best:
                c.kind, c.lam, c.df = "smooth", lam, c.smoother.df(lam)
        c.refit(z, b)
        self.residual = partial - c.values


def _moved(path: list[float]) -> float:
    """Return the relative change of the last step; a path of zeros has arrived."""
    if len(path) < 2:
        return np.inf
    return abs(path[-1] - path[-2]) / path[-1] if path[-1] > 0 else 0.0


def _read_held(df: Any, lam: Any, p: int) -> Floats | None:
    """Read degrees of freedom or λ, one number or one for each feature."""
    if df is None and lam is None:
        return None
    name, value = ("df", df) if lam is None else ("lam", lam)
    try:
        held = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        held = np.empty(0)
    right = np.isfinite(held) & ((held == 0) | (held >= 1)) if lam is None else ~(held < 0)
    if held.shape not in ((), (p,)) or not right.all():
        rule = "0, 1 or more" if lam is None else "at least 0, infinite for a line and NaN to leave it out"
        raise errors.InputError(f"{name}={value!r} but {name} must be one number or one per feature ({p}): {rule}.")
    return np.broadcast_to(held, (p,))


def _check_max_df(max_df: Any, p: int) -> Floats:
    if max_df is None:
        return np.full(p, np.inf)
    if np.ndim(max_df) == 0:
        check_number("max_df", max_df, 0.0)
        return np.full(p, float(max_df))
    try:
        values = np.asarray(max_df, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (p,) or not np.all(values >= 0):
        raise errors.InputError(
            f"max_df={max_df!r} but max_df must be one number ≥ 0 or one per feature ({p}); use max_df=None "
            f"to leave it to GCV"
        )
    return values
