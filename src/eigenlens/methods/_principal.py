"""What principal components share, dense or sparse: one table, one covariance, as many directions as it can have."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

from .._core import errors
from .._core.typing import TableLike
from ..moments import Centred
from ..sources import Source
from ._base import MomentsEstimator
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


def row_count(moments: Centred) -> int:
    """Rows, a row of weight m counted m times."""
    return max(moments.n_rows, int(moments.weight))
