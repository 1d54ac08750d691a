"""CCA of 50,000 × (200, 20), 10 pairs: one small SVD, against scikit-learn's power iterations."""

import warnings

import numpy as np
import sklearn.cross_decomposition

from eigenlens import CCA
from harness import Ratio, race


def designs() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Two common situations: a regression with many responses, and ten factors that both tables share."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50_000, 200))
    Y = X @ rng.standard_normal((200, 20)) / np.sqrt(200) + rng.standard_normal((50_000, 20))
    shared = rng.standard_normal((50_000, 10))
    A, B = rng.standard_normal((50_000, 200)), rng.standard_normal((50_000, 20))
    A[:, :10] += shared
    B[:, :10] += shared
    return {"Y = XB + e": (X, Y), "shared factors": (A, B)}


def main() -> list[Ratio]:
    rows = []
    for name, (X, Y) in designs().items():
        claim = f"CCA 50,000×(200, 20), {name}"

        def centred_product(X=X, Y=Y):
            both = np.column_stack([X, Y])
            both -= both.mean(axis=0)
            return both.T @ both

        def theirs(X=X, Y=Y):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                sklearn.cross_decomposition.CCA(10).fit(X, Y)

        def ours(X=X, Y=Y):
            CCA(10).fit(X, Y)

        bare = "bare centred cross product"
        rows += race(claim, ours, {bare: centred_product}, targets={bare: 0.667})
        rows += race(claim, ours, {"scikit-learn CCA(10)": theirs}, 1, {"scikit-learn CCA(10)": 200})
    return rows


if __name__ == "__main__":
    print(*main(), sep="\n")
