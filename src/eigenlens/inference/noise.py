"""How many principal components stand out from noise of one variance, or of any, from the eigenvalues alone."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.linalg import eigvalsh_tridiagonal
from scipy.special import gammaln

from ..arrays import errors
from ..arrays.parameters import check_number
from .dimension_test import ONE_BY_ONE, DimensionTest, check_level
from .distributions import edge_of_noise, median_of_noise, ratio_quantile, ratio_survival

TIED = 1e-12  # eigenvalues closer than this share of the largest count as equal


def minka(values: np.ndarray, n: float) -> int:
    """Return the number of components with the largest evidence (Minka 2000, Laplace approximation).

    Parameters
    ----------
    values : ndarray of shape (p,)
        All eigenvalues of the covariance matrix, positive.
    n : float
        Number of rows.

    Returns
    -------
    int

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import minka
    >>> minka(np.array([9.0, 4.0, 1.1, 1.0, 0.9]), n=100)
    2
    """
    values = _eigenvalues(values, "mle", 1)
    check_number("n", n, 1.0)
    if values[-1] <= 0:
        raise _positive_values("mle", float(values[-1]))
    p = len(values)
    if p == 1:
        return 1
    k = np.arange(1, p)
    noise = (values.sum() - np.cumsum(values)[:-1]) / (p - k)
    stiefel = np.cumsum(gammaln((p - k + 1) / 2) - (p - k + 1) / 2 * np.log(np.pi)) - k * np.log(2)
    fit = -n / 2 * np.cumsum(np.log(values))[:-1] - n * (p - k) / 2 * np.log(noise)
    free = p * k - k * (k + 1) / 2
    evidence = stiefel + fit + (free + k) / 2 * np.log(2 * np.pi) - _log_curvature(values, noise, n) / 2
    evidence -= k / 2 * np.log(n)
    tied = values[:-1] - values[1:] <= TIED * values[0]  # equal variances cannot be separated
    return 1 + int(np.argmax(np.where(tied, -np.inf, evidence)))


def _log_curvature(values: np.ndarray, noise: np.ndarray, n: float) -> np.ndarray:
    """Log-determinant of the Hessian for each number of components k: a sum over pairs i ≤ k, i < j."""
    p = len(values)
    k = np.arange(1, p)
    above = np.triu(np.ones((p, p), dtype=bool), 1)
    gap = np.log(np.maximum(values[:, None] - values, TIED * values[0])) * above
    inverse_gap = np.log(np.maximum(1 / values - 1 / values[:, None], TIED / values[0])) * above
    inside = np.cumsum(inverse_gap.sum(axis=0))[:-1]  # both directions are kept
    pairs = np.cumsum(gap.sum(axis=1))[:-1]
    excess = np.maximum(1 / noise[:, None] - 1 / values, TIED / values[0])
    across = (p - k) * np.sum(np.log(excess) * np.tri(p - 1, p), axis=1)  # one is kept, the other is noise
    return inside + pairs + across + (p * k - k * (k + 1) / 2) * np.log(n)


def noise_edge(values: np.ndarray, n: float, alpha: float = 0.05) -> float:
    """Return the eigenvalue above which directions stand out from noise of unknown variance.

    Eigenvalues are tested one after the other against the Tracy–Widom quantile of the largest eigenvalue of noise,
    whose variance is estimated from the eigenvalues that are left (Johnstone 2001; Kritchman, Nadler 2008). Rows may be
    fewer than columns. Far below alpha this is the edge of Marchenko and Pastur, σ²(1 + √(p/n))².

    Parameters
    ----------
    values : ndarray of shape (p,)
        All p eigenvalues of the covariance matrix, zeros included.
    n : float
        Rows minus one for the mean.
    alpha : float
        Level of each test.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import noise_edge
    >>> X = np.random.default_rng(0).standard_normal((400, 20))
    >>> X[:, 0] *= 2
    >>> values = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    >>> edge = noise_edge(values, 399)
    >>> round(edge, 1), int((values > edge).sum())
    (1.5, 1)
    """
    check_level(alpha)
    values = _of_covariance(values, n, "noise edge")
    edge = 0.0
    for k in range(_testable(values, n)):
        edge = _critical(values, k, n, alpha)
        if values[k] <= edge:
            break
    return float(edge)


def tracy_widom_test(values: np.ndarray, n: float, alpha: float = 0.05) -> DimensionTest:
    """Test "at most d components", d = 0, 1, …, by the next eigenvalue, for equal normal noise of unknown variance.

    Parameters
    ----------
    values, n, alpha
        As in `noise_edge`.

    Returns
    -------
    DimensionTest
        With `dimension`, `p_values`, `statistics`, `to_frame()` and `plot()`.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import tracy_widom_test
    >>> tracy_widom_test(np.array([9.0, 4.0, 1.1, 1.0, 0.9]), n=100).dimension
    2
    """
    check_level(alpha)
    values = _of_covariance(values, n, "tracy-widom")
    q = _testable(values, n)
    p_values, bars, scaled = np.zeros(q), np.zeros(q), np.zeros(q)
    for k in range(q):
        noise, edge = _noise_variance(values, k, n), edge_of_noise(n - k, len(values) - k)
        if noise > 0:
            scaled[k] = (values[k] * n / noise - edge.centre) / edge.spread
        else:  # anything stands out from noise that has no variance
            scaled[k] = np.inf if values[k] > 0 else -np.inf
        p_values[k] = ratio_survival(scaled[k], n - k, len(values) - k)
        bars[k] = _critical(values, k, n, alpha)
    statistics = {"eigenvalue": values[:q], "noise": bars, "tracy_widom": scaled}
    test = DimensionTest.sequential(p_values, statistics, alpha, "tracy-widom")
    about = f"{ONE_BY_ONE}against the largest eigenvalue of noise (Tracy and Widom), at {alpha:.0%}."
    return test.told(about, "The test assumes normal noise of one variance in all columns.", rows=n + 1)


def broken_stick(values: np.ndarray) -> DimensionTest:
    """Count the leading eigenvalues whose share exceeds that of a stick broken at random (Frontier 1976).

    The k-th longest of p pieces has the expected share (1/p)·Σ_{i=k}^{p} 1/i.

    Parameters
    ----------
    values : ndarray
        All eigenvalues; those that are not positive are ignored.

    Returns
    -------
    DimensionTest
        With `dimension`, `p_values`, `statistics`, `to_frame()` and `plot()`.

    Examples
    --------
    >>> from eigenlens.inference import broken_stick
    >>> print(broken_stick([5.0, 2.5, 0.3, 0.1, 0.1]))
    2 of 5 directions are kept (broken stick).
    """
    values = _eigenvalues(values, "broken stick", 2)
    values = values[values > 0]
    if len(values) < 2:
        raise _too_few_values("broken stick", len(values), 2, "positive ")
    p = len(values)
    expected = np.cumsum(1.0 / np.arange(p, 0, -1))[::-1] / p * values.sum()
    above = values > expected
    statistics = {"eigenvalue": values, "noise": expected, "share": values / values.sum()}
    return DimensionTest.chosen(int(np.argmin(above)) if not above.all() else p, statistics, "broken stick")


def hard_threshold(values: np.ndarray, n: float) -> DimensionTest:
    """Count the eigenvalues above the best hard threshold for noise of unknown variance (Gavish, Donoho 2014).

    Singular values below ω(β)·median are dropped, where β is the ratio of columns to rows or its inverse. Of all
    thresholds this gives the smallest squared error, for noise of equal variance in all directions.

    Parameters
    ----------
    values, n
        As in `noise_edge`.

    Returns
    -------
    DimensionTest
        With `dimension`, `p_values`, `statistics`, `to_frame()` and `plot()`.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import hard_threshold
    >>> X = np.random.default_rng(0).standard_normal((100, 100))
    >>> X[:, 0] *= 4
    >>> print(hard_threshold(np.linalg.eigvalsh(np.cov(X.T)), 99))
    1 of 99 directions is kept (gavish-donoho).
    """
    values = _of_covariance(values, n, "gavish-donoho")
    q, beta = min(len(values), int(n)), min(len(values), n) / max(len(values), n)
    best = np.sqrt(2 * (beta + 1) + 8 * beta / (beta + 1 + np.sqrt(beta**2 + 14 * beta + 1)))
    bar = best**2 / median_of_noise(beta) * float(np.median(np.sqrt(values[:q]))) ** 2
    statistics = {"eigenvalue": values[:q], "noise": np.full(q, bar)}
    return DimensionTest.chosen(int(np.count_nonzero(values[:q] > bar)), statistics, "gavish-donoho")


def above_negative(values: np.ndarray) -> DimensionTest:
    """Count the eigenvalues that exceed the size of the most negative one.

    If a matrix should have no negative eigenvalues, those that it has measure the error, which is as large above zero.

    Parameters
    ----------
    values : ndarray
        All eigenvalues of the form.
    """
    values = _eigenvalues(values, "negative inertia", 1)
    positive, size = values[values > 0], max(float(-values[-1]), 0.0)
    if len(positive) == 0:
        raise _too_few_values("negative inertia", 0, 1, "positive ")
    statistics = {"eigenvalue": positive, "noise": np.full(len(positive), size)}
    return DimensionTest.chosen(int(np.count_nonzero(positive > size)), statistics, "negative inertia")


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
    return test.told(about, "The test holds for many rows and many columns.", draws=1999, rows=n + 1)


@lru_cache(maxsize=1)
def _gap_ratios() -> np.ndarray:
    """Draw (μ₁ − μ₂)/(μ₂ − μ₃) at the edge of a large symmetric normal matrix, sorted.

    Its tridiagonal form has normal entries on the diagonal and χ off it (Dumitriu, Edelman 2002), and the edge lives
    in its upper corner.
    """
    rng = np.random.default_rng(0)
    found = np.empty(1999)
    for b in range(1999):
        diagonal = rng.standard_normal(120) * 2**0.5
        beside = np.sqrt(rng.chisquare(1000 - 1 - np.arange(120 - 1)))
        c, b2, a = eigvalsh_tridiagonal(diagonal, beside, select="i", select_range=(120 - 3, 120 - 1))
        found[b] = (a - b2) / (b2 - c)
    return np.sort(found)


def _eigenvalues(values: Any, method: str, least: int) -> np.ndarray:
    """Return eigenvalues as an array, descending, refusing what are none."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    if found.ndim != 1 or not np.isfinite(found).all():
        raise errors.InputError(
            f"values={errors.shortened(values)}: method={method!r} takes one row of finite numbers, all eigenvalues of "
            "a matrix; of a fitted model, use model.test_dimension(method=...)."
        )
    if len(found) < least:
        raise _too_few_values(method, len(found), least)
    return np.sort(found)[::-1]


def _of_covariance(values: Any, n: float, method: str) -> np.ndarray:
    """Return eigenvalues of a covariance matrix, those that are rounding as zero."""
    found = _eigenvalues(values, method, 2)
    check_number("n", n, 0.0)
    if n < 3:
        raise errors.too_few("rows", method, f"{n + 1:g}", 4)
    if found[-1] < -1e-8 * max(found[0], 0.0):
        raise _positive_values(method, float(found[-1]))
    return np.maximum(found, 0.0)


def _testable(values: np.ndarray, n: float) -> int:
    """Return how many eigenvalues can be compared with the noise of those that follow."""
    return int(min(len(values), n)) - 1


def _critical(values: np.ndarray, k: int, n: float, alpha: float) -> float:
    """Return what the k-th eigenvalue must exceed, the first k being signals."""
    q, rows = len(values) - k, n - k
    centre, spread = edge_of_noise(rows, q)
    return _noise_variance(values, k, n) * (centre + ratio_quantile(alpha, rows, q) * spread) / n


def _noise_variance(values: np.ndarray, k: int, n: float) -> float:
    """Noise variance where k signals stand above it: they lift their own eigenvalues at the cost of the others."""
    p = len(values)
    rest, signals = values[k:].sum(), values[:k]
    noise = rest / (p - k)
    for _ in range(20):
        lifted = signals + noise * (1 - (p - k) / n)
        root = lifted**2 - 4 * signals * noise
        own = np.where(root > 0, (lifted + np.sqrt(np.maximum(root, 0))) / 2, signals)
        noise, before = (rest + np.sum(signals - own)) / (p - k), noise
        if abs(noise - before) <= 1e-10 * before:
            break
    return float(noise)


def _positive_values(method: str, smallest: float) -> errors.InputError:
    return errors.InputError(
        f"values holds {smallest:g}: method={method!r} takes the eigenvalues of a covariance matrix"
        + (
            " of full rank, which are all positive; drop constant or collinear columns."
            if smallest == 0
            else ", which are not negative; give those, not loadings or logarithms."
        )
    )


def _too_few_values(method: str, found: int, need: int, kind: str = "") -> errors.InputError:
    return errors.InputError(
        f"method={method!r} needs at least {need} {kind}eigenvalues and got {found}; give all of them."
    )
