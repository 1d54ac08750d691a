r"""Mixture discriminant analysis: every class is a mixture of Gaussian subclasses with one covariance for all.

.. math:: p(x \mid k) = \sum_{r=1}^{R_k} \pi_{kr} \, \varphi(x; \mu_{kr}, \Sigma),

fitted by EM from k-means starts. A class may then consist of several clouds, or bend, and the subclasses still share a
picture of few dimensions. The M-step is a linear discriminant analysis of the subclasses; with a regressor it is
an optimal scoring of their responsibilities, which gives flexible and penalised mixtures.

References
----------
Hastie, Tibshirani (1996), Discriminant analysis by Gaussian mixtures, J. Royal Statistical Society B 58.
Hastie, Tibshirani, Friedman (2009), The Elements of Statistical Learning, section 12.7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import pairwise
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import errors, linalg, namespaces
from ..arrays.parameters import check_number, check_seed, random_from
from ..arrays.stored import stored
from ..arrays.summaries import Table, matrix
from ..arrays.typing import Array, Priors, RandomState, TableLike
from ..regress.penalized import PenalizedRegression
from .classifier import centroid_scores, class_priors, refuse_separating
from .mixtures.em import Classes, Fit, Plain, plain_step, run
from .mixtures.subclasses import best_of, counts_by_bic, criterion, free_parameters, read_counts, read_start
from .scored import ScoredClassifier, native_labels, result_dtype, warn_if_perfect
from .spine.about import Declaration, Laws
from .spine.rows_estimator import wanted

THIN = 64  # columns
USUAL = 3  # subclasses of a class
TRIED = 8  # starts looked at for each that is run to the end; a regressor makes a look too slow


@stored("MDA")
class MDA(ScoredClassifier):
    """Mixture discriminant analysis: a classifier, and a transformer to the discriminant coordinates of subclasses.

    Parameters
    ----------
    n_components : int or None
        Rank of the rule, at most ΣR_k − 1, which is the default as far as the columns allow it. Every step restricts
        the means of the subclasses to this many directions.
    n_subclasses : int, list, dict or "bic"
        R_k, one number for all classes or one for each; 3 if not given. "bic" adds subclasses one at a time while the
        Bayesian information criterion falls. `eigenlens.validation.cross_validate` compares numbers on rows left out.
    regressor : regressor, optional
        Regressor of the M-step, by its keyword or first: any that FDA takes. None is linear, by maximum likelihood.
    n_init : int
        Number of starts that run to the end; the best likelihood wins. Without a regressor, two or more are the best of
        eight times as many after six M-steps; 1 is one start.
    max_iter : int
        Largest number of M-steps, including the first.
    tol : float
        EM ends when the mean log-likelihood of a row changes by less than this; 0 takes exactly `max_iter` steps.
    init : array of shape (n, ΣR_k), optional
        Starting responsibilities instead of k-means: classes in order, zero outside a row's own class.
    random_state : int, Generator, RandomState or None
        Of the k-means starts.
    priors : array of shape (K,) or dict of class to number, optional
        Class probabilities in the rule, in the order of `classes_` or by label; by default the shares of the classes.

    Attributes
    ----------
    classes_ : array of shape (K,)
    priors_ : array of shape (K,)
    n_subclasses_ : array of shape (K,)
        R_k; subclasses that lost all rows are not counted.
    subclass_classes_ : array of shape (ΣR_k,)
        Place in `classes_` of each subclass.
    subclass_means_ : array of shape (ΣR_k, p)
        In the space of the columns.
    subclass_weights_ : array of shape (ΣR_k,)
        π_kr, adding to 1 within each class.
    covariance_ : array of shape (p, p)
        Within subclasses, divisor W.
    centroids_ : array of shape (ΣR_k, k)
        Subclass means in discriminant coordinates.
    scores_ : array of shape (ΣR_k, k)
        Optimal scores of the subclasses.
    canonical_correlations_, explained_variance_ratio_ : arrays of shape (k,)
    asr_ : float
        Average squared residual of the scores, Σ(1 − α²).
    log_likelihood_ : array of shape (n_iter_,)
        After each M-step: Σ w log p(x | class). With a regressor, Σ w log P(class | x), which
        may fall.
    bic_, n_parameters_ : float, int or None
        −2 `log_likelihood_[-1]` + `n_parameters_` log W: fewer is better. The numbers counted are shares of subclasses,
        means in `n_components` directions, and the covariance. NaN and None with a regressor, which has no likelihood.
    deviance_ : float
        −2 Σ w log P(class | x) over the rows of the fit, by the fitted rule.
    n_iter_ : int
    converged_ : bool
    regressor_ : fitted regressor or None
    spectrum_ : Spectrum

    See Also
    --------
    LDA : Classes with one covariance.
    QDA : A covariance for each class.
    FDA : Boundaries that bend.
    eigenlens.validation.cross_validate : Scores of settings on rows left out.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import LDA, MDA
    >>> rng = np.random.default_rng(0)
    >>> corner = rng.integers(0, 4, 600)                     # four clouds, the classes on opposite corners
    >>> X = 4 * np.column_stack([corner // 2, corner % 2]) + rng.standard_normal((600, 2))
    >>> y = np.isin(corner, [0, 3])
    >>> float(round(LDA().fit(X, y).score(X, y), 1)), bool(MDA(n_subclasses=2).fit(X, y).score(X, y) > 0.95)
    (0.5, True)
    """

    n_subclasses_: Array
    subclass_classes_: Array
    subclass_means_: Array
    subclass_weights_: Array
    covariance_: Array
    log_likelihood_: Array
    bic_: float
    n_parameters_: int | None
    deviance_: float
    n_iter_: int
    converged_: bool
    regressor_: BaseEstimator | None

    _declaration = Declaration(
        question="classes",
        name="mda",
        place=3,
        use="classes made of several clusters",
        make=lambda cls, seed: cls(random_state=seed),
        untested="MDA has no test of single directions: its subclasses are clusters that the fit itself has found, "
        "whose centres differ even if there are none to find. Judge it by its accuracy on rows left out.",
        if_separated=lambda model: {"regressor": PenalizedRegression()},
        compared_as="MDA",
        fit_cost=lambda n, p, groups: 4e8 + 4e3 * n * min(p, 300) + 2e6 * p,
        brisk={"n_init": 1},
        display="discriminant",
        foreign_names={
            "missing": "EM takes complete rows; leave it out, and fill missing cells first, with impute of an "
            "LDA(missing='ml')",
        },
    )

    _given_by_place = False  # whether the number of directions has no name: MDA(3) may mean subclasses

    def __init__(
        self,
        n_components: Any = None,
        *,
        n_subclasses: int | Sequence[int] | Mapping[Any, int] | Literal["bic"] | None = None,
        regressor: Any = None,
        n_init: int = 5,
        max_iter: int = 100,
        tol: float = 1e-4,
        init: Any = None,
        random_state: RandomState | None = 0,
        priors: Priors | None = None,
    ) -> None:
        self.n_components, self.regressor = self._by_place(n_components, regressor)
        self.n_subclasses = n_subclasses
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.random_state = random_state
        self.priors = priors

    def _work(self) -> tuple[int, int] | None:
        return (8, 120)

    def _fit(self, X: TableLike, y: Any, sample_weight: Any) -> Self:
        """Fit the mixtures by EM."""
        self._check_parameters()
        source, rows = self._read(X, y, sample_weight)
        labels = source.labels
        codes = np.asarray(rows.y, dtype=np.intp)
        sizes: Any = np.bincount(codes, weights=rows.weight, minlength=len(labels.classes))
        counts = read_counts(self._asked, labels.classes, sizes)
        start = None if self.init is None else read_start(self.init, source, codes, counts)
        with self._threads(rows.X.shape[1] <= THIN):
            data = Classes(rows.X, codes, rows.weight, labels.classes)
            self._check_rank(data)
            if counts is None:
                counts = counts_by_bic(data, self._run)
            if self.n_components is not None:
                most = sum(counts) - 1
                wanted(self.n_components, most, f"{most + 1} subclasses give at most {most} directions")
            many = self.regressor is None and self.n_init > 1
            rng, tried = random_from(self.random_state), TRIED if many else 1
            fit = best_of(data, counts, start, self._run, rng, int(self.n_init), tried)
            self._present(fit, data, source)
            logs = linalg.log_softmax(self._scores(data.X, sharp=True))[np.arange(len(data.codes)), data.codes]
            self.deviance_ = -2.0 * float(data.w @ logs)
        return self

    @property
    def _asked(self) -> Any:
        return USUAL if self.n_subclasses is None else self.n_subclasses

    def _threads(self, thin: bool) -> Any:
        """Hold BLAS to one thread where products are tall and thin, and several would wait; no regressor is held."""
        return linalg.one_blas_thread() if thin and self.regressor is None else nullcontext()

    def _run(self, data: Classes, Z: Any, steps: int | None = None) -> Fit:
        with self._threads(thin=True):
            most = int(self.max_iter) if steps is None else min(steps, int(self.max_iter))
            return run(data, Z, self.n_components, self.regressor, most, float(self.tol))

    def _check_parameters(self) -> None:
        self._check_shared(self.regressor)
        if self._given_by_place and self.n_components is not None and self.n_subclasses is None:
            errors.warn(
                errors.SubclassWarning(
                    f"MDA({self.n_components}) is {self.n_components} directions, and each class has {USUAL} "
                    f"subclasses. For {self.n_components} subclasses write n_subclasses={self.n_components}; for "
                    f"directions write n_components={self.n_components}."
                )
            )
        check_number("n_init", self.n_init, 1, integer=True)
        check_seed(self.random_state)
        check_number("max_iter", self.max_iter, 1, integer=True)
        check_number("tol", self.tol, 0.0)
        if isinstance(self.n_subclasses, bool) or (isinstance(self.n_subclasses, Integral) and self.n_subclasses < 1):
            raise errors.number("n_subclasses", self.n_subclasses, "a positive integer, or one for each class")

    def _check_rank(self, data: Classes) -> None:
        found = data.whitening
        if self.regressor is not None:
            return
        refuse_separating(data.within, data.within.constant_columns(), getattr(self, "feature_names_in_", None))
        if found.rank < found.varying:
            advice = "Use a penalised regressor, or fewer columns, if these directions matter."
            what = "The within-class covariance"
            errors.warn(errors.rank_deficient(what, found.rank, found.varying, "columns vary", advice))

    def _present(self, fit: Fit, data: Classes, source: Any) -> None:
        step, dtype, K = fit.step, result_dtype(source), len(data.labels)
        if self.tol > 0 and not fit.converged:
            errors.warn(_not_settled(int(self.max_iter), fit.gain, float(self.tol)))
        weights = np.concatenate(step.shares)
        owner = np.repeat(np.arange(K), [len(s) for s in step.shares])
        shares = weights * (data.class_weights / data.W)[owner]
        kept = self._set_spectrum(step.spectrum, shares, 1.0, dtype)
        self._owner, self._log_weights = owner, np.log(weights)
        self._set_subclasses(fit, data, dtype)
        if isinstance(step, Plain):
            points = np.vstack([data.means[k] + d for k, d in enumerate(step.offsets)]) - step.centre
            self._map, self._scoring = data.axes @ kept.vectors, None
            self._middle = data.centre + step.centre @ data.lift
            centroids = points @ kept.vectors
        else:
            warn_if_perfect(step.scoring)
            self._scoring = step.scoring
            self._map, self._middle = kept.vectors, step.scoring.shares @ step.scoring.means
            centroids = np.vstack(step.points)[:, : len(kept)]
        self.regressor_ = None if self._scoring is None else self._scoring.regressor
        self.n_subclasses_ = np.bincount(owner, minlength=K)
        self.subclass_classes_, self.subclass_weights_ = owner, weights.astype(dtype)
        self.log_likelihood_ = np.array(fit.path)
        self.n_iter_, self.converged_ = len(fit.path), fit.converged
        self.n_parameters_, self.bic_ = None, float("nan")
        if self.regressor is None:
            self.n_parameters_ = free_parameters(self.n_subclasses_.tolist(), len(step.spectrum), data.rank)
            self.bic_ = criterion(fit.path[-1], data.W, self.n_parameters_)
        priors = class_priors(self._given_priors, data.class_weights, data.labels)
        self._set_rule(data.labels, native_labels(source), priors, centroids, np.dtype(dtype))

    def _set_subclasses(self, fit: Fit, data: Classes, dtype: Any) -> None:
        """Set means and the common covariance in the space of the columns, from the shares that the step was given."""
        plain = fit.step if isinstance(fit.step, Plain) else plain_step(data, fit.step.given, None)
        means = np.vstack([data.class_means[k] + d @ data.lift for k, d in enumerate(plain.offsets)])
        with np.errstate(over="ignore"):
            covariance = data.lift.T @ plain.within @ data.lift
        if not np.isfinite(covariance).all():  # of columns beyond 1e154
            advice = "predictions are right; rescale the columns to get it."
            errors.warn(errors.not_representable("covariance_", "float64", advice))
        self.subclass_means_, self.covariance_ = means.astype(dtype), covariance.astype(dtype)

    def _facts(self) -> Iterator[str]:
        counts = errors.listed(f"{label}: {r}" for label, r in zip(self.classes_, self.n_subclasses_, strict=True))
        settled = "" if self.converged_ else ", not settled"
        yield f"Subclasses: {counts}. {self.n_iter_} steps of EM{settled}."
        criterion = "" if self.n_parameters_ is None else f", BIC {self.bic_:.6g}"
        yield f"Log-likelihood {self.log_likelihood_[-1]:.6g}, deviance {self.deviance_:.6g}{criterion}."

    def _tables(self) -> Iterator[tuple[str, Table | None]]:
        for name, found in super()._tables():
            if name == "centroids":  # after the directions, where other discriminants have their coefficients
                title, columns = "Subclass means (subclass_means_)", self._names_of_columns()
                yield "subclass_means", matrix(title, self.subclass_means_.T, columns, self._names_of_centroids())
            yield name, found

    def _names_of_centroids(self) -> list[str]:
        first = np.searchsorted(self._owner, self._owner)
        return [f"{self.classes_[k]} {j + 1}" for j, k in zip(np.arange(len(first)) - first, self._owner, strict=True)]

    def _obeys(self) -> Laws:
        whole = isinstance(self._asked, Integral) and self._asked == 1  # k-means draws rows, not weights
        linear = self.regressor is None and whole  # starts know columns
        return Laws(invariance="linear" if linear else "none", counts_rows=whole)

    # -- use -----------------------------------------------------------------------------------------------------

    def _coordinates(self, X: Array) -> Array:
        rows = self._numpy_rows(X)
        points = rows if self._scoring is None else self._scoring.fits(rows)
        return namespaces.like((points - self._middle) @ self._map, X)

    def _log_weights_of_rule(self) -> np.ndarray:
        return self._log_weights + np.log(self._priors)[self._owner]

    def _subclass_scores(self, X: Array, sharp: bool) -> Array:
        """Log-posteriors of subclasses up to what all share."""
        C = namespaces.like(self._centroids, X)
        return centroid_scores(self._coordinates(X), C, self._log_weights_of_rule(), sharp)

    def _scores(self, X: Array, sharp: bool) -> Array:
        """Log-posteriors of classes up to what all share: the subclasses of each added up."""
        D = self._subclass_scores(X, sharp)
        D = np.asfortranarray(D) if isinstance(D, np.ndarray) else D  # few subclasses, many rows: reduce along the rows
        xp = namespaces.namespace(D)
        if sharp:
            D = D - xp.max(D, axis=1, keepdims=True)  # beside large scores a sum over subclasses would not show
        first = np.searchsorted(self._owner, np.arange(len(self._priors) + 1))
        return xp.concat([linalg.logsumexp(D[:, a:b]) for a, b in pairwise(first)], axis=1)

    def mahalanobis(self, X: TableLike) -> Array:
        """Return the squared distance of each row to each centroid in the canonical coordinates kept: (n, ΣR_k)."""

        def distances(block: Array) -> Array:
            return linalg.squared_distances(self._coordinates(block), namespaces.like(self._centroids, block))

        return self._over_rows(X, distances)

    def predict_subclass_proba(self, X: TableLike) -> Array:
        """Return the posterior probability of each subclass (n, ΣR_k); those of a class add up to its own."""

        def posterior(block: Array) -> Array:
            return namespaces.namespace(block).exp(linalg.log_softmax(self._subclass_scores(block, sharp=True)))

        return self._over_rows(X, posterior, keep_dtype=False, named="subclass_probability")


def _not_settled(max_iter: int, gain: float, tol: float) -> errors.NotConvergedWarning:
    change = f"still changed by {gain:.1e} a step" if gain < float("inf") else "was known for one step only"
    return errors.NotConvergedWarning(
        f"max_iter={max_iter} ended EM while the mean log-likelihood of a row {change} (tol={tol:g}). "
        f"Raise max_iter or tol; tol=0 takes exactly max_iter steps and does not warn."
    )
