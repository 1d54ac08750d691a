"""A table of distances: can it be drawn as a map, and how true is the map?"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from .._core.errors import tables as wrong
from ..distances import is_squared_distance
from ..report.findings import Direction, Findings
from .contest import Progress
from .data import Data, Plan
from .methods import Entry
from .words import base, map_words

MOST_PAIRS = 5000  # in the Shepard plot
SYMMETRIC = 1e-6


def answer(entry: Entry, data: Data, plan: Plan, progress: Progress | None) -> tuple[Findings, Pipeline]:
    """Fit classical scaling, test whether the distances are Euclidean, and compare the map with them."""
    D, names = distance_table(data)
    n = len(D)
    test = is_squared_distance(D**2)
    k = min(max(int(n - 1), 1), 10)
    model = entry.model(plan.seed).set_params(metric="precomputed", n_components=min(k, n - 1))
    model = _fit_what_is_there(model, D)
    Z = np.asarray(model.embedding_, dtype=float)
    values = np.asarray(model.eigenvalues_, dtype=float)
    axes = [f"coordinate {j + 1}" for j in range(Z.shape[1])]
    squares = D**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    total = float(np.abs(np.linalg.eigvalsh(-0.5 * centred)).sum()) if n <= 2000 else float(values.sum())
    directions = [Direction(axes[j], float(v), float(v / total), None, "") for j, v in enumerate(values)]
    findings = base(data, plan, entry, directions, axes, Z, names, np.zeros((0, Z.shape[1])))
    findings.loading_names = []
    findings.row_names = names
    findings.value_name, findings.loading_kind = "eigenvalue", ""
    findings.scree = {"values": values, "band": None}
    findings.extras["euclidean"] = bool(test)
    findings.extras["lowest"] = float(test.eigenvalue)
    findings.extras["shepard"] = _shepard(D, Z[:, :2], plan.seed)
    findings.extras["map"] = True
    map_words(findings, model, test)
    return findings, Pipeline([("model", model)])


def distance_table(data: Data) -> tuple[np.ndarray, list[str]]:
    """Read a square table, and refuse what cannot be distances."""
    columns = {name: data.table.column(name) for name in data.table.column_names}
    try:
        D = np.stack([np.asarray(c.to_numpy(), dtype=float) for c in columns.values()], axis=1)
    except (TypeError, ValueError):
        raise wrong.option(
            "--distances", data.source, "all columns but the names of the rows must be numbers"
        ) from None
    if D.shape[0] != D.shape[1]:
        raise wrong.option("--distances", data.source, f"the table is {D.shape[0]} × {D.shape[1]} but must be square")
    if D.min() < 0:
        raise wrong.option("--distances", data.source, f"there is a negative distance, {D.min():g}")
    if np.abs(np.diag(D)).max() > 0:
        raise wrong.option("--distances", data.source, "the distance of a point to itself must be 0")
    gap = np.abs(D - D.T)
    if gap.max() > SYMMETRIC * D.max():
        i, j = np.unravel_index(int(gap.argmax()), gap.shape)
        names = list(columns)
        rule = f"{names[i]!r} to {names[j]!r} is {D[i, j]:g}, but back it is {D[j, i]:g}; make the table symmetric"
        raise wrong.option("--distances", data.source, rule)
    return (D + D.T) / 2, data.row_names or list(columns)


def _fit_what_is_there(model: Any, D: np.ndarray) -> Any:
    """Fit as many coordinates as the distances have, where they have fewer than were asked for."""
    while True:
        try:
            return model.fit(D)
        except ValueError:
            if model.n_components <= 2:
                raise
            model.set_params(n_components=model.n_components - 1)


def _shepard(D: np.ndarray, Z: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    """Return given distances and those of the map, for some of the pairs."""
    i, j = np.triu_indices(len(D), 1)
    if len(i) > MOST_PAIRS:
        some = np.random.default_rng(seed).choice(len(i), MOST_PAIRS, replace=False)
        i, j = i[some], j[some]
    return {"given": D[i, j], "drawn": np.sqrt(((Z[i] - Z[j]) ** 2).sum(axis=1))}
