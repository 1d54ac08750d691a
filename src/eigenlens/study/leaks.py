"""Columns that give the target away: one alone predicts it, as a copy or a consequence of it would."""

from __future__ import annotations

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from ..arrays.spelling import option
from ..rows.sampled_rows import keys, smallest

NEARLY_ALL = 0.99  # of the rows, or of the variance
FEWEST_ROWS = 30  # with fewer, a column may do so by chance
MOST_ROWS, MOST_COLUMNS = 2_000, 500  # that are looked at


def leak_words(
    X: np.ndarray, y: np.ndarray, names: list[str], kind: str, target: str | None, numbers: np.ndarray | None = None
) -> list[str]:
    """Return a sentence on the column that alone predicts the target best, where it does so nearly perfectly."""
    n, p = X.shape
    if n < FEWEST_ROWS or p < 2 or p > MOST_COLUMNS:
        return []
    rows = smallest(keys(np.arange(n) if numbers is None else numbers, 0), MOST_ROWS)
    judge = _of_classes if kind == "classes" else _of_number
    shares = []
    for x in X[rows].T:
        known = np.isfinite(x)
        shares.append(judge(x[known], y[rows][known]) if known.sum() >= FEWEST_ROWS else 0.0)
    j = int(np.argmax(shares))
    if shares[j] < NEARLY_ALL:
        return []
    what = f"is right for {shares[j]:.1%} of the rows" if kind == "classes" else f"explains {shares[j]:.1%} of it"
    return [
        f"A leak? {names[j]!r} alone predicts {target!r}: it {what}. Check whether it is known before {target!r} is; "
        f"if not, leave it out ({option('drop')})."
    ]


def _of_classes(x: np.ndarray, y: np.ndarray) -> float:
    """Return the share of rows that thresholds on one column put right, as many as separate the classes."""
    classes, counts = np.unique(y, return_counts=True)
    if counts.max() >= NEARLY_ALL * len(y):  # the rule that knows nothing does as well
        return 0.0
    tree = DecisionTreeClassifier(max_leaf_nodes=len(classes), random_state=0)
    return float(tree.fit(x[:, None], y).score(x[:, None], y))


def _of_number(x: np.ndarray, y: np.ndarray) -> float:
    """Return the share of the variance that a straight line on one column explains."""
    a, b = x - x.mean(), y - y.mean()
    size = float(np.sqrt((a**2).sum() * (b**2).sum()))
    return float((a @ b) / size) ** 2 if size > 0 else 0.0
