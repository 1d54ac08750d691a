"""What linear discriminants share: class means, a within-class metric, one pencil, a rule linear in X."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from .._core import errors
from .._core import xp as _xp
from .._core.errors import inference as errors_inference
from .._core.parameters import check_choice, is_number
from .._core.typing import Array, TableLike
from ..inference import CANONICAL, Choice, DimensionTest, canonical_permutation_test, wilks
from ..moments import Centred, Grouped
from ..regress.scoring import contrasts
from ..sources import Source
from ..sources.companions import refuse_other_labels
from ..spectral import Form, Pencil, Spectrum, orient, solve
from ..subspace import Subspace
from ._base import MomentsEstimator, form_of, in_data_units
from ._classifier import CanonicalClassifier, priors_for


class LinearDiscriminant(CanonicalClassifier, MomentsEstimator):
    """Directions that part class means against a within-class metric, from grouped moments.

    A subclass says which metric (`_pencil`), in which units its moments are (`_within`), and, where its pencil lives in
    other coordinates than the columns, the way back (`_lifted`).
    """

    _target = "labels"
    _rank_advice: ClassVar[str] = "Use shrinkage, or fewer columns, if these directions matter."
    _native_labels: Array | None = None

    n_components: Any
    priors: Any

    @property
    def _penalised_by(self) -> str:
        """Name, for a message, the parameter that takes the normal theory away."""
        return type(self).__name__

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
            Labels that may come in this batch; others are refused. Classes are found on the way, so this is a check,
            not a need.
        """
        if classes is not None:
            if isinstance(X, Source) and y is None:
                raise errors.classes_without_labels()
            refuse_other_labels(y, classes)
        return self._partial_fit(X, y, sample_weight)

    # -- hooks -------------------------------------------------------------------------------------------------

    @abstractmethod
    def _within(self, moments: Grouped) -> tuple[Centred, float]:
        """Return class means with the within-class sum of squares, and its divisor."""

    def _lifted(self, vectors: Array, pencil: Any) -> Array:
        """Return directions of the pencil as directions of the columns."""
        return vectors

    def _present(self, spectrum: Spectrum, pencil: Pencil, moments: Grouped) -> None:
        within, _ = self._within(moments)
        xp, dtype, unit = _xp.namespace(within.pivot), within.dtype, within.unit
        spectrum = spectrum.first(max(1, min(len(spectrum), spectrum.rank)))
        spectrum = spectrum.mapped(in_data_units(self, self._lifted(spectrum.vectors, pencil), unit))
        centre = _xp.like(self._shares(moments), within.shift) @ within.shift
        offsets = within.shift - centre
        W = self._lifted(spectrum.whitening.matrix, pencil) / unit[:, None]  # type: ignore[union-attr]
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

    def _check_source(self, source: Source, whole: bool) -> None:
        labels, p = source.labels, source.n_features
        self._native_labels = None if labels is None or labels.native is None else labels.native[:0]
        if whole and labels is not None and len(labels.classes) > 1:
            priors_for(self.priors, np.ones(len(labels.classes)))
            self._rank_wanted(len(labels.classes), p)
        elif is_number(self.n_components) and self.n_components > p:  # more classes may come, columns may not
            raise errors.components_out_of_range(self.n_components, p, f"X has {p} columns")

    def _lacking(self, moments: Grouped) -> Exception | None:
        K = len(moments.labels)
        if K < 2:
            return errors.one_class(moments.labels[0] if K else None)
        if moments.weight <= K:
            return errors.weight_too_small(moments.weight, K, "W − K")
        try:
            priors_for(self.priors, moments.weights)
            self._rank_wanted(K, moments.n_features)
        except errors.InputError as error:
            return error
        return None

    def _forget_source(self) -> None:
        self._native_labels = None

    # -- what the hooks share ----------------------------------------------------------------------------------

    def _shares(self, moments: Grouped) -> np.ndarray:
        """Return the weights of the class means in B and in the overall mean."""
        return priors_for(self.priors, moments.weights)

    def _between(self, within: Centred, moments: Grouped) -> Form:
        """Return B = Σ π (m − m̄)(m − m̄)ᵀ by its factor."""
        shares = _xp.like(self._shares(moments), within.shift)
        means = within.shift - shares @ within.shift
        return Form(factor=means * _xp.namespace(shares).sqrt(shares)[:, None], squared=False)

    def _rank_wanted(self, K: int, p: int) -> int:
        most = min(p, K - 1)
        if self.n_components in (None, "auto"):
            return most
        if self.n_components > most:
            why = f"{K} classes and {p} columns give at most {most} discriminant directions"
            raise errors.components_out_of_range(self.n_components, most, why)
        return int(self.n_components)

    def _warn_ranks(self, spectrum: Spectrum, pencil: Pencil, moments: Grouped) -> None:
        whitening = spectrum.whitening
        assert whitening is not None
        if whitening.rank < whitening.varying:
            what = "The within-class covariance"
            errors.warn(
                errors.rank_deficient(what, whitening.rank, whitening.varying, "columns vary", self._rank_advice)
            )
        elif is_number(self.n_components) and whitening.varying < self.n_components:
            wanted = int(self.n_components)
            errors.warn(errors.few_columns_vary("X", whitening.varying, moments.n_features, wanted))
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

    # -- how many directions -----------------------------------------------------------------------------------

    @property
    def _penalised(self) -> bool:
        """Whether something is added to the sums of squares of X: the normal theory then does not hold."""
        return False

    def _as_tested(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray | Choice | None]:
        """Return rows, in any coordinates in which the same problem is posed, and what is added to their sums."""
        return X, None

    def _kept(self, spectrum: Spectrum, pencil: Pencil, moments: Grouped) -> Spectrum:
        if self.n_components != "auto":
            return spectrum
        return spectrum.first(max(1, self._theory(moments, 0.05, "wilks").dimension))

    def _theory(self, moments: Grouped, alpha: float, method: str) -> DimensionTest:
        """Test the canonical correlations of X with the classes, each class weighted by its share."""
        K, n, within = len(moments.labels), moments.weight, moments.within()
        shares = _xp.like(moments.weights / n, within.shift)
        means = (within.shift - shares @ within.shift) * _xp.namespace(shares).sqrt(shares)[:, None]
        most = max(1, min(within.n_features, within.n_rows - K))
        B = form_of(within, n)
        spectrum = solve(Pencil(Form(factor=means, squared=False), B, None, within.constant_columns(), most))
        rank = spectrum.whitening.rank  # type: ignore[union-attr]
        ratios = _xp.to_numpy(spectrum.values)[: min(rank, K - 1)]
        cosines, sines = np.sqrt(ratios / (1 + ratios)), 1 / np.sqrt(1 + ratios)
        return wilks(cosines, n, rank, K - 1, alpha, method, sines=sines)

    def test_dimension(
        self, alpha: float = 0.05, method: str | None = None, *, n_draws: int = 199, random_state: Any = 0
    ) -> DimensionTest:
        """Test how many discriminant directions there are, whatever `n_components` is: "at most d", d = 0, 1, …

        Parameters
        ----------
        alpha : float
            Level.
        method : {"wilks", "bartlett", "pillai", "lawley-hotelling", "roy", "permutation"}, optional
            Normal theory of the canonical correlations of X with the classes (see `eigenlens.inference.wilks`), from
            moments alone; or their sum of squares under permutations of the variates after the d-th, which assumes no
            law and reads the rows of the fit again. With shrinkage or a penalty the normal theory does not hold:
            "permutation" is then the default, and all there is.
        n_draws : int
            Number of permutations.
        random_state : int, Generator, RandomState or None
            Their seed.

        Notes
        -----
        Classes count by their shares and within-class covariances are pooled, whatever priors and weights the rule
        uses. With shrinkage a towards the identity, class means are measured against (1 − a)T + a·tr(T)/p·I, with the a
        of the fit; a λ that the data have chosen is chosen again in each permutation.
        """
        self._require_fit()
        method = ("permutation" if self._penalised else "wilks") if method is None else method
        check_choice("method", method, (*CANONICAL, "permutation"))
        if method == "permutation":
            block = self._rows_again()
            codes, K = np.asarray(block.y, dtype=np.intp), len(self._collected.labels)
            codes = np.unique(codes, return_inverse=True)[1]
            Y = contrasts(np.bincount(codes, minlength=K) / len(codes))[codes]
            X, penalty = self._as_tested(block.X)
            return canonical_permutation_test(X, Y, penalty, alpha=alpha, n_draws=n_draws, seed=random_state)
        if self._penalised:
            raise errors_inference.permutation_only(self._penalised_by, method)
        return self._theory(self._collected, alpha, method)

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
