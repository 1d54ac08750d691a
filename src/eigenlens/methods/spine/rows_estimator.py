"""What every estimator does with rows: reads them through a source, and applies itself to new ones block by block."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ...arrays import errors, namespaces
from ...arrays.parameters import is_number
from ...arrays.typing import Array, TableLike
from ...rows import Block, LabelReader, Source, Target, TargetColumns, as_source, map_rows, whole
from ...rows.categories import Words
from ...solve import Spectrum
from .about import Declaration, Laws
from .summary import DisplayMixin

MOST_REPEATED = 1e8  # rows of a table in which each row is repeated by its weight

MODELLED = ("ml", "ppca", "allow")  # values of `missing` under which numbers may be missing


@dataclass(frozen=True)
class Known:
    """What is known about rows before they are read: None where it is not.

    Attributes
    ----------
    n_features : int
    n_rows : int or None
        None also where rows have weights, or more of them may follow.
    n_classes : int or None
        Labels, or slices, that are there; None also where more may follow.
    n_responses : int or None
        Columns of the second table.
    """

    n_features: int
    n_rows: int | None = None
    n_classes: int | None = None
    n_responses: int | None = None

    @classmethod
    def of(cls, source: Source, complete: bool) -> Known:
        """Ask a source; unless complete, more rows may follow."""
        labels, n_classes = source.labels, None
        if complete and labels is not None and len(labels.classes) > 1:
            n_classes = len(labels.classes)
            if isinstance(labels.codes, np.ndarray):  # slices may be empty; codes on a device stay there
                n_classes = int(np.count_nonzero(np.bincount(labels.codes[labels.codes >= 0])))
        n_rows = source.n_rows if complete and not source.weighted else None
        return cls(source.n_features, n_rows, n_classes, source.n_responses)


def wanted(n_components: Any, most: int, why: str) -> int:
    """Return how many directions to find: as many as asked for, or all there can be; `why` says what limits them."""
    if n_components is None or not is_number(n_components, integer=True):
        return most
    if not 1 <= n_components <= most:
        raise errors.InputError(f"n_components={n_components!r} but {why}; use n_components between 1 and {most}.")
    return int(n_components)


class RowsEstimator(TargetColumns, DisplayMixin, BaseEstimator, ABC):
    """A method that is fitted to rows; one that needs a single pass over them derives from MomentsEstimator."""

    _declaration: ClassVar[Declaration] = Declaration()
    _target: ClassVar[Target] = "none"
    _in_memory: ClassVar[bool] = False  # whether all rows must lie in memory together
    #: What messages call the second argument of a fit where it is a table.
    _second_name: ClassVar[str] = "Y"

    #: What becomes of NaN in rows; methods that model missing cells have a parameter of this name.
    missing: str = "refuse"
    #: Which columns are words; methods that take them have a parameter of this name.
    categories: Any = None

    #: How y was given: an empty array of the library of its labels; the order of its classes, where they are categories
    #: of a data frame; names of its columns; whether it was one column.
    _native_labels: Array | None = None
    _class_order: np.ndarray | None = None
    _y_names: list[str] | None = None
    _single_response: bool = False

    #: What columns are divided by; None where they are taken as they are.
    scale_: Array
    _scale: Array | None = None

    spectrum_: Spectrum

    def __new__(cls, *args: Any, **keywords: Any) -> Self:
        """Tell users of other libraries what their parameter is called here; Python would only refuse it."""
        foreign = keywords.keys() & cls._declaration.foreign_names.keys()
        for name in (
            foreign - signature(cls.__init__).parameters.keys() if foreign else ()
        ):  # which takes a while to ask
            raise errors.InputTypeError(
                f"{cls.__name__} has no parameter {name}={errors.shortened(keywords[name])}: "
                f"{cls._declaration.foreign_names[name]}."
            )
        new = super().__new__(cls)
        if args and hasattr(cls, "_given_by_place"):
            new._given_by_place = True
        return new

    def _obeys(self) -> Laws:
        """Return which laws this estimator obeys, with the parameters that it has."""
        return Laws()

    def _open(
        self,
        X: TableLike,
        y: Any,
        sample_weight: Any,
        reset: bool,
        min_rows: int = 2,
        reader: LabelReader | None = None,
        counts: bool = False,
    ) -> Source:
        """Read rows, and y by a reader of its own where it does not hold labels; unless reset, as earlier rows were.

        With `counts`, weights that add up to 1 are not taken as shares: more rows may follow.
        """
        source = as_source(
            X,
            y,
            sample_weight,
            target=self._target,
            min_rows=min_rows,
            second_name=self._second_name,
            missing=self.missing if self.missing in MODELLED else "refuse",
            estimator=type(self).__name__,
            reader=reader,
            in_memory=self._in_memory,
            words=None if self.categories is None else self._words(reset),
            counts=counts,
        )
        self._check_columns(source, reset)
        if reset and self._in_memory:
            self._rows_seen = source.n_rows
        return source

    def _open_again(self, X: TableLike, y: Any, sample_weight: Any) -> Source:
        """Open rows as a fitted model reads them: with the columns, and the slices of y, of its fit."""
        return self._open(X, y, sample_weight, reset=False)

    def _target_of(self, y: Any) -> Any:
        """Return y, the second argument of a fit, in the form in which `_open` takes it."""
        return y

    def _words(self, reset: bool) -> Words:
        """Return which columns are read as words; unless reset, as earlier rows had them."""
        seen: Any = None if reset else getattr(self, "_collected", None)
        return self.categories if seen is None else seen.is_word

    def _check_columns(self, source: Source, reset: bool) -> None:
        """Set, or compare with, the number and the names of the columns."""
        native = source.native
        if isinstance(native, np.ndarray) and "feature_names_in_" not in self.__dict__:
            if reset:
                self.n_features_in_ = native.shape[1]
            if native.shape[1] == getattr(self, "n_features_in_", None):
                return  # without names there is nothing more to ask, and scikit-learn takes a while to ask it
        labels = getattr(source, "column_labels", None)
        if self._has_named_columns(getattr(native, "columns", None) if labels is None else labels, reset):
            return
        validate_data(self, source.native, reset=reset, skip_check_array=True)

    def _has_named_columns(self, columns: Any, reset: bool) -> bool:
        """Set, or find again, names of columns as scikit-learn would; False leaves all that is unusual to it."""
        names = columns.tolist() if hasattr(columns, "tolist") else columns
        if not isinstance(names, list) or not names or not all(type(name) is str for name in names):
            return False
        if reset:
            self.n_features_in_, self.feature_names_in_ = len(names), np.array(names, dtype=object)
            return True
        known = getattr(self, "feature_names_in_", None)
        return known is not None and len(known) == len(names) and known.tolist() == names

    def _over_rows(
        self,
        X: TableLike,
        function: Callable[[Array], Array],
        keep_dtype: bool = True,
        takes_sparse: bool = False,
        named: str | Sequence[str] | None = None,
        here: bool = False,
    ) -> Array:
        """Apply a function of rows to new data, block by block; real results come back in the dtype of X.

        Results of rows that an engine holds stay there, in columns `named` so, unless they are wanted `here`.
        """
        self._require_fit()
        source = as_source(
            self._without_target(X),
            missing=self.missing if self.missing in MODELLED else "refuse",
            estimator=type(self).__name__,
            every_row=True,
            words=None if self.categories is None else self._words(reset=False),
        )
        if source.keeps_results:
            source = source.of_columns(getattr(self, "feature_names_in_", ()))
            source = source.in_memory() if here else source
            source.result_names = type(self).__name__.lower() if named is None else named
        self._check_columns(source, reset=False)

        def in_dtype(block: Array) -> Array:
            result = function(block)
            return namespaces.cast(result, block.dtype) if keep_dtype and namespaces.is_floating(result) else result

        values = map_rows(source, in_dtype, takes_sparse)
        return values if source.layout is None else source.layout.scores(values)

    def _note_target(self, source: Source | None, first: bool) -> None:
        """Remember how y was given, so that answers about it come back the same way; refuse a Y of other columns."""
        labels = None if source is None else source.labels
        self._native_labels = None if labels is None or labels.native is None else labels.native[:0]
        if first or self._class_order is None:
            self._class_order = None if labels is None else labels.order
        names = None if source is None else source.response_names
        single = source is not None and source.single_response
        if not first and self._y_names is not None:
            if names is not None and names != self._y_names:
                raise errors.column_names_differ(self._second_name, names, self._y_names)
            names = self._y_names
        self._y_names, self._single_response = names, single and (first or self._single_response)

    def _rows_to_test(
        self, X: TableLike | None, y: Any, sample_weight: Any, method: str, needed: bool
    ) -> Source | None:
        """Open the rows that a test was given; refuse to do without them where the test needs them."""
        if X is not None:
            if isinstance(X, int | float):
                raise errors.InputTypeError(f"test_dimension({X!r}): the first argument is X; write alpha={X!r}.")
            return self._open_again(*self._with_target(X, y), sample_weight)
        if needed:
            rows = {"none": "X", "labels": "X, y", "table": f"X, {self._second_name}"}[self._target]
            name = type(self).__name__
            raise errors.InputError(
                f"test_dimension(method={method!r}) of {name} reads rows, and a model keeps none: pass them, "
                f"test_dimension({rows}, method={method!r})."
            )
        return None

    def _over_scores(self, X: TableLike, function: Callable[[Array], Array], n_components: int) -> Array:
        """Apply a function to rows of scores, as `transform` gives them."""
        self._require_fit()
        source = as_source(X, estimator=type(self).__name__, every_row=True)
        if source.keeps_results:  # among all columns of the table that `transform` returned
            source = source.of_columns(self.get_feature_names_out())
            source.result_names = [f"{name}_lifted" for name in getattr(self, "feature_names_in_", ())] or "lifted"
        if source.n_features != n_components:
            raise errors.not_scores(source.n_features, n_components)
        values = map_rows(source, function)
        return values if source.keeps_results else namespaces.cast(values, source.first().X.dtype)

    def _set_scale(self, scale: Array | None, dtype: Any) -> None:
        """Set what columns are divided by."""
        self.__dict__.pop("scale_", None)
        self._scale = scale
        if scale is not None:
            self.scale_ = namespaces.attribute_copy(scale, dtype)

    def _require_fit(self) -> None:
        """Refuse to work unfitted."""
        if not hasattr(self, "spectrum_"):
            check_is_fitted(self, "spectrum_")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "spectrum_")


class RowsTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Takes sparse rows, returns rows in the floating-point type of those it was given, and names their columns."""

    n_components_: int

    if TYPE_CHECKING:  # scikit-learn's has no types

        def fit_transform(self, X: TableLike, y: Any = None, **fit_params: Any) -> Array: ...

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def repeated(source: Source, holes: bool = False) -> Block:
    """Read all rows, a row of weight 2 twice: what is permuted or drawn is rows.

    With `holes`, cells may be missing: columns that are permuted one by one keep theirs.
    """
    block = whole(source)
    tables = [block.X] if block.y is None or block.y.ndim == 1 else [block.X, block.y]
    if (
        not holes
        and source.missing != "refuse"
        and any(np.isnan(namespaces.to_numpy(namespaces.dense(table))).any() for table in tables)
    ):
        raise errors.InputError(
            "Rows with NaN cannot be permuted or resampled: their holes would move too. Pass the rows without missing "
            "cells."
        )
    times = np.asarray(block.weight)
    if (times == 1).all():
        return block
    index = repeated_places(times)
    return Block(block.X[index], None if block.y is None else block.y[index], np.ones(len(index)), block.classes)


def repeated_places(times: np.ndarray) -> np.ndarray:
    """Return the index of each row as often as its weight says; refuse weights that are not counts, or too large."""
    if (times != np.floor(times)).any():
        raise errors.InputError(
            f"sample_weight holds {float(times[times != np.floor(times)][0]):g}: the permutation test counts each row "
            "as many times as its weight, so weights must be whole numbers."
        )
    if times.sum() > MOST_REPEATED:
        raise errors.InputError(
            f"sample_weight adds up to {times.sum():g}, and a permutation repeats each row by its weight; "
            f"pass weights of at most {MOST_REPEATED:g} in all."
        )
    return np.repeat(np.arange(len(times)), times.astype(np.intp))


def repeated_or_none(source: Source, most: float) -> Block | None:
    """Read all rows for a test that does not need them; None if weights are not counts, or there are too many cells."""
    if source.n_rows is None or source.n_rows * source.n_features > most:
        return None
    if source.weighted and (np.asarray(whole(source).weight) % 1 != 0).any():
        return None
    return repeated(source)


def labels_of_kept(source: Source | None, groups: Any) -> Any:
    """Return the groups of the rows that a source reads: those of weight 0 are not among them."""
    if groups is None or source is None:
        return groups
    if source.weighted:
        raise errors.InputError(
            "groups and sample_weight were both given; a test that moves groups takes rows as they are."
        )
    return groups
