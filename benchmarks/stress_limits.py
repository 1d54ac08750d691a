"""Fit under real limits of memory, and count fits, refusals and everything else.

    python benchmarks/stress_limits.py [--limit v|d|group] [--low 300] [--high 1500] [--step 50]
                                       [--methods PCA LDA ...] [--sources array npy csv parquet]

Every fit has a process of its own, with a limit of address space (`ulimit -v`), of data (`ulimit -d`), or of the
control group around its own (version 1 or 2, whichever this system has, which needs an administrator; the groups are
made beside all others and removed at the end). Limits are in MiB. A process that cannot import its libraries or load
its array has not called a method yet, and is counted apart. With --forked, processes begin as copies of one that has
imported everything, which is faster; the limit is then what may be taken beyond that.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from resource import RLIMIT_AS, RLIMIT_DATA, setrlimit

import numpy as np
import pandas as pd
import pyarrow.csv  # noqa: F401  its copies have it
import sklearn.cluster  # noqa: F401

import eigenlens

SCRIPT = """
import sys
name, kind, folder = sys.argv[1:]
try:
    import warnings
    import numpy as np
    from eigenlens import CCA, FDA, LDA, MDA, PCA, ClassicalMDS, KernelPCA, RobustPCA, open_rows
    if kind == "parquet":
        import pyarrow.parquet
    elif kind == "csv":
        import pyarrow.csv
    warnings.simplefilter("ignore")
    path = f"{folder}/rows.{kind}"
    X = np.load(f"{folder}/rows.npy") if kind == "array" or (kind == "npy" and name == "CCA") else None
except BaseException:
    print("no libraries or array")
    raise SystemExit
models = {"PCA": PCA(2), "LDA": LDA(), "FDA": FDA(), "MDA": MDA(), "CCA": CCA(2), "KernelPCA": KernelPCA(2),
          "ClassicalMDS": ClassicalMDS(2), "RobustPCA": RobustPCA()}
numbers, y = [f"c{j}" for j in range(30)], None
try:
    if kind == "array":
        X, y = (X[:, :20], X[:, 20:]) if name == "CCA" else (X, np.arange(len(X)) % 3)
    elif kind == "npy":
        X, y = open_rows(path), X[:, 20:] if name == "CCA" else np.arange(int(folder.split("-")[-1])) % 3
    elif name == "CCA":
        X = open_rows(path, numbers[:20], target=numbers[20:])
    else:
        X = open_rows(path, numbers, target="y")
    models[name].fit(X, y)
    print("fitted")
except MemoryError as error:
    print("refused" if type(error).__name__ == "TooLargeError" else "MemoryError")
"""
ROWS = {"KernelPCA": 4_000, "ClassicalMDS": 4_000, "FDA": 10_000, "MDA": 10_000}  # of the others, 40,000
METHODS = ["PCA", "LDA", "FDA", "MDA", "KernelPCA", "CCA"]
SOURCES = ["array", "npy", "csv", "parquet"]
MIB = 2**20
LOADED = [getattr(eigenlens, name) for name in ("MDA", "FDA", "KernelPCA", "CCA")]  # names load their modules


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", choices=["v", "d", "group"], default="v")
    for name, default in (("--low", 300), ("--high", 1500), ("--step", 50)):
        parser.add_argument(name, type=int, default=default)
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--sources", nargs="+", default=SOURCES)
    parser.add_argument("--forked", action="store_true")
    options = parser.parse_args()
    total: Counter = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for rows in {ROWS.get(name, 40_000) for name in options.methods}:
            write(Path(folder, f"of-{rows}"), rows)
        for name in options.methods:
            for kind in options.sources:
                counts: Counter = Counter()
                for limit in range(options.low, options.high + 1, options.step):
                    words = [name, kind, f"{folder}/of-{ROWS.get(name, 40_000)}"]
                    ended = limited(options.limit, limit, words, options.forked)
                    counts[ended] += 1
                    if ended not in ("fitted", "refused", "no libraries or array"):
                        print(f"{name} of {kind} under {limit} MiB: {ended}", flush=True)
                print(f"{name} of {kind}:", dict(counts), flush=True)
                total += counts
    print("all:", dict(total))


def write(folder: Path, rows: int) -> None:
    X = np.random.default_rng(0).standard_normal((rows, 30))
    folder.mkdir()
    np.save(folder / "rows.npy", X)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(30)]).assign(y=np.array(list("abc"))[np.arange(rows) % 3])
    frame.to_csv(folder / "rows.csv", index=False)
    frame.to_parquet(folder / "rows.parquet", row_group_size=10_000)


def limited(kind: str, limit: int, words: list[str], forked: bool) -> str:
    if kind != "group":
        return copied(kind, limit, words) if forked else outcome(f"ulimit -{kind} {limit * 1024}", words)
    with group(limit * MIB) as tasks:
        return outcome(f"echo $$ > {tasks}", words)


def copied(kind: str, room: int, words: list[str]) -> str:
    """Run the script in a copy of this process that may take so many MiB more, and return what it says."""
    number, held = (RLIMIT_AS, "VmSize:") if kind == "v" else (RLIMIT_DATA, "VmData:")
    from_child, to_parent = os.pipe()
    child = os.fork()
    if child == 0:
        sys.argv = ["-c", *words]
        os.dup2(to_parent, 1)
        os.dup2(to_parent, 2)
        taken = int(Path("/proc/self/status").read_text().split(held)[1].split()[0]) * 1024
        setrlimit(number, (taken + room * MIB,) * 2)
        signal.alarm(100)
        try:
            exec(compile(SCRIPT, "script", "exec"), {})
        except BaseException as error:
            os.write(1, f"{type(error).__name__}: {error}".encode())
        sys.stdout.flush()
        os._exit(0)
    os.close(to_parent)
    with os.fdopen(from_child, errors="replace") as said:
        text = said.read().strip()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return text if status == 0 else f"ended with {status}: {text.splitlines()[-1:]}"


def outcome(limited: str, words: list[str]) -> str:
    command = ["bash", "-c", f'{limited} && exec "$0" -c "$@"', sys.executable, SCRIPT, *words]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=180)
    except subprocess.TimeoutExpired:
        return "not ended after 180 s"
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
