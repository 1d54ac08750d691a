"""Rows that do not fit the components, and the columns to blame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import binom
from sklearn.base import clone

from .._core import errors
from ..report.findings import Findings, counted
from .sentences import joined

LEVEL = 0.01  # of each limit: a row in a hundred lies beyond it by chance
FEWEST = 20  # rows from which on limits hold their level
LISTED = 10  # rows on the page
NAMED = 3  # rows in a sentence, and columns to blame for each


@dataclass
class Misfits:
    """Rows held against the components that are shown, a few at a time.

    Attributes
    ----------
    model : fitted model with so many components
    beyond, n : int
        Rows beyond a limit, and rows seen.
    reach, X : ndarray
        How far the outermost rows lie beyond, and these rows.
    names : list of str
    """

    model: Any
    beyond: int = 0
    n: int = 0
    reach: Any = None
    X: Any = None
    names: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, findings: Findings, model: Any, n: int) -> Misfits | None:
        """Return what rows are held against; None where the model has no limits."""
        if not hasattr(model, "diagnose") or n < FEWEST:
            return None
        k = min(max(findings.shown_directions or 0, 1), len(findings.axes))
        try:
            new = cls(clone(model).set_params(n_components=k).fit_moments(model.moments_))
            new.model.diagnose(np.zeros((1, model.n_features_in_)), level=LEVEL)
        except errors.InputError:  # moments without products of all columns have no residual law
            return None
        return new

    def look(self, X: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
        """Return how many rows lie beyond a limit, the places of the outermost ones, and how far they reach."""
        found = self.model.diagnose(X, level=LEVEL)
        reach = np.maximum(found.t2 / found.t2_limit, found.q / max(found.q_limit, np.finfo(float).tiny))
        reach = np.where(found.outlying, reach, 0.0)
        order = np.argsort(-reach, kind="stable")[:LISTED]
        return int(found.outlying.sum()), order, reach[order]

    def take_in(self, looked: tuple[int, np.ndarray, np.ndarray], X: np.ndarray, n: int, names: list[str]) -> None:
        """Keep the outermost of more rows, which are given with their names."""
        beyond, _, reach = looked
        self.beyond, self.n = self.beyond + beyond, self.n + n
        if self.reach is not None:
            reach, X, names = np.append(self.reach, reach), np.concatenate([self.X, X]), [*self.names, *names]
        order = [int(i) for i in np.argsort(-reach, kind="stable")[:LISTED] if reach[i] > 0]
        self.reach, self.X, self.names = reach[order], X[order], [names[i] for i in order]

    def tell(self, findings: Findings) -> None:
        """Add a sentence, and the rows that lie farthest beyond."""
        k, rows = int(self.model.n_components), []
        if len(self.X):
            found = self.model.diagnose(self.X, level=LEVEL)
            rows = [_row(findings, found, i, name) for i, name in enumerate(self.names)]
        findings.extras["misfits"] = {"level": LEVEL, "count": self.beyond, "components": k, "rows": rows}
        findings.summary.append(_sentence(self.beyond, self.n, k, rows))


def tell_misfits(findings: Findings, model: Any, X: np.ndarray) -> None:
    """Hold the rows against the components that are shown; add a sentence and the rows that lie farthest beyond."""
    held = Misfits.of(findings, model, len(X))
    if held is None:
        return
    looked = held.look(X)
    given, numbers = findings.row_names, findings.extras.get("numbers", np.arange(len(X)))
    names = [f"row {numbers[i] + 1}" if given is None else str(given[i]) for i in looked[1].tolist()]
    held.take_in(looked, X[looked[1]], len(X), names)
    held.tell(findings)


def _row(findings: Findings, found: Any, i: int, name: str) -> dict[str, Any]:
    """Return what is said about one row: by which measure it lies beyond, how far, and the columns to blame."""
    beside = found.q[i] / max(found.q_limit, np.finfo(float).tiny) >= found.t2[i] / found.t2_limit
    value, limit, parts = (
        (found.q[i], found.q_limit, found.q_contributions[i])
        if beside
        else (found.t2[i], found.t2_limit, found.t2_contributions[i])
    )
    shares = parts / value
    top = [int(j) for j in np.argsort(-shares, kind="stable")[:NAMED] if shares[j] > 0.05]
    return {
        "row": name,
        "measure": "away from the components (Q)" if beside else "far out along them (T²)",
        "times": float(value / limit),
        "columns": [(findings.loading_names[j], float(shares[j])) for j in top],
    }


def _called(name: str) -> str:
    return f"row {name}" if name.isdigit() else name


def _sentence(beyond: int, n: int, k: int, rows: list[dict[str, Any]]) -> str:
    chance = 2 * LEVEL
    usual = f"about {n * chance:.0f} would by chance" if n * chance >= 0.5 else "none would by chance"
    if beyond == 0:
        return f"No row lies beyond the {LEVEL:.0%} limits of {counted(k, 'component')}."
    blamed = [f"{_called(row['row'])} ({row['columns'][0][0]})" for row in rows[:NAMED] if row["columns"]]
    most = "the farthest is" if len(blamed) == 1 else "the farthest are"
    most = "it is" if beyond == 1 else most
    farthest = f": {most} {joined(blamed)}" if blamed else ""
    if beyond <= binom.ppf(0.95, n, chance):
        verb = "lies" if beyond == 1 else "lie"
        beside = f"{verb} beyond the {LEVEL:.0%} limits, no more than chance gives"
        return f"{counted(beyond, 'row')} of {n:,} {beside}{farthest}."
    verb = "does" if beyond == 1 else "do"
    return (
        f"{counted(beyond, 'row')} of {n:,} {verb} not fit {counted(k, 'component')} ({LEVEL:.0%} limits; {usual})"
        f"{farthest}."
    )
