"""The ladle: where eigenvalues have become small and eigenvectors begin to turn at random.

    g(k) = f(k)/(1 + Σf) + λ_{k+1}/(1 + Σλ),     f(k) = mean over resamples of 1 − |det(V_kᵀ V*_k)|.

Eigenvalues fall with k; the turning f rises once noise directions, which nothing holds in place, are among the first k.
The minimum of their sum is the number of directions. Where noise alone has eigenvalues, as local means have, the ladle
goes by (I − N)^(−1/2) (M − N) (I − N)^(−1/2), where N is the mean of M over permutations of the slices: of the variance
that noise leaves, the share that M keeps.

References
----------
Luo, Li (2016), Combining eigenvalues and variation of eigenvectors for order determination, Biometrika 103.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._core import errors
from .._core.parameters import check_number, seed_of
from .dimension_test import DimensionTest
from .inverse import SliceMoments

NOISE = 20  # permutations whose mean is what noise alone gives


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
    if p < 2:
        raise errors.values_needed("ladle", p, 2)
    most = p - 1 if p <= 10 else int(p / np.log(p))
    turned = np.zeros(most + 1)
    for b in range(n_draws):
        _, V = np.linalg.eigh(draw(np.random.default_rng([seed, b])))
        V = V[:, ::-1]
        for k in range(1, most + 1):
            turned[k] += 1 - abs(np.linalg.det(V[:k, :k]))
    turned /= n_draws
    small = values[: most + 1]
    f, phi = turned / (1 + turned.sum()), small / (1 + small.sum())
    beyond = np.full(p - most - 1, np.nan)  # numbers that are not compared
    statistics = {"eigenvalue": values, "turning": np.append(turned, beyond), "ladle": np.append(f + phi, beyond)}
    return DimensionTest.chosen(int(np.argmin(f + phi)), statistics, "ladle")


def ladle_above_noise(
    kernel: Callable[[np.ndarray, np.ndarray], np.ndarray], codes: np.ndarray, n_draws: int, seed: Any
) -> DimensionTest:
    """Find the number of directions by the ladle, from the excess of a kernel matrix over that of permuted slices.

    Rows that a resample holds twice are their own neighbours, so resamples have their own noise.

    Parameters
    ----------
    kernel : function of (numbers of rows, slices of these rows)
        Their kernel matrix, in coordinates that their own covariance has standardised.
    codes : ndarray of shape (n,)
        Slice of each row; −1 for none.
    n_draws : int
    seed : int, Generator, RandomState or None
    """
    seed = seed_of(seed)
    rng = np.random.default_rng([seed, n_draws])
    every, labelled = np.arange(len(codes)), codes >= 0

    def unrelated(rows: np.ndarray) -> np.ndarray:
        moved = codes.copy()
        moved[labelled] = rng.permutation(codes[labelled])
        return kernel(rows, moved[rows])

    noise = np.mean([unrelated(every) for _ in range(NOISE)], axis=0)
    noise_drawn = np.mean([unrelated(drawn_rows(codes, rng)) for _ in range(NOISE)], axis=0)
    values, vectors = np.linalg.eigh(_above(kernel(every, codes), noise))
    U = vectors[:, ::-1]

    def draw(rng: np.random.Generator) -> np.ndarray:
        rows = drawn_rows(codes, rng)
        return np.asarray(U.T @ _above(kernel(rows, codes[rows]), noise_drawn) @ U)

    return ladle(np.maximum(values[::-1], 0.0), draw, n_draws, seed)


def _above(M: np.ndarray, noise: np.ndarray) -> np.ndarray:
    root = inverse_root(np.eye(len(M)) - noise)
    return np.asarray(root @ (M - noise) @ root)


def resampled_kernel(
    Z: np.ndarray, codes: np.ndarray, kernel: Callable[..., np.ndarray], rng: np.random.Generator
) -> np.ndarray:
    """Return the kernel matrix of rows drawn again, standardised by the symmetric root of their own covariance.

    Parameters
    ----------
    Z : ndarray of shape (n, r)
        Variates.
    codes : ndarray of shape (n,)
        Slices.
    kernel : function of shares, means and covariances of slices
        See `eigenlens.inference.inverse.Kernel`.
    rng : generator
    """
    rows = drawn_rows(codes, rng)
    present, within = np.unique(codes[rows], return_inverse=True)
    moments = SliceMoments.of_rows(Z[rows], within, len(present))
    shares, offsets, total = moments.about_the_mean()
    root = inverse_root(total)
    V = root @ moments.scatters @ root / moments.weights[:, None, None]
    F = kernel(shares, offsets @ root, V)
    return np.asarray(F.T @ F)


def drawn_rows(codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw as many rows as there are, with replacement, of at least two slices (code −1: of none)."""
    while True:
        rows = rng.integers(0, len(codes), len(codes))
        drawn = codes[rows]
        if len(np.unique(drawn[drawn >= 0])) > 1:
            return rows


def inverse_root(S: np.ndarray) -> np.ndarray:
    """Return the symmetric S^(−1/2); directions in which drawn rows do not vary are left out."""
    values, vectors = np.linalg.eigh(S)
    kept = values > len(values) * np.finfo(float).eps * values[-1]
    return np.asarray((vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T)
