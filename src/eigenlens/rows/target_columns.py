"""`fit(frame, target="y")`: y is a column of X, in every kind of table whose columns have names."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from ..arrays import errors
from ..arrays.parameters import AnswersOfOneFit
from .engines import is_engine
from .files import INDEX, open_rows
from .grids import is_labelled
from .labels import refuse_lazy
from .source import Source
from .table import arrow_table


class TargetColumns(AnswersOfOneFit):
    """What an estimator does with `target`: it finds y in X, and leaves that column out of new tables that have it."""

    _target_columns: Any = None  # as `target` was given

    def _take_target(self, X: Any, y: Any, target: Any) -> tuple[Any, Any]:
        """Return X and y for a fit, and remember which columns of X were y."""
        self.__dict__.pop("_target_columns", None)
        if target is None:
            return X, y
        found = with_target(X, y, target)
        self._target_columns = list(target) if isinstance(target, list | tuple) else target
        return found

    def _without_target(self, X: Any) -> Any:
        """Return new rows without the columns that were y in the fit."""
        if self._target_columns is None or isinstance(X, Source) or is_engine(X) or is_labelled(X):
            return X  # an engine looks for the columns of the fit by itself
        return without_columns(X, _as_list(self._target_columns))

    def _with_target(self, X: Any, y: Any, target: Any = None) -> tuple[Any, Any]:
        """Return X and y of rows to be tested or scored; y may be the column that was y in the fit."""
        if target is None and y is None and not isinstance(X, Source):
            target = self._target_columns
        return (self._without_target(X), y) if target is None else with_target(X, y, target)


def with_target(X: Any, y: Any, target: Any) -> tuple[Any, Any]:
    """Return X without the columns that are y, and these; y is None where X is a source that reads it.

    Parameters
    ----------
    X : table whose columns have names
    y : None
    target : column or list of columns
    """
    if y is not None:
        raise errors.InputError(f"y and target={target!r} were both given; target names columns of X that are y.")
    if isinstance(X, Source):
        raise errors.InputError(f"target={target!r}: name it where X is opened, open_rows(..., target={target!r}).")
    X = X if is_engine(X) or hasattr(X, "__dask_graph__") else arrow_table(X)
    names = column_names(X)
    if names is None:
        if type(X).__module__.startswith("polars"):
            refuse_lazy(X, "X")
        return open_rows(X, target=target), None
    wanted = _as_list(target)
    for name in wanted:
        if name not in names:
            raise errors.InputError(f"target={name!r}: no such column; there are {errors.listed(map(str, names), 12)}.")
    left = _left(names, wanted)
    if not left:
        raise errors.no_columns("X", (len(X), 0))
    return _selected(X, left), _selected(X, target)


def without_columns(X: Any, gone: list[Any]) -> Any:
    """Return a table without these columns, where it has them."""
    X = X if hasattr(X, "__dask_graph__") else arrow_table(X)
    names = column_names(X)
    if names is not None:
        left = _left(names, gone)
        return X if len(left) == len(names) else _selected(X, left)
    if hasattr(X, "__arrow_c_stream__"):
        source = open_rows(X)
        there = [name for name in source.reader.names if name in gone]
        return open_rows(X, target=there) if there else source
    return X


def column_names(X: Any) -> list[Any] | None:
    """Return the names of the columns of a data frame (pandas, polars, Arrow, Dask); None for other tables."""
    if hasattr(X, "__dask_graph__") and hasattr(X, "columns"):
        return list(X.columns)
    if not nw.dependencies.is_into_dataframe(X):
        return None
    return list(X.column_names if hasattr(X, "column_names") else X.columns)


def _left(names: list[Any], gone: list[Any]) -> list[Any]:
    """Return the columns that are X: not an index that was written without a name."""
    return [name for name in names if name not in gone and not (isinstance(name, str) and INDEX.fullmatch(name))]


def _selected(X: Any, names: Any) -> Any:
    """Return columns of a frame: a frame for a list, a single column for a name."""
    if isinstance(names, list | tuple):
        return X.select(list(names)) if hasattr(X, "column_names") else X[list(names)]
    return X[names]


def _as_list(target: Any) -> list[Any]:
    return list(target) if isinstance(target, list | tuple) else [target]
