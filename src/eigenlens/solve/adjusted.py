"""The variance of correlated scores, each counted for what it adds to those before it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import namespaces
from .pencil import Form


def adjusted_variance(scores: Form) -> np.ndarray:
    """Return the squared diagonal of R in the QR decomposition of the scores, from their form.

    Zeros belong to scores that add nothing, since they vanish or depend on those before them.
    """
    if scores.factor is not None:
        F = namespaces.to_numpy(scores.factor)
        diagonal, live = np.zeros(F.shape[1]), np.flatnonzero(F.any(axis=0))
        R: Any = np.linalg.qr(F[:, live], mode="r")  # a column of zeros would take a direction from those after it
        diagonal[live[: min(R.shape)]] = np.diag(R) ** 2
        return diagonal
    M = np.array(namespaces.to_numpy(scores.matrix))
    pivots = np.zeros(len(M))
    scale = np.diag(M).max(initial=0.0)
    for j in range(len(M)):  # Cholesky without roots, in order: a pivot is the variance that a component adds
        if M[j, j] > 1e-14 * scale:
            pivots[j] = M[j, j]
            M = M - np.outer(M[:, j], M[j]) / M[j, j]
    return pivots
