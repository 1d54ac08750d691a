"""Laws of rows: n of them, of p columns."""

from __future__ import annotations

import numpy as np
from scipy.signal import lfilter


def normal(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return rng.standard_normal((n, p))


def heavy(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return rng.standard_t(3, (n, p))


def classes(n: int) -> np.ndarray:
    return np.arange(n) % 3


def unequal(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return normal(rng, n, p) * np.exp(np.linspace(-1, 1, p))


def binary(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return ((rng.random((n, p)) < 0.1) - 0.1) / 0.3


def lognormal(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return (np.exp(normal(rng, n, p)) - np.exp(0.5)) / np.sqrt((np.e - 1) * np.e)


def elliptical(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return normal(rng, n, p) / np.sqrt(rng.chisquare(5, (n, 1)) / 3)


def series(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """Rows follow each other: each column is an AR(0.5) of its own."""
    return lfilter([0.75**0.5], [1, -0.5], normal(rng, n + 50, p), axis=0)[50:]


def chain(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """Columns follow each other: each row is an AR(0.5)."""
    return lfilter([0.75**0.5], [1, -0.5], normal(rng, n, p + 50), axis=1)[:, 50:]


def cauchy(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return rng.standard_cauchy((n, p))
