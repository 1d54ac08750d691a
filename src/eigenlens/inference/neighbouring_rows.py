"""Are neighbouring rows alike? If so, n rows say less than n independent ones would.

Rows of a sorted table are alike too: those of one class follow each other, or small ones precede large ones. But among
four such rows in a row the order says nothing, and pairs next to each other are no more alike than pairs further apart.
In a series they are. Both are asked: whether neighbours are alike, and whether their order within four rows matters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

HARMLESS_CORRELATION = 0.05  # a correlation below does not change a verdict
WINDOW = 4  # rows within which their order is looked at


@dataclass(frozen=True)
class Neighbours:
    """What neighbouring rows have in common.

    Attributes
    ----------
    correlation : float
        Between a row and the next, over all columns.
    effective_n : float
        Number of independent rows that would carry the same information about correlations between columns.
    block : int
        Number of rows after which rows are no longer alike: a block length for tests and the bootstrap.
    alike : bool
        Whether neighbours are more alike than chance, or sorting, would make them.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import neighbours
    >>> walk = np.cumsum(np.random.default_rng(0).standard_normal((200, 2)), axis=0)
    >>> neighbours(walk).alike
    True
    """

    correlation: float
    effective_n: float
    block: int
    alike: bool


def neighbours(X: np.ndarray) -> Neighbours:
    """Measure how alike neighbouring rows are.

    The product-moment correlation of columns at lag k, r(k), is the mean over columns. For unrelated rows it has
    variance tr(C²)/(n·p²), C being the correlation matrix of the columns. Two unrelated series with these correlations
    have a sample correlation of variance (1 + 2Σ r(k)²)/n (Bartlett 1935).

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows in the order in which they were measured.

    Returns
    -------
    Neighbours
        With `correlation`, `effective_n`, `block` and `alike`.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import neighbours
    >>> found = neighbours(np.random.default_rng(0).standard_normal((500, 4)).cumsum(axis=0))
    >>> found.alike, found.effective_n < 50
    (True, True)
    """
    n = len(X)
    Z = X - X.mean(axis=0)
    size = np.sqrt(np.sum(Z**2, axis=0))
    Z = Z[:, size > 0] / size[size > 0]
    p = Z.shape[1]
    if n < 8 or p == 0:
        return Neighbours(0.0, float(n), 1, False)
    gram = Z.T @ Z if p <= n else Z @ Z.T
    error = float(np.sqrt(np.sum(gram**2) / n) / p)
    total, first, lag = 0.0, 0.0, 0
    for lag in range(1, n // 4 + 1):
        r = float(np.sum(Z[:-lag] * Z[lag:]) / p) + 1 / n  # taking out the mean has made it 1/n too small
        first = r if lag == 1 else first
        if abs(r) < max(2 * error, HARMLESS_CORRELATION):
            break
        total += r**2
    alike = abs(first) > max(4 * error, HARMLESS_CORRELATION) and _order_matters(Z)
    return Neighbours(first, n / (1 + 2 * total) if alike else float(n), min(2 * lag, n // 4) if alike else 1, alike)


def _order_matters(Z: np.ndarray) -> bool:
    """Tell whether, within four rows in a row, neighbours are more alike (or less) than rows further apart.

    Asked along the leading directions, each by itself and all together. A single column that rises all the way, by
    which the table was sorted, is left out.
    """
    windows = len(Z) // WINDOW - 1
    if windows < 4:
        return False
    steps = np.sign(np.diff(Z, axis=0))
    rising = np.abs(steps.sum(axis=0)) >= 0.98 * len(steps)  # what the table was sorted by, or a running number
    if rising.sum() == 1 and len(rising) > 1:
        Z = Z[:, ~rising]
    U, s, _ = np.linalg.svd(Z, full_matrices=False)
    kept = s > s[0] * 1e-8
    U = U[:, kept][:, : min(10, max(len(Z) // 8, 1))] * len(Z) ** 0.5
    excess = np.zeros((windows, U.shape[1]))
    for start in range(WINDOW):
        W = U[start : start + windows * WINDOW].reshape(windows, WINDOW, -1)
        excess += 2 * W.var(axis=1, ddof=1) - np.mean(np.diff(W, axis=1) ** 2, axis=1)
    together = _p_value(excess.mean(axis=1, keepdims=True))
    return bool(min(together.min(), len(excess.T) * _p_value(excess).min()) < 0.01)


def _p_value(values: np.ndarray) -> np.ndarray:
    """Return p-values of "the mean of each column is 0"."""
    m = len(values)
    error = np.maximum(values.std(axis=0, ddof=1) / m**0.5, np.finfo(float).tiny)
    return 2 * stats.t.sf(np.abs(values.mean(axis=0)) / error, m - 1)
