r"""Flexible discriminant analysis: linear discriminants in the space of a nonparametric regression.

Class scores :math:`\theta` are regressed on x by any regression, and those scores are taken that it fits best,

.. math:: \min_{\theta, \eta} \sum_i w_i (\theta(y_i) - \eta(x_i))^2, \qquad \Theta^T D \Theta = I.

A row is classified by its distance :math:`\|\eta(x) - \bar\eta_k\|^2 - 2 \log \pi_k` in the metric within classes of
the fits :math:`\eta`. With a linear regression this is linear discriminant analysis; with splines its boundaries bend.

References
----------
Hastie, Tibshirani, Buja (1994), Flexible discriminant analysis by optimal scoring, JASA 89.
Hastie, Tibshirani, Friedman (2009), The Elements of Statistical Learning, section 12.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import has_fit_parameter

from ..arrays import linalg, namespaces
from ..arrays.parameters import check_choice
from ..arrays.stored import stored
from ..arrays.typing import Array, ColumnLike, Priors, RandomState, TableLike
from ..inference.dimension_test import DimensionTest
from ..inference.sequential import resampled_test
from ..regress.adaptive_splines import AdaptiveSplines
from ..regress.optimal_scoring import Scoring, indicator, permuted_scores, score
from .classifier import class_priors
from .scored import ScoredClassifier, native_labels, result_dtype, warn_if_perfect
from .spine.about import Declaration, DirectionTest, Laws
from .spine.rows_estimator import repeated, wanted


@stored("FDA")
class FDA(ScoredClassifier):
    """Flexible discriminant analysis: a classifier, and a transformer to the discriminant coordinates.

    Parameters
    ----------
    n_components : int or None
        Rank of the rule, at most K − 1, which is the default as far as the fits allow it. Fewer directions change the
        classifier too.
    regressor : regressor, optional
        By its keyword, or first: `FDA(AdaptiveSplines(degree=2))`. Any regressor of `eigenlens.regress` or
        scikit-learn; by default `AdaptiveSplines()`. One that takes a single response is fitted once for each class
        score. With `sample_weight` it must take weights.
    priors : array of shape (K,) or dict of class to number, optional
        Class probabilities, in the order of `classes_` or by label; by default the shares of the classes.
        They enter the rule, and the weights of the class means in the order of directions, as in LDA.

    Attributes
    ----------
    classes_ : array of shape (K,)
    priors_ : array of shape (K,)
    scores_ : array of shape (K, k)
        Optimal scores of the classes, ΘᵀDΘ = I with D the priors. In each, the largest entry in absolute value is
        positive.
    canonical_correlations_ : array of shape (k,)
        α, between the scores and their fits.
    asr_ : float
        Average squared residual of the scores, Σ(1 − α²); with a penalty it includes what that costs.
    explained_variance_ratio_ : array of shape (k,)
        Share of each direction in the between-class variance, α²/(1 − α²).
    centroids_ : array of shape (K, k)
        Class means in discriminant coordinates.
    regressor_ : fitted regressor
        It predicts K − 1 contrasts of the classes, from which the coordinates are made.
    spectrum_ : Spectrum

    See Also
    --------
    LDA : Classes with one covariance.
    MDA : Classes in several clouds.
    eigenlens.regress.AdaptiveSplines : Products of hinges (MARS).
    eigenlens.validation.cross_validate : Scores of settings on rows left out.

    Notes
    -----
    Within-class covariance has the divisor W − K, as in `LDA`. For least squares and penalised least squares on any
    basis, and for additive splines, the metric is that of the penalised problem; for other regressors (nearest
    neighbours, trees, networks) it is the covariance of the fits within classes. FDA tells the two cases apart by
    looking at the fits: see `eigenlens.regress.optimal_scoring`.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import FDA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((400, 2))
    >>> y = np.where((X**2).sum(axis=1) < 1.4, "inside", "outside")
    >>> fda = FDA().fit(X, y)
    >>> bool(fda.score(X, y) > 0.95)
    True
    >>> sorted({term.factors[0].name for term in fda.regressor_.basis_[1:]})
    ['x0', 'x1']
    """

    regressor_: BaseEstimator

    _declaration = Declaration(
        question="classes",
        name="fda",
        place=1,
        use="classes separated by bent boundaries, found by adaptive splines",
        test=DirectionTest(
            lambda n, p, groups: 2e10 / 7e5 * n * p * (groups - 1),
            draws=39,
            patience=4.0,
        ),
        compared_as="FDA",
        fit_cost=lambda n, p, groups: 4.2e6 * p + 2e3 * n,
        display="discriminant",
    )

    def __init__(self, n_components: Any = None, *, regressor: Any = None, priors: Priors | None = None) -> None:
        self.n_components, self.regressor = self._by_place(n_components, regressor)
        self.priors = priors

    def _work(self) -> tuple[int, int] | None:
        return (10, 40) if self.regressor is None else None

    def _fit(self, X: TableLike, y: Any, sample_weight: Any) -> Self:
        """Regress class scores on X and find the discriminant coordinates."""
        self._check_shared(self.regressor)
        source, rows = self._read(X, y, sample_weight)
        K = len(source.labels.classes)
        wanted(self.n_components, K - 1, f"{K} classes give at most {K - 1} directions")
        codes = np.asarray(rows.y, dtype=np.intp)
        regressor = AdaptiveSplines() if self.regressor is None else self.regressor
        scoring = score(regressor, rows.X, indicator(codes, K), rows.weight)
        warn_if_perfect(scoring)
        self._present(scoring, source, float(rows.weight.sum()))
        return self

    def _present(self, scoring: Scoring, source: Any, W: float) -> None:
        K, dtype = len(scoring.shares), result_dtype(source)
        priors = class_priors(self._given_priors, scoring.shares, source.labels.classes)
        divisor = (W - K) / W
        kept = self._set_spectrum(scoring.solve(priors, divisor), priors, divisor, dtype)
        self._scoring = scoring
        self.regressor_ = scoring.regressor
        self._centre = priors @ scoring.means
        centroids = (scoring.means - self._centre) @ kept.vectors
        self._set_rule(source.labels.classes, native_labels(source), priors, centroids, np.dtype(dtype))

    def test_dimension(
        self,
        X: TableLike | None = None,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        alpha: float = 0.05,
        method: Literal["permutation"] = "permutation",
        n_draws: int = 99,
        random_state: RandomState | None = 0,
    ) -> DimensionTest:
        """Test how many discriminant directions there are: "at most d", d = 0, 1, …

        Normal theory does not hold for a regression that selects and shrinks, so this is a permutation test: it
        permutes the class scores after the d-th between rows, all together, fits the regression again, and compares
        Σ_{j>d} αⱼ². Tests after the first d that is not rejected are skipped (NaN).

        Parameters
        ----------
        X, y : rows and their labels
            The rows of the fit; a model keeps none.
        sample_weight : array of shape (n,), optional
        alpha : float
            Level.
        method : {"permutation"}
        n_draws : int
            Number of permutations, each of them a fit of the regressor.
        random_state : int, Generator, RandomState or None
            Their seed.
        """
        self._require_fit()
        check_choice("method", method, ("permutation",))
        block = repeated(self._rows_to_test(X, y, sample_weight, method, needed=True))  # type: ignore[arg-type]
        codes = np.unique(np.asarray(block.y, dtype=np.intp), return_inverse=True)[1]
        regressor = AdaptiveSplines() if self.regressor is None else self.regressor
        values, draw = permuted_scores(regressor, block.X, indicator(codes, int(codes.max()) + 1))
        with linalg.limit_blas(block.X.size):
            return resampled_test(
                values,
                float(len(codes)),
                len(values),
                draw,
                method=method,
                alpha=alpha,
                n_draws=n_draws,
                seed=random_state,
                stop=True,
                again=", with the regression repeated",
            )

    def _facts(self) -> Iterator[str]:
        yield from super()._facts()
        yield f"Average squared residual of the scores: {self.asr_:.4g}."

    def _obeys(self) -> Laws:
        counted = self.regressor is None or has_fit_parameter(self.regressor, "sample_weight")
        return Laws(invariance="none", counts_rows=counted)  # what a regression is invariant to is its own matter

    # -- use -----------------------------------------------------------------------------------------------------

    def _coordinates(self, X: Array) -> Array:
        fits = self._scoring.fits(self._numpy_rows(X))
        return namespaces.like((fits - self._centre) @ self.spectrum_.vectors, X)
