"""What principal components share, dense or sparse: one table, one covariance, as many directions as it can have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

from .._core import errors
from .._core.parameters import check_choice, wanted
from .._core.typing import TableLike
from ..inference import DimensionTest
from ..moments import Centred
from ..problem import Problem
from ._base import MomentsEstimator
from ._component_count import DRAWS, TESTS, dimension_test, row_count
from ._rows import RowsTransformer, repeated


@dataclass(frozen=True, eq=False)
class PrincipalProblem(Problem):
    """The sums of squares of one table, in one unit for all columns.

    Attributes
    ----------
    unit : float
        The power of two taken out of all columns.
    """

    unit: float = 1.0

    condition_of = "X, along the components that are kept,"

    @property
    def rows(self) -> int:
        """Rows, a row of weight m counted m times."""
        return row_count(self.moments)

    def all_directions(self) -> PrincipalProblem:
        """Return the problem of all directions, whatever number is kept."""
        return replace(self, pencil=replace(self.pencil, n_components=None))


class PrincipalComponents(RowsTransformer, MomentsEstimator):
    """Components of the covariance of one table, from one pass over its rows."""

    n_components: Any

    def fit(self, X: TableLike, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the components.

        Parameters
        ----------
        X : table of shape (n, p)
        y : ignored
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts twice.
        """
        return self._fit(X, None, sample_weight)

    def partial_fit(self, X: TableLike, y: Any = None, sample_weight: Any = None) -> Self:
        """Take in more rows; the result is that of all rows seen, as if they had come at once."""
        return self._partial_fit(X, None, sample_weight)

    def test_dimension(
        self,
        X: TableLike = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        alpha: float = 0.05,
        method: str = "parallel",
        n_draws: int = DRAWS,
        random_state: Any = 0,
    ) -> DimensionTest:
        """Test how many components stand above noise: "at most d", d = 0, 1, …, whatever `n_components` is.

        Sparse components are asked what the dense ones of the same table are: how many directions it has.

        Parameters
        ----------
        X : table of shape (n, p), optional
            The rows to test; without them the test is that of the fit, from its moments.
        y : ignored
        sample_weight : array of shape (n,), optional
        alpha : float
            Level.
        method : {"parallel", "permutation", "tracy-widom", "gavish-donoho", "broken-stick", "mle"}
            Horn's parallel analysis with a normal null, from moments alone, or with permuted columns, which needs X;
            the Tracy–Widom test of the next eigenvalue, for noise of equal, unknown variance in all directions, at any
            ratio of rows to columns; and criteria without p-values: Gavish and Donoho's hard threshold, for the same
            noise, the broken stick, and Minka's evidence.
        n_draws : int
            Number of draws of the first two.
        random_state : int, Generator, RandomState or None
            Their seed.

        Examples
        --------
        >>> from eigenlens import PCA
        >>> from sklearn.datasets import load_wine
        >>> from sklearn.preprocessing import scale
        >>> print(PCA(2).fit(scale(load_wine().data)).test_dimension())
        3 of 13 directions stand above noise at 5% (parallel).
        """
        self._require_fit()
        check_choice("method", method, TESTS)
        source = self._rows_to_test(X, None, sample_weight, method, needed=method == "permutation")
        problem: Any = self._pose(self._tested_moments(source))
        rows = repeated(source).X if source is not None and method == "permutation" else None
        return dimension_test(
            problem.all_directions(), rows, alpha=alpha, method=method, n_draws=n_draws, seed=random_state
        )

    def _wanted(self, n: int | None, p: int) -> int:
        """Return how many directions to solve for: the number asked for, or all; n is None where more rows may come."""
        most = p if n is None else min(n, p)
        rows = "" if n is None else f"{n} rows and "
        return wanted(self.n_components, most, f"{rows}{p} columns give at most {most} components")

    def _require_rows(self, moments: Centred, divisor: float, name: str) -> int:
        """Refuse moments that are not enough, and return how many directions to solve for."""
        if moments.n_rows < 2 and moments.weight <= 1:
            raise errors.too_few_rows("X", moments.n_rows, (moments.n_rows, moments.n_features), 2)
        k = self._wanted(row_count(moments), moments.n_features)
        if divisor <= 0:
            raise errors.weight_too_small(moments.weight, moments.weight - divisor, name)
        return k
