"""Claim: permutations hold their level whatever the law of X; Li's χ² test of Hessian directions needs normal X.

Tables of 100 rows and five columns, with no direction along which y bends, or one. Prints how often a direction too
many is found at 5%.

    python benchmarks/levels_of_hessian_tests.py --replicates 400
"""

import argparse

import numpy as np

from eigenlens import PrincipalHessianDirections

N, P = 100, 5
COLUMNS = {
    "normal": lambda rng: rng.standard_normal((N, P)),
    "heavy tails (t, 5 df)": lambda rng: rng.standard_t(5, (N, P)),
    "skewed (exponential)": lambda rng: rng.exponential(size=(N, P)),
    "elliptic (t, 5 df)": lambda rng: rng.standard_normal((N, P)) / np.sqrt(rng.chisquare(5, (N, 1)) / 5),
}
RESPONSES = {  # directions, y
    "noise": (0, lambda X, rng: rng.standard_normal(N)),
    "a line": (0, lambda X, rng: 2 * X[:, 0] + X[:, 1] + rng.standard_normal(N)),
    "a square": (1, lambda X, rng: X[:, 0] ** 2 + 0.5 * rng.standard_normal(N)),
    "a line, spread grows": (0, lambda X, rng: X[:, 0] + np.exp(0.4 * X[:, 1]) * rng.standard_normal(N)),
}


def shares(columns, response, replicates):
    d, respond = RESPONSES[response]
    found = np.zeros(2)
    for seed in range(replicates):
        rng = np.random.default_rng([seed, N])
        X = COLUMNS[columns](rng)
        y = respond(X, rng)
        model = PrincipalHessianDirections().fit(X, y)
        tests = (model.test_dimension(X, y, n_draws=99, random_state=seed), model.test_dimension(method="chi2"))
        found += [test.p_values[d] <= 0.05 for test in tests]
    return found / replicates


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--replicates", type=int, default=400)
    replicates = parser.parse_args().replicates
    for columns in COLUMNS:
        for response in RESPONSES:
            permutation, chi2 = shares(columns, response, replicates)
            print(f"{columns}, {response}: permutation {permutation:.1%}, chi2 {chi2:.1%}", flush=True)


if __name__ == "__main__":
    main()
