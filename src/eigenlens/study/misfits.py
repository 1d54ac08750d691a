"""Rows that do not fit the components, and the columns to blame."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import binom
from sklearn.base import clone

from .._core import errors
from ..report.findings import Findings, counted

LEVEL = 0.01  # of each limit: a row in a hundred lies beyond it by chance
FEWEST = 20  # rows from which on limits hold their level
LISTED = 10  # rows on the page
NAMED = 3  # rows in a sentence, and columns to blame for each


def tell_misfits(findings: Findings, model: Any, X: np.ndarray) -> None:
    """Hold the rows against the components that are shown; add a sentence and the rows that lie farthest beyond."""
    if not hasattr(model, "diagnose") or len(X) < FEWEST:
        return
    k = min(max(findings.shown_directions or 0, 1), len(findings.axes))
    try:
        found = clone(model).set_params(n_components=k).fit_moments(model.moments_).diagnose(X, level=LEVEL)
    except errors.InputError:  # moments without products of all columns have no residual law
        return
    reach = np.maximum(found.t2 / found.t2_limit, found.q / max(found.q_limit, np.finfo(float).tiny))
    beyond = int(found.outlying.sum())
    order = [int(i) for i in np.argsort(-reach, kind="stable")[:LISTED] if found.outlying[i]]
    rows = [_row(findings, found, i) for i in order]
    findings.extras["misfits"] = {"level": LEVEL, "count": beyond, "components": k, "rows": rows}
    findings.summary.append(_sentence(beyond, len(X), k, rows))


def _row(findings: Findings, found: Any, i: int) -> dict[str, Any]:
    """Return what is said of one row: by which measure it lies beyond, how far, and the columns to blame."""
    beside = found.q[i] / max(found.q_limit, np.finfo(float).tiny) >= found.t2[i] / found.t2_limit
    value, limit, parts = (
        (found.q[i], found.q_limit, found.q_contributions[i])
        if beside
        else (found.t2[i], found.t2_limit, found.t2_contributions[i])
    )
    shares = parts / value
    top = [int(j) for j in np.argsort(-shares, kind="stable")[:NAMED] if shares[j] > 0.05]
    return {
        "row": f"row {i + 1}" if findings.row_names is None else str(findings.row_names[i]),
        "measure": "beside the components (Q)" if beside else "far out along them (T²)",
        "times": float(value / limit),
        "columns": [(findings.loading_names[j], float(shares[j])) for j in top],
    }


def _sentence(beyond: int, n: int, k: int, rows: list[dict[str, Any]]) -> str:
    chance = 2 * LEVEL
    usual = f"about {n * chance:.0f} would by chance" if n * chance >= 0.5 else "none would by chance"
    if beyond == 0:
        return f"No row lies beyond the {LEVEL:.0%} limits of {counted(k, 'component')}."
    blamed = [f"{row['row']} ({row['columns'][0][0]})" for row in rows[:NAMED] if row["columns"]]
    farthest = f"; farthest {', '.join(blamed)}" if blamed else ""
    if beyond <= binom.ppf(0.95, n, chance):
        verb = "lies" if beyond == 1 else "lie"
        beside = f"{verb} beyond the {LEVEL:.0%} limits, no more than chance gives"
        return f"{counted(beyond, 'row')} of {n:,} {beside}{farthest}."
    verb = "does" if beyond == 1 else "do"
    return (
        f"{counted(beyond, 'row')} of {n:,} {verb} not fit {counted(k, 'component')} ({LEVEL:.0%} limits; {usual})"
        f"{farthest}."
    )
