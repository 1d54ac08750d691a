"""ClassicalMDS, 4,000 precomputed distances, two axes: a few products with one table, against a full decomposition."""

import tracemalloc

import numpy as np
import sklearn.manifold
from scipy.spatial.distance import pdist, squareform

from eigenlens import ClassicalMDS
from harness import Ratio, race

N = 4000


def tables() -> dict[str, np.ndarray]:
    """Euclidean distances, and distances that no map can show."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 10)) * np.linspace(2, 1, 10)
    return {"Euclidean": squareform(pdist(X)), "cityblock": squareform(pdist(X, "cityblock"))}


def main() -> list[Ratio]:
    rows = []
    for name, D in tables().items():
        claim = f"ClassicalMDS(2), n = {N:,}, {name}"

        def ours(D=D):
            ClassicalMDS(2, metric="precomputed").fit(D)

        def theirs(D=D):
            sklearn.manifold.ClassicalMDS(2, metric="precomputed").fit(D)

        rows += race(claim, ours, {"scikit-learn ClassicalMDS(2)": theirs}, 3, {"scikit-learn ClassicalMDS(2)": 20})
        for overwrite, most in ((False, 1), (True, 0)):
            given = D.copy()
            tracemalloc.start()
            ClassicalMDS(2, metric="precomputed", overwrite=overwrite).fit(given)
            peak = tracemalloc.get_traced_memory()[1] / D.nbytes
            tracemalloc.stop()
            rows.append(Ratio(claim, note=f"overwrite={overwrite}: {peak:.2f} tables beyond the input (most: {most})"))
    return rows


if __name__ == "__main__":
    print(*main(), sep="\n")
