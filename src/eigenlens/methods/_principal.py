"""What principal components share, dense or sparse: one table, one covariance, as many directions as it can have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

from ..arrays import errors, namespaces
from ..arrays.parameters import check_choice, published_at_once
from ..arrays.typing import Array, ColumnLike, ColumnNames, RandomState, TableLike
from ..inference.dimension_test import DimensionTest
from ..moments import Centred, Moments
from .spine.component_tests import DRAWS, LEVEL, MOST_CELLS, OF_ROWS, SEED, TESTS, dimension_test, row_count
from .spine.moments_estimator import MomentsEstimator
from .spine.problem import Problem
from .spine.rows_estimator import RowsTransformer, labels_of_kept, repeated, repeated_or_none, wanted

FEW_COLUMNS = 50  # that a summary tests without anybody waiting


@dataclass(frozen=True, eq=False)
class PrincipalProblem(Problem):
    """The sums of squares of one table, in one unit for all columns.

    Attributes
    ----------
    unit : float
        The power of two taken out of all columns.
    scale : array of shape (p,), optional
        What columns were divided by.
    unscaled : Centred, optional
        Moments of the columns as they are, where they were divided.
    """

    unit: float = 1.0
    scale: Array | None = None
    unscaled: Any = None

    condition_of = "X, along the components that are kept,"

    @property
    def rows(self) -> int:
        """Rows, a row of weight m counted m times."""
        return row_count(self.moments)

    @property
    def given(self) -> Any:
        """The moments of the columns as they are."""
        return self.moments if self.unscaled is None else self.unscaled

    def in_unit(self, rows: Any) -> Any:
        """Return rows in the units of the moments."""
        return rows / (self.unit if self.scale is None else namespaces.to_numpy(self.scale))

    def all_directions(self) -> PrincipalProblem:
        """Return the problem of all directions, whatever number is kept."""
        return replace(self, pencil=replace(self.pencil, n_components=None))


class PrincipalComponents(RowsTransformer, MomentsEstimator[Moments]):
    """Components of the covariance of one table, from one pass over its rows."""

    n_components: Any

    @published_at_once
    def fit(
        self,
        X: TableLike,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        target: ColumnNames | None = None,
    ) -> Self:
        """Find the components.

        Parameters
        ----------
        X : table of shape (n, p)
        y : ignored
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts twice.
        target : column or list of columns, optional
            Columns of X to exclude, by name.
        """
        if target is not None or self._target_columns is not None:
            X, _ = self._take_target(X, None, target)
        return self._fit(X, None, sample_weight)

    def partial_fit(self, X: TableLike, y: ColumnLike | None = None, sample_weight: ColumnLike | None = None) -> Self:
        """Add more rows; the result is the same as from all rows seen so far at once."""
        return self._partial_fit(X, None, sample_weight)

    def test_dimension(
        self,
        X: TableLike | None = None,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        alpha: float = LEVEL,
        method: str = "shared",
        groups: ColumnLike | None = None,
        block: int | None = None,
        n_draws: int = DRAWS,
        random_state: RandomState | None = SEED,
        budget: float | None = None,
    ) -> DimensionTest:
        """Test how many directions the columns share: "at most d", d = 0, 1, …, whatever `n_components` is.

        For sparse components, the test is that of the dense components of the same table.

        Parameters
        ----------
        X : table of shape (n, p), optional
            The rows to test. Without them, the test uses the moments of the fit or, with `n_components="auto"`, is the
            test that chose the number of components.
        y : ignored
        sample_weight : array of shape (n,), optional
        alpha : float
            Level.
        method : str
            "shared": columns share d directions and each has its own noise, of any variance. With X, the noise is that
            of the rows, with random signs (at most 5 million cells); without X, it is normal. "tracy-widom": normal
            noise of one variance. "gap": for noise that is correlated, in large tables. "parallel", "permutation":
            Horn's parallel analysis with normal or with permuted columns (which needs X); after a large first
            direction it is too strict. "gavish-donoho", "broken-stick", "mle"
            (Minka's evidence): criteria without p-values.
        groups : array of shape (n,), optional
            Rows that belong together change signs together ("shared" with X).
        block : int, optional
            Number of consecutive rows that are alike: columns are shifted against each other ("shared" with X).
        n_draws : int
            Number of draws of noise, where they are needed.
        random_state : int, Generator, RandomState or None
            Their seed.
        budget : float, optional
            Multiplications that "shared" may take, counted and not timed, so the answer is the same on every machine.
            Beyond that, no further direction is tested, and the result says "at least". A report sets 2e10.

        Notes
        -----
        "shared", "parallel" and "permutation" look at how columns are related to each other: a single column with a
        large variance is a component of unscaled columns, but not a direction that columns share. "shared" does not
        depend on the units of the columns. The other tests compare variances along all directions, whatever their
        origin.

        Examples
        --------
        >>> from eigenlens import PCA
        >>> from sklearn.datasets import load_wine
        >>> X = load_wine().data
        >>> print(PCA(2, scale=True).fit(X).test_dimension())
        6 of 13 directions are significant at the 5% level (shared directions, normal noise: ratio of variances = 4.71,
        p = 0.005; …; ratio of variances = 1.58, p = 0.005; 199 draws); the next is not significant (ratio of variances
        = 1.26, p = 0.61), and these rows would usually detect a share of the variance left of 0.07 or more (80% power).
        """
        self._require_fit()
        check_choice("method", method, TESTS)
        needed = method == "permutation" or groups is not None or block is not None
        usual = (method, alpha, n_draws, random_state) == ("shared", LEVEL, DRAWS, SEED)
        if X is None and usual and not needed and self._count_test is not None:
            return self._count_test
        source = self._rows_to_test(X, None, sample_weight, method, needed=needed)
        if needed and method not in OF_ROWS[: 1 + (groups is None and block is None)]:
            raise errors.InputError(
                f"method={method!r} treats rows as independent; groups and block need method='shared'."
            )
        moments, moved = self._tested_moments(source), groups is not None or block is not None
        holed = self._holed_test(moments, method, moved, alpha, n_draws, random_state, budget)
        if holed is not None:
            return holed
        problem: Any = self._pose(self._without_holes(moments))
        rows = None
        if source is not None and method in OF_ROWS:
            read = repeated(source) if needed else repeated_or_none(source, MOST_CELLS)
            rows = None if read is None else read.X
        return dimension_test(
            problem.all_directions(),
            rows,
            alpha=alpha,
            method=method,
            n_draws=n_draws,
            seed=random_state,
            groups=labels_of_kept(source, groups),
            block=block,
            budget=budget,
        )

    def _summary_test(self) -> str:
        if self.n_features_in_ > FEW_COLUMNS or self._collected is not self._whole_moments:
            return ""
        try:
            return str(self.test_dimension())
        except errors.InputError:  # too few rows or columns for a test
            return ""

    @property
    def _asked(self) -> Any:
        """`n_components` as it was given, or as the rows have chosen it."""
        return self._value("n_components") if self._count_test is None else max(1, self._count_test.dimension)

    def _wanted(self, n: int | None, p: int) -> int:
        """Return how many directions to solve for: the number asked for, or all; n is None where more rows may come."""
        most = p if n is None else min(n, p)
        rows = "" if n is None else f"{n} rows and "
        asked = self.n_components if self.n_components == "cv" and self._chosen is None else self._asked
        return wanted(asked, most, f"{rows}{p} columns give at most {most} components")

    def _require_rows(self, moments: Centred, divisor: float, name: str) -> int:
        """Refuse moments that are not enough, and return how many directions to solve for."""
        if moments.n_rows < 2 and moments.weight <= 1:
            raise errors.too_few_rows("X", moments.n_rows, (moments.n_rows, moments.n_features), 2)
        k = self._wanted(row_count(moments), moments.n_features)
        if divisor <= 0:
            raise errors.weight_too_small(moments.weight, moments.weight - divisor, name)
        return k


def standardised(moments: Centred, divisor: float, constant: Array) -> tuple[Centred, Array]:
    """Return the moments of columns divided by their standard deviations, and these in the units of the data."""
    xp = namespaces.namespace(moments.pivot)
    sd = (moments.store.diagonal() / divisor) ** 0.5
    sd = xp.where(constant, 1.0 / moments.unit, sd)
    return moments.divided(sd), sd * moments.unit
