r"""Linear discriminant analysis (Fisher's discriminants).

Directions that separate the class means, measured by the spread within classes: maximise

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

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import errors, namespaces
from ..arrays.exponents import over_largest
from ..arrays.parameters import check_choice, check_count, is_number
from ..arrays.spelling import option
from ..arrays.stored import stored
from ..arrays.typing import Array, Priors
from ..moments import Centred, Grouped, Quartic
from ..solve import Form, Pencil
from ..solve.few_rows import dual_basis
from ..solve.shrinkage import RidgedForm, ledoit_wolf, oas, shrunk
from ..solve.subspace import Subspace
from ..validation.downdates import ClassRows, linear_scores, scatter_axes
from .classifier import between_form, class_priors, refuse_no_spread, refuse_separating, spread_within
from .discriminant import DiscriminantProblem, LinearDiscriminant
from .spine.about import Declaration, DirectionTest, Laws, basis_of
from .spine.canonical_tests import classes_by_theory, cost_of_classes
from .spine.chosen import Validated, shrinkages
from .spine.missing import in_units_of_data
from .spine.rows_estimator import Known

SHRINKAGES = ("ledoit-wolf", "oas", "cv")


@dataclass(frozen=True, eq=False)
class ShrunkProblem(DiscriminantProblem):
    """Class means against a covariance drawn towards a multiple of the identity, or towards its own diagonal.

    Attributes
    ----------
    intensity : float
        How far.
    to_diagonal : bool
    """

    intensity: float = 0.0
    to_diagonal: bool = False

    @property
    def sphered_later(self) -> bool:  # type: ignore[override]
        return isinstance(self.pencil.B, RidgedForm)

    def with_penalty(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        unit, p = namespaces.to_numpy(self.centred.unit), X.shape[1]
        X = (X - X.mean(axis=0)) / unit
        if self.to_diagonal:  # that of all rows, which no permutation of the classes changes
            sizes = np.linalg.norm(X, axis=0)
            X = X / np.where(sizes > 0, sizes, 1.0)
        a, trace = min(self.intensity, 1 - 1e-9), float(np.sum(X**2))
        if len(X) < p:
            X = X @ dual_basis(X, None)[0]
        return X, a / (1 - a) * trace / p * np.eye(X.shape[1])


@stored("LDA")
class LDA(LinearDiscriminant):
    """Linear discriminant analysis: a classifier, and a transformer to the discriminant coordinates.

    Parameters
    ----------
    n_components : int, "auto" or None
        Rank of the rule, at most min(p, K − 1), which is the default; "auto" is the number that Wilks' test finds at
        5%. Fewer directions change the classifier too (reduced-rank LDA).
    priors : array of shape (K,) or dict of class to number, optional
        Class probabilities, in the order of `classes_` or by label; by default the shares of the classes.
        They enter the rule, the between-class scatter and the overall mean, as in R's MASS.
    shrinkage : None, float in [0, 1], "ledoit-wolf", "oas" or "cv"
        How far S_W is shrunk. "ledoit-wolf" and "oas" choose the amount from the same pass; Ledoit–Wolf keeps fourth
        moments for every class (memory 3K·p²; the rows of a class while they are fewer than p). "cv" chooses the value
        that predicts the classes of unseen rows best (accuracy, then log-loss, five folds), in two passes, and keeps
        it in `shrinkage_`.
    shrinkage_target : {"auto", "identity", "diagonal"}
        What S_W is shrunk towards: tr(S_W)/p·I, which makes sense for columns of one unit, or the variances of the
        columns within classes, which does not depend on units (for a column that varies between classes only, its
        variance over all rows). "auto" is "identity" for a number and "diagonal" for an amount that is chosen.
        `LDA(shrinkage=m.shrinkage_, shrinkage_target="diagonal")` repeats a choice.
    within : {"pooled", "equal"}
        S_W = Σ T_k/(W − K), or the plain mean of the class covariances T_k/W_k.
    between : {"weighted", "equal", "classes"}
        S_B: class means weighted by the priors; equally, about their plain mean; or, with "classes", equally about the
        mean of the rows, (1/K) Σ (μ_k − μ)(μ_k − μ)ᵀ.
    missing : {"refuse", "ml"}
        How to treat NaN in X: raise an error, or treat it as an unobserved cell and estimate means and covariance by
        maximum likelihood. Cells must be missing at random. A row with NaN then has posteriors from the densities of
        its observed cells, and scores Σ_k P(k | observed) E[z | observed, k].

    Attributes
    ----------
    classes_ : array of shape (K,)
        Sorted; pandas categories keep their own order.
    priors_ : array of shape (K,)
    means_ : array of shape (K, p)
    mean_ : array of shape (p,)
        Centre of the coordinates: the class means weighted as in B.
    scalings_ : array of shape (p, k)
        Discriminant directions V as columns, with VᵀSV = I for the covariance S within classes.
    centroids_ : array of shape (K, k)
        Class means in discriminant coordinates.
    explained_variance_ratio_ : array of shape (k,)
        Share of each direction in the between-class variance.
    shrinkage_, cv_path_ : float, array of shape (m, 3)
        The shrinkage used; with "cv", also the values tried, with their mean scores and standard errors.
    coef_, intercept_ : arrays
        The linear rule in the units of X. Predictions go through the coordinates, which lose no digits to an offset.
    structure_, structure_within_ : arrays of shape (p, k)
        Correlations of the columns with the scores, over all rows and within classes.
    covariance_, between_ : arrays of shape (p, p)
        S_W, before shrinkage, and S_B.
    log_likelihood_ : float
        With `missing="ml"`: log-likelihood of the observed cells.
    moments_ : Grouped
        What the pass collected; `moments_.merge(other)` joins fits on different rows.
    subspace_ : Subspace
    spectrum_ : Spectrum

    See Also
    --------
    QDA : A covariance for each class.
    PDA : Smooth or small coefficients, for many columns.
    FDA : Boundaries that bend.
    MDA : Classes in several clouds.
    CCA : Directions that two tables share.
    eigenlens.validation.cross_validate : Scores of settings on rows left out.

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

    means_: Array
    mean_: Array
    scalings_: Array
    explained_variance_ratio_: Array
    cv_path_: Array
    coef_: Array
    intercept_: Array
    subspace_: Subspace

    _declaration = Declaration(
        question="classes",
        name="lda",
        place=0,
        use="directions that separate classes of similar shape; fast, with tests",
        test=DirectionTest(
            cost_of_classes,
            theory=lambda model, X, y: model.shrinkage is None and classes_by_theory(X, y),
            advice=lambda: f"{option('method', 'pda')} has another test.",
        ),
        if_separated=lambda model: {"shrinkage": "oas"},
        compared_as="LDA",
        advantage="straight boundaries",
        display="discriminant",
        linear_map=basis_of,
        foreign_names={
            "solver": "there is one exact solver, which takes shrinkage and gives coordinates too; leave it out",
            "store_covariance": "covariance_ always exists; leave it out",
            "tol": "rank is decided relative to the largest value; leave it out",
            "covariance_estimator": "use shrinkage='ledoit-wolf', 'oas' or a number",
        },
    )

    def __init__(
        self,
        n_components: int | Literal["auto"] | None = None,
        *,
        priors: Priors | None = None,
        shrinkage: float | Literal["ledoit-wolf", "oas", "cv"] | None = None,
        shrinkage_target: Literal["auto", "identity", "diagonal"] = "auto",
        within: Literal["pooled", "equal"] = "pooled",
        between: Literal["weighted", "equal", "classes"] = "weighted",
        missing: Literal["refuse", "ml"] = "refuse",
    ) -> None:
        self.n_components = n_components
        self.priors = priors
        self.shrinkage = shrinkage
        self.shrinkage_target = shrinkage_target
        self.within = within
        self.between = between
        self.missing = missing

    _units_advice = "Use shrinkage_target='diagonal'"
    _validated = Validated("shrinkage", 0.0, shrinkages, "accuracy first")

    # -- moments, problem, parameters ----------------------------------------------------------------------------

    def _moments(self, kind: type[Centred]) -> Grouped:
        if self.shrinkage == "ledoit-wolf":
            return Grouped(Quartic, pooled=False)
        return Grouped(kind, pooled=self.within == "pooled")

    def _pose(self, moments: Grouped) -> DiscriminantProblem:
        shrinkage = self._value("shrinkage")
        moments, weights = self._require_classes(moments)
        K, p = len(weights), self.n_features_in_
        k = self._wanted(K, p)
        if self.within == "equal":
            within, divisor = moments.within(1.0 / (K * weights)), 1.0
        else:
            within, divisor = moments.within(), float(weights.sum()) - K
        constant: Array | None
        constant, names = within.constant_columns(), getattr(self, "feature_names_in_", None)
        if shrinkage is None:
            Sw = Form.of(within, divisor)
            refuse_separating(within, constant, names)
        else:
            refuse_no_spread(within, constant)
            intensity = self._intensity(moments)
            if self._to_diagonal:
                Sw = shrunk(Form.of(within, divisor), intensity, spread_within(within, divisor))
            else:
                within = within.uniform()[0]
                Sw = shrunk(Form.of(within, divisor), intensity)
            constant = None
        priors = class_priors(self._given_priors, weights, moments.labels)
        equal = np.full(K, 1.0 / K)
        shares = equal if self.between == "equal" else priors
        between = between_form(within, shares, priors if self.between == "weighted" else equal)
        most = max(1, min(p, within.n_rows - K))
        pencil = Pencil(between, Sw, n_components=k, constant=constant, most=most)
        posed = pencil, moments, within, names, self.n_components, priors, shares, divisor
        if shrinkage is None:
            return DiscriminantProblem(*posed)
        return ShrunkProblem(*posed, f"shrinkage={self.shrinkage!r}", intensity, self._to_diagonal)

    def _check_parameters(self, known: Known | None = None) -> None:
        if known is not None:
            self._check_known(known)
            return
        a = self.shrinkage
        check_count(self.n_components, auto=a is None)
        named = isinstance(a, str) and a in SHRINKAGES
        if a is not None and not named and not (is_number(a) and 0 <= float(a) <= 1):
            theirs = " It is scikit-learn's name for Ledoit–Wolf shrinkage of standardised columns: use 'ledoit-wolf'."
            raise errors.InputError(
                f"shrinkage={a!r} is not an option; use one of None, a number from 0 to 1, 'ledoit-wolf', 'oas' or "
                f"'cv'.{theirs * (isinstance(a, str) and a == 'auto')}"
            )
        check_choice("shrinkage_target", self.shrinkage_target, ("auto", "identity", "diagonal"))
        check_choice("within", self.within, ("pooled", "equal"))
        check_choice("between", self.between, ("weighted", "equal", "classes"))
        check_choice("missing", self.missing, self._modes)
        if self.missing != "refuse" and a == "ledoit-wolf":
            raise errors.InputError(
                "shrinkage='ledoit-wolf' needs fourth moments, which rows with holes do not give; use shrinkage='oas' "
                "or a number with missing='ml'."
            )

    @property
    def _to_diagonal(self) -> bool:
        """Whether shrinkage is towards the variances of the columns, rather than towards their mean."""
        chosen = isinstance(self.shrinkage, str)
        return self.shrinkage_target == "diagonal" or (self.shrinkage_target == "auto" and chosen)

    def _pinned(self) -> dict[str, Any]:
        return {"shrinkage_target": "diagonal" if self._to_diagonal else "identity"}

    @property
    def shrinkage_(self) -> float:
        """The shrinkage that was used, as a number."""
        if not hasattr(self, "spectrum_"):
            raise AttributeError("LDA has no shrinkage_ before it is fitted")
        return 0.0 if self.shrinkage is None else self._intensity(self._in_order(self._whole_moments))

    def _facts(self) -> Iterator[str]:
        yield from super()._facts()
        if isinstance(self.shrinkage, str) and self.shrinkage != "cv":
            yield f"shrinkage = {self.shrinkage_:.4g} ({self.shrinkage})."

    def _obeys(self) -> Laws:
        if not self.shrinkage:
            return Laws(invariance="linear")
        return Laws(invariance="units" if self._to_diagonal else "rotation")

    # -- the quotient ------------------------------------------------------------------------------------------

    @property
    def between_(self) -> np.ndarray:
        """S_B, the scatter of the class means as `between` weights them, of shape (p, p)."""
        if not hasattr(self, "subspace_"):
            raise AttributeError("LDA has no between_ before it is fitted")
        problem = self._pose(self._whole_moments)
        found = in_units_of_data(problem.pencil.A, problem.centred.unit)
        return np.asarray(found, dtype=namespaces.to_numpy(self.mean_).dtype)

    def rayleigh(self, w: ArrayLike) -> float | np.ndarray:
        """Return R(w) = wᵀS_B w / wᵀS_W w, which the first discriminant direction makes largest.

        Parameters
        ----------
        w : array of shape (p,) or (p, m)
            A direction, or several as columns.

        Returns
        -------
        float or ndarray of shape (m,)
            With shrinkage, S_W is the shrunken one. NaN for a direction in which rows of a class do not differ.

        Examples
        --------
        >>> import numpy as np
        >>> from eigenlens import LDA
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> lda = LDA().fit(X, y)
        >>> lda.rayleigh(lda.scalings_).round(3)
        array([31.548,  0.28 ])
        >>> round(lda.rayleigh([1, 0, 0, 0]), 3)  # sepal length by itself
        1.59
        """
        self._require_fit()
        p = self.n_features_in_
        try:
            directions = np.asarray(w, dtype=float)
        except (TypeError, ValueError) as error:
            raise errors.not_read_as_numbers(
                "w", w, f"{p} numbers, or {p} rows with a direction in each column"
            ) from error
        if directions.ndim not in (1, 2) or len(directions) != p or not np.isfinite(directions).all():
            raise errors.InputError(
                f"w has shape {directions.shape}; give {p} finite numbers, one for each column of X, or {p} rows with "
                "a direction in each column."
            )
        problem: Any = self._pose(self._whole_moments)
        unit = problem.centred.unit
        scaled = namespaces.like(over_largest(directions.reshape(p, -1)), unit) * unit[:, None]
        xp = namespaces.namespace(scaled)
        above, below = (
            namespaces.to_numpy(xp.sum(scaled * form.apply(scaled), axis=0))
            for form in (problem.pencil.A, problem.pencil.B)
        )
        found = np.divide(above, below, out=np.full(len(below), np.nan), where=below > 0)
        return float(found[0]) if directions.ndim == 1 else found

    # -- rows left out -------------------------------------------------------------------------------------------

    def _has_left_out(self) -> bool:
        none = self.within == "equal" or self.shrinkage in ("ledoit-wolf", "cv")
        none = none or (self.shrinkage is not None and self._to_diagonal)
        return not none and super()._has_left_out()

    def _left_out(self, X: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> np.ndarray | None:
        if self.shrinkage is None or not self._has_left_out() or self.missing != "refuse":
            return super()._left_out(X, codes, weight)
        moments, K = self._in_order(self._collected), len(self._priors)
        within = moments.within().uniform()[0]
        axes = scatter_axes(Form.of(within, 1.0))
        unit, pivot = float(within.unit[0]), namespaces.to_numpy(within.pivot)
        rows, means = ((X - pivot) / unit) @ axes.vectors, namespaces.to_numpy(within.shift) @ axes.vectors
        classes = ClassRows(rows, means, codes, weight, moments.weights)
        W = moments.weight - weight
        a, trace = axes.without(classes.offsets, classes.taken, W, self.shrinkage)
        metric = (1 - a)[:, None] * axes.values + (a * trace / X.shape[1])[:, None]
        return linear_scores(classes, metric, 1 - a, W - K, self._fixed_priors)

    def _intensity(self, moments: Grouped) -> float:
        if not isinstance(self._value("shrinkage"), str):
            return float(self._value("shrinkage"))
        within, W = moments.within(), moments.weight
        scale = spread_within(within, W) if self._to_diagonal else within.uniform()[0].unit / within.unit
        S = Form.of(within, W).column_scaled(1.0 / scale)
        if self.shrinkage == "oas":
            return oas(S, W)
        if any(group.exponent is not None for group in moments.groups):
            raise errors.fourth_powers()
        fourth = sum(group.fourth_of(scale) for group in moments.groups)  # type: ignore[attr-defined]
        return ledoit_wolf(S, fourth, W)
