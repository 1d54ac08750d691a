"""MDA of 20,000 × 20, 5 classes of 3 subclasses: five EM steps from k-means, against R's mda, k-means included.

R is timed inside R, without its start; without R and its package mda the claim is left out with a word.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from eigenlens import MDA
from harness import Ratio, seconds

STEPS, REPEATS = 5, 3
R_SCRIPT = """
suppressMessages(library(mda))
folder <- commandArgs(TRUE)[1]
d <- read.csv(file.path(folder, "table.csv"), header = FALSE); d$V1 <- factor(d$V1)
for (i in 1:as.integer(commandArgs(TRUE)[2])) {
  start <- proc.time()[["elapsed"]]
  f <- mda(V1 ~ ., data = d, subclasses = 3, iter = as.integer(commandArgs(TRUE)[3]), tries = 1)
  cat(proc.time()[["elapsed"]] - start, "\n")
}
"""


def table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y, part = rng.integers(0, 5, 20_000), rng.integers(0, 3, 20_000)
    return rng.standard_normal((20_000, 20)) + 1.5 * rng.standard_normal((5, 3, 20))[y, part], y


def in_r(X: np.ndarray, y: np.ndarray) -> list[float] | None:
    if shutil.which("Rscript") is None:
        print("  skipped: Rscript is not on the path")
        return None
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(Path(folder, "table.csv"), np.column_stack([y, X]), delimiter=",", fmt="%.10g")
        Path(folder, "run.R").write_text(R_SCRIPT)
        command = ["Rscript", str(Path(folder, "run.R")), folder, str(REPEATS), str(STEPS)]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print("  skipped: R could not run mda:", *done.stderr.strip().splitlines()[-1:])
        return None
    return [float(word) for word in done.stdout.split()]


def main() -> list[Ratio]:
    X, y = table()
    peer = in_r(X, y)
    if peer is None:
        return []
    model = MDA(n_init=1, max_iter=STEPS, tol=0)
    model.fit(X, y)
    ours = [seconds(lambda: model.fit(X, y)) for _ in range(REPEATS)]
    ratios = np.sort(peer) / np.sort(ours)
    note = f"{np.median(ours):.2f} s against {np.median(peer):.2f} s"
    claim = f"MDA 20,000×20, 5×3, {STEPS} steps"
    return [Ratio(claim, "R's mda", float(np.median(ratios)), ratios.min(), ratios.max(), 10, note)]


if __name__ == "__main__":
    print(*main(), sep="\n")
