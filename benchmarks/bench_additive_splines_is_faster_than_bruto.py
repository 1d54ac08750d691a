"""Claim: AdditiveSplines (5,000 rows, 20 features) is no slower than R's mda::bruto, with the same answer.

Both fit the same table in turn; R is timed inside R, without its start. Without R the claim is skipped with a
word.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from eigenlens.regress import AdditiveSplines

ROWS, FEATURES, REPEATS = 5_000, 20, 7
R_SCRIPT = """
suppressMessages(library(mda))
d <- as.matrix(read.csv(file.path(commandArgs(TRUE)[1], "table.csv"), header = FALSE))
x <- d[, -1]; y <- d[, 1]
seconds <- sapply(seq_len(as.integer(commandArgs(TRUE)[2])), function(i) {
  start <- proc.time()[["elapsed"]]; f <<- bruto(x, y); proc.time()[["elapsed"]] - start })
write.table(seconds, file.path(commandArgs(TRUE)[1], "seconds.txt"), row.names = FALSE, col.names = FALSE)
write.table(cbind(as.integer(f$type), f$df), file.path(commandArgs(TRUE)[1], "kinds.txt"),
            row.names = FALSE, col.names = FALSE)
write.table(as.vector(f$fitted.values), file.path(commandArgs(TRUE)[1], "fitted.txt"),
            row.names = FALSE, col.names = FALSE)
"""


def table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(ROWS, FEATURES))
    y = 10 * np.sin(X[:, 0]) + X[:, 1] ** 2 + 2 * X[:, 2] + np.exp(X[:, 3] / 2) + rng.normal(size=ROWS)
    return X, y


def ours(X: np.ndarray, y: np.ndarray) -> tuple[AdditiveSplines, list[float]]:
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        model = AdditiveSplines().fit(X, y)
        seconds.append(time.perf_counter() - start)
    return model, seconds


def bruto(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    if shutil.which("Rscript") is None:
        print("skipped: Rscript is not on the path")
        return None
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(Path(folder, "table.csv"), np.column_stack([y, X]), delimiter=",", fmt="%.17g")
        Path(folder, "run.R").write_text(R_SCRIPT)
        command = ["Rscript", str(Path(folder, "run.R")), folder, str(REPEATS)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print("skipped: R could not run mda::bruto:", done.stderr.strip().splitlines()[-1:])
            return None
        seconds, kinds, fitted = (np.loadtxt(Path(folder, f"{n}.txt")) for n in ("seconds", "kinds", "fitted"))
        return seconds, kinds, fitted


def main() -> dict[str, float] | None:
    X, y = table()
    peer = bruto(X, y)
    model, mine = ours(X, y)
    print(f"AdditiveSplines: best {min(mine):.3f} s, median {np.median(mine):.3f} s")
    if peer is None:
        return None
    seconds, kinds, fitted = peer
    words = np.array(["out", "linear", "smooth"])[kinds[:, 0].astype(int) - 1]
    gap = np.linalg.norm(model.predict(X) - fitted) / np.linalg.norm(fitted)
    print(f"mda::bruto:      best {seconds.min():.3f} s, median {np.median(seconds):.3f} s")
    print(f"same kinds: {int(np.sum(words == model.kind_))} of {FEATURES}; largest df difference ", end="")
    print(f"{np.max(np.abs(kinds[:, 1] - model.df_)):.3f}; relative difference of the fits {gap:.1e}")
    ratio = seconds.min() / min(mine)
    print(f"ratio (bruto / ours): {ratio:.2f}; by medians {np.median(seconds) / np.median(mine):.2f}")
    return {"ratio": float(ratio), "ours": min(mine), "bruto": float(seconds.min())}


if __name__ == "__main__":
    main()
