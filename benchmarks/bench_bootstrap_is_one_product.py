"""1,000 bootstrap refits of LDA at 20,000 × 50 beside refitting from rows; parallel analysis beside PCA."""

import numpy as np

from eigenlens import LDA, PCA
from eigenlens.inference import bootstrap, parallel_analysis
from harness import Ratio, race, seconds

REFITS = 20  # of the peer, whose time is proportional


def main() -> list[Ratio]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 20_000)
    X = rng.standard_normal((20_000, 50)) + 0.5 * rng.standard_normal((5, 50))[y]

    def from_rows() -> float:
        def refits() -> None:
            for b in range(REFITS):
                drawn = np.random.default_rng([0, b]).integers(0, len(X), len(X))
                LDA().fit(X[drawn], y[drawn])

        return seconds(refits) * 1000 / REFITS

    rows = []
    for what, at_least in (("blocks", 20), ("rows", None)):
        ratios = []
        for _ in range(3):
            ours = seconds(lambda what=what: bootstrap(LDA(), X, y, n_boot=1000, resample=what))
            ratios.append(from_rows() / ours)
        rows.append(
            Ratio(
                f"bootstrap of LDA 20,000×50 by {what}",
                "1,000 refits from rows",
                float(np.median(ratios)),
                min(ratios),
                max(ratios),
                at_least,
            )
        )
    Z = rng.standard_normal((5000, 200))
    return rows + race(
        "parallel analysis 5,000×200, 100 draws",
        lambda: parallel_analysis(Z, n_draws=100),
        {"eigenlens PCA, 100 fits": lambda: [PCA().fit(Z) for _ in range(100)]},
        rounds=3,
        targets={"eigenlens PCA, 100 fits": 1},
    )


if __name__ == "__main__":
    print(*main(), sep="\n")
