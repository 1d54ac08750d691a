"""How many axes a table of words and numbers shows: against columns that are permuted one by one."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.parameters import check_choice
from ..arrays.typing import ColumnLike, RandomState, TableLike
from ..inference.dimension_test import DimensionTest
from ..inference.parallel import against_refits
from ..rows.categories import is_mixed
from .spine.rows_estimator import RowsEstimator, repeated_places


class PermutedWords(RowsEstimator):
    """Gives MixedPCA `test_dimension`."""

    def test_dimension(
        self,
        X: TableLike | None = None,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        alpha: float = 0.05,
        method: Literal["permutation"] = "permutation",
        n_draws: int = 199,
        random_state: RandomState | None = 0,
    ) -> DimensionTest:
        """Test how many axes there are: "at most d", d = 0, 1, …

        Each column is permuted separately, a column of words as a whole: columns keep their own distributions and have
        nothing in common. This is parallel analysis (Buja, Eyuboglu 1992). Axes beyond the first are tested a little
        too strictly, since permuted columns lack the first.

        Parameters
        ----------
        X : table of shape (n, p)
            The rows of the fit: a model keeps none.
        y : ignored
        sample_weight : array of shape (n,), optional
            Whole numbers: a row of weight 2 is two rows.
        alpha : float
            Level.
        method : {"permutation"}
        n_draws : int
            Number of permutations.
        random_state : int, Generator, RandomState or None
            Their seed.
        """
        self._require_fit()
        check_choice("method", method, ("permutation",))
        source = self._rows_to_test(X, None, sample_weight, method, needed=True)
        assert source is not None
        read = [(*self._coded(block.X), block.weight) for segment in source.segments() for block in segment]
        rows, blocks = np.concatenate([part for part, _, _ in read]), read[0][1]
        numbers = rows[:, : 0 if self._of_numbers is None else self._of_numbers.basis.shape[0]]
        if np.isnan(numbers).any():
            raise errors.InputError(
                f"test_dimension of MixedPCA holds its level only for rows without missing numbers, and "
                f"{np.isnan(numbers).mean():.1%} of the numbers are missing. Pass the complete rows."
            )
        if read[0][2] is not None:
            rows = rows[repeated_places(np.concatenate([namespaces.to_numpy(weight) for _, _, weight in read]))]
        most = max(1, min(len(rows) - 1, rows.shape[1] - sum(len(part) > 1 for part in blocks)))

        def values_of(table: np.ndarray) -> np.ndarray:
            products = table.T @ table if table.shape[1] <= len(table) else table @ table.T
            return np.linalg.eigvalsh(products / len(table))[::-1][:most]

        return against_refits(values_of, rows, alpha, n_draws, random_state, blocks)

    def _coded(self, X: Any) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return rows as the columns whose covariance the fit decomposes, and which of them a column of X became."""
        parts: list[np.ndarray] = []
        of_numbers, coding = self._of_numbers, self._coding
        if of_numbers is not None:
            numbers = X.numbers if is_mixed(X) else X
            spread = np.where(self._deviations > 0, self._deviations, np.inf)
            parts += list((namespaces.to_numpy(of_numbers.centred(numbers)) / spread).T[:, :, None])
        if coding is not None:
            columns = len(coding.levels) if of_numbers is None else 1
            for j, places in enumerate(self._places(X)):
                c = coding.shares[coding.offsets[j] : coding.offsets[j + 1]]
                coded = (np.arange(len(c)) == places[:, None]) - c
                parts.append(np.where(places[:, None] >= 0, coded, 0.0) / np.sqrt(c * columns))
        ends = np.cumsum([0, *(part.shape[1] for part in parts)])
        return np.concatenate(parts, axis=1), [np.arange(a, b) for a, b in pairwise(ends)]
