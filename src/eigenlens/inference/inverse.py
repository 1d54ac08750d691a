"""How many directions inverse regression has found: χ² tests, normal noise drawn through its moments, permutations.

"At most d directions" means that the variates after the d-th know nothing of the response. The statistic is what their
eigenvalues add up to, W·Σ_{j>d} λⱼ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import stats

from ..arrays.parameters import seed_of
from .dimension_test import DimensionTest, check_level
from .parallel import check_draws
from .power import drawn_found, eigenvalue_found
from .units import Moves

ROUNDED = float(np.finfo(float).eps ** 0.5)  # of 1 − ρ²: the logarithm of less would be that of rounding

#: From shares (H,), means (H, r) and covariances (H, r, r) of slices, in standardised coordinates, to rows F whose
#: cross product FᵀF is the kernel matrix of a method.
Kernel = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class SliceMoments:
    """Weights (H,), means (H, r) and scatters (H, r, r) of slices."""

    weights: np.ndarray
    means: np.ndarray
    scatters: np.ndarray

    @classmethod
    def of_rows(cls, Z: np.ndarray, codes: np.ndarray, n_slices: int) -> Self:
        """Collect them from rows in memory."""
        groups = [Z[codes == h] for h in range(n_slices)]
        means = np.array([rows.mean(axis=0) for rows in groups])
        centred = [rows - m for rows, m in zip(groups, means, strict=True)]
        return cls(np.array([float(len(g)) for g in groups]), means, np.array([rows.T @ rows for rows in centred]))

    def eigenvalues(self, kernel: Kernel) -> np.ndarray:
        """Standardise by the total covariance and return the eigenvalues of the kernel matrix, descending."""
        shares, offsets, total = self.about_the_mean()
        values, vectors = np.linalg.eigh(total)
        root = vectors / np.sqrt(np.maximum(values, np.finfo(float).tiny))
        V = root.T @ self.scatters @ root / self.weights[:, None, None]
        return np.linalg.svd(kernel(shares, offsets @ root, V), compute_uv=False) ** 2

    def about_the_mean(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the shares of slices, their means minus that of all rows, and the covariance of all rows."""
        W = self.weights.sum()
        shares = self.weights / W
        offsets = self.means - shares @ self.means
        return shares, offsets, self.scatters.sum(axis=0) / W + (offsets * shares[:, None]).T @ offsets

    def with_noise_after(self, d: int, rng: np.random.Generator) -> SliceMoments:
        """Replace the variates after the d-th with unrelated normal ones, without drawing a row.

        Within a slice the scatter of (given, noise) is that of a triangle [[R, E], [0, U]], where RᵀR is the scatter of
        the given variates, E is standard normal and UᵀU is Wishart (Bartlett's decomposition).
        """
        H, r = self.means.shape
        means, scatters = self.means.copy(), self.scatters.copy()
        means[:, d:] = rng.standard_normal((H, r - d)) / np.sqrt(self.weights)[:, None]
        for h in range(H):
            R = _root(self.scatters[h, :d, :d])
            E = rng.standard_normal((len(R), r - d))
            U = _wishart_root(rng, self.weights[h] - 1 - len(R), r - d)
            scatters[h, :d, d:] = R.T @ E
            scatters[h, d:, :d] = scatters[h, :d, d:].T
            scatters[h, d:, d:] = E.T @ E + U.T @ U
        return SliceMoments(self.weights, means, scatters)


def _root(scatter: np.ndarray) -> np.ndarray:
    """Return rows R with RᵀR = scatter, as many as its rank."""
    if len(scatter) == 0:
        return scatter
    values, vectors = np.linalg.eigh(scatter)
    kept = values > len(values) * np.finfo(float).eps * max(values[-1], np.finfo(float).tiny)
    return (vectors[:, kept] * np.sqrt(values[kept])).T


def _wishart_root(rng: np.random.Generator, df: float, q: int) -> np.ndarray:
    if df <= q:
        return rng.standard_normal((max(int(df), 0), q))
    U = np.triu(rng.standard_normal((q, q)), 1)
    np.fill_diagonal(U, np.sqrt(rng.chisquare(df - np.arange(q))))
    return U


def li_test(values: np.ndarray, W: float, p: int, H: int, alpha: float = 0.05) -> DimensionTest:
    """Test SIR's eigenvalues by Li's χ²: W·Σ_{j>d} λⱼ has (p − d)(H − d − 1) degrees of freedom for normal X.

    Parameters
    ----------
    values : ndarray
        All eigenvalues, descending.
    W : float
        Number of rows.
    p, H : int
        Rank of X and number of slices.
    alpha : float
        Level.

    Returns
    -------
    DimensionTest
        With `dimension`, `p_values`, `statistics`, `to_frame()` and `plot()`.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference.inverse import li_test
    >>> li_test(np.array([0.6, 0.05, 0.02]), W=200, p=5, H=4).dimension
    1
    """
    check_level(alpha)
    d = np.arange(min(p, H - 1))
    tail = np.array([values[k:].sum() for k in d])
    df = (p - d) * (H - d - 1)
    statistics = {"eigenvalue": _padded(values, len(d)), "chi2": W * tail, "df": df}
    least = np.array([eigenvalue_found(alpha, W, v) for v in df])
    return DimensionTest.sequential(stats.chi2.sf(W * tail, df), statistics, alpha, "chi2", least, "eigenvalue")


def save_test(moments: SliceMoments, values: np.ndarray, alpha: float = 0.05) -> DimensionTest:
    """Test SAVE by the χ² of Shao, Cook and Weisberg (2007), for normal X.

    With θ the directions after the d-th, T = (W/2)·Σ_h p_h tr[(θᵀ(I − V_h)θ)²] has (H − 1)(p − d)(p − d + 1)/2 degrees
    of freedom.

    Parameters
    ----------
    moments : SliceMoments
        Of the variates, whose total covariance is the identity.
    values : ndarray
        All eigenvalues, descending.
    alpha : float
        Level.
    """
    check_level(alpha)
    (H, p), W = moments.means.shape, moments.weights.sum()
    gap = np.eye(p) - moments.scatters / moments.weights[:, None, None]
    squares = (moments.weights / W) @ (gap**2).reshape(H, -1)
    squares = squares.reshape(p, p)
    T = np.array([W / 2 * squares[d:, d:].sum() for d in range(p)])
    d = np.arange(p)
    df = (H - 1) * (p - d) * (p - d + 1) // 2
    statistics = {"eigenvalue": _padded(values, p), "chi2": T, "df": df}
    return DimensionTest.sequential(stats.chi2.sf(T, df), statistics, alpha, "chi2")


def resampled_test(
    values: np.ndarray,
    W: float,
    most: int,
    draw: Callable[[int, np.random.Generator], np.ndarray],
    *,
    method: str,
    alpha: float = 0.05,
    n_draws: int = 199,
    seed: Any = 0,
    largest: bool = False,
    stop: bool = False,
    measure: str = "eigenvalue",
    wilks: bool = False,
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
    measure : str
        A description of what an eigenvalue measures.
    wilks : bool
        Whether values are squared correlations, and the statistic is −Σ_{j>d} log(1 − ρⱼ²), that of Wilks.
    """
    check_draws(alpha, n_draws)
    seed = seed_of(seed)

    def statistic(values: np.ndarray, d: int) -> float:
        if wilks:
            return float(-np.log1p(-np.minimum(values[d:], 1 - ROUNDED)).sum())
        return W * float(values[d] if largest else values[d:].sum())

    found, tied = np.array([statistic(values, d) for d in range(most)]), ROUNDED if wilks else 1e-12
    p_values, bars, least = (np.full(most, np.nan) for _ in range(3))
    for d in range(most):
        rng = np.random.default_rng([seed, d])
        null = np.array([statistic(draw(d, rng), d) for _ in range(n_draws)])
        p_values[d] = (1 + np.sum(null >= found[d] * (1 - tied))) / (1 + n_draws)
        bars[d] = np.quantile(null, 1 - alpha)
        least[d] = drawn_found(null, float(bars[d]), W, largest, wilks)
        if stop and p_values[d] > alpha:
            break
    statistics = {"eigenvalue": _padded(values, most), "statistic": found, "bar": bars}
    return DimensionTest.sequential(p_values, statistics, alpha, method, least, measure)


def permuted_after(Z: np.ndarray, d: int, rng: np.random.Generator, moves: Moves | None = None) -> np.ndarray:
    """Return variates with those after the d-th permuted between rows, all together; whole groups or blocks of them."""
    moved = Z[rng.permutation(len(Z)), d:] if moves is None else moves.together(Z[:, d:], rng)
    return np.concatenate([Z[:, :d], moved], axis=1)


def _padded(values: np.ndarray, length: int) -> np.ndarray:
    return np.concatenate([values, np.zeros(max(length - len(values), 0))])[:length]
