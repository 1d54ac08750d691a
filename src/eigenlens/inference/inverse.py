"""Inverse regression: how many directions slices of a response show, whether X is straight, which columns are needed.

"At most d directions" means that the variates after the d-th know nothing of the response. The statistic is what their
eigenvalues add up to, W·Σ_{j>d} λⱼ: held against χ² for normal X, or against draws of the engine in `sequential`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy import stats
from scipy.linalg import solve_triangular

from ..arrays import linalg, optional
from ..arrays.errors import listed
from ..arrays.parameters import seed_of
from ..arrays.typing import Frame, RandomState
from .dimension_test import LINEAR, DimensionTest, Result, check_level, chi2_words, p_words
from .sequential import chi2_tails, tails
from .units import Units

BINS = 8  # of a direction: fine enough for clusters and bends, coarse enough for a hundred rows

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
        W = self.weights.sum()
        shares = self.weights / W
        offsets = self.means - shares @ self.means
        total = self.scatters.sum(axis=0) / W + (offsets * shares[:, None]).T @ offsets
        values, vectors = np.linalg.eigh(total)
        root = vectors / np.sqrt(np.maximum(values, np.finfo(float).tiny))
        V = root.T @ self.scatters @ root / self.weights[:, None, None]
        return np.linalg.svd(kernel(shares, offsets @ root, V), compute_uv=False) ** 2

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
            U = linalg.wishart_root(rng, r - d, self.weights[h] - 1 - len(R))
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
    d = np.arange(min(p, H - 1))
    return chi2_tails(W * tails(values, len(d)), (p - d) * (H - d - 1), values, alpha, W=W)


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
    (H, p), W = moments.means.shape, moments.weights.sum()
    gap = np.eye(p) - moments.scatters / moments.weights[:, None, None]
    squares = ((moments.weights / W) @ (gap**2).reshape(H, -1)).reshape(p, p)
    d = np.arange(p)
    T = np.array([W / 2 * squares[k:, k:].sum() for k in d])
    return chi2_tails(T, (H - 1) * (p - d) * (p - d + 1) // 2, values, alpha)


def hessian_test(values: np.ndarray, W: float, alpha: float = 0.05) -> DimensionTest:
    """Test principal Hessian directions by Li's χ²: W·Σ_{j>d} λⱼ has (p − d)(p − d + 1)/2 degrees of freedom.

    It holds for normal X and residuals of a linear regression.

    Parameters
    ----------
    values : ndarray of shape (p,)
        All λⱼ = κⱼ²/(2 var e), descending, where κⱼ are the eigenvalues of the Hessian matrix and e the residuals.
    W : float
        Number of rows.
    alpha : float
        Level.

    Returns
    -------
    DimensionTest
        With `dimension`, `p_values`, `statistics`, `to_frame()` and `plot()`.

    References
    ----------
    Li (1992), On principal Hessian directions for data visualization and dimension reduction, J. American Statistical
    Association 87.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference.inverse import hessian_test
    >>> hessian_test(np.array([0.4, 0.01, 0.001]), W=200).dimension
    1
    """
    left = len(values) - np.arange(len(values))
    return chi2_tails(W * tails(values, len(values)), left * (left + 1) // 2, values, alpha, W=W)


def hessian_eigenvalues(Z: np.ndarray, y: np.ndarray, residuals: bool) -> np.ndarray:
    """Return λⱼ = κⱼ²/(2 var e) of rows, descending.

    Parameters
    ----------
    Z : ndarray of shape (n, r)
        Columns of full rank.
    y : ndarray of shape (n,)
    residuals : bool
        Whether a linear regression on Z is taken out of y first.

    Returns
    -------
    ndarray of shape (p,)

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference.inverse import hessian_eigenvalues
    >>> Z = np.random.default_rng(0).standard_normal((500, 3))
    >>> hessian_eigenvalues(Z, Z[:, 0] ** 2 + Z[:, 1], residuals=True).round(1)
    array([1.2, 0. , 0. ])
    """
    e = y - y.mean()
    Q = np.linalg.qr(Z - Z.mean(axis=0))[0]
    if residuals:
        e = e - Q @ (Q.T @ e)
    M = (Q * e[:, None]).T @ Q  # Q has unit columns: its rows times √n have the identity as their covariance
    return np.sort(np.linalg.eigvalsh(M) ** 2)[::-1] / (2 * e.var(ddof=1))


def permuted_after(Z: np.ndarray, d: int, rng: np.random.Generator, moves: Units | None = None) -> np.ndarray:
    """Return variates with those after the d-th permuted between rows, all together; whole groups or blocks of them."""
    moved = Z[rng.permutation(len(Z)), d:] if moves is None else moves.together(Z[:, d:], rng)
    return np.concatenate([Z[:, :d], moved], axis=1)


# -- what a straight line sees ----------------------------------------------------------------------------------------


# Under the condition by which inverse regression works, the least-squares slope of any function of y is in the span
# that it looks for. One slope has p degrees of freedom where H slices have p(H − 1), so a linear F test finds in few
# rows what slices miss.


def choose_slices(n: float, p: int, covariances: bool = False) -> int:
    """Return how many slices n rows of p columns allow: from 3 to 10, each with enough rows for what it estimates.

    That is 10 rows, and for each column 2 rows for the mean of a slice or 4 for its covariance. Three slices are made
    of any 9 rows, and two of fewer.

    Parameters
    ----------
    n : float
        Rows.
    p : int
        Columns.
    covariances : bool
        Whether covariances of slices are used (SAVE, directional regression), rather than means alone (SIR).
    """
    rows = max(10, (4 if covariances else 2) * p)
    return int(np.clip(n // rows, np.clip(n // 3, 2, 3), 10))


def linear_p_value(weights: np.ndarray, means: np.ndarray) -> float:
    """Return the p-value of the F test that a straight line sees nothing, from slices of a number in their order.

    The response is the normal score of its slice: it has no outliers, whatever the response has.

    Parameters
    ----------
    weights : ndarray of shape (H,)
        Rows of the slices, in the order of the response.
    means : ndarray of shape (H, r)
        Their means in coordinates in which all rows have mean 0 and covariance I (divisor n).
    """
    n, r = float(weights.sum()), means.shape[1]
    left = n - 1 - r
    if left < 1 or r < 1 or len(weights) < 2:
        return float("nan")
    shares = weights / n
    edges = np.concatenate([[0.0], np.cumsum(shares)[:-1], [1.0]])
    scores = -np.diff(stats.norm.pdf(stats.norm.ppf(edges))) / shares  # the mean of a standard normal in each slice
    scores = scores - shares @ scores
    explained = float(np.sum(((shares * scores) @ means) ** 2) / (shares @ scores**2))
    explained = min(explained, 1 - 1e-15)
    return float(stats.f.sf(explained / r * left / (1 - explained), r, left))


def with_linear(test: DimensionTest, p_value: float, least: float = np.nan) -> DimensionTest:
    """Join a test of slices with the linear one: "no direction" is rejected if either does so at half the level.

    Twice the smaller p-value keeps the level, whatever the two have to do with each other (Bonferroni).

    Parameters
    ----------
    test : DimensionTest
        Of slices.
    p_value : float
        Of the linear test of "no direction"; NaN where there is none, which leaves the test as it is.
    least : float
        Smallest squared correlation that the linear test finds, where it is of the measure of the other.
    """
    if not np.isfinite(p_value):
        return test
    first = np.arange(len(test.p_values)) == 0
    p_values = np.where(first, np.minimum(1.0, 2 * np.minimum(test.p_values, p_value)), test.p_values)
    statistics = test.statistics | {"linear_p_value": np.where(first, p_value, np.nan)}
    detectable = None if test.detectable is None else np.fmin(test.detectable, np.where(first, least, np.nan))
    dimension = DimensionTest.sequential(p_values, statistics, test.alpha, test.method).dimension
    return replace(
        test,
        dimension=dimension,
        p_values=p_values,
        statistics=statistics,
        detectable=detectable,
        method=test.method + LINEAR,
        about=f'{test.about} "No direction" is also tested by a linear regression.',
    )


# -- are other variates straight along a direction? -------------------------------------------------------------------


# Rows of an elliptical distribution are. Clusters and curves in X break the condition, and then the bend of X itself
# is taken for a second direction of y. For an elliptical distribution the other variates may have their signs changed,
# row by row, and nothing changes: this gives the distribution of the bend where there is none, heavy tails included.


@dataclass(frozen=True, repr=False)
class Linearity(Result):
    """How far variates bend along a direction.

    Attributes
    ----------
    bend : float
        Largest share of the variance of another variate that its mean along the direction explains.
    p_value : float
        Probability that rows of an elliptical distribution bend as far.
    """

    bend: float
    p_value: float

    def __str__(self) -> str:
        return f"Other variates bend along the direction by {self.bend:.0%} of a variance ({p_words(self.p_value)})."

    def to_frame(self) -> Frame:
        """Return the numbers as a pandas DataFrame of one row."""
        return optional.pandas().DataFrame({"bend": [self.bend], "p_value": [self.p_value]})

    @property
    def doubtful(self) -> bool:
        """Whether the condition is broken far enough to mislead."""
        return self.p_value < 0.01 and self.bend > 0.05  # a smaller bend makes no direction of its own

    def warning(self, name: str, rows: str = "X", response: str = "y", way_out: str = "LocalizedSIR") -> str:
        """Return what a method of this name would mistake, as a sentence, and the way out."""
        return (
            f"{rows} is clustered or curved along the first direction (means bend by {self.bend:.0%} of the variance "
            f"of a variate, p = {self.p_value:.2g}), and {name} mistakes such bends for directions of {response}. "
            f"Check them with {way_out}, which does not need straight means."
        )


def check_linearity(
    Z: np.ndarray, direction: int = 0, *, n_draws: int = 199, random_state: RandomState | None = 0
) -> Linearity:
    """Test whether the means of other variates are straight along one of them.

    Parameters
    ----------
    Z : ndarray of shape (n, r)
        Variates, uncorrelated with variance 1.
    direction : int
        The one along which the others are looked at.
    n_draws : int
    random_state : int, Generator, RandomState or None

    Returns
    -------
    Linearity
        With `bend`, `p_value` and `doubtful`.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import check_linearity
    >>> rng = np.random.default_rng(0)
    >>> Z = rng.standard_normal((400, 3))
    >>> check_linearity(Z).doubtful
    False
    >>> Z[:, 1] = Z[:, 0] ** 2 + 0.5 * Z[:, 1]
    >>> check_linearity((Z - Z.mean(axis=0)) / Z.std(axis=0)).doubtful
    True
    """
    n, r = Z.shape
    if r < 2 or n < 5 * BINS:
        return Linearity(0.0, 1.0)
    u, others = Z[:, direction], np.delete(Z, direction, axis=1)
    H = _curved(u)
    found = H.T @ others  # (bins, r − 1)
    rng = np.random.default_rng(seed_of(random_state))
    null = np.empty(n_draws)
    for b in range(n_draws):
        signs = rng.choice(np.array([-1.0, 1.0]), n)
        null[b] = np.linalg.norm((H * signs[:, None]).T @ others, 2)
    size = float(np.linalg.norm(found, 2))
    noise = float(np.mean(null**2)) / n
    bend = max(size**2 / n - noise, 0.0)
    return Linearity(bend, float((1 + np.sum(null >= size)) / (1 + n_draws)))


def _curved(u: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of functions of u, constant in bins, that have no constant and no straight part."""
    bins = np.searchsorted(np.quantile(u, np.arange(1, BINS) / BINS), u)
    steps = (bins[:, None] == np.arange(BINS)).astype(np.float64)
    straight = np.linalg.qr(np.column_stack([np.ones(len(u)), u]))[0]
    left, s, _ = np.linalg.svd(steps - straight @ (straight.T @ steps), full_matrices=False)
    return left[:, s > 1e-8 * s[0]]


# -- which columns are needed -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class CoordinateTest(Result):
    """Tests of "the response does not depend on this column, given the others", or on several columns together.

    Attributes
    ----------
    statistics, p_values : ndarray of shape (p,)
        One number where columns were tested together.
    freedom : int
        Degrees of freedom of each χ².
    alpha : float
    names : list of str
        Of the columns; one name for all that were tested together.
    together : int
        How many columns were tested together; 0 if each was tested.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import SIR
    >>> X = np.random.default_rng(0).standard_normal((400, 4))
    >>> print(SIR().fit(X, X[:, 0] ** 3 + X[:, 1]).test_columns())
    2 of 4 columns are needed at 5%: x0 (χ²(9) = 269, p < 0.001), x1 (χ²(9) = 144, p < 0.001). Each was
    tested given all others.
    """

    statistics: np.ndarray
    p_values: np.ndarray
    freedom: int
    alpha: float
    names: list[str]
    together: int = 0

    @property
    def needed(self) -> np.ndarray:
        """Whether each column is needed."""
        return self.p_values <= self.alpha

    def __str__(self) -> str:
        if self.together:
            needed, single = self.needed[0], self.together == 1
            of = "" if single else "At least one of " if needed else "None of "
            verb = "is not" if single and not needed else "is"
            return f"{of}{self.names[0]} {verb} needed at {100 * self.alpha:g}% ({self._evidence(0)})."
        found = [f"{self.names[j]} ({self._evidence(j)})" for j in np.flatnonzero(self.needed).tolist()]
        verb = "is" if len(found) == 1 else "are"
        which = f": {', '.join(found)}" if found else f" (the smallest p is {self.p_values.min():.2g})"
        return (
            f"{len(found)} of {len(self.names)} columns {verb} needed at {100 * self.alpha:g}%{which}. Each was tested "
            f"given all others."
        )

    def _evidence(self, j: int) -> str:
        return f"{chi2_words(self.statistics[j], self.freedom)}, {p_words(self.p_values[j])}"

    def to_frame(self) -> Frame:
        """Return a pandas DataFrame, a row for each column."""
        columns = {"statistic": self.statistics, "p_value": self.p_values, "needed": self.needed}
        return optional.pandas().DataFrame(columns, index=self.names)


def coordinate_test(
    offsets: np.ndarray,
    weights: np.ndarray,
    inverse: np.ndarray,
    names: list[str],
    alpha: float,
    together: list[int] | None = None,
) -> CoordinateTest:
    """Test each column by the differences between slices that the other columns do not explain.

    Parameters
    ----------
    offsets : ndarray of shape (H, p)
        Slice means minus the mean.
    weights : ndarray of shape (H,)
    inverse : ndarray of shape (p, p)
        Inverse of the covariance of all rows (divisor W).
    names : list of str
    alpha : float
    together : list of int, optional
        Places of columns that are tested as one.
    """
    check_level(alpha)
    if together is not None:
        L = np.linalg.cholesky(inverse[np.ix_(together, together)])
        apart = solve_triangular(L, inverse[together] @ offsets.T, lower=True)
        statistic, freedom = float((apart**2).sum(axis=0) @ weights), len(together) * (len(weights) - 1)
        found, name = np.array([statistic]), listed([names[j] for j in together], 8)
        return CoordinateTest(found, stats.chi2.sf(found, freedom), freedom, float(alpha), [name], len(together))
    residual = offsets @ inverse / np.sqrt(np.diagonal(inverse))
    statistics, freedom = weights @ residual**2, len(weights) - 1
    return CoordinateTest(statistics, stats.chi2.sf(statistics, freedom), freedom, float(alpha), names)
