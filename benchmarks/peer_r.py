"""Peers that live in R: the same table, in R's own processor time. Skipped with a word where R is absent."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

PATIENCE = 300  # seconds
PROLOGUE = """
folder <- commandArgs(TRUE)[1]; rounds <- as.integer(commandArgs(TRUE)[2])
d <- as.matrix(read.csv(file.path(folder, "table.csv"), header = FALSE)); x <- d[, -1]; y <- d[, 1]
clock <- function(fit) sapply(seq_len(rounds), function(i) {
  start <- proc.time(); fit(); sum((proc.time() - start)[1:2]) })
keep <- function(name, values) write.table(values, file.path(folder, name), row.names = FALSE, col.names = FALSE)
"""


def run_r(
    package: str, script: str, X: np.ndarray, y: np.ndarray, rounds: int, names: Sequence[str]
) -> dict[str, np.ndarray] | None:
    """Run a script that times its fits with `clock` and writes what it has to tell with `keep(name, values)`."""
    if shutil.which("Rscript") is None:
        print(f"  skipped: R's {package} (Rscript is not on the path)")
        return None
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(Path(folder, "table.csv"), np.column_stack([y, X]), delimiter=",", fmt="%.17g")
        source = Path(folder, "run.R")
        source.write_text(f"suppressMessages(library({package}))\n{PROLOGUE}\n{script}")
        command = ["Rscript", str(source), folder, str(rounds)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:  # some tables keep mda::bruto busy for ever
            print(f"  skipped: R's {package} (no answer within {PATIENCE} s)")
            return None
        if done.returncode:
            print(f"  skipped: R's {package} ({done.stderr.strip().splitlines()[-1:]})")
            return None
        return {name: np.loadtxt(Path(folder, name)) for name in names}
