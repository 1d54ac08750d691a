r"""Principal component analysis.

The affine subspace of least squared error: the leading eigenvectors of the covariance

.. math:: \Sigma = T / (W - \mathrm{ddof}), \qquad T = \sum_i w_i (x_i - m)(x_i - m)^T .

References
----------
Pearson (1901), On lines and planes of closest fit. Tipping, Bishop (1999), Probabilistic principal component analysis.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal

import numpy as np

from ..arrays import errors, exponents, namespaces
from ..arrays.parameters import check_choice, check_flag, check_number, is_number
from ..arrays.stored import stored
from ..arrays.typing import Array, TableLike
from ..moments import Centred, Factor, Moments, Outline, products
from ..rows import Source
from ..rows.labels import are_shares
from ..solve import Form, Pencil, Spectrum
from ..solve.strategy import road_of
from ..solve.subspace import Subspace
from ..validation.downdates import press, scatter_axes
from ._principal import standardised
from ._spread_problem import SpreadProblem, shared_directions, warn_of_range, warn_of_units
from .probabilistic import ProbabilisticComponents
from .rotation import RotatesComponents
from .row_diagnosis import Diagnosis, diagnosed
from .spine.about import Declaration, DirectionTest, Laws, NextMethod, Spread
from .spine.chosen import Validated, counts
from .spine.component_tests import RULES, at_least_one, cost_of_permuted, squared_spreads
from .spine.missing import TakesHoles, in_units_of_data
from .spine.patterns import law_of
from .spine.rows_estimator import Known

SOLVERS = ("auto", "dense", "lanczos", "randomized")
LEADING = 20  # columns for each component from which on the others are not decomposed


@stored("PCA")
class PCA(TakesHoles[Moments], RotatesComponents, ProbabilisticComponents):
    """Principal component analysis, exact at any offset, from one pass over the rows.

    Parameters
    ----------
    n_components : int, float, {"mle", "parallel", "mp", "auto", "cv"} or None
        How many directions to keep: a number; a share of the variance, in (0, 1]; "mle", Minka's evidence; "parallel",
        Horn's parallel analysis; "mp", those above the Marchenko–Pastur edge of noise; "auto", as many as
        `test_dimension(X)` finds that the columns share, and at least one, in two passes (moments alone are tested
        against normal noise); "cv", the smallest number within one standard error of the largest likelihood of unseen
        rows (probabilistic PCA, five folds), in two passes. None keeps all that have variance. "auto" is for columns
        that each have noise of their own; "mp", "mle" and "cv" assume noise of equal variance in all of them and keep
        too many where it differs. A rule that finds none keeps one, with a `RankWarning`.
    ddof : float
        The covariance has the divisor W − ddof; 0 gives the maximum likelihood estimate.
    scale : bool
        Divide columns by their standard deviations, which are kept in `scale_`: components are those of the correlation
        matrix. `transform` takes rows in the units of X, and `inverse_transform` returns them in these units.
    whiten : bool
        Give scores unit variance.
    solver : {"auto", "dense", "lanczos", "randomized"}
        "auto" chooses among exact solvers (`eigenlens.solve.choose_solver` shows which, and why); "randomized" is
        approximate and reports its residual in `spectrum_.residual`.
    missing : {"refuse", "ml", "ppca"}
        How to treat NaN in X: raise an error; treat it as an unobserved cell and estimate the covariance by maximum
        likelihood; or do so under probabilistic PCA with `n_components` directions, if there are too many columns for
        the number of rows. Cells must be missing at random. Rows with NaN then have scores too: their expectation given
        the observed cells.

    Attributes
    ----------
    components_ : array of shape (k, p)
        Orthonormal directions as rows; in each, the largest entry in absolute value is positive.
    explained_variance_, explained_variance_ratio_ : arrays of shape (k,)
        Eigenvalues of the covariance, and their share of the total variance.
    singular_values_ : array of shape (k,)
        Of the centred (and weighted) data.
    mean_ : array of shape (p,)
    scale_ : array of shape (p,)
        With `scale=True`: the standard deviations by which columns are divided, 1 for constant columns. Components and
        variances are those of the divided columns.
    structure_ : array of shape (p, k)
        Correlations of the columns with the scores.
    noise_variance_ : float
        Mean variance of the directions that were not kept.
    n_components_ : int
    cv_path_ : array of shape (m, 3)
        With `n_components="cv"`: numbers that were tried, with their mean score and standard error.
    covariance_ : array of shape (p, p)
        With `missing`: the covariance (divisor W − ddof).
    log_likelihood_ : float
        With `missing`: log-likelihood of the observed cells.
    moments_ : Scatter, Factor or Patterns
        What the pass collected; `moments_.merge(other)` joins fits on different rows.
    subspace_ : Subspace
        Centre and basis, with all their digits.
    spectrum_ : Spectrum
        The solved problem: values, condition, solver, residual.

    See Also
    --------
    SparsePCA : Components with few nonzero loadings.
    RobustPCA : Low rank plus gross errors.
    KernelPCA : Components of curved data.
    MixedPCA : Components of tables with words.
    eigenlens.inference.bootstrap : Intervals of loadings, and angles of the subspace.

    Examples
    --------
    >>> from eigenlens import PCA
    >>> from sklearn.datasets import load_iris
    >>> pca = PCA(2).fit(load_iris().data)
    >>> pca.explained_variance_ratio_.round(4)
    array([0.9246, 0.0531])
    """

    explained_variance_: Array
    explained_variance_ratio_: Array
    singular_values_: Array
    mean_: Array
    cv_path_: Array
    covariance_: Array
    subspace_: Subspace

    _declaration = Declaration(
        question="none",
        name="pca",
        place=0,
        use="the directions of largest spread; the first look at any table",
        directions=lambda n, p, excess: max(min(n - 1, p - excess), 1) if excess else None,
        test=DirectionTest(draws=99, rows_cost=lambda n, p, groups: n * p * (min(n, p) + 50)),
        spread=Spread(
            cost_of_permuted, draws=99, repeated=lambda model, X: squared_spreads(X - X.mean(axis=0)) / (len(X) - 1)
        ),
        linear_map=lambda model: model.subspace_.basis * (model._scaling(-1) if model.whiten else 1.0),
        next_methods=(NextMethod("robust-pca", "See whether a few outlying rows make the directions."),),
        foreign_names={
            "svd_solver": "it is called solver ('auto', 'dense', 'lanczos' or 'randomized')",
            "copy": "rows are never changed; leave it out",
            "tol": "the exact solvers run to machine precision; leave it out",
            "iterated_power": "solver='randomized' reports its residual in spectrum_.residual; leave it out",
            "n_oversamples": "solver='randomized' reports its residual in spectrum_.residual; leave it out",
            "random_state": "solver='randomized' has a fixed seed, and the others do not draw; leave it out",
        },
    )
    _modes = ("refuse", "ml", "ppca")
    _method_with_holes = "shared"
    scale: bool

    def __init__(
        self,
        n_components: int | float | Literal["mle", "parallel", "mp", "auto", "cv"] | None = None,
        *,
        ddof: float = 1,
        scale: bool = False,
        whiten: bool = False,
        solver: Literal["auto", "dense", "lanczos", "randomized"] = "auto",
        missing: Literal["refuse", "ml", "ppca"] = "refuse",
    ) -> None:
        self.n_components = n_components
        self.ddof = ddof
        self.scale = scale
        self.whiten = whiten
        self.solver = solver
        self.missing = missing

    _validated = Validated("n_components", 1, counts, "likelihood", simplest=True)

    # -- moments, problem, attributes, parameters ----------------------------------------------------------------

    def _moments(self, kind: type[Centred]) -> Centred:
        return Factor() if self.n_components == "mle" else kind()  # the evidence weighs even the smallest eigenvalue

    def _collect(self, source: Source, kind: type[Centred] | None = None, complete: bool = True) -> Any:
        if kind is not None:
            return super()._collect(source, kind, complete)
        if self.n_components == "auto":
            self._count_test = shared_directions(source)
        few = self.n_components if isinstance(self.n_components, Integral) else None
        road = road_of(source, few, allowed=self.solver != "dense" and self.missing == "refuse")
        if road.kind is not Outline:
            return super()._collect(source, road.kind)
        source = source.finely_cut()
        outline = super()._collect(source, Outline, complete=False)
        # products would leave the range of numbers, or have weights that turn out to be shares
        if outline.exponent is not None or are_shares(outline.weight):
            return super()._collect(source)
        return outline.with_products(products(source, outline, road.steps))

    def _pose(self, moments: Centred) -> SpreadProblem:
        divisor, asked = moments.weight - self.ddof, self._asked
        k = self._require_rows(moments, divisor, "W − ddof")
        if self.n_components == "mle" and moments.n_rows <= moments.n_features:
            raise errors.mle_needs_full_rank(moments.n_rows - 1, moments.n_features)
        constant, scale, given = moments.constant_columns(), None, None
        if self.scale:
            given = moments
            moments, scale = standardised(moments, divisor, constant)
        uniform, power = moments.uniform()
        pencil = Pencil(
            Form.of(uniform, 1.0).with_rows(k if isinstance(asked, Integral) else 0),
            n_components=k,
            constant=constant,
            most=max(1, min(moments.n_rows - 1, moments.n_features)),
            leading=isinstance(self.n_components, Integral) and LEADING * k <= moments.n_features,
        )
        unit = exponents.power(power)
        names = getattr(self, "feature_names_in_", None)
        return SpreadProblem(pencil, moments, uniform, names, asked, unit, scale, given, divisor, self.solver)

    def _present(self, problem: SpreadProblem, spectrum: Spectrum) -> None:
        moments, unit, divisor, k = problem.moments, problem.unit, problem.divisor, len(spectrum)
        xp, dtype = namespaces.namespace(moments.pivot), moments.dtype
        s, total = spectrum.singular_values, problem.pencil.A.trace()
        self.n_components_ = k
        self._set_subspace(problem, spectrum.vectors, dtype)
        with np.errstate(over="ignore", under="ignore"):
            self._sd = s * (unit / divisor**0.5)  # its square may overflow where it does not
            self._noise_sd = (spectrum.tail / max(moments.n_features - k, 1) / divisor) ** 0.5 * unit
            self.noise_variance_ = self._noise_sd * self._noise_sd
            self.explained_variance_ = namespaces.attribute_copy(self._sd**2, dtype)
            self.singular_values_ = namespaces.attribute_copy(s * unit, dtype)
        self.mean_ = namespaces.attribute_copy(problem.given.mean, dtype)
        self.components_ = namespaces.attribute_copy(spectrum.vectors.T, dtype)
        self.explained_variance_ratio_ = namespaces.attribute_copy(
            s**2 / total if total > 0 else xp.zeros_like(s), dtype
        )
        warn_of_range({"singular_values_": self.singular_values_, "explained_variance_": self.explained_variance_}, s)
        warn_of_units(problem, spectrum)
        if self._count_test is not None:
            at_least_one("auto", self._count_test.dimension)
        if self.missing != "refuse":
            self._set_law(problem)

    @property
    def structure_(self) -> Array:
        if not isinstance(getattr(self, "_collected", None), Outline):
            return super().structure_
        xp, s = namespaces.namespace(self._sd), self.spectrum_.singular_values  # Σv = λv: no form is needed
        squares = xp.where(self._collected.constant_columns(), xp.nan, self._collected.store.diagonal())
        sizes = squares**0.5 if self._scale is None else squares**0.5 / self._scale
        return namespaces.cast(self.spectrum_.vectors * s / sizes[:, None], self._collected.dtype)

    def _set_subspace(self, problem: SpreadProblem, V: Array, dtype: Any) -> None:
        """Set centre and basis in the units of X, and what columns are divided by."""
        given, scale = problem.given, problem.scale
        centre = given.shift[0, :] * given.unit
        self.__dict__.pop("scale_", None)
        self._scale = scale
        if scale is None:
            self.subspace_ = Subspace(given.pivot, V, centre, dual=V)
        else:
            self.scale_ = namespaces.attribute_copy(scale, dtype)
            basis = problem.directions(V, scale)
            self.subspace_ = Subspace(given.pivot, basis, centre, dual=V * scale[:, None])

    def _check_parameters(self, known: Known | None = None) -> None:
        if known is not None:
            self._wanted(known.n_rows, known.n_features)
            return
        n = self.n_components
        named = isinstance(n, str) and n in (*RULES, "cv")
        if not (n is None or named or is_number(n)):
            raise errors.components_kind(
                n, 'an integer, a share in (0, 1], "mle", "parallel", "mp", "auto", "cv" or None'
            )
        if is_number(n) and not isinstance(n, Integral) and not 0 < n <= 1:
            raise errors.components_kind(n, "a share of the variance in (0, 1], or an integer")
        if self.solver in ("full", "arpack", "covariance_eigh"):
            raise errors.InputError(
                f"solver={self.solver!r} is not an option; use one of {errors.listed(map(repr, SOLVERS))}. "
                "scikit-learn's 'full' and 'covariance_eigh' are called 'dense' here, and 'arpack' is called 'lanczos'."
            )
        check_choice("solver", self.solver, SOLVERS)
        check_number("ddof", self.ddof, 0)
        check_flag("scale", self.scale)
        check_flag("whiten", self.whiten)
        check_choice("missing", self.missing, self._modes)
        if self.missing == "ppca" and (not isinstance(n, Integral) or isinstance(n, bool)):
            raise errors.components_kind(n, "a whole number with missing='ppca', whose model has that many directions")
        if self.missing == "ppca" and self.scale:
            raise errors.InputError(
                "scale=True with missing='ppca': the model has one noise variance for columns as they are, so they "
                "must be scaled before; divide them by their standard deviations, or use missing='ml'."
            )

    def _obeys(self) -> Laws:
        return Laws(invariance="permutation", solves_pencil=False) if self.scale else Laws()

    def _set_law(self, problem: SpreadProblem) -> None:
        """Set the covariance, and the law that tells what is known about missing cells."""
        mean, W = namespaces.to_numpy(problem.given.mean), problem.moments.weight
        unit = np.asarray(problem.unit) if problem.scale is None else namespaces.to_numpy(problem.scale)
        form = problem.pencil.A.times(1.0 / problem.divisor)
        if self.missing == "ppca":
            form, unit = Form(factor=self._model_root()), np.ones(1)
            if not hasattr(self, "log_likelihood_"):  # nothing was missing
                p, shrunk = self.n_features_in_, problem.divisor / W
                with np.errstate(divide="ignore"):
                    self.log_likelihood_ = -0.5 * W * (self._log_constant() + p * float(np.log(shrunk)) + p)
        self.covariance_ = np.asarray(in_units_of_data(form, unit), dtype=namespaces.to_numpy(self.mean_).dtype)
        self._law = law_of(mean, form, unit)

    # -- use ---------------------------------------------------------------------------------------------------

    def transform(self, X: TableLike) -> Array:
        """Return the scores of rows: coordinates in the subspace, or their expectation for a row with missing cells."""
        return self._over_rows(X, self._scores, takes_sparse=True)

    def _scores(self, X: Array) -> Array:
        scores = self.subspace_.project(self._filled(X))
        return scores * namespaces.like(self._scaling(-1), X) if self.whiten else scores

    def _scaling(self, sign: int) -> Array:
        """Standard deviations of the scores (sign = 1) or their inverses (−1), one where there is no variance."""
        xp = namespaces.namespace(self._sd)
        real = xp.arange(self._sd.shape[0], device=namespaces.device(self._sd)) < self.spectrum_.rank
        return xp.where(real, self._sd, xp.ones_like(self._sd)) ** sign

    def inverse_transform(self, X: TableLike) -> Array:
        """Return the points of the subspace that have the given scores."""
        self._require_fit()

        def lift(Z: Array) -> Array:
            points = self.subspace_.lift(Z * namespaces.like(self._scaling(1), Z) if self.whiten else Z)
            return namespaces.cast(points, Z.dtype)

        return self._over_scores(X, lift, self.n_components_)

    def reconstruction_error(self, X: TableLike) -> Array:
        """Return the squared distance of each row to the subspace, with missing cells at their expectation.

        With `scale=True` columns are divided by their standard deviations.
        """
        self._require_fit()
        scale = self._divisors()

        def error(block: Array) -> Array:
            rows = self.subspace_.centred(self._filled(block))
            residual = rows - self.subspace_.offsets(rows @ namespaces.like(self.subspace_.basis, block))
            return namespaces.namespace(block).sum((residual / namespaces.like(scale, block)) ** 2, axis=1)

        return self._over_rows(X, error, named="reconstruction_error")

    def _left_out(self, X: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return the squared distance of each row of the fit to the subspace of all the others."""
        uniform, power = self._collected.uniform()
        axes, unit = scatter_axes(Form.of(uniform, 1.0)), float(np.ldexp(1.0, power))
        rows = (X - namespaces.to_numpy(uniform.pivot)) / unit - namespaces.to_numpy(uniform.shift)[0]
        inside = rows @ axes.vectors
        outside = np.sum((rows - inside @ axes.vectors.T) ** 2, axis=1) if inside.shape[1] < X.shape[1] else 0.0
        return (press(inside, axes.values, weight, self.n_components_) + outside) * unit * unit

    def diagnose(self, X: TableLike, level: float = 0.05) -> Diagnosis:
        """Find the rows that the components do not fit, and the columns responsible.

        Parameters
        ----------
        X : table of shape (n, p)
            New rows, or those of the fit. The limits come from the moments of the fit.
        level : float
            Share of new rows from a normal distribution that lie beyond each limit.

        Returns
        -------
        Diagnosis
            With `t2`, `q`, their limits and contributions of the columns, `outlying`, `to_frame()` and `plot()`.
        """
        self._require_fit()
        return diagnosed(self, X, level)
