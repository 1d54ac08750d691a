"""The same rows, kept in every way that a source can read: what the source tests share."""

from __future__ import annotations

import contextlib
import decimal
import sqlite3

import dask.array as da
import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pytest
import scipy.sparse
import xarray as xr
import zarr

from eigenlens import open_rows

SECOND = ["u", "v", "z"]


def frame_of(data):
    """The rows of a sample as one table, y beside them."""
    frame = pd.DataFrame(data.X, columns=[f"c{j}" for j in range(data.X.shape[1])])
    if data.y is not None and data.y.ndim == 1:
        frame["label"] = data.y
    elif data.y is not None:
        frame[SECOND] = data.y
    return frame


def roles(data):
    """What open_rows must be told of that table."""
    columns = [f"c{j}" for j in range(data.X.shape[1])]
    if data.y is None:
        return {"columns": columns}
    return {"columns": columns, "target": "label" if data.y.ndim == 1 else SECOND}


def parquet(data, folder):
    path = folder / "rows.parquet"
    frame_of(data).to_parquet(path, row_group_size=17, index=False)
    return (open_rows(path, **roles(data)),)


def parquet_folder(data, folder):
    (folder / "parts").mkdir()
    for k, index in enumerate(np.array_split(np.arange(len(data)), 5)):
        frame_of(data).iloc[index].to_parquet(folder / "parts" / f"part-{k}.parquet", row_group_size=11, index=False)
    return (open_rows(folder / "parts", **roles(data), batch_rows=13),)


def parquet_list(data, folder):
    parquet_folder(data, folder)
    return (open_rows(sorted((folder / "parts").iterdir()), **roles(data)),)


def csv(data, folder):
    path = folder / "rows.csv"
    frame_of(data).to_csv(path, index=False)
    return (open_rows(path, **roles(data)),)


def csv_gz_list(data, folder):
    paths = [folder / f"rows-{k}.csv.gz" for k in range(3)]
    for path, index in zip(paths, np.array_split(np.arange(len(data)), 3), strict=True):
        frame_of(data).iloc[index].to_csv(path, index=False)
    return (open_rows(paths, **roles(data), batch_rows=7),)


def csv_zst(data, folder):
    path = folder / "rows.csv.zst"
    with pa.output_stream(str(path), compression="zstd") as file:
        file.write(frame_of(data).to_csv(index=False).encode())
    return (open_rows(path, **roles(data)),)


def parquet_pattern(data, folder):
    parquet_folder(data, folder)
    return (open_rows(str(folder / "parts" / "part-*.parquet"), **roles(data)),)


def hive(data, folder):
    for k, index in enumerate(np.array_split(np.arange(len(data)), 4)):
        part = folder / f"year={2020 + k // 2}" / f"half={k % 2}"
        part.mkdir(parents=True)
        frame_of(data).iloc[index].to_parquet(part / "rows.parquet", row_group_size=19, index=False)
    return (open_rows(folder, **roles(data)),)


def feather(data, folder):
    pa.feather.write_feather(frame_of(data), folder / "rows.feather", chunksize=23)
    return (open_rows(folder / "rows.feather", **roles(data), batch_rows=14),)


def arrow_ipc_stream(data, folder):
    table = pa.Table.from_pandas(frame_of(data), preserve_index=False)
    with pa.OSFile(str(folder / "rows.arrows"), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=29)
    return (open_rows(folder / "rows.arrows", **roles(data)),)


def remote_parquet(data, folder):
    url = f"memory://{folder.name}/rows"
    for k, index in enumerate(np.array_split(np.arange(len(data)), 3)):
        frame_of(data).iloc[index].to_parquet(f"{url}/part-{k}.parquet", row_group_size=17, index=False)
    return (open_rows(url, **roles(data)),)


def remote_csv(data, folder):
    frame_of(data).to_csv(f"memory://{folder.name}.csv.gz", index=False)
    return (open_rows(f"memory://{folder.name}.csv.gz", **roles(data)),)


def file_address(data, folder):
    parquet_folder(data, folder)
    return (open_rows(f"file://{folder}/parts/*.parquet", **roles(data)),)


class ArrowArray:
    """A table that hands over one Arrow array and nothing else."""

    def __init__(self, frame):
        self.batch = pa.Table.from_pandas(frame, preserve_index=False).combine_chunks().to_batches()[0]

    def __arrow_c_array__(self, requested_schema=None):
        return self.batch.__arrow_c_array__(requested_schema)


def arrow_array(data, folder):
    return (open_rows(ArrowArray(frame_of(data)), **roles(data)),)


def columns_of_x(data):
    return frame_of(data)[roles(data)["columns"]]


def sparse_columns(data, folder):
    return (columns_of_x(data).astype(pd.SparseDtype("float64", 0.0)), *beside(data))


def object_columns(data, folder):
    return (columns_of_x(data).astype(object), *beside(data))


def decimals(data):
    """The same numbers as decimals of 30 digits, which say more than floating-point ones can."""
    digit = decimal.Decimal("1e-28")
    with decimal.localcontext(prec=38):
        cells = [[decimal.Decimal(float(v)).quantize(digit) for v in column] for column in data.X.T]
    kind = pa.decimal128(38, 28)
    return pa.table({f"c{j}": pa.array(column, kind) for j, column in enumerate(cells)})


def arrow_decimals(data, folder):
    return (decimals(data), *beside(data))


def polars_decimals(data, folder):
    return (pl.from_arrow(decimals(data)), *beside(data))


def duckdb_relation(data, folder):
    connection = duckdb.connect()
    connection.register("frame", frame_of(data))
    return (open_rows(connection.sql("SELECT * FROM frame"), **roles(data), batch_rows=21),)


def duckdb_file(data, folder):
    frame = frame_of(data)
    with duckdb.connect(str(folder / "rows.db")) as connection:
        connection.register("frame", frame)
        connection.execute("CREATE TABLE stored AS SELECT * FROM frame")
    return (open_rows(f"duckdb:///{folder / 'rows.db'}", query="SELECT * FROM stored", **roles(data)),)


def sqlite_file(data, folder):
    with contextlib.closing(sqlite3.connect(folder / "rows.sqlite")) as connection:
        frame_of(data).to_sql("stored", connection, index=False)
    return (open_rows(f"sqlite:///{folder / 'rows.sqlite'}", query="SELECT * FROM stored", **roles(data)),)


def arrow_table(data, folder):
    return (open_rows(pa.Table.from_pandas(frame_of(data), preserve_index=False), **roles(data)),)


def arrow_reader(data, folder):
    table = pa.Table.from_pandas(frame_of(data), preserve_index=False)
    return (open_rows(table.to_reader(max_chunksize=37), **roles(data)),)


def beside(data):
    return () if data.y is None else (data.y,)


def npy(data, folder):
    np.save(folder / "rows.npy", data.X)
    return (open_rows(folder / "rows.npy"), *beside(data))


def npy_fortran(data, folder):
    np.save(folder / "rows.npy", np.asfortranarray(data.X))
    return (open_rows(folder / "rows.npy", batch_rows=50), *beside(data))


def npy_parts(data, folder):
    for k, rows in enumerate(np.array_split(data.X, 4)):
        np.save(folder / f"rows-{k}.npy", rows)
    return (open_rows(folder, batch_rows=9), *beside(data))


def memory_map(data, folder):
    np.save(folder / "rows.npy", data.X)
    return (open_rows(np.load(folder / "rows.npy", mmap_mode="r"), batch_rows=31), *beside(data))


def zarr_array(data, folder):
    array = zarr.open(str(folder / "rows.zarr"), mode="w", shape=data.X.shape, chunks=(19, 2), dtype="f8")
    array[:] = data.X
    return (open_rows(folder / "rows.zarr", batch_rows=10), *beside(data))


def batches_of(data, n=6):
    for index in np.array_split(np.arange(len(data)), n):
        part = data.rows(index)
        yield part.X if part.y is None else (part.X, part.y)


def xarray_array(data, folder):
    return (xr.DataArray(data.X, dims=("time", "place")), *beside(data))


def xarray_dask(data, folder):
    array = open_rows(xr.DataArray(data.X.T, dims=("place", "time")).chunk({"time": 31}), rows="time")
    return (array, *beside(data)) if data.y is None else (array, *dask_array(data, folder)[1:])


def anndata_cells(data, folder):
    """Rows as the X of an AnnData, as objects of names: pandas 3 has words that its files do not take."""
    ad = pytest.importorskip("anndata", reason="anndata asks for pandas 2, and is tested where it is installed")
    beside_rows = {} if data.y is None or data.y.ndim > 1 else {"label": pd.Categorical(data.y)}
    names = [
        np.array([f"{kind}{i}" for i in range(n)], dtype=object) for kind, n in zip("rc", data.X.shape, strict=True)
    ]
    obs, var = (pd.DataFrame(index=pd.Index(index, dtype=object)) for index in names)
    return ad.AnnData(data.X, obs=obs.assign(**beside_rows), var=var)


def anndata_memory(data, folder):
    adata = anndata_cells(data, folder)
    return (open_rows(adata, target="label"),) if "label" in adata.obs else (adata, *beside(data))


def anndata_sparse(data, folder):
    adata = anndata_cells(data, folder)
    adata.X = scipy.sparse.csr_matrix(adata.X)
    return (adata, *beside(data))


def anndata_backed(data, folder):
    adata = anndata_cells(data, folder)
    ad = pytest.importorskip("anndata")
    with ad.settings.override(allow_write_nullable_strings=True):
        adata.write_h5ad(folder / "rows.h5ad")
    return (ad.read_h5ad(folder / "rows.h5ad", backed="r"), *beside(data))


def generator(data, folder):
    return (open_rows(batches_of(data)),)


def batch_list(data, folder):
    return (open_rows(list(batches_of(data, len(data)))),)


def batch_function(data, folder):
    return (open_rows(lambda: batches_of(data), batch_rows=5),)


def frames(data, folder):
    frame = frame_of(data)
    return (open_rows((frame.iloc[k : k + 8] for k in range(0, len(frame), 8)), **roles(data)),)


def streamed(data, folder):
    np.save(folder / "rows.npy", data.X)
    return (open_rows(folder / "rows.npy", batch_rows=40, device="cpu"), *beside(data))


def dask_array(data, folder):
    rest = () if data.y is None else (da.from_array(data.y, chunks=(23, *(-1 for _ in data.y.shape[1:]))),)
    return (da.from_array(data.X, chunks=(23, 2)), *rest)


def dask_array_unknown(data, folder):
    X = da.from_array(np.column_stack([data.X, np.zeros(len(data))]), chunks=(31, -1))
    keep = X[:, -1] == 0
    rest = () if data.y is None else (da.from_array(data.y, chunks=(31, *(-1 for _ in data.y.shape[1:])))[keep],)
    return (X[keep][:, :-1], *rest)


def dask_frame(data, folder):
    frame = dd.from_pandas(frame_of(data), npartitions=4)
    frame = frame[frame["c0"] == frame["c0"]]
    if data.y is None:
        return (frame[roles(data)["columns"]],)
    return (frame[roles(data)["columns"]], frame[roles(data)["target"]])


KINDS = {
    make.__name__: make
    for make in (
        parquet,
        parquet_folder,
        parquet_list,
        csv,
        csv_gz_list,
        csv_zst,
        parquet_pattern,
        hive,
        feather,
        arrow_ipc_stream,
        remote_parquet,
        remote_csv,
        file_address,
        arrow_array,
        sparse_columns,
        object_columns,
        arrow_decimals,
        polars_decimals,
        duckdb_relation,
        duckdb_file,
        sqlite_file,
        arrow_table,
        arrow_reader,
        npy,
        npy_fortran,
        npy_parts,
        memory_map,
        zarr_array,
        xarray_array,
        xarray_dask,
        anndata_memory,
        anndata_sparse,
        anndata_backed,
        generator,
        batch_list,
        batch_function,
        frames,
        streamed,
        dask_array,
        dask_array_unknown,
        dask_frame,
    )
}
