"""Parallel analysis: which eigenvalues exceed those of unrelated columns (Horn 1965).

The null keeps what each column is and takes away what they have in common: every column is permuted by itself
(Buja, Eyuboglu 1992), or replaced by normal noise of the same variance, which needs no rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np

from ..arrays import errors, exponents, linalg
from ..arrays.parameters import check_choice, check_flag, seed_of
from ..arrays.typing import RandomState, TableLike
from ..rows import as_source, whole
from .dimension_test import NORMAL, DimensionTest, drawn
from .sequential import check_draws, p_of_draws

SAME = 1e-14  # share of themselves within which eigenvalues are equal: a column of another size must not decide
PERMUTED = "parallel, permutation"


def parallel_analysis(
    X: TableLike,
    alpha: float = 0.05,
    null: Literal["permutation", "normal"] = "permutation",
    *,
    scale: bool = False,
    n_draws: int = 100,
    random_state: RandomState | None = 0,
) -> DimensionTest:
    """Count the leading eigenvalues that exceed those of unrelated columns.

    Parameters
    ----------
    X : table of shape (n, p)
        Of a fitted PCA, `test_dimension(method="parallel")` tests the moments that it keeps.
    alpha : float
        The j-th eigenvalue must exceed the (1 − alpha) quantile of the j-th eigenvalue under the null.
    null : {"permutation", "normal"}
        Columns permuted one by one; or normal columns of the same variances, drawn through their Wishart matrix.
    scale : bool
        Scale columns to unit variance first: eigenvalues of the correlation matrix.
    n_draws : int
    random_state : int, Generator, RandomState or None

    Returns
    -------
    DimensionTest
        The p-value of d is (1 + draws whose eigenvalue d + 1 is at least the one found)/(1 + n_draws).

    Notes
    -----
    A permutation is the composition of two out of banks of 64 random ones, no two columns sharing a pair: this costs
    two gathers rather than a shuffle. Correlations of permuted columns are summed in single precision, whose rounding
    is far below their spread.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from eigenlens.inference import parallel_analysis
    >>> print(parallel_analysis(load_wine().data, scale=True))
    3 of 13 directions are significant at the 5% level (parallel analysis, permuted columns: eigenvalue 4.71 against
    1.59, p = 0.0099; eigenvalue 2.5 against 1.43, p = 0.0099; eigenvalue 1.45 against 1.31, p = 0.0099; 100
    permutations); the next is not significant (eigenvalue 0.919 against 1.23, p = 1).
    """
    check_choice("null", null, ("permutation", "normal"))
    check_flag("scale", scale)
    if isinstance(X, type) or hasattr(X, "test_dimension"):
        raise errors.InputTypeError(
            "X is a model, and parallel analysis takes the table; of a fitted model, use model.test_dimension()."
        )
    rows = whole(as_source(X, min_rows=4, estimator="parallel_analysis")).X
    if rows.shape[1] < 2:
        raise errors.too_few("columns", "parallel", rows.shape[1], 2)
    unit, n = exponents.unit_of(rows), len(rows) - 1  # squares over it neither overflow nor vanish
    rows = rows / unit
    rows = rows - rows.mean(axis=0)
    if not (np.ptp(rows, axis=0) > 0).any():
        raise errors.InputError("X: every column is constant; there are no directions to find.")
    sd = np.sqrt(np.sum(rows**2, axis=0) / n)
    if scale:
        rows, sd, unit = rows / np.where(sd > 0, sd, 1.0), np.where(sd > 0, 1.0, 0.0), 1.0
    values = np.linalg.svd(rows, compute_uv=False)[: min(n, len(sd))] ** 2 / n
    if null == "permutation":
        test = against_permutations(values, rows, alpha, n_draws, random_state)
    else:
        test = against_normal(values, n, sd, alpha, n_draws, random_state)
    return test.in_unit(unit)


def against_permutations(values: np.ndarray, rows: np.ndarray, alpha: float, n_draws: int, seed: Any) -> DimensionTest:
    """Compare eigenvalues with those of rows whose columns are permuted one by one."""
    check_draws(alpha, n_draws)
    rng = np.random.default_rng(seed_of(seed))
    return _compared(values, _permuted(rows, n_draws, rng), alpha)


def against_refits(
    values_of: Callable[[np.ndarray], np.ndarray],
    rows: np.ndarray,
    alpha: float,
    n_draws: int,
    seed: Any,
    blocks: Sequence[np.ndarray] | None = None,
    watched: Callable[[Iterator[np.ndarray]], Iterable[np.ndarray]] = iter,
) -> DimensionTest:
    """Compare what a method finds in rows with what it finds when columns are permuted one by one.

    Permuted columns are unrelated, but keep their own distributions (Buja, Eyuboglu 1992).

    Parameters
    ----------
    values_of : function
        From rows to the variances of directions, or what stands for them.
    rows : ndarray of shape (n, p)
    alpha : float
    n_draws : int
    seed : int, Generator, RandomState or None
    blocks : sequence of arrays of int, optional
        Columns that are permuted together; by default each by itself.
    watched : function of an iterator
        Yields what that yields: a bar that grows meanwhile.
    """
    check_draws(alpha, n_draws)
    rng, moved = np.random.default_rng(seed_of(seed)), np.empty_like(rows)
    together = [np.array([j]) for j in range(rows.shape[1])] if blocks is None else blocks

    def draws() -> Iterator[np.ndarray]:
        for _ in range(n_draws):
            for block in together:
                moved[:, block] = rows[np.ix_(rng.permutation(len(rows)), block)]
            yield values_of(moved)

    return _compared(values_of(rows), watched(draws()), alpha)


def against_normal(
    values: np.ndarray, n: float, scales: np.ndarray, alpha: float, n_draws: int, seed: Any
) -> DimensionTest:
    """Compare eigenvalues with those of normal columns of given standard deviations, from n degrees of freedom."""
    check_draws(alpha, n_draws)
    rng = np.random.default_rng(seed_of(seed))
    null = (_normal_eigenvalues(rng, n, scales) for _ in range(n_draws))
    return _compared(values, null, alpha, "parallel")


def _compared(values: np.ndarray, draws: Iterable[np.ndarray], alpha: float, method: str = PERMUTED) -> DimensionTest:
    """Compare eigenvalues, or what stands for them, with those of tables of unrelated columns, place by place."""
    with linalg.limit_blas(len(values) ** 2):
        null = np.stack(list(draws))
    q = min(len(values), null.shape[1])
    values, null = values[:q], null[:, :q]
    statistics = {"eigenvalue": values, "noise": np.quantile(null, 1 - alpha, axis=0)}
    test = DimensionTest.sequential(p_of_draws(values, null, SAME), statistics, alpha, method)
    compared = "Eigenvalues are compared, place by place, with those of"
    if method == PERMUTED:
        permuted = drawn(len(null), "tables whose columns were permuted one by one")
        return test.told(f"{compared} {permuted}.", draws=len(null))
    tables = drawn(len(null), "tables of unrelated normal columns of the same spread")
    return test.told(f"{compared} {tables}.", NORMAL, draws=len(null))


def _permuted(rows: np.ndarray, n_draws: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield the eigenvalues of rows with permuted columns."""
    n, p = rows.shape
    size = np.sqrt(np.sum(rows**2, axis=0))
    unit = np.where(size > 0, size, 1.0) if p <= n else 1.0
    columns = np.ascontiguousarray((rows / unit).T, dtype=np.float32 if p <= n else np.float64)
    # every column takes the composition of two permutations of a bank, no two columns the same pair
    # (bench_bootstrap_is_one_product)
    bank = max(64, int(np.ceil(p**0.5)))
    first, second = (np.stack([rng.permutation(n) for _ in range(bank)]).astype(np.int32) for _ in range(2))
    moved = np.empty_like(columns)
    for _ in range(n_draws):
        for j, pair in enumerate(rng.permutation(bank**2)[:p].tolist()):
            np.take(columns[j], np.take(first[pair // bank], second[pair % bank]), out=moved[j])
        if p <= n:  # sums of squares do not change: only correlations are rounded, and far less than they spread
            S = (moved @ moved.T).astype(np.float64) * size * size[:, None]
            np.fill_diagonal(S, size**2)
        else:
            S = moved.T @ moved
        yield np.maximum(np.linalg.eigvalsh(S)[::-1], 0.0) / (n - 1)


def _normal_eigenvalues(rng: np.random.Generator, n: float, scales: np.ndarray) -> np.ndarray:
    """Draw the eigenvalues of a covariance matrix of unrelated normal columns with given standard deviations.

    Columns have the standard deviations exactly, as permuted columns would: if these varied once more, the null would
    be too wide.
    """
    R = linalg.wishart_root(rng, len(scales), n)
    return np.linalg.svd(R * (scales / np.sqrt(np.sum(R**2, axis=0))), compute_uv=False) ** 2
