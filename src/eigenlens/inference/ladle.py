"""The ladle: where eigenvalues have become small and eigenvectors begin to turn at random.

    g(k) = f(k)/(1 + Σf) + λ_{k+1}/(1 + Σλ),     f(k) = mean over resamples of 1 − |det(V_kᵀ V*_k)|.

Eigenvalues fall with k; the turning f rises once noise directions, which nothing holds in place, are among the first k.
The minimum of their sum is the number of directions.

References
----------
Luo, Li (2016), Combining eigenvalues and variation of eigenvectors for order determination, Biometrika 103.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._core.parameters import check_number, seed_of
from .inverse import SliceMoments
from .result import DimensionTest


def ladle(
    values: np.ndarray, draw: Callable[[np.random.Generator], np.ndarray], n_draws: int, seed: Any
) -> DimensionTest:
    """Find the number of directions by the ladle.

    Parameters
    ----------
    values : ndarray of shape (p,)
        All eigenvalues, descending.
    draw : function of a generator
        The kernel matrix of one resample, in coordinates in which that of all rows is diagonal, descending.
    n_draws : int
    seed : int, Generator, RandomState or None
    """
    check_number("n_draws", n_draws, 1, integer=True)
    seed, p = seed_of(seed), len(values)
    most = p - 1 if p <= 10 else int(p / np.log(p))
    turned = np.zeros(most + 1)
    for b in range(n_draws):
        _, V = np.linalg.eigh(draw(np.random.default_rng([seed, b])))
        V = V[:, ::-1]
        for k in range(1, most + 1):
            turned[k] += 1 - abs(np.linalg.det(V[:k, :k]))
    turned /= n_draws
    small = np.append(values, 0.0)[: most + 1]
    f, phi = turned / (1 + turned.sum()), small / (1 + small.sum())
    statistics = {"eigenvalue": small, "turning": turned, "ladle": f + phi}
    return DimensionTest.chosen(int(np.argmin(f + phi)), statistics, "ladle")


def resampled_kernel(
    Z: np.ndarray, codes: np.ndarray, kernel: Callable[..., np.ndarray], rng: np.random.Generator
) -> np.ndarray:
    """Return the kernel matrix of rows drawn anew, standardised by the symmetric root of their own covariance."""
    while True:
        rows = rng.integers(0, len(Z), len(Z))
        present, within = np.unique(codes[rows], return_inverse=True)
        if np.bincount(within).min() > 1 and len(present) > 1:
            break
    moments = SliceMoments.of_rows(Z[rows], within, len(present))
    shares, offsets, total = moments.about_the_mean()
    values, vectors = np.linalg.eigh(total)
    root = (vectors / np.sqrt(np.maximum(values, np.finfo(float).tiny))) @ vectors.T
    V = root @ moments.scatters @ root / moments.weights[:, None, None]
    F = kernel(shares, offsets @ root, V)
    return np.asarray(F.T @ F)
