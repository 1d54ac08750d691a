r"""Penalised discriminant analysis: linear discriminants whose coefficients pay for roughness.

Maximise :math:`v^T B v` subject to

.. math:: V^T (T_W + \lambda \Omega) V / (W - K) = I,

the class means against the within-class scatter plus a penalty. It is optimal scoring with the smoother
:math:`S_\lambda = H (H^T H + \lambda \Omega)^{-1} H^T`; λ is chosen by its value, by its effective degrees of freedom
:math:`\mathrm{df} = \mathrm{tr} S_\lambda - 1`, or by

.. math:: \mathrm{GCV}(\lambda) = \frac{\mathrm{RSS}(\lambda) / W}{(1 - (1 + c\, \mathrm{df}) / W)^2},

all of it from the moments of one pass.

References
----------
Hastie, Buja, Tibshirani (1995), Penalized discriminant analysis, Annals of Statistics 23.
Hastie, Tibshirani, Friedman (2009), The Elements of Statistical Learning, section 12.6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.parameters import check_choice, check_count, check_number
from ..arrays.stored import stored
from ..arrays.typing import Array, Priors
from ..inference.canonical import PenaltyRule
from ..moments import Centred, Grouped
from ..regress.optimal_scoring import contrasts
from ..regress.penalized import PenalizedRegression
from ..regress.penalties import penalty_root
from ..solve import Form, Pencil, Spectrum
from ..solve.few_rows import dual_basis
from ..solve.linear_smoother import LinearSmoother, Path
from ..solve.subspace import Subspace
from .classifier import between_form, class_priors, refuse_alike, refuse_separating, spread_within
from .discriminant import DiscriminantProblem, LinearDiscriminant
from .spine.about import Declaration, DirectionTest, Laws, basis_of
from .spine.canonical_tests import cost_of_classes
from .spine.chosen import Validated, penalties
from .spine.rows_estimator import Known

NOISE = 1e-10  # the share of a direction that rows see, below which they see rounding


@dataclass(frozen=True, eq=False)
class PenalizedProblem(DiscriminantProblem):
    """Class means against a penalised metric, in the coordinates of a basis.

    Attributes
    ----------
    basis : array of shape (p, q) or None
        None is the columns themselves.
    path : Path
    lam : float
        In the units of the moments.
    model : PDA
        Says what the penalty is and how λ is chosen.
    """

    basis: Array | None = None
    path: Any = None
    lam: float = 0.0
    model: Any = None

    metric_advice = "Neither the rows nor the penalty determine them; a ridge penalty does."

    @property
    def sphered_later(self) -> bool:  # type: ignore[override]
        return self.basis is not None

    def directions(self, vectors: Array, unit: Array | None = None) -> Array:
        return super().directions(
            vectors if self.basis is None else namespaces.like(self.basis, vectors) @ vectors, unit
        )

    def with_penalty(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray | PenaltyRule | None]:
        if not self.penalised_by:
            return X, None
        model, p = self.model, X.shape[1]
        X = (X - X.mean(axis=0)) / float(self.centred.unit[0])
        scale = model._over_spread(self.centred)
        X = X if scale is None else X * scale
        root = None if model._is_ridge and len(X) < p else penalty_root(model._penalty, p)
        if len(X) < p:
            _, root, X = dual_basis(X, root)
        assert root is not None
        if model.df is None and not isinstance(model._value("lam"), str):
            return X, self.lam * (root.T @ root)
        return X, self._chosen_again(root, float(len(X)))

    def _chosen_again(self, root: np.ndarray, W: float) -> PenaltyRule:
        """Return how λ is chosen for permuted rows, with the penalty given by its root."""

        def of_sums(S: np.ndarray, M: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
            L = root @ M
            smoother, penalty = LinearSmoother.of_products(S, L, W), L.T @ L

            def of_products(G: np.ndarray) -> np.ndarray:
                return self.model._choose(smoother.path(G, float(G.shape[1])), 1.0) * penalty

            return of_products

        return of_sums


@dataclass(frozen=True, eq=False)
class _AllPenalties:
    """A basis (p, q), or None for the columns themselves, and in it: the root of Ω, T_W, and the path of all λ."""

    basis: np.ndarray | None
    root: np.ndarray
    within: Form
    path: Path


@stored("PDA")
class PDA(LinearDiscriminant):
    """Penalised discriminant analysis: a classifier, and a transformer to the discriminant coordinates.

    Parameters
    ----------
    n_components : int or None
        Rank of the rule, at most min(p, K − 1), which is the default.
    penalty : {"ridge", "diagonal", "smooth", "cyclic", "bspline"}, pair (rows, columns) or array of shape (p, p)
        Ω: size of the coefficients; their size on columns of unit variance within classes, so units do not matter,
        Ω = diag(T_W)/W; second differences along ordered columns, or around a circle; curvature of a spline
        whose coefficients they are; differences of neighbours on a grid of pixels, in row-major order; or a matrix.
    lam : "gcv", "cv" or float
        λ on sums, T_W + λΩ. 0 is LDA. "cv" chooses the value that predicts the classes of unseen rows best (accuracy,
        then log-loss, five folds), in two passes.
    df : float, optional
        Effective degrees of freedom of the score regression, without the intercept; use it instead of `lam`.
    cost : float
        The price of a degree of freedom in GCV; 2 or 3 give smoother coefficients.
    priors : array of shape (K,) or dict of class to number, optional
        Class probabilities, in the order of `classes_` or by label; by default the shares of the classes.
    missing : {"refuse", "ml"}
        How to treat NaN in X: raise an error, or treat it as an unobserved cell and estimate means and covariance by
        maximum likelihood. Cells must be missing at random. A row with NaN then has posteriors from the densities of
        its observed cells, and scores Σ_k P(k | observed) E[z | observed, k].

    Attributes
    ----------
    classes_, priors_, means_, mean_ : arrays
        As in `LDA`.
    scalings_ : array of shape (p, k)
        Discriminant directions as columns, which can be drawn as signals or images.
    scores_ : array of shape (K, k)
        Optimal scores of the classes.
    canonical_correlations_ : array of shape (k,)
        α, between the scores and their fits.
    asr_ : float
        Average squared residual of the scores, Σ(1 − α²); with a penalty it includes what that costs.
    centroids_ : array of shape (K, k)
        Class means in discriminant coordinates.
    explained_variance_ratio_ : array of shape (k,)
    coef_, intercept_ : arrays
        The rule in the units of X.
    regressor_ : PenalizedRegression
        As in `FDA`: it predicts K − 1 contrasts of the classes, and the coordinates are combinations of these.
    lam_, df_ : float
        The penalty used and its effective degrees of freedom.
    gcv_path_ : array of shape (m, 3)
        λ, df and GCV along the path.
    cv_path_ : array of shape (m, 3)
        With `lam="cv"`: the values tried, with their mean scores and standard errors.
    structure_, structure_within_ : arrays of shape (p, k)
        Correlations of the columns with the scores, over all rows and within classes.
    covariance_ : array of shape (p, p)
        The within-class covariance, without the penalty.
    log_likelihood_ : float
        With `missing="ml"`: log-likelihood of the observed cells.
    moments_ : Grouped
        What the pass collected; `moments_.merge(other)` joins fits on different rows.
    subspace_ : Subspace
    spectrum_ : Spectrum

    See Also
    --------
    LDA : Classes with one covariance.
    FDA : Boundaries that bend.
    eigenlens.regress.PenalizedRegression : A line with a quadratic penalty.
    eigenlens.validation.cross_validate : Scores of settings on rows left out.

    Notes
    -----
    Penalties other than "diagonal" depend on the units of the columns: use it where columns are of different kinds.

    Examples
    --------
    >>> from eigenlens import LDA, PDA
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> pda = PDA(penalty=(8, 8)).fit(X[:900], y[:900])
    >>> pda.gcv_path_.shape, bool(pda.df_ < 64)
    ((121, 3), True)
    >>> sharper = PDA(penalty=(8, 8), df=20).fit_moments(pda.moments_)       # the rows are not read again
    >>> round(sharper.df_, 6)
    20.0
    """

    means_: Array
    mean_: Array
    scalings_: Array
    scores_: Array
    canonical_correlations_: Array
    asr_: float
    explained_variance_ratio_: Array
    coef_: Array
    intercept_: Array
    regressor_: PenalizedRegression
    lam_: float
    df_: float
    gcv_path_: Array
    cv_path_: Array
    subspace_: Subspace

    _declaration = Declaration(
        question="classes",
        name="pda",
        place=2,
        use="many columns, or columns in order (signals, images): coefficients are smoothed",
        test=DirectionTest(cost_of_classes),
        compared_as="PDA",
        advantage="less variable coefficients",
        takes_few_rows=True,
        display="discriminant",
        linear_map=basis_of,
    )

    def __init__(
        self,
        n_components: int | None = None,
        *,
        penalty: Literal["ridge", "diagonal", "smooth", "cyclic", "bspline"] | tuple[Any, Any] | Array = "ridge",
        lam: float | Literal["gcv", "cv"] = "gcv",
        df: float | None = None,
        cost: float = 1.0,
        priors: Priors | None = None,
        missing: Literal["refuse", "ml"] = "refuse",
    ) -> None:
        self.n_components = n_components
        self.penalty = penalty
        self.lam = lam
        self.df = df
        self.cost = cost
        self.priors = priors
        self.missing = missing

    def _facts(self) -> Iterator[str]:
        yield from super()._facts()
        yield f"Penalty: λ = {self.lam_:.4g}, {self.df_:.4g} degrees of freedom."
        yield f"Average squared residual of the scores: {self.asr_:.4g}."

    def _obeys(self) -> Laws:
        if self.df is None and not isinstance(self.lam, str) and self.lam == 0:
            return Laws(invariance="linear")
        if self._is_diagonal:
            return Laws(invariance="units", solves_pencil=False)
        return Laws(invariance="rotation" if self._is_ridge else "none")

    _units_advice = "Use penalty='diagonal'"

    _validated = Validated("lam", 1.0, penalties, "accuracy first")

    # -- moments, problem, attributes, parameters ----------------------------------------------------------------

    def _moments(self, kind: type[Centred]) -> Grouped:
        return Grouped(kind)

    def _pose(self, moments: Grouped) -> PenalizedProblem:
        moments, weights = self._require_classes(moments)
        priors = class_priors(self._given_priors, weights, moments.labels)
        names = getattr(self, "feature_names_in_", None)
        K, p = len(weights), moments.n_features
        k, divisor = self._wanted(K, p), moments.weight - K
        within = moments.within().uniform()[0]
        free = self.df is None and self._value("lam") == 0  # LDA, which knows no units
        constant = within.constant_columns()
        refuse_separating(within, constant, names) if free else refuse_alike(within, constant)
        between = between_form(within, priors)
        key = free, id(self.penalty)  # of models that are all there while they are compared
        along = self._once(key, lambda: self._all_penalties(moments, within, free))
        unit = self._unit(within)
        lam = self._choose(along.path, unit)
        pencil = Pencil(
            between if along.basis is None else between.seen_through(namespaces.like(along.basis, within.shift)),
            (along.within if lam == 0 else _plus(along.within, lam, along.root)).times(1.0 / divisor),
            n_components=k,
            constant=constant if free else None,
            most=max(1, min(p, within.n_rows - K)) if free else None,
        )
        by = f"lam={lam * unit * unit:.3g}" if lam else ""
        return PenalizedProblem(
            *(pencil, moments, within, names, self.n_components, priors, priors, divisor, by),
            *(along.basis, along.path, lam, self),
        )

    def _all_penalties(self, moments: Grouped, within: Centred, free: bool) -> _AllPenalties:
        """Return what no λ changes."""
        p, shift, form = moments.n_features, namespaces.to_numpy(within.shift), Form.of(within, 1.0)
        scale = self._over_spread(within)
        if scale is not None:
            form, shift = form.column_scaled(namespaces.like(scale, within.shift)), shift * scale
        basis, n = None, len(shift)
        if free:
            root = np.zeros((0, p))
        elif form.factor is None or form.factor.shape[0] + n >= p:
            root = penalty_root(self._penalty, p)
        else:
            rows = np.vstack([namespaces.to_numpy(form.factor), shift])
            basis, root, rows = dual_basis(rows, None if self._is_ridge else penalty_root(self._penalty, p))
            shift = rows[-n:]
            form = Form(factor=namespaces.like(rows[:-n], within.shift), squared=within.squared)
        if scale is not None:
            basis = np.diag(scale) if basis is None else scale[:, None] * basis
        means = shift - moments.weights / moments.weight @ shift
        return _AllPenalties(basis, root, form, path_of_scores(_on_host(form), means, moments.weights, root))

    def _present(self, problem: Any, spectrum: Spectrum) -> None:
        super()._present(problem, spectrum)
        within, divisor, moments = problem.centred, problem.divisor, problem.moments
        kept, dtype, unit = self.spectrum_, within.dtype, self._unit(within)
        xp = namespaces.namespace(within.shift)
        ratios = kept.values * (moments.weight / divisor)
        shares = namespaces.like(problem.shares, within.shift)
        assert kept.left is not None
        self.scores_ = namespaces.cast(kept.left / xp.sqrt(shares)[:, None], dtype)
        self.canonical_correlations_ = namespaces.cast(xp.sqrt(ratios / (1.0 + ratios)), dtype)
        self.asr_ = float(xp.sum(1.0 / (1.0 + ratios)))
        self._lam, self.df_ = float(problem.lam), float(problem.path.smoother.df(problem.lam))
        self.gcv_path_ = problem.path.table(float(self.cost))
        with np.errstate(over="ignore", under="ignore"):
            self.lam_ = float(np.float64(self._lam) * unit * unit)
            self.gcv_path_[:, 0] *= unit
            self.gcv_path_[:, 0] *= unit
        if self._lam > 0 and not 0 < self.lam_ < np.inf:
            errors.warn(
                errors.not_representable("lam_", "float64", "the rule is right; rescale the columns to get it.")
            )
        self.regressor_ = self._regression(problem, float(within.unit[0]))

    def _check_parameters(self, known: Known | None = None) -> None:
        if known is not None:
            self._check_known(known)
            if not self._is_ridge:
                penalty_root(self._penalty, known.n_features)
            return
        check_count(self.n_components)
        check_number("cost", self.cost, 0.0)
        check_choice("missing", self.missing, self._modes)
        if isinstance(self.lam, str):
            check_choice("lam", self.lam, ("gcv", "cv"))
            if self.lam == "cv" and self.df is not None:
                raise errors.InputError(f"lam='cv' and df={self.df!r} both decide; leave one of them out.")
        else:
            check_number("lam", self.lam, 0.0)
            if self.df is not None:
                raise errors.InputError(
                    f"lam={self.lam!r} and df={self.df!r} are both given, but one decides; leave one of them out."
                )
        if self.df is not None:
            check_number("df", self.df, 0.0, above=True)

    def _has_left_out(self) -> bool:
        chosen = self.df is not None or isinstance(self.lam, str) or self._is_diagonal  # again for the other rows
        return not chosen and super()._has_left_out()

    # -- the penalty ---------------------------------------------------------------------------------------------

    @property
    def _is_diagonal(self) -> bool:
        return isinstance(self.penalty, str) and self.penalty == "diagonal"

    @property
    def _penalty(self) -> Any:
        """The penalty of columns that were divided by their spread, where the diagonal one asks for that."""
        return "ridge" if self._is_diagonal else self.penalty

    @property
    def _is_ridge(self) -> bool:
        return isinstance(self._penalty, str) and self._penalty == "ridge"

    def _over_spread(self, within: Centred) -> np.ndarray | None:
        """Return what brings columns to unit spread within classes, where the penalty is that of such columns."""
        if not self._is_diagonal:
            return None
        return np.asarray(1.0 / namespaces.to_numpy(spread_within(within, within.weight)))

    def _unit(self, within: Centred) -> float:
        """Return the unit of the columns that the penalty knows."""
        return 1.0 if self._is_diagonal else float(within.unit[0])

    def _choose(self, path: Path, unit: float) -> float:
        """Return λ in the units of the moments; `unit` is that of their columns."""
        if self.df is not None:
            return path.smoother.lam_for(float(self.df))
        lam = self._value("lam")
        return path.best(float(self.cost)) if isinstance(lam, str) else float(lam) / unit / unit

    def _regression(self, problem: PenalizedProblem, unit: float) -> PenalizedRegression:
        """Return the regression of contrasts of the classes on X that these moments hold."""
        moments, path, lam = problem.moments, problem.path, problem.lam
        mean = moments.weights / moments.weight @ namespaces.to_numpy(moments.within().means)
        B = path.coef(lam)
        B = (B if problem.basis is None else problem.basis @ B) / unit
        penalty: Any = self.penalty
        scale = self._over_spread(problem.centred)
        if scale is not None:
            penalty = np.diag((unit / scale) ** 2)
        regression = PenalizedRegression(penalty, lam=self.lam_, cost=self.cost)
        return regression.from_coefficients(B, mean, self.df_, float(path.gcv(lam, self.cost)), self.gcv_path_)


def path_of_scores(within: Form, means: np.ndarray, weights: np.ndarray, root: np.ndarray) -> Path:
    """Return the path of a penalised regression of class scores on the columns.

    Class scores do not vary within classes. So the regression of n rows is that of the rows of a within-class factor,
    whose response is 0, and of one row √W_k(m_k − m) for each class, whose response is √W_k times its scores.

    Parameters
    ----------
    within : Form
        Within-class sum of squares T_W.
    means : array of shape (K, p)
        Class means about their weighted mean.
    weights : array of shape (K,)
    root : array of shape (m, p)
        L with LᵀL = Ω.
    """
    W, each = float(weights.sum()), np.sqrt(weights)[:, None]
    shift, wanted = each * means, each * contrasts(weights / W)
    if within.factor is None:
        smoother = LinearSmoother.of_products(within.matrix + shift.T @ shift, root, W)
        return smoother.path(shift.T @ wanted, W * (len(weights) - 1))
    responses = np.vstack([np.zeros((len(within.factor), wanted.shape[1])), wanted])
    return Path.of_rows(np.vstack([within.factor, shift]), responses, root, W, noise=NOISE)


def _on_host(form: Form) -> Form:
    if form.factor is None:
        return Form(matrix=namespaces.to_numpy(form.matrix))
    return Form(factor=namespaces.to_numpy(form.factor), squared=form.squared)


def _plus(form: Form, lam: float, root: np.ndarray) -> Form:
    """Return the form plus λLᵀL."""
    xp = namespaces.namespace(form.values)
    if form.factor is None:
        return Form(matrix=form.matrix + namespaces.like(lam * (root.T @ root), form.matrix))
    return Form(
        factor=xp.concat([form.factor, namespaces.like(np.sqrt(lam) * root, form.factor)], axis=0), squared=form.squared
    )
