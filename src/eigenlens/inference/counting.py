"""How many principal components stand out from noise, from the eigenvalues alone."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from .._core import errors

TIED = 1e-12  # eigenvalues closer than this share of the largest count as equal
TRACY_WIDOM = {0.1: 0.4501, 0.05: 0.9793, 0.01: 2.0234}  # upper quantiles of the law TW₁ (Johnstone 2001)


def minka(values: np.ndarray, n: float) -> int:
    """Return the number of components of largest evidence (Minka 2000, Laplace approximation).

    Parameters
    ----------
    values : ndarray of shape (p,)
        All eigenvalues of the covariance matrix, descending and positive.
    n : float
        Number of rows.
    """
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
    tied = values[:-1] - values[1:] <= TIED * values[0]  # equal variances cannot be told apart, and so not be parted
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
    whose variance is estimated from what the signals found so far leave over (Johnstone 2001; Kritchman, Nadler 2008).

    Parameters
    ----------
    values : ndarray of shape (p,)
        All p eigenvalues of the covariance matrix, descending.
    n : float
        Rows minus one for the mean.
    alpha : {0.1, 0.05, 0.01}
        Level of each test.
    """
    if alpha not in TRACY_WIDOM:
        raise errors.option("alpha", alpha, TRACY_WIDOM)
    p, edge = len(values), 0.0
    for k in range(int(min(p, n)) - 1):
        q, rows = p - k, n - k
        root = np.sqrt(rows - 0.5) + np.sqrt(q - 0.5)
        spread = root * (1 / np.sqrt(rows - 0.5) + 1 / np.sqrt(q - 0.5)) ** (1 / 3)
        edge = _noise_variance(values, k, n) * (root**2 + TRACY_WIDOM[alpha] * spread) / n
        if values[k] <= edge:
            break
    return float(edge)


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


def horn(
    values: np.ndarray,
    n: float,
    scales: np.ndarray,
    quantile: float = 0.95,
    n_draws: int = 100,
    seed: int = 0,
) -> int:
    """Return how many leading eigenvalues exceed those of unrelated columns (Horn 1965).

    Parameters
    ----------
    values : ndarray
        Eigenvalues of the covariance matrix, descending.
    n, scales, quantile, n_draws, seed
        As in `noise_band`.
    """
    bar = noise_band(n, scales, quantile, n_draws, seed)
    above = values[: len(bar)] > bar
    return int(len(above) if above.all() else np.argmin(above))


def noise_band(n: float, scales: np.ndarray, quantile: float = 0.95, n_draws: int = 100, seed: int = 0) -> np.ndarray:
    """Return, for each place, the quantile of the eigenvalues that unrelated columns would have.

    Unrelated normal columns with the same variances and number of rows are drawn through their Wishart matrix
    (Bartlett's triangular decomposition), so that moments are enough and the cost does not grow with the rows.

    Parameters
    ----------
    n : float
        Rows minus one for the mean.
    scales : ndarray of shape (p,)
        Standard deviation of each column.
    quantile : float
        Of the null eigenvalues that has to be exceeded.
    n_draws, seed : int
    """
    rng = np.random.default_rng(seed)
    null = np.stack([_null_eigenvalues(rng, n, scales) for _ in range(n_draws)])
    return np.quantile(null, quantile, axis=0)


def _null_eigenvalues(rng: np.random.Generator, n: float, scales: np.ndarray) -> np.ndarray:
    p = len(scales)
    if n <= p:
        rows = rng.standard_normal((int(n), p)) * scales
        return np.linalg.svd(rows, compute_uv=False) ** 2 / n
    triangle = np.tril(rng.standard_normal((p, p)), -1)
    np.fill_diagonal(triangle, np.sqrt(rng.chisquare(n - np.arange(p))))
    return np.linalg.svd(triangle * scales[:, None], compute_uv=False) ** 2 / n
