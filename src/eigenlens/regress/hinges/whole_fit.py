"""A whole fit: the forward search, the pruning path, and the size that is kept of it."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from .criterion import Unit, gcv
from .prune import Floats, backward
from .rules import Rules
from .search import forward
from .terms import evaluate


class Search:
    """One forward search and its pruning path."""

    def __init__(self, X: Floats, Y: Floats, w: Floats, rules: Rules, pool: ThreadPoolExecutor | None) -> None:
        self._rows, self._rules, self._pool = (X, Y, w), rules, pool
        self.unit, Y = Unit.of(Y, w)
        self.found = forward(X, Y, w, rules, pool)
        self.subsets = backward(self.found.R, self.found.z, self.found.rss)

    def size(self, prune: str | None, folds: Iterable[tuple[Any, Any]]) -> int:
        """Number of terms to keep; "cv" alone looks at the folds, positions to learn from and to judge by."""
        if prune is None or self._rules.penalty < 0:
            return len(self.subsets)
        X, Y, w = self._rows
        if prune == "gcv":
            scores = [gcv(s.rss.sum(), len(s.terms), float(w.sum()), self._rules.penalty) for s in self.subsets]
            return _smallest(np.array(scores))
        total = np.zeros(len(self.subsets))
        for train, test in folds:
            part = Search(X[train], Y[train], w[train], self._rules, self._pool)
            total += part.held_out(X[test], Y[test], w[test], len(total))
        return _smallest(total)

    def held_out(self, X: Floats, Y: Floats, w: Floats, sizes: int) -> Floats:
        """Sum of squares on new rows for each size; sizes beyond the largest repeat it."""
        B = evaluate(self.found.terms, X)
        loss = np.empty(sizes)
        for k in range(sizes):
            s = self.subsets[min(k, len(self.subsets) - 1)]
            E = Y - self.unit.pivot - self.unit.scale * (B[:, s.terms] @ s.coef)
            loss[k] = w @ np.sum(E * E, axis=1)
        return loss


def _smallest(scores: Floats) -> int:
    """Size of least score; where fits are exact, the smallest among those that differ by round-off alone."""
    return 1 + int(np.argmax(scores <= scores.min() + 1e-20 * scores[0]))
