"""Rows that count more than once: repeated where the weights are frequencies, weighted where they are not."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import errors

MOST_CELLS = 2_000_000  # of rows repeated as often as they were met; beyond, they are weighted


def weighted(
    table: Any, name: str | None, columns: int, notes: list[str]
) -> tuple[Any, np.ndarray | None, np.ndarray | None]:
    """Return the rows, their weights, and the first copy of each where rows were repeated.

    Whole numbers are frequencies: a row that was met 35 times is 35 rows, so folds, tests and shares are those of the
    whole table. Other weights have mean 1, so the number of rows stays what it is.
    """
    import pyarrow as pa

    if name is None:
        return table, None, None
    w = np.asarray(table.column(name).to_pylist())
    if w.dtype.kind not in "if":
        missing = sum(v is None for v in w)
        rule = f"{missing:,} of its cells are missing" if missing else "it holds words"
        raise errors.setting("--weights", name, f"{rule}, and every row needs a number; correct or drop those rows")
    w = w.astype(float)
    if (w < 0).any() or not w.any():
        rule = "all its cells are 0" if not w.any() else f"it holds {w.min():g}, and a weight is at least 0"
        raise errors.setting("--weights", name, f"{rule}; choose another column")
    unused = int((w == 0).sum())
    table, w = table.filter(pa.array(w > 0)), w[w > 0]
    gone = f" {unused:,} of weight 0 are left out." if unused > 1 else " One of weight 0 is left out." if unused else ""
    total = float(w.sum())
    if (w == np.round(w)).all() and total * columns <= MOST_CELLS:
        counts = w.astype(int)
        notes.append(f"{len(w):,} rows of the file count as {int(total):,}, by the numbers in {name!r}.{gone}")
        first = np.cumsum(counts) - counts
        return table.take(pa.array(np.repeat(np.arange(len(w)), counts))), None, first
    effective = total**2 / float((w**2).sum())
    notes.append(
        f"Weights of {name!r} go from {w.min():.3g} to {w.max():.3g}; they are as good as {effective:,.0f} rows of "
        f"equal weight.{gone}"
    )
    return table, w / w.mean(), None
