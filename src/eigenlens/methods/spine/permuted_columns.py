"""A test of dimension for methods that have no theory of noise: repeat them on columns that have nothing in common."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from typing import Literal

import numpy as np
from sklearn.base import clone

from ...arrays import namespaces
from ...arrays.parameters import check_choice
from ...arrays.progress import tracked
from ...arrays.typing import ColumnLike, RandomState, TableLike
from ...inference.dimension_test import DimensionTest
from ...inference.parallel import against_refits
from .rows_estimator import RowsEstimator, repeated


class PermutedColumns(RowsEstimator):
    """Gives an estimator `test_dimension`, by fits to columns permuted one by one."""

    @abstractmethod
    def _strengths(self) -> np.ndarray:
        """Return how much each direction carries, largest first."""

    def test_dimension(
        self,
        X: TableLike | None = None,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        alpha: float = 0.05,
        method: Literal["permutation"] = "permutation",
        n_draws: int = 99,
        random_state: RandomState | None = 0,
    ) -> DimensionTest:
        """Test how many directions there are: "at most d", d = 0, 1, …

        The method is repeated with each column permuted separately, so columns have nothing in common: parallel
        analysis (Buja, Eyuboglu 1992) with this method in place of PCA. Directions that the fit has
        not kept are not tested.

        Parameters
        ----------
        X : table of shape (n, p)
            The rows of the fit: a model keeps none.
        y : ignored
        sample_weight : array of shape (n,), optional
        alpha : float
            Level.
        method : {"permutation"}
        n_draws : int
            Number of permutations, each of them a fit.
        random_state : int, Generator, RandomState or None
            Their seed.
        """
        self._require_fit()
        check_choice("method", method, ("permutation",))
        source = self._rows_to_test(X, None, sample_weight, method, needed=True)
        rows = namespaces.floats(repeated(source, holes=True).X)  # type: ignore[arg-type]
        k = len(self._strengths())

        def found_in(X: np.ndarray) -> np.ndarray:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the fit itself has said what there is to say
                found = clone(self).fit(X)._strengths()
            return np.concatenate([found, np.zeros(k)])[:k]

        def watched(draws: Iterator[np.ndarray]) -> Iterator[np.ndarray]:
            return tracked(draws, n_draws, "Permuting", None)

        return against_refits(found_in, rows, alpha, n_draws, random_state, watched=watched)
