"""Rows that do not fit the components, and the columns to blame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import binom
from sklearn.base import clone

from .._core import errors
from ..report.findings import Findings, counted

LEVEL = 0.01  # of each limit: a row in a hundred lies beyond it by chance
FEWEST = 20  # rows from which on limits hold their level
LISTED = 10  # rows on the page
TINY = float(np.finfo(float).tiny)
NAMED = 3  # rows in a sentence, and columns to blame for each


class Misfits:
    """Rows held against the components that are shown, all at once or piece by piece.

    Attributes
    ----------
    model : fitted estimator
        With as many components as are shown.
    names : list of str
        Of the columns.
    n_rows, beyond : int
        Rows seen, and those beyond a limit.
    rows : list of dict
        The rows farthest beyond.
    """

    def __init__(self, model: Any, names: list[str]) -> None:
        self.model, self.names = model, names
        self.n_rows = self.beyond = 0
        self.rows: list[dict[str, Any]] = []

    @classmethod
    def of(cls, findings: Findings, model: Any, n_rows: int) -> Misfits | None:
        """Return what rows are held against; None where there are no limits for them."""
        if not hasattr(model, "diagnose") or n_rows < FEWEST:
            return None
        k = min(max(findings.shown_directions or 0, 1), len(findings.axes))
        try:
            kept = clone(model).set_params(n_components=k).fit_moments(model.moments_)
            kept.diagnose(np.zeros((1, len(findings.loading_names))))
        except errors.InputError:  # moments without products of all columns have no residual law
            return None
        return cls(kept, list(findings.loading_names))

    def look(self, X: np.ndarray, called: Callable[[int], str]) -> tuple[int, int, list[dict[str, Any]]]:
        """Return how many rows there are, how many lie beyond, and the farthest of them, by what they are called."""
        found = self.model.diagnose(X, level=LEVEL)
        reach = np.maximum(found.t2 / found.t2_limit, found.q / max(found.q_limit, TINY))
        order = [int(i) for i in np.argsort(-reach, kind="stable")[:LISTED] if found.outlying[i]]
        return len(X), int(found.outlying.sum()), [_row(called(i), self.names, found, i) for i in order]

    def add(self, seen: tuple[int, int, list[dict[str, Any]]]) -> None:
        """Take in what a look at more rows has found."""
        n, beyond, rows = seen
        self.n_rows, self.beyond = self.n_rows + n, self.beyond + beyond
        self.rows = sorted([*self.rows, *rows], key=lambda row: -row["times"])[:LISTED]

    def tell(self, findings: Findings) -> None:
        """Add a sentence and the rows that lie farthest beyond."""
        k = self.model.n_components_
        told = {"level": LEVEL, "count": self.beyond, "components": k, "rows": self.rows}
        findings.extras["misfits"] = told
        findings.summary.append(_sentence(self.beyond, self.n_rows, k, self.rows))


def tell_misfits(findings: Findings, model: Any, X: np.ndarray, numbers: np.ndarray | None = None) -> None:
    """Hold rows, whose numbers in the file may be given, against the components that are shown."""
    found = Misfits.of(findings, model, len(X))
    if found is not None:
        names = findings.row_names
        found.add(found.look(X, lambda i: row_called(i if numbers is None else int(numbers[i]), names and names[i])))
        found.tell(findings)


def row_called(number: int, name: Any) -> str:
    """Return what a row is called: its name, or its number in the file."""
    return f"row {number + 1}" if name is None else str(name)


def _row(called: str, names: list[str], found: Any, i: int) -> dict[str, Any]:
    """Return what is said of one row: by which measure it lies beyond, how far, and the columns to blame."""
    beside = found.q[i] / max(found.q_limit, TINY) >= found.t2[i] / found.t2_limit
    value, limit, parts = (
        (found.q[i], found.q_limit, found.q_contributions[i])
        if beside
        else (found.t2[i], found.t2_limit, found.t2_contributions[i])
    )
    shares = parts / value
    top = [int(j) for j in np.argsort(-shares, kind="stable")[:NAMED] if shares[j] > 0.05]
    return {
        "row": called,
        "measure": "beside the components (Q)" if beside else "far out along them (T²)",
        "times": float(value / limit),
        "columns": [(names[j], float(shares[j])) for j in top],
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
