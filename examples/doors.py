"""The same rows through every door: each function is all that you write for one kind of table.

    python examples/doors.py [folder]

Prints, for each door, how far the components of `PCA` are from those of the plain array. Doors whose library is not
installed are skipped. Spark and Ray take half a minute to start, and are in docs/scale.md.
"""

import gzip
import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

from eigenlens import PCA, open_rows
from eigenlens.moments import to_sql

NAMES = load_iris().feature_names
ROWS = load_iris().data


def pandas_frame(folder: Path) -> PCA:
    import pandas as pd

    return PCA(2).fit(pd.DataFrame(ROWS, columns=NAMES))


def polars_frame(folder: Path) -> PCA:
    import polars as pl

    return PCA(2).fit(pl.DataFrame(ROWS, schema=NAMES))


def arrow_table(folder: Path) -> PCA:
    import pyarrow as pa

    return PCA(2).fit(pa.table(dict(zip(NAMES, ROWS.T, strict=True))))


def arrow_file(folder: Path) -> PCA:
    import pyarrow as pa
    from pyarrow import feather

    feather.write_feather(pa.table(dict(zip(NAMES, ROWS.T, strict=True))), folder / "iris.feather")
    return PCA(2).fit(open_rows(folder / "iris.feather"))


def parquet_folder(folder: Path) -> PCA:
    import pyarrow as pa
    from pyarrow import parquet

    for year, rows in ((2024, ROWS[:70]), (2025, ROWS[70:])):
        os.makedirs(folder / f"iris/year={year}")
        parquet.write_table(pa.table(dict(zip(NAMES, rows.T, strict=True))), folder / f"iris/year={year}/part.parquet")
    return PCA(2).fit(open_rows(folder / "iris", columns=NAMES))


def compressed_csv(folder: Path) -> PCA:
    with gzip.open(folder / "iris.csv.gz", "wt", encoding="utf8") as file:
        np.savetxt(file, ROWS, delimiter=",", header=",".join(NAMES), comments="", fmt="%.17g")
    return PCA(2).fit(open_rows(folder / "iris.csv.gz"))


def npy_file(folder: Path) -> PCA:
    np.save(folder / "iris.npy", ROWS)
    return PCA(2).fit(open_rows(folder / "iris.npy"))


def address(folder: Path) -> PCA:
    import fsspec

    with fsspec.open("memory://garden/iris.csv", "wt") as file:
        np.savetxt(file, ROWS, delimiter=",", header=",".join(NAMES), comments="", fmt="%.17g")
    return PCA(2).fit(open_rows("memory://garden/iris.csv"))


def duckdb_relation(folder: Path) -> PCA:
    import duckdb
    import pandas as pd

    frame = pd.DataFrame(ROWS, columns=NAMES)  # noqa: F841 - the query names it
    return PCA(2).fit(duckdb.sql("SELECT * FROM frame"))


def moments_in_sqlite(folder: Path) -> PCA:
    columns = ", ".join(f'"{name}"' for name in NAMES)
    store = sqlite3.connect(folder / "iris.db")
    store.execute(f"CREATE TABLE iris({columns})")
    store.executemany(f"INSERT INTO iris VALUES ({', '.join('?' * len(NAMES))})", ROWS.tolist())
    query = to_sql("iris", NAMES, dialect="sqlite")
    return PCA(2).fit_moments(query.moments(store.execute(query)))


def xarray_array(folder: Path) -> PCA:
    import xarray as xr

    return PCA(2).fit(open_rows(xr.DataArray(ROWS.T, dims=("column", "iris")), rows="iris"))


def anndata_cells(folder: Path) -> PCA:
    import anndata

    return PCA(2).fit(anndata.AnnData(ROWS))


def sparse_matrix(folder: Path) -> PCA:
    from scipy.sparse import csr_array

    return PCA(2).fit(csr_array(ROWS))


def dask_array(folder: Path) -> PCA:
    import dask.array as da

    return PCA(2).fit(da.from_array(ROWS, chunks=(50, -1)))


def torch_tensor(folder: Path) -> PCA:
    import torch

    return PCA(2).fit(torch.from_numpy(ROWS))


def ten_hospitals(folder: Path) -> PCA:
    """Moments of parts, added up where no row may go."""
    return PCA(2).fit_moments(sum(PCA().fit(part).moments_ for part in np.array_split(ROWS, 10)))


DOORS: dict[Callable[[Path], PCA], tuple[str, ...]] = {
    pandas_frame: ("pandas",),
    polars_frame: ("polars",),
    arrow_table: ("pyarrow",),
    arrow_file: ("pyarrow",),
    parquet_folder: ("pyarrow",),
    compressed_csv: ("pyarrow",),
    npy_file: (),
    address: ("fsspec", "pyarrow"),
    duckdb_relation: ("duckdb", "pandas"),
    moments_in_sqlite: (),
    xarray_array: ("xarray",),
    anndata_cells: ("anndata",),
    sparse_matrix: (),
    dask_array: ("dask",),
    torch_tensor: ("torch",),
    ten_hospitals: (),
}


def apart(door: Callable[[Path], PCA], folder: Path) -> float:
    """Return how far the components that come through a door are from those of the array."""
    found = np.asarray(door(folder).components_, dtype=float)
    return float(np.abs(found - PCA(2).fit(ROWS).components_).max())


def main(folder: Path) -> None:
    for door, libraries in DOORS.items():
        gone = [name for name in libraries if find_spec(name) is None]
        what = door.__name__.replace("_", " ")
        print(f"{what:20s}", f"needs {', '.join(gone)}" if gone else f"{apart(door, folder):.0e} from the array")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(scratch))
