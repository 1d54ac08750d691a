"""How often 95% intervals of rotated loadings hold the loadings of the law that rows were drawn from.

Nine columns, three groups of three that share a factor; factors are correlated for oblique rotations. The truth is the
rotation of the law's own components.

    python benchmarks/intervals_of_rotations_cover.py --tables 200 --rows 100 --methods promax oblimin
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from eigenlens import PCA


def correlations(between: float) -> np.ndarray:
    """Return the correlations of nine columns."""
    strength = np.array([0.85, 0.8, 0.7, 0.8, 0.75, 0.7, 0.75, 0.7, 0.65])
    factors = np.full((3, 3), between) + (1 - between) * np.eye(3)
    L = np.zeros((9, 3))
    L[np.arange(9), np.arange(9) // 3] = strength
    R = L @ factors @ L.T
    np.fill_diagonal(R, 1.0)
    return R


def rows_with(R: np.ndarray) -> np.ndarray:
    """Return rows whose correlations are these exactly."""
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(np.column_stack([np.ones(50), rng.standard_normal((50, len(R)))]))[0][:, 1:]
    return Q @ np.linalg.cholesky(R).T


def coverage(method: str, tables: int, n: int, n_boot: int) -> tuple[float, float, float]:
    """Return coverage of all loadings, of those above 0.3, and of the others."""
    R = correlations(0.0 if method in ("varimax", "quartimax") else 0.3)
    truth = PCA(3, scale=True).fit(rows_with(R)).rotate(method).loadings.T
    root = np.linalg.cholesky(R)
    held = []
    for seed in range(tables):
        X = np.random.default_rng(seed).standard_normal((n, 9)) @ root.T
        found = PCA(3, scale=True).fit(X).rotate(method).bootstrap(X, n_boot=n_boot, random_state=seed, progress=False)
        order, signs = matched(found.estimate, truth)
        target = truth[order] * signs[:, None]
        held.append((found.low <= target) & (target <= found.high))
        if (seed + 1) % 50 == 0 or seed + 1 == tables:
            inside, large = np.array(held), np.abs(truth) > 0.3
            print(
                f"{method:10} {seed + 1:4} tables of {n}: {inside.mean():.1%}; large loadings "
                f"{inside[:, large].mean():.1%}, small ones {inside[:, ~large].mean():.1%}",
                flush=True,
            )
    return float(inside.mean()), float(inside[:, large].mean()), float(inside[:, ~large].mean())


def matched(found: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which factor of the truth each factor of the fit is, and its sign."""
    overlap = found @ truth.T
    order = np.abs(overlap).argmax(axis=1)
    return order, np.where(overlap[np.arange(len(order)), order] < 0, -1.0, 1.0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--methods", nargs="+", default=["varimax", "quartimax", "promax", "oblimin"])
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in given.methods:
        coverage(name, given.tables, given.rows, given.draws)
