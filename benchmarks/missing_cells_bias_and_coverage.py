"""Bias and coverage of the first principal variance where cells are missing, for four ways to deal with that.

Four columns with one strong factor; the first is always observed, holes fall on the other three: at random, or by a
rule (the higher the first column, the likelier a hole). Each way has the interval that comes with it, on the log scale:
after filling, and of complete rows, that of normal theory, ± 1.96·√(2/n), as if nothing had been missing; of maximum
likelihood, ± t·(standard deviation of resamples).

    python benchmarks/missing_cells_bias_and_coverage.py --replicates 60 --picture docs/images/missing.png
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable

import numpy as np
import scipy.stats
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer

from eigenlens import PCA

N, P = 200, 4
LOADINGS = np.array([1.0, 0.9, 0.8, 0.7])
SIGMA = np.outer(LOADINGS, LOADINGS) * 2 + np.diag([0.5, 0.6, 0.7, 0.8])
TRUTH, DIRECTION = np.linalg.eigh(SIGMA)[0][-1], np.linalg.eigh(SIGMA)[1][:, -1]


def rows(rng: np.random.Generator, share: float, rule: bool) -> np.ndarray:
    X = rng.multivariate_normal(np.zeros(P), SIGMA, N)
    chance = np.full(N, share)
    if rule:
        rank = scipy.stats.norm.cdf(X[:, 0] / np.sqrt(SIGMA[0, 0]))
        chance = np.minimum(2 * share * rank, 0.95)
    X[:, 1:][rng.random((N, P - 1)) < chance[:, None]] = np.nan
    return X


def maximum_likelihood(X: np.ndarray) -> PCA:
    return PCA(1, missing="ml").fit(X)


def mean_filling(X: np.ndarray) -> PCA:
    return PCA(1).fit(np.where(np.isnan(X), np.nanmean(X, axis=0), X))


def iterative_imputer(X: np.ndarray) -> PCA:
    return PCA(1).fit(IterativeImputer(random_state=0).fit_transform(X))


def complete_rows(X: np.ndarray) -> PCA:
    return PCA(1).fit(X[~np.isnan(X).any(axis=1)])


WAYS = {
    'missing="ml"': maximum_likelihood,
    "mean filling": mean_filling,
    "IterativeImputer": iterative_imputer,
    "complete rows": complete_rows,
}


def half_width(way: Callable, model: PCA, X: np.ndarray, rng: np.random.Generator, n_boot: int) -> float:
    if way is not maximum_likelihood:
        return 1.96 * np.sqrt(2 / model.moments_.n_rows)
    draws = [np.log(way(X[rng.integers(0, N, N)]).explained_variance_[0]) for _ in range(n_boot)]
    return scipy.stats.t.ppf(0.975, n_boot - 1) * np.std(draws, ddof=1)


def one(way: Callable, X: np.ndarray, seed: int, n_boot: int) -> tuple[float, bool, float]:
    model = way(X)
    estimate = np.log(model.explained_variance_[0])
    half = half_width(way, model, X, np.random.default_rng(seed), n_boot)
    cosine = min(1.0, abs(float(model.components_[0] @ DIRECTION)))
    return float(np.exp(estimate)), bool(abs(estimate - np.log(TRUTH)) < half), float(np.degrees(np.arccos(cosine)))


def table(replicates: int, n_boot: int) -> list[dict]:
    found = []
    for rule in (False, True):
        for share in (0.2, 0.4):
            for name, way in WAYS.items():
                rng = np.random.default_rng(0)
                seen = [one(way, rows(rng, share, rule), seed, n_boot) for seed in range(replicates)]
                values, inside, angles = (np.array(column) for column in zip(*seen, strict=True))
                found.append(
                    {
                        "holes": f"{share:.0%} {'by rule' if rule else 'at random'}",
                        "way": name,
                        "bias": float(values.mean() / TRUTH - 1),
                        "standard error of bias": float(values.std(ddof=1) / TRUTH / replicates**0.5),
                        "coverage": float(inside.mean()),
                        "angle": float(np.sqrt(np.mean(angles**2))),
                    }
                )
                print(json.dumps(found[-1]), flush=True)
    return found


def draw(found: list[dict], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    scenarios = list(dict.fromkeys(row["holes"] for row in found))
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for j, way in enumerate(WAYS):
        mine = [row for row in found if row["way"] == way]
        at = np.arange(len(scenarios)) + (j - 1.5) * 0.18
        axes[0].errorbar(
            at,
            [100 * row["bias"] for row in mine],
            [196 * row["standard error of bias"] for row in mine],
            fmt="o",
            label=way,
        )
        axes[1].plot(at, [100 * row["coverage"] for row in mine], "o")
    axes[0].axhline(0, color="0.6", lw=0.8)
    axes[1].axhline(95, color="0.6", lw=0.8)
    axes[0].set_title("bias of the first variance (%)")
    axes[1].set_title("coverage of its 95% interval (%)")
    for ax in axes:
        ax.set_xticks(range(len(scenarios)), scenarios, fontsize=8)
    axes[0].legend(fontsize=8)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--replicates", type=int, default=60)
    parser.add_argument("--n-boot", type=int, default=25)
    parser.add_argument("--picture")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    results = table(given.replicates, given.n_boot)
    if given.picture:
        draw(results, given.picture)
