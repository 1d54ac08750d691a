"""How many directions a table has: "at most d", for d = 0, 1, …, right whatever the size of the first d.

Under "at most d" the columns share d directions, and each has noise of its own, of any variance and any law. The fit
of that hypothesis (`factor_fit`) brings all columns to noise of variance 1. The statistic is the next eigenvalue there,
over the mean of those that are left. Its null law comes from tables made of the d directions found and of noise in
which columns have nothing in common: the residual columns, each permuted by itself or with its signs flipped, or normal
noise, which needs no rows. Every drawn column has exactly the variance that was found, as in parallel analysis; where
columns are few the noise variances are fitted again in each draw. Normal noise of many columns is not drawn: its law is
that of Tracy and Widom.

References
----------
Horn (1965), A rationale and test for the number of factors. Dobriban, Owen (2019), Deterministic parallel analysis.
Hong, Sheng, Dobriban (2020), Selecting the number of components in PCA via random signflips. Lawley, Maxwell (1971),
Factor Analysis as a Statistical Method.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy.stats import norm

from ..arrays import errors, linalg
from ..arrays.parameters import check_choice, seed_of
from ..arrays.typing import ColumnLike, RandomState
from ..solve import count_rank
from .dimension_test import DimensionTest
from .factor_fit import FactorFit, Standardised, changed, fit_factors, most_directions
from .next_eigenvalue import statistic_of, statistic_of_products
from .parallel import TIED, check_draws
from .power import POWER
from .tracy_widom import edge_of_noise, ratio_quantile, ratio_survival
from .units import Moves

NAMES = {
    "flips": "shared directions",
    "permutation": "shared directions, permutation",
    "normal": "shared directions, normal noise",
}
REFITTED = 16  # columns up to which noise variances are fitted again in each draw
THEORY = 100  # rows and columns from which normal noise follows its law as closely as draws can tell
ROUNDS, MOST_LEVERAGE = 20, 0.99  # of the equations for the sizes of rows
FIRST, BEYOND = 19, 10.0  # draws after which a statistic so many standard deviations above them needs no more

#: From a fit to a function that draws noise (m, p) whose columns have sums of squares 1, in units of their own noise.
Noise = Callable[[FactorFit], Callable[[np.random.Generator], np.ndarray]]


def components_test(
    X: np.ndarray,
    alpha: float = 0.05,
    noise: Literal["flips", "permutation", "normal"] = "flips",
    *,
    groups: ColumnLike | None = None,
    block: int | None = None,
    n_draws: int = 99,
    random_state: RandomState | None = 0,
    budget: float | None = None,
) -> DimensionTest:
    """Test how many directions the columns of a table share, from its rows.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    alpha : float
        Level of each test. Testing stops at the first d that is not rejected, so the level bounds the chance of finding
        too many.
    noise : {"flips", "permutation", "normal"}
        Residuals with random signs, which allows rows of unequal spread; residual columns permuted one by one, which
        assumes that all rows are equally likely to hold large values; or normal noise.
    groups : array of shape (n,), optional
        Rows that belong together move together.
    block : int, optional
        Number of consecutive rows that are alike: each column is shifted by at least this many rows.
    n_draws : int
    random_state : int, Generator, RandomState or None
    budget : float, optional
        Multiplications, counted and not timed, after which no further d is tested: at least this many directions
        are then shown, and `stopped` is True.

    Returns
    -------
    DimensionTest
        p-values after the first d that is not rejected are NaN. So are those for d that no table of p columns can
        refute, because the model then has as many parameters as there are correlations.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens.inference import components_test
    >>> components_test(load_iris().data).dimension
    2
    """
    check_draws(alpha, n_draws)
    check_choice("noise", noise, tuple(NAMES))
    moves = Moves.of(len(X), groups, block)
    Z, values = _standardised(np.asarray(X, dtype=np.float64))
    freedom = len(Z) - 1
    C = Z.T @ Z / freedom if Z.shape[1] <= freedom else None
    table = Standardised(Z, C, freedom)
    if noise == "normal":
        return _against_normal(table, values, alpha, n_draws, random_state, budget)
    stay = noise == "flips" and block is None
    moved = _moved(Z, moves.flipped if stay else moves.permuted, stay)
    return _tests(table, values, moved, alpha, n_draws, random_state, NAMES[noise] + moves.words, budget)


def components_test_of_moments(
    covariance: np.ndarray,
    n: float,
    alpha: float = 0.05,
    *,
    n_draws: int = 99,
    random_state: RandomState | None = 0,
    budget: float | None = None,
) -> DimensionTest:
    """Test how many directions columns share, from their covariance matrix: against normal noise.

    Parameters
    ----------
    covariance : ndarray of shape (p, p)
    n : float
        Rows.
    alpha, n_draws, random_state, budget
        As in `components_test`.

    Returns
    -------
    DimensionTest
        With `dimension`, `p_values`, `statistics`, `to_frame()` and `plot()`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens.inference.shared_directions import components_test_of_moments
    >>> X = load_iris().data
    >>> components_test_of_moments(np.cov(X.T), n=len(X)).dimension
    2
    """
    check_draws(alpha, n_draws)
    spread = np.sqrt(np.diag(covariance))
    varying = spread > 0
    _refuse_few(n, int(varying.sum()))
    C = (covariance / np.where(varying, spread, 1.0) / np.where(varying, spread, 1.0)[:, None])[
        np.ix_(varying, varying)
    ]
    values = np.maximum(np.linalg.eigvalsh(covariance)[::-1], 0.0)[: int(min(n - 1, len(C)))]
    return _against_normal(Standardised(None, C, n - 1), values, alpha, n_draws, random_state, budget)


def components_test_of_factor(
    factor: np.ndarray,
    n: float,
    alpha: float = 0.05,
    *,
    n_draws: int = 99,
    random_state: RandomState | None = 0,
    budget: float | None = None,
) -> DimensionTest:
    """Test how many directions columns share, from a root of their sums of squares: more columns than rows.

    Parameters
    ----------
    factor : ndarray of shape (m, p)
        F with FᵀF = Σ (x − mean)(x − mean)ᵀ.
    n : float
        Rows.
    alpha, n_draws, random_state, budget
        As in `components_test`.

    Returns
    -------
    DimensionTest
        With `dimension`, `p_values`, `statistics`, `to_frame()` and `plot()`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens.inference.shared_directions import components_test_of_factor
    >>> X = load_iris().data
    >>> components_test_of_factor(X - X.mean(axis=0), n=len(X)).dimension
    2
    """
    check_draws(alpha, n_draws)
    spread = np.sqrt(np.sum(factor**2, axis=0) / (n - 1))
    varying = spread > 0
    _refuse_few(n, int(varying.sum()))
    values = np.linalg.svd(factor, compute_uv=False)[: int(min(n - 1, varying.sum()))] ** 2 / (n - 1)
    table = Standardised(factor[:, varying] / spread[varying], None, n - 1)
    return _against_normal(table, values, alpha, n_draws, random_state, budget)


def _standardised(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns that vary, centred and of unit variance, and the eigenvalues of the covariance matrix."""
    rows = X - X.mean(axis=0)
    spread = np.sqrt(np.sum(rows**2, axis=0) / max(len(rows) - 1, 1))
    varying = spread > 1e-14 * np.abs(X).max(axis=0, initial=0.0)
    _refuse_few(len(X), int(varying.sum()))
    s = np.linalg.svd(rows, compute_uv=False)
    return rows[:, varying] / spread[varying], s[: min(len(X) - 1, int(varying.sum()))] ** 2 / (len(X) - 1)


def _refuse_few(n: float, p: int) -> None:
    if p < 2:
        raise errors.columns_needed("shared", p, 2)
    if n < 4:
        raise errors.rows_needed("shared", f"{n:g}", 4)


# -- noise ---------------------------------------------------------------------------------------------------------


def _moved(Z: np.ndarray, move: Callable[[np.ndarray, np.random.Generator], np.ndarray], stay: bool) -> Noise:
    """Return noise made of what d directions leave of the rows, moved; rows that stay in place keep their size."""

    def noise(fit: FactorFit) -> Callable[[np.random.Generator], np.ndarray]:
        Y = Z / np.sqrt(fit.noise)
        G = np.column_stack([np.full(len(Z), len(Z) ** -0.5), np.linalg.qr(Y @ fit.vectors)[0]])
        R = Y - G @ (G.T @ Y)
        if stay:
            R = R * _restored(R, G)[:, None]

        def draw(rng: np.random.Generator) -> np.ndarray:
            E = move(R, rng)
            return _unit(E - G @ (G.T @ E))

        return draw

    return noise


def _restored(R: np.ndarray, G: np.ndarray) -> np.ndarray:
    """Return what residual rows are multiplied by to be as large as the noise that they are left of.

    Taking out the mean and the scores G makes a row of noise variance v smaller, a large one most: its residual has
    variance r = (A∘A)v, A = I − GGᵀ. A draw is projected again, so without this the largest rows would shrink twice,
    and where rows are of unequal spread the null would be too narrow.
    """
    h = np.minimum(np.sum(G**2, axis=1), MOST_LEVERAGE)
    r = np.mean(R**2, axis=1)
    v = r / (1 - h)
    for _ in range(ROUNDS):
        others = np.sum((G @ ((G.T * v) @ G)) * G, axis=1) - h**2 * v
        v = np.maximum((r - others) / (1 - h) ** 2, r)
    return np.asarray(np.sqrt(v / np.where(r > 0, r, 1.0)))


def _normal(freedom: float) -> Noise:
    """Return normal noise, drawn through Bartlett's triangle where there are rows enough."""

    def noise(fit: FactorFit) -> Callable[[np.random.Generator], np.ndarray]:
        p, left = len(fit.noise), freedom - fit.vectors.shape[1]

        def draw(rng: np.random.Generator) -> np.ndarray:
            if left <= p:
                return _unit(rng.standard_normal((max(int(left), 1), p)))
            R = np.triu(rng.standard_normal((p, p)), 1)
            np.fill_diagonal(R, np.sqrt(rng.chisquare(left - np.arange(p))))
            return _unit(R)

        return draw

    return noise


def _unit(E: np.ndarray) -> np.ndarray:
    size = np.sqrt(np.sum(E**2, axis=0))
    return np.asarray(E / np.where(size > 0, size, 1.0))


# -- tests ---------------------------------------------------------------------------------------------------------


def _against_normal(
    table: Standardised, values: np.ndarray, alpha: float, n_draws: int, random_state: Any, budget: float | None
) -> DimensionTest:
    noise = _normal(table.freedom) if min(table.freedom, table.p) < THEORY else None
    return _tests(table, values, noise, alpha, n_draws, random_state, NAMES["normal"], budget)


def _tests(
    table: Standardised,
    values: np.ndarray,
    noise: Noise | None,
    alpha: float,
    n_draws: int,
    random_state: Any,
    method: str,
    budget: float | None = None,
) -> DimensionTest:
    """Test one d after the other until one is not rejected, or nothing is left to test; by theory, or by draws."""
    p, q, seed = table.p, len(values), seed_of(random_state)
    p_values, found, bars, least = (np.full(q, np.nan) for _ in range(4))
    rank = count_rank(np.sqrt(values), max(p, q), False)  # rows of weight 2 count twice and add no direction
    last = min(most_directions(p), rank - 1, int(table.freedom) - 2)
    dimension, start, spent, stopped = 0, None, 0.0, False
    of_fit, of_draw = table.work()
    with linalg.limit_blas(p * p):
        for d in range(last):
            stopped = budget is not None and spent > budget
            if stopped:
                break
            fit = fit_factors(table, d, start)
            found[d], start = statistic_of(fit.values, d, p), fit.noise
            if noise is None:
                p_values[d], bars[d] = _by_theory(found[d], table.freedom - d, p - d, alpha)
                spent += of_fit
            else:
                rng = np.random.default_rng([seed, d])
                p_values[d], bars[d], draws = _by_draws(found[d], fit, d, noise(fit), rng, n_draws, alpha)
                spent += of_fit + draws * of_draw
            least[d] = share_found(float(bars[d]), table.freedom - d, p - d)
            if p_values[d] > alpha:
                break
            dimension = d + 1
    statistics = {"eigenvalue": values, "statistic": found, "bar": bars}
    return DimensionTest(dimension, p_values, statistics, alpha, method, least, stopped=stopped)


def _by_draws(
    found: float,
    fit: FactorFit,
    d: int,
    draw: Callable[[np.random.Generator], np.ndarray],
    rng: np.random.Generator,
    n_draws: int,
    alpha: float,
) -> tuple[float, float, int]:
    """Return the p-value, the bar that the statistic has to exceed, and how many draws were made.

    Where it lies far beyond the first draws, the others would not reach it either and are not made.
    """
    null: list[float] = []
    while len(null) < n_draws:
        null.append(_drawn(fit, d, draw(rng)))
        if len(null) == FIRST and found > np.mean(null) + BEYOND * np.std(null):
            break
    exceeded = int(np.sum(np.array(null) >= found * (1 - TIED)))
    return (1 + exceeded) / (1 + n_draws), float(np.quantile(null, 1 - alpha)), len(null)


def _by_theory(found: float, n: float, p: int, alpha: float) -> tuple[float, float]:
    """Return the same for normal noise of n degrees of freedom and p columns."""
    edge = edge_of_noise(n, p)
    bar = (edge.centre + edge.spread * ratio_quantile(alpha, n, p)) / n
    return ratio_survival((found * n - edge.centre) / edge.spread, n, p), bar


def _drawn(fit: FactorFit, d: int, E: np.ndarray) -> float:
    """Return the statistic of the d directions with drawn noise."""
    own = 1 / fit.noise - np.sum(fit.loadings**2, axis=1)  # 1, unless the noise of a column is at its bound
    M = np.concatenate([fit.loadings.T, E * np.sqrt(np.maximum(own, np.finfo(float).tiny))])
    p = M.shape[1]
    if p > len(M):
        return statistic_of_products(M @ M.T, d, p)
    W = M.T @ M
    if d > 0 and p <= REFITTED:
        values, V = np.linalg.eigh(W)
        root = np.sqrt(changed(np.diag(W), values[::-1][:d], V[:, ::-1][:, :d]))
        W = W / root / root[:, None]
    return statistic_of_products(W, d, p)


def share_found(bar: float, n: float, p: int) -> float:
    """Return the smallest share of the variance that a direction must have to be found four times in five.

    A direction of variance ℓ in noise of variance 1 has an eigenvalue near (1 + ℓ)(1 + γ/ℓ), γ = p/n, with a
    standard error of (1 + ℓ)·√(2/n·(1 − γ/ℓ²)) (Baik, Ben Arous, Péché 2005; Paul 2007).

    Parameters
    ----------
    bar : float
        The value that the eigenvalue must exceed, relative to the mean of the noise.
    n : float
        Degrees of freedom.
    p : int
        Columns.
    """
    gamma = p / n
    sizes = np.geomspace(max(gamma**0.5, 1e-3), 1e4 * max(1.0, gamma), 4000)
    centre = (1 + sizes) * (1 + gamma / sizes)
    error = (1 + sizes) * np.sqrt(2 / n * np.maximum(1 - gamma / sizes**2, 0.0))
    mean = (p - 1 + centre) / p  # the direction itself lifts the mean that it is compared with
    enough = centre - float(norm.ppf(POWER)) * error > bar * mean
    return float(sizes[np.argmax(enough)] / (sizes[np.argmax(enough)] + p)) if enough.any() else 1.0
