"""PCA(10) of 100,000 × 1,000,000 sparse rows on disk, under a limit of 2 GiB on what the process holds.

    python benchmarks/huge_sparse_from_disk.py [cells_of_a_row] [folder] [limit_in_GiB]

Three .npy files (cells, columns, starts of rows) are opened as memory maps and passed as one SciPy CSR table. Pages of
files are the system's to keep or drop; RLIMIT_DATA limits all else. Ten groups of rows share columns of their own, so
that ten directions stand out, and the search has something to find.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse

N, P, K = 100_000, 1_000_000, 10
CELLS = 200
LIMIT = 2 * 2**30
PIECE = 2_000  # rows that are written together
OWN = 2_000  # columns of a group


def write(folder: Path, cells: int) -> None:
    """Write rows of `cells` cells: a tenth of them in the columns of the row's group, and larger."""
    rng, shared = np.random.default_rng(0), cells // 10
    places = np.int32 if N * cells < 2**31 else np.int64  # of one kind, or SciPy copies the columns
    kinds = {"data": np.float64, "indices": places, "indptr": places}
    sizes = {"data": N * cells, "indices": N * cells, "indptr": N + 1}
    files = {
        name: np.lib.format.open_memmap(folder / f"{name}.npy", "w+", kind, (sizes[name],))
        for name, kind in kinds.items()
    }
    files["indptr"][:] = np.arange(N + 1) * cells
    for start in range(0, N, PIECE):
        rows = np.arange(start, start + PIECE)[:, None]
        # no cell twice: SciPy's tables with such cells are copied to add them up
        own = (rng.integers(0, OWN, (PIECE, 1)) + 7 * np.arange(shared)) % OWN
        width = (P - K * OWN) // (cells - shared)
        others = K * OWN + width * np.arange(cells - shared) + rng.integers(0, width, (PIECE, cells - shared))
        spread = np.hstack([(rows % K) * OWN + own, others])
        values = rng.random((PIECE, cells))
        values[:, :shared] *= 4.0 + rows % K
        order = np.argsort(spread, axis=1, kind="stable")
        part = slice(start * cells, (start + PIECE) * cells)
        files["indices"][part] = np.take_along_axis(spread, order, axis=1).ravel()
        files["data"][part] = np.take_along_axis(values, order, axis=1).ravel()
    for file in files.values():
        file.flush()


def held() -> tuple[float, float]:
    """Return what the process holds beside files, and its largest size with their pages, in MiB."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["RssAnon"].split()[0]) / 1024, int(status["VmHWM"].split()[0]) / 1024


def main(cells: int, folder: Path, limit: int) -> None:
    write(folder, cells)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    from eigenlens import PCA

    parts = [np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("data", "indices", "indptr")]
    X = scipy.sparse.csr_array(tuple(parts), shape=(N, P), copy=False)
    print(f"{N:,} × {P:,}, {X.nnz:,} cells, {sum(part.nbytes for part in parts) / 2**20:,.0f} MiB on disk", flush=True)
    start = time.perf_counter()
    model = PCA(K).fit(X)
    spectrum = model.spectrum_
    print(f"{type(model.moments_).__name__}, {spectrum.steps} steps, residual {spectrum.residual:.1e}")
    print(f"{time.perf_counter() - start:.0f} s, {time.process_time():.0f} s of processor time")
    anonymous, largest = held()
    print(f"{anonymous:,.0f} MiB held beside files at the end, {largest:,.0f} MiB at most with pages of files")
    print("explained variance:", model.explained_variance_.round(3))


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else CELLS
    most = int(float(sys.argv[3]) * 2**30) if len(sys.argv) > 3 else LIMIT
    if len(sys.argv) > 2:
        main(count, Path(sys.argv[2]), most)
    else:
        with tempfile.TemporaryDirectory() as name:
            main(count, Path(name), most)
