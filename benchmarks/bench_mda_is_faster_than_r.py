"""MDA of 20,000 × 20, 5 classes of 3 subclasses, against R's mda: one start and five EM steps each, and the defaults.

Processor time of both, k-means included; R's is its own, without its start. Ours has one thread, as R's reference BLAS
has. Without R and its package mda the claim is left out with a word.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from eigenlens import MDA
from harness import Ratio

STEPS, REPEATS = 5, 5
R_SCRIPT = """
suppressMessages(library(mda))
set.seed(1)  # its starts are random, and some of them fail
folder <- commandArgs(TRUE)[1]
d <- read.csv(file.path(folder, "table.csv"), header = FALSE); d$V1 <- factor(d$V1)
cpu <- function(fit) { start <- proc.time(); fit(); sum((proc.time() - start)[1:2]) }
same <- function() mda(V1 ~ ., data = d, subclasses = 3, iter = as.integer(commandArgs(TRUE)[3]), tries = 1)
usual <- function() mda(V1 ~ ., data = d)
invisible(same())
for (i in 1:as.integer(commandArgs(TRUE)[2])) cat(cpu(same), cpu(usual), "\\n")
"""


def table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y, part = rng.integers(0, 5, 20_000), rng.integers(0, 3, 20_000)
    return rng.standard_normal((20_000, 20)) + 1.5 * rng.standard_normal((5, 3, 20))[y, part], y


def in_r(X: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    if shutil.which("Rscript") is None:
        print("  skipped: Rscript is not on the path")
        return None
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(Path(folder, "table.csv"), np.column_stack([y, X]), delimiter=",", fmt="%.10g")
        Path(folder, "run.R").write_text(R_SCRIPT)
        command = ["Rscript", str(Path(folder, "run.R")), folder, str(REPEATS), str(STEPS)]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print("  skipped: R could not run mda:", " ".join(done.stderr.split())[-300:])
        return None
    return np.array([[float(word) for word in line.split()] for line in done.stdout.splitlines()]).T


def processor_time(model: MDA, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    model.fit(X, y)
    found = []
    for _ in range(REPEATS):
        start = time.process_time()
        model.fit(X, y)
        found.append(time.process_time() - start)
    return np.array(found)


def main() -> list[Ratio]:
    X, y = table()
    peer = in_r(X, y)
    if peer is None:
        return []
    rows = []
    with threadpool_limits(1):
        for what, model, theirs, target in (
            (f"5×3, {STEPS} steps, one start", MDA(n_init=1, max_iter=STEPS, tol=0), peer[0], 10),
            ("5×3, defaults of both", MDA(), peer[1], 1),
        ):
            ours = processor_time(model, X, y)
            ratios = np.sort(theirs) / np.sort(ours)
            note = f"{np.median(ours):.3f} s against {np.median(theirs):.3f} s of processor time"
            claim = f"MDA 20,000×20, {what}"
            rows.append(Ratio(claim, "R's mda", float(np.median(ratios)), ratios.min(), ratios.max(), target, note))
    return rows


if __name__ == "__main__":
    print(*main(), sep="\n")
