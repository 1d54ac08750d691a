"""PDA with a GCV path (121 λ, 16 × 16 pixels) on 10,000 × 256: beside one LDA fit; and FDA beside its regressor."""

import numpy as np

from eigenlens import FDA, LDA, PDA
from eigenlens.regress import AdaptiveSplines
from eigenlens.regress.optimal_scoring import contrasts
from harness import Ratio, race


def main() -> list[Ratio]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, 10_000)
    X = rng.standard_normal((10_000, 256)) + 0.3 * rng.standard_normal((10, 256))[y]
    rows = race(
        "PDA 10,000×256 with its path",
        lambda: PDA(penalty=(16, 16)).fit(X, y),
        {"eigenlens LDA": lambda: LDA().fit(X, y)},
        rounds=9,
        targets={"eigenlens LDA": 0.5},
    )
    few, labels = X[:5000, :20], y[:5000]
    scores = contrasts(np.bincount(labels) / len(labels))[labels]
    return rows + race(
        "FDA 5,000×20, 10 classes",
        lambda: FDA().fit(few, labels),
        {"AdaptiveSplines alone": lambda: AdaptiveSplines().fit(few, scores)},
        rounds=5,
        targets={"AdaptiveSplines alone": 0.83},
    )


if __name__ == "__main__":
    print(*main(), sep="\n")
