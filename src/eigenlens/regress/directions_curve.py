"""A response as a curve on a few directions: what a method of directions finds, and a spline of its first scores."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from ..arrays import errors
from ..arrays.parameters import published_at_once
from ..arrays.stored import stored
from ..arrays.typing import ColumnLike, TableLike
from .adaptive_splines import AdaptiveSplines

MOST_ROWS = 20_000  # that the curve is fitted to: it has few terms, and these rows are plenty


@stored("CurveOnDirections")
class CurveOnDirections(RegressorMixin, BaseEstimator):
    """Predict a response by adaptive splines of the first directions that a method finds.

    Parameters
    ----------
    directions : estimator
        SIR, or another that finds directions of X for a number y.
    n_directions : int, default 2
        How many directions the curve uses.

    Attributes
    ----------
    directions_ : fitted estimator
    curve_ : AdaptiveSplines
    range_ : ndarray of shape (2, n_directions)
        Smallest and largest scores that the curve was fitted to. Beyond these it is flat: terms of second degree would
        grow without bound, and a single row far out would get an absurd prediction.

    See Also
    --------
    SIR : Directions along which the mean of x moves with y.
    eigenlens.regress.AdaptiveSplines : Products of hinges (MARS).

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import SIR
    >>> from eigenlens.regress import CurveOnDirections
    >>> X = np.random.default_rng(0).standard_normal((400, 5))
    >>> y = np.exp(X[:, 0] + X[:, 1])
    >>> model = CurveOnDirections(SIR()).fit(X[:300], y[:300])
    >>> bool(model.score(X[300:], y[300:]) > 0.9)
    True
    """

    directions_: BaseEstimator
    curve_: AdaptiveSplines
    range_: np.ndarray

    def __init__(self, directions: Any, n_directions: int = 2) -> None:
        self.directions, self.n_directions = directions, n_directions

    def fit(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> Self:
        """Find directions, then a curve on them."""
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        if isinstance(self.directions, type) or not hasattr(self.directions, "transform"):
            raise errors.InputError(
                f"directions={self.directions!r} is not a method that finds directions; use SIR() or another estimator "
                "with fit and transform."
            )
        found = clone(self.directions).fit(X, y, **given)
        return self.bent(found, np.asarray(found.transform(X)), y, sample_weight)

    @published_at_once
    def bent(self, directions: Any, scores: np.ndarray, y: ColumnLike, sample_weight: ColumnLike | None = None) -> Self:
        """Fit the curve alone, on the scores of directions that were found before."""
        n = len(scores)
        rows = slice(None) if n <= MOST_ROWS else np.linspace(0, n - 1, MOST_ROWS).astype(int)
        Z, y = scores[rows, : self.n_directions], np.asarray(y)[rows]
        w = None if sample_weight is None else np.asarray(sample_weight)[rows]
        self.curve_ = AdaptiveSplines(degree=2).fit(Z, y, sample_weight=w)
        self.directions_, self.range_ = directions, np.stack([Z.min(axis=0), Z.max(axis=0)])
        return self

    @property
    def n_features_in_(self) -> int:
        """Columns of the rows that the directions were found in."""
        return self.directions_.n_features_in_

    def transform(self, X: TableLike) -> Any:
        """Return the scores of rows on the directions."""
        check_is_fitted(self, "curve_")
        return self.directions_.transform(X)

    def predict(self, X: TableLike) -> Any:
        """Predict from new rows."""
        Z = np.asarray(self.transform(X))[:, : self.n_directions]
        limits = getattr(self, "range_", None)  # which models in older files do not have
        return self.curve_.predict(Z if limits is None else np.clip(Z, *limits))

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the scores."""
        return self.directions_.get_feature_names_out()
