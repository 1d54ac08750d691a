"""How many principal components stand out from noise, from the eigenvalues alone."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

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
    return 1 + int(np.argmax([_log_evidence(values, k, n) for k in range(1, p)])) if p > 1 else 1


def _log_evidence(values: np.ndarray, k: int, n: float) -> float:
    p = len(values)
    noise = values[k:].mean()
    if noise <= 0:
        return -np.inf
    axes = np.arange(1, k + 1)
    log_stiefel = np.sum(gammaln((p - axes + 1) / 2) - (p - axes + 1) / 2 * np.log(np.pi)) - k * np.log(2)
    fit = -n / 2 * np.log(values[:k]).sum() - n * (p - k) / 2 * np.log(noise)
    m = p * k - k * (k + 1) / 2
    adjusted = np.concatenate([values[:k], np.full(p - k, noise)])
    i, j = np.nonzero(np.triu(np.ones((k, p), dtype=bool), 1))
    hessian = np.log(1 / adjusted[j] - 1 / adjusted[i]) + np.log(values[i] - values[j]) + np.log(n)
    return float(log_stiefel + fit + (m + k) / 2 * np.log(2 * np.pi) - hessian.sum() / 2 - k / 2 * np.log(n))


def noise_edge(values: np.ndarray, n: float, alpha: float = 0.05) -> float:
    """Return the eigenvalue that pure noise of unknown variance exceeds with probability alpha.

    The noise variance is the median eigenvalue over the median of the Marchenko–Pastur law (Gavish, Donoho 2014); the
    edge is the Tracy–Widom quantile of the largest eigenvalue (Johnstone 2001). Eigenvalues above the edge are taken
    out and the noise is estimated again, until nothing changes.

    Parameters
    ----------
    values : ndarray of shape (p,)
        Eigenvalues of the covariance matrix, descending; p, not min(n, p), of them.
    n : float
        Rows minus one for the mean.
    alpha : {0.1, 0.05, 0.01}
        Level.
    """
    p, k = len(values), 0
    for _ in range(p):
        rest = values[k:]
        median = np.median(rest[: int(min(len(rest), n))])
        variance = median / _marchenko_pastur_median(len(rest), n)
        root = np.sqrt(n) + np.sqrt(len(rest))
        spread = root * (1 / np.sqrt(n) + 1 / np.sqrt(len(rest))) ** (1 / 3)
        edge = variance * (root**2 + TRACY_WIDOM[alpha] * spread) / n
        found = int(np.count_nonzero(values > edge))
        if found <= k or found >= min(p, n) - 1:
            break
        k = found
    return float(edge)


def _marchenko_pastur_median(p: int, n: float) -> float:
    """Median of the nonzero eigenvalues of a p × p sample covariance of unit noise."""
    ratio = p / n
    low, high = (1 - np.sqrt(ratio)) ** 2, (1 + np.sqrt(ratio)) ** 2
    theta = (np.arange(4000) + 0.5) / 4000 * np.pi  # x = mid − half·cos θ clears the square roots at both ends
    x = (low + high) / 2 - (high - low) / 2 * np.cos(theta)
    mass = np.cumsum(np.sin(theta) ** 2 / x)
    return float(np.interp(0.5, mass / mass[-1], x))


def horn(
    values: np.ndarray,
    n: float,
    scales: np.ndarray,
    quantile: float = 0.95,
    n_draws: int = 100,
    seed: int = 0,
) -> int:
    """Return how many leading eigenvalues exceed those of unrelated columns (Horn 1965).

    Unrelated normal columns with the same variances and number of rows are drawn through their Wishart matrix
    (Bartlett's triangular decomposition), so that moments are enough and the cost does not grow with the rows.

    Parameters
    ----------
    values : ndarray
        Eigenvalues of the covariance matrix, descending.
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
    bar = np.quantile(null, quantile, axis=0)
    above = values[: len(bar)] > bar
    return int(len(above) if above.all() else np.argmin(above))


def _null_eigenvalues(rng: np.random.Generator, n: float, scales: np.ndarray) -> np.ndarray:
    p = len(scales)
    if n <= p:
        rows = rng.standard_normal((int(n), p)) * scales
        return np.linalg.svd(rows, compute_uv=False) ** 2 / n
    triangle = np.tril(rng.standard_normal((p, p)), -1)
    np.fill_diagonal(triangle, np.sqrt(rng.chisquare(n - np.arange(p))))
    return np.linalg.svd(triangle * scales[:, None], compute_uv=False) ** 2 / n
