"""Are neighbouring rows alike? If so, n rows say less than n independent ones would."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

ALIKE = 4.0  # standard errors of the lag-one correlation beyond which a table is called dependent
HARMLESS_CORRELATION = 0.05  # a correlation below does not change a verdict


@dataclass(frozen=True)
class Neighbours:
    """What neighbouring rows have in common.

    Attributes
    ----------
    correlation : float
        Between a row and the next, over all columns.
    effective_n : float
        Independent rows that would tell as much of the correlations between columns.
    block : int
        Rows after which nothing is left of the likeness: a block length for tests and the bootstrap.
    alike : bool
        Whether chance alone would hardly have made it.

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
        Rows in the order in which they were taken.

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
    alike = abs(first) > max(ALIKE * error, HARMLESS_CORRELATION)
    return Neighbours(first, n / (1 + 2 * total) if alike else float(n), min(2 * lag, n // 4) if alike else 1, alike)
