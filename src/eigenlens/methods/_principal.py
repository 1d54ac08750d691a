"""What principal components share, dense or sparse: one table, one covariance, as many directions as it can have."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

from .._core import errors
from .._core.parameters import check_choice
from .._core.typing import TableLike
from ..inference import DimensionTest
from ..moments import Centred
from ..sources import Source
from ._base import MomentsEstimator
from ._component_count import DRAWS, TESTS, dimension_test, row_count
from ._transformer import RowsTransformer


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
            Weight 2 means that the row stands there twice.
        """
        return self._fit(X, None, sample_weight)

    def partial_fit(self, X: TableLike, y: Any = None, sample_weight: Any = None) -> Self:
        """Take in more rows; the result is that of all rows seen, as if they had come at once."""
        return self._partial_fit(X, None, sample_weight)

    def test_dimension(
        self, alpha: float = 0.05, method: str = "parallel", *, n_draws: int = DRAWS, random_state: Any = 0
    ) -> DimensionTest:
        """Test how many components stand above noise: "at most d", d = 0, 1, …, whatever `n_components` is.

        Sparse components are asked what the dense ones of the same table are: how many directions it has.

        Parameters
        ----------
        alpha : float
            Level.
        method : {"parallel", "permutation", "tracy-widom", "gavish-donoho", "broken-stick", "mle"}
            Horn's parallel analysis with a normal null, from moments alone, or with permuted columns, which reads the
            rows of the fit again; the Tracy–Widom test of the next eigenvalue, for noise of equal, unknown variance in
            all directions, at any ratio of rows to columns; and criteria without p-values: Gavish and Donoho's hard
            threshold, for the same noise, the broken stick, and Minka's evidence.
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
        return dimension_test(
            self._pencil(self._collected),
            self._collected,
            self._rows_again,
            alpha=alpha,
            method=method,
            n_draws=n_draws,
            seed=random_state,
        )

    def _check_source(self, source: Source, whole: bool) -> None:
        self._wanted(source.n_rows if whole and not source.weighted else None, source.n_features)

    def _wanted(self, n: int | None, p: int) -> int:
        """Return how many directions to solve for: the number asked for, or all; n is None where more rows may come."""
        most = p if n is None else min(n, p)
        if not isinstance(self.n_components, Integral):
            return most
        if not 1 <= int(self.n_components) <= most:
            rows = "" if n is None else f"{n} rows and "
            why = f"{rows}{p} columns give at most {most} components"
            raise errors.components_out_of_range(self.n_components, most, why)
        return int(self.n_components)

    def _lacking(self, moments: Centred) -> Exception | None:
        if moments.n_rows < 2 and moments.weight <= 1:
            return errors.too_few_rows("X", moments.n_rows, (moments.n_rows, moments.n_features), 2)
        try:
            self._wanted(row_count(moments), moments.n_features)
        except errors.InputError as error:
            return error
        return None

    def _weakest(self) -> str:
        return "X, along the components that are kept,"
