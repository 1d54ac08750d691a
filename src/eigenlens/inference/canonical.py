"""Canonical directions, of two tables or of a table and classes: tests by theory, by permutations, which to trust."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import stats

from ..arrays import errors, linalg
from ..arrays.parameters import check_choice, check_number
from ..solve import Form, whiten
from .dimension_test import ONE_BY_ONE, DimensionTest, check_level
from .distributions import largest_root_survival
from .inverse import permuted_after
from .sequential import correlation_found, resampled_test
from .units import Units


def wilks(
    correlations: Any,
    n: float,
    p: int,
    s: int,
    alpha: float = 0.05,
    method: Literal["wilks", "bartlett", "pillai", "lawley-hotelling", "roy"] = "wilks",
    *,
    sines: Any = None,
) -> DimensionTest:
    """Test how many canonical correlations differ from zero, for normal data: Wilks' Λ, or a related statistic.

    Λ = Π_{j>d} (1 − ρⱼ²) is the share that the pairs after the d-th leave unexplained.

    Parameters
    ----------
    correlations : array of shape (q,)
        All canonical correlations, descending; of a fitted CCA or LDA, `test_dimension` tests them.
    n : float
        Number of rows.
    p, s : int
        Columns (ranks) of the two tables; for K classes s = K − 1.
    alpha : float
        Level.
    method : {"wilks", "bartlett", "pillai", "lawley-hotelling", "roy"}
        Wilks' Λ with Rao's F, the same with Bartlett's χ², Pillai's and Lawley–Hotelling's trace with their F
        approximations, Roy's largest root with its exact distribution (its F, for several pairs, is an upper bound).
    sines : array of shape (q,), optional
        √(1 − ρ²), if they are known more accurately than from ρ.

    Returns
    -------
    DimensionTest
        With `dimension`, `p_values`, `statistics`, `to_frame()` and `plot()`.

    References
    ----------
    Wilks (1932), Certain generalizations in the analysis of variance. Bartlett (1947), Multivariate analysis.
    Rao (1951), An asymptotic expansion of the distribution of Wilks' criterion.

    Examples
    --------
    >>> from eigenlens.inference import wilks
    >>> wilks([0.796, 0.2], n=20, p=3, s=3).p_values.round(3)        # at most no direction, at most one
    array([0.065, 0.959])
    """
    check_choice("method", method, tuple(TESTS))
    check_level(alpha)
    check_number("n", n, 1.0)
    check_number("p", p, 1, integer=True)
    check_number("s", s, 1, integer=True)
    cosines = _checked(correlations, p, s)
    sines = np.sqrt((1 - cosines) * (1 + cosines)) if sines is None else np.asarray(sines, dtype=np.float64)
    if sines.shape != cosines.shape:
        raise errors.lengths_differ("correlations", len(cosines), "sines", sines.size)
    if n - p - s - 1 <= 0:
        raise errors.InputError(
            f"n={n:g} rows are too few to test {p} + {s} columns: normal theory needs more than {p + s + 1}. "
            "Fit fewer columns, or add shrinkage or a ridge and test by permutations of the rows."
        )
    test_of, compared = TESTS[method]
    rows = [test_of(cosines[d:], sines[d:], p - d, s - d, n - d) for d in range(len(cosines))]
    p_values = np.array([row.pop("p_value") for row in rows])
    statistics = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    least = np.array([correlation_found(alpha, n, (p - d) * (s - d), n - 1 - p) for d in range(len(cosines))])
    test = DimensionTest.sequential(p_values, statistics, alpha, method, least, "squared correlation")
    return test.told(f"{ONE_BY_ONE}by {compared}, at {alpha:.0%}.", rows=n)


def _checked(correlations: Any, p: int, s: int) -> np.ndarray:
    """Return correlations as an array, refusing what are none."""
    try:
        cosines = np.atleast_1d(np.asarray(correlations, dtype=np.float64))
    except (TypeError, ValueError):
        cosines = np.zeros(0)
    if cosines.ndim != 1 or len(cosines) == 0:
        raise errors.InputError(
            f"correlations={errors.shortened(correlations)} but it must be one row of numbers between 0 and 1, largest "
            "first; of a fitted model, use model.test_dimension()."
        )
    wrong = cosines[~((cosines >= 0) & (cosines <= 1))]
    if len(wrong):
        raise errors.InputError(
            f"correlations holds {float(wrong[0]):g}; canonical correlations lie between 0 and 1, largest first."
        )
    if (np.diff(cosines) > 1e-9).any():
        raise errors.InputError(
            f"correlations={errors.shortened(correlations)} must be sorted, largest first: sorted(correlations)[::-1]."
        )
    if len(cosines) > min(p, s):
        raise errors.InputError(
            f"correlations holds {len(cosines)} numbers but tables of p={p} and s={s} columns have {min(p, s)} pairs; "
            "give one for each."
        )
    return cosines


def _ratio(top: float, bottom: float) -> float:
    return float(top / bottom) if bottom > 0 else np.inf


def _f_test(name: str, value: float, F: float, df1: float, df2: float) -> dict[str, float]:
    return {name: value, "F": F, "df1": df1, "df2": df2, "p_value": float(stats.f.sf(F, df1, df2))}


def _wilks(cosines: np.ndarray, sines: np.ndarray, p: int, s: int, n: float) -> dict[str, float]:
    log_wilks = 2 * np.log(np.maximum(sines, 1e-300)).sum()
    t = np.sqrt((p**2 * s**2 - 4) / (p**2 + s**2 - 5)) if p**2 + s**2 > 5 else 1.0
    df1, df2 = p * s, (n - (p + s + 3) / 2) * t - p * s / 2 + 1
    return _f_test("wilks", float(np.exp(log_wilks)), float(np.expm1(min(-log_wilks / t, 700.0)) * df2 / df1), df1, df2)


def _bartlett(cosines: np.ndarray, sines: np.ndarray, p: int, s: int, n: float) -> dict[str, float]:
    log_wilks = 2 * np.log(np.maximum(sines, 1e-300)).sum()
    chi2, df = -(n - (p + s + 3) / 2) * log_wilks, p * s
    p_value = float(stats.chi2.sf(chi2, df))
    return {"wilks": float(np.exp(log_wilks)), "chi2": chi2, "df": df, "p_value": p_value}


def _pillai(cosines: np.ndarray, sines: np.ndarray, p: int, s: int, n: float) -> dict[str, float]:
    k, trace = min(p, s), float((cosines**2).sum())
    left = float((sines**2).sum()) + k - len(sines)  # k − trace, without its cancellation
    a, b = float(abs(p - s) + k), float(n - p - s - 1 + k)
    return _f_test("pillai", trace, b / a * _ratio(trace, left), k * a, k * b)


def _lawley_hotelling(cosines: np.ndarray, sines: np.ndarray, p: int, s: int, n: float) -> dict[str, float]:
    k, trace = min(p, s), float(sum(_ratio(c, s) ** 2 for c, s in zip(cosines, sines, strict=True)))
    a, b = float(abs(p - s) + k), float(k * (n - p - s - 2) + 2)
    return _f_test("lawley_hotelling", trace, b * trace / (k**2 * a), k * a, b)


def _roy(cosines: np.ndarray, sines: np.ndarray, p: int, s: int, n: float) -> dict[str, float]:
    root = _ratio(cosines[0], sines[0]) ** 2
    df1 = max(p, s)
    df2 = n - 1 - df1
    row = _f_test("roy", root, root * df2 / df1, df1, df2)
    if min(p, s) > 1:  # the F of a single pair is exact, that of the largest of several gives too small a p-value
        x = float(root / (1 + root)) if np.isfinite(root) else 1.0
        row["p_value"] = max(row["p_value"], largest_root_survival(x, p, s, n))
    return row


#: Tests of canonical correlations by normal theory, and what each compares.
TESTS = {
    "wilks": (_wilks, "Wilks' Λ, with Rao's F"),
    "bartlett": (_bartlett, "Wilks' Λ, with Bartlett's χ²"),
    "pillai": (_pillai, "Pillai's trace, with an approximate F"),
    "lawley-hotelling": (_lawley_hotelling, "the trace of Hotelling and Lawley, with an approximate F"),
    "roy": (_roy, "Roy's largest root"),
}


# -- permutations of rows ------------------------------------------------------------------------------------------

# Two tables are brought to coordinates in which their (penalised) sums of squares are the identity and their cross
# product is diagonal. "At most d directions" means that the x variates after the d-th have nothing to do with y, so
# these are moved, together, to other rows, and the problem is solved again. Classes are a table of contrasts.


#: A penalty that is chosen by what it is to be used for. From the sums of squares (r, r) of coordinates XM, and M
#: (p, r), to a function from their cross products (r, s) with Y, YᵀY = I, to the penalty (r, r) in these coordinates.
PenaltyRule = Callable[[np.ndarray, np.ndarray], Callable[[np.ndarray], np.ndarray]]


def canonical_permutation_test(
    X: np.ndarray,
    Y: np.ndarray,
    x_penalty: np.ndarray | PenaltyRule | None = None,
    y_penalty: np.ndarray | None = None,
    *,
    most: int | None = None,
    alpha: float = 0.05,
    n_draws: int = 199,
    seed: Any = 0,
    moves: Units | None = None,
) -> DimensionTest:
    """Test how many canonical pairs two tables have, by Wilks' Λ = Π_{j>d} (1 − ρⱼ²) under permutations.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    Y : ndarray of shape (n, s)
    x_penalty, y_penalty : ndarray of shape (p, p) and (s, s), optional
        Added to the sums of squares: λI for a ridge, λΩ for penalised discriminants. That of X may be a function that
        chooses it (see `PenaltyRule`): a choice that depends on Y is repeated in each draw. Otherwise the penalty
        would suit Y better than the draws, and the test would reject too often.
    most : int, optional
        d runs to most − 1; by default as far as there are pairs.
    alpha : float
    n_draws : int
    seed : int, Generator, RandomState or None
    moves : Units, optional
        Rows that move together; by default each moves separately.
    """
    chosen = callable(x_penalty)
    penalty = x_penalty if callable(x_penalty) else _given(x_penalty)
    x, y = X - X.mean(axis=0), _standard(Y - Y.mean(axis=0), y_penalty)
    S = x.T @ x
    M = whiten(Form(matrix=S + penalty(S, np.eye(len(S)))(x.T @ y))).matrix
    left, s, right = np.linalg.svd((x @ M).T @ y, full_matrices=True)
    M = M @ left
    x, y = x @ M, y @ right.T
    S = x.T @ x
    unmoved = penalty(S, M)

    def draw(d: int, rng: np.random.Generator) -> np.ndarray:
        moved = permuted_after(x, d, rng, moves)
        G = moved.T @ y
        if d > 0 or chosen:  # else rows only change their order or sign, and the metric stays the identity
            sums = moved.T @ moved if d > 0 else S
            metric = sums + (penalty(sums, M) if d > 0 and chosen else unmoved)(G)
            try:
                G = np.linalg.solve(np.linalg.cholesky(metric), G)
            except np.linalg.LinAlgError:  # as many columns as rows: moved variates may lie in the span of the others
                G = whiten(Form(matrix=metric)).matrix.T @ G
        return np.linalg.svd(G, compute_uv=False) ** 2

    q = min(x.shape[1], y.shape[1])
    most = q if most is None else min(most, q)
    method = "permutation" + ("" if moves is None else moves.words)
    with linalg.limit_blas(S.size):
        return resampled_test(
            s[:q] ** 2,
            len(X),
            most,
            draw,
            method=method,
            alpha=alpha,
            n_draws=n_draws,
            seed=seed,
            wilks=True,
            again=", with a new penalty" if chosen else "",
        )


def _given(penalty: np.ndarray | None) -> PenaltyRule:
    """Return the choice that leaves none."""

    def there(S: np.ndarray, M: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        found = np.zeros_like(S) if penalty is None else M.T @ penalty @ M
        return lambda G: found

    return there


def _standard(Y: np.ndarray, penalty: np.ndarray | None) -> np.ndarray:
    """Return rows in coordinates in which sum of squares plus penalty is I."""
    S = Y.T @ Y
    return Y @ whiten(Form(matrix=S if penalty is None else S + penalty)).matrix


# -- does normal theory fit these rows? ----------------------------------------------------------------------------

# With A and B the projections on two centred tables, V = tr(AB) is the sum of squared canonical correlations. Its
# variance over all permutations of the rows is known exactly. It has two parts: that of normal theory, and one that
# is the product of how unequal the leverages of both tables are. The second vanishes if one table is as even as
# normal rows are. Heavy tails in one and rare classes in the other make it large, and then Wilks' test rejects too
# often.


class Advice(NamedTuple):
    """Which test to use, and why."""

    method: Literal["wilks", "permutation"]
    reason: str


def advise(x_leverages: np.ndarray, y_leverages: np.ndarray, p: int, s: int) -> Advice:
    """Choose between Wilks' test and permutations.

    Parameters
    ----------
    x_leverages, y_leverages : ndarray of shape (n,)
        Diagonals of the projections on the two centred tables; of a row of class k of K, 1/n_k − 1/n.
    p, s : int
        Their ranks; s = K − 1 for classes.

    Returns
    -------
    Advice
        The test to use, and the reason.

    References
    ----------
    Kazi-Aoual, Hitier, Sabatier, Lebreton (1995), Refined approximations to permutation tests for multivariate
    inference.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference.canonical import advise, leverages
    >>> rng = np.random.default_rng(0)
    >>> X, heavy = rng.standard_normal((200, 4)), rng.standard_cauchy((200, 2))
    >>> advise(leverages(X), leverages(heavy), 4, 2).method
    'wilks'
    >>> advise(leverages(rng.standard_cauchy((200, 4))), leverages(heavy), 4, 2).method
    'permutation'
    """
    n = len(x_leverages)
    if n - p - s - 1 < 20:  # rows beyond the columns of both tables
        return Advice("permutation", f"{n} rows of {p} and {s} columns are too few to rely on normal theory")
    normal = 2 * (_spread(n, p) * _spread(n, s)) / ((n - 1) ** 2 * (n + 1) * (n - 2))
    uneven = _uneven(n, p, x_leverages) * _uneven(n, s, y_leverages) / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
    excess = float(uneven / normal)
    if abs(excess) > 0.1:  # up to so much of the variance normal theory is trusted
        more = "more" if excess > 0 else "less"
        return Advice(
            "permutation",
            f"rows far out, or rare classes: the statistic varies {abs(excess):.0%} {more} than normal theory says",
        )
    return Advice("wilks", "normal theory fits these rows")


def _spread(n: int, r: int) -> float:
    return float((n - 1) * r - r**2)


def _uneven(n: int, r: int, h: np.ndarray) -> float:
    return float(n * (n + 1) * np.sum(h**2) - (n - 1) * (r**2 + 2 * r))


def leverages(X: np.ndarray) -> np.ndarray:
    """Return the diagonal of the projection on the centred columns of a table."""
    A = X - X.mean(axis=0)
    size = np.abs(A).max(axis=0)
    A = A / np.where(size > 0, size, 1.0)  # whether a column counts does not depend on its unit
    if A.shape[1] > len(A):  # a triangle has the same left vectors
        A = np.asarray(np.linalg.qr(A.T, mode="r")).T
    left, s, _ = linalg.thin_svd(A)
    return np.sum(left[:, s > max(X.shape) * np.finfo(float).eps * s[0]] ** 2, axis=1)
