"""How many principal components stand out from noise, from the eigenvalues alone."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

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
    return 1 + int(np.argmax([_log_evidence(values, k, n) for k in range(1, p)])) if p > 1 else 1


def _log_evidence(values: np.ndarray, k: int, n: float) -> float:
    p = len(values)
    noise = values[k:].mean()
    if noise <= 0 or values[k - 1] - values[k] <= TIED * values[0]:
        return -np.inf  # directions of equal variance cannot be told apart, and so not be parted
    axes = np.arange(1, k + 1)
    log_stiefel = np.sum(gammaln((p - axes + 1) / 2) - (p - axes + 1) / 2 * np.log(np.pi)) - k * np.log(2)
    fit = -n / 2 * np.log(values[:k]).sum() - n * (p - k) / 2 * np.log(noise)
    m = p * k - k * (k + 1) / 2
    adjusted = np.concatenate([values[:k], np.full(p - k, noise)])
    i, j = np.nonzero(np.triu(np.ones((k, p), dtype=bool), 1))
    curvature = np.maximum(1 / adjusted[j] - 1 / adjusted[i], TIED / values[0])
    hessian = np.log(curvature) + np.log(np.maximum(values[i] - values[j], TIED * values[0])) + np.log(n)
    return float(log_stiefel + fit + (m + k) / 2 * np.log(2 * np.pi) - hessian.sum() / 2 - k / 2 * np.log(n))


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
