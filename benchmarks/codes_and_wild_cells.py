"""Claim: reports take cells of at most 1 in 100 clean columns for codes or mistakes, whatever their distribution.

Run it by itself (a few minutes); it prints the tables of docs/calibration.md: alarms in clean columns of twenty
distributions, and how often codes and mistakes that were put into a column are found, all of them and no other cell.
"""

import argparse
from collections.abc import Callable

import numpy as np

from eigenlens.rows.extreme_cells import extreme_cells

Draw = Callable[[np.random.Generator, int], np.ndarray]

CLEAN: dict[str, Draw] = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "uniform": lambda rng, n: rng.random(n),
    "t₃": lambda rng, n: rng.standard_t(3, n),
    "t₂": lambda rng, n: rng.standard_t(2, n),
    "Cauchy": lambda rng, n: rng.standard_cauchy(n),
    "Pareto, power 1": lambda rng, n: 1 + rng.pareto(1, n),
    "lognormal, σ = 1": lambda rng, n: rng.lognormal(0, 1, n),
    "lognormal, σ = 2": lambda rng, n: rng.lognormal(0, 2, n),
    "exponential": lambda rng, n: rng.exponential(1, n),
    "Weibull, shape 0.5": lambda rng, n: rng.weibull(0.5, n),
    "beta (0.5, 0.5)": lambda rng, n: rng.beta(0.5, 0.5, n),
    "counts (Poisson, mean 6)": lambda rng, n: rng.poisson(6, n),
    "counts (negative binomial)": lambda rng, n: rng.negative_binomial(1, 0.05, n),
    "counts (Zipf, power 2)": lambda rng, n: np.minimum(rng.zipf(2, n), 2**53),
    "amounts, 60% of them 0": lambda rng, n: np.where(rng.random(n) < 0.6, 0, rng.lognormal(3, 1, n)),
    "counts, 70% of them 0": lambda rng, n: np.where(rng.random(n) < 0.7, 0, rng.poisson(4, n)),
    "two groups, 90% and 10%": lambda rng, n: rng.normal(np.where(rng.random(n) < 0.9, 0, 8), 1),
    "ratings from 1 to 5": lambda rng, n: rng.choice(5, n, p=[0.005, 0.01, 0.035, 0.25, 0.7]) + 1,
    "rounded normal, mean 3": lambda rng, n: np.round(rng.normal(3, 1.5, n)),
    "yes or no, 3% yes": lambda rng, n: rng.random(n) < 0.03,
}
CODED: dict[str, tuple[Draw, float]] = {
    "999 in distances up to 25": (lambda rng, n: rng.uniform(0, 25, n), 999),
    "−1 in distances up to 25": (lambda rng, n: rng.uniform(0, 25, n), -1),
    "99 in ages from 18 to 80": (lambda rng, n: rng.integers(18, 81, n), 99),
    "9 in ratings from 1 to 5": (lambda rng, n: rng.integers(1, 6, n), 9),
    "−99 in lognormal incomes": (lambda rng, n: rng.lognormal(10, 0.6, n), -99),
    "−1 in lognormal incomes": (lambda rng, n: rng.lognormal(10, 0.6, n), -1),
    "−1 in counts (Poisson, mean 6)": (lambda rng, n: rng.poisson(6, n), -1),
    "9999 in exponential numbers": (lambda rng, n: rng.exponential(1, n), 9999),
}


def alarms(draw: Draw, n: int, columns: int) -> float:
    """Return the share of clean columns in which cells are found."""
    rng = np.random.default_rng(n)
    return float(np.mean([bool(extreme_cells(draw(rng, n).astype(float))) for _ in range(columns)]))


def found(draw: Draw, code: float, share: float, columns: int, n: int = 500) -> float:
    """Return the share of columns in which the cells that hold a code are found, and no others."""
    rng, right = np.random.default_rng(n), 0
    for _ in range(columns):
        column = draw(rng, n).astype(float)
        places = np.sort(rng.choice(n, int(share * n), replace=False))
        column[places] = code
        right += any(np.array_equal(each.places, places) for each in extreme_cells(column))
    return right / columns


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--columns", type=int, default=2000)
    columns, sizes = parser.parse_args().columns, (30, 100, 1000, 10_000)
    print("| clean columns | " + " | ".join(f"n = {n:,}" for n in sizes) + " |\n|---" + "|---" * len(sizes) + "|")
    for name, draw in CLEAN.items():
        shares = [alarms(draw, n, max(columns // (1 + n // 2000), 100)) for n in sizes]
        print(f"| {name} | " + " | ".join(f"{share:.2%}" for share in shares) + " |", flush=True)
    print("\n| 500 rows with a code | in 1% of them | in 5% | in 30% |\n|---|---|---|---|")
    for name, (draw, code) in CODED.items():
        shares = [found(draw, code, share, columns // 10) for share in (0.01, 0.05, 0.3)]
        print(f"| {name} | " + " | ".join(f"{share:.0%}" for share in shares) + " |", flush=True)


if __name__ == "__main__":
    main()
