"""Tests of "at most d directions", d = 0, 1, …, one after the other: by theory, or by draws of what noise gives.

A test of d returns a `Step`. Its draws depend on the seed and on d alone, whatever was tested before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from ..arrays import errors
from ..arrays.parameters import check_number, seed_of
from .dimension_test import NORMAL, ONE_BY_ONE, POWER, DimensionTest, check_level, drawn

TIED = 1e-12  # statistics closer than this share of the observed one count as equal, so the test does not reject
FIRST = 19  # draws after which a statistic ten standard deviations above them needs no more
LEAST_EFFECT = 1e-9  # the smallest effect that is looked for


class Step(NamedTuple):
    """One test of "at most d directions".

    Attributes
    ----------
    statistic, p_value : float
    bar : float
        What the statistic has to exceed.
    detectable : float
        The smallest further direction that would be found four times in five.
    work : float
        Multiplications that it took.
    """

    statistic: float
    p_value: float
    bar: float = np.nan
    detectable: float = np.nan
    work: float = 0.0


def in_order(
    step: Callable[[int], Step],
    most: int,
    values: np.ndarray,
    alpha: float,
    method: str,
    *,
    stop: bool = True,
    budget: float | None = None,
    called: str = "eigenvalue",
    measure: str = "share of the variance left",
) -> DimensionTest:
    """Test d = 0, …, most − 1 until one is not rejected; what was not tested is NaN.

    Parameters
    ----------
    step : function of d
    most : int
    values : ndarray
        What directions are measured by, descending; the result has an entry for each.
    alpha : float
    method : str
        Name of the test.
    stop : bool
        Whether the first d that is not rejected ends the tests.
    budget : float, optional
        Work after which no further d is tested.
    called : str
        What the values are.
    measure : str
        What a detectable direction is measured by.
    """
    steps: list[Step] = []
    spent, stopped = 0.0, False
    for d in range(most):
        stopped = budget is not None and spent > budget
        if stopped:
            break
        steps.append(step(d))
        spent += steps[-1].work
        if stop and steps[-1].p_value > alpha:
            break
    table = np.full((len(values), len(Step._fields)), np.nan)
    for d, made in enumerate(steps):
        table[d] = made
    statistic, p_values, bar, detectable, _ = table.T.copy()
    statistics = {called: values, "statistic": statistic, "bar": bar}
    known = detectable if np.isfinite(detectable).any() else None
    return DimensionTest.sequential(p_values, statistics, alpha, method, known, measure, stopped)


def against_draws(
    observed: float,
    draw: Callable[[np.random.Generator], float],
    rng: np.random.Generator,
    alpha: float,
    n_draws: int,
    *,
    tied: float = TIED,
    early: bool = False,
    hopeless: bool = False,
) -> tuple[Step, np.ndarray]:
    """Compare a statistic with draws of it; return the step and the draws.

    Parameters
    ----------
    observed : float
    draw : function of a generator
    rng : Generator
    alpha : float
    n_draws : int
    tied : float
        Share of the statistic within which a draw counts as large.
    early : bool
        Where it lies far beyond the first draws, the others would not reach it either and are not made.
    hopeless : bool
        Where so many draws exceed it that it cannot become significant, no more are made; the p-value is then that of
        the draws made (Besag, Clifford 1991).
    """
    null: list[float] = []
    exceeded, counted = 0, n_draws
    while len(null) < n_draws:
        null.append(draw(rng))
        exceeded += null[-1] >= observed - tied * abs(observed)
        if early and len(null) == FIRST and observed > np.mean(null) + 10 * np.std(null):
            break
        if hopeless and len(null) >= 49 and 1 + exceeded > alpha * (1 + n_draws):
            counted = len(null)
            break
    made = np.array(null)
    bar = float(np.quantile(made, 1 - alpha))
    if len(made) == FIRST < n_draws:  # too few for a quantile of their own: the test ended early
        bar = float(made.mean() + stats.norm.isf(alpha) * made.std(ddof=1))
    return Step(observed, (1 + exceeded) / (1 + counted), bar), made


def p_of_draws(observed: Any, null: np.ndarray, tied: float = TIED) -> Any:
    """Return (1 + draws at least as large)/(1 + draws), of one statistic or of several side by side."""
    exceeded = np.sum(null >= observed - tied * np.abs(observed), axis=0)
    return (1 + exceeded) / (1 + len(null))


def resampled_test(
    values: np.ndarray,
    W: float,
    most: int,
    draw: Callable[[int, np.random.Generator], np.ndarray],
    *,
    method: str,
    alpha: float,
    n_draws: int,
    seed: Any,
    largest: bool = False,
    stop: bool = False,
    wilks: bool = False,
    again: str = "",
) -> DimensionTest:
    """Compare W·Σ_{j>d} λⱼ with its values when everything after the d-th variate is noise.

    Parameters
    ----------
    values : ndarray
        Eigenvalues found, descending, all of them.
    W : float
        Number of rows.
    most : int
        d runs from 0 to most − 1.
    draw : function of (d, generator)
        Eigenvalues of one such draw.
    method : str
        Its name.
    alpha : float
        Level.
    n_draws : int
        The p-value is (1 + draws at least as large)/(1 + n_draws).
    seed : int, Generator, RandomState or None
    largest : bool
        Compare W·λ_{d+1} instead: where noise alone has large eigenvalues, their sum would hide a single direction.
    stop : bool
        Skip tests after the first d that is not rejected (NaN), if draws are expensive.
    wilks : bool
        Whether values are squared correlations, and the statistic is −Σ_{j>d} log(1 − ρⱼ²), that of Wilks.
    again : str
        What else a draw repeats, in words that follow "on permuted rows".
    """
    check_draws(alpha, n_draws)
    seed = seed_of(seed)
    rounded = float(np.finfo(float).eps ** 0.5)  # of 1 − ρ²: the logarithm of less would be that of rounding

    def statistic(values: np.ndarray, d: int) -> float:
        if wilks:
            return float(-np.log1p(-np.minimum(values[d:], 1 - rounded)).sum())
        return W * float(values[d] if largest else values[d:].sum())

    def step(d: int) -> Step:
        found, null = against_draws(
            statistic(values, d),
            lambda rng: statistic(draw(d, rng), d),
            np.random.default_rng([seed, d]),
            alpha,
            n_draws,
            tied=rounded if wilks else TIED,
        )
        return found._replace(detectable=drawn_found(null, found.bar, W, largest, wilks))

    measure = "squared correlation" if wilks else "eigenvalue"
    test = in_order(step, most, padded(values, most), alpha, method, stop=stop, measure=measure)
    if wilks:
        test = replace(test, statistics={"wilks": np.exp(-test.statistics["statistic"]), **test.statistics})
    known: dict[str, Any] = {"draws": n_draws, "rows": W, "statistic": f"n·{'' if largest else 'Σ'}λ"}
    if method.startswith("permutation"):
        return test.told(f"{ONE_BY_ONE}on permuted rows{again} ({drawn(n_draws)}).", **known)
    noise = drawn(n_draws, "draws")
    return test.told(f"{ONE_BY_ONE}against normal noise drawn through its moments ({noise}).", NORMAL, **known)


def chi2_tails(
    statistics: np.ndarray,
    df: np.ndarray,
    values: np.ndarray,
    alpha: float,
    method: str = "chi2",
    W: float | None = None,
) -> DimensionTest:
    """Hold the statistic of each d against χ².

    Parameters
    ----------
    statistics, df : ndarray of shape (most,)
        Of "at most d directions", with their degrees of freedom.
    values : ndarray
        Eigenvalues, descending.
    alpha : float
    method : str
    W : float, optional
        Number of rows, where the statistic of a direction is W times its eigenvalue: tells which would be found.
    """
    check_level(alpha)
    found = {"eigenvalue": padded(values, len(df)), "chi2": statistics, "df": df}
    detectable = None if W is None else np.array([eigenvalue_found(alpha, W, v) for v in df])
    test = DimensionTest.sequential(stats.chi2.sf(statistics, df), found, alpha, method, detectable, "eigenvalue")
    return test.told(f"{ONE_BY_ONE}against χ², at {alpha:.0%}.", NORMAL, rows=W)


def tails(values: np.ndarray, most: int) -> np.ndarray:
    """Return what eigenvalues from the d-th on add up to, d = 0, …, most − 1."""
    return np.array([values[d:].sum() for d in range(most)])


def padded(values: np.ndarray, length: int) -> np.ndarray:
    """Return so many values, zeros where there are fewer."""
    return np.concatenate([values, np.zeros(max(length - len(values), 0))])[:length]


def check_draws(alpha: float, n_draws: int) -> None:
    """Refuse a number of draws that cannot reach the level."""
    check_level(alpha)
    check_number("n_draws", n_draws, 1, integer=True)
    if alpha * (1 + n_draws) < 1 - 1e-9:
        raise errors.InputError(
            f"n_draws={n_draws} gives p-values of {1 / (1 + n_draws):.2g} at best, which cannot be below "
            f"alpha={alpha:g}; use n_draws of at least {int(-(-1 // alpha)) - 1}."
        )


# -- what a test would have found, four times in five --------------------------------------------------------------


def correlation_found(alpha: float, n: float, df1: float, df2: float) -> float:
    """Return the smallest squared correlation that an F test finds: noncentrality n·ρ²/(1 − ρ²).

    Examples
    --------
    >>> from eigenlens.inference.sequential import correlation_found
    >>> round(correlation_found(0.05, 100, 4, 95), 2), round(correlation_found(0.05, 12, 4, 7), 2)
    (0.11, 0.66)
    """
    if df2 <= 0:
        return 1.0
    bar = float(stats.f.isf(alpha, df1, df2))
    return _least(lambda r2: float(stats.ncf.sf(bar, df1, df2, n * r2 / (1 - r2))))


def eigenvalue_found(alpha: float, n: float, df: float) -> float:
    """Return the smallest eigenvalue, between 0 and 1, that a χ² test of n·λ finds: noncentrality n·λ."""
    bar = float(stats.chi2.isf(alpha, df))
    return _least(lambda value: float(stats.ncx2.sf(bar, df, n * value)))


def drawn_found(null: np.ndarray, bar: float, scale: float, largest: bool, wilks: bool = False) -> float:
    """Return the smallest eigenvalue that a test by draws finds, as if it were added to what noise gives.

    Parameters
    ----------
    null : ndarray
        Draws of the statistic.
    bar : float
        What it has to exceed.
    scale : float
        The statistic of an eigenvalue of 1.
    largest : bool
        Whether the statistic is the largest eigenvalue rather than the sum of all.
    wilks : bool
        Whether the statistic is −Σ log(1 − ρ²) of squared correlations.
    """
    beside = 0.0 if largest else float(null.mean())
    found = bar - beside + float(stats.norm.ppf(POWER)) * float(null.std())
    return float(np.clip(-np.expm1(-found) if wilks else found / scale, 0.0, 1.0))


def _least(chance: Callable[[float], float]) -> float:
    low, high = chance(LEAST_EFFECT), chance(1 - LEAST_EFFECT)
    if not high >= POWER:
        return 1.0
    if not low < POWER:  # so many rows that any is found, or a distribution that has no digits there
        return LEAST_EFFECT if low >= POWER else float("nan")
    return float(brentq(lambda value: chance(value) - POWER, LEAST_EFFECT, 1 - LEAST_EFFECT, xtol=1e-6))
