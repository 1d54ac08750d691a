"""What linear discriminants share: class means, a within-class metric, one problem, a rule linear in X."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from ..arrays import errors, linalg, memory, namespaces
from ..arrays.typing import Array, ColumnLike, RandomState, TableLike
from ..inference.canonical import PenaltyRule
from ..inference.dimension_test import DimensionTest
from ..inference.incomplete import Hypothesis, of_classes
from ..moments import Grouped
from ..moments.redrawn import Redrawn
from ..regress.optimal_scoring import contrasts
from ..rows import Source
from ..rows.labels import refuse_other_labels
from ..solve import Form, Spectrum, orient, solve, whiten
from ..solve.shrinkage import RidgedForm
from ..solve.subspace import Subspace
from ..validation.downdates import ClassRows, linear_scores
from .classifier import CanonicalClassifier, Priors, read_priors
from .spine.canonical_tests import CanonicalTests, Sides, class_leverages, codes_of, wilks_of_classes
from .spine.missing import FillsOverGroups, in_units_of_data
from .spine.moments_estimator import MomentsEstimator
from .spine.patterns import expected_over_groups, law_of, require_law, with_holes
from .spine.problem import Problem
from .spine.rows_estimator import Known, wanted
from .spine.structure import structure


@dataclass(frozen=True, eq=False)
class DiscriminantProblem(Problem):
    """Class means against a within-class metric; `centred` holds the class means and the sum of squares within.

    Attributes
    ----------
    priors : ndarray of shape (K,)
        Class probabilities of the rule.
    shares : ndarray of shape (K,)
        Weights of the class means in B and in the overall mean.
    divisor : float
        Of the within-class sum of squares.
    penalised_by : str
        For a message: the parameter that adds to the sums of squares, which invalidates the normal theory.
    """

    priors: np.ndarray = None  # type: ignore[assignment]
    shares: np.ndarray = None  # type: ignore[assignment]
    divisor: float = 1.0
    penalised_by: str = ""

    condition_of = "The within-class covariance (its root, columns scaled to unit variance)"
    metric = "The within-class covariance"
    #: Whether the coordinates that make B the identity are as large as the rows, and made when asked for.
    sphered_later: ClassVar[bool] = False
    metric_advice = "Use shrinkage, or fewer columns, if these directions matter."
    signal = "The between-class scatter"
    signal_advice = "The class means lie in a smaller space."

    def solve(self) -> Spectrum:
        spectrum = solve(self.pencil)
        return spectrum.first(max(1, wilks_of_classes(self.moments).dimension)) if self.asked == "auto" else spectrum

    @property
    def hypothesis(self) -> Callable[[Redrawn], Hypothesis] | None:
        return None if self.penalised_by else lambda sample: of_classes(sample.shares, "wilks, missing cells")

    def with_penalty(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray | PenaltyRule | None]:
        """Return rows, in any coordinates in which the same problem is posed, and what is added to their sums."""
        return X, None


class ClassesEstimator(MomentsEstimator[Grouped]):
    """A method that is fitted to labelled rows, from moments of each class."""

    _target = "labels"
    _given_priors: Priors = None
    _priors: np.ndarray

    priors: Any

    def partial_fit(
        self, X: TableLike, y: ColumnLike | None = None, sample_weight: ColumnLike | None = None, classes: Any = None
    ) -> Self:
        """Add more rows; the result is that of a fit to all rows. With fewer than two classes, only moments are kept.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array, optional
            Labels that may occur in this batch; others are refused. Classes are found on the way, so this is only a
            check.
        """
        if classes is not None:
            if isinstance(X, Source) and y is None:
                raise errors.InputError(
                    "classes is a check of y, but y is in the source and has not been read yet; leave classes out: "
                    "they are found during the pass."
                )
            refuse_other_labels(y, classes)
        return self._partial_fit(X, y, sample_weight)

    def _in_order(self, moments: Grouped) -> Grouped:
        """Return moments with the classes in the order that they have in `classes_`."""
        return moments if self._class_order is None else moments.ordered(self._class_order)

    @property
    def _fixed_priors(self) -> np.ndarray | None:
        """Priors that do not depend on the rows, in the order of the classes; None where shares are taken."""
        return None if self._given_priors is None else self._priors

    @property
    def _class_weights(self) -> np.ndarray:
        return self._in_order(self._collected).weights

    def _require_classes(self, moments: Grouped) -> tuple[Grouped, np.ndarray]:
        """Refuse moments of one class or of too few rows; return them with classes in order, and their weights."""
        moments = moments if self._class_order is None else self._in_order(moments)
        K = len(moments.labels)
        if K < 2:
            raise errors.one_class(moments.labels.tolist()[0] if K else None)
        weights = moments.weights
        if weights.sum() <= K:
            raise errors.weight_too_small(float(weights.sum()), K, "W − K")
        return moments, weights


class LinearDiscriminant(CanonicalClassifier, FillsOverGroups, CanonicalTests[Grouped], ClassesEstimator):
    """Directions that separate class means against a within-class metric, from grouped moments."""

    _takes_sparse = True

    n_components: Any
    _sphering: Any
    _sphered_means: Any

    # -- what subclasses share -----------------------------------------------------------------------------------

    def _check_known(self, known: Known) -> None:
        """Read the priors, and refuse more directions than classes and columns can give."""
        self._given_priors = None if self.priors is None else read_priors(self.priors, known.n_classes)
        self._wanted(known.n_classes, known.n_features)

    def _wanted(self, K: int | None, p: int) -> int:
        """Return how many directions to find; K is None where more classes may come."""
        if K is None:
            return wanted(self.n_components, p, f"X has {p} columns")
        most = min(p, K - 1)
        why = f"{K} classes and {p} columns give at most {most} discriminant directions"
        return wanted(self.n_components, most, why)

    def _present(self, problem: DiscriminantProblem, spectrum: Spectrum) -> None:
        within, moments = problem.centred, problem.moments
        xp, dtype, unit = namespaces.namespace(within.pivot), within.dtype, within.unit
        if spectrum.rank < spectrum.singular_values.shape[0]:
            spectrum = spectrum.first(max(1, spectrum.rank))
        W = None if problem.sphered_later else spectrum.whitening.matrix  # type: ignore[union-attr]
        spectrum = problem.of_columns(spectrum)
        centre = namespaces.like(problem.shares, within.shift) @ within.shift
        offsets = within.shift - centre
        point = within.pivot + centre * unit
        self.spectrum_ = spectrum
        self.subspace_ = Subspace(within.pivot, spectrum.vectors, centre * unit)
        self._sphering, self._sphered_means = (None, None) if W is None else self._sphere_of(problem, W)
        centroids = offsets @ (spectrum.vectors * unit[:, None])
        self._set_rule(moments.labels, self._native_labels, problem.priors, centroids, dtype)
        self.means_ = namespaces.attribute_copy(within.means, dtype)
        self.mean_ = namespaces.attribute_copy(point, dtype)
        self.scalings_ = namespaces.attribute_copy(spectrum.vectors, dtype)
        total = float(xp.sum(spectrum.values)) + spectrum.tail
        self.explained_variance_ratio_ = namespaces.attribute_copy(
            spectrum.values / (total if total > 0 else 1.0), dtype
        )
        coef = centroids @ spectrum.vectors.T
        intercept = xp.log(namespaces.like(problem.priors, point)) - 0.5 * xp.sum(centroids**2, axis=1) - coef @ point
        if coef.shape[0] == 2:
            coef, intercept = coef[1:, :] - coef[:1, :], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = namespaces.cast(coef, dtype), namespaces.cast(intercept, dtype)
        if self.missing != "refuse":
            self._set_law(problem)

    def _sphere_of(self, problem: DiscriminantProblem, W: Array) -> tuple[Subspace, Array]:
        """Return the coordinates in which the within-class covariance is the identity, and the class means in them."""
        within, turned = problem.centred, problem.directions(W)
        if turned is not W:
            W = turned * orient(turned)
        centre = namespaces.like(problem.shares, within.shift) @ within.shift
        sphering = Subspace(within.pivot, W, centre * within.unit)
        return sphering, (within.shift - centre) @ (W * within.unit[:, None])

    def _sphered(self) -> tuple[Subspace, Array]:
        """Return what `_sphere_of` does; with a penalty on few rows it is large, so it is made only when needed."""
        self._require_fit()
        if self._sphering is None:
            problem: Any = self._pose(self._whole_moments)
            B = problem.pencil.B
            if isinstance(B, RidgedForm):
                p = self.n_features_in_
                way_out = "use transform and predict, which do not need it, or fewer columns"
                memory.require(memory.square_bytes(p, copies=4.0), f"The covariance of {p:,} columns", way_out)
                B = B.expanded()
            self._sphering, self._sphered_means = self._sphere_of(problem, whiten(B).matrix)
        return self._sphering, self._sphered_means

    @property
    def structure_within_(self) -> Array:
        """Correlations of the columns with the scores within classes, pooled over them, of shape (p, k)."""
        if not hasattr(self, "subspace_"):
            raise AttributeError(f"{type(self).__name__} has no structure_within_ before it is fitted")
        within = self._whole_moments.within()
        return namespaces.cast(structure(within, self.subspace_.basis), within.dtype)

    @property
    def covariance_(self) -> np.ndarray:
        """S_W, the covariance within classes, before any shrinkage or penalty, of shape (p, p)."""
        if not hasattr(self, "subspace_"):
            raise AttributeError(f"{type(self).__name__} has no covariance_ before it is fitted")
        problem: Any = self._pose(self._whole_moments)
        form = Form.of(problem.centred, problem.divisor)
        return np.asarray(in_units_of_data(form, problem.centred.unit), dtype=namespaces.to_numpy(self.mean_).dtype)

    # -- how many directions -----------------------------------------------------------------------------------

    def test_dimension(
        self,
        X: TableLike | None = None,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        alpha: float = 0.05,
        method: Literal["wilks", "bartlett", "pillai", "lawley-hotelling", "roy", "permutation"] | None = None,
        groups: ColumnLike | None = None,
        block: int | None = None,
        n_draws: int = 199,
        random_state: RandomState | None = 0,
    ) -> DimensionTest:
        """Test how many discriminant directions there are, whatever `n_components` is: "at most d", d = 0, 1, …

        Parameters
        ----------
        X, y : rows and their labels, optional
            The rows to test. Without them, the test uses the moments of the fit.
        sample_weight : array of shape (n,), optional
        alpha : float
            Level.
        method : {"wilks", "bartlett", "pillai", "lawley-hotelling", "roy", "permutation"}, optional
            The first five use normal theory of the canonical correlations of X with the classes (see
            `eigenlens.inference.wilks`), from moments alone. "permutation" permutes the variates after the d-th,
            assumes no distribution, and needs X and y. By default the rows decide: Wilks' test if their leverages are
            even enough for it to hold its level, and permutations otherwise or if there are few rows (see
            `eigenlens.inference.advise`); the note of the result explains why. Without rows it is Wilks' test. With
            shrinkage or a penalty the normal theory does not hold, and "permutation" is the only choice.
        groups : array of shape (n,), optional
            Rows that belong together move together ("permutation").
        block : int, optional
            Number of consecutive rows that are alike: variates are shifted by at least this many rows ("permutation").
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
        return self._canonical_test(X, y, sample_weight, alpha, method, groups, block, n_draws, random_state)

    def _sides(self, moments: Grouped) -> Sides:
        problem: Any = self._pose(moments)

        def tables(X: np.ndarray, y: Any) -> tuple[Any, ...]:
            codes = codes_of(y)
            columns, penalty = problem.with_penalty(X)
            return columns, contrasts(np.bincount(codes) / len(codes))[codes], penalty

        return Sides(
            by_theory=lambda alpha, method: wilks_of_classes(problem.moments, alpha, method),
            leverages=lambda y: (class_leverages(codes_of(y)), len(problem.moments.labels) - 1),
            tables=tables,
            penalised_by=problem.penalised_by,
        )

    # -- use ---------------------------------------------------------------------------------------------------

    def _coordinates(self, X: Array) -> Array:
        return with_holes(X, self.subspace_.project, lambda rows: self.subspace_.project(self._expected(rows)[0]))

    def sphere(self, X: TableLike) -> Array:
        """Return rows in coordinates in which the within-class covariance is the identity, all directions kept."""
        sphering, _ = self._sphered()

        def sphered(block: Array) -> Array:
            return with_holes(block, sphering.project, lambda rows: sphering.project(self._expected(rows)[0]))

        return self._over_rows(X, sphered, takes_sparse=True)

    def mahalanobis(self, X: TableLike) -> Array:
        """Return the squared Mahalanobis distance of each row to each class mean, in all dimensions: (n, K).

        For a row with missing cells, it is the distance of its observed cells, in as many dimensions.
        """
        sphering, means = self._sphered()

        def distances(block: Array) -> Array:
            return linalg.squared_distances(sphering.project(block), namespaces.like(means, block))

        def observed(rows: np.ndarray) -> np.ndarray:
            K = len(self._priors)
            return require_law(self._law).mahalanobis(rows)[:, K : 2 * K]

        return self._over_rows(
            X, lambda block: with_holes(block, distances, observed), takes_sparse=True, named="mahalanobis"
        )

    # -- rows left out ---------------------------------------------------------------------------------------------

    def _left_out(self, X: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> np.ndarray | None:
        """Return log-posteriors of the rows of the fit, each by the fit without it; None where there is no formula."""
        if not self._has_left_out() or self.missing != "refuse":
            return None
        problem: Any = self._pose(self._collected)
        whitening = problem.solve().whitening
        if whitening.rank < whitening.varying:  # which directions are dropped may change with the row
            return None
        sphering, sphered_means = self._sphered()
        rows, means = (namespaces.to_numpy(v) for v in (sphering.project(X), sphered_means))
        classes = ClassRows(rows, means, codes, weight, problem.moments.weights)
        divisor = np.full(len(X), problem.divisor)
        return linear_scores(classes, divisor[:, None], np.ones(len(X)), divisor - weight, self._fixed_priors)

    def _has_left_out(self) -> bool:
        """Tell whether there is a formula for rows left out: not where rows decide, nor in some of the directions."""
        if isinstance(self.n_components, str):
            return False
        return self.n_components is None or self.n_components >= min(self.n_features_in_, len(self._priors) - 1)

    # -- rows with holes ---------------------------------------------------------------------------------------

    def _set_law(self, problem: DiscriminantProblem) -> None:
        """Set the law that tells what is known about missing cells."""
        within, B, unit = problem.centred, problem.pencil.B, problem.centred.unit
        assert B is not None
        self._law = None
        if B.dimension == within.n_features:  # means of the rule, of the classes, and their centre
            centre = namespaces.to_numpy(self.subspace_.point)
            along = namespaces.to_numpy(B.apply(self.subspace_.basis * unit[:, None]) * unit[:, None])
            of_rule = centre + namespaces.to_numpy(self._centroids) @ along.T
            self._law = law_of(np.vstack([of_rule, namespaces.to_numpy(within.means), centre]), B, unit)

    def _scores(self, X: Array, sharp: bool) -> Array:
        return with_holes(X, lambda block: super(LinearDiscriminant, self)._scores(block, sharp), self._log_odds)

    def _log_odds(self, rows: np.ndarray) -> np.ndarray:
        """Return log-posteriors, up to what all classes share, from the densities of the observed cells."""
        return require_law(self._law).log_ratios(rows)[:, : len(self._priors)] + np.log(self._priors)

    def _expected(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return expected_over_groups(require_law(self._law), rows, self._log_odds(rows))
