"""AdaptiveSplines costs as much for each row of a million as of 20,000, and memory for rows × (terms + features)."""

from __future__ import annotations

import tracemalloc

import numpy as np

from bench_adaptive_splines_is_faster_than_earth import friedman
from eigenlens.regress import AdaptiveSplines
from harness import Ratio, seconds

FEW, MANY, FEATURES = 20_000, 1_000_000, 20


def main() -> list[Ratio]:
    rng = np.random.default_rng(1)
    results = []
    for degree in (1, 2):
        model, per_row = AdaptiveSplines(degree=degree), {}
        for n in (FEW, MANY):
            X = rng.random((n, FEATURES))
            y = friedman(X) + rng.normal(size=n)
            tracemalloc.start()
            rounds = 5 if n == FEW else 1
            per_row[n] = np.array([seconds(lambda X=X, y=y, model=model: model.fit(X, y)) / n for _ in range(rounds)])
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        low, middle, high = np.quantile(per_row[FEW], [0.25, 0.5, 0.75]) / per_row[MANY][0]
        floats = peak / 8 / MANY / (len(model.forward_terms_) + FEATURES)
        note = f"{per_row[MANY][0] * MANY:.1f} s; {floats:.1f} floats for each row and term or feature at the peak"
        claim = f"AdaptiveSplines degree {degree}, {MANY:,} rows"
        results.append(Ratio(claim, f"itself, for a row of {FEW:,}", middle, low, high, 0.667, note))
    return results


if __name__ == "__main__":
    print(*main(), sep="\n")
