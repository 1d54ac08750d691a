"""Distances between rows of amounts, shares, counts and places that neither SciPy nor scikit-learn has, or has so.

Each is a function of two tables of rows and of what was taken from the rows of the fit, so that new rows are measured
alike. `FIXED` says what is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from ..arrays import errors


def gower(A: np.ndarray, B: np.ndarray, *, ranges: np.ndarray) -> np.ndarray:
    """Return the mean over columns of |a − b| / range; columns without range say nothing."""
    kept = ranges > 0
    if not kept.any():
        return np.zeros((len(A), len(B)))
    return cdist(A[:, kept] / ranges[kept], B[:, kept] / ranges[kept], "cityblock") / kept.sum()


def ruzicka(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return 1 − Σ min / Σ max: Jaccard's distance of amounts, and of 0 and 1 Jaccard's own."""
    _require_amounts("ruzicka", A, B)
    apart = cdist(A, B, "cityblock")
    together = A.sum(axis=1)[:, None] + B.sum(axis=1)[None, :]
    largest = (together + apart) / 2
    return np.divide(apart, largest, out=np.zeros_like(apart), where=largest > 0)  # two empty rows are the same


def aitchison(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return the Euclidean distance of centred logarithms: of ratios, which know no total."""
    for rows in (A, B):
        if not (rows > 0).all():
            i, j = (int(at) for at in np.argwhere(~(rows > 0))[0])
            raise errors.InputError(
                f"metric='aitchison' takes logarithms, but X has {rows[i, j]:g} in row {i}, column {j}. Replace zeros "
                "by a small amount, or use metric='hellinger', which takes them."
            )
    return _euclidean(*(logs - logs.mean(axis=1, keepdims=True) for logs in (np.log(A), np.log(B))))


def hellinger(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return the Euclidean distance of square roots of shares."""
    return _euclidean(*(np.sqrt(_shares("hellinger", rows)) for rows in (A, B)))


def chord(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return the Euclidean distance of rows of length 1."""
    return _euclidean(*(_over("chord", rows, np.sqrt((rows**2).sum(axis=1))) for rows in (A, B)))


def chi2(A: np.ndarray, B: np.ndarray, *, masses: np.ndarray) -> np.ndarray:
    """Return the distance of shares that weighs columns by one over their share of all: correspondence analysis'."""
    kept = masses > 0
    scale = np.sqrt(masses[kept])
    return _euclidean(*(_shares("chi2", rows)[:, kept] / scale for rows in (A, B)))


def haversine(A: np.ndarray, B: np.ndarray, *, degrees: bool = False, radius: float = 1.0) -> np.ndarray:
    """Return the way over a globe between places given by latitude and longitude."""
    if A.shape[1] != 2:
        raise errors.InputError(
            f"metric='haversine' takes two columns, latitude and longitude, but X has {A.shape[1]}; pass these two."
        )
    if degrees:
        A, B = np.radians(A), np.radians(B)
    for rows in (A, B):
        if np.abs(rows[:, 0]).max(initial=0) > np.pi / 2 * (1 + 1e-12):
            way_out = (
                "latitude is the first column"
                if degrees
                else "for degrees, use metric_params={'degrees': True} (and 'radius': 6371 for kilometres)"
            )
            raise errors.InputError(f"metric='haversine': a latitude lies beyond a quarter of a circle; {way_out}.")
    half = np.sin((A[:, None, 0] - B[None, :, 0]) / 2) ** 2
    half += np.cos(A[:, None, 0]) * np.cos(B[None, :, 0]) * np.sin((A[:, None, 1] - B[None, :, 1]) / 2) ** 2
    return 2 * radius * np.arcsin(np.sqrt(np.clip(half, 0, 1)))


def _ranges(rows: np.ndarray, weight: np.ndarray) -> dict[str, Any]:
    counted = rows[weight > 0]
    return {"ranges": counted.max(axis=0) - counted.min(axis=0)}


def _masses(rows: np.ndarray, weight: np.ndarray) -> dict[str, Any]:
    _require_amounts("chi2", rows)
    totals = weight @ rows
    if not totals.sum() > 0:
        raise errors.InputError("metric='chi2' compares shares, but X holds zeros only.")
    return {"masses": totals / totals.sum()}


OURS: dict[str, Callable[..., np.ndarray]] = {
    "gower": gower,
    "ruzicka": ruzicka,
    "aitchison": aitchison,
    "hellinger": hellinger,
    "chord": chord,
    "chi2": chi2,
    "haversine": haversine,
}
#: What a metric takes from the rows of the fit, by name.
FIXED: dict[str, Callable[[np.ndarray, np.ndarray], dict[str, Any]]] = {"gower": _ranges, "chi2": _masses}


def _require_amounts(metric: str, *tables: np.ndarray) -> None:
    for rows in tables:
        if (rows < 0).any():
            i, j = (int(at) for at in np.argwhere(rows < 0)[0])
            raise errors.InputError(
                f"metric={metric!r} compares amounts, but X has {rows[i, j]:g} in row {i}, column {j}; use another "
                "metric, such as 'gower' or 'euclidean'."
            )


def _shares(metric: str, rows: np.ndarray) -> np.ndarray:
    _require_amounts(metric, rows)
    return _over(metric, rows, rows.sum(axis=1))


def _over(metric: str, rows: np.ndarray, size: np.ndarray) -> np.ndarray:
    if not (size > 0).all():
        raise errors.InputError(
            f"metric={metric!r} compares the shares of a row, but row {int(np.argmin(size > 0))} of X holds zeros "
            "only; leave it out."
        )
    return rows / size[:, None]


def _euclidean(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return cdist(A, B, "euclidean")
