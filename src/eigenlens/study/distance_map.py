"""A table of distances: can it be drawn as a map, and how true is the map?"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ..arrays.spelling import refused
from ..distances import double_center, is_squared_distance
from ..page.findings import Findings
from ..solve import rounding
from .data import Data
from .methods import made
from .plan import Plan, Progress
from .sentences import base, map_words
from .verdicts import MOST_POINTS, map_verdicts

MOST_PAIRS = 5000  # in the Shepard plot
MOST_AXES = 10
SYMMETRIC = 1e-6


def answer(cls: Any, data: Data, plan: Plan, progress: Progress | None) -> tuple[Findings, Pipeline]:
    """Fit classical scaling, test whether the distances are Euclidean, and compare the map with them."""
    D, names = distance_table(data)
    n = len(D)
    test = is_squared_distance(D**2)
    whole = _all_eigenvalues(D) if n <= MOST_POINTS else None
    k = n - 1 if whole is None else np.count_nonzero(whole > 0)
    model = made(cls, plan.seed).set_params(n_components=max(min(int(k), MOST_AXES), 1))
    model = _fit_what_is_there(model, D, data.table.column_names)
    Z = np.asarray(model.embedding_, dtype=float)
    values = np.asarray(model.eigenvalues_, dtype=float)
    axes = [f"coordinate {j + 1}" for j in range(Z.shape[1])]
    total = float(np.abs(values if whole is None else whole).sum())
    verdicts = map_verdicts(whole, len(values), D)
    directions = [verdicts.direction(j, axes[j], float(v), float(v / total)) for j, v in enumerate(values)]
    findings = base(data, plan, cls, directions, axes, Z, names, np.zeros((0, Z.shape[1])))
    findings.loading_names = []
    findings.row_names = names
    findings.value_name, findings.loading_kind = "eigenvalue", ""
    findings.scree, findings.test = {"values": values, **verdicts.scree}, verdicts.test
    findings.euclidean = bool(test)
    findings.shepard = _shepard(D, Z[:, :2], plan.seed)
    findings.is_map = True
    map_words(findings, model, test)
    return findings, Pipeline([("model", model)])


def distance_table(data: Data) -> tuple[np.ndarray, list[str]]:
    """Read a square table, and refuse what cannot be distances."""
    columns = {name: data.table.column(name) for name in data.table.column_names}
    try:
        D = np.stack([np.asarray(c.to_numpy(), dtype=float) for c in columns.values()], axis=1)
    except (TypeError, ValueError):
        raise refused("distances", data.source, "all columns except the names of the rows must be numbers") from None
    if D.shape[0] != D.shape[1]:
        raise refused("distances", data.source, f"the table is {D.shape[0]} × {D.shape[1]} but must be square")
    if D.min() < 0:
        raise refused("distances", data.source, f"there is a negative distance, {D.min():g}")
    if np.abs(np.diag(D)).max() > 0:
        raise refused("distances", data.source, "the distance of a point to itself must be 0")
    gap = np.abs(D - D.T)
    if gap.max() > SYMMETRIC * D.max():
        i, j = np.unravel_index(int(gap.argmax()), gap.shape)
        names = list(columns)
        rule = f"{names[i]!r} to {names[j]!r} is {D[i, j]:g}, but the way back is {D[j, i]:g}; make the table symmetric"
        raise refused("distances", data.source, rule)
    return (D + D.T) / 2, data.row_names or list(columns)


def _fit_what_is_there(model: Any, D: np.ndarray, names: list[str]) -> Any:
    """Fit as many coordinates as the distances have, where they have fewer than were asked for."""
    import pyarrow as pa

    table = pa.table([pa.array(column) for column in D.T], names=names)
    while True:
        try:
            return model.fit(table)
        except ValueError:
            if model.n_components <= 2:
                raise
            model.set_params(n_components=model.n_components - 1)


def _all_eigenvalues(D: np.ndarray) -> np.ndarray:
    """Return the eigenvalues of the centred table, descending, those that are rounding as zeros."""
    values = np.linalg.eigvalsh(double_center(D**2))[::-1]
    return np.where(np.abs(values) > rounding(len(D), float(np.abs(values).max())), values, 0.0)


def _shepard(D: np.ndarray, Z: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    """Return given distances and those of the map, for some of the pairs."""
    i, j = np.triu_indices(len(D), 1)
    if len(i) > MOST_PAIRS:
        some = np.random.default_rng(seed).choice(len(i), MOST_PAIRS, replace=False)
        i, j = i[some], j[some]
    return {"given": D[i, j], "drawn": np.sqrt(((Z[i] - Z[j]) ** 2).sum(axis=1))}
