"""Bootstraps of PCA, LDA and CCA with missing cells, beside as many refits from rows.

A tenth of the cells is missing in forty patterns. A refit from rows reads them and collects the patterns again; both
sides then search for the maximum of the likelihood, which is most of the time.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from eigenlens import CCA, LDA, PCA
from eigenlens.inference import bootstrap
from harness import Ratio, seconds

DRAWS = 200
REFITS = 5  # of the peer, whose time is proportional
ROUNDS = 3


def rows_with_gaps(n: int, p: int, patterns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows with missing cells in a number of patterns, and three classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    X = rng.standard_normal((n, p)) @ rng.standard_normal((p, p)) + rng.standard_normal((3, p))[y]
    gone = rng.random((patterns, p)) < 0.1
    gone[:, 0] = False
    X[gone[rng.integers(0, patterns, n)]] = np.nan
    return X, y


def beside_refits(claim: str, model: Callable[[], Any], *given: np.ndarray) -> Ratio:
    """Compare a bootstrap with refits of rows drawn with replacement."""
    n = len(given[0])

    def refits() -> None:
        for b in range(REFITS):
            drawn = np.random.default_rng([0, b]).integers(0, n, n)
            model().fit(*[part[drawn] for part in given])

    ratios = []
    for _ in range(ROUNDS):
        ours = seconds(lambda: bootstrap(model(), *given, n_boot=DRAWS, resample="rows"))
        ratios.append(seconds(refits) * DRAWS / REFITS / ours)
    return Ratio(claim, f"{DRAWS} refits from rows", float(np.median(ratios)), min(ratios), max(ratios))


def main() -> list[Ratio]:
    X, y = rows_with_gaps(2000, 10, 40)
    return [
        beside_refits("bootstrap of PCA 2,000×10, missing cells", lambda: PCA(2, missing="ml"), X),
        beside_refits("bootstrap of LDA 2,000×10, missing cells", lambda: LDA(missing="ml"), X, y),
        beside_refits("bootstrap of CCA 2,000×6+4, missing cells", lambda: CCA(2, missing="ml"), X[:, :6], X[:, 6:]),
    ]


if __name__ == "__main__":
    print(*main(), sep="\n")
