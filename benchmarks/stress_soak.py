"""Fit, transform, save and load again and again in one process, and see that memory, files and threads stay level.

    python benchmarks/stress_soak.py [rounds=20000] [--seed 0] [--growth 32]

A round fits a model to rows of its own, saves it, loads it, and compares the answers of both for a second table to the
last bit. Memory (MiB) is compared between the first tenth of the rounds, which warms up, and the end.
"""

from __future__ import annotations

import argparse
import gc
import os
import tempfile
import threading
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from eigenlens import CCA, LDA, MDA, PCA, PDA, QDA, SIR, KernelPCA, SparsePCA, load, open_rows, save

MODELS = (PCA(2), LDA(), QDA(), PDA(), MDA(), SIR(2), CCA(2), KernelPCA(2), SparsePCA(2))


def data_for(model: object, rng: np.random.Generator, n: int, p: int) -> tuple[np.ndarray, ...]:
    X = rng.standard_normal((n, p))
    if isinstance(model, LDA | QDA | PDA | MDA):
        labels = np.arange(n) % 3
        return X + labels[:, None], labels
    if isinstance(model, SIR):
        return X, X[:, 0] + rng.standard_normal(n)
    return (X, X[:, :2] + rng.standard_normal((n, 2))) if isinstance(model, CCA) else (X,)


def round_of(k: int, seed: int, folder: Path) -> str:
    """Fit, save, load and compare; every tenth round from a file, every 25th interrupted by a row that is refused."""
    rng = np.random.default_rng([seed, k])
    model = MODELS[k % len(MODELS)]
    n, p = int(rng.integers(30, 200)), int(rng.integers(3, 9))
    X, *y = data_for(model, rng, n, p)
    if k % 25 == 0:
        try:
            model.fit(np.where(X.max() == X, np.nan, X), *y)
        except ValueError:
            pass
        else:
            return "a missing cell was taken"
    rows = X
    if k % 10 == 0 and not isinstance(model, CCA):
        np.save(folder / "rows.npy", X)
        rows = open_rows(folder / "rows.npy")
    model.fit(rows, *y)
    again = load(save(model, folder / "model.eigenlens"))
    X, *_ = data_for(model, rng, 20, p)
    name = "transform" if hasattr(model, "transform") else "predict_proba"
    same = np.array_equal(getattr(model, name)(X), getattr(again, name)(X))
    return "same" if same else f"{type(model).__name__} differs"


def level() -> dict[str, float]:
    """Return the memory (MiB), open files and threads of this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    memory = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    return {"MiB": round(memory, 1), "files": len(os.listdir("/proc/self/fd")), "threads": threading.active_count()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rounds", type=int, nargs="?", default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--growth", type=float, default=32)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    counts: Counter = Counter()
    first, start = {}, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for k in range(options.rounds):
            counts[round_of(k, options.seed, Path(folder))] += 1
            if (k + 1) % max(options.rounds // 10, 1) == 0:
                now = level()
                first = first or now
                print(f"{k + 1:,} rounds, {time.monotonic() - start:.0f} s: {now}", flush=True)
        left = len(os.listdir(folder)) - 2
    print(dict(counts), f"{left} files left over")
    grown = now["MiB"] - first["MiB"] > options.growth or any(now[of] > first[of] for of in ("files", "threads"))
    return int(grown or left > 0 or len(counts) > 1)


if __name__ == "__main__":
    raise SystemExit(main())
