"""What every discriminant offers once it has canonical coordinates, centroids and priors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassifierMixin

from .._core import errors
from .._core import xp as _xp
from .._core.typing import Array, TableLike
from ..moments import Centred
from ._base import column_names
from ._transformer import RowsTransformer

PRIOR_SUM = 1e-6  # priors in single precision, or typed in with seven digits, still add up to 1


class CanonicalClassifier(RowsTransformer, ClassifierMixin):
    """Nearest centroid in canonical coordinates, prior odds counted in.

    A subclass is an estimator of this package that calls `_set_rule` with centroids and priors and says in
    `_coordinates` where a row lies. The rule is

        argmax_k  −½‖z − z_k‖² + log π_k,

    whose linear part zᵀz_k − ½‖z_k‖² + log π_k is used: what all classes share cancels before it can hide the rest.
    """

    classes_: Array
    priors_: Array
    centroids_: Array

    @abstractmethod
    def _coordinates(self, X: Array) -> Array:
        """Return the canonical coordinates of rows, in float64."""

    if TYPE_CHECKING:  # the estimator it is mixed into has it

        def _over_rows(self, X: TableLike, function: Callable[[Array], Array], keep_dtype: bool = True) -> Array: ...

    def _set_rule(
        self, labels: np.ndarray, native: Array | None, priors: np.ndarray, centroids: Array, dtype: Any
    ) -> None:
        """Set what the rule needs; the labels go back to the library they came in."""
        self._centroids, self._priors = centroids, priors
        self.classes_ = labels if native is None else _xp.like(labels, native)
        self.centroids_ = _xp.published(centroids, dtype)
        self.priors_ = _xp.published(_xp.like(priors, centroids), dtype)

    def _linear_scores(self, X: Array) -> Array:
        Z, C = self._coordinates(X), _xp.like(self._centroids, X)
        xp = _xp.namespace(Z)
        return Z @ C.T + (xp.log(_xp.like(self._priors, X)) - 0.5 * xp.sum(C**2, axis=1))

    def transform(self, X: TableLike) -> Array:
        """Return the canonical coordinates of rows, in which within-class covariance is the identity."""
        return self._over_rows(X, self._coordinates)

    def decision_function(self, X: TableLike) -> Array:
        """Return log-posteriors up to what all classes share: (n, K), or (n,) for the second of two classes."""

        def scores(block: Array) -> Array:
            D = self._linear_scores(block)
            return D[:, 1] - D[:, 0] if D.shape[1] == 2 else D

        return self._over_rows(X, scores)

    def predict_log_proba(self, X: TableLike) -> Array:
        """Return the logarithms of the posterior probabilities, finite however far a row is away; always float64."""

        def log_posterior(block: Array) -> Array:
            D = self._linear_scores(block)
            return D - _xp.logsumexp(D)

        return self._over_rows(X, log_posterior, keep_dtype=False)

    def predict_proba(self, X: TableLike) -> Array:
        """Return the posterior probability of each class; always float64, so that it and its logarithm agree."""
        log_posterior = self.predict_log_proba(X)
        return _xp.namespace(log_posterior).exp(log_posterior)

    def predict(self, X: TableLike) -> Array:
        """Return the most probable class of each row."""

        def label(block: Array) -> Array:
            return labels_of(_xp.namespace(block).argmax(self._linear_scores(block), axis=1), self.classes_)

        return self._over_rows(X, label, keep_dtype=False)

    @property
    def _n_features_out(self) -> int:
        return self.centroids_.shape[1]


def labels_of(codes: Array, classes: Array) -> Array:
    """Return classes[codes], in the library of the classes: words are with the host, wherever the codes are."""
    if isinstance(classes, np.ndarray):
        return classes[_xp.to_numpy(codes)]
    return _xp.take_rows(classes, _xp.like(codes, classes))


def read_priors(priors: Any) -> np.ndarray | None:
    """Return given prior probabilities, None where the shares of the classes are to be taken.

    Their sum is looked at by `priors_for`, which knows how many there must be: three for six classes rarely add up.
    """
    if priors is None:
        return None
    given = np.asarray(priors)
    if given.ndim != 1 or given.dtype.kind not in "fiu" or isinstance(priors, np.ma.MaskedArray):
        rule = "they must be a list of numbers, none of them masked"
        raise errors.priors(priors, rule, "give one number for each class, in the order of classes_")
    given = given.astype(np.float64)
    if not np.isfinite(given).all() or (given <= 0).any():
        raise errors.priors(priors, "each must be positive", "leave the rows of impossible classes out instead")
    return given


def priors_for(priors: Any, weights: np.ndarray) -> np.ndarray:
    """Return the prior probabilities of classes: as given, or the classes' shares of the total weight."""
    given, K = read_priors(priors), len(weights)
    if given is None:
        return weights / weights.sum()
    if len(given) != K:
        raise errors.priors(priors, f"there are {K} classes", f"give {K} numbers, in the order of classes_")
    if abs(given.sum() - 1) > PRIOR_SUM:
        raise errors.priors(priors, f"they add up to {given.sum():g}", "divide them by their sum")
    return given / given.sum()


def nothing_varies(within: Centred) -> Exception | None:
    """Complain where columns are constant within classes and the same in all of them."""
    alike = _xp.namespace(within.pivot).all(within.constant_columns() & ~_between_classes(within))
    return errors.nothing_parts() if bool(alike) else None


def _between_classes(within: Centred) -> Array:
    """Tell of each column whether the means of classes differ by more than rounding."""
    xp = _xp.namespace(within.pivot)
    spread = xp.max(within.shift, axis=0) - xp.min(within.shift, axis=0)
    return spread > _xp.EPS / 4 * xp.max(xp.abs(within.shift + within.pivot / within.unit), axis=0)


def separating(within: Centred, estimator: Any) -> Exception | None:
    """Complain of columns that are constant within every class but not between classes."""
    columns = np.flatnonzero(_xp.to_numpy(within.constant_columns() & _between_classes(within)))
    if len(columns):
        return errors.no_within_variance(column_names(estimator, columns))
    return nothing_within(within)


def nothing_within(within: Centred) -> Exception | None:
    """Complain where no column varies within classes."""
    constant = bool(_xp.namespace(within.pivot).all(within.constant_columns()))
    return errors.no_variance_within() if constant else None
