r"""Quadratic and regularised discriminant analysis.

Each class is a normal distribution with its own covariance; a row goes to the class of largest

.. math:: -\tfrac12 (x - m_k)^T \Sigma_k^{-1} (x - m_k) - \tfrac12 \log |\Sigma_k| + \log \pi_k .

Few rows carry few covariances, so these may be drawn together (pooling :math:`\lambda`) and towards the identity
(shrinkage :math:`\gamma`):

.. math:: S_k(\lambda) = \frac{(1 - \lambda) T_k + \lambda T}{(1 - \lambda)(W_k - 1) + \lambda (W - K)}, \qquad
          \Sigma_k = (1 - \gamma) S_k(\lambda) + \gamma \, \frac{\mathrm{tr} S_k(\lambda)}{p} I ,

with the scatter :math:`T_k` of class k and :math:`T = \sum_k T_k`. :math:`\lambda = 1` is LDA.

References
----------
Friedman (1989), Regularized discriminant analysis, J. American Statistical Association 84.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..arrays import errors, linalg, namespaces
from ..arrays.errors import plain
from ..arrays.parameters import check_choice, check_number
from ..arrays.stored import stored
from ..arrays.summaries import Table, matrix
from ..arrays.typing import Array, Priors, TableLike
from ..moments import Centred, Grouped
from ..solve import Form, Whitening, whiten
from ..solve.shrinkage import shrunk
from ..solve.subspace import Subspace
from ..validation.downdates import ClassRows, quadratic_score, scatter_axes
from .classifier import PosteriorClassifier, class_priors, read_priors
from .discriminant import ClassesEstimator
from .spine.about import Declaration, Laws
from .spine.chosen import Validated, poolings
from .spine.missing import FillsOverGroups, TakesHoles
from .spine.patterns import law_of, require_law, with_holes
from .spine.problem import Problem, column_names
from .spine.rows_estimator import Known


@dataclass(frozen=True, eq=False)
class QuadraticProblem(Problem):
    """A covariance for each class, to be turned into the identity; `centred` holds the class means.

    Attributes
    ----------
    covariances : tuple of Form
        In the units of `centred`.
    priors : ndarray of shape (K,)
    """

    covariances: tuple[Form, ...] = ()
    priors: np.ndarray = None  # type: ignore[assignment]

    condition_of = "The covariance of a class (its root, columns scaled to unit variance)"
    rows_are_few = False  # a class without a covariance of full rank is refused

    def solve(self) -> tuple[Whitening, ...]:  # type: ignore[override]
        found = tuple(whiten(form) for form in self.covariances)
        for label, form, whitening in zip(self.moments.labels, self.covariances, found, strict=True):
            if whitening.rank < form.dimension:
                raise self._singular(label, form, whitening.rank)
        return found

    def _singular(self, label: Any, form: Form, rank: int) -> errors.InputError:
        constant = namespaces.to_numpy(form.diagonal()) == 0
        why = f"its covariance has rank {rank} of {form.dimension}"
        if constant.any():
            listed = column_names(self.names, constant)
            several = np.count_nonzero(constant) > 1
            why = f"columns {listed} are constant within it" if several else f"column {listed} is constant within it"
        return errors.InputError(
            f"class {plain(label)!r} has no covariance of its own: {why}. Use pooling or shrinkage above 0, fewer "
            f"columns, or LDA."
        )

    def condition(self, spectrum: Any) -> float:
        return max(whitening.condition for whitening in spectrum)

    def condition_of_metric(self, spectrum: Any) -> float:
        return self.condition(spectrum)

    def drops_weak(self, spectrum: Any) -> bool:
        return False

    def shortfalls(self, spectrum: Any) -> Iterator[Warning]:
        return iter(())


@stored("QDA")
class QDA(PosteriorClassifier, FillsOverGroups, TakesHoles[Grouped], ClassesEstimator):
    """Quadratic discriminant analysis: a classifier with a covariance for each class.

    Parameters
    ----------
    priors : array of shape (K,) or dict of class to number, optional
        Class probabilities, in the order of `classes_` or by label; by default the shares of the classes.
    pooling : float in [0, 1] or "cv"
        λ: 0 gives each class its own covariance, 1 gives all of them the pooled one, which is LDA. "cv" chooses the
        value that predicts the classes of unseen rows best (accuracy, then log-loss, five folds), in two passes, and
        keeps it in `pooling_`. Without shrinkage no choice depends on units.
    shrinkage : float in [0, 1], optional
        γ: how far each covariance shrinks towards a multiple of the identity.
    missing : {"refuse", "ml"}
        How to treat NaN in X: raise an error, or treat it as an unobserved cell and estimate the mean and covariance of
        each class by maximum likelihood. Cells must be missing at random. A row with NaN then has posteriors from the
        densities of its observed cells.

    Attributes
    ----------
    classes_ : array of shape (K,)
    priors_ : array of shape (K,)
    means_ : array of shape (K, p)
    covariances_ : array of shape (K, p, p)
        Σ_k, as the rule uses them.
    log_likelihood_ : float
        With `missing="ml"`: log-likelihood of the observed cells, each class with its own covariance.
    pooling_, cv_path_ : float, array of shape (m, 3)
        The pooling used; with "cv", also the values tried, with their mean scores and standard errors.
    moments_ : Grouped
        What the pass collected: a mean and a scatter for each class. `moments_.merge(other)` joins fits on different
        rows.
    spectrum_ : tuple of Whitening
        What turns the covariance of each class into the identity.

    See Also
    --------
    LDA : Classes with one covariance.
    MDA : Classes in several clouds.
    eigenlens.validation.cross_validate : Scores of settings on rows left out.

    Notes
    -----
    The divisors are W_k − 1, as in R's MASS, and W − K where covariances are pooled. scikit-learn's `reg_param` shrinks
    towards the identity itself, which depends on the units of the columns, rather than towards a multiple of it.

    Examples
    --------
    >>> from eigenlens import QDA
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> qda = QDA().fit(X, y)
    >>> round(qda.score(X, y), 3)
    0.994
    >>> QDA(pooling=0.3).fit_moments(qda.moments_).covariances_.shape
    (3, 13, 13)
    """

    means_: Array
    covariances_: Array
    pooling_: float
    cv_path_: Array

    _declaration = Declaration(
        # lightly pooled and shrunk: a word that one class lacks leaves it no covariance of its own
        make=lambda cls, seed: cls(pooling=0.1, shrinkage=1e-3),
        compares="classes",
        compared_as="QDA",
        fit_cost=lambda n, p, groups: 0.5 * groups * p**3 + n * p * min(n, p),
        advantage="a covariance for each class, and so curved boundaries",
        display="decision",
        foreign_names={
            "reg_param": "it is called shrinkage, and moves each covariance towards a multiple of the identity",
            "store_covariance": "covariances_ always exist; leave it out",
            "tol": "rank is decided relative to the largest value; leave it out",
            "solver": "there is one exact solver; leave it out",
            "covariance_estimator": "use pooling and shrinkage",
        },
    )
    n_components: Any = None  # it has no directions

    def __init__(
        self,
        priors: Priors | None = None,
        *,
        pooling: float | Literal["cv"] = 0.0,
        shrinkage: float | None = None,
        missing: Literal["refuse", "ml"] = "refuse",
    ) -> None:
        self.priors = priors
        self.pooling = pooling
        self.shrinkage = shrinkage
        self.missing = missing

    _validated = Validated("pooling", 0.0, poolings, "accuracy first")

    # -- moments, problem, attributes, parameters ----------------------------------------------------------------

    def _moments(self, kind: type[Centred]) -> Grouped:
        return Grouped(kind, pooled=False)

    def _pose(self, moments: Grouped) -> QuadraticProblem:
        moments, weights = self._require_classes(moments)
        priors, K = class_priors(self._given_priors, weights, moments.labels), len(weights)
        within = moments.within()
        if self.shrinkage:
            within = within.uniform()[0]
        lam = float(self._value("pooling"))
        divisors = (1 - lam) * (moments.weights - 1) + lam * (moments.weight - K)
        if (divisors <= 0).any():
            k = int(np.argmin(divisors))
            raise errors.InputError(
                f"class {plain(moments.labels[k])!r} has a weight of {moments.weights[k]:.3g}, that of a single row or "
                "less, which has no covariance (divisor W_k − 1); use pooling above 0, or leave the class out."
            )
        pooled = Form.of(within, 1.0).times(lam) if lam else None
        covariances = []
        for group, divisor in zip(moments.groups, divisors, strict=True):
            own = Form.of(group.rescaled(within.exponent), 1.0)
            form = _together(own.times(1 - lam) if lam < 1 else None, pooled).times(1.0 / divisor)
            covariances.append(shrunk(form, float(self.shrinkage)) if self.shrinkage else form)
        names: Any = getattr(self, "feature_names_in_", None)
        return QuadraticProblem(None, moments, within, names, None, tuple(covariances), priors)  # type: ignore[arg-type]

    def _present(self, problem: QuadraticProblem, spectrum: Any) -> None:
        within, moments, unit = problem.centred, problem.moments, problem.centred.unit
        xp, dtype = namespaces.namespace(within.pivot), within.dtype
        self._set_classes(moments.labels, self._native_labels, problem.priors, within.pivot, dtype)
        self._laws, log_dets = [], []
        for k, whitening in enumerate(spectrum):
            W = problem.directions(whitening.matrix)
            self._laws.append(Subspace(within.pivot, W, within.shift[k, :] * unit))
            log_dets.append(-2 * np.linalg.slogdet(namespaces.to_numpy(whitening.matrix))[1])
        self.pooling_ = float(self._value("pooling"))
        self._log_dets = np.array(log_dets) - np.mean(log_dets)  # what all classes share, units among it, cancels
        self.means_ = namespaces.attribute_copy(within.means, dtype)
        with np.errstate(over="ignore", under="ignore"):
            scaled = [form.dense() * unit * unit[:, None] for form in problem.covariances]
        self.covariances_ = namespaces.attribute_copy(xp.stack(scaled, axis=0), dtype)
        if self.missing != "refuse":
            means = namespaces.to_numpy(within.means)
            self._cell_laws = [
                law_of(mean[None, :], form, unit) for mean, form in zip(means, problem.covariances, strict=True)
            ]

    def _check_parameters(self, known: Known | None = None) -> None:
        if known is not None:
            self._given_priors = None if self.priors is None else read_priors(self.priors, known.n_classes)
            return
        if not self._asks_validation:
            check_number("pooling", self.pooling, 0, 1)
        check_choice("missing", self.missing, self._modes)
        if self.shrinkage is not None:
            check_number("shrinkage", self.shrinkage, 0, 1)

    def _obeys(self) -> Laws:
        return Laws(invariance="rotation" if self.shrinkage else "linear", solves_pencil=False)

    # -- use -----------------------------------------------------------------------------------------------------

    def _distances(self, X: Array) -> Array:
        def plain_rows(block: Array) -> Array:
            xp = namespaces.namespace(block)
            return xp.stack([xp.sum(law.project(block) ** 2, axis=1) for law in self._laws], axis=1)

        def observed(rows: np.ndarray) -> np.ndarray:
            return np.hstack([require_law(law).mahalanobis(rows) for law in self._cell_laws])

        return with_holes(X, plain_rows, observed)

    def _scores(self, X: Array, sharp: bool) -> Array:
        constants = np.log(self._priors) - 0.5 * self._log_dets
        return with_holes(
            X, lambda block: namespaces.like(constants, block) - 0.5 * self._distances(block), self._observed_scores
        )

    # -- rows with holes -----------------------------------------------------------------------------------------

    def _observed_scores(self, rows: np.ndarray) -> np.ndarray:
        """Return log-posteriors, up to what all classes share, from the densities of the observed cells."""
        return np.hstack([require_law(law).log_density(rows) for law in self._cell_laws]) + np.log(self._priors)

    def _expected(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        posterior = np.exp(linalg.log_softmax(self._observed_scores(rows)))
        laws = [require_law(law) for law in self._cell_laws]
        filled = np.stack([law.filled(rows) for law in laws], axis=1)
        spread = np.stack([law.standard_errors(rows) for law in laws], axis=1)
        mean = np.sum(posterior[:, :, None] * filled, axis=1)
        variance = np.sum(posterior[:, :, None] * (spread**2 + (filled - mean[:, None, :]) ** 2), axis=1)
        return np.where(np.isnan(rows), mean, rows), np.where(np.isnan(rows), np.sqrt(variance), 0.0)

    def _left_out(self, X: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> np.ndarray | None:
        """Return log-posteriors of the rows of the fit, each by the fit without it; None where there is no formula."""
        if self.missing != "refuse":
            return None
        moments, gamma = self._in_order(self._collected), float(self.shrinkage or 0.0)
        lam = float(self._value("pooling"))
        within, n, K, p = moments.within().uniform()[0], len(X), len(moments.labels), X.shape[1]
        unit, rows = float(within.unit[0]), X - namespaces.to_numpy(within.pivot)
        rest = moments.weights - (codes[:, None] == np.arange(K)) * weight[:, None]
        divisors = (1 - lam) * (rest - 1) + lam * (moments.weight - weight - K)[:, None]
        pooled = Form.of(within, 1.0).times(lam) if lam else None
        found = np.empty((n, K))
        for k, group in enumerate(moments.groups):
            own = Form.of(group.rescaled(within.exponent), 1.0).times(1 - lam) if lam < 1 else None
            axes = scatter_axes(_together(own, pooled))
            means = namespaces.to_numpy(within.shift) @ axes.vectors
            classes = ClassRows((rows / unit) @ axes.vectors, means, codes, weight, moments.weights)
            share = lam + (1 - lam) * (codes == k)
            trace = axes.values.sum() - share * classes.taken * np.sum(classes.offsets**2, axis=1)
            metric = (1 - gamma) * axes.values + (gamma / p * trace)[:, None]
            with np.errstate(invalid="ignore", divide="ignore"):
                log_det = np.log(metric).sum(axis=1)
                found[:, k] = quadratic_score(classes, k, metric, (1 - gamma) * share, divisors[:, k], log_det)
        with np.errstate(divide="ignore"):
            priors = rest / rest.sum(axis=1, keepdims=True) if self._fixed_priors is None else self._fixed_priors
            return found + np.log(priors)

    def mahalanobis(self, X: TableLike) -> Array:
        """Return the squared Mahalanobis distance of each row to each class, by its own covariance: (n, K)."""
        return self._over_rows(X, self._distances, named="mahalanobis")

    def _tables(self) -> Iterator[tuple[str, Table | None]]:
        yield from super()._tables()
        sd = np.sqrt(np.diagonal(namespaces.to_numpy(self.covariances_), axis1=1, axis2=2))
        title = "Standard deviations within each class"
        yield "standard_deviations", matrix(title, sd.T, self._names_of_columns(), self.classes_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _together(own: Form | None, pooled: Form | None) -> Form:
    """Return the sum of two forms, either of which may be missing."""
    if own is None or pooled is None:
        form = pooled if own is None else own
        assert form is not None
        return form
    if own.factor is None or pooled.factor is None:
        return Form(matrix=own.dense() + pooled.dense())
    xp = namespaces.namespace(own.factor)
    return Form(factor=xp.concat([own.factor, pooled.factor], axis=0), squared=own.squared or pooled.squared)
