"""Arrays whose rows and columns have labels: xarray's DataArray, AnnData.

They are read as tables, and their labels come back: scores have the coordinates of the rows, loadings the dimensions of
the columns.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from ..arrays import errors, namespaces
from .labels import LabelReader, given_as_counts
from .source import Block, Segment, Source, Target

Kept: TypeAlias = tuple[np.ndarray | None, np.ndarray | None]  # places of rows and of columns; None is all of them
SPARSE_ROWS = 4096  # rows of a sparse matrix on disk that are read at a time


class LabelledRows(Source):
    """A table whose labels come back on scores and loadings; made by `eigenlens.open_rows`.

    Parameters
    ----------
    table : table or source
        The numbers.
    layout : object
        What knows the labels: `scores(values)` and `loadings(values)` put them on, `names` are those of the columns.
    y, weight : array, optional
        Of the rows, where the object has them.
    """

    def __init__(self, table: Any, layout: Any, y: Any = None, weight: Any = None) -> None:
        self.table, self.layout, self._y, self._weight = table, layout, y, weight
        opened = self._opened()
        self.n_rows, self.n_features, self.feature_names = opened.n_rows, opened.n_features, layout.names
        self.rereadable = opened.rereadable

    def __repr__(self) -> str:
        return f"<{self.n_rows or 'the'} rows of {self.n_features} columns from {self.layout!r}>"

    def bound(self, y: Any, sample_weight: Any, target: Target, estimator: str, reader: LabelReader) -> Source:
        for name, given, own in (("y", y, self._y), ("sample_weight", sample_weight, self._weight)):
            if given is not None and own is not None:
                raise errors.two_targets(name)
        y = self._y if y is None and target != "none" else self.layout.of_rows(y)
        weight = given_as_counts(self._weight) if sample_weight is None else self.layout.of_rows(sample_weight)
        return self._opened(y, weight, target=target, estimator=estimator, reader=reader)

    def target_values(self) -> tuple[Any, Any]:
        return super().target_values() if self._y is None else (self._y, self._weight)

    def without_weights(self) -> LabelledRows:
        new = copy.copy(self)
        new._weight = None
        return new

    def _opened(self, y: Any = None, sample_weight: Any = None, **options: Any) -> Source:
        from .in_memory import as_source

        source = copy.copy(as_source(self.table, y, sample_weight, counts=True, min_rows=0, **options))
        source.layout = self.layout
        if self.layout.names is not None and source.feature_names is None:
            source.feature_names = self.layout.names
            if source.in_memory_already:
                source.native = Source.native.fget(source)  # type: ignore[attr-defined, misc]
        return source

    def segments(self) -> Iterator[Segment]:
        return self._opened().segments()

    def first(self) -> Block:
        return self._opened().first()

    def in_memory(self) -> Source:
        return self._opened().in_memory()

    def scores(self, model: Any) -> Any:
        """Return the scores of these rows with their labels."""
        return model.transform(self)

    def loadings(self, model: Any) -> Any:
        """Return the directions of a fitted model with the labels of the columns."""
        return self.layout.loadings(directions_of(model))

    def store(self, model: Any, name: str | None = None) -> None:
        """Write scores and loadings into the object that the rows came from (AnnData: `obsm`, `varm`)."""
        self.layout.store(np.asarray(model.transform(self)), directions_of(model), name or type(model).__name__.lower())


def directions_of(model: Any) -> np.ndarray:
    """Return the directions of a fitted model as columns."""
    for name in ("components_", "scalings_", "x_weights_"):
        if hasattr(model, name):
            values = namespaces.to_numpy(getattr(model, name))
            return values.T if name == "components_" else values
    raise errors.InputTypeError(f"{type(model).__name__} has no loadings: its scores are not linear in the columns.")


def is_labelled(X: Any) -> bool:
    """Tell whether an object is an array with labels that this file reads."""
    library = type(X).__module__.partition(".")[0]
    return (library == "xarray" and hasattr(X, "dims")) or (library == "anndata" and hasattr(X, "obsm"))


def labelled_rows(
    X: Any, rows: Any = None, layer: str | None = None, target: Any = None, weight: Any = None
) -> LabelledRows:
    """Read a DataArray or an AnnData.

    Parameters
    ----------
    X : DataArray or AnnData
    rows : str or list of str, optional
        The dimensions of a DataArray whose places are the rows; the first one if not given.
    layer : str, optional
        The layer of an AnnData to read in place of `X`.
    target, weight : str, optional
        Columns of its `obs`.
    """
    if type(X).__module__.partition(".")[0] == "anndata":
        if rows is not None:
            raise errors.InputError(f"rows={rows!r} names dimensions, but X is an AnnData, whose rows are its obs.")
        return _of_anndata(X, layer, target, weight)
    for name, value in (("target", target), ("weight", weight)):
        if value is not None:
            raise errors.InputError(
                f"{name}={errors.shortened(value)}: a DataArray is read as a whole; select from it first, and pass y "
                "and sample_weight separately."
            )
    if layer is not None:
        raise errors.InputError(f"layer={layer!r} names a layer of an AnnData, but X is a {type(X).__name__}.")
    return _of_xarray(X, rows)


# -- xarray ------------------------------------------------------------------------------------------------------


class GridLayout:
    """The dimensions of a DataArray: some of them are rows, the others, stacked, columns.

    Columns and rows that are NaN throughout (the land of an ocean grid) are left out, and come back as NaN.
    """

    def __init__(self, template: Any, rows: tuple[str, ...], columns: tuple[str, ...], kept: Kept) -> None:
        self.template, self.rows, self.columns = template, rows, columns
        self.kept_rows, self.kept = kept
        self.names = self._names()

    def __repr__(self) -> str:
        return f"a DataArray (rows {', '.join(self.rows)}; columns {', '.join(self.columns)})"

    def _names(self) -> list[str] | None:
        if len(self.columns) != 1 or self.columns[0] not in self.template.coords:
            return None
        labels = np.asarray(self.template.coords[self.columns[0]].values)
        return [str(label) for label in (labels if self.kept is None else labels[self.kept])]

    def scores(self, values: Any) -> Any:
        """Return what a model says about the rows as a DataArray."""
        shape = tuple(self.template.sizes[name] for name in self.rows)
        dims = self.rows if values.ndim == 1 else (*self.rows, "component")
        if self.kept_rows is not None:
            values = _spread(values, self.kept_rows, int(np.prod(shape)))
        if values.ndim == 2 and hasattr(values, "chunks"):
            values = values.reshape((*shape, values.shape[1])) if len(shape) > 1 else values
        else:
            values = values.reshape((*shape, *values.shape[1:]))
        return self._made(values, dims, self.rows)

    def loadings(self, values: np.ndarray) -> Any:
        """Return directions (p × k) as a DataArray of the column dimensions."""
        shape = tuple(self.template.sizes[name] for name in self.columns)
        if self.kept is not None:
            values = _spread(values, self.kept, int(np.prod(shape)))
        return self._made(values.T.reshape((values.shape[1], *shape)), ("component", *self.columns), self.columns)

    def of_rows(self, values: Any) -> Any:
        """Return what was given for every row (y, weights) for the rows that are read."""
        n = int(np.prod([self.template.sizes[name] for name in self.rows]))
        if self.kept_rows is None or np.ndim(values) == 0 or len(values) != n:
            return values
        return values.iloc[self.kept_rows] if hasattr(values, "iloc") else np.asarray(values)[self.kept_rows]

    def _made(self, values: Any, dims: tuple[str, ...], of: tuple[str, ...]) -> Any:
        labels = {name: coord for name, coord in self.template.coords.items() if set(coord.dims) <= set(of)}
        return type(self.template)(values, dims=dims, coords=labels)

    def store(self, scores: np.ndarray, directions: np.ndarray, name: str) -> None:
        raise errors.InputTypeError(
            "A DataArray has no place to store scores in; use scores(model) and loadings(model)."
        )


def _of_xarray(X: Any, rows: Any) -> LabelledRows:
    if not hasattr(X, "dtype"):
        raise errors.InputTypeError(
            f"X is an xarray {type(X).__name__}; pass one of its arrays, X['name'], or all, X.to_dataarray()."
        )
    row_dims = (X.dims[0],) if rows is None else ((rows,) if isinstance(rows, str) else tuple(rows))
    unknown = [name for name in row_dims if name not in X.dims]
    if unknown or not row_dims:
        raise errors.InputError(f"rows={rows!r}: no such dimension; there are {errors.listed(map(repr, X.dims))}.")
    columns = tuple(name for name in X.dims if name not in row_dims)
    if not columns:
        raise errors.InputError(f"rows={rows!r} leaves no dimension for the columns; X has {errors.listed(X.dims)}.")
    ordered = X.transpose(*row_dims, *columns).data
    n, p = (int(np.prod([X.sizes[name] for name in dims])) for dims in (row_dims, columns))
    table = ordered.reshape((n, p))
    kept = _observed(table)
    layout = GridLayout(X[{}].drop_attrs() if hasattr(X, "drop_attrs") else X, row_dims, columns, kept)
    for axis, places in enumerate(kept):
        table = table if places is None else table[(slice(None),) * axis + (places,)]
    return LabelledRows(table, layout)


def _observed(table: Any) -> Kept:
    """Return which rows and which columns are not NaN throughout; None where that is all of them."""
    if np.dtype(table.dtype).kind != "f" or 0 in table.shape:
        return None, None
    if hasattr(table, "__dask_graph__"):
        import dask
        import dask.array as da

        holes = da.isnan(table)
        of_rows, of_columns = map(np.asarray, dask.compute(holes.all(axis=1), holes.all(axis=0)))
    else:
        of_columns, of_rows = _throughout(table.T), _throughout(table)
    if of_columns.all():
        raise errors.InputError("X is NaN everywhere, so there is no column to read.")
    rows, columns = (np.flatnonzero(~empty) if empty.any() else None for empty in (of_rows, of_columns))
    return rows, columns


def _throughout(table: np.ndarray) -> np.ndarray:
    """Tell which rows are NaN throughout, looking closer only where a row begins with NaN."""
    empty = np.isnan(table[:, 0])
    empty[empty] = np.isnan(table[empty]).all(axis=1)
    return empty


def _spread(values: Any, places: np.ndarray, n: int) -> Any:
    """Put rows into their places among n; the others are NaN."""
    if hasattr(values, "__dask_graph__"):
        import dask.array as da

        blank = da.full((1, *values.shape[1:]), np.nan, dtype=values.dtype, chunks=-1)
        source = np.full(n, len(places))
        source[places] = np.arange(len(places))
        return da.concatenate([values, blank])[source]
    kind = np.result_type(values.dtype, np.float16) if values.dtype.kind in "fiu" else object
    full = np.full((n, *values.shape[1:]), np.nan, dtype=kind)
    full[places] = values
    return full


# -- AnnData -----------------------------------------------------------------------------------------------------


class AnnDataLayout:
    """The names of an AnnData: scores belong into its `obsm`, loadings into its `varm`."""

    def __init__(self, adata: Any) -> None:
        self.adata = adata
        self.names: list[str] | None = [str(name) for name in adata.var_names]

    def __repr__(self) -> str:
        return "an AnnData"

    def scores(self, values: Any) -> Any:
        return values

    def of_rows(self, values: Any) -> Any:
        return values

    def loadings(self, values: np.ndarray) -> Any:
        """Return directions (p × k) as a data frame with the names of the variables."""
        from ..arrays.optional import pandas

        return pandas().DataFrame(values, index=self.adata.var_names)

    def store(self, scores: np.ndarray, directions: np.ndarray, name: str) -> None:
        self.adata.obsm[f"X_{name}"] = scores
        self.adata.varm[f"{name}_loadings"] = directions


def _of_anndata(adata: Any, layer: str | None, target: Any, weight: Any) -> LabelledRows:
    beside = _of_obs(adata, target, "target"), _of_obs(adata, weight, "weight")
    if layer is not None and layer not in adata.layers:
        raise errors.InputError(
            f"layer={layer!r}: no such layer; there are {errors.listed(map(repr, adata.layers)) or 'none'}."
        )
    X = adata.X if layer is None else adata.layers[layer]
    if X is None:
        raise errors.InputError("This AnnData has no X; name a layer, open_rows(adata, layer=…).")
    if isinstance(X, np.ndarray) or namespaces.is_sparse(X):
        return LabelledRows(X, AnnDataLayout(adata), *beside)
    from .files import open_rows

    if type(X).__module__.startswith("h5py"):
        return LabelledRows(open_rows(X), AnnDataLayout(adata), *beside)
    return LabelledRows(open_rows(SparseOnDisk(X)), AnnDataLayout(adata), *beside)


def _of_obs(adata: Any, names: Any, argument: str) -> Any:
    """Return columns of `obs`, None where none are named."""
    if names is None:
        return None
    for name in names if isinstance(names, list | tuple) else [names]:
        if name not in adata.obs.columns:
            there = errors.listed(map(repr, adata.obs.columns), 12) or "none"
            raise errors.InputError(f"{argument}={name!r}: no such column of obs; there are {there}.")
    return adata.obs[list(names) if isinstance(names, tuple) else names]


class SparseOnDisk:
    """The rows of a sparse matrix in a file: called, it yields them a few thousand at a time."""

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix

    def __call__(self) -> Iterator[Any]:
        for start in range(0, self.matrix.shape[0], SPARSE_ROWS):
            yield self.matrix[start : start + SPARSE_ROWS]
