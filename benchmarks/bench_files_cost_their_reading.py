"""PCA of files: as fast as in memory where computing sets the time, and as just reading where that does.

Far faster than IncrementalPCA on the same memory map, and exact where that is not.
"""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from sklearn.decomposition import IncrementalPCA

from eigenlens import PCA, Subspace, open_rows
from harness import Ratio, race

CLAIM = "PCA 100,000×200, k=10"
N, P, K = 100_000, 200, 10
NARROW = 20  # columns of a table whose reading takes longer than its moments


def read_npy(path):
    with path.open("rb", buffering=0) as file:
        buffer = bytearray(2**24)
        while file.readinto(buffer):
            pass


def read_parquet(path):
    with pq.ParquetFile(path, pre_buffer=False) as file:
        for batch in file.iter_batches(batch_size=10_000):
            np.stack([column.to_numpy() for column in batch.columns])


def read_csv(path):
    kinds = pa_csv.ConvertOptions(column_types={f"c{j}": pa.float64() for j in range(NARROW)})
    with pa_csv.open_csv(path, pa_csv.ReadOptions(block_size=2**24), convert_options=kinds) as reader:
        for batch in reader:
            np.stack([column.to_numpy() for column in batch.columns])


def narrow(folder: Path, rng) -> list[Ratio]:
    """Race against just reading, with so few columns that reading sets the time."""
    rows = []
    for suffix, n, write, read in (
        (".csv", 400_000, pa_csv.write_csv, read_csv),
        (".parquet", 1_000_000, pq.write_table, read_parquet),
    ):
        X, path = rng.standard_normal((n, NARROW)), folder / f"narrow{suffix}"
        write(pa.table({f"c{j}": X[:, j] for j in range(NARROW)}), path)
        rows += race(
            f"PCA {n:,}×{NARROW}, k=5, {suffix}",
            lambda path=path: PCA(5).fit(open_rows(path)),
            {
                "our fit in memory": lambda X=X: PCA(5).fit(X),
                "reading the file alone": lambda path=path, read=read: read(path),
            },
            targets={"reading the file alone": 0.83},
        )
    return rows


def angle(components, exact):
    spaces = (Subspace(np.zeros(P), np.asarray(c).T) for c in (components, exact))
    return float(np.rad2deg(np.max(next(spaces).angles(next(spaces)))))


def main() -> list[Ratio]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, P)) * np.linspace(1.6, 1, P)  # a flat spectrum, as data have
    with tempfile.TemporaryDirectory() as folder:
        npy, parquet = Path(folder, "rows.npy"), Path(folder, "rows.parquet")
        np.save(npy, X)
        pq.write_table(pa.table({f"c{j}": X[:, j] for j in range(P)}), parquet, row_group_size=50_000)
        mapped = np.load(npy, mmap_mode="r")
        rows = race(
            f"{CLAIM}, .npy file",
            lambda: PCA(K).fit(open_rows(npy)),
            {"our fit in memory": lambda: PCA(K).fit(X), "reading the file alone": lambda: read_npy(npy)},
            rounds=3,
            targets={"our fit in memory": 0.77},
        )
        rows += race(
            f"{CLAIM}, .npy file",
            lambda: PCA(K).fit(open_rows(npy)),
            {"scikit-learn IncrementalPCA(10)": lambda: IncrementalPCA(K).fit(mapped)},
            rounds=1,
            targets={"scikit-learn IncrementalPCA(10)": 10},
        )
        rows += race(
            f"{CLAIM}, Parquet",
            lambda: PCA(K).fit(open_rows(parquet)),
            {"our fit in memory": lambda: PCA(K).fit(X), "reading the file alone": lambda: read_parquet(parquet)},
            rounds=3,
        )
        rows += narrow(Path(folder), rng)
        exact = np.linalg.eigh(np.cov(X.T))[1][:, : -K - 1 : -1].T
        ours = angle(PCA(K).fit(open_rows(npy)).components_, exact)
        theirs = angle(IncrementalPCA(K).fit(mapped).components_, exact)
    note = f"angle to the exact subspace: ours {ours:.1e}°, IncrementalPCA {theirs:.1f}°"
    return [*rows, Ratio(f"{CLAIM}, .npy file", note=note)]


if __name__ == "__main__":
    print(*main(), sep="\n")
