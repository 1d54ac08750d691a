"""Simulations that can be stopped at any time: counts are written after every step, and replicate r is always the same.

All lines are brought to the first step before any gets more, the cheapest first: whenever it is stopped, every line has
been run about as often as the others, and the file says how often.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .simulation import Line

STEPS = (100, 250, 500, 1000, 2000)
RESULTS = Path(__file__).with_name("results.json")


def run_in_steps(tables: dict[str, Iterator[Line]], seconds: float, path: Path = RESULTS) -> None:
    """Bring the lines of tables from step to step until the time is over."""
    end = time.monotonic() + seconds
    lines = [line for table in tables.values() for line in table]
    cost = dict.fromkeys((what for what, *_ in lines), 0.0)
    for step in STEPS:
        for what, replicate, _ in sorted(lines, key=lambda line: cost[line[0]]):
            if time.monotonic() > end:
                return
            done = {row["line"]: row for row in json.loads(path.read_text())}
            names = what.split("; ")
            first = done.get(names[0], {}).get("replicates", 0)
            if first >= step:
                continue
            start = time.process_time()
            counts = _counts(replicate, what, first, step)
            cost[what] = (time.process_time() - start) / (step - first)
            for name, count in zip(names, counts, strict=True):
                done[name] = _row(name, done.get(name, {}).get("count", 0) + int(count), step)
            _write(path, list(done.values()))
            print(f"{step} {cost[what] * 1000:.0f} ms {names[0]}", flush=True)


def _counts(replicate: object, what: str, first: int, last: int) -> np.ndarray:
    """Count outcomes of replicates; one depends on its line and its number alone."""
    seed = list(what.encode())
    found = [replicate(np.random.default_rng([*seed, r])) for r in range(first, last)]  # type: ignore[operator]
    return np.atleast_2d(np.array(found, dtype=int).T).sum(axis=1)


def _row(name: str, count: int, replicates: int) -> dict[str, object]:
    share = (count + 2) / (replicates + 4)  # keeps an error where all replicates agree
    error = 200 * np.sqrt(share * (1 - share) / (replicates + 4))
    percent = round(100 * count / replicates, 2)
    return {"line": name, "percent": percent, "two_errors": round(error, 2), "replicates": replicates, "count": count}


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    text = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    new = path.with_suffix(".new")
    new.write_text(f"[\n{text}\n]\n", encoding="utf8")
    new.replace(path)
