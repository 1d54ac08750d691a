"""A report of a large file, beside just reading the file: time, and memory that does not grow with the rows.

One million rows of twenty numbers and a class, as Parquet and as text, with `eigenlens report --stream` in a process of
its own. The peer is pyarrow, which reads every cell once and does nothing with them; methods are not compared
(`--folds 0`), which takes as long for a small file.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from harness import Ratio

N, P = 1_000_000, 20
ROUNDS = 3
THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def write(folder: Path, n: int) -> dict[str, Path]:
    """Write the table as Parquet and as text."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 4, n)
    columns = {f"x{j}": rng.standard_normal(n) + (kind == j % 4) for j in range(P)}
    table = pa.table({**columns, "kind": np.array(["north", "east", "south", "west"])[kind]})
    pq.write_table(table, folder / f"{n}.parquet", row_group_size=100_000)
    pyarrow.csv.write_csv(table, folder / f"{n}.csv")
    return {"Parquet": folder / f"{n}.parquet", "CSV": folder / f"{n}.csv"}


def cost(words: list[str]) -> tuple[float, float]:
    """Return processor time and peak memory (MiB) of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen(words, env={**os.environ, **THREADS}, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, words
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return taken or used.ru_utime + used.ru_stime, used.ru_maxrss / 2**10


def report(path: Path) -> tuple[float, float]:
    """Return what a report of a file costs."""
    out = str(path.with_name("seen"))
    words = [sys.executable, "-m", "eigenlens", "report", str(path), "--target", "kind", "--method", "lda"]
    return cost([*words, "--stream", "--folds", "0", "--out", out, "--force"])


def reading(path: Path) -> tuple[float, float]:
    """Return what it costs to read every cell of a file once, piece by piece."""
    if path.suffix == ".parquet":
        code = f"import pyarrow.parquet as p\nfor batch in p.ParquetFile({str(path)!r}).iter_batches(): pass"
    else:
        code = f"import pyarrow.csv as c\nfor batch in c.open_csv({str(path)!r}): pass"
    return cost([sys.executable, "-c", code])


def main(n: int = N) -> list[Ratio]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        small = write(Path(folder), n // 10)
        for kind, path in write(Path(folder), n).items():
            ours = np.array([report(path) for _ in range(ROUNDS)])
            theirs = np.array([reading(path) for _ in range(ROUNDS)])
            low, middle, high = np.quantile(theirs[:, 0] / ours[:, 0], [0.25, 0.5, 0.75])
            grown = float(np.median(ours[:, 1])) - report(small[kind])[1]
            note = (
                f"{np.median(ours[:, 0]):.1f} s; {np.median(ours[:, 1]):.0f} MiB, {grown:+.0f} on a tenth of the rows"
            )
            rows.append(Ratio(f"report of {n:,}×{P} as {kind}", "pyarrow, just reading", middle, low, high, None, note))
    return rows


if __name__ == "__main__":
    print(*main(), sep="\n")
