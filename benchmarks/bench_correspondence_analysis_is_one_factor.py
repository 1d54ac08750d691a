"""Correspondence analysis of 20,000 × 100 and of 1,000 × 100 counts, beside the decomposition in NumPy that defines it.

The peer centres the table, divides it by the margins' roots and takes a thin SVD: what textbooks write, and what any
other way must keep up with. Both give two axes; eigenvalues agree to rounding.
"""

from dataclasses import replace

import numpy as np
from threadpoolctl import threadpool_limits

from eigenlens import CorrespondenceAnalysis
from harness import Ratio, race

SHAPES = [(20_000, 100), (1000, 100)]


def counts(n: int, p: int) -> np.ndarray:
    """Return counts with two directions in them and no empty row or column."""
    rng = np.random.default_rng(n)
    rates = np.exp(0.5 * rng.standard_normal((n, 2)) @ rng.standard_normal((2, p)))
    return rng.poisson(3 * rates) + (np.arange(n)[:, None] % p == np.arange(p)).astype(float)


def by_svd(N: np.ndarray) -> np.ndarray:
    """Return the two largest eigenvalues by the definition."""
    share = N / N.sum()
    r, c = share.sum(axis=1), share.sum(axis=0)
    expected = np.outer(r, c)
    _, s, _ = np.linalg.svd((share - expected) / np.sqrt(expected), full_matrices=False)
    return s[:2] ** 2


def main() -> list[Ratio]:
    rows = []
    with threadpool_limits(1, user_api="blas"):
        for n, p in SHAPES:
            N = counts(n, p)
            apart = np.abs(CorrespondenceAnalysis(2).fit(N).eigenvalues_ / by_svd(N) - 1).max()
            peers = {"NumPy, SVD": lambda N=N: by_svd(N)}
            found = race(
                f"CA {n:,}×{p}", lambda N=N: CorrespondenceAnalysis(2).fit(N), peers, targets={"NumPy, SVD": 1}
            )
            rows += [replace(row, note=f"eigenvalues differ by {apart:.0e}") for row in found]
    return rows


if __name__ == "__main__":
    print(*main(), sep="\n")
