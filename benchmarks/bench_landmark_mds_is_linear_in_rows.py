"""Landmark scaling of up to 1,000,000 × 10 rows with 1,000 landmarks, beside the bare distances to the landmarks."""

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from eigenlens import ClassicalMDS
from harness import Ratio, race, seconds

LANDMARKS = 1000


def rows_of(n: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, 10)) * np.linspace(3, 1, 10)


def main() -> list[Ratio]:
    claim = f"ClassicalMDS, {LANDMARKS:,} landmarks"
    times = {}
    for n in (250_000, 500_000, 1_000_000):
        X = rows_of(n)
        times[n] = seconds(lambda X=X: ClassicalMDS(2, n_landmarks=LANDMARKS).fit(X))
    told = ", ".join(f"{n:,} rows {t:.1f} s" for n, t in times.items())
    growth = times[1_000_000] / times[250_000]
    rows = [Ratio(claim, note=f"{told}; four times the rows take {growth:.1f} times as long")]
    X = rows_of(1_000_000)
    points = X[::LANDMARKS]

    def plain():
        for start in range(0, len(X), 2000):
            euclidean_distances(X[start : start + 2000], points)

    def ours():
        ClassicalMDS(2, n_landmarks=LANDMARKS).fit(X)

    return rows + race(f"{claim}, 1,000,000 × 10", ours, {"bare distances to landmarks": plain}, 3)


if __name__ == "__main__":
    print(*main(), sep="\n")
