"""Run the tests under every kernel that the processor has, and with every Python and the versions that are allowed.

    make anywhere                           all of it: hours on a small machine
    make anywhere ONLY="haswell-2 py313"    only these

Kernels (`prescott`, `nehalem`, `sandybridge`, `haswell`, `skylakex`) are those of OpenBLAS, with the instructions of
NumPy to match, on 1 and on 2 threads (`haswell-2`). They run what may depend on a processor: everything except the
tests of NOT_NUMERIC. `py311`, `py312` and `py313` have the newest versions, `oldest` the lowest that `pyproject.toml`
allows; these run all tests except those of the site. Environments are kept in `build/anywhere`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "anywhere"
#: A kernel of OpenBLAS → whether NumPy may use AVX2, and AVX512
KERNELS = {
    "Prescott": (False, False),
    "Nehalem": (False, False),
    "Sandybridge": (False, False),
    "Haswell": (True, False),
    "SkylakeX": (True, True),
}
AVX2 = {"AVX2", "FMA3", "X86_V3"}  # names of NumPy's; what else it dispatches to is AVX512 or comes after it
PYTHONS = ("3.11", "3.12", "3.13")
NOT_NUMERIC = ("tests/docs", "tests/displays", "tests/page", "tests/app", "tests/rows", "tests/study", "tests/faults")
FEATURES = "import numpy._core._multiarray_umath as m; print(*m.__cpu_dispatch__)"
ARCHITECTURE = "import numpy, threadpoolctl as t; print(t.threadpool_info()[0].get('architecture', ''))"


@dataclass
class Run:
    """A way to run the tests: an interpreter, and what its environment says."""

    name: str
    python: str
    env: dict[str, str] = field(default_factory=dict)
    skipped: tuple[str, ...] = ("tests/docs",)


def said(python: str, code: str, **env: str) -> list[str]:
    """Return the words that a line of Python prints."""
    return subprocess.run(
        [python, "-c", code], env=os.environ | env, capture_output=True, text=True, check=True
    ).stdout.split()


def kernels() -> list[Run]:
    """Return a run for each kernel that the processor has and for 1 and 2 threads."""
    runs, known = [], set()
    dispatched = said(sys.executable, FEATURES)
    for kernel, (avx2, avx512) in KERNELS.items():
        used = said(sys.executable, ARCHITECTURE, OPENBLAS_CORETYPE=kernel)
        if tuple(used) in known or not used:
            print(f"{kernel.lower()}: skipped, the processor or the BLAS does not have it")
            continue
        known.add(tuple(used))
        off = [name for name in dispatched if not (avx2 if name in AVX2 else avx512)]
        env = {"OPENBLAS_CORETYPE": kernel, "NPY_DISABLE_CPU_FEATURES": " ".join(off)}
        for threads in ("1", "2"):
            name = kernel.lower() + ("" if threads == "1" else "-2")
            with_threads = env | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
            runs.append(Run(name, sys.executable, with_threads, NOT_NUMERIC))
    return runs


def interpreter(version: str) -> str | None:
    """Return a Python of this version: one of pyenv's, whose names on the path may lead nowhere, or one on the path."""
    found = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    return str(found[-1]) if found else shutil.which(f"python{version}")


def lowest() -> list[str]:
    """Return the lowest versions that `pyproject.toml` allows, as pip wants them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    core = {re.split(r"[>=\[]", need)[0] for need in project["dependencies"]}
    # Beside the core, what tables and pictures are made of; tools of development are free
    core |= {"pandas", "polars", "matplotlib", "click", "rich"}
    needs = [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]
    bounds = (re.fullmatch(r"([\w-]+)>=(\d+)(?:\.(\d+))?.*", need) for need in needs)
    return sorted({f"{found[1]}=={found[2]}.{found[3] or 0}.*" for found in bounds if found and found[1] in core})


def environment(name: str, python: str, constraints: list[str]) -> str:
    """Return the interpreter of an environment, made where it is not there yet or pyproject.toml has changed."""
    folder, ready = FOLDER / name, FOLDER / name / "ready"
    if not ready.exists() or ready.stat().st_mtime < (ROOT / "pyproject.toml").stat().st_mtime:
        print(f"{name}: installing", flush=True)
        subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
        limits = folder / "constraints.txt"
        limits.write_text("\n".join(constraints))
        pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-c", limits, "-e", f"{ROOT}[dev]"], check=True)
        ready.touch()
    return str(folder / "bin" / "python")


def versions(wanted: set[str]) -> list[Run]:
    """Return a run for each Python that is found, with the newest versions, and one with the oldest."""
    asked = [(f"py{version.replace('.', '')}", version, []) for version in PYTHONS]
    asked.append(("oldest", PYTHONS[0], lowest()))
    runs = []
    for name, version, constraints in asked:
        if wanted and name not in wanted:
            continue
        python = interpreter(version)
        if python is None:
            print(f"{name}: skipped, there is no Python {version}")
            continue
        runs.append(Run(name, environment(name, python, constraints)))
    return runs


def outcome(run: Run) -> tuple[bool, str]:
    """Run the tests; return whether all passed, and what to say about it."""
    log = FOLDER / f"{run.name}.log"
    left_out = [f"--ignore={path}" for path in run.skipped]
    command = [run.python, "-m", "pytest", "-p", "no:cacheprovider", "-n", os.environ.get("WORKERS", "1"), *left_out]
    with log.open("w") as out:
        passed = subprocess.run(command, cwd=ROOT, env=os.environ | run.env, stdout=out, stderr=out).returncode == 0
    failed = re.findall(r"^(?:FAILED|ERROR) ", log.read_text(), re.MULTILINE)
    return passed, "passed" if passed else f"{len(failed)} failed, see {log.relative_to(ROOT)}"


def main(names: list[str]) -> int:
    """Run what is asked for, print one table, and return 1 where anything failed or is unknown."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = {name.lower() for name in names}
    runs = [run for run in [*kernels(), *versions(wanted)] if not wanted or run.name in wanted]
    unknown = wanted - {run.name for run in runs}
    if unknown:
        print(f"not run: {', '.join(sorted(unknown))}")
    rows, bad = [], bool(unknown)
    for run in runs:
        start = time.monotonic()
        passed, words = outcome(run)
        bad |= not passed
        rows.append(f"{run.name:<14}{(time.monotonic() - start) / 60:5.0f} min  {words}")
        print(rows[-1], flush=True)
    print("\n" + "\n".join(rows))
    return int(bad)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
