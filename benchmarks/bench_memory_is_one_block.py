"""Peak memory of a fit over its input: a block or two and a few p × p matrices, however many rows there are."""

import tracemalloc

import numpy as np

from eigenlens import CCA, LDA, PCA
from eigenlens.rows.source import block_rows
from harness import Ratio

P = 200


def peak_over_input(fit) -> float:
    """Return the most memory, in MiB, that arrays of a fit held at any moment."""
    tracemalloc.start()
    fit()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 2**20


def main() -> list[Ratio]:
    rows = []
    block, square = block_rows(P) * P * 8 / 2**20, P * P * 8 / 2**20
    for n in (100_000, 400_000):
        X = np.random.default_rng(0).standard_normal((n, P))
        y = np.arange(n) % 10
        fits = {
            "PCA": lambda X=X: PCA(10).fit(X),
            "LDA": lambda X=X, y=y: LDA().fit(X, y),
            "CCA": lambda X=X: CCA(10).fit(X[:, :180], X[:, 180:]),
        }
        for name, fit in fits.items():
            peak = peak_over_input(fit)
            note = f"{peak:.1f} MiB over an input of {X.nbytes / 2**20:.0f} MiB; "
            note += f"one block is {block:.1f} MiB and one thread works on one, p² is {square:.1f} MiB"
            rows.append(Ratio(f"{name} {n:,}×{P} memory", note=note, holds=name != "PCA" or peak < 12))
    return rows


if __name__ == "__main__":
    print(*main(), sep="\n")
