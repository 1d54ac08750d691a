"""What every discriminant offers once it has canonical coordinates, centroids and priors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ..arrays import errors, linalg, namespaces
from ..arrays.errors import plain
from ..arrays.parameters import published_at_once
from ..arrays.typing import Array, ColumnLike, ColumnNames, TableLike
from ..moments import Centred
from ..rows import ClassifierScore
from ..solve import Form
from .spine.problem import column_names
from .spine.rows_estimator import RowsEstimator, RowsTransformer

LARGE_SCORE = 1e3  # of which rounding takes the thirteenth decimal
#: Prior probabilities as they were given: by place, or by label.
Priors = np.ndarray | dict[Any, float] | None
PRIOR_SUM = 1e-6  # priors in single precision, or typed in with seven digits, still add up to 1


class PosteriorClassifier(ClassifierScore, RowsEstimator):
    """Predicts by the largest posterior; a subclass says in `_scores` what the log-posteriors of rows are."""

    classes_: Array
    priors_: Array

    _takes_sparse: ClassVar[bool] = False  # whether scores of sparse rows are found without making them dense

    @abstractmethod
    def _scores(self, X: Array, sharp: bool) -> Array:
        """Return log-posteriors of rows, up to what all classes share: (n, K), in float64.

        `sharp` asks for more than their order: rounding of large scores must not show in their differences.
        """

    @published_at_once
    def fit(
        self,
        X: TableLike,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        target: ColumnNames | None = None,
    ) -> Self:
        """Find what separates the classes.

        Parameters
        ----------
        X : table of shape (n, p)
        y : labels of shape (n,)
            Omit it if X is a source that holds the labels.
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts twice.
        target : column, optional
            Instead of y: its name in X, if the columns of X have names (also in DuckDB tables).
        """
        if target is not None or self._target_columns is not None:
            X, y = self._take_target(X, y, target)
        return self._fit(X, y, sample_weight)

    if TYPE_CHECKING:  # the estimator it is mixed into has it

        def _fit(self, X: TableLike, y: Any, sample_weight: Any) -> Self: ...

    def _set_classes(
        self, labels: np.ndarray, native: Array | None, priors: np.ndarray, like: Array, dtype: Any
    ) -> None:
        """Set the classes, in the library their labels came in, and the prior probabilities."""
        self._priors = priors
        self.classes_ = labels if native is None else namespaces.like(labels, native)
        self.priors_ = namespaces.attribute_copy(namespaces.like(priors, like), dtype)

    def decision_function(self, X: TableLike) -> Array:
        """Return log-posteriors up to a term that all classes share: (n, K), or (n,) for the second of two classes."""

        def scores(block: Array) -> Array:
            D = self._scores(block, sharp=False)
            return D[:, 1] - D[:, 0] if D.shape[1] == 2 else D

        return self._over_rows(X, scores, takes_sparse=self._takes_sparse, named=self._by_class("decision"))

    def _by_class(self, what: str) -> list[str]:
        """Return the names of columns that say something of each class."""
        self._require_fit()
        return [f"{what}_{plain(label)}" for label in namespaces.to_numpy(self.classes_)]

    def predict_log_proba(self, X: TableLike) -> Array:
        """Return the logarithms of the posterior probabilities, finite for rows however far away; always float64."""
        return self._posteriors(X, linalg.log_softmax, "log_probability")

    def predict_proba(self, X: TableLike) -> Array:
        """Return the posterior probability of each class; always float64, so it agrees with its logarithm."""

        def probability(scores: Array) -> Array:
            return namespaces.namespace(scores).exp(linalg.log_softmax(scores))

        return self._posteriors(X, probability, "probability")

    def _posteriors(self, X: TableLike, form: Callable[[Array], Array], what: str) -> Array:
        return self._over_rows(
            X,
            lambda block: form(self._scores(block, sharp=True)),
            keep_dtype=False,
            takes_sparse=self._takes_sparse,
            named=self._by_class(what),
        )

    def predict(self, X: TableLike) -> Array:
        """Return the most probable class of each row."""

        def label(block: Array) -> Array:
            return labels_of(namespaces.namespace(block).argmax(self._scores(block, sharp=True), axis=1), self.classes_)

        return self._over_rows(X, label, keep_dtype=False, takes_sparse=self._takes_sparse, named="prediction")


class CanonicalClassifier(RowsTransformer, PosteriorClassifier):
    """Nearest centroid in canonical coordinates, prior odds counted in.

    A subclass is an estimator of this package that calls `_set_rule` with centroids and priors and says in
    `_coordinates` where a row lies. The rule is

        argmax_k  −½‖z − z_k‖² + log π_k,

    whose linear part zᵀz_k − ½‖z_k‖² + log π_k is used: what all classes share cancels before it can hide the rest.
    """

    centroids_: Array

    @abstractmethod
    def _coordinates(self, X: Array) -> Array:
        """Return the canonical coordinates of rows, in float64."""

    def _set_rule(
        self, labels: np.ndarray, native: Array | None, priors: np.ndarray, centroids: Array, dtype: Any
    ) -> None:
        """Set what the rule needs."""
        self._centroids = centroids
        self._set_classes(labels, native, priors, centroids, dtype)
        self.centroids_ = namespaces.attribute_copy(centroids, dtype)

    def _scores(self, X: Array, sharp: bool) -> Array:
        return centroid_scores(self._coordinates(X), namespaces.like(self._centroids, X), np.log(self._priors), sharp)

    def transform(self, X: TableLike) -> Array:
        """Return the canonical coordinates of rows, in which within-class covariance is the identity."""
        return self._over_rows(X, self._coordinates, takes_sparse=self._takes_sparse)

    @property
    def _n_features_out(self) -> int:
        return self.centroids_.shape[1]


def centroid_scores(Z: Array, C: Array, log_weights: np.ndarray, sharp: bool) -> Array:
    """Return zᵀc_k − ½‖c_k‖² + log π_k for rows z and centroids c_k: (n, K).

    With `sharp`, rows whose scores are large get them as differences to the score of their best centroid c,
    (z − c)ᵀ(c_k − c) − ½‖c_k − c‖² + log π_k: the same up to what all classes share, and the rounding of a large
    score, which the difference of two would show, is gone.
    """
    xp, logs = namespaces.namespace(Z), namespaces.like(log_weights, Z)
    D = Z @ C.T + (logs - 0.5 * xp.sum(C**2, axis=1))
    if not sharp:
        return D
    large = xp.max(xp.abs(D), axis=1) > LARGE_SCORE
    if not bool(xp.any(large)):
        return D
    best = xp.argmax(D, axis=1)
    for k in range(C.shape[0]):
        to_best = C - C[k, :]
        about = (Z - C[k, :]) @ to_best.T + (logs - 0.5 * xp.sum(to_best**2, axis=1))
        D = xp.where((large & (best == k))[:, None], about, D)
    return D


def labels_of(codes: Array, classes: Array) -> Array:
    """Return classes[codes], in the library of the classes: words are with the host, wherever the codes are."""
    if isinstance(classes, np.ndarray):
        return classes[namespaces.to_numpy(codes)]
    return namespaces.take_rows(classes, namespaces.like(codes, classes))


def read_priors(priors: Any, n_classes: int | None) -> np.ndarray | dict[Any, float]:
    """Return given prior probabilities.

    Parameters
    ----------
    priors : array of shape (K,), or dict of class to number
    n_classes : int or None
        K, where it is known before the rows are read.
    """
    if isinstance(priors, Mapping):
        return dict(zip(priors, _probabilities(list(priors.values()), None, dict(priors)).tolist(), strict=True))
    return _probabilities(priors, n_classes, priors)


def _probabilities(priors: Any, n_classes: int | None, shown: Any) -> np.ndarray:
    """Return one probability for each class; `shown` is what messages write."""
    given = np.asarray(priors)
    if given.ndim != 1 or given.dtype.kind not in "fiu" or isinstance(priors, np.ma.MaskedArray):
        rule = "they must be a list of numbers, none of them masked"
        raise _priors(shown, rule, "give one number for each class, in the order of classes_")
    given = given.astype(np.float64)
    if n_classes is not None:
        refuse_other_count(given, n_classes)
    if not np.isfinite(given).all() or (given <= 0).any():
        raise _priors(shown, "each must be positive", "leave the rows of impossible classes out instead")
    if abs(given.sum() - 1) > PRIOR_SUM:
        way_out = "divide them by their sum" + (", or add a class that is missing" if isinstance(shown, dict) else "")
        raise _priors(shown, f"they add up to {given.sum():g}", way_out)
    return given / given.sum()


def refuse_other_count(given: np.ndarray, K: int) -> None:
    """Refuse priors that are not one for each class."""
    if len(given) != K:
        raise _priors(given.tolist(), f"there are {K} classes", f"give {K} numbers, in the order of classes_")


def class_priors(given: Priors, weights: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the prior probabilities of classes: as given, or the classes' shares of the total weight."""
    if given is None:
        return weights / weights.sum()
    if isinstance(given, dict):
        classes = labels.tolist()
        for what, odd in (
            ("has no class", [key for key in given if key not in classes]),
            ("lacks class", [label for label in classes if label not in given]),
        ):
            if odd:
                subject = "y" if what == "has no class" else "it"
                named = errors.listed(repr(plain(name)) for name in odd)
                shown = {key: round(value, 6) for key, value in given.items()}
                raise _priors(shown, f"{subject} {what} {named}", "give one number for each class, by its label")
        return np.array([given[label] for label in classes])
    refuse_other_count(given, len(weights))
    return given


def between_form(within: Centred, shares: np.ndarray, weights: np.ndarray | None = None) -> Form:
    """Return B = Σ π (m − m̄)(m − m̄)ᵀ by its factor, with m̄ = Σ `shares` m; π are `weights`, or these shares."""
    pi = namespaces.like(shares if weights is None else weights, within.shift)
    means = within.shift - namespaces.like(shares, within.shift) @ within.shift
    return Form(factor=means * namespaces.namespace(pi).sqrt(pi)[:, None], squared=False)


def refuse_alike(within: Centred, constant: Array) -> None:
    """Refuse columns that are constant within classes and the same in all of them."""
    if bool(namespaces.namespace(within.pivot).all(constant & ~_between_classes(within))):
        raise errors.nothing_separates()


def refuse_separating(within: Centred, constant: Array, names: Sequence[str] | None) -> None:
    """Refuse columns that are constant within every class but not between classes."""
    if not bool(namespaces.namespace(constant).any(constant)):
        return
    separating = namespaces.to_numpy(constant & _between_classes(within))
    if separating.any():
        named = column_names(names, separating)
        if np.count_nonzero(separating) == 1:
            what, alone, out = f"column {named} is", "the column alone separates", "the column"
        else:
            what, alone, out = f"columns {named} are", "these columns alone separate", "them"
        raise errors.SeparationError(
            f"X: {what} constant within every class, with other values in other classes: {alone} classes, and the "
            f"discriminant ratio is infinite. Drop {out}, or use shrinkage."
        )
    refuse_no_spread(within, constant)


def refuse_no_spread(within: Centred, constant: Array) -> None:
    """Refuse classes within which no column varies."""
    xp = namespaces.namespace(constant)
    if not bool(xp.all(constant)):
        return
    if not bool(xp.any(_between_classes(within))):
        raise errors.InputError(
            "X: every column is constant within every class and the same in all of them, so nothing separates "
            "the classes. Add columns that vary."
        )
    raise errors.SeparationError(
        "X: every column is constant within every class, so there is no spread within classes to divide by: "
        "the classes can be read off the columns. Add columns that vary."
    )


def spread_within(within: Centred, divisor: float) -> Array:
    """Return the standard deviation of each column within classes, over 2^exponent.

    A column that does not vary within them has its standard deviation over all rows, or 1 where that is 0 too.
    """
    xp, constant = namespaces.namespace(within.pivot), within.constant_columns()
    shares = namespaces.like(within.weights / within.weight, within.shift)
    between = shares @ (within.shift - shares @ within.shift) ** 2
    still = xp.where(between > 0, between, 1.0)
    return xp.sqrt(xp.where(constant, still, within.store.diagonal() / divisor))


def _between_classes(within: Centred) -> Array:
    """Tell of each column whether the means of classes differ by more than rounding."""
    xp = namespaces.namespace(within.pivot)
    spread = xp.max(within.shift, axis=0) - xp.min(within.shift, axis=0)
    return spread > namespaces.EPS / 4 * xp.max(xp.abs(within.shift + within.pivot / within.unit), axis=0)


def _priors(value: Any, rule: str, way_out: str) -> errors.InputError:
    return errors.InputError(f"priors={value!r} but {rule}; {way_out}.")
