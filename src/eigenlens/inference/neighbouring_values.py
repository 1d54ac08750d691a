"""Tests of the next eigenvalue by those next to it: given its neighbours, or by its gap to them.

Both need eigenvalues alone. The first is exact for normal noise of equal variance, whatever the size of the directions
before. The second holds for large tables whose noise is correlated, within rows or along them.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.linalg import eigvalsh_tridiagonal

from .counting import _noise_variance, _of_covariance
from .dimension_test import DimensionTest, check_level

NODES = 200  # of the quadrature; the integrand is a smooth bump
REACH = 20.0  # standard deviations of noise beyond the largest singular value in which its density vanishes
GAPS, ORDER, CORNER = 1999, 1000, 120  # draws of the law of gaps, order of the matrix, and its corner that matters


def conditional_test(values: np.ndarray, n: float, alpha: float = 0.05) -> DimensionTest:
    """Test "at most d" by the (d + 1)-th singular value given all others (Choi, Taylor, Tibshirani 2017).

    Given the others, a singular value of normal noise has a density proportional to
    exp(−x²/2σ²)·x^(N − q)·Π|x² − sⱼ²|, on the interval between its neighbours, q being the smaller and N the larger
    side of the table. σ² is what the directions found so far leave.

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
    Choi, Taylor, Tibshirani (2017), Selecting the number of principal components, Annals of Statistics 45.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import conditional_test
    >>> noise = np.random.default_rng(0).standard_normal((50, 6))
    >>> values = np.linalg.eigvalsh(np.cov(noise.T))[::-1]
    >>> conditional_test(values, n=49).dimension
    0
    """
    check_level(alpha)
    values = _of_covariance(values, n, "conditional")
    q = int(min(len(values), n))
    s = np.sqrt(values[:q] * n)
    p_values = np.full(q, np.nan)
    for d in range(q - 2):
        noise = _noise_variance(values, d, n)
        p_values[d] = _given_neighbours(s, d, max(len(values), n) - q, noise) if noise > 0 else float(s[d] == 0)
    tested = p_values[: max(q - 2, 1)]
    return DimensionTest.sequential(tested, {"eigenvalue": values[: len(tested)]}, alpha, "conditional")


def _given_neighbours(s: np.ndarray, d: int, power: float, noise: float) -> float:
    """Return the share of the density between the neighbours of the d-th (from 0) that lies above it."""
    others = np.delete(s, d)
    top = s[d - 1] if d > 0 else s[0] + REACH * noise**0.5
    nodes, weights = _rule()

    def log_mass(low: float, high: float) -> float:
        x = low + (nodes + 1) / 2 * (high - low)
        logs = -(x**2) / (2 * noise) + power * np.log(np.maximum(x, 1e-300))
        logs += np.log(np.abs(x[:, None] ** 2 - others**2) + 1e-300).sum(axis=1)
        peak = logs.max()
        return float(peak + np.log(max(weights @ np.exp(logs - peak), 1e-300) * max(high - low, 1e-300)))

    above, below = log_mass(s[d], top), log_mass(s[d + 1], s[d])
    return float(np.exp(-np.logaddexp(0.0, below - above)))


@lru_cache(maxsize=1)
def _rule() -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(NODES)


def gap_test(values: np.ndarray, n: float, alpha: float = 0.05) -> DimensionTest:
    """Test "at most d" by the gap that follows the (d + 1)-th eigenvalue, over the gap after that (Onatski 2009).

    At the edge of noise, gaps between eigenvalues have one distribution, up to a unit that depends on the covariance of
    the noise and cancels. The test holds for correlated noise in tables with many rows and many columns, and has little
    power in others.

    Parameters
    ----------
    values, n, alpha
        As in `conditional_test`.

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
    return DimensionTest.sequential(p_values, {"eigenvalue": values[:q], "gap": ratio}, alpha, "gap")


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
