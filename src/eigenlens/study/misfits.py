"""Rows that do not fit the components, and the columns to blame."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import binom
from sklearn.base import clone

from ..arrays import errors
from ..methods.pca import PCA
from ..methods.row_diagnosis import Diagnosis, diagnosed
from ..page.findings import Findings, counted
from ..rows.sampled_rows import keys, smallest
from .data import Data, sample_rows
from .sentences import joined

ROUNDING = 1e-12  # of a column whose classes are constants
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
            new._diagnosed(np.zeros((1, model.n_features_in_)))
        except errors.InputError:  # moments without products of all columns have no residual law
            return None
        return new

    def _diagnosed(self, X: np.ndarray) -> Diagnosis:
        return diagnosed(self.model, X, LEVEL, own=True)

    def look(self, X: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
        """Return how many rows lie beyond a limit, the places of the outermost ones, and how far they reach."""
        found = self._diagnosed(X)
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

    def tell(self, findings: Findings, names: list[str] | None = None, of: str = "", among: str = "") -> None:
        """Add a sentence, and the rows that lie farthest beyond; by default columns are those of the findings."""
        k, rows = int(self.model.n_components_), []
        if len(self.X):
            found = self._diagnosed(self.X)
            rows = [_row(names or findings.loading_names, found, i, name) for i, name in enumerate(self.names)]
        findings.misfits = {"level": LEVEL, "count": self.beyond, "components": k, "rows": rows}
        findings.summary.append(_sentence(self.beyond, f"{among}{self.n:,}", self.n, k, rows, of))


def tell_misfits(findings: Findings, model: Any, X: np.ndarray) -> None:
    """Hold the rows against the components that are shown; add a sentence and the rows that lie farthest beyond."""
    held = Misfits.of(findings, model, len(X))
    if held is None:
        return
    looked = held.look(X)
    given, numbers = findings.row_names, findings.row_numbers
    names = [f"row {numbers[i] + 1}" if given is None else str(given[i]) for i in looked[1].tolist()]
    held.take_in(looked, X[looked[1]], len(X), names)
    held.tell(findings)


def tell_misfits_of_columns(findings: Findings, data: Data, seed: int) -> None:
    """Do the same where the method has no limits of its own: hold rows against the components of the numbers.

    Classes are centred one by one, and a missing cell counts as the mean. Of many rows a sample is looked at, the same
    that a file read in pieces has. Nothing is said where no row lies beyond.
    """
    numbers = np.arange(data.table.num_rows) if data.numbers is None else data.numbers
    some = smallest(keys(numbers, seed), sample_rows(findings.n_columns))
    names, X = _centred(data, some)
    if len(X) < FEWEST or not names:
        return
    weights = None if data.weights is None else data.weights[some]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = PCA("mp").fit(X, sample_weight=weights)
        held = Misfits(found if found.n_components_ else PCA(1).fit(X, sample_weight=weights))
        looked = held.look(X)
    if looked[0] == 0:
        return
    places = some[looked[1]].tolist()
    rows = [f"row {numbers[i] + 1}" if data.row_names is None else str(data.row_names[i]) for i in places]
    held.take_in(looked, X[looked[1]], len(X), rows)
    within = " within classes" if data.kind == "classes" else ""
    held.tell(findings, names, f" of the columns of numbers{within}", "a sample of " if len(some) < data.n_rows else "")


def _centred(data: Data, some: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Return the columns of numbers that vary and some of their rows, with mean 0 in each class and unit spread."""
    names = [field.name for field in data.table.schema if field.type == "double"]
    if not names:
        return [], np.empty((0, 0))
    X = np.stack([data.table.column(name).to_numpy()[some] for name in names], axis=1)
    classes = np.asarray(data.y)[some] if data.kind == "classes" else np.zeros(len(X))
    for label in np.unique(classes):
        own = X[classes == label]
        X[classes == label] = own - np.nansum(own, axis=0) / np.maximum((~np.isnan(own)).sum(axis=0), 1)
    X = np.nan_to_num(X)
    spread = X.std(axis=0)
    varies = spread > ROUNDING * np.abs(X).max(axis=0, initial=0.0)
    return [name for name, v in zip(names, varies, strict=True) if v], X[:, varies] / spread[varies]


def _row(names: list[str], found: Any, i: int, name: str) -> dict[str, Any]:
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
        "columns": [(names[j], float(shares[j])) for j in top],
    }


def _called(name: str) -> str:
    return f"row {name}" if name.isdigit() else name


def _sentence(beyond: int, among: str, n: int, k: int, rows: list[dict[str, Any]], of: str) -> str:
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
        return f"{counted(beyond, 'row')} of {among} {beside}{farthest}."
    verb = "does" if beyond == 1 else "do"
    return (
        f"{counted(beyond, 'row')} of {among} {verb} not fit {counted(k, 'component')}{of} "
        f"({LEVEL:.0%} limits; {usual}){farthest}."
    )
