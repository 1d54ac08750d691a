"""The test of directions that columns share, and its rivals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from eigenlens.inference import (
    against_normal,
    broken_stick,
    components_test,
    conditional_test,
    gap_test,
    minka,
    tracy_widom_test,
)

from .laws import binary, chain, elliptical, heavy, lognormal, normal, series, unequal
from .simulation import LEVELS, Line, Replicate

RATIOS = ((500, 10), (500, 50), (100, 50), (30, 100))  # n/p = 50, 10, 2, 0.3
PLANTED = ((0, 0.0), (1, 1.0), (1, 3.0), (1, 100.0), (3, 3.0), (3, 100.0))  # how many, in units of the detection limit


LAWS = (normal, heavy, unequal, binary, lognormal, elliptical, series, chain)


def planted(law: Callable, n: int, p: int, k: int, size: float, rng: np.random.Generator) -> np.ndarray:
    """Add k directions to noise, in units of its columns: the last at `size` times √(p/n), the first at half more."""
    E = law(rng, n, p)
    unit = np.exp(np.linspace(-1, 1, p)) if law is unequal else np.full(p, 3**0.5 if law is heavy else 1.0)
    V = np.linalg.qr(normal(rng, p, max(k, 1)))[0][:, :k] * unit[:, None]
    return E + normal(rng, n, k) * np.sqrt(size * np.sqrt(p / n) * np.linspace(1.5, 1, k)) @ V.T


def too_many_and_right(find: Callable, table: Callable, k: int) -> Replicate:
    def once(rng: np.random.Generator) -> list[bool]:
        found = find(table(rng), int(rng.integers(2**31)))
        return [found > k, found == k]

    return once


def components() -> Iterator[Line]:
    """The test of shared directions: P(more than there are), and P(as many)."""
    for law in LAWS:
        block = 10 if law is series else None
        for n, p in RATIOS:
            for k, size in PLANTED:
                if law is chain and k:
                    continue
                line = f"{law.__name__}, n={n} p={p}, {k} planted" + (f" at {size:g}" if k else "")
                find = partial(
                    _shared, "permutation" if block else "flips", block if n // 4 >= 10 else 5 if block else None
                )
                replicate = too_many_and_right(find, partial(planted, law, n, p, k, size), k)
                yield f"{line}: more; {line}: as many", replicate, LEVELS


def rivals() -> Iterator[Line]:
    """The same of other tests, at one shape."""
    for law in (normal, heavy, unequal, lognormal, elliptical, chain):
        for k, size in ((0, 0.0), (1, 3.0), (3, 100.0)):
            for name, find in RIVALS.items():
                line = f"{name}, {law.__name__}, n=200 p=40, {k} planted" + (f" at {size:g}" if k else "")
                replicate = too_many_and_right(find, partial(planted, law, 200, 40, k, size), k)
                yield f"{line}: more; {line}: as many", replicate, LEVELS


def _shared(noise: str, block: int | None, X: np.ndarray, seed: int) -> int:
    return components_test(X, noise=noise, block=block, n_draws=39, random_state=seed).dimension


def _by_values(test: Callable, X: np.ndarray, seed: int) -> int:
    return test(np.linalg.eigvalsh(np.cov(X.T))[::-1], len(X) - 1).dimension


def _horn(X: np.ndarray, seed: int) -> int:
    values = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    return against_normal(values, len(X) - 1, X.std(axis=0, ddof=1), 0.05, 39, seed).dimension


RIVALS = {
    "shared directions": partial(_shared, "flips", None),
    "shared directions, permutation": partial(_shared, "permutation", None),
    "shared directions, normal": partial(_shared, "normal", None),
    "parallel analysis": _horn,
    "tracy-widom": partial(_by_values, tracy_widom_test),
    "conditional": partial(_by_values, conditional_test),
    "gap": partial(_by_values, gap_test),
    "broken stick": partial(_by_values, lambda values, n: broken_stick(values)),
    "mle": lambda X, seed: minka(np.linalg.eigvalsh(np.cov(X.T))[::-1], len(X)),
}
