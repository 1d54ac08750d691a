"""Interrupt fits and kill writers at random moments, many times, and count what is left.

    python benchmarks/stress_interrupts.py [interrupts=300] [kills=20]

A fit that is interrupted leaves the model as it was, and a process that is killed while it writes leaves the old file.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from eigenlens import CCA, FDA, LDA, MDA, PCA, PDA, SAVE, SIR, RobustPCA

rng = np.random.default_rng(0)
N = 3000
Y = np.arange(N) % 3
X = rng.standard_normal((N, 8)) + Y[:, None] * np.linspace(0, 2, 8)
MODELS: list[tuple[Any, tuple[Any, ...]]] = [
    (PCA(2), (X,)),
    (LDA(), (X, Y)),
    (PDA(), (X, Y)),
    (FDA(), (X, Y)),
    (MDA(), (X, Y)),
    (CCA(2), (X[:, :4], X[:, 4:])),
    (SIR(2), (X, X[:, 0])),
    (SAVE(2), (X, X[:, 0])),
    (RobustPCA(2), (X,)),
]
WRITER = """
import sys, time
import numpy as np
from eigenlens import PCA, open_rows, write_rows
rows = np.random.default_rng(1).standard_normal((200_000, 20))
model = PCA(5).fit(rows)
print("ready", flush=True)
while True:
    write_rows(model.transform, rows, sys.argv[1], overwrite=True)
"""


def interrupted(model: Any, data: tuple[Any, ...], after: float) -> str:
    """Refit with an interrupt on its way; the state is the old one, or a whole new one."""
    before = dict(vars(model))

    def raise_it(*_: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, raise_it)
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        model.fit(*data)
        signal.setitimer(signal.ITIMER_REAL, 0)
        return "finished"
    except KeyboardInterrupt:
        now = vars(model)
        return "as before" if now.keys() == before.keys() and all(now[k] is before[k] for k in before) else "torn"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def interrupts(wanted: int) -> Counter:
    counts: Counter = Counter()
    taken = []
    for model, data in MODELS:
        start = time.perf_counter()
        model.fit(*data)
        taken.append(time.perf_counter() - start)
    for k in range(wanted):
        model, data = MODELS[k % len(MODELS)]
        counts[interrupted(model, data, rng.uniform(1e-5, taken[k % len(MODELS)]))] += 1
    return counts


def kills(wanted: int, folder: Path) -> Counter:
    path, counts = folder / "scores.npy", Counter()
    for _ in range(wanted):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(rng.uniform(0.05, 0.5))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        if path.exists():
            counts["whole" if np.load(path).shape == (200_000, 5) else "damaged"] += 1
        else:
            counts["none yet"] += 1
        counts["unfinished files under another name"] += len(list(folder.glob(".*.part")))
        for left in folder.glob(".*.part"):
            left.unlink()
    return counts


def main() -> None:
    warnings.simplefilter("ignore")
    first, second = (int(a) for a in (*sys.argv[1:], 300, 20)[:2])
    print("fits interrupted:", dict(interrupts(first)), flush=True)
    with tempfile.TemporaryDirectory() as name:
        print("writers killed:", dict(kills(second, Path(name))), flush=True)


if __name__ == "__main__":
    main()
