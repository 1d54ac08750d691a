"""What every estimator does with rows, however it learns from them: open, check, apply block by block, fail cleanly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from .._core import errors
from .._core import xp as _xp
from .._core.typing import Array, TableLike
from ..sources import Source, as_source, map_rows
from ..sources.memory import Missing, Target


class RowsEstimator(BaseEstimator):
    """An estimator that takes rows of any source."""

    _target: ClassVar[Target] = "none"
    _missing: ClassVar[Missing] = "refuse"
    _min_rows: ClassVar[int] = 2
    #: Laws of `eigenlens.testing` that this method does not obey, each with the reason.
    _without_laws: ClassVar[dict[str, str]] = {}
    #: Fitted attributes with a row for every row of the table, which laws about the rows do not compare.
    _per_row: ClassVar[tuple[str, ...]] = ()

    def _open(self, X: TableLike, y: Any, sample_weight: Any, reset: bool, min_rows: int | None = None) -> Source:
        source = as_source(
            X,
            y,
            sample_weight,
            target=self._target,
            min_rows=self._min_rows if min_rows is None else min_rows,
            missing=self._missing,
            estimator=type(self).__name__,
        )
        self._check_columns(source, reset)
        return source

    def _check_columns(self, source: Any, reset: bool) -> None:
        """Set, or compare with, the number and the names of the columns."""
        validate_data(self, source.table.native, reset=reset, skip_check_array=True)

    def _over_rows(self, X: TableLike, function: Callable[[Array], Array], keep_dtype: bool = True) -> Array:
        """Apply a function of rows to new data, block by block; real results come back in the dtype of X."""
        self._require_fit()
        source = as_source(X, missing=self._missing, estimator=type(self).__name__)
        self._check_columns(source, reset=False)
        result = map_rows(source, function)
        return _xp.cast(result, source.first().X.dtype) if keep_dtype and _xp.is_floating(result) else result

    def _over_scores(self, X: TableLike, function: Callable[[Array], Array], n_components: int) -> Array:
        """Apply a function to rows of scores, as `transform` gives them."""
        self._require_fit()
        source = as_source(X, name="X", estimator=type(self).__name__)
        if source.n_features != n_components:
            raise errors.not_scores(source.n_features, n_components)
        return _xp.cast(map_rows(source, function), source.first().X.dtype)

    def _require_fit(self) -> None:
        """Refuse to work unfitted."""
        check_is_fitted(self)

    @contextmanager
    def _unchanged_on_failure(self) -> Iterator[None]:
        before = self.__dict__.copy()
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
