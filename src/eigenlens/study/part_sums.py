"""Numbers that add up over the parts of a file: sums of known cells, and the steps of a column that counts."""

from __future__ import annotations

from typing import Any

import numpy as np


def steps_of(column: Any) -> tuple[float, float, float | None]:
    """Return the first and the last number of a column, and the step between its numbers: 0 where steps differ."""
    values = np.asarray(column.to_numpy(), dtype=float)
    steps = np.diff(values)
    step = None if not len(steps) else float(steps[0]) if (steps == steps[0]).all() else 0.0
    return float(values[0]), float(values[-1]), step


def joined_steps(
    before: tuple[float, float, float | None], after: tuple[float, float, float | None]
) -> tuple[float, float, float | None]:
    """Return the same of a column and what follows it."""
    step = after[0] - before[1]
    even = all(part[2] is None or part[2] == step for part in (before, after))
    return before[0], after[1], step if even else 0.0


def runs_of(column: Any) -> tuple[float, float, float | None]:
    """Return the first and the last number of a column that counts by ones, and where it restarts.

    The third is None where it never restarts, and NaN where it does not count, or not always from the same number.
    """
    values = np.asarray(column.to_numpy(), dtype=float)
    restarts = values[1:][np.diff(values) != 1]
    start = None if not len(restarts) else float(restarts[0]) if (restarts == restarts[0]).all() else np.nan
    return float(values[0]), float(values[-1]), start


def joined_runs(
    before: tuple[float, float, float | None], after: tuple[float, float, float | None]
) -> tuple[float, float, float | None]:
    """Return the same of a column and what follows it."""
    between = None if after[0] == before[1] + 1 else after[0]
    starts = {start for start in (before[2], between, after[2]) if start is not None}
    return before[0], after[1], None if not starts else starts.pop() if len(starts) == 1 else np.nan


def restarts(runs: tuple[float, float, float | None]) -> bool:
    """Tell whether a column counts from 0 or 1 on, and begins again with the same number."""
    return runs[0] in (0, 1) and runs[2] == runs[0]


def sums_of(X: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Return count, weight, mean and sum of squares of the known cells of each column."""
    known = ~np.isnan(X)
    w = known * (1.0 if weights is None else weights[:, None])
    total = np.maximum(w.sum(axis=0), np.finfo(float).tiny)
    mean = (w * np.where(known, X, 0.0)).sum(axis=0) / total
    squares = (w * np.where(known, X - mean, 0.0) ** 2).sum(axis=0)
    return np.stack([known.sum(axis=0).astype(float), w.sum(axis=0), mean, squares])


def added_sums(a: np.ndarray | None, b: np.ndarray | None) -> np.ndarray | None:
    """Return the same of the rows of both."""
    if a is None or b is None:
        return b if a is None else a
    weight = a[1] + b[1]
    share = b[1] / np.maximum(weight, np.finfo(float).tiny)
    apart = b[2] - a[2]
    return np.stack([a[0] + b[0], weight, a[2] + apart * share, a[3] + b[3] + apart**2 * a[1] * share])
