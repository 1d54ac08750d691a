"""The memory bound of streaming doors: a fit needs a few blocks, however large the table is."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROWS, COLUMNS = 1_000_000, 20  # 160 MB as float64
MOST = 80  # MB above what the process held before: half of the table
DUCKDB = 64  # MB that DuckDB may hold itself, as pages of the table

SCRIPT = """
import gzip, json, sys
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from eigenlens import PCA, open_rows
from eigenlens.moments import to_sql

folder, n, p = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
names = [f"c{j}" for j in range(p)]
STEP = 50_000


def batches():
    rng = np.random.default_rng(0)
    for _ in range(0, n, STEP):
        X = rng.standard_normal((STEP, p))
        yield pa.RecordBatch.from_arrays([pa.array(X[:, j]) for j in range(p)], names)


schema = next(batches()).schema
for part in range(2):
    (folder / "hive" / f"half={part}").mkdir(parents=True)
with (
    pq.ParquetWriter(folder / "rows.parquet", schema) as one,
    pq.ParquetWriter(folder / "hive/half=0/rows.parquet", schema) as left,
    pq.ParquetWriter(folder / "hive/half=1/rows.parquet", schema) as right,
    pa.OSFile(str(folder / "rows.arrow"), "wb") as raw,
    pa.ipc.new_file(raw, schema) as ipc,
):
    for k, batch in enumerate(batches()):
        one.write_batch(batch, row_group_size=STEP)
        (left if k % 2 else right).write_batch(batch, row_group_size=STEP)
        ipc.write_batch(batch)
with duckdb.connect(str(folder / "rows.db")) as connection:
    connection.execute(f"CREATE TABLE stored AS FROM '{folder}/rows.parquet'")
connection = duckdb.connect(str(folder / "rows.db"), read_only=True)
connection.execute(f"SET memory_limit='{sys.argv[4]}MB'; SET threads=1")


def stream():
    return pa.RecordBatchReader.from_batches(schema, batches())


def inside():
    query = to_sql("stored", names)
    return PCA(2).fit_moments(query.moments(connection.execute(query)))


def fit(rows):
    return PCA(2).fit(open_rows(rows, columns=names))


doors = {
    "Parquet": lambda: fit(folder / "rows.parquet"),
    "hive folder": lambda: fit(folder / "hive"),
    "pattern": lambda: fit(f"{folder}/hive/*/*.parquet"),
    "address": lambda: fit(f"file://{folder}/rows.parquet"),
    "Arrow file": lambda: fit(folder / "rows.arrow"),
    "Arrow stream": lambda: fit(stream()),
    "DuckDB relation": lambda: fit(connection.sql("FROM stored")),
    "batches": lambda: PCA(2).fit(open_rows(np.column_stack(b.columns) for b in batches())),
    "moments in DuckDB": inside,
}


def status(name):
    text = Path("/proc/self/status").read_text()
    return int(text.split(name + ":")[1].split()[0]) / 1024


fit(next(batches()))
fit(folder / "hive/half=0/rows.parquet")  # threads and libraries are there before anything is measured
found = {}
for name, door in doors.items():
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew from here
    before = status("VmRSS")
    model = door()
    assert model.moments_.n_rows == n, name
    found[name] = status("VmHWM") - before
print(json.dumps(found))
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak of a part of a run is Linux's to tell")
def test_doors_need_a_few_blocks(tmp_path):
    command = [sys.executable, "-c", SCRIPT, str(tmp_path), str(ROWS), str(COLUMNS), str(DUCKDB)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    found = json.loads(ran.stdout.splitlines()[-1])
    found["DuckDB relation"] -= DUCKDB
    assert {name: peak for name, peak in found.items() if peak > MOST} == {}
