"""How many principal components there are: rules that choose, and tests that tell."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ...arrays import errors, namespaces
from ...inference.dimension_test import DimensionTest
from ...inference.neighbouring_rows import neighbours
from ...inference.noise import broken_stick, gap_test, hard_threshold, minka, noise_edge, tracy_widom_test
from ...inference.parallel import against_normal, against_permutations
from ...inference.shared_directions import components_test, components_test_of_moments
from ...moments import Centred
from ...solve import Pencil, Spectrum, solve

RULES = ("mle", "parallel", "mp", "auto")
#: What a rule counts, for the summary of a fit.
MEANINGS = {
    "auto": "directions that columns share, each with noise of its own",
    "parallel": "more than unrelated columns of the same variances give",
    "mp": "above the edge of noise of equal variance in all columns",
    "mle": "the largest evidence, if noise has equal variance in all columns",
    "cv": "what predicts new rows, if noise has equal variance in all columns",
}
OF_ROWS = ("shared", "permutation")  # tests that read rows where they are given
TESTS = (
    *("shared", "gap", "parallel", "permutation", "tracy-widom"),
    *("gavish-donoho", "broken-stick", "mle"),
)
LINED_UP, MOST_COMPARED = 0.25, 2000  # correlation of neighbouring columns that is worth a word; rows it is asked of
CELLS = 5e6  # of rows whose noise is drawn: 199 draws take about half a minute
LEVEL, DRAWS, SEED = 0.05, 199, 0  # of a test, and for n_components="auto"
MOST_CELLS = 2e8  # of rows that are read into memory for their noise; larger tables are tested from moments


def count_components(rule: Any, spectrum: Spectrum, pencil: Pencil, moments: Centred) -> int:
    """Choose the number of components from all eigenvalues, by one of the rules or by a share of the variance."""
    p, n = moments.n_features, moments.weight - 1
    values = _padded(spectrum, p)
    if pencil.A.trace() == 0:
        return 1
    if rule == "mle":
        return _most_evident(values / n, spectrum, moments)
    if rule == "auto":
        if n < 3 or np.count_nonzero(_scales(pencil, n)) < 2:
            return 1
        return at_least_one(rule, _shared(moments, pencil, None, LEVEL, DRAWS, SEED).dimension)
    if rule == "parallel":
        return at_least_one(rule, against_normal(values / n, n, _scales(pencil, n), LEVEL, DRAWS, SEED).dimension)
    if rule == "mp":
        noisy = _with_noise(spectrum, moments) / n
        if len(noisy) < 2 or n < 3:
            return 1
        return at_least_one(rule, int(np.count_nonzero(noisy > noise_edge(noisy, n))))
    shares = np.cumsum(values) / values.sum()
    return min(spectrum.rank, 1 + int(np.count_nonzero(shares < rule * (1 - 4 * namespaces.EPS))))


def at_least_one(rule: str, found: int) -> int:
    """Return the number of components that a rule keeps, saying so where it found none."""
    if found == 0:
        errors.warn(
            errors.RankWarning(
                f"n_components={rule!r} finds no direction that stands out from noise. One component is kept, because "
                "a fit needs one; do not interpret it."
            )
        )
    return max(1, found)


def dimension_test(
    problem: Any,
    rows: np.ndarray | None,
    *,
    alpha: float,
    method: str,
    n_draws: int,
    seed: Any,
    groups: Any = None,
    block: int | None = None,
    budget: float | None = None,
) -> DimensionTest:
    """Run one of the tests on the problem of all directions; some move rows, whole groups or blocks of them."""
    moments, pencil, unit = problem.moments, problem.pencil, problem.unit
    n = moments.weight - 1
    if method == "shared":
        rows = None if rows is None else problem.in_unit(rows)
        return _shared(moments, pencil, rows, alpha, n_draws, seed, groups, block, budget).in_unit(unit)
    spectrum = solve(pencil, "dense")
    values = _padded(spectrum, moments.n_features) / n
    if moments.n_features < 2:
        raise errors.too_few("columns", method, moments.n_features, 2)
    if n < 3:
        raise errors.too_few("rows", method, f"{n + 1:g}", 4)
    if method == "parallel":
        test = against_normal(values, n, _scales(pencil, n), alpha, n_draws, seed)
    elif method == "permutation":
        assert rows is not None
        rows = problem.in_unit(rows)
        test = against_permutations(values, rows - rows.mean(axis=0), alpha, n_draws, seed)
    elif method == "gap":
        test = gap_test(values, n, alpha)
    elif method == "tracy-widom":
        test = tracy_widom_test(_with_noise(spectrum, moments) / n, n, alpha)
    elif method == "gavish-donoho":
        test = hard_threshold(_with_noise(spectrum, moments) / n, n)
    elif method == "broken-stick":
        test = broken_stick(values)
    else:
        test = DimensionTest.chosen(_most_evident(values, spectrum, moments), {"eigenvalue": values}, "mle")
    return test.in_unit(unit)


def _shared(
    moments: Centred,
    pencil: Pencil,
    rows: np.ndarray | None,
    alpha: float,
    n_draws: int,
    seed: Any,
    groups: Any = None,
    block: int | None = None,
    budget: float | None = None,
) -> DimensionTest:
    """Test how many directions columns share: against the rows' own noise with random signs, or normal noise."""
    n, A = moments.weight, pencil.A
    given: dict[str, Any] = {"n_draws": n_draws, "random_state": seed, "budget": budget}
    if rows is not None and groups is None and block is None:
        return shared_by_rows(rows, alpha, n_draws, seed, budget)
    if rows is not None:
        noise: Literal["flips", "permutation"] = "flips" if block is None else "permutation"
        return components_test(rows, alpha, noise, groups=groups, block=block, **given)
    if A.factor is not None and A.factor.shape[0] < A.factor.shape[1]:
        F = namespaces.to_numpy(A.factor)
        return components_test_of_moments(None, n, alpha, factor=F, **given)
    covariance = namespaces.to_numpy(A.dense()) / (n - 1)
    return components_test_of_moments(covariance, n, alpha, **given)


def shared_by_rows(
    rows: np.ndarray, alpha: float, n_draws: int, seed: Any, budget: float | None = None
) -> DimensionTest:
    """Test how many directions columns share against the noise of rows, or of some of them, with random signs."""
    most = max(int(CELLS / rows.shape[1]), 2 * rows.shape[1])
    if len(rows) <= most:
        test = components_test(rows, alpha, "flips", n_draws=n_draws, random_state=seed, budget=budget)
        return test.with_note(_of_neighbours(rows))
    some = np.sort(np.random.default_rng(0).choice(len(rows), most, replace=False))
    test = components_test(rows[some], alpha, "flips", n_draws=n_draws, random_state=seed, budget=budget)
    return test.with_note(f"{most:,} of {len(rows):,} rows were tested.")


def _of_neighbours(rows: np.ndarray) -> str:
    """Say whether neighbouring rows are alike, which makes n rows worth fewer, and whether neighbouring columns are."""
    said, found = [], neighbours(rows)
    if found.alike:
        said.append(
            f"Neighbouring rows are alike (correlation {found.correlation:.2f}). If they follow each other in time, "
            f"they are worth about {found.effective_n:.0f} independent ones: in Python, "
            f"test_dimension(X, block={found.block}) allows for that."
        )
    spread = rows.std(axis=0)
    Z = (rows - rows.mean(axis=0))[:MOST_COMPARED, spread > 0] / spread[spread > 0]
    across = neighbours(Z.T)
    if across.alike and across.correlation > LINED_UP:
        said.append(
            f"Neighbouring columns are alike (correlation {across.correlation:.2f}), as along a spectrum, an image or "
            "a series, which may be all that they share. In Python, test_dimension(method='gap') counts the "
            "directions that stand out."
        )
    return " ".join(said)


def _most_evident(values: np.ndarray, spectrum: Spectrum, moments: Centred) -> int:
    """Return Minka's choice, which weighs even the smallest eigenvalue."""
    if spectrum.rank < moments.n_features:
        raise errors.mle_needs_full_rank(spectrum.rank, moments.n_features)
    return minka(values, moments.weight)


def _padded(spectrum: Spectrum, p: int) -> np.ndarray:
    """Return all p eigenvalues, those that are rounding as zero."""
    values = np.zeros(p)
    values[: spectrum.rank] = namespaces.to_numpy(spectrum.values)[: spectrum.rank]
    return values


def _with_noise(spectrum: Spectrum, moments: Centred) -> np.ndarray:
    """Return the eigenvalues among which noise can be: directions without any variance are not noise."""
    p = moments.n_features
    full = spectrum.rank >= min(p, row_count(moments) - 1)
    return _padded(spectrum, p)[: p if full else spectrum.rank]


def _scales(pencil: Pencil, n: float) -> np.ndarray:
    """Return the standard deviations of the columns."""
    return np.sqrt(namespaces.to_numpy(pencil.A.diagonal()) / n)


def row_count(moments: Any) -> int:
    """Rows, a row of weight m counted m times."""
    return max(moments.n_rows, int(moments.weight))


def cost_of_permuted(n: int, p: int, groups: int) -> float:
    """Return the multiplications of one draw: permuting (1e5 a column, however short), a product, and its eigenvalues.

    Eigenvalues take 3 p³ (1.6 to 2.7 as measured).
    """
    side = min(n, p)
    return 1e5 * groups + n * p * side + 3 * side**3


def squared_spreads(X: np.ndarray) -> np.ndarray:
    """Return the squared singular values; from products, which are several times cheaper and exact enough for noise."""
    G = X.T @ X if X.shape[1] <= len(X) else X @ X.T
    return np.maximum(np.linalg.eigvalsh(G)[::-1], 0.0)
