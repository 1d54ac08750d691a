"""How often a test of axes against errors of distances finds too many, and too few.

Points in 0 to 3 axes, 9, 21 and 60 of them, whose distances have independent errors of one size, normal or with long
tails, errors that grow with the distance, or none but ten small axes more (Euclidean and city-block distances).

    python benchmarks/axes_against_errors_of_distances.py [TABLES]
"""

import sys

import numpy as np
from scipy.spatial.distance import pdist, squareform

from eigenlens.inference import distance_errors_test

KINDS = ("normal", "t3", "growing", "small axes", "city block")


def distances(rng: np.random.Generator, n: int, d: int, kind: str) -> np.ndarray:
    points = rng.standard_normal((n, d)) * np.linspace(3.0, 1.5, d)
    if kind in ("small axes", "city block"):
        more = rng.standard_normal((n, 10)) * (0.3 if d else 1.0)
        return squareform(pdist(np.hstack([points, more]), "cityblock" if kind == "city block" else "euclidean"))
    D = squareform(pdist(points)) if d else 3.0 * (1 - np.eye(n))
    size = {"normal": 0.5, "t3": 0.3, "growing": 0.15 * D}[kind]
    errors = np.triu(size * (rng.standard_t(3, (n, n)) if kind == "t3" else rng.standard_normal((n, n))), 1)
    return np.abs(D + errors + errors.T)


def main(tables: int = 60) -> None:
    for kind in KINDS:
        for d in range(4):
            said = []
            for n in (9, 21, 60):
                rngs = (np.random.default_rng([seed, n, d]) for seed in range(tables))
                found = np.array(
                    [distance_errors_test(distances(rng, n, d, kind), n_draws=99).dimension for rng in rngs]
                )
                said.append(f"n = {n}: {np.mean(found > d):.0%} more, {np.mean(found < d):.0%} fewer")
            print(f"{kind}, {d} axes: {'; '.join(said)}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
