"""Change, swap, cut and damage files before and during passes, many times, and count what was refused.

    python benchmarks/stress_sources.py [rounds=300]

A round is *refused* if it ends in an error of this package, *same* if the result is that of the file as it was opened,
*raw* if another error comes out, and *silent* if a wrong result does. Nothing may be raw or silent.
"""

from __future__ import annotations

import gzip
import os
import shutil
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import zarr

from eigenlens import PCA, open_rows

N, P = 4000, 5
rng = np.random.default_rng(0)
X = rng.standard_normal((N, P)) * np.arange(P, 0, -1)
EXPECTED = PCA(2).fit(X).components_


def write(path: Path, values: np.ndarray, checksums: bool = True) -> None:
    names = [f"c{j}" for j in range(values.shape[1])]
    if path.suffix == ".npy":
        np.save(path, np.asfortranarray(values) if "fortran" in path.name else values)
    elif path.suffix == ".parquet":
        table = pa.table(dict(zip(names, values.T, strict=True)))
        pq.write_table(table, path, row_group_size=500, write_page_checksum=checksums, compression="none")
    elif path.suffix == ".zarr":
        shutil.rmtree(path, ignore_errors=True)
        zarr.create_array(str(path), shape=values.shape, chunks=(500, values.shape[1]), dtype="f8")[:] = values
    else:
        text = "\n".join([",".join(names), *(",".join(map(repr, row)) for row in values.tolist())]).encode()
        path.write_bytes(gzip.compress(text, 1) if path.suffix == ".gz" else text)


def outcome(fit: Callable[[], np.ndarray]) -> str:
    try:
        found = fit()
    except ValueError:
        return "refused"
    except Exception as error:
        print(f"raw: {error!r}")
        return "raw"
    return "same" if found.shape == EXPECTED.shape and np.allclose(found, EXPECTED, rtol=1e-9) else "silent"


def remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def swap(path: Path, values: np.ndarray) -> None:
    other = path.with_name(f"other-{path.name}")
    write(other, values)
    remove(path)
    os.rename(other, path)


CHANGES: dict[str, Callable[[Path], None]] = {
    "wider": lambda path: write(path, np.hstack([X, X])),
    "shorter": lambda path: write(path, X[: N // 2]),
    "columns reordered": lambda path: write(path, X[:, ::-1]),
    "other rows": lambda path: write(path, X + rng.standard_normal(X.shape)),
    "swapped": lambda path: swap(path, X * 2 + rng.standard_normal(X.shape)),
    "gone": remove,
}
NAMES = ("rows.npy", "fortran.npy", "rows.parquet", "rows.csv", "rows.csv.gz", "rows.zarr")


def changed(folder: Path, rounds: int, during: bool, names: tuple[str, ...] = NAMES) -> Counter:
    counts: Counter = Counter()
    for k in range(rounds):
        path, change = folder / names[k % len(names)], list(CHANGES.values())[k // len(names) % len(CHANGES)]
        write(path, X)
        source = open_rows(path, batch_rows=100)
        if during:
            timer = threading.Timer(rng.uniform(0, 0.03), change, [path])
            timer.start()
        else:
            change(path)
        counts[outcome(lambda s=source: PCA(2).fit(s).components_)] += 1
        if during:
            timer.join()
        if path.exists():
            remove(path)
    return counts


def flipped(folder: Path, name: str, rounds: int, checksums: bool = True) -> Counter:
    """One bit of the rows; the footer of Parquet and the header of .npy say how to read them, and have no checksum."""
    path, counts = folder / name, Counter()
    write(path, X, checksums)
    whole = path.read_bytes()
    end = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little") if path.suffix == ".parquet" else len(whole)
    for place in rng.integers(0, 8 * end, rounds):
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        counts[outcome(lambda: PCA(2).fit(open_rows(path)).components_)] += 1
    return counts


def cut(folder: Path, name: str, rounds: int) -> Counter:
    path, counts = folder / name, Counter()
    write(path, X)
    whole = path.read_bytes()
    for end in rng.integers(0, len(whole) - 1, rounds):
        path.write_bytes(whole[:end])
        counts[outcome(lambda: PCA(2).fit(open_rows(path)).components_)] += 1
    return counts


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("changed between open_rows and fit:", dict(changed(folder, rounds, during=False)), flush=True)
        print("changed at a random moment of fit:", dict(changed(folder, rounds, during=True)), flush=True)
        print("Parquet with checksums, a bit flipped:", dict(flipped(folder, "rows.parquet", rounds)), flush=True)
        without = flipped(folder, "rows.parquet", rounds, checksums=False)
        print("Parquet without checksums, a bit flipped:", dict(without), flush=True)
        print(".csv.gz, a bit flipped:", dict(flipped(folder, "rows.csv.gz", rounds)), flush=True)
        print(".csv.gz, cut short:", dict(cut(folder, "rows.csv.gz", rounds)), flush=True)
        print(".npy, cut short:", dict(cut(folder, "fortran.npy", rounds)), flush=True)


if __name__ == "__main__":
    main()
