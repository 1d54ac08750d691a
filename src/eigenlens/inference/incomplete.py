"""How many directions rows with missing cells show: tests whose null distribution misses the same cells.

Eigenvalues of such rows spread more than those of whole rows, by an amount that depends on who misses what. So
samples are drawn from the law of "at most d directions" that fits best, the same cells are left out, and the likelihood
is maximised again: the statistic is then what it would be without a further direction. Normal rows are assumed, and
cells missing at random.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from ..arrays import linalg
from ..arrays.parameters import seed_of
from ..moments.redrawn import Law, Redrawn
from .dimension_test import NORMAL, ONE_BY_ONE, DimensionTest, drawn
from .parallel import SAME
from .sequential import Step, against_draws, check_draws, in_order
from .shared_directions import FactorFit, Standardised, fit_factors, most_directions, statistic_of

NOTE = "Normal rows that miss the same cells were drawn; cells are assumed to be missing at random."


@dataclass(frozen=True)
class Hypothesis:
    """What "at most d directions" says about a law.

    Attributes
    ----------
    name : str
        Of the test.
    count : int
        Directions that could be shown.
    values : callable
        From a law to what its directions are measured by, descending.
    called : str
        What these values are.
    statistic : callable
        From a law and d to what is large where there are more than d.
    null : callable
        From a law and d to the law nearest to it that has d directions.
    measured : str
        What the statistic is.
    """

    name: str
    count: int
    values: Callable[[Law], np.ndarray]
    called: str
    statistic: Callable[[Law, int], float]
    null: Callable[[Law, int], Law]
    measured: str = "−log Λ"


def incomplete_test(
    sample: Redrawn,
    hypothesis: Hypothesis,
    alpha: float = 0.05,
    n_draws: int = 199,
    random_state: Any = 0,
    budget: float | None = None,
) -> DimensionTest:
    """Test "at most d directions", d = 0, 1, …, until one is not rejected.

    Parameters
    ----------
    sample : Redrawn
    hypothesis : Hypothesis
    alpha : float
    n_draws : int
        Samples drawn for each d; fewer where the statistic is far beyond the first of them, or so many exceed it that
        no more could make it significant.
    random_state : int, Generator, RandomState or None
    budget : float, optional
        Multiplications after which no further d is tested.
    """
    check_draws(alpha, n_draws)
    seed, values = seed_of(random_state), hypothesis.values(sample.law)

    def step(d: int) -> Step:
        null, rng = hypothesis.null(sample.law, d), np.random.default_rng([seed, d])
        observed = hypothesis.statistic(sample.law, d)

        def draw(rng: np.random.Generator) -> float:
            return hypothesis.statistic(sample.draw(null, rng), d)

        found, made = against_draws(observed, draw, rng, alpha, n_draws, tied=SAME, early=True, hopeless=True)
        return found._replace(work=len(made) * sample.work)

    most = min(hypothesis.count, len(values))
    with linalg.one_blas_thread():  # hundreds of small decompositions: threads would wait for each other
        test = in_order(step, most, values, alpha, hypothesis.name, budget=budget, called=hypothesis.called)
    against = "each against normal rows that lack it and miss the same cells"
    times = drawn(n_draws, "times")
    return test.with_note(NOTE).told(
        f"{ONE_BY_ONE[:-1]}, {against}, drawn {times}.",
        NORMAL,
        draws=n_draws,
        rows=sample.weight,
        statistic=hypothesis.measured,
    )


# -- classes and slices: between against within ------------------------------------------------------------------


def of_classes(shares: np.ndarray, name: str) -> Hypothesis:
    """Return the hypothesis that class means lie in d directions; its statistic is −log of Wilks' Λ of the others."""

    def roots(law: Law) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        mu, Sigma = law
        L = np.linalg.cholesky(Sigma)
        whitened = scipy.linalg.solve_triangular(L, (mu - shares @ mu).T, lower=True).T
        _, s, Vt = np.linalg.svd(np.sqrt(shares)[:, None] * whitened, full_matrices=False)
        most = min(len(shares) - 1, len(L))
        return s[:most] ** 2, Vt[:most], whitened, L

    def null(law: Law, d: int) -> Law:
        _, Vt, whitened, L = roots(law)
        kept = whitened @ Vt[:d].T @ Vt[:d]
        lost = np.sqrt(shares)[:, None] * (whitened - kept)
        return shares @ law[0] + kept @ L.T, L @ (np.eye(len(L)) + lost.T @ lost) @ L.T

    def correlations(law: Law) -> np.ndarray:
        ratios = roots(law)[0]
        return np.sqrt(ratios / (1 + ratios))

    def statistic(law: Law, d: int) -> float:
        return float(np.log1p(roots(law)[0][d:]).sum())

    return Hypothesis(name, len(shares) - 1, correlations, "correlation", statistic, null)


# -- two tables ----------------------------------------------------------------------------------------------------


def of_pairs(p: int, s: int) -> Hypothesis:
    """Return the hypothesis that p and s columns, side by side, have d correlated pairs; −log of Wilks' Λ again."""

    def parts(law: Law) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        S = law[1]
        Lx, Ly = np.linalg.cholesky(S[:p, :p]), np.linalg.cholesky(S[p:, p:])
        half = scipy.linalg.solve_triangular(Lx, S[:p, p:], lower=True)
        M = scipy.linalg.solve_triangular(Ly, half.T, lower=True).T
        return Lx, Ly, np.linalg.svd(M, full_matrices=False)

    def null(law: Law, d: int) -> Law:
        Lx, Ly, (U, rho, Vt) = parts(law)
        S = law[1].copy()
        S[:p, p:] = Lx @ (U[:, :d] * rho[:d]) @ Vt[:d] @ Ly.T
        S[p:, :p] = S[:p, p:].T
        return law[0], S

    def correlations(law: Law) -> np.ndarray:
        return np.clip(parts(law)[2][1], 0.0, 1.0)

    def statistic(law: Law, d: int) -> float:
        rho = correlations(law)[d:]
        return float(-np.log(np.maximum((1 - rho) * (1 + rho), 1e-300)).sum())

    return Hypothesis("wilks, missing cells", min(p, s), correlations, "correlation", statistic, null)


# -- columns that share directions -----------------------------------------------------------------------------------


def of_columns(p: int, freedom: float) -> Hypothesis:
    """Return the hypothesis that p columns share d directions, each with noise of its own; see `components`."""

    def fit(law: Law, d: int) -> FactorFit:
        size = np.sqrt(np.diagonal(law[1]))
        return fit_factors(Standardised(None, law[1] / size / size[:, None], freedom), d)

    def null(law: Law, d: int) -> Law:
        found = fit(law, d)
        root, shared = np.sqrt(found.noise * np.diagonal(law[1])), found.loadings @ found.loadings.T
        own = 1 / found.noise - np.diagonal(shared)
        return law[0], (shared + np.diag(np.maximum(own, 1e-6))) * root * root[:, None]

    def values(law: Law) -> np.ndarray:
        return np.linalg.eigvalsh(law[1])[::-1]

    def statistic(law: Law, d: int) -> float:
        return statistic_of(fit(law, d).values, d, p)

    count = min(most_directions(p), p - 1, int(freedom) - 2)
    return Hypothesis(
        "shared directions, missing cells", count, values, "eigenvalue", statistic, null, "ratio of variances"
    )
