"""Claim: the cost of AdaptiveSplines is linear in the rows up to a million, its memory in rows × terms.

Columns are terms and features together. There is no peer: the ratio is the time per row at the largest size
over that at the smallest.
"""

from __future__ import annotations

import time
import tracemalloc

import numpy as np

from eigenlens.regress import AdaptiveSplines

SIZES, FEATURES = (20_000, 200_000, 1_000_000), 20


def main() -> dict[str, float]:
    rng = np.random.default_rng(1)
    results = {}
    for degree in (1, 2):
        per_row = []
        for n in SIZES:
            X = rng.random((n, FEATURES))
            y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
            y += rng.normal(size=n)
            tracemalloc.start()
            start = time.perf_counter()
            model = AdaptiveSplines(degree=degree).fit(X, y)
            seconds = time.perf_counter() - start
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            per_row.append(seconds / n)
            columns = len(model.forward_terms_) + FEATURES
            print(
                f"degree {degree}, {n:>9,} rows: {seconds:6.2f} s, {1e6 * seconds / n:5.1f} µs a row,",
                end=" ",
            )
            print(f"peak {peak / 2**20:6.0f} MiB, {peak / n / columns / 8:.1f} floats per row and column")
        results[f"degree {degree}"] = per_row[-1] / per_row[0]
        print(f"    time per row, largest over smallest: {results[f'degree {degree}']:.2f}")
    return results


if __name__ == "__main__":
    main()
