"""How many principal components stand above noise: rules that choose, and tests that tell."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import errors
from .._core import xp as _xp
from ..inference import (
    DimensionTest,
    against_normal,
    against_permutations,
    broken_stick,
    hard_threshold,
    minka,
    noise_edge,
    tracy_widom_test,
)
from ..moments import Centred
from ..spectral import Pencil, Spectrum, solve

RULES = ("mle", "parallel", "mp", "auto")
TESTS = ("parallel", "permutation", "tracy-widom", "gavish-donoho", "broken-stick", "mle")
DRAWS = 199  # of the null of parallel analysis, in a test and for n_components="auto"


def count_components(rule: Any, spectrum: Spectrum, pencil: Pencil, moments: Centred) -> int:
    """Choose the number of components from all eigenvalues, by one of the rules or by a share of the variance."""
    p, n = moments.n_features, moments.weight - 1
    values = _padded(spectrum, p)
    if pencil.A.trace() == 0:
        return 1
    if rule == "mle":
        return _most_evident(values / n, spectrum, moments)
    if rule in ("parallel", "auto"):
        return max(1, against_normal(values / n, n, _scales(pencil, n), 0.05, DRAWS, 0).dimension)
    if rule == "mp":
        noisy = _with_noise(spectrum, moments) / n
        return max(1, int(np.count_nonzero(noisy > noise_edge(noisy, n)))) if len(noisy) > 1 and n >= 3 else 1
    shares = np.cumsum(values) / values.sum()
    return min(spectrum.rank, 1 + int(np.count_nonzero(shares < rule * (1 - 4 * _xp.EPS))))


def dimension_test(
    problem: Any, rows: np.ndarray | None, *, alpha: float, method: str, n_draws: int, seed: Any
) -> DimensionTest:
    """Run one of the tests on the problem of all directions; permutations move the rows."""
    moments, pencil, unit = problem.moments, problem.pencil, problem.unit
    n = moments.weight - 1
    spectrum = solve(pencil, "dense")
    values = _padded(spectrum, moments.n_features) / n
    if moments.n_features < 2:
        raise errors.columns_needed(method, moments.n_features, 2)
    if n < 3:
        raise errors.rows_needed(method, f"{n + 1:g}", 4)
    if method == "parallel":
        test = against_normal(values, n, _scales(pencil, n), alpha, n_draws, seed)
    elif method == "permutation":
        assert rows is not None
        rows = rows / unit
        test = against_permutations(values, rows - rows.mean(axis=0), alpha, n_draws, seed)
    elif method == "tracy-widom":
        test = tracy_widom_test(_with_noise(spectrum, moments) / n, n, alpha)
    elif method == "gavish-donoho":
        test = hard_threshold(_with_noise(spectrum, moments) / n, n)
    elif method == "broken-stick":
        test = broken_stick(values)
    else:
        test = DimensionTest.chosen(_most_evident(values, spectrum, moments), {"eigenvalue": values}, "mle")
    return test.in_unit(unit)


def _most_evident(values: np.ndarray, spectrum: Spectrum, moments: Centred) -> int:
    """Return Minka's choice, which weighs even the smallest eigenvalue."""
    if spectrum.rank < moments.n_features:
        raise errors.mle_needs_full_rank(spectrum.rank, moments.n_features)
    return minka(values, moments.weight)


def _padded(spectrum: Spectrum, p: int) -> np.ndarray:
    """Return all p eigenvalues, those that are rounding as zero."""
    values = np.zeros(p)
    values[: spectrum.rank] = _xp.to_numpy(spectrum.values)[: spectrum.rank]
    return values


def _with_noise(spectrum: Spectrum, moments: Centred) -> np.ndarray:
    """Return the eigenvalues among which noise can be: directions without any variance are not noise."""
    p = moments.n_features
    full = spectrum.rank >= min(p, row_count(moments) - 1)
    return _padded(spectrum, p)[: p if full else spectrum.rank]


def _scales(pencil: Pencil, n: float) -> np.ndarray:
    """Return the standard deviations of the columns."""
    return np.sqrt(_xp.to_numpy(pencil.A.diagonal()) / n)


def row_count(moments: Centred) -> int:
    """Rows, a row of weight m counted m times."""
    return max(moments.n_rows, int(moments.weight))
