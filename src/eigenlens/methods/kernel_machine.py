r"""Kernel machines: functions of a reproducing kernel Hilbert space that minimise regularised risk.

.. math:: \min_{f, b} \sum_i w_i \ell(y_i, f(x_i) + b) + \lambda \|f\|^2, \quad f = \sum_i c_i k(x_i, \cdot),

with squared loss (y − f)², hinge max(0, 1 − yf), logistic log(1 + e^(−yf)) or ε-insensitive loss max(0, |y − f| − ε).
The intercept b, and whatever the kernel leaves free, is not penalised. Hinge and ε-insensitive loss are those of libsvm
with C = 1/(2λ).

References
----------
Schölkopf, Smola (2002), Learning with Kernels, MIT Press.
Wahba (1990), Spline Models for Observational Data, SIAM.
Ferris, Munson (2002), Interior-point methods for massive support vector machines, SIAM J. Optimization 13.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import MultiOutputMixin
from sklearn.utils.metaestimators import available_if

from ..arrays import errors, linalg, namespaces
from ..arrays.errors import plain
from ..arrays.parameters import check_number, of_one_fit, published_at_once
from ..arrays.stored import stored
from ..arrays.typing import Array, ColumnLike, ColumnNames, TableLike
from ..rows import ClassifierScore, RegressorScore
from ._machine import KernelMachine
from .classifier import labels_of
from .kernel_estimator import DEFAULT, FOREIGN_NAMES
from .spine.about import Declaration


@stored("KernelRegressor")
class KernelRegressor(MultiOutputMixin, RegressorScore, KernelMachine):
    """Regression in a reproducing kernel Hilbert space.

    Parameters
    ----------
    kernel : kernel, name or function
        Of `eigenlens.kernels`, or a function of two tables; where X is a list of objects, such as words or graphs, a
        function of two of them. The default bandwidth is the median distance between rows. Set its parameters with
        `kernel__bandwidth` and the like. Straight lines of `Spline` and `ThinPlate` are not penalised.
    loss : {"squared", "epsilon_insensitive"}
    epsilon : float
        Half width of the tube in which errors cost nothing, for "epsilon_insensitive".
    lam : float, "gcv" or "loo"
        λ, or a rule: "gcv" and "loo" choose the best of a path by generalised or leave-one-out cross-validation, from
        one eigendecomposition ("squared" only). With weights, leave-one-out removes one unit of weight.
    lams : list of float, optional
        The path; by default 50 values from 10⁻⁸ to 10 times the largest eigenvalue of the centred kernel matrix.
    n_landmarks : int or None
        Number of rows that represent all others: the work is linear in the number of rows, and `landmark_error_`
        measures what they miss.
    fit_intercept : bool
        False penalises everything: the answer is f = Σ cᵢ k(xᵢ, ·) alone, and for squares scikit-learn's KernelRidge
        with alpha=λ. It takes a positive definite kernel, and does not use libsvm.
    polish : bool
        Refine the solution of libsvm, which rounds the kernel matrix to single precision, to double precision. Without
        it, the solution is that of scikit-learn's SVC and SVR to the last digit.

    Attributes
    ----------
    function_ : RKHSFunction
        f, of one or several responses.
    intercept_ : float, or array of shape (q,)
    trend_ : array
        Coefficients of the unpenalised functions of the kernel, without the constant.
    lam_ : float
    path_ : Path
        `lams`, `gcv`, `loo` and `df` of the path, if a rule chose λ.
    support_ : array
        Indices of the support vectors, if the loss has any.
    landmarks_, landmark_error_ : array of shape (m,), float
        With `n_landmarks`: indices of the landmark rows, and the share of the trace of the kernel matrix that they
        miss.
    kernel_ : Kernel
        With all parameters.

    See Also
    --------
    KernelClassifier : Boundaries of any shape.
    eigenlens.regress.AdditiveSplines : A smooth curve for each column (BRUTO).
    eigenlens.regress.AdaptiveSplines : Products of hinges (MARS).

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import KernelRegressor
    >>> from eigenlens.kernels import Gaussian
    >>> rng = np.random.default_rng(0)
    >>> x = np.sort(rng.uniform(0, 6, 100))[:, None]
    >>> y = np.sin(x[:, 0]) + 0.1 * rng.standard_normal(100)
    >>> model = KernelRegressor(Gaussian(1.0), lam="loo").fit(x, y)
    >>> bool(np.abs(model.predict(x) - np.sin(x[:, 0])).max() < 0.12)
    True
    >>> model.path_.lams.shape
    (50,)
    """

    trend_: Array
    landmark_error_: float

    _declaration = Declaration(display="penalty_path", foreign_names=FOREIGN_NAMES)
    _target = "table"
    _second_name = "y"
    _losses = ("squared", "epsilon_insensitive")

    def __init__(
        self,
        kernel: Any = DEFAULT,
        *,
        loss: Literal["squared", "epsilon_insensitive"] = "squared",
        epsilon: float = 0.1,
        lam: float | Literal["gcv", "loo"] = "gcv",
        lams: Any = None,
        n_landmarks: int | None = None,
        fit_intercept: bool = True,
        polish: bool = False,
    ) -> None:
        self.kernel = kernel
        self.loss = loss
        self.epsilon = epsilon
        self.lam = lam
        self.lams = lams
        self.n_landmarks = n_landmarks
        self.fit_intercept = fit_intercept
        self.polish = polish

    @published_at_once
    def fit(
        self,
        X: TableLike,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        target: ColumnNames | None = None,
    ) -> Self:
        """Fit the function.

        Parameters
        ----------
        X : table of shape (n, p), or (n, n) for a precomputed kernel; or a list of objects
        y : array of shape (n,), or (n, q) for several responses
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts twice.
        target : column, optional
            Instead of y: its name in X, if the columns of X have names.
        """
        check_number("epsilon", self.epsilon, 0.0)
        kernel, X = self._tabled(self._check_risk(), X)
        source: Any = self._open(*self._take_target(X, y, target), sample_weight, reset=True)
        self._single = source.single_response
        rows = self._gather(source, kernel, self._far(kernel))
        kernel = self._start(kernel, rows)
        Y = namespaces.float64(rows.y)
        if self.loss == "squared":
            self._fit_squares(kernel, rows, Y)
        else:
            every = np.arange(Y.shape[0])
            targets = namespaces.to_numpy(Y)
            problems = [(every, targets[:, j]) for j in range(Y.shape[1])]
            self._fit_support(kernel, rows, problems, float(self.epsilon))
        return self

    def predict(self, X: TableLike) -> Array:
        """Return f(x) + b: of shape (n,) or (n, q), as y had. For a precomputed kernel X is k(X, rows of fit)."""

        def values(block: Array) -> Array:
            D = self._decide(self._moved(block, self._pivot))
            return D[:, 0] if self._single else D

        return self._over_rows(X, values, named="prediction")


@stored("KernelClassifier")
class KernelClassifier(ClassifierScore, KernelMachine):
    """Classification in a reproducing kernel Hilbert space.

    Parameters
    ----------
    kernel : kernel, name or function
        Of `eigenlens.kernels`, or a function of two tables; where X is a list of objects, such as words or graphs, a
        function of two of them. The default bandwidth is the median distance between rows. Set its parameters with
        `kernel__bandwidth` and the like.
    loss : {"hinge", "logistic", "squared"}
        "hinge" is the support vector machine of libsvm, classes one against one. "logistic" is multinomial and gives
        probabilities. "squared" regresses ±1, each class against the rest.
    lam : float, "gcv" or "loo"
        λ; for "hinge" C = 1/(2λ), by default 10, which is best on twenty tables (see the guide).
        The rules choose it for "squared", which takes longer and is often a little better.
    lams : list of float, optional
        The path for the rules; by default 50 values from 10⁻⁸ to 10 times the largest eigenvalue.
    n_landmarks : int or None
        Number of rows that represent all others: the work is linear in the number of rows, and `landmark_error_`
        measures what they miss.
    fit_intercept : bool
        False penalises everything: f = Σ cᵢ k(xᵢ, ·) alone, whose boundaries go through the origin where the kernel is
        linear. It takes a positive definite kernel, and does not use libsvm.
    polish : bool
        Refine the solution of libsvm, which rounds the kernel matrix to single precision, to double precision. Without
        it, the solution is that of scikit-learn's SVC and SVR to the last digit.

    Attributes
    ----------
    classes_ : array of shape (K,)
    function_ : RKHSFunction
        One function for each machine: one for two classes, K for "squared" and "logistic", and K(K − 1)/2 for "hinge":
        pairs (0, 1), (0, 2), …, positive for the first of the pair, as in libsvm.
    intercept_ : float, or array with one number for each machine
    trend_ : array
        Coefficients of the unpenalised functions of the kernel, without the constant.
    lam_ : float
    path_ : Path
        `lams`, `gcv`, `loo` and `df` of the path, if a rule chose λ.
    support_ : array
        Indices of the support vectors, if the loss has any.
    landmarks_, landmark_error_ : array of shape (m,), float
        With `n_landmarks`: indices of the landmark rows, and the share of the trace of the kernel matrix that they
        miss.
    kernel_ : Kernel
        With all parameters.

    See Also
    --------
    KernelRegressor : A smooth function of all columns.
    FDA : Boundaries that bend.
    LDA : Classes with one covariance.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import KernelClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 2))
    >>> y = np.hypot(X[:, 0], X[:, 1]) > 1.2                  # a disc and what surrounds it
    >>> KernelClassifier(lam=0.05).fit(X, y).score(X, y) > 0.95
    True
    """

    classes_: Array
    trend_: Array
    landmark_error_: float

    _declaration = Declaration(display="decision", foreign_names=FOREIGN_NAMES)
    _target = "labels"
    _losses = ("hinge", "logistic", "squared")

    def __init__(
        self,
        kernel: Any = DEFAULT,
        *,
        loss: Literal["hinge", "logistic", "squared"] = "hinge",
        lam: float | Literal["gcv", "loo"] = 0.05,
        lams: Any = None,
        n_landmarks: int | None = None,
        fit_intercept: bool = True,
        polish: bool = False,
    ) -> None:
        self.kernel = kernel
        self.loss = loss
        self.lam = lam
        self.lams = lams
        self.n_landmarks = n_landmarks
        self.fit_intercept = fit_intercept
        self.polish = polish

    @published_at_once
    def fit(
        self,
        X: TableLike,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        target: ColumnNames | None = None,
    ) -> Self:
        """Fit the functions.

        Parameters
        ----------
        X : table of shape (n, p), or (n, n) for a precomputed kernel; or a list of objects
        y : labels of shape (n,)
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts twice.
        target : column, optional
            Instead of y: its name in X, if the columns of X have names.
        """
        kernel, X = self._tabled(self._check_risk(), X)
        source: Any = self._open(*self._take_target(X, y, target), sample_weight, reset=True)
        labels = source.labels
        K = len(labels.classes)
        if K < 2:
            raise errors.one_class(labels.classes[0] if K else None)
        rows = self._gather(source, kernel, self._far(kernel))
        kernel = self._start(kernel, rows)
        codes = np.asarray(namespaces.to_numpy(rows.y), dtype=np.intp)
        self._n_classes = K
        if self.loss == "hinge":
            self._fit_support(kernel, rows, _pairs_of(codes, K), codes=codes if K > 2 else None)
        else:
            indicator = np.equal(codes[:, None], np.arange(K) if K > 2 else [1]).astype(float)
            targets = namespaces.like(indicator, rows.X)
            if self.loss == "squared":
                self._fit_squares(kernel, rows, 2.0 * targets - 1.0)
            else:
                self._fit_logistic(kernel, rows, targets)
        self.classes_ = labels.classes if labels.native is None else namespaces.like(labels.classes, labels.native)
        return self

    # -- use -----------------------------------------------------------------------------------------------------

    def decision_function(self, X: TableLike) -> Array:
        """Return decision values: (n,) for two classes, positive for the second; (n, K) for more, the largest wins.

        For "hinge" and more than two classes these are the votes of the machines, ties broken by their values, as in
        scikit-learn's SVC.
        """

        def values(block: Array) -> Array:
            D = self._scores(block)
            return D[:, 0] if D.shape[1] == 1 else D

        return self._over_rows(X, values, named=self._by_class("decision"))

    def _scores(self, block: Array) -> Array:
        D = self._decide(self._moved(block, self._pivot))
        return _votes(D, self._n_classes) if self.loss == "hinge" and self._n_classes > 2 else D

    def predict(self, X: TableLike) -> Array:
        """Return the class of each row."""

        def best(block: Array) -> Array:
            D, xp = self._scores(block), namespaces.namespace(block)
            codes = xp.astype(D[:, 0] > 0, xp.int64) if D.shape[1] == 1 else xp.argmax(D, axis=1)
            return labels_of(codes, self.classes_)

        return self._over_rows(X, best, keep_dtype=False, named="prediction")

    def _is_logistic(self) -> bool:
        return bool(self.loss == "logistic")

    def __getattr__(self, name: str) -> Any:
        """Say what to do where a method is left out."""
        if name in ("predict_proba", "predict_log_proba"):
            raise AttributeError(
                f"KernelClassifier(loss={self.loss!r}) has no {name}: this loss gives no probabilities. Use "
                "loss='logistic', or decision_function."
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @available_if(_is_logistic)
    @of_one_fit
    def predict_log_proba(self, X: TableLike) -> Array:
        """Return the logarithms of the probabilities of the classes (n, K); loss "logistic" only; always float64."""
        return self._over_rows(X, self._log_probabilities, keep_dtype=False, named=self._by_class("log_probability"))

    def _log_probabilities(self, block: Array) -> Array:
        D = self._decide(self._moved(block, self._pivot))
        xp = namespaces.namespace(D)
        D = xp.concat([xp.zeros_like(D), D], axis=1) if D.shape[1] == 1 else D
        return linalg.log_softmax(D)

    def _by_class(self, what: str) -> list[str]:
        self._require_fit()
        return [f"{what}_{plain(label)}" for label in namespaces.to_numpy(self.classes_)]

    @available_if(_is_logistic)
    @of_one_fit
    def predict_proba(self, X: TableLike) -> Array:
        """Return the probabilities of the classes (n, K); loss "logistic" only; always float64."""

        def probabilities(block: Array) -> Array:
            logs = self._log_probabilities(block)
            return namespaces.namespace(logs).exp(logs)

        return self._over_rows(X, probabilities, keep_dtype=False, named=self._by_class("probability"))


def _pairs_of(codes: np.ndarray, K: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return rows and targets of every pair of classes; the second of two is the positive one, the first of more."""
    if K == 2:
        return [(np.arange(len(codes)), 2.0 * codes - 1.0)]
    problems = []
    for i, j in combinations(range(K), 2):
        index = np.flatnonzero((codes == i) | (codes == j))
        problems.append((index, np.where(codes[index] == i, 1.0, -1.0)))
    return problems


def _votes(D: Array, K: int) -> Array:
    """Count the votes of machines for pairs of classes, and add their values, scaled down so votes decide first."""
    xp = namespaces.namespace(D)
    votes, confidence = ([xp.zeros_like(D[:, 0]) for _ in range(K)] for _ in range(2))
    for m, (i, j) in enumerate(combinations(range(K), 2)):
        for_second = xp.astype(D[:, m] < 0, D.dtype)
        votes[i], votes[j] = votes[i] + 1.0 - for_second, votes[j] + for_second
        confidence[i], confidence[j] = confidence[i] + D[:, m], confidence[j] - D[:, m]
    total, extra = xp.stack(votes, axis=1), xp.stack(confidence, axis=1)
    return total + extra / (3.0 * (xp.abs(extra) + 1.0))
