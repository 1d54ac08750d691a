r"""From a table with words and gaps to a matrix of numbers, in a way that can be repeated on new rows.

Numbers stay numbers, a column of K words becomes K columns of zeros and ones (K − 1 where the method does not depend on
units, since the last says nothing new), and each column is centred and, if asked, divided by its standard deviation:

.. math:: z_{ij} = (x_{ij} - m_j) / s_j , \qquad s_j^2 = \tfrac{1}{n-1}\sum_i (x_{ij} - m_j)^2 .
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Self

import narwhals as nw
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..arrays import errors
from ..arrays.optional import require
from ..arrays.parameters import check_choice, check_flag
from ..arrays.spelling import option
from ..arrays.stored import stored
from ..arrays.typing import Array, ColumnLike, TableLike
from .labels import check_weights
from .table import as_table

MOST_WORDS = 30  # different words that become columns; beyond, they look like names of rows
FEW_WORDS = 5  # so many are never too many, however few rows there are
ABSENT, OFTEN = "missing", 0.05  # the word for missing words, where so large a share of a column is missing


@stored("Preparation")
class Preparation(TransformerMixin, BaseEstimator):
    """Numbers from a table with words, gaps and different units.

    Parameters
    ----------
    standardise : bool
        Divide each column by its standard deviation.
    missing : {"refuse", "mean", "keep"}
        What to do with missing cells: refuse them with their counts; fill in the mean of the column (for words, the
        most frequent one); or keep them as NaN, for a method with `missing="ml"`. A missing word is then the word
        "missing" if at least 5% of the cells of its column are missing; otherwise all columns of 0 and 1 that its
        column becomes are NaN in that row.
    full : bool
        Make a column for each word, including the first.
    most_words : int
        A column with more different words is dropped, since it seems to name rows; so is one with more words than half
        the rows, beyond five.
    keep : tuple of str
        Columns of words to keep, however many words they have.
    unseen : {"refuse", "none"}
        What to do with a word that the fit has not seen: raise an error, or treat it as none of the known words.
    centre : bool
        Subtract the mean of each column. With `standardise=False, centre=False` numbers keep their units, and words are
        columns of 0 and 1.

    Attributes
    ----------
    columns_ : list of str
        Columns that are used, in the order of the table.
    levels_ : dict of str to list of str
        Words of each column of words.
    fill_words_ : dict of str to str
        The word that a missing word counts as, for each column of words in which it is not unobserved.
    left_out_ : dict of str to str
        Columns that are not used, and why.
    centre_, scale_ : ndarray of shape (p,)
        What is subtracted, and what is divided by.
    names_out_ : list of str
        Columns that come out.

    Examples
    --------
    >>> import pandas as pd
    >>> from eigenlens.rows import Preparation
    >>> table = pd.DataFrame({"size": [1.0, 2.0, 3.0], "kind": ["a", "b", "a"], "same": [7, 7, 7]})
    >>> preparation = Preparation().fit(table)
    >>> preparation.names_out_, preparation.left_out_
    (['size', 'kind = b'], {'same': 'constant'})
    >>> preparation.transform(table).round(2)
       size  kind = b
    0  -1.0     -0.58
    1   0.0      1.15
    2   1.0     -0.58
    """

    columns_: list[str]
    levels_: dict[str, list[str]]
    fill_words_: dict[str, str]
    left_out_: dict[str, str]
    centre_: Array
    scale_: Array
    names_out_: list[str]

    def __init__(
        self,
        standardise: bool = True,
        missing: str = "refuse",
        full: bool = False,
        most_words: int = MOST_WORDS,
        keep: tuple[str, ...] = (),
        unseen: Literal["refuse", "none"] = "refuse",
        centre: bool = True,
    ) -> None:
        self.standardise, self.missing, self.full = standardise, missing, full
        self.most_words, self.keep, self.unseen = most_words, keep, unseen
        self.centre = centre

    _named = False  # whether rows come out with names

    def fit(self, X: TableLike, y: ColumnLike | None = None, sample_weight: ColumnLike | None = None) -> Self:
        """Learn the columns, words, means and scales.

        Parameters
        ----------
        X : data frame
            pandas, polars or pyarrow.
        y : ignored
        sample_weight : array of shape (n,), optional
            How much each row counts in means and spreads.
        """
        check_flag("standardise", self.standardise)
        check_flag("centre", self.centre)
        check_choice("missing", self.missing, ("refuse", "mean", "keep"))
        check_choice("unseen", self.unseen, ("refuse", "none"))
        frame = frame_of(X)
        if sample_weight is not None:
            sample_weight = check_weights(np.asarray(sample_weight), len(frame))
        self._named = _keeps_names(X)
        self.columns_, self.left_out_ = [], {}
        self.levels_, self.fill_words_ = {}, {}
        kinds = frame.schema
        numbers = [name for name, kind in kinds.items() if not is_words(kind)]
        values = _numbers(frame, numbers)
        whys = dict(zip(numbers, _reasons(values), strict=True))
        for name in kinds:
            if name not in whys:
                whys[name] = self._learn_words(name, frame.get_column(name))
        self.left_out_ = {name: whys[name] for name in kinds if whys[name]}
        self.columns_ = [name for name in kinds if not whys[name]]
        if not self.columns_:
            raise errors.nothing_left(f"{name!r} is {why}" for name, why in self.left_out_.items())
        known = values[:, [not whys[name] for name in numbers]]
        self.fill_ = _moments(known, sample_weight)[0]
        raw = self._raw(frame, _missing_cells)
        unit = np.maximum(np.fmax.reduce(np.abs(raw)), np.finfo(float).tiny)  # squares of 1e200 are not floats
        mean, spread = _moments(raw / unit, sample_weight)
        self.centre_, spread = mean * unit, spread * unit if len(raw) > 1 else np.ones(raw.shape[1])
        self.spread_ = np.where(spread > 0, spread, 1.0)
        self.scale_ = self.spread_ if self.standardise else np.ones(raw.shape[1])
        self.names_out_ = self._names_out()
        self.n_features_in_, self.feature_names_in_ = len(frame.columns), np.array(frame.columns, dtype=object)
        return self

    def _learn_words(self, name: str, series: Any) -> str:
        """Learn the words of a column, or say why it is left out."""
        counts = self._counts(series)
        words = sorted(counts)
        why = self._reason(name, words, len(series))
        if not why:
            self.levels_[name] = words
            if self._often(series):
                self.fill_words_[name] = ABSENT
            elif self.missing != "keep":
                self.fill_words_[name] = max(words, key=lambda w: (counts[w], w))
        return why

    def _counts(self, series: Any) -> dict[str, int]:
        """Count the words of a column; what is missing is a word of its own where it is kept and frequent."""
        counts = _counts(series)
        if counts and self._often(series):
            counts[ABSENT] = counts.get(ABSENT, 0) + int(_missing(series).sum())
        return counts

    def _often(self, series: Any) -> bool:
        """Tell whether missing words are a word of their own."""
        return self.missing == "keep" and bool(_missing(series).mean() >= OFTEN)

    def _reason(self, name: str, words: list[str], n: int) -> str:
        """Say why a column of words is left out, if it is."""
        if not words:
            return "empty"
        if len(words) == 1:
            return "constant"
        if len(words) > min(self.most_words, max(n // 2, FEW_WORDS)) and name not in self.keep:
            return f"{len(words):,} different words in {n:,} rows, like names of rows"
        return ""

    def transform(self, X: TableLike) -> Any:
        """Return the rows as numbers: a data frame if `fit` was given one of pandas or polars, otherwise an array.

        So the next step of a pipeline knows the names of its columns.

        Parameters
        ----------
        X : data frame
            With the columns that `fit` used; others are ignored.
        """
        check_is_fitted(self, "names_out_")
        frame = frame_of(X)
        raw = self._raw(frame, _missing_new)
        values = (raw - self.centre_ if self.centre else raw) / self.scale_
        return _as_frame(values, self.names_out_, frame) if self._named else values

    def _raw(self, frame: Any, refuse: Callable[[dict[str, int]], Exception]) -> np.ndarray:
        kinds = frame.schema
        for name in self.columns_:
            if name not in kinds:
                raise errors.no_column(name, frame.columns, f"the model needs the column {name!r}")
        numbers = [name for name in self.columns_ if name not in self.levels_]
        for name in numbers:
            if is_words(kinds[name]):
                held = str(kinds[name]).lower()
                raise errors.InputError(
                    f"column {name!r} holds {held} values, but it held numbers when the model was fitted."
                )
        values = _numbers(frame, numbers)
        holes = np.isnan(values)
        gaps = dict(zip(numbers, holes.sum(axis=0).tolist(), strict=True))
        gaps |= {name: int(_missing(frame.get_column(name)).sum()) for name in self.levels_}
        gaps = {name: gaps[name] for name in self.columns_ if gaps[name]}
        if gaps and self.missing == "refuse":
            raise refuse(gaps)
        if holes.any() and self.missing != "keep":
            values = np.where(holes, self.fill_, values)
        if not self.levels_:
            return values
        found = iter(values.T)
        parts = [
            self._indicators(frame.get_column(name), name) if name in self.levels_ else next(found)[:, None]
            for name in self.columns_
        ]
        return np.concatenate(parts, axis=1)

    def _indicators(self, series: Any, name: str) -> np.ndarray:
        levels = self.levels_[name]
        place: dict[str | None, int] = {word: j for j, word in enumerate(levels)}
        nothing = len(levels)  # the row of words that were not observed and are not replaced
        filled = place.get(self.fill_words_.get(name), nothing)
        codes = np.array(
            [filled if w is None or w != w else place.get(word_of(w), -1) for w in series.to_list()], dtype=int
        )
        if (codes < 0).any() and self.unseen == "refuse":
            unseen = sorted({word_of(w) for w, c in zip(series.to_list(), codes, strict=True) if c < 0})
            raise errors.InputError(
                f"column {name!r} holds {errors.listed(map(repr, unseen))}, which the fit has not seen (it knew "
                f"{errors.listed(map(repr, levels))}); correct them, or fit again with such rows."
            )
        rows = np.zeros((nothing + 2, nothing))  # the last is that of unseen words
        rows[:nothing], rows[nothing] = np.eye(nothing), np.nan
        return rows[:, self._first(levels) :][codes]

    def _first(self, levels: list[str]) -> int:
        return 0 if self.full and len(levels) > 2 else 1

    def _names_out(self) -> list[str]:
        names = []
        for name in self.columns_:
            levels = self.levels_.get(name)
            names += [name] if levels is None else [f"{name} = {word}" for word in levels[self._first(levels) :]]
        return names

    def blocks(self) -> list[np.ndarray]:
        """Return, for each column that is used, the places of the columns that it has become."""
        check_is_fitted(self, "names_out_")
        sizes = [len(self.levels_[c]) - self._first(self.levels_[c]) if c in self.levels_ else 1 for c in self.columns_]
        return np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns that come out."""
        check_is_fitted(self, "names_out_")
        return np.array(self.names_out_, dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "names_out_")


def frame_of(X: Any) -> Any:
    if not nw.dependencies.is_into_dataframe(X):
        table = as_table(X, "X")  # refuses what is not a table
        pa = require("pyarrow", "A table without names of columns")
        values = np.asarray(table.rows(0, table.shape[0]))
        X = pa.table({f"column {j}": values[:, j] for j in range(values.shape[1])})
    return nw.from_native(X, eager_only=True)


def _keeps_names(X: Any) -> bool:
    """Tell whether a table is a data frame that people work with, rather than a store of columns."""
    return bool(nw.dependencies.is_pandas_dataframe(X) or nw.dependencies.is_polars_dataframe(X))


def _as_frame(values: np.ndarray, names: list[str], like: Any) -> Any:
    """Return numbers as a frame of the library of another, with the index of that where it has one."""
    native = like.to_native()
    if nw.dependencies.is_pandas_dataframe(native):
        return type(native)(values, columns=names, index=native.index)
    columns = {name: values[:, j] for j, name in enumerate(names)}
    return nw.from_dict(columns, backend=like.implementation).to_native()


def is_words(kind: Any) -> bool:
    """Tell whether a type of columns is that of words."""
    return not (kind.is_numeric() or kind == nw.Boolean or kind == nw.Unknown)


def _numbers(frame: Any, names: list[str]) -> np.ndarray:
    """Return columns of numbers as one matrix, NaN where a cell is missing."""
    table = frame.to_native()
    found = np.empty((len(frame), len(names)), order="F")
    arrow = hasattr(table, "schema") and hasattr(table, "to_batches")  # several times as fast, which wide tables need
    for j, name in enumerate(names):
        column = table.column(name) if arrow else frame.get_column(name)
        if arrow and str(column.type) != "double":
            column = column.cast("float64", safe=False)
        elif not arrow and frame.get_column(name).dtype != nw.Float64:
            column = column.cast(nw.Float64)
        found[:, j] = column.to_numpy()
    return found


def _reasons(values: np.ndarray) -> list[str]:
    """Say of each column of numbers why it is left out, if it is."""
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)  # NaN where a column has no cell
    return ["empty" if np.isnan(a) else "" if a < b else "constant" for a, b in zip(low, high, strict=True)]


def _missing(series: Any) -> np.ndarray:
    null = np.asarray(series.is_null().to_numpy(), dtype=bool)
    if series.dtype.is_float():
        null = null | np.isnan(np.asarray(series.to_numpy(), dtype=float))
    return null


def _counts(series: Any) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in series.drop_nulls().to_list():
        counts[word_of(word)] = counts.get(word_of(word), 0) + 1
    return counts


def word_of(value: Any) -> str:
    """Return a word as text; codes that come as floats are the whole numbers that they are."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _moments(Z: np.ndarray, sample_weight: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return means and standard deviations of columns, of the cells that are there."""
    if sample_weight is None and not np.isnan(Z).any():  # which is quicker
        return Z.mean(axis=0), Z.std(axis=0, ddof=1) if len(Z) > 1 else np.ones(Z.shape[1])
    if sample_weight is None:
        return np.nanmean(Z, axis=0), np.nanstd(Z, axis=0, ddof=1) if len(Z) > 1 else np.ones(Z.shape[1])
    w = np.where(np.isnan(Z), 0.0, np.asarray(sample_weight, dtype=float)[:, None])
    total = w.sum(axis=0)
    mean = (w * np.nan_to_num(Z)).sum(axis=0) / total
    n = (w > 0).sum(axis=0)
    variance = (w * np.nan_to_num(Z - mean) ** 2).sum(axis=0) / total * n / np.maximum(n - 1, 1)
    return mean, np.sqrt(variance)


def _missing_cells(counts: Mapping[str, int]) -> errors.InputError:
    described = errors.listed((f"{name!r} {count:,}" for name, count in counts.items()), 8)
    return errors.InputError(
        f"X has missing cells (by column: {described}), which missing='refuse' does not allow. Fill them in, leave "
        f"those rows out, or use Preparation(missing='mean')."
    )


def _missing_new(counts: Mapping[str, int]) -> errors.InputError:
    described = errors.listed((f"{name!r} {count:,}" for name, count in counts.items()), 8)
    return errors.InputError(
        f"The table has missing cells (by column: {described}), and this model was fitted without a rule for them. "
        f"Fill them in, leave those rows out, or fit with {option('missing', 'mean')}."
    )
