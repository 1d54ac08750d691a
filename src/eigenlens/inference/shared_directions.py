r"""How many directions a table has: "at most d", for d = 0, 1, …, right whatever the size of the first d.

Under "at most d" the columns share d directions, and each has noise of its own, of any variance and any distribution.
The fit of that hypothesis brings all columns to noise of variance 1. The statistic is the next eigenvalue there, over
the mean of those that are left. Its null distribution comes from tables made of the d directions found and of noise in
which columns have nothing in common: the residual columns, each permuted by itself or with its signs flipped, or normal
noise, which needs no rows. Every drawn column has exactly the variance that was found, as in parallel analysis; where
columns are few the noise variances are fitted again in each draw. Normal noise of many columns is not drawn: its law is
that of Tracy and Widom.

The fit is that of maximum likelihood. With Ψ the noise variances, the d leading eigenvectors V and eigenvalues θ of
W = Ψ^(−1/2) C Ψ^(−1/2) give L, and Ψ is such that what they leave has, in each column, the noise of that column:

.. math:: \mathrm{diag}\,(P W P) = \mathrm{diag}\,(P), \qquad P = I - VV^T .

Newton's step for it is (P∘P) δ = diag(PWP) − diag(P), a relative change of Ψ.

References
----------
Horn (1965), A rationale and test for the number of factors. Dobriban, Owen (2019), Deterministic parallel analysis.
Hong, Sheng, Dobriban (2020), Selecting the number of components in PCA via random signflips. Lawley, Maxwell (1971),
Factor Analysis as a Statistical Method.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.stats import norm

from ..arrays import errors, linalg
from ..arrays.parameters import check_choice, seed_of
from ..arrays.typing import ColumnLike, RandomState
from ..solve import count_rank
from .dimension_test import NORMAL, ONE_BY_ONE, POWER, DimensionTest, drawn
from .distributions import edge_of_noise, ratio_quantile, ratio_survival
from .parallel import SAME
from .sequential import Step, against_draws, check_draws, in_order
from .units import Units

NAMES = {
    "flips": "shared directions",
    "permutation": "shared directions, permutation",
    "normal": "shared directions, normal noise",
}
OWN_NOISE = {
    "flips": "their own noise with random signs",
    "permutation": "their own noise moved column by column",
    "normal": "normal noise",
}
LEAST_OWN_VARIANCE = 1e-3  # share of its variance that is a column's own, at least: no column is free of noise
DENSE = 64  # columns above which P∘P is close enough to its diagonal

# -- the fit of d directions -----------------------------------------------------------------------------------------


def most_directions(p: int) -> int:
    """Return how many directions p columns can show, each column having noise of its own (Ledermann 1937).

    "At most d" can be refuted while p(p − 1)/2 correlations are more than the d·p − d(d − 1)/2 numbers in L, so that
    one more than the last such d can be shown.
    """
    d = np.arange(p)
    return int(np.count_nonzero((p - d) ** 2 > p + d))


@dataclass(frozen=True)
class Standardised:
    """A table of unit variances, by its rows or by its correlations.

    Attributes
    ----------
    rows : ndarray of shape (n, p), optional
        Centred.
    correlations : ndarray of shape (p, p), optional
        Left out where there are more columns than rows.
    freedom : float
        Rows minus one for the mean.
    """

    rows: np.ndarray | None
    correlations: np.ndarray | None
    freedom: float

    @property
    def p(self) -> int:
        """Number of columns."""
        part = self.rows if self.correlations is None else self.correlations
        assert part is not None
        return int(part.shape[1])

    def work(self) -> tuple[float, float]:
        """Return about how many multiplications a fit takes, and a table drawn with it, as measured."""
        n, p = self.p if self.rows is None else len(self.rows), self.p
        m = min(n, p)
        return 25 * m * m * (m + (p if p > n else 0)), n * p * (m + 50)

    def spectrum(self, noise: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray]:
        """Return all eigenvalues of W, descending, zeros left out, and the d leading vectors (p, d).

        Of many columns the leading d + 1 are computed, and the others are given their mean.
        """
        if self.correlations is not None:
            return _leading(self.correlations / np.sqrt(noise * noise[:, None]), d, self.p)
        assert self.rows is not None
        Y = self.rows / np.sqrt(noise * self.freedom)
        values, U = _leading(Y @ Y.T, d, int(min(self.freedom, len(Y))))
        return values, (Y.T @ U) / np.sqrt(np.maximum(values[:d], np.finfo(float).tiny))


def _leading(S: np.ndarray, d: int, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues, as many as the rank, and d leading vectors; those after the d + 1st by their mean."""
    m = len(S)
    if m <= DENSE:
        values, V = np.linalg.eigh(S)
        return np.maximum(values[::-1], 0.0)[:rank], V[:, ::-1][:, :d]
    top, V = linalg.leading_eigh(S, d + 1)
    top = np.maximum(top, 0.0)
    left = max(rank - d - 1, 1)
    rest = np.full(left, max(float(np.trace(S)) - float(top.sum()), 0.0) / left)
    return np.concatenate([top, rest])[:rank], V[:, :d]


@dataclass(frozen=True)
class FactorFit:
    """d shared directions: noise variances (p,), all eigenvalues of W, the d leading vectors (p, d) of W."""

    noise: np.ndarray
    values: np.ndarray
    vectors: np.ndarray

    @property
    def loadings(self) -> np.ndarray:
        """Shared part of the columns, in units of their noise, (p, d)."""
        return self.vectors * np.sqrt(np.maximum(self.values[: self.vectors.shape[1]] - 1, 0.0))


def fit_factors(table: Standardised, d: int, start: np.ndarray | None = None) -> FactorFit:
    """Fit d shared directions to a table of unit variances.

    Parameters
    ----------
    table : Standardised
    d : int
    start : ndarray of shape (p,), optional
        Noise variances of d − 1 directions, where those of more columns than `DENSE` begin: a fit of few columns may
        have found a bound that it does not leave again.
    """
    noise = np.ones(table.p)
    if d > 1 and start is not None and table.p > DENSE:
        noise = start
    elif d > 0:
        values, V = table.spectrum(noise, d)
        noise = np.clip(1 - 0.98 * np.sum(V**2 * values[:d], axis=1), 0.02, 1.0)
    values, V = table.spectrum(noise, d)
    # many columns begin where the fit of one direction less has ended
    steps, settled = (6, 1e-3) if table.p > DENSE else (40, 1e-5)
    for _ in range(steps if d > 0 else 0):
        new = np.clip(noise * changed(1 / noise, values[:d], V), LEAST_OWN_VARIANCE, 1.0)
        moved, noise = float(np.abs(np.log(new / noise)).max()), new
        values, V = table.spectrum(noise, d)
        if moved < settled:
            break
    return FactorFit(noise, values, V)


def changed(diagonal: np.ndarray, values: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Return what Newton's step multiplies the noise variances by, for one W or a stack of them.

    Parameters
    ----------
    diagonal : ndarray of shape (..., p)
        Of W.
    values : ndarray of shape (..., d)
    V : ndarray of shape (..., p, d)
    """
    p = V.shape[-2]
    taken = np.sum(V**2, axis=-1)
    gap = diagonal - np.sum(V**2 * values[..., None, :], axis=-1) - (1 - taken)
    if p > DENSE:
        step = gap / np.maximum(1 - taken, LEAST_OWN_VARIANCE) ** 2
    else:
        P = np.eye(p) - V @ np.swapaxes(V, -1, -2)
        # singular where there are as many free numbers as correlations
        step = np.linalg.solve(P * P + 1e-6 * np.eye(p), gap[..., None])[..., 0]
    return np.clip(1 + step, 0.5, 2.0)


def statistic_of(values: np.ndarray, d: int, p: int) -> float:
    """Return the statistic, of all eigenvalues of p columns in descending order."""
    return float(values[d] * (p - d) / max(values[d:].sum(), np.finfo(float).tiny))


# -- the tests ----------------------------------------------------------------------------------------------------


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
    moves = Units.of(len(X), groups, block)
    X = np.asarray(X, dtype=np.float64)
    least = 1e-14 * np.abs(X).max(axis=0, initial=0.0)
    table, values = _standardised(len(X) - 1, X - X.mean(axis=0), least=least)
    if noise == "normal":
        return _tests(table, values, None, alpha, n_draws, random_state, budget=budget)
    assert table.rows is not None
    stay = noise == "flips" and block is None
    moved = _moved(table.rows, moves.flipped if stay else moves.permuted, stay)
    return _tests(table, values, moved, alpha, n_draws, random_state, noise, moves.words, budget)


def components_test_of_moments(
    covariance: np.ndarray | None,
    n: float,
    alpha: float = 0.05,
    *,
    factor: np.ndarray | None = None,
    n_draws: int = 99,
    random_state: RandomState | None = 0,
    budget: float | None = None,
) -> DimensionTest:
    """Test how many directions columns share, from their covariance matrix or a root of it: against normal noise.

    Parameters
    ----------
    covariance : ndarray of shape (p, p), optional
    n : float
        Rows.
    factor : ndarray of shape (m, p), optional
        In place of the covariance, where there are more columns than rows: F with FᵀF = Σ (x − mean)(x − mean)ᵀ.
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
    >>> components_test_of_moments(None, n=len(X), factor=X - X.mean(axis=0)).dimension
    2
    """
    check_draws(alpha, n_draws)
    table, values = _standardised(n - 1, factor, covariance)
    return _tests(table, values, None, alpha, n_draws, random_state, budget=budget)


def _standardised(
    freedom: float, rows: np.ndarray | None, covariance: Any = None, least: Any = 0.0
) -> tuple[Standardised, np.ndarray]:
    """Return the columns that vary, of unit variance, and the eigenvalues of the covariance matrix."""
    variances = np.diag(covariance) if rows is None else np.sum(rows**2, axis=0) / max(freedom, 1)
    kept = np.sqrt(variances) > least
    p, spread = int(kept.sum()), np.sqrt(variances[kept])
    if p < 2:
        raise errors.too_few("columns", "shared", p, 2)
    if freedom < 3:
        raise errors.too_few("rows", "shared", f"{freedom + 1:g}", 4)
    if rows is None:
        values = np.maximum(np.linalg.eigvalsh(covariance)[::-1], 0.0)
        table = Standardised(None, covariance[np.ix_(kept, kept)] / spread / spread[:, None], freedom)
    else:
        values = np.linalg.svd(rows, compute_uv=False) ** 2 / freedom
        Z = rows[:, kept] / spread
        table = Standardised(Z, Z.T @ Z / freedom if p <= freedom else None, freedom)
    return table, values[: int(min(freedom, p))]


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
    h = np.minimum(np.sum(G**2, axis=1), 0.99)
    r = np.mean(R**2, axis=1)
    v = r / (1 - h)
    for _ in range(20):
        others = np.sum((G @ ((G.T * v) @ G)) * G, axis=1) - h**2 * v
        v = np.maximum((r - others) / (1 - h) ** 2, r)
    return np.sqrt(v / np.where(r > 0, r, 1.0))


def _normal(freedom: float) -> Noise:
    """Return normal noise, drawn through Bartlett's triangle where there are rows enough."""

    def noise(fit: FactorFit) -> Callable[[np.random.Generator], np.ndarray]:
        p, d = fit.vectors.shape
        return lambda rng: _unit(linalg.wishart_root(rng, p, freedom - d))

    return noise


def _unit(E: np.ndarray) -> np.ndarray:
    size = np.sqrt(np.sum(E**2, axis=0))
    return E / np.where(size > 0, size, 1.0)


# -- tests ---------------------------------------------------------------------------------------------------------


def _tests(
    table: Standardised,
    values: np.ndarray,
    noise: Noise | None,
    alpha: float,
    n_draws: int,
    random_state: Any,
    kind: str = "normal",
    moved: str = "",
    budget: float | None = None,
) -> DimensionTest:
    """Test one d after the other until one is not rejected, or nothing is left to test; by theory, or by draws."""
    if noise is None and min(table.freedom, table.p) < 100:  # beyond, noise follows its distribution closely enough
        noise = _normal(table.freedom)
    p, q, seed = table.p, len(values), seed_of(random_state)
    rank = count_rank(np.sqrt(values), max(p, q), False)  # rows of weight 2 count twice and add no direction
    of_fit, of_draw = table.work()
    start: np.ndarray | None = None

    def step(d: int) -> Step:
        nonlocal start
        fit = fit_factors(table, d, start)
        observed, start = statistic_of(fit.values, d, p), fit.noise
        if noise is None:
            made, work = _by_theory(observed, table.freedom - d, p - d, alpha), of_fit
        else:
            draw, rng = noise(fit), np.random.default_rng([seed, d])
            made, null = against_draws(
                observed, lambda rng: _drawn(fit, d, draw(rng)), rng, alpha, n_draws, tied=SAME, early=True
            )
            work = of_fit + len(null) * of_draw
        return made._replace(detectable=share_found(made.bar, table.freedom - d, p - d), work=work)

    most = min(most_directions(p), rank - 1, int(table.freedom) - 2)
    with linalg.limit_blas(p * p):
        test = in_order(step, most, values, alpha, NAMES[kind] + moved, budget=budget)
    how = f"at {alpha:.0%}" if noise is None else f"drawn {drawn(n_draws, 'times')}"
    return test.told(
        f"{ONE_BY_ONE}against columns that share only the earlier directions, plus {OWN_NOISE[kind]}, {how}.",
        NORMAL if kind == "normal" else "",
        draws=None if noise is None else n_draws,
        rows=table.freedom + 1,
        statistic="ratio of variances",
    )


def _by_theory(observed: float, n: float, p: int, alpha: float) -> Step:
    """Return the step for normal noise of n degrees of freedom and p columns."""
    edge = edge_of_noise(n, p)
    bar = (edge.centre + edge.spread * ratio_quantile(alpha, n, p)) / n
    return Step(observed, ratio_survival((observed * n - edge.centre) / edge.spread, n, p), bar)


def _drawn(fit: FactorFit, d: int, E: np.ndarray) -> float:
    """Return the statistic of the d directions with drawn noise."""
    own = 1 / fit.noise - np.sum(fit.loadings**2, axis=1)  # 1, unless the noise of a column is at its bound
    M = np.concatenate([fit.loadings.T, E * np.sqrt(np.maximum(own, np.finfo(float).tiny))])
    p = M.shape[1]
    W = M @ M.T if p > len(M) else M.T @ M
    if d > 0 and len(W) == p <= 16:  # few columns: their noise variances are fitted again
        values, V = np.linalg.eigh(W)
        root = np.sqrt(changed(np.diag(W), values[::-1][:d], V[:, ::-1][:, :d]))
        W = W / root / root[:, None]
    return statistic_of(np.linalg.eigvalsh(W)[::-1], d, p)


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
