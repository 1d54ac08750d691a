"""SparsePCA with `alpha` on tables of more columns than rows: time beside scikit-learn's mini-batches.

The penalties of the two are not on one scale: ours is 0.3, theirs its default, 1. The notes say how many cells of the
components are not zero and how much variance they explain on each side. Memory stays that of a few tables of n × p.
"""

import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import sklearn.decomposition as peer

from bench_sparse_pca_is_one_covariance import K, adjusted, planted
from eigenlens import SparsePCA
from harness import Ratio, race

SHAPES = [(200, 1000, 20), (500, 5000, 100), (200, 10_000, 200)]
ALPHA = 0.3


def main() -> list[Ratio]:
    rows = [row for n, p, m in SHAPES for row in beside_mini_batches(n, p, m)]
    return [*rows, memory()]


def beside_mini_batches(n: int, p: int, m: int) -> list[Ratio]:
    """Race the mini-batches at their default penalty, and tell how much variance both explain with how many cells."""
    X = planted(n, p, m)
    X -= X.mean(axis=0)
    ours, theirs = SparsePCA(K, alpha=ALPHA), peer.MiniBatchSparsePCA(K, alpha=1, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [model.fit(X).components_ for model in (ours, theirs)]
        name = "scikit-learn MiniBatchSparsePCA"
        rows = race(f"SparsePCA {n:,}×{p:,}, alpha={ALPHA}", lambda: ours.fit(X), {name: lambda: theirs.fit(X)}, 3)
    (mine, other), (a, b) = map(np.count_nonzero, found), (adjusted(X, C) for C in found)
    note = f"{mine:,} nonzeros against {other:,}, adjusted variance {a:.4f} against {b:.4f}; {ours.n_iter_} rounds"
    return [replace(row, note=note) for row in rows]


def memory() -> Ratio:
    """Tell the memory of a fit of 200 × 10,000."""
    X = planted(200, 10_000, 200)
    tracemalloc.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        SparsePCA(K, alpha=ALPHA).fit(X)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    note = f"{peak:.0f} MiB over an input of {X.nbytes / 2**20:.0f} MiB; p² would be {8 * 10_000**2 / 2**20:.0f} MiB"
    return Ratio(f"SparsePCA 200×10,000, alpha={ALPHA}, memory", note=note)


if __name__ == "__main__":
    print(*main(), sep="\n")
