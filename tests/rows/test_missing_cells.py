"""Cells that are not there, in every kind of table: read as NaN where a method asks for that, refused elsewhere."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from test_patterns import holey, same

from eigenlens import open_rows
from eigenlens.moments import Cross, Grouped, Patterns
from eigenlens.rows import Block, as_source

NAMES = ["a", "b", "c", "d"]


def rows():
    """Rows whose second column holds whole numbers and whose third holds truths, all of them with holes."""
    X = holey(n=120, p=4)
    X[:, 1] = np.round(X[:, 1] * 3)
    X[:, 2] = np.where(np.isnan(X[:, 2]), np.nan, X[:, 2] > 0)
    X[:9, 3] = np.nan
    return X


def nullable(X):
    """Columns of pandas' own nullable types."""
    frame = pd.DataFrame(X, columns=NAMES)
    return frame.astype({"a": "Float64", "b": "Int64", "c": "boolean", "d": "Float64"})


def arrow(X):
    kinds = [pa.float64(), pa.int64(), pa.bool_(), pa.float64()]
    columns = [[None if np.isnan(v) else v for v in column] for column in X.T]
    whole = [
        [None if v is None else int(v) for v in column] if j in (1, 2) else column for j, column in enumerate(columns)
    ]
    truths = [None if v is None else bool(v) for v in whole[2]]
    whole[2] = truths
    return pa.table({name: pa.array(column, kind) for name, column, kind in zip(NAMES, whole, kinds, strict=True)})


def csv(X, folder):
    pd.DataFrame(X, columns=NAMES).to_csv(folder / "rows.csv", index=False)
    return open_rows(folder / "rows.csv", batch_rows=32)


def csv_spelled(X, folder):
    pd.DataFrame(X, columns=NAMES).to_csv(folder / "rows.csv", index=False, na_rep="NA")
    return open_rows(folder / "rows.csv")


def parquet(X, folder):
    import pyarrow.parquet as pq

    pq.write_table(arrow(X), folder / "rows.parquet", row_group_size=50)
    return open_rows(folder / "rows.parquet", batch_rows=32)


KINDS = {
    "array": lambda X, folder: X,
    "list": lambda X, folder: X.tolist(),
    "masked": lambda X, folder: np.ma.masked_invalid(X),
    "masked whole": lambda X, folder: np.ma.masked_array(np.nan_to_num(X), np.isnan(X)),
    "pandas": lambda X, folder: pd.DataFrame(X, columns=NAMES),
    "pandas NA": lambda X, folder: nullable(X),
    "pandas arrow": lambda X, folder: arrow(X).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda X, folder: pl.from_arrow(arrow(X)),
    "arrow": lambda X, folder: arrow(X),
    "torch": lambda X, folder: torch.tensor(X),
    "dask array": lambda X, folder: da.from_array(X, chunks=(37, 2)),
    "dask frame": lambda X, folder: dd.from_pandas(pd.DataFrame(X, columns=NAMES), npartitions=3),
    "csv": csv,
    "csv NA": csv_spelled,
    "parquet": parquet,
    "batches": lambda X, folder: open_rows([X[:50], X[50:]]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_missing_cells_are_read_as_nan(kind, tmp_path):
    X = rows()
    found = as_source(KINDS[kind](X, tmp_path), missing="allow").collect(Patterns())
    same(found, Patterns().update(Block(X)))


@pytest.mark.parametrize("kind", KINDS)
def test_missing_cells_are_refused_where_nobody_asked_for_them(kind, tmp_path):
    with pytest.raises(ValueError, match=r"NaN|masked"):
        as_source(KINDS[kind](rows(), tmp_path)).collect(Patterns())


@pytest.mark.parametrize("kind", ["array", "pandas NA", "polars", "dask array", "csv", "parquet"])
def test_infinity_is_refused_all_the_same(kind, tmp_path):
    X = rows()
    X[70, 0] = np.inf
    with pytest.raises(ValueError, match="inf"):
        as_source(KINDS[kind](X, tmp_path), missing="allow").collect(Patterns())


def test_a_second_table_may_have_holes_too():
    X = rows()
    found = as_source(X[:, :2], X[:, 2:], target="table", missing="allow").collect(Cross(Patterns))
    same(found.joint, Patterns().update(Block(X)))
    with pytest.raises(ValueError, match="Y contains NaN"):
        as_source(np.nan_to_num(X[:, :2]), X[:, 2:], target="table").collect(Cross(Patterns))


def test_a_second_table_of_a_file_may_have_holes_too(tmp_path):
    X = rows()
    csv(X, tmp_path)
    source = open_rows(tmp_path / "rows.csv", columns=["a", "b"], target=["c", "d"], batch_rows=32)
    same(as_source(source, target="table", missing="allow").collect(Cross(Patterns)).joint, Patterns().update(Block(X)))


def test_groups_from_dask():
    X, y = rows(), np.arange(120) % 3
    source = as_source(da.from_array(X, chunks=(37, 4)), y, target="labels", missing="allow")
    found = source.collect(Grouped(Patterns))
    for k in range(3):
        same(found.inner.of_group(k), Patterns().update(Block(X[y == k])))
