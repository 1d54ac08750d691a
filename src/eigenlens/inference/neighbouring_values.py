"""A test of the next eigenvalue by its gap to those next to it, which needs eigenvalues alone."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.linalg import eigvalsh_tridiagonal

from .counting import _of_covariance
from .dimension_test import ONE_BY_ONE, DimensionTest, check_level

GAPS, ORDER, CORNER = 1999, 1000, 120  # draws of the law of gaps, order of the matrix, and its corner that matters


def gap_test(values: np.ndarray, n: float, alpha: float = 0.05) -> DimensionTest:
    """Test "at most d" by the gap that follows the (d + 1)-th eigenvalue, over the gap after that (Onatski 2009).

    At the edge of noise, gaps between eigenvalues have one distribution, up to a unit that depends on the covariance of
    the noise and cancels. The test holds for correlated noise in tables with many rows and many columns, and has little
    power in others.

    Parameters
    ----------
    values : ndarray of shape (p,)
        All p eigenvalues of the covariance matrix, zeros included.
    n : float
        Rows minus one for the mean.
    alpha : float

    Returns
    -------
    DimensionTest
        With `dimension`, `p_values`, `statistics`, `to_frame()` and `plot()`.

    References
    ----------
    Onatski (2009), Testing hypotheses about the number of factors in large factor models, Econometrica 77.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import gap_test
    >>> rng = np.random.default_rng(0)
    >>> X = 3 * np.outer(rng.standard_normal(200), rng.standard_normal(80)) + rng.standard_normal((200, 80))
    >>> gap_test(np.linalg.eigvalsh(np.cov(X.T))[::-1], n=199).dimension
    1
    """
    check_level(alpha)
    values = _of_covariance(values, n, "gap")
    q = max(int(min(len(values), n)) - 2, 1)
    first = values[:q] - values[1 : q + 1]
    second = values[1 : q + 1] - np.append(values, 0.0)[2 : q + 2]
    ratio = first / np.maximum(second, np.finfo(float).tiny)
    null = _gap_ratios()
    p_values = (1 + len(null) - np.searchsorted(null, ratio)) / (1 + len(null))
    test = DimensionTest.sequential(p_values, {"eigenvalue": values[:q], "gap": ratio}, alpha, "gap")
    about = f"{ONE_BY_ONE}by the gap after the next eigenvalue over the gap after that, at {alpha:.0%}."
    return test.told(about, "The test holds for many rows and many columns.", draws=GAPS, rows=n + 1)


@lru_cache(maxsize=1)
def _gap_ratios() -> np.ndarray:
    """Draw (μ₁ − μ₂)/(μ₂ − μ₃) at the edge of a large symmetric normal matrix, sorted.

    Its tridiagonal form has normal entries on the diagonal and χ off it (Dumitriu, Edelman 2002), and the edge lives
    in its upper corner.
    """
    rng = np.random.default_rng(0)
    found = np.empty(GAPS)
    for b in range(GAPS):
        diagonal = rng.standard_normal(CORNER) * 2**0.5
        beside = np.sqrt(rng.chisquare(ORDER - 1 - np.arange(CORNER - 1)))
        c, b2, a = eigvalsh_tridiagonal(diagonal, beside, select="i", select_range=(CORNER - 3, CORNER - 1))
        found[b] = (a - b2) / (b2 - c)
    return np.sort(found)
