"""LDA of 200,000 × 200, 10 classes: one pass, against three solvers of scikit-learn."""

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from eigenlens import LDA
from harness import Ratio, race


def main() -> list[Ratio]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, 200_000)
    X = rng.standard_normal((200_000, 200)) + 0.3 * rng.standard_normal((10, 200))[y]

    def centred_product():
        rows = X - X.mean(axis=0)
        return rows.T @ rows

    quick = race(
        "LDA 200,000×200, 10 classes",
        lambda: LDA().fit(X, y),
        {
            "scikit-learn solver='lsqr'": lambda: LinearDiscriminantAnalysis(solver="lsqr").fit(X, y),
            "scikit-learn solver='eigen'": lambda: LinearDiscriminantAnalysis(solver="eigen").fit(X, y),
            "bare centred cross product": centred_product,
        },
        targets={
            "scikit-learn solver='lsqr'": 1.8,
            "scikit-learn solver='eigen'": 2.5,
            "bare centred cross product": 0.667,
        },
    )
    slow = race(
        "LDA 200,000×200, 10 classes",
        lambda: LDA().fit(X, y),
        {"scikit-learn default (svd)": lambda: LinearDiscriminantAnalysis().fit(X, y)},
        rounds=3,
        targets={"scikit-learn default (svd)": 10},
    )
    return quick + slow


if __name__ == "__main__":
    print(*main(), sep="\n")
