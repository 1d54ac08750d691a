"""Timing side by side: rounds in which everybody runs once, ratios within a round, medians over rounds.

Time is that of the processor, of all threads together: another program that runs meanwhile changes it little.
"""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info

VERSIONS = ("numpy", "scipy", "scikit-learn", "pandas", "pyarrow")


@dataclass(frozen=True)
class Ratio:
    """How long a peer takes beside us, on the same data in the same process."""

    claim: str
    peer: str = ""
    ratio: float | None = None  # time of the peer over ours: above 1 we are faster; None where the note says it all
    low: float | None = None
    high: float | None = None
    at_least: float | None = None  # the ratio to reach
    note: str = ""
    holds: bool = True  # whether what the note says is as claimed, where no ratio can tell

    def __str__(self) -> str:
        if self.ratio is None:
            return f"{self.claim:36} {self.note}{'' if self.holds else '; MISSED'}"
        spread = f"[{self.low:.2f}, {self.high:.2f}]"
        said = "; ".join(filter(None, (self.verdict(), self.note)))
        return f"{self.claim:36} {self.peer:34} {self.ratio:8.2f} × {spread:18} {said}"

    def verdict(self) -> str:
        """Say whether the target is met."""
        if self.at_least is None:
            return ""
        return f"target ≥ {self.at_least:g}: {'MISSED' if self.missed else 'met'}"

    @property
    def missed(self) -> bool:
        slow = self.ratio is not None and self.at_least is not None and not self.ratio >= self.at_least
        return slow or not self.holds

    def as_dict(self) -> dict:
        return asdict(self)


def circumstances() -> dict:
    """Return what a measurement depends on: the commit, the processor, BLAS, threads, versions and the date."""
    blas = {f"{pool['internal_api']} {pool['version']} {pool.get('architecture', '')}" for pool in threadpool_info()}
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": _commit(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "blas": sorted(name.strip() for name in blas),
        "threads": max((pool["num_threads"] for pool in threadpool_info()), default=1),
        "python": platform.python_version(),
        **{name: version(name) for name in VERSIONS},
    }


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    found = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True)
    return found.stdout.strip() or "unknown"


def _processor() -> str:
    """Return the model of the processor, as Linux says it, or what Python knows."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def seconds(function: Callable[[], object]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def race(
    claim: str, ours: Callable, peers: dict[str, Callable], rounds: int = 7, targets: dict | None = None
) -> list[Ratio]:
    """Run everybody once per round and compare within rounds."""
    ours()  # imports and first-touch costs are not what is measured
    times = {name: [] for name in ("", *peers)}
    for _ in range(rounds):
        for name, function in {"": ours, **peers}.items():
            times[name].append(seconds(function))
    rows = []
    for name in peers:
        ratios = np.array(times[name]) / np.array(times[""])
        low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
        rows.append(Ratio(claim, name, *map(float, (middle, low, high)), (targets or {}).get(name)))
    return rows


def beside(claim: str, peer: str, ours: Callable, theirs: np.ndarray, target: float, note: str = "") -> Ratio:
    """Compare with a peer that timed itself, once per round, outside this process."""
    ours()
    times = np.array([seconds(ours) for _ in theirs])
    (low, middle, high), (quick, usual, slow) = (np.quantile(t, [0.25, 0.5, 0.75]) for t in (theirs, times))
    return Ratio(claim, peer, middle / usual, low / slow, high / quick, target, note)


def digits(found: np.ndarray, exact: np.ndarray) -> float:
    """Right digits of the worst entry."""
    error = np.max(np.abs(found - exact) / np.abs(exact))
    return 16.0 if error == 0 else float(-np.log10(error))
