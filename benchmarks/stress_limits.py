"""Fit under real limits of address space (`ulimit -v`), and count refusals, fits and everything else.

    python benchmarks/stress_limits.py [steps=6]

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
from eigenlens import FDA, ClassicalMDS, KernelPCA
X = np.random.default_rng(0).standard_normal((int(sys.argv[2]), 4))
y = np.arange(len(X)) % 3
try:
    {"KernelPCA": lambda: KernelPCA(2).fit(X), "ClassicalMDS": lambda: ClassicalMDS(2).fit(X),
     "FDA": lambda: FDA().fit(X, y)}[sys.argv[1]]()
    print("fitted")
except MemoryError as error:
    print("refused" if type(error).__name__ == "TooLargeError" else "MemoryError")
"""
WORK = {"KernelPCA": 8_000, "ClassicalMDS": 8_000, "FDA": 50_000}


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    for name, rows in WORK.items():
        counts: Counter = Counter()
        for k in range(steps):
            limit = 1_000_000 + k * 500_000  # KiB, libraries and threads counted in
            shell = f'ulimit -v {limit} && exec "$0" -c "$1" {name} {rows}'
            command = ["bash", "-c", shell, sys.executable, SCRIPT]
            run = subprocess.run(command, capture_output=True, text=True, timeout=300)
            counts[run.stdout.strip() or f"ended with {run.returncode}: {run.stderr.strip().splitlines()[-1:]}"] += 1
        print(f"{name} of {rows:,} rows under {steps} limits:", dict(counts), flush=True)


if __name__ == "__main__":
    main()
