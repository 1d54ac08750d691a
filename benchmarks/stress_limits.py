"""Fit under real limits of address space (`ulimit -v`), and count refusals, fits and everything else.

    python benchmarks/stress_limits.py [steps=6] [names of methods]

Limits of control groups (version 1 and 2) need an administrator; tests/faults/test_memory_limits.py writes their files
below a folder and asks what is left.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

SCRIPT = """
import sys, warnings
warnings.simplefilter("ignore")
import numpy as np
from eigenlens import FDA, MDA, ClassicalMDS, KernelPCA, RobustPCA
X = np.random.default_rng(0).standard_normal((int(sys.argv[2]), 4))
y = np.arange(len(X)) % 3
try:
    model = {"KernelPCA": KernelPCA(2), "ClassicalMDS": ClassicalMDS(2), "FDA": FDA(), "MDA": MDA(),
             "RobustPCA": RobustPCA()}[sys.argv[1]]
    model.fit(X, y)
    print("fitted")
except MemoryError as error:
    print("refused" if type(error).__name__ == "TooLargeError" else "MemoryError")
"""
WORK = {"KernelPCA": 8_000, "ClassicalMDS": 8_000, "FDA": 100_000, "MDA": 100_000, "RobustPCA": 100_000}
ROWS = {"FDA", "MDA", "RobustPCA"}  # they bring all rows together; the others fill a square table


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    for name in sys.argv[2:] or WORK:
        rows = WORK[name]
        counts: Counter = Counter()
        for k in range(steps):
            limit = (500_000 if name in ROWS else 1_000_000) + k * (
                100_000 if name in ROWS else 500_000
            )  # KiB, libraries and threads counted in
            shell = f'ulimit -v {limit} && exec "$0" -c "$1" {name} {rows}'
            command = ["bash", "-c", shell, sys.executable, SCRIPT]
            run = subprocess.run(command, capture_output=True, text=True, timeout=300)
            counts[run.stdout.strip() or f"ended with {run.returncode}: {run.stderr.strip().splitlines()[-1:]}"] += 1
        print(f"{name} of {rows:,} rows under {steps} limits:", dict(counts), flush=True)


if __name__ == "__main__":
    main()
