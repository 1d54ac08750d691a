"""What discriminants by regression share: scores, centroids and a rule in the space of the fits."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import errors, linalg, namespaces
from ..arrays.parameters import check_count
from ..arrays.typing import Array, TableLike
from ..regress.optimal_scoring import Scoring, check_regressor
from ..rows import whole
from ..solve import Spectrum
from .classifier import CanonicalClassifier, Priors, read_priors


class ScoredClassifier(CanonicalClassifier):
    """A discriminant that reads all rows, scores groups of them, and classifies by distance in canonical coordinates.

    The groups are the classes (FDA) or their subclasses (MDA).
    """

    _target = "labels"
    _in_memory = True
    _dtype: ClassVar[Any]
    _given_priors: Priors = None

    n_components: int | None
    regressor: Any
    priors: Any
    scores_: Array
    canonical_correlations_: Array
    asr_: float
    explained_variance_ratio_: Array

    @staticmethod
    def _by_place(n_components: Any, regressor: Any) -> tuple[Any, Any]:
        """Tell a regressor given first from a number of directions, which cannot be fitted."""
        return (None, n_components) if regressor is None and hasattr(n_components, "fit") else (n_components, regressor)

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of the regressor (`regressor__degree`) need one that was given."""
        named = next((name for name in params if name.startswith("regressor__")), None)
        if named is not None and params.get("regressor", self.regressor) is None:
            raise errors.InputError(
                f"{named} is a parameter of a regressor, and this {type(self).__name__} was given none; pass one, such "
                "as regressor=AdaptiveSplines()."
            )
        super().set_params(**params)
        return self

    def _check_shared(self, regressor: Any) -> None:
        if hasattr(self.n_components, "fit"):
            kind = type(self.n_components).__name__
            raise errors.InputTypeError(
                f"n_components={kind}(…) beside regressor={type(self.regressor).__name__}(…), but it is the number of "
                "directions; pass one regressor."
            )
        check_count(self.n_components)
        if regressor is not None:
            check_regressor(regressor)

    def _work(self) -> tuple[int, int] | None:
        """Return how many copies of the rows, and how many extra columns, a fit took when measured; None if unknown."""
        return None

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any]:
        """Check and read all rows; parameters that cannot suit these classes are refused before any work."""
        source: Any = self._open(X, y, sample_weight, reset=True)
        labels, K = source.labels, len(source.labels.classes)
        if K < 2:
            raise errors.one_class(labels.classes.tolist()[0] if K else None)
        self._given_priors = None if self.priors is None else read_priors(self.priors, K)
        rows = whole(source, self._work())
        assert rows.weight is not None
        if float(rows.weight.sum()) <= K:
            raise errors.weight_too_small(float(rows.weight.sum()), K, "W − K")
        return source, rows

    def _set_spectrum(self, spectrum: Spectrum, shares: np.ndarray, divisor: float, dtype: Any) -> Spectrum:
        """Keep the directions wanted and set what they say; values are between over within, divisor W·divisor."""
        ratios = spectrum.values / divisor  # the same with divisor W, and so α²/(1 − α²)
        kept = spectrum
        if self.n_components is not None:
            if self.n_components > len(spectrum):
                advice = "The fitted class scores lie in a smaller space."
                what = "The between-class scatter"
                errors.warn(
                    errors.rank_deficient(what, len(spectrum), self.n_components, "directions were asked for", advice)
                )
            kept = spectrum.first(min(len(spectrum), self.n_components))
        k, total = len(kept), float(ratios.sum()) + spectrum.tail / divisor
        assert kept.left is not None
        self.spectrum_ = kept
        self.scores_ = np.asarray(kept.left / np.sqrt(shares)[:, None], dtype=dtype)
        self.canonical_correlations_ = np.sqrt(ratios[:k] / (1.0 + ratios[:k])).astype(dtype)
        self.asr_ = float(np.sum(1.0 / (1.0 + ratios[:k])))
        self.explained_variance_ratio_ = (ratios[:k] / (total if total > 0 else 1.0)).astype(dtype)
        return kept

    def _numpy_rows(self, X: Array) -> np.ndarray:
        return np.asarray(namespaces.float64(namespaces.to_numpy(X)))

    def mahalanobis(self, X: TableLike) -> Array:
        """Return the squared distance of each row to each centroid in the canonical coordinates kept."""

        def distances(block: Array) -> Array:
            return linalg.squared_distances(self._coordinates(block), namespaces.like(self._centroids, block))

        return self._over_rows(X, distances, named="mahalanobis")


def result_dtype(source: Any) -> Any:
    """Return the NumPy dtype of results: that of the rows."""
    return namespaces.to_numpy(source.table.sample).dtype


def native_labels(source: Any) -> Array | None:
    """Return an empty array of the library the labels came in, where that was not NumPy."""
    native = source.labels.native
    return None if native is None else native[:0]


def warn_if_perfect(scoring: Scoring) -> None:
    """Say so where the regression reproduces the groups exactly."""
    if scoring.perfect:
        errors.warn(
            errors.PerfectFitWarning(
                f"regressor={type(scoring.regressor).__name__} fits the classes of its own rows, or a contrast of "
                "them, exactly (canonical correlation 1), so the spread within classes cannot be measured there: "
                "posteriors will be near 0 or 1. Use a smoother regressor (more neighbours, more penalty, fewer "
                "terms)."
            )
        )
