"""SparsePCA of 1,000 × 200, 5 components, against scikit-learn's: same numbers of nonzeros, time and adjusted variance.

Two situations: five sparse factors that stand out, where everybody is done in a few rounds, and columns each correlated
with the next, where the directions are many and weak. Two penalties: scikit-learn's default, 1, and 3, which leaves few
nonzeros and is fast for scikit-learn. We are given the numbers of nonzeros that it arrives at. Its lars is stopped
after 20 rounds on the second, so that the ratio is less than it would be.

Then our default, `SparsePCA(k, n_nonzero=…)`, beside the mini-batches on tables of other shapes: planted factors,
noise, sums along each row (smooth columns), and counts.
"""

import itertools
import tracemalloc
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import sklearn.decomposition as peer

from eigenlens import SparsePCA
from harness import Ratio, race

N, P, K = 1000, 200, 5
SHAPES = [(200, 1000, 20), (5000, 500, 50), (2000, 2000, 50), (500, 5000, 100), (2000, 5000, 100), (500, 20000, 400)]


def designs() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    V = np.zeros((K, P))
    for row in V:
        row[rng.choice(P, 20, replace=False)] = rng.standard_normal(20)
    factors = rng.standard_normal((N, K)) * np.linspace(3, 1.5, K) @ V + rng.standard_normal((N, P))
    chain = rng.standard_normal((N, P))
    for j in range(1, P):
        chain[:, j] = 0.9 * chain[:, j - 1] + np.sqrt(1 - 0.81) * chain[:, j]
    return {"five factors": factors - factors.mean(axis=0), "a chain": chain - chain.mean(axis=0)}


def adjusted(X: np.ndarray, components: np.ndarray) -> float:
    """Share of the variance, by QR of the scores."""
    return float(np.sum(np.diag(np.linalg.qr(X @ components.T, mode="r")) ** 2) / np.sum(X**2))


def peers(design: str, alpha: float) -> dict[str, tuple]:
    rounds = 20 if design == "a chain" else 1000
    options = {"alpha": alpha, "random_state": 0}
    return {
        "SparsePCA(lars)": (peer.SparsePCA(K, method="lars", max_iter=rounds, **options), 100),
        "SparsePCA(cd)": (peer.SparsePCA(K, method="cd", **options), 20),
        "MiniBatchSparsePCA": (peer.MiniBatchSparsePCA(K, **options), 1),
    }


def main() -> list[Ratio]:
    rows = []
    for (design, X), alpha in itertools.product(designs().items(), (1, 3)):
        claim = f"SparsePCA {N:,}×{P}, {design}, their alpha={alpha}"
        for name, (model, target) in peers(design, alpha).items():
            rows += against(claim, f"scikit-learn {name}", X, model, target)
    for claim, X in shapes().items():
        model = peer.MiniBatchSparsePCA(K, alpha=1, random_state=0)
        rows += against(f"SparsePCA {claim}", "scikit-learn MiniBatchSparsePCA", X, model, 1)
    return [*rows, wide()]


def shapes() -> dict[str, np.ndarray]:
    """Return centred tables of several shapes and kinds."""
    rng = np.random.default_rng(0)
    tables = {f"{n:,}×{p:,}, planted": planted(n, p, m) for n, p, m in SHAPES}
    tables["2,000×3,000, noise"] = rng.standard_normal((2000, 3000))
    tables["300×3,000, smooth"] = rng.standard_normal((300, 3000)).cumsum(axis=1) / 10
    rates = np.exp(rng.standard_normal((500, 3)) @ rng.standard_normal((3, 3000)) / 2 - 2)
    tables["500×3,000, counts"] = rng.poisson(rates).astype(float)
    return {claim: X - X.mean(axis=0) for claim, X in tables.items()}


def planted(n: int, p: int, m: int) -> np.ndarray:
    """Return rows of as many factors of m columns each as components are asked for, in noise."""
    rng, V = np.random.default_rng(0), np.zeros((K, p))
    for row in V:
        row[rng.choice(p, m, replace=False)] = rng.standard_normal(m)
    return rng.standard_normal((n, K)) * np.linspace(3, 1.5, K) @ V + rng.standard_normal((n, p))


def against(claim: str, name: str, X: np.ndarray, model: Any, target: float) -> list[Ratio]:
    """Race a peer, given its numbers of nonzeros, and tell the variance that both explain with them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        C = model.fit(X).components_
        C = C[np.argsort(-np.var(X @ C.T, axis=0))]
        counts = np.maximum(np.count_nonzero(C, axis=1), 1).tolist()
        ours = SparsePCA(K, n_nonzero=counts)
        rounds = 1 if "lars" in name else 3
        (row,) = race(claim, lambda: ours.fit(X), {name: lambda: model.fit(X)}, rounds, {name: target})
    both = f"ours {adjusted(X, ours.components_):.4f}, theirs {adjusted(X, C):.4f}"
    return [replace(row, note=f"{sum(counts)} nonzeros, adjusted variance: {both}")]


def wide() -> Ratio:
    """Memory of a wide table, of which no p × p matrix is made."""
    X = np.random.default_rng(0).standard_normal((200, 5000))
    X[:, :50] += np.random.default_rng(1).standard_normal((200, 1))
    tracemalloc.start()
    SparsePCA(3, n_nonzero=50).fit(X)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    note = f"{peak:.0f} MiB over an input of {X.nbytes / 2**20:.0f} MiB; p² would be {8 * 5000**2 / 2**20:.0f} MiB"
    return Ratio("SparsePCA 200×5,000 memory", note=note)


if __name__ == "__main__":
    print(*main(), sep="\n")
