"""What every regressor of this room shares: reading rows, shapes of predictions, a fit that fails clean."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Self

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MultiOutputMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import errors, namespaces
from ..arrays.optional import require
from ..arrays.parameters import is_number, published_at_once
from ..arrays.summaries import Summary, Table
from ..arrays.typing import Array, ColumnLike, ColumnNames, TableLike
from ..rows import RegressorScore, TargetColumns, as_source, whole
from ..rows.preparation import Preparation, is_words

Floats = NDArray[np.float64]


class Regressor(TargetColumns, MultiOutputMixin, RegressorScore, BaseEstimator, ABC):
    """Base of the regressors: a subclass writes ``_fit(X, Y, w)`` and ``_predict(X)`` on clean 2-D arrays.

    ``fit`` hands over X (n×p), Y (n×q, also for one response) and weights w (n, all positive: rows of
    weight zero are gone). ``predict`` gives back one or two dimensions as ``y`` had, in the library, on the device
    and with the floating-point type of its rows; the work itself is done by NumPy. If ``_fit`` raises, the model is
    left as it was before the call.
    """

    _x_reach: float = 150.0  # columns of X may be of size 10^±_x_reach: sums of their squares must be numbers
    _y_reach: float = 150.0
    _work: tuple[int, int] | None = None  # copies of the rows, and further columns, that a fit was seen to take
    _predicts_here = True  # also rows that an engine holds
    _of_words: Preparation | None = None  # what turns a table with words into numbers
    _foreign_names: ClassVar[dict[str, str]] = {}  # parameters of other libraries, and what to write in their place
    _y_was_1d: bool
    _n_responses: int
    _places: NDArray[np.intp]
    n_features_in_: int

    def __new__(cls, *args: Any, **keywords: Any) -> Self:
        """Tell users of other libraries what their parameter is called here; Python would only refuse it."""
        for name in keywords.keys() & cls._foreign_names.keys():
            raise errors.InputTypeError(f"{cls.__name__} has no parameter {name}: {cls._foreign_names[name]}.")
        return super().__new__(cls)

    @published_at_once
    def fit(
        self,
        X: TableLike,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        target: ColumnNames | None = None,
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : table of shape (n, p)
        y : array of shape (n,) or table of shape (n, q)
            One or several responses.
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts twice.
        target : column or list of columns, optional
            Instead of y: its name in X, if the columns of X have names.

        Returns
        -------
        self
        """
        self._fit(*self._read(*self._take_target(X, y, target), sample_weight))
        self._rows_seen = int(np.count_nonzero(self._places >= 0))
        del self._places
        return self

    def summary(self) -> Summary:
        """Return the fit in words and tables.

        Returns
        -------
        Summary
            `print` it, or take a table by its name: `summary().to_frame("terms")`.
        """
        check_is_fitted(self)
        seen = getattr(self, "_rows_seen", None)
        size = [] if seen is None else [f"{seen:,} rows"]
        facts = [", ".join([*size, f"{self.n_features_in_} columns"]) + "."]
        return Summary(str(self), [*facts, *self._facts()], dict(self._tables()))

    def _facts(self) -> Iterator[str]:
        """Yield sentences of the summary, in addition to the size of the table."""
        yield from ()

    @abstractmethod
    def _tables(self) -> Iterator[tuple[str, Table]]:
        """Yield the tables of the summary, by name."""

    def _names_of_responses(self) -> list[str]:
        q = self._n_responses
        return ["y"] if q == 1 else [f"response {r}" for r in range(q)]

    def predict(self, X: TableLike) -> Array:
        """Predict the responses for new rows.

        Parameters
        ----------
        X : table of shape (n, p)

        Returns
        -------
        array of shape (n,) or (n, q), as y had in ``fit``
        """
        rows, given_back = self._read_rows(X)
        return given_back(self._shaped(self._predict(rows)))

    @abstractmethod
    def _fit(self, X: Floats, Y: Floats, w: Floats) -> None:
        """Fit clean rows, and set the fitted attributes."""

    @abstractmethod
    def _predict(self, X: Floats) -> Floats:
        """Return the responses of clean rows, n×q."""

    def _read(self, X: TableLike, y: Any, sample_weight: Any) -> tuple[Floats, Floats, Floats]:
        """Read the rows of fit: X (n×p), Y (n×q), w (n) without rows of weight zero."""
        source = self._open(X, y, sample_weight, reset=True)
        self._y_was_1d, self._n_responses = source.single_response, source.second.shape[1]
        # which clean row an original row became: splits given by the user number original rows
        self._places = np.full(source.table.shape[0], -1)
        self._places[source.kept] = np.arange(len(source.kept))
        rows: Any = whole(source, self._work)
        self._check_range("X", rows.X, self._x_reach, source.feature_names)
        self._check_range("y", rows.y, self._y_reach, source.response_names)
        return rows.X, rows.y, rows.weight

    def _check_range(self, name: str, values: Floats, reach: float, names: Any) -> None:
        """Refuse columns so large or so small that sums of their products overflow or vanish."""
        low, high = values.min(axis=0), values.max(axis=0)
        size = np.maximum(-low, high)
        with np.errstate(over="ignore"):
            spread = high - low
        for j in np.flatnonzero((size > 10.0**reach) | ((spread > 0) & (spread < 10.0**-reach))):
            what, found = ("reaches", size[j]) if size[j] > 10.0**reach else ("varies by", spread[j])
            raise errors.InputError(
                f"column {names[j] if names else j} of {name} {what} {found:.1e} but {type(self).__name__} takes sizes "
                f"from 1e-{reach:.0f} to 1e+{reach:.0f}, whose squares it can add up; multiply the column "
                f"by a constant."
            )

    def _open(self, X: TableLike, y: Any, sample_weight: Any, reset: bool) -> Any:
        name = type(self).__name__
        _refuse_classes(y, name)
        X = self._with_words(X, reset)
        source: Any = as_source(X, y, sample_weight, target="table", second_name="y", estimator=name, in_memory=True)
        validate_data(self, source.table.native, reset=reset, skip_check_array=True)
        return source

    def _with_words(self, X: TableLike, reset: bool) -> TableLike:
        """Turn words of a data frame into columns of 0 and 1 with names; numbers keep their units and their names."""
        if reset:
            self._of_words = None
        if not nw.dependencies.is_into_dataframe(X):
            return X
        try:
            kinds = nw.from_native(X, eager_only=True).schema.values()
        except nw.exceptions.DuplicateError:  # the ordinary reader names the columns
            return X
        if reset and any(map(is_words, kinds)) and not any(kind.is_temporal() or kind == nw.Object for kind in kinds):
            self._of_words = Preparation(standardise=False, centre=False).fit(X)
            named = {name: why for name, why in self._of_words.left_out_.items() if "different words" in why}
            if named:
                name, why = next(iter(named.items()))
                raise errors.InputError(f"column {name!r} of X has {why}; leave it out.")
        if self._of_words is None:
            return X
        values = np.asarray(self._of_words.transform(X))
        pa = require("pyarrow", "A table with words")
        return pa.table({str(name): values[:, j] for j, name in enumerate(self._of_words.names_out_)})

    def _read_rows(self, X: TableLike) -> tuple[Floats, Callable[[Floats], Array]]:
        """Read rows for a fitted model, and tell how its answers go back to the library they came from."""
        check_is_fitted(self)
        X = self._with_words(self._without_target(X), reset=False)
        source: Any = as_source(X, estimator=type(self).__name__, in_memory=True, every_row=True)
        validate_data(self, source.table.native, reset=False, skip_check_array=True)
        sample = source.table.sample
        return whole(source).X, lambda values: namespaces.cast(namespaces.like(values, sample), sample.dtype)

    def _shaped(self, Y: Floats) -> Floats:
        """Drop the axis of the responses, the last one, where y had none."""
        return Y[..., 0] if self._y_was_1d else Y

    def _feature_names(self) -> list[str]:
        """Names of the columns: those of the frame given to ``fit``, else x0, x1, …"""
        names: Any = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else [str(a) for a in names]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _refuse_classes(y: Any, name: str) -> None:
    """Say where classes are told apart, to a user who hands them to a regression."""
    is_column = isinstance(y, np.ndarray | list) or nw.dependencies.is_into_series(y)
    found = next(iter(y[:1]), None) if is_column else None
    if isinstance(found, str):
        raise errors.InputTypeError(
            f"y must hold numbers, and {str(found)!r} is a word: {name} predicts numbers. To tell classes apart use "
            f"FDA(regressor={name}()).fit(X, y); numbers written as words need y.astype(float)."
        )


def column(argument: str, feature: Any, names: Sequence[str]) -> int:
    """Column number of a feature given by number or name."""
    p = len(names)
    if isinstance(feature, str) and feature in names:
        return list(names).index(feature)
    if is_number(feature, integer=True) and -p <= feature < p:
        return int(feature) % p
    raise errors.InputError(
        f"{argument} holds {feature!r} but the {len(names)} columns of X are {errors.listed(names, 12)}; use one of "
        f"these names or a column number below {len(names)}."
    )


def warn_if_relative(w: Floats) -> None:
    """Tell a user whose weights sum to far less than the rows that weights count rows here."""
    if w.sum() < 0.5 * w.size:
        errors.warn(
            errors.WeightWarning(
                f"sample_weight sums to {float(w.sum()):.3g} over {w.size} rows, and weights count rows: smoothness is "
                f"chosen as for {float(w.sum()):.3g} rows. If the weights are shares, scale them to sum to {w.size}."
            )
        )
