"""Levels of tests of dimension, and coverage of bootstrap intervals, where cells are missing.

Holes fall on all columns but the first: at random, or by a rule, the likelier the higher the first column is. A test of
"at most d directions" of tables with d directions should reject in 5% of them. Three ways: the test of the model that
was fitted to rows with holes; the usual test of the rows that miss nothing; and the usual test of the maximum
likelihood moments, as if nothing were missing. Intervals of 95% should hold the truth in 95% of the tables.

The first way draws its null law anew for each table. Its level is measured with one draw for each table, all draws
together being the law (Giacomini, Politis and White 2013), so that it costs one more fit rather than two hundred.

    python benchmarks/missing_cells_levels.py levels --replicates 400
    python benchmarks/missing_cells_levels.py coverage --replicates 400
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from eigenlens import CCA, LDA, PCA, SAVE, SIR, DirectionalRegression
from eigenlens.inference import bootstrap
from eigenlens.moments.redrawn import Redrawn

N = 150
SIZES = np.array([1.0, 2.0, 0.5, 1.0, 3.0])
ROUNDS = 99  # draws of a test of complete rows that needs them
SAID = 50  # tables after which figures are printed
HOLES = [(0.0, False), (0.1, False), (0.3, False), (0.3, True)]


def with_holes(rng: np.random.Generator, X: np.ndarray, share: float, rule: bool) -> np.ndarray:
    chance = np.full(len(X), share)
    if rule:
        chance = 2 * share * X[:, 0].argsort().argsort() / len(X)
    holes = rng.random(X.shape) < chance[:, None]
    holes[:, 0] = False
    return np.where(holes, np.nan, X)


# -- tables with d directions -----------------------------------------------------------------------------------------


def pca_table(rng: np.random.Generator, d: int) -> tuple[np.ndarray, Any]:
    return (rng.standard_normal((N, 5)) + d * rng.standard_normal((N, 1))) * SIZES, None


def lda_table(rng: np.random.Generator, d: int) -> tuple[np.ndarray, Any]:
    y = np.arange(N) % 3
    X = rng.standard_normal((N, 4))
    X[:, 0] += 1.5 * d * y
    return X, y


def cca_table(rng: np.random.Generator, d: int) -> tuple[np.ndarray, Any]:
    X = rng.standard_normal((N, 6))
    if d:
        X[:, 3] = 0.7 * X[:, 0] + np.sqrt(1 - 0.7**2) * X[:, 3]
    return X, None


def sir_table(rng: np.random.Generator, d: int) -> tuple[np.ndarray, Any]:
    X = rng.standard_normal((N, 4))
    return X, d * (X[:, 0] + X[:, 1]) + 0.5 * rng.standard_normal(N)


def factor_table(rng: np.random.Generator, d: int) -> tuple[np.ndarray, Any]:
    """Return rows of one factor and equal noise, which is the model of `missing="ppca"`."""
    return rng.standard_normal((N, 5)) + d * rng.standard_normal((N, 1)) * SIZES, None


def bent_table(rng: np.random.Generator, d: int) -> tuple[np.ndarray, Any]:
    """Return rows with a response that slice means do not show."""
    X = rng.standard_normal((N, 4))
    return X, d * (X[:, 0] + X[:, 1]) ** 2 + 0.3 * rng.standard_normal(N)


METHODS: dict[str, tuple[Callable, Callable]] = {
    "PCA": (pca_table, lambda missing: PCA(1, missing=missing)),
    "LDA": (lda_table, lambda missing: LDA(missing=missing)),
    "CCA": (cca_table, lambda missing: CCA(missing=missing)),
    "SIR": (sir_table, lambda missing: SIR(1, n_slices=5, missing=missing)),
}
#: Methods that have intervals with holes, but no test.
UNTESTED: dict[str, tuple[Callable, Callable]] = {
    "ppca": (factor_table, lambda missing: PCA(1, missing="ppca")),
    "SAVE": (bent_table, lambda missing: SAVE(1, n_slices=3, missing=missing)),
    "DR": (bent_table, lambda missing: DirectionalRegression(1, n_slices=3, missing=missing)),
}


def arguments(name: str, X: np.ndarray, y: Any) -> tuple:
    if name == "CCA":
        return X[:, :3], X[:, 3:]
    return (X,) if y is None else (X, y)


# -- levels ---------------------------------------------------------------------------------------------------------


def as_if_whole(name: str, model: Any, d: int) -> bool:
    plain = METHODS[name][1]("refuse").fit_moments(model._whole_moments)
    return bool(plain.test_dimension(n_draws=ROUNDS).dimension > d)


def statistics(model: Any, d: int, rng: np.random.Generator) -> tuple[float, float]:
    """Return the statistic of "at most d" of a table with holes, and that of one draw of its null law."""
    sample = Redrawn(model.moments_)
    hypothesis = model._hypothesis()(sample)
    null = hypothesis.null(sample.law, d)
    return hypothesis.statistic(sample.law, d), hypothesis.statistic(sample.draw(null, rng), d)


def one_table(name: str, d: int, share: float, rule: bool, seed: int) -> tuple[float, float, bool, bool]:
    make, model = METHODS[name]
    rng = np.random.default_rng([seed, d])
    X, y = make(rng, d)
    H = with_holes(rng, X, share, rule)
    fitted = model("ml").fit(*arguments(name, H, y))
    whole = ~np.isnan(H).any(axis=1)
    rows = arguments(name, H[whole], None if y is None else y[whole])
    left = model("refuse").fit(*rows).test_dimension(*rows, n_draws=ROUNDS).dimension > d
    pair = statistics(fitted, d, rng) if share else (np.nan, np.nan)
    return *pair, bool(left), as_if_whole(name, fitted, d)


def levels(replicates: int, methods: list[str]) -> Iterator[dict]:
    cells = [(name, d, *holes) for name in methods for d in (0, 1) for holes in HOLES]
    seen: dict[Any, list] = {cell: [] for cell in cells}
    for seed in range(replicates):
        for cell in cells:
            seen[cell].append(one_table(*cell, seed))
        if (seed + 1) % SAID and seed + 1 < replicates:
            continue
        for (name, d, share, rule), found in seen.items():
            statistic, null, left, naive = (np.array(column) for column in zip(*found, strict=True))
            yield {
                "method": name,
                "directions": d,
                "holes": called(share, rule),
                "missing cells": float(np.mean(statistic > np.quantile(null, 0.95))) if share else None,
                "complete rows": float(np.mean(left)),
                "as if whole": float(np.mean(naive)),
                "tables": seed + 1,
            }


# -- coverage ---------------------------------------------------------------------------------------------------------


def truth(name: str) -> tuple[np.ndarray, float]:
    """Return the first direction, and what it is measured by, of the tables with one direction."""
    if name == "PCA":
        values, vectors = np.linalg.eigh(np.outer(SIZES, SIZES) + np.diag(SIZES**2))
        return vectors[:, -1] * np.sign(vectors[-1, -1]), float(values[-1])
    if name == "ppca":
        return SIZES / np.linalg.norm(SIZES), float(SIZES @ SIZES + 1)
    if name == "LDA":
        return np.array([1.0, 0.0, 0.0, 0.0]), float(1.5**2 * 2 / 3)
    if name == "CCA":
        return np.array([1.0, 0.0, 0.0]), 0.7
    return np.array([1.0, 1.0, 0.0, 0.0]) / np.sqrt(2), float("nan")


def one_interval(name: str, share: float, rule: bool, seed: int, n_boot: int) -> tuple[float, bool]:
    make, model = (METHODS | UNTESTED)[name]
    direction, value = truth(name)
    rng = np.random.default_rng([seed, 1])
    X, y = make(rng, 1)
    H = with_holes(rng, X, share, rule)
    one = model("ml").set_params(n_components=1)
    found = bootstrap(one, *arguments(name, H, y), n_boot=n_boot, random_state=seed, progress=False)
    direction = direction * np.sign(found.estimate[0] @ direction)
    inside = (found.low[0] <= direction) & (direction <= found.high[0])
    return float(np.mean(inside)), bool(found.value_low[0] <= value <= found.value_high[0])


def coverage(replicates: int, methods: list[str], n_boot: int) -> Iterator[dict]:
    cells = [(name, *holes) for name in methods for holes in HOLES]
    seen: dict[Any, list] = {cell: [] for cell in cells}
    for seed in range(replicates):
        for cell in cells:
            seen[cell].append(one_interval(*cell, seed, n_boot))
        if (seed + 1) % SAID and seed + 1 < replicates:
            continue
        for (name, share, rule), found in seen.items():
            inside, held = np.array(found, dtype=float).T
            yield {
                "method": name,
                "holes": called(share, rule),
                "loadings": float(inside.mean()),
                "value": float(held.mean()) if np.isfinite(truth(name)[1]) else None,
                "tables": seed + 1,
            }


def called(share: float, rule: bool) -> str:
    return "none" if share == 0 else f"{share:.0%} {'by rule' if rule else 'at random'}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["levels", "coverage"])
    parser.add_argument("--replicates", type=int, default=400)
    parser.add_argument("--methods", nargs="+", help="by default all that have tests, or intervals")
    parser.add_argument("--holes", nargs="+", choices=[called(*holes) for holes in HOLES], help="by default all")
    parser.add_argument("--draws", type=int, default=199, help="resamples of an interval")
    parser.add_argument("--every", type=int, default=50, help="tables after which figures are printed")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    SAID = given.every
    HOLES = [holes for holes in HOLES if called(*holes) in (given.holes or [called(*holes)])]
    if given.what == "levels":
        rows = levels(given.replicates, given.methods or list(METHODS))
    else:
        rows = coverage(given.replicates, given.methods or list(METHODS | UNTESTED), given.draws)
    for row in rows:
        print(json.dumps(row), flush=True)
