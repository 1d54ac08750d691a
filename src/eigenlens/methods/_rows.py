"""What every estimator does with rows: reads them through a source, and applies itself to new ones block by block."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from .._core import errors
from .._core import xp as _xp
from .._core.errors import inference as errors_inference
from .._core.typing import Array, TableLike
from ..sources import Block, ClassReader, LabelReader, Source, Target, as_source, map_rows, whole
from ..sources.base import Missing
from ..spectral import Spectrum
from ._recall import Recall
from ._shown import Shown

MOST_REPEATED = 1e8  # rows of a table in which each stands as often as its weight says


class RowsEstimator(Shown, BaseEstimator, ABC):
    """A method that is fitted to rows; one that needs a single pass over them derives from MomentsEstimator."""

    _target: ClassVar[Target] = "none"
    _missing: ClassVar[Missing] = "refuse"
    _min_rows: ClassVar[int] = 2
    _in_memory: ClassVar[bool] = False  # whether all rows must lie in memory together
    #: Maps of the columns that leave scores unchanged, up to sign: a signed "permutation", a "rotation", any "linear"
    #: map, or "none".
    _invariance: Literal["permutation", "rotation", "linear", "none"] = "rotation"
    #: Whether the same row added to all rows moves the means and nothing else.
    _centres: ClassVar[bool] = True
    #: Whether the directions are those of the pencil, rather than made from them.
    _solves_pencil: ClassVar[bool] = True
    #: Fitted attributes with a row for every row of the table, which laws about the rows do not compare.
    _per_row: ClassVar[tuple[str, ...]] = ()

    #: Whether weight 2 is the row twice, and the order of rows nothing, to round-off: not so from random starts.
    _counts_rows: bool = True

    #: Whether the model keeps the rows of its fit alive, rather than find them again while somebody else does.
    _keeps_rows: ClassVar[bool] = False
    _recall: Recall | Source | None = None

    #: What messages call the second argument of a fit where it is a table.
    _second_name: ClassVar[str] = "Y"

    spectrum_: Spectrum

    def _open(self, X: TableLike, y: Any, sample_weight: Any, reset: bool, min_rows: int | None = None) -> Source:
        y, reader = self._labels_of(y, reset)
        source = as_source(
            X,
            y,
            sample_weight,
            target=self._target,
            min_rows=self._min_rows if min_rows is None else min_rows,
            second_name=self._second_name,
            missing=self._missing,
            estimator=type(self).__name__,
            reader=reader,
            in_memory=self._in_memory,
        )
        self._check_columns(source, reset)
        return source

    def _labels_of(self, y: Any, reset: bool) -> tuple[Any, LabelReader]:
        """Return y and what turns it into labels; unless reset, earlier rows had theirs."""
        return y, ClassReader()

    def _check_columns(self, source: Source, reset: bool) -> None:
        """Set, or compare with, the number and the names of the columns."""
        validate_data(self, source.native, reset=reset, skip_check_array=True)

    def _over_rows(self, X: TableLike, function: Callable[[Array], Array], keep_dtype: bool = True) -> Array:
        """Apply a function of rows to new data, block by block; real results come back in the dtype of X."""
        self._require_fit()
        source = as_source(X, missing=self._missing, estimator=type(self).__name__, every_row=True)
        self._check_columns(source, reset=False)

        def in_dtype(block: Array) -> Array:
            result = function(block)
            return _xp.cast(result, block.dtype) if keep_dtype and _xp.is_floating(result) else result

        return map_rows(source, in_dtype)

    def _remember(self, source: Source, X: TableLike, y: Any, sample_weight: Any) -> None:
        """Be able to find the rows of this fit again, as permutations need them; they are not copied, nor pickled."""
        if not source.rereadable:
            self._recall = None
        elif source.in_memory_already and not self._keeps_rows:
            self._recall = Recall(X, y, sample_weight)
        else:
            self._recall = source

    @property
    def _source(self) -> Source | None:
        """The rows of the last fit; None after partial fits, and where they are gone."""
        if not isinstance(self._recall, Recall):
            return self._recall
        given = self._recall()
        if given is None:
            return None
        X, y, sample_weight = given
        return self._open(X, y, sample_weight, reset=False)

    def _rows_again(self) -> Block:
        """Read the rows of the fit again, a row of weight 2 twice."""
        source = self._source
        if source is None:
            raise errors.rows_gone(type(self).__name__)
        self._check_unchanged(source)
        block = whole(source)
        times = np.asarray(block.weight)
        if (times != np.floor(times)).any():
            raise errors_inference.whole_weights(float(times[times != np.floor(times)][0]))
        if times.sum() > MOST_REPEATED:
            raise errors.InputError(
                f"sample_weight adds up to {times.sum():g}, and a permutation needs each row as often as its weight "
                f"says; pass weights of at most {MOST_REPEATED:g} in all."
            )
        index = np.repeat(np.arange(len(times)), times.astype(np.intp))
        if len(index) == len(times) and (times == 1).all():
            return block
        return Block(block.X[index], None if block.y is None else block.y[index], np.ones(len(index)), block.classes)

    def _check_unchanged(self, source: Source) -> None:
        """Refuse rows that were changed in place after the fit, where that can be told."""

    def _over_scores(self, X: TableLike, function: Callable[[Array], Array], n_components: int) -> Array:
        """Apply a function to rows of scores, as `transform` gives them."""
        self._require_fit()
        source = as_source(X, estimator=type(self).__name__, every_row=True)
        if source.n_features != n_components:
            raise errors.not_scores(source.n_features, n_components)
        return _xp.cast(map_rows(source, function), source.first().X.dtype)

    def _require_fit(self) -> None:
        """Refuse to work unfitted."""
        check_is_fitted(self, "spectrum_")

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())
        state.pop("_recall", None)
        return state

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "spectrum_")
