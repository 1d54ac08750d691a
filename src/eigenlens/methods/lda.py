r"""Linear discriminant analysis (Fisher's discriminants).

Directions that part the class means, measured by the spread within classes: maximise

.. math:: \frac{v^T B v}{v^T S_W v}, \quad B = \sum_k \pi_k (m_k - m)(m_k - m)^T, \quad S_W = \sum_k T_k / (W - K),

with :math:`V^T S_W V = I`. :math:`S_W` is whitened and the weighted class means are decomposed in these coordinates;
:math:`S_W^{-1} B` is never formed.

References
----------
Fisher (1936), The use of multiple measurements in taxonomic problems. Rao (1948), The utilization of multiple
measurements in problems of biological classification.
Hastie, Tibshirani, Friedman (2009), The Elements of Statistical Learning, section 4.3.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np

from .._core import errors
from .._core import xp as _xp
from .._core.typing import Array, TableLike
from ..moments import Centred, Factor, Grouped, Quartic
from ..sources import Labels, Source
from ..spectral import Form, Pencil, Spectrum, orient
from ..subspace import Subspace
from ._base import MomentsEstimator, column_names, form_of, in_data_units
from ._classifier import CanonicalClassifier, priors_for, read_priors
from ._shrinkage import ledoit_wolf, oas, shrunk

SHRINKAGES = ("ledoit-wolf", "oas")


class LDA(CanonicalClassifier, MomentsEstimator):
    """Linear discriminant analysis: a classifier, and a transformer to the discriminant coordinates.

    Parameters
    ----------
    n_components : int or None
        Rank of the rule, at most min(p, K − 1), which None takes. Fewer directions change the classifier too
        (reduced-rank LDA).
    priors : array of shape (K,), optional
        Class probabilities, in the order of `classes_`; by default the shares of the classes. They enter the rule, the
        between-class scatter and the overall mean, as in R's MASS.
    shrinkage : None, float in [0, 1], "ledoit-wolf" or "oas"
        Draw S_W towards tr(S_W)/p·I. Both named choices come from the one pass; Ledoit–Wolf keeps a scatter for
        every class (memory K·p²).
    within : {"pooled", "equal"}
        S_W = Σ T_k/(W − K), or the plain mean of the class covariances T_k/W_k.
    between : {"weighted", "equal"}
        Class means weighted by the priors, or equally about their plain mean.

    Attributes
    ----------
    classes_ : array of shape (K,)
    priors_ : array of shape (K,)
    means_ : array of shape (K, p)
    mean_ : array of shape (p,)
        Centre of the coordinates: the class means weighted as in B.
    scalings_ : array of shape (p, k)
        Discriminant directions as columns, with VᵀS_WV = I.
    centroids_ : array of shape (K, k)
        Class means in discriminant coordinates.
    explained_variance_ratio_ : array of shape (k,)
        Share of each direction in the between-class variance.
    coef_, intercept_ : arrays
        The linear rule in the units of X. Predictions go through the coordinates, which lose no digits to an offset.
    moments_ : Grouped
        What the pass kept; `moments_.merge(other)` joins fits on different rows.
    subspace_ : Subspace
    spectrum_ : Spectrum

    Notes
    -----
    The divisor of S_W is W − K, as in MASS. scikit-learn divides by n: its `scalings_` are √(n/(n − K)) times these for
    `solver="svd"`, and its posteriors are those of a covariance (n − K)/n times as large.

    Examples
    --------
    >>> from eigenlens import LDA
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> lda = LDA().fit(X, y)
    >>> lda.explained_variance_ratio_.round(4)
    array([0.9912, 0.0088])
    >>> round(1 - lda.score(X, y), 4)
    0.02
    """

    _target = "labels"
    _invariance = "linear"

    def __init__(
        self,
        n_components: int | None = None,
        *,
        priors: Any = None,
        shrinkage: Any = None,
        within: str = "pooled",
        between: str = "weighted",
    ) -> None:
        self.n_components = n_components
        self.priors = priors
        self.shrinkage = shrinkage
        self.within = within
        self.between = between

    def fit(self, X: TableLike, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the discriminant directions.

        Parameters
        ----------
        X : table of shape (n, p)
        y : labels of shape (n,)
            Left out where X is a source that holds them.
        sample_weight : array of shape (n,), optional
            Weight 2 means that the row stands there twice.
        """
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: TableLike, y: Any = None, sample_weight: Any = None, classes: Any = None) -> Self:
        """Take in more rows; the result is that of all rows seen. Until two classes have come, only moments are kept.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array, optional
            Labels that may come; others are refused. Classes are found on the way, so this is a check, not a need.
        """
        if classes is not None and y is not None:
            unknown = np.setdiff1d(Labels.read(y).classes, np.asarray(classes))
            if len(unknown):
                raise errors.unknown_class(unknown.tolist(), np.asarray(classes).tolist())
        return self._partial_fit(X, y, sample_weight)

    # -- the three hooks ---------------------------------------------------------------------------------------

    def _moments(self, kind: type[Centred]) -> Grouped:
        if self.shrinkage == "ledoit-wolf":
            return Grouped(Quartic, pooled=False)
        return Grouped(kind, pooled=self.within == "pooled")

    def _pencil(self, moments: Grouped) -> Pencil:
        within, divisor = self._within(moments)
        K, p = len(moments.labels), moments.n_features
        Sw = form_of(within, divisor)
        if self.shrinkage is not None:
            Sw = shrunk(Sw, self._intensity(moments))
        shares = _xp.like(self._shares(moments), within.shift)
        means = within.shift - shares @ within.shift
        return Pencil(
            Form(factor=means * _xp.namespace(shares).sqrt(shares)[:, None], squared=False),
            Sw,
            n_components=self._rank_wanted(K, p),
            constant=within.constant_columns() if self.shrinkage is None else None,
            most=max(1, min(p, within.n_rows - K)),
        )

    def _present(self, spectrum: Spectrum, pencil: Pencil, moments: Grouped) -> None:
        within, _ = self._within(moments)
        xp, dtype, unit = _xp.namespace(within.pivot), within.dtype, within.unit
        spectrum = spectrum.first(max(1, min(len(spectrum), spectrum.rank)))
        spectrum = spectrum.mapped(in_data_units(self, spectrum.vectors, unit))
        centre = _xp.like(self._shares(moments), within.shift) @ within.shift
        offsets = within.shift - centre
        W = spectrum.whitening.matrix / unit[:, None]  # type: ignore[union-attr]
        W = W * orient(W)
        total = float(xp.sum(spectrum.values)) + spectrum.tail
        self.spectrum_ = spectrum
        self.subspace_ = Subspace(within.pivot, spectrum.vectors, centre * unit)
        self._sphering = Subspace(within.pivot, W, centre * unit)
        self._sphered_means = offsets @ (W * unit[:, None])
        centroids = offsets @ (spectrum.vectors * unit[:, None])
        self._set_rule(moments.labels, self._native_labels, priors_for(self.priors, moments.weights), centroids, dtype)
        self.means_ = _xp.published(within.means, dtype)
        self.mean_ = _xp.published(self.subspace_.point, dtype)
        self.scalings_ = _xp.published(spectrum.vectors, dtype)
        self.explained_variance_ratio_ = _xp.published(spectrum.values / (total if total > 0 else 1.0), dtype)
        self._set_linear_rule(dtype)

    def _check_parameters(self) -> None:
        k, a = self.n_components, self.shrinkage
        if k is not None and (isinstance(k, bool) or not isinstance(k, Integral) or k < 1):
            raise errors.components_kind(k, "a positive integer or None")
        read_priors(self.priors)
        named = isinstance(a, str) and a in SHRINKAGES
        number = isinstance(a, Real) and not isinstance(a, bool) and 0 <= float(a) <= 1
        if a is not None and not named and not number:
            raise errors.option("shrinkage", a, ("None", "a number from 0 to 1", *SHRINKAGES))
        for name, value, allowed in (
            ("within", self.within, ("pooled", "equal")),
            ("between", self.between, ("weighted", "equal")),
        ):
            if not isinstance(value, str) or value not in allowed:
                raise errors.option(name, value, allowed)

    def _check_source(self, source: Source, whole: bool) -> None:
        labels, p = source.labels, source.n_features
        self._native_labels = None if labels is None or labels.native is None else labels.native[:0]
        self._rank_wanted(p + 1, p)
        if whole and labels is not None and len(labels.classes) > 1:
            priors_for(self.priors, np.ones(len(labels.classes)))
            self._rank_wanted(len(labels.classes), p)

    def _check_moments(self, moments: Grouped) -> None:
        super()._check_moments(moments)
        needed = self._moments(Factor)
        option = "within='equal'" if self.within == "equal" else f"shrinkage={self.shrinkage!r}"
        if moments.pooled and not needed.pooled:
            raise errors.moments_lack("one scatter for each class", "one pooled scatter", option)
        if needed.of is Quartic and moments.of is not Quartic:
            raise errors.moments_lack("fourth moments", "none", f"shrinkage={self.shrinkage!r}")

    def _lacking(self, moments: Grouped) -> Exception | None:
        K = len(moments.labels)
        if K < 2:
            return errors.one_class(moments.labels[0].item() if K else None)
        if moments.weight <= K:
            return errors.weight_too_small(moments.weight, K, "W − K")
        try:
            priors_for(self.priors, moments.weights)
            self._rank_wanted(K, moments.n_features)
        except errors.InputError as error:
            return error
        return None if self.shrinkage is not None else self._separating(self._within(moments)[0])

    # -- what the hooks share ----------------------------------------------------------------------------------

    _native_labels: Array | None = None

    def _within(self, moments: Grouped) -> tuple[Centred, float]:
        """Return class means with the within-class sum of squares, and its divisor."""
        K = len(moments.labels)
        if self.within == "equal":
            within, divisor = moments.within(1.0 / (K * moments.weights)), 1.0
        else:
            within, divisor = moments.within(), moments.weight - K
        return (within if self.shrinkage is None else within.uniform()[0]), divisor

    def _shares(self, moments: Grouped) -> np.ndarray:
        """Return the weights of the class means in B and in the overall mean."""
        K = len(moments.labels)
        return np.full(K, 1.0 / K) if self.between == "equal" else priors_for(self.priors, moments.weights)

    def _rank_wanted(self, K: int, p: int) -> int:
        most = min(p, K - 1)
        if self.n_components is not None and self.n_components > most:
            why = f"{K} classes and {p} columns give at most {most} discriminant directions"
            raise errors.components_out_of_range(self.n_components, most, why)
        return most if self.n_components is None else int(self.n_components)

    def _intensity(self, moments: Grouped) -> float:
        if not isinstance(self.shrinkage, str):
            return float(self.shrinkage)
        S, W = form_of(moments.within().uniform()[0], moments.weight), moments.weight
        if self.shrinkage == "oas":
            return oas(S, W)
        return ledoit_wolf(S, sum(group.fourth for group in moments.groups), W)  # type: ignore[attr-defined]

    def _separating(self, within: Centred) -> Exception | None:
        """Complain of columns that are constant within every class but not between classes."""
        xp, constant = _xp.namespace(within.pivot), within.constant_columns()
        spread = xp.max(within.shift, axis=0) - xp.min(within.shift, axis=0)
        ulp = _xp.EPS / 4 * xp.max(xp.abs(within.shift + within.pivot / within.unit), axis=0)
        columns = np.flatnonzero(_xp.to_numpy(constant & (spread > ulp)))
        if len(columns):
            return errors.no_within_variance(column_names(self, columns))
        return errors.no_variance_within() if bool(xp.all(constant)) else None

    def _warn_ranks(self, spectrum: Spectrum, pencil: Pencil, moments: Grouped) -> None:
        whitening = spectrum.whitening
        assert whitening is not None
        if whitening.rank < whitening.varying:
            advice = "Use shrinkage, or fewer columns, if these directions matter."
            what = "The within-class covariance"
            errors.warn(errors.rank_deficient(what, whitening.rank, whitening.varying, "columns vary", advice))
        if spectrum.rank < len(spectrum):
            advice = "The class means lie in a smaller space."
            what = "The between-class scatter"
            errors.warn(errors.rank_deficient(what, max(spectrum.rank, 1), len(spectrum), "were asked for", advice))

    def _weakest(self) -> str:
        return "The within-class covariance (its root, columns scaled to unit variance)"

    def _set_linear_rule(self, dtype: Any) -> None:
        V, C = self.subspace_.basis, self._centroids
        xp = _xp.namespace(V)
        coef = C @ V.T
        intercept = xp.log(_xp.like(self._priors, V)) - 0.5 * xp.sum(C**2, axis=1) - coef @ self.subspace_.point
        if coef.shape[0] == 2:
            coef, intercept = coef[1:, :] - coef[:1, :], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = _xp.cast(coef, dtype), _xp.cast(intercept, dtype)

    # -- use ---------------------------------------------------------------------------------------------------

    def _coordinates(self, X: Array) -> Array:
        return self.subspace_.project(X)

    def sphere(self, X: TableLike) -> Array:
        """Return rows in coordinates in which the within-class covariance is the identity, all directions kept."""
        return self._over_rows(X, lambda block: self._sphering.project(block))

    def mahalanobis(self, X: TableLike) -> Array:
        """Return the squared Mahalanobis distance of each row to each class mean, in all dimensions: (n, K)."""

        def distances(block: Array) -> Array:
            return _xp.squared_distances(self._sphering.project(block), _xp.like(self._sphered_means, block))

        return self._over_rows(X, distances)
