r"""Limits that new rows of the same law exceed with a given probability: of T² and of Q.

For a row in k kept directions :math:`T^2 = \sum_{j \le k} z_j^2 / \lambda_j`; Q is its squared distance to their space.
The eigenvalues and directions were found on n rows, which they fit better than they fit new ones, so that limits which
take them for true do not hold where rows are few. Both statistics of a normal law depend on its eigenvalues only: the
limits are found by drawing tables of n rows, their components, and new rows.

The law that is drawn from has eigenvalues whose samples look like those found. Where these are no more apart than those
of noise, it is taken for noise: what chance has separated would give limits that new rows exceed too seldom.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import beta, chi2, f

from ..arrays import linalg
from .distributions import edge_of_noise

TABLES, ROWS = 200, 1000
SPREAD = 5.0  # over n: how much farther apart a law must be for limits that vary between tables to hold on average
ROUNDING = 1e-9  # rows that span all dimensions lie on the limit itself


class Limits(NamedTuple):
    """Limits of T² and Q."""

    t2: float
    q: float


def row_limits(values: np.ndarray, k: int, n: float, p: int, level: float) -> Limits:
    """Return limits that new rows exceed with probability `level`, each.

    Parameters
    ----------
    values : ndarray
        All eigenvalues of the covariance (divisor n − 1) that differ from 0, descending.
    k : int
        Directions kept, at most len(values).
    n : float
        Rows.
    p : int
        Columns.
    level : float
    """
    left = float(values[k:].sum())
    rows = max(round(n), 2)
    cost = TABLES * (10.0 * p * min(p, rows) ** 2 + ROWS * p * k)
    share = min(1.0, 3e9 / cost)  # fewer tables where they are large, and theory where even these are too many
    if share * TABLES < 10:
        return _by_theory(values, k, n, level)
    rng = np.random.default_rng(0)
    tables = max(int(TABLES * share), 10)
    t2, ratio = [], []
    with linalg.limit_blas(len(values) * min(p, rows)):
        likely = _likely_values(values, k, rows, p, min(tables, 60), rng)
        for _ in range(tables):
            found, V = _components(likely, rows, rng)
            fresh = rng.standard_normal((ROWS, len(likely))) + rng.standard_normal(len(likely)) / np.sqrt(rows)
            fresh *= np.sqrt(likely)
            Z = fresh @ V[:, :k]
            t2.append(np.sum(Z**2 / found[:k], axis=1))
            rest = float(found[k:].sum())
            if rest > 0:
                ratio.append(np.maximum(np.sum(fresh**2, axis=1) - np.sum(Z**2, axis=1), 0.0) / rest)
    limit_t2 = float(np.quantile(np.concatenate(t2), 1 - level))
    return Limits(limit_t2, left * float(np.quantile(np.concatenate(ratio), 1 - level)) if ratio and left > 0 else 0.0)


def own_limits(values: np.ndarray, k: int, n: float, level: float) -> Limits:
    r"""Return limits that the rows of the fit themselves exceed with probability `level`, each.

    Left singular vectors of a normal table do not depend on its singular values and directions: given all eigenvalues
    found, the whitened scores of a row are uniform on the sphere of n − 1 dimensions of radius :math:`(n-1)/\sqrt n`.
    So :math:`T^2 n/(n-1)^2` has a beta law, and Q is drawn. The more columns there are, the farther these limits lie
    above those of new rows in T², and below them in Q.

    Parameters
    ----------
    values, k, n, level
        As for `row_limits`.
    """
    reach, rest, draws = (n - 1) ** 2 / n, max(n - 1 - len(values), 0.0), 2 * 10**7 // len(values)
    t2 = reach * float(beta.isf(level, k / 2, max(n - 1 - k, 1e-9) / 2))
    rng = np.random.default_rng(0)
    squares = rng.chisquare(1.0, (min(max(draws, ROWS), 20 * ROWS), len(values)))
    every = squares.sum(axis=1) + (rng.chisquare(rest, len(squares)) if rest else 0.0)
    q = reach * float(np.quantile(squares[:, k:] @ values[k:] / every, 1 - level))
    return Limits(t2 * (1 + ROUNDING), q)


def _components(likely: np.ndarray, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw a table of n rows and return its eigenvalues, descending, with its directions."""
    R = linalg.wishart_root(rng, len(likely), n - 1) * np.sqrt(likely / (n - 1))
    _, s, Vt = np.linalg.svd(R, full_matrices=False)
    return s**2, Vt.T


def _likely_values(values: np.ndarray, k: int, n: int, p: int, tables: int, rng: np.random.Generator) -> np.ndarray:
    """Return eigenvalues of a law whose samples have, on average, those that were found.

    A sample spreads them: large ones come out too large, small ones too small.
    """
    if n > 100 * len(values):
        return values
    rank, total = len(values), float(values.sum())
    if n - 1 <= p or len(values) < p:
        values, rank = _with_even_noise(values, k, n, p), k
    likely, width = values.copy(), len(values)
    seeds = rng.integers(2**63, size=tables)
    for _ in range(8):
        drawn = np.zeros(rank)
        for seed in seeds:  # the same tables in each round
            A = linalg.wishart_root(np.random.default_rng(seed), width, n - 1)
            drawn += np.linalg.svd(A * np.sqrt(likely / (n - 1)), compute_uv=False)[:rank] ** 2
        likely[:rank] *= (values[:rank] * tables / drawn) ** 1.7  # plain steps are slow where eigenvalues are alike
        likely = np.minimum.accumulate(likely)
        noise = likely[rank:]
        if len(noise):  # it has what the kept directions do not need
            noise[:] = max(total - float(likely[:rank].sum()), 1e-3 * total) / len(noise)
        likely *= total / likely.sum()
    return likely if rank < p else _evened(likely, values, k, n)


def _evened(likely: np.ndarray, values: np.ndarray, k: int, n: int) -> np.ndarray:
    """Bring eigenvalues that chance alone may have separated together, from the first kept one on."""
    p, even = len(values), likely.copy()
    for j in range(min(k, p - 1, n - 3)):
        sure, mean = min(max(_apart_from_noise(values[j:], n - 1 - j), 0.0), 1.0), float(even[j:].mean())
        even[j:] = mean + sure * (even[j:] - mean)
        even[j] += sure**2 * SPREAD / n * (even[j] - mean)
    return even


def _apart_from_noise(values: np.ndarray, m: int) -> float:
    """Return by how many standard deviations eigenvalues of m rows are farther apart than those of noise.

    The largest root shows a single direction, the sum of squares (John's statistic) of eigenvalues that fall slowly.
    """
    p, ratios = len(values), values / values.mean()
    edge = edge_of_noise(m, p)
    # mean and standard deviation of the distribution of Tracy and Widom
    centre, spread = edge.centre - 1.2065336 * edge.spread, edge.spread * 1.2680
    spread = np.sqrt(max(spread**2 - 2 * centre**2 / (m * p), 0.1 * spread**2))  # the mean moves with the largest
    return float(max((m * ratios[0] - centre) / spread, (m * np.mean((ratios - 1) ** 2) - p - 1) / 2))


def _with_even_noise(values: np.ndarray, k: int, n: int, p: int) -> np.ndarray:
    """Return kept eigenvalues with noise of one variance, in as many directions as it has eigenvalues.

    Fewer rows than columns cannot tell the eigenvalues of the noise, but the sum of them and of their squares.
    """
    noise, m = values[k:], n - 1
    if not len(noise):
        return values
    squares = m * m / max((m - 1) * (m + 2), 1) * (np.sum(noise**2) - noise.sum() ** 2 / m)
    count = noise.sum() ** 2 / squares if squares > 0 else np.inf
    count = int(np.clip(np.rint(count), 1, p - k)) if np.isfinite(count) else p - k
    return np.concatenate([values[:k], np.full(count, noise.sum() / count)])


def _by_theory(values: np.ndarray, k: int, n: float, level: float) -> Limits:
    """Return Hotelling's limit of T², and for Q that of a multiple of χ² with its mean and variance."""
    t2 = k * (n * n - 1) / (n * max(n - k, 1)) * float(f.isf(level, k, max(n - k, 1)))
    first, second = float(values[k:].sum()), float(np.sum(values[k:] ** 2))
    if second == 0:
        return Limits(t2, 0.0)
    return Limits(t2, (1 + 1 / n) * second / first * float(chi2.isf(level, first**2 / second)))
