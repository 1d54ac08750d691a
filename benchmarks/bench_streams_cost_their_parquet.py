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

N, P = 1_000_000, 20
COLUMNS = [f"c{j}" for j in range(P)]


def main() -> list[Ratio]:
    X = np.random.default_rng(0).standard_normal((N, P))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        pq.write_table(pa.table({name: X[:, j] for j, name in enumerate(COLUMNS)}), path)
        feather = Path(folder, "rows.arrow")
        pa.feather.write_feather(pq.read_table(path), feather, compression="uncompressed")
        connection = duckdb.connect()
        relation = connection.sql(f"SELECT * FROM '{path}'")
        connection.execute(f"CREATE TABLE stored AS SELECT * FROM '{path}'")
        query = to_sql("stored", COLUMNS)
        theirs = {"our fit of the Parquet file": lambda: PCA(5).fit(open_rows(path))}
        limit = {"our fit of the Parquet file": 0.83}
        claim = f"PCA {N:,}×{P}, k=5"
        rows = race(f"{claim}, DuckDB relation", lambda: PCA(5).fit(open_rows(relation)), theirs, targets=limit)
        rows += race(f"{claim}, Arrow file", lambda: PCA(5).fit(open_rows(feather)), theirs, targets=limit)
        return rows + race(
            f"{claim}, moments inside DuckDB",
            lambda: PCA(5).fit_moments(query.moments(connection.execute(query))),
            {"reading the rows out": lambda: PCA(5).fit(open_rows(connection.sql("SELECT * FROM stored")))},
        )


if __name__ == "__main__":
    for row in main():
        print(row)
