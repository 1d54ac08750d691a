"""Claim: between 4 and 6% of fresh rows lie beyond the 5% limits of `PCA.diagnose`, from 20 rows to 100,000.

Run it by itself (a few minutes); it prints the shares with their standard errors.
"""

import argparse

import numpy as np

from eigenlens import PCA

LAWS = {
    "two directions above noise": (np.r_[20.0, 8.0, np.ones(6)], 2),
    "falling eigenvalues": (10 * 0.7 ** np.arange(8), 3),
    "no direction": (np.ones(10), 2),
    "no direction, five kept": (np.ones(10), 5),
    "one direction, three kept": (np.r_[10.0, np.ones(9)], 3),
    "a weak direction": (np.r_[3.0, np.ones(9)], 1),
    "slowly falling eigenvalues": (0.85 ** np.arange(10), 2),
}


def shares(values, k, n, tables, rng):
    beyond = []
    for _ in range(tables):
        X = rng.standard_normal((n, len(values))) * np.sqrt(values)
        found = PCA(k).fit(X).diagnose(rng.standard_normal((1000, len(values))) * np.sqrt(values))
        beyond.append([np.mean(found.t2 > found.t2_limit), np.mean(found.q > found.q_limit)])
    return np.mean(beyond, axis=0), np.std(beyond, axis=0) / np.sqrt(tables)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=300)
    tables = parser.parse_args().tables
    for name, (values, k) in LAWS.items():
        for n in (20, 100, 1000, 100_000):
            mean, error = shares(values, k, n, max(tables // (1 + n // 5000), 10), np.random.default_rng(n))
            print(f"{name}, n = {n}: T² {mean[0]:.2%} ± {error[0]:.2%}, Q {mean[1]:.2%} ± {error[1]:.2%}", flush=True)


if __name__ == "__main__":
    main()
