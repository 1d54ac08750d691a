"""Which column gives the points their colour: the target, or else the one that explains the picture best."""

from __future__ import annotations

import numpy as np

from .findings import Findings

WORTH_TELLING = 0.15  # a share of the picture below which no column explains it
WORDS_FIRST = 0.5  # a column of words is taken before numbers if it explains this much of what they explain
MOST_LEVELS = 40


def colour_choice(findings: Findings, names: list[str]) -> tuple[str | None, str]:
    """Return the column that colours the points, or None, and a sentence that says why."""
    if findings.target in names:
        return findings.target, ""
    Z = np.asarray(findings.scores, dtype=float)[:, :2]
    shares = {name: _explained(Z, findings.columns[name]) for name in names}
    words = {name: share for name, share in shares.items() if findings.columns[name].dtype.kind != "f"}
    best = max(shares, key=lambda name: shares[name], default=None)
    if best is None or shares[best] < WORTH_TELLING:
        return None, ""
    kind = max(words, key=lambda name: words[name], default=best)
    if shares[kind] >= WORDS_FIRST * shares[best]:
        best = kind
    return best, f"Coloured by {best}, which explains {shares[best]:.0%} of this picture, more than the other columns."


def _explained(Z: np.ndarray, values: np.ndarray) -> float:
    """Return the share of the scores' variance between the levels of a column, or along a straight line in it."""
    if values.dtype.kind == "f":
        known = np.isfinite(values)
        n, used = int(known.sum()), 1
        if n < 3 or np.ptp(values[known]) == 0:
            return 0.0
        x = values[known] / np.abs(values[known]).max()
        x = x - x.mean()
        Z = Z[known] - Z[known].mean(axis=0)
        between = ((x @ Z) ** 2).sum() / (x @ x)
    else:
        levels, codes = np.unique(np.array([str(v) for v in values]), return_inverse=True)
        n, used = len(values), len(levels) - 1
        if not 0 < used < min(MOST_LEVELS, n - 1):
            return 0.0
        Z = Z - Z.mean(axis=0)
        sums = np.stack([np.bincount(codes, weights=z) for z in Z.T], axis=1)
        between = (sums**2 / np.bincount(codes)[:, None]).sum()
    total = (Z**2).sum()
    if total == 0:
        return 0.0
    return max(1 - (1 - between / total) * (n - 1) / (n - 1 - used), 0.0)  # many levels explain much by chance
