"""PCA of an Arrow stream or a DuckDB relation: as fast as of the same rows in a Parquet file.

Moments inside DuckDB stand beside reading the rows out.
"""

import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

from eigenlens import PCA, open_rows
from eigenlens.moments import to_sql
from harness import Ratio, race

N, P, MANY = 1_000_000, 20, 10_000_000
COLUMNS = [f"c{j}" for j in range(P)]


def main() -> list[Ratio]:
    X = np.random.default_rng(0).standard_normal((N, P))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        pq.write_table(pa.table({name: X[:, j] for j, name in enumerate(COLUMNS)}), path)
        feather = Path(folder, "rows.arrow")
        pa.feather.write_feather(pq.read_table(path), feather, compression="uncompressed")
        connection = duckdb.connect()
        connection.execute(f"CREATE TABLE stored AS SELECT * FROM '{path}'")
        query = to_sql("stored", COLUMNS)
        theirs = {"our fit of the Parquet file": lambda: PCA(5).fit(open_rows(path))}
        limit = {"our fit of the Parquet file": 0.83}
        claim = f"PCA {N:,}×{P}, k=5"
        query_of_all = connection.sql(f"SELECT * FROM '{path}' WHERE c0 > -100")
        name = f"{claim}, DuckDB query over Parquet"
        rows = race(name, lambda: PCA(5).fit(open_rows(query_of_all)), theirs, targets=limit)
        rows += race(f"{claim}, Arrow file", lambda: PCA(5).fit(open_rows(feather)), theirs, targets=limit)
        stored = connection.sql("SELECT * FROM stored")
        rows += race(f"{claim}, DuckDB table", lambda: PCA(5).fit(open_rows(stored)), theirs, targets=limit)
        rows += race(
            f"{claim}, moments inside DuckDB",
            lambda: PCA(5).fit_moments(query.moments(connection.execute(query))),
            {"reading the rows out": lambda: PCA(5).fit(open_rows(stored))},
        )
        return rows + many_rows(folder)


def many_rows(folder: str) -> list[Ratio]:
    """Ten million rows that DuckDB makes itself, in a file: moments inside it, beside reading the rows out."""
    with duckdb.connect(str(Path(folder, "many.db"))) as connection:
        columns = ", ".join(f"random() AS {name}" for name in COLUMNS)
        connection.execute(f"CREATE TABLE many AS SELECT {columns} FROM range({MANY})")
        query = to_sql("many", COLUMNS)
        return race(
            f"PCA {MANY:,}×{P}, k=5, moments inside DuckDB",
            lambda: PCA(5).fit_moments(query.moments(connection.execute(query))),
            {"reading the rows out": lambda: PCA(5).fit(open_rows(connection.sql("SELECT * FROM many")))},
            rounds=3,
        )


if __name__ == "__main__":
    for row in main():
        print(row)
