"""The folds of a comparison: which rows judge models that have not seen them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from ..validation.folds import DealtFolds, Folds, GivenFolds, of_splits
from .data import Data
from .plan import Plan


def folds_of(data: Data, plan: Plan, few: int, rows: np.ndarray | None = None) -> Folds:
    """Return folds of equal size where rows are few; of many rows, those that a file read in pieces has.

    Rows that belong together are dealt by their places in the table, among the rows that are judged.
    """
    y = np.asarray(data.y)
    if data.groups is not None:
        assert rows is not None
        splits = _splits(y[rows], data.kind, plan.folds, plan.seed, data.groups[rows])
        folds = np.full(len(y), -1)
        for k, (_, test) in enumerate(splits):
            folds[rows[test]] = k
        return GivenFolds(int(folds.max()) + 1, folds)
    if data.n_rows > few:
        return DealtFolds(plan.folds, plan.seed, data.kind == "classes")
    found = of_splits(list(_splits(y, data.kind, plan.folds, plan.seed, None)), len(y))
    assert found is not None
    if data.numbers is None:
        return found
    folds = np.full(int(data.numbers[-1]) + 1, -1)
    folds[data.numbers] = found.folds
    return GivenFolds(found.n_folds, folds)


def enough_for_folds(y: np.ndarray, kind: str, groups: np.ndarray | None = None) -> bool:
    """Tell whether a cross-validation has rows enough, or groups of them."""
    if kind == "classes":
        return _fewest_of_class(y, groups) >= 2
    return len(y) >= 10 and (groups is None or len(np.unique(groups)) >= 2)


def _splits(
    y: np.ndarray, kind: str, folds: int, seed: int, groups: np.ndarray | None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield rows to learn from and rows to judge by; rows that belong together are never in both."""
    rows = np.zeros(len(y))
    if kind != "classes":
        k = min(folds, len(y) if groups is None else len(np.unique(groups)))
        split = KFold if groups is None else GroupKFold
        yield from split(k, shuffle=True, random_state=seed).split(rows, groups=groups)
        return
    k = min(folds, _fewest_of_class(y, groups))
    stratified = StratifiedKFold if groups is None else StratifiedGroupKFold
    yield from stratified(k, shuffle=True, random_state=seed).split(rows, y, groups)


def _fewest_of_class(y: np.ndarray, groups: np.ndarray | None) -> int:
    """Return the rows, or the groups, of the class that has the fewest."""
    if groups is None:
        return int(np.unique(y, return_counts=True)[1].min())
    return min(len(np.unique(groups[y == label])) for label in np.unique(y))
