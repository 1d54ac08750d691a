"""The smallest direction that a test would have found: four times in five, at its level and with these rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats
from scipy.optimize import brentq

POWER = 0.8
LEAST_EFFECT = 1e-9  # the smallest effect that is looked for
NEAR_ONE = 1 - 1e-9


def correlation_found(alpha: float, n: float, df1: float, df2: float) -> float:
    """Return the smallest squared correlation that an F test finds: noncentrality n·ρ²/(1 − ρ²).

    Examples
    --------
    >>> from eigenlens.inference.power import correlation_found
    >>> round(correlation_found(0.05, 100, 4, 95), 2), round(correlation_found(0.05, 12, 4, 7), 2)
    (0.11, 0.66)
    """
    if df2 <= 0:
        return 1.0
    bar = float(stats.f.isf(alpha, df1, df2))
    return _least(lambda r2: float(stats.ncf.sf(bar, df1, df2, n * r2 / (1 - r2))))


def eigenvalue_found(alpha: float, n: float, df: float) -> float:
    """Return the smallest eigenvalue, between 0 and 1, that a χ² test of n·λ finds: noncentrality n·λ."""
    bar = float(stats.chi2.isf(alpha, df))
    return _least(lambda value: float(stats.ncx2.sf(bar, df, n * value)))


def drawn_found(null: np.ndarray, bar: float, scale: float, largest: bool, wilks: bool = False) -> float:
    """Return the smallest eigenvalue that a test by draws finds, as if it were added to what noise gives.

    Parameters
    ----------
    null : ndarray
        Draws of the statistic.
    bar : float
        What it has to exceed.
    scale : float
        The statistic of an eigenvalue of 1.
    largest : bool
        Whether the statistic is the largest eigenvalue rather than the sum of all.
    wilks : bool
        Whether the statistic is −Σ log(1 − ρ²) of squared correlations.
    """
    beside = 0.0 if largest else float(null.mean())
    found = bar - beside + float(stats.norm.ppf(POWER)) * float(null.std())
    return float(np.clip(-np.expm1(-found) if wilks else found / scale, 0.0, 1.0))


def _least(chance: Callable[[float], float]) -> float:
    low, high = chance(LEAST_EFFECT), chance(NEAR_ONE)
    if not high >= POWER:
        return 1.0
    if not low < POWER:  # so many rows that any is found, or a law that has no digits there
        return LEAST_EFFECT if low >= POWER else float("nan")
    return float(brentq(lambda value: chance(value) - POWER, LEAST_EFFECT, NEAR_ONE, xtol=1e-6))
