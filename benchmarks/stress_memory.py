"""Fit files several times larger than the memory that a process may have, and report its peak for n and 2n rows.

    python benchmarks/stress_memory.py [gigabytes=4] [limit in gigabytes=1]

The limit is on all memory of the process, libraries and threads counted in (RLIMIT_DATA).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

P, STEP = 100, 100_000

SCRIPT = """
import resource, sys, time
limit = int(float(sys.argv[3]) * 2**30)
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
from eigenlens import PCA, LDA, CCA, open_rows
path, method = sys.argv[1], sys.argv[2]
columns = [f"c{j}" for j in range(100)]
start = time.perf_counter()
if path.endswith(".npy"):
    PCA(5).fit(open_rows(path))
elif method == "PCA":
    PCA(5).fit(open_rows(path, columns))
elif method == "LDA":
    LDA().fit(open_rows(path, columns, target="label"))
else:
    CCA(5).fit(open_rows(path, columns[:80], target=columns[80:]))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"peak {peak:.0f} MiB, {time.perf_counter() - start:.1f} s")
"""


def write(path: Path, rows: int) -> None:
    rng = np.random.default_rng(0)
    writer = None
    with path.with_suffix(".npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (rows, P)})
        for _ in range(rows // STEP):
            block = rng.standard_normal((STEP, P)) * np.linspace(3, 1, P)
            file.write(block.tobytes())
            table = pa.table({**{f"c{j}": block[:, j] for j in range(P)}, "label": np.arange(STEP) % 7})
            writer = writer or pq.ParquetWriter(path.with_suffix(".parquet"), table.schema, compression="none")
            writer.write_table(table, row_group_size=STEP)
    assert writer is not None
    writer.close()


def main() -> None:
    size, limit = (float(a) for a in (*sys.argv[1:], 4, 1)[:2])
    rows = int(size * 1e9 / 8 / P) // (2 * STEP) * 2 * STEP
    environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"}  # others reserve more than they use
    with tempfile.TemporaryDirectory() as folder:
        for n in (rows // 2, rows):
            path = Path(folder, f"rows-{n}")
            write(path, n)
            for suffix, method in ((".npy", "PCA"), (".parquet", "PCA"), (".parquet", "LDA"), (".parquet", "CCA")):
                file = path.with_suffix(suffix)
                command = [sys.executable, "-c", SCRIPT, str(file), method, str(limit)]
                run = subprocess.run(command, capture_output=True, text=True, env=environment)
                said = run.stdout.strip() or run.stderr.strip().splitlines()[-1]
                gigabytes = file.stat().st_size / 1e9
                print(f"{method} of {gigabytes:.1f} GB {suffix} under {limit:g} GiB: {said}", flush=True)
            for suffix in (".npy", ".parquet"):
                path.with_suffix(suffix).unlink()


if __name__ == "__main__":
    main()
