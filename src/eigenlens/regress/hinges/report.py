"""What is told of a model: the table of terms, importances from the pruning path."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .prune import Subset
from .terms import Term

Floats = NDArray[np.float64]


def importances(path: list[Subset], scores: Floats, terms: Sequence[Term], size: int, p: int) -> Floats:
    """Credit each feature with what every subset up to the chosen size gains over the one before.

    Parameters
    ----------
    path : list of Subset
        Subsets of sizes 1, 2, …
    scores : array
        Criterion of each subset, falling as it improves.
    """
    credit = np.zeros(p)
    for k in range(1, size):
        features = frozenset[int]().union(*(terms[t].features for t in path[k].terms))
        credit[list(features)] += scores[k - 1] - scores[k]
    credit = np.maximum(credit, 0.0)
    return credit / credit.sum() if credit.sum() > 0 else credit


def table(terms: Sequence[Term], coef: Floats, figures: dict[str, float], head: str) -> str:
    """Lay the terms and their coefficients out as text."""
    rows = [[str(t), *(f"{c:.6g}" for c in row)] for t, row in zip(terms, coef, strict=True)]
    names = ["coefficient"] if coef.shape[1] == 1 else [f"response {r}" for r in range(coef.shape[1])]
    rows.insert(0, ["term", *names])
    wide = [max(len(r[c]) for r in rows) for c in range(len(rows[0]))]
    lines = [head, ""]
    for r in rows:
        lines.append("  ".join([r[0].ljust(wide[0]), *(v.rjust(k) for v, k in zip(r[1:], wide[1:], strict=True))]))
    lines += ["", "   ".join(f"{k} {v:.6g}" for k, v in figures.items())]
    return "\n".join(line.rstrip() for line in lines)
