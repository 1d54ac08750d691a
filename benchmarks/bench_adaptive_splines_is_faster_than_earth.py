"""AdaptiveSplines of 20,000 × 20 beside R's earth, both with their defaults.

Two tables: Friedman's function, which needs few terms, and one that fills all terms allowed.
"""

from __future__ import annotations

import numpy as np

from eigenlens.regress import AdaptiveSplines
from harness import Ratio, beside
from peer_r import run_r

ROWS, FEATURES, ROUNDS = 20_000, 20, 5
TARGETS = {1: 1.5, 2: 4}
SCRIPT = """
for (degree in 1:2) {
  keep(paste0("seconds", degree), clock(function() f <<- earth(x, y, degree = degree)))
  keep(paste0("found", degree), c(f$gcv, length(f$selected.terms)))
}
"""


def friedman(X: np.ndarray) -> np.ndarray:
    return 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]


def main() -> list[Ratio]:
    rng = np.random.default_rng(1)
    X, noise = rng.random((ROWS, FEATURES)), rng.normal(size=ROWS)
    many = sum(3 * np.sin(5 * X[:, j] * X[:, j + 1] + j) for j in range(5, FEATURES - 1))
    results = []
    for name, y in {"few terms": friedman(X) + noise, "many terms": friedman(X) + many + noise}.items():
        told = run_r("earth", SCRIPT, X, y, ROUNDS, ["seconds1", "found1", "seconds2", "found2"])
        for degree in (1, 2) if told else ():
            model = AdaptiveSplines(degree=degree).fit(X, y)
            gcv, terms = told[f"found{degree}"]
            note = f"GCV {model.gcv_ / gcv:.4f} × earth's, {len(model.basis_)} terms against {int(terms)}"
            claim = f"AdaptiveSplines 20,000×20, {name}"
            peer = f"R's earth, degree {degree}"

            def fit(degree: int = degree, y: np.ndarray = y) -> object:
                return AdaptiveSplines(degree=degree).fit(X, y)

            results.append(beside(claim, peer, fit, told[f"seconds{degree}"], TARGETS[degree], note))
    return results


if __name__ == "__main__":
    print(*main(), sep="\n")
