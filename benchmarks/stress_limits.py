"""Fit under real limits of memory, and count refusals, fits and everything else.

    python benchmarks/stress_limits.py [--steps 6] [--groups] [names of methods]

By default the limit is one of address space (`ulimit -v`). With `--groups` it is that of a control group, version 1 or
2, whichever this system has: the group around the process's own is limited, which needs an administrator. The groups
are made beside all others and removed at the end. tests/faults/test_memory_limits.py writes the files of other systems
below a folder and asks what is left.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
MIB = 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--groups", action="store_true", help="limits of control groups")
    parser.add_argument("names", nargs="*", default=list(WORK))
    options = parser.parse_args()
    for name in options.names:
        counts: Counter = Counter()
        for k in range(options.steps):
            if options.groups:
                limit = (150 + 25 * k if name in ROWS else 300 + 300 * k) * MIB
                with group(limit) as tasks:
                    counts[outcome(name, f"echo $$ > {tasks}")] += 1
            else:  # libraries and threads count in
                limit = (500_000 + 100_000 * k if name in ROWS else 1_000_000 + 500_000 * k) * 1024
                counts[outcome(name, f"ulimit -v {limit // 1024}")] += 1
        print(f"{name} of {WORK[name]:,} rows under {options.steps} limits:", dict(counts), flush=True)


def outcome(name: str, limited: str) -> str:
    shell = f'{limited} && exec "$0" -c "$1" {name} {WORK[name]}'
    command = ["bash", "-c", shell, sys.executable, SCRIPT]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600)
    return run.stdout.strip() or f"ended with {run.returncode}: {run.stderr.strip().splitlines()[-1:]}"


@contextmanager
def group(limit: int) -> Iterator[Path]:
    """Make a group with a limit, and one inside it; hand out the file that takes processes into the inner one."""
    top = Path("/sys/fs/cgroup")
    old = not (top / "cgroup.controllers").exists()
    outer = top / "memory" / f"eigenlens_{os.getpid()}" if old else top / f"eigenlens_{os.getpid()}"
    inner = outer / "inner"
    outer.mkdir()
    try:
        (outer / ("memory.limit_in_bytes" if old else "memory.max")).write_text(str(limit))
        if not old:
            (outer / "cgroup.subtree_control").write_text("+memory")
        inner.mkdir()
        yield inner / "cgroup.procs"
    finally:
        for folder in (inner, outer):
            if folder.exists():
                folder.rmdir()


if __name__ == "__main__":
    main()
