"""What a straight line sees, in addition to what slices see: both lie in the span that inverse regression looks for.

Under the condition by which inverse regression works, the least-squares slope of any function of y is in the span. One
slope has p degrees of freedom where H slices have p(H − 1), so that a linear F test finds in few rows what slices miss.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import stats

from .dimension_test import DimensionTest

ROWS, WIDE = 10, 10  # rows in a slice at least, and slices at most
MEANS, COVARIANCES = 2, 4  # rows in a slice for each column, where its mean or its covariance is estimated


def choose_slices(n: float, p: int, covariances: bool = False) -> int:
    """Return how many slices n rows of p columns allow: from 3 to 10, each with enough rows for what it estimates.

    That is 10 rows, and for each column 2 rows for the mean of a slice or 4 for its covariance. Three slices are made
    of any 9 rows, and two of fewer.

    Parameters
    ----------
    n : float
        Rows.
    p : int
        Columns.
    covariances : bool
        Whether covariances of slices are used (SAVE, directional regression), rather than means alone (SIR).
    """
    rows = max(ROWS, (COVARIANCES if covariances else MEANS) * p)
    return int(np.clip(n // rows, np.clip(n // 3, 2, 3), WIDE))


def linear_p_value(weights: np.ndarray, means: np.ndarray) -> float:
    """Return the p-value of the F test that a straight line sees nothing, from slices of a number in their order.

    The response is the normal score of its slice: it has no outliers, whatever the response has.

    Parameters
    ----------
    weights : ndarray of shape (H,)
        Rows of the slices, in the order of the response.
    means : ndarray of shape (H, r)
        Their means in coordinates in which all rows have mean 0 and covariance I (divisor n).
    """
    n, r = float(weights.sum()), means.shape[1]
    left = n - 1 - r
    if left < 1 or r < 1 or len(weights) < 2:
        return float("nan")
    shares = weights / n
    edges = np.concatenate([[0.0], np.cumsum(shares)[:-1], [1.0]])
    scores = -np.diff(stats.norm.pdf(stats.norm.ppf(edges))) / shares  # the mean of a standard normal in each slice
    scores = scores - shares @ scores
    explained = float(np.sum(((shares * scores) @ means) ** 2) / (shares @ scores**2))
    explained = min(explained, 1 - 1e-15)
    return float(stats.f.sf(explained / r * left / (1 - explained), r, left))


def with_linear(test: DimensionTest, p_value: float, least: float = np.nan) -> DimensionTest:
    """Join a test of slices with the linear one: "no direction" is rejected if either does so at half the level.

    Twice the smaller p-value keeps the level, whatever the two have to do with each other (Bonferroni).

    Parameters
    ----------
    test : DimensionTest
        Of slices.
    p_value : float
        Of the linear test of "no direction"; NaN where there is none, which leaves the test as it is.
    least : float
        Smallest squared correlation that the linear test finds, where it is of the measure of the other.
    """
    if not np.isfinite(p_value):
        return test
    p_values = test.p_values.copy()
    p_values[0] = min(1.0, 2 * min(p_values[0], p_value))
    linear = np.full(len(p_values), np.nan)
    linear[0] = p_value
    detectable = None if test.detectable is None else test.detectable.copy()
    if detectable is not None:
        detectable[0] = np.fmin(detectable[0], least)
    statistics = test.statistics | {"linear_p_value": linear}
    dimension = DimensionTest.sequential(p_values, statistics, test.alpha, test.method).dimension
    return replace(
        test,
        dimension=dimension,
        p_values=p_values,
        statistics=statistics,
        detectable=detectable,
        method=f"{test.method} and linear",
    )
