"""The test of directions that columns share, and its rivals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from unittest.mock import patch

import numpy as np
from sklearn.decomposition import PCA

from eigenlens.inference import broken_stick, components_test, gap_test, shared_directions as shared, tracy_widom_test
from eigenlens.inference.parallel import against_normal

from .laws import binary, chain, elliptical, heavy, lognormal, normal, series, unequal
from .simulation import LEVELS, Line

RATIOS = ((500, 10), (500, 50), (100, 50), (30, 100))  # n/p = 50, 10, 2, 0.3
LAWS = (normal, heavy, unequal, binary, lognormal, elliptical, series, chain)
#: How many are planted, and their size: times the variance at which one could be seen at all, or times the noise.
PLANTED = ((0, ""), (1, "1 limit"), (1, "3 limit"), (1, "10 limit"), (1, "100 noise"), (3, "3 limit"), (3, "100 noise"))
DRAWS = 39
CURVE = ("1 limit", "1.5 limit", "2 limit", "3 limit", "5 limit", "10 limit", "30 limit", "100 noise")


def planted(law: Callable, n: int, p: int, k: int, size: str, rng: np.random.Generator) -> np.ndarray:
    """Add k directions to noise, in units of its columns: the last of this size, the first half larger."""
    E = law(rng, n, p)
    unit = np.exp(np.linspace(-1, 1, p)) if law is unequal else np.full(p, 3**0.5 if law is heavy else 1.0)
    V = np.linalg.qr(normal(rng, p, max(k, 1)))[0][:, :k] * unit[:, None]
    times, of = size.split() if size else ("0", "limit")
    variance = float(times) * (np.sqrt(p / n) if of == "limit" else 1.0)
    return E + normal(rng, n, k) * np.sqrt(variance * np.linspace(1.5, 1, k)) @ V.T


def components() -> Iterator[Line]:
    """The test of shared directions: how often more are found than there are, and how often as many."""
    for (k, size), law, (n, p) in product(PLANTED, LAWS, RATIOS):
        if law is chain and k:
            continue
        block = None if law is not series else 10 if n >= 40 else 5
        test = partial(_shared, "permutation" if block else "flips", block)
        yield _line({"shared": test}, law, n, p, k, size)


def rivals() -> Iterator[Line]:
    """The same of all tests on the same tables, at one shape."""
    cases = [(normal, 1, size) for size in CURVE]
    cases += [(law, k, size) for law in LAWS for k, size in ((0, ""), (1, "3 limit"), (3, "3 limit"), (3, "100 noise"))]
    for law, k, size in dict.fromkeys(cases):
        if not (law is chain and k):
            yield _line(RIVALS, law, 200, 40, k, size)


def _line(tests: dict[str, Callable], law: Callable, n: int, p: int, k: int, size: str) -> Line:
    """Return one cell: two outcomes of each test, on tables that they share."""

    def once(rng: np.random.Generator) -> list[bool]:
        X, seed = planted(law, n, p, k, size, rng), int(rng.integers(2**31))
        found = [test(X, seed, k) for test in tests.values()]
        return [outcome for d in found for outcome in (d > k, d == k)]

    cell = f"{law.__name__}, n={n} p={p}, {k} planted" + (f" at {size}" if k else "")
    what = [f"{name}, {cell}: {outcome}" for name in tests for outcome in ("more", "right")]
    return "; ".join(what), once, LEVELS


def _shared(noise: str, block: int | None, X: np.ndarray, seed: int, k: int) -> int:
    with patch.object(shared, "_by_draws", partial(_until_decided, k)):
        return components_test(X, noise=noise, block=block, n_draws=DRAWS, random_state=seed).dimension


def _until_decided(
    k: int,
    found: float,
    fit: shared.FactorFit,
    d: int,
    draw: Callable[[np.random.Generator], np.ndarray],
    rng: np.random.Generator,
    n_draws: int,
    alpha: float,
) -> tuple[float, float, int]:
    """Make the library's draws, in its order, until so many reach the statistic that its verdict is settled.

    Once more than the k planted directions are found, so is the outcome, however many follow.
    """
    if d > k:
        return 1.0, found, 0
    null: list[float] = []
    exceeded = 0
    while len(null) < n_draws and (1 + exceeded) / (1 + n_draws) <= alpha:
        null.append(shared._drawn(fit, d, draw(rng)))
        exceeded += null[-1] >= found * (1 - shared.TIED)
        if len(null) == shared.FIRST and found > np.mean(null) + shared.BEYOND * np.std(null):
            break
    return (1 + exceeded) / (1 + n_draws), float(np.quantile(null, 1 - alpha)), len(null)


def _by_values(test: Callable, X: np.ndarray, seed: int, k: int) -> int:
    return test(np.linalg.eigvalsh(np.cov(X.T))[::-1], len(X) - 1).dimension


def _horn(X: np.ndarray, seed: int, k: int) -> int:
    values = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    return against_normal(values, len(X) - 1, X.std(axis=0, ddof=1), 0.05, 39, seed).dimension


def _permuted_shares(X: np.ndarray, seed: int, k: int) -> int:
    """Permutation parallel analysis, one direction after the other, by shares of the variance left (jackstraw)."""
    rng = np.random.default_rng(seed)
    found = _shares(X)
    null = np.array([_shares(rng.permuted(X, axis=0)) for _ in range(39)])
    rejected = (1 + np.sum(null >= found, axis=0)) / 40 <= 0.05
    return int(np.argmin(rejected)) if not rejected.all() else len(rejected)


def _shares(X: np.ndarray) -> np.ndarray:
    values = np.maximum(np.linalg.eigvalsh(np.cov(X.T))[::-1], 0.0)
    return np.asarray((values / np.maximum(np.cumsum(values[::-1])[::-1], 1e-300))[:-1])


RIVALS = {
    "shared": partial(_shared, "flips", None),
    "shared, normal noise": partial(_shared, "normal", None),
    "parallel": _horn,
    "permuted columns": _permuted_shares,
    "tracy-widom": partial(_by_values, tracy_widom_test),
    "gap": partial(_by_values, gap_test),
    "broken stick": partial(_by_values, lambda values, n: broken_stick(values)),
    "scikit-learn's mle": lambda X, seed, k: int(PCA("mle").fit(X).n_components_),
}
