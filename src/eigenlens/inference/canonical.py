"""Sequential tests of canonical correlations: Wilks, Pillai, Lawley–Hotelling, Roy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import stats

from ..arrays import errors
from ..arrays.parameters import check_choice, check_number
from .dimension_test import ONE_BY_ONE, DimensionTest, check_level
from .largest_root import largest_root_survival
from .sequential import correlation_found


@dataclass(frozen=True)
class _Sizes:
    """Degrees of freedom once d pairs are set aside."""

    p: int
    s: int
    n: float

    @property
    def small(self) -> int:
        return min(self.p, self.s)

    @property
    def m(self) -> float:
        return (abs(self.p - self.s) - 1) / 2

    @property
    def e(self) -> float:
        return (self.n - self.p - self.s - 2) / 2


def wilks(
    correlations: Any,
    n: float | None = None,
    p: int | None = None,
    s: int | None = None,
    alpha: float = 0.05,
    method: Literal["wilks", "bartlett", "pillai", "lawley-hotelling", "roy"] = "wilks",
    *,
    sines: Any = None,
) -> DimensionTest:
    """Test how many canonical correlations differ from zero, for normal data: Wilks' Λ, or a related statistic.

    Λ = Π_{j>d} (1 − ρⱼ²) is the share that the pairs after the d-th leave unexplained.

    Parameters
    ----------
    correlations : array of shape (q,), or fitted CCA or LDA
        All canonical correlations, descending. For a model, the result is that of its `test_dimension`.
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
    if isinstance(correlations, type):
        raise errors.no_estimator("correlations", correlations, "CCA().fit(X, Y)")
    if hasattr(correlations, "test_dimension"):
        return correlations.test_dimension(alpha=alpha, method=method)
    check_choice("method", method, CANONICAL)
    check_level(alpha)
    missing = [name for name, value in (("n", n), ("p", p), ("s", s)) if value is None]
    if missing:
        raise errors.InputError(
            f"{errors.listed(missing)} missing: with correlations alone the test needs n (rows), p and s (columns of "
            "the two tables); or give a fitted CCA or LDA."
        )
    assert n is not None
    assert p is not None
    assert s is not None
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
    rows = [_TESTS[method](cosines[d:], sines[d:], _Sizes(p - d, s - d, n - d)) for d in range(len(cosines))]
    p_values = np.array([row.pop("p_value") for row in rows])
    statistics = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    sizes = [(float((p - d) * (s - d)), n - 1 - p) for d in range(len(cosines))]
    least = np.array([correlation_found(alpha, n, *df) for df in sizes])
    test = DimensionTest.sequential(p_values, statistics, alpha, method, least, "squared correlation")
    return test.told(f"{ONE_BY_ONE}by {COMPARED[method]}, at {alpha:.0%}.", rows=n)


def _checked(correlations: Any, p: int, s: int) -> np.ndarray:
    """Return correlations as an array, refusing what are none."""
    try:
        cosines = np.atleast_1d(np.asarray(correlations, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise _correlations_kind(correlations) from error
    if cosines.ndim != 1 or len(cosines) == 0:
        raise _correlations_kind(correlations)
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


def _wilks(cosines: np.ndarray, sines: np.ndarray, size: _Sizes) -> dict[str, float]:
    p, s = size.p, size.s
    log_wilks = 2 * np.log(np.maximum(sines, 1e-300)).sum()
    t = np.sqrt((p**2 * s**2 - 4) / (p**2 + s**2 - 5)) if p**2 + s**2 > 5 else 1.0
    df1, df2 = p * s, (size.n - (p + s + 3) / 2) * t - p * s / 2 + 1
    return _f_test("wilks", float(np.exp(log_wilks)), float(np.expm1(min(-log_wilks / t, 700.0)) * df2 / df1), df1, df2)


def _bartlett(cosines: np.ndarray, sines: np.ndarray, size: _Sizes) -> dict[str, float]:
    log_wilks = 2 * np.log(np.maximum(sines, 1e-300)).sum()
    chi2, df = -(size.n - (size.p + size.s + 3) / 2) * log_wilks, size.p * size.s
    return {
        "wilks": float(np.exp(log_wilks)),
        "chi2": chi2,
        "df": df,
        "p_value": float(stats.chi2.sf(chi2, df)),
    }


def _pillai(cosines: np.ndarray, sines: np.ndarray, size: _Sizes) -> dict[str, float]:
    k, m, e = size.small, size.m, size.e
    trace = float((cosines**2).sum())
    left = float((sines**2).sum()) + k - len(sines)  # k − trace, without its cancellation
    F = (2 * e + k + 1) / (2 * m + k + 1) * _ratio(trace, left)
    return _f_test("pillai", trace, F, k * (2 * m + k + 1), k * (2 * e + k + 1))


def _lawley_hotelling(cosines: np.ndarray, sines: np.ndarray, size: _Sizes) -> dict[str, float]:
    k, m, e = size.small, size.m, size.e
    trace = float(sum(_ratio(c, s) ** 2 for c, s in zip(cosines, sines, strict=True)))
    F = 2 * (k * e + 1) * trace / (k**2 * (2 * m + k + 1))
    return _f_test("lawley_hotelling", trace, F, k * (2 * m + k + 1), 2 * (k * e + 1))


def _roy(cosines: np.ndarray, sines: np.ndarray, size: _Sizes) -> dict[str, float]:
    root = _ratio(cosines[0], sines[0]) ** 2
    df1 = max(size.p, size.s)
    df2 = size.n - 1 - df1
    row = _f_test("roy", root, root * df2 / df1, df1, df2)
    if size.small > 1:  # the F of a single pair is exact, that of the largest of several gives too small a p-value
        x = float(root / (1 + root)) if np.isfinite(root) else 1.0
        row["p_value"] = max(row["p_value"], largest_root_survival(x, size.p, size.s, size.n))
    return row


_TESTS = {
    "wilks": _wilks,
    "bartlett": _bartlett,
    "pillai": _pillai,
    "lawley-hotelling": _lawley_hotelling,
    "roy": _roy,
}

#: Tests of canonical correlations by normal theory.
CANONICAL = tuple(_TESTS)


#: What each compares, in words.
COMPARED = {
    "wilks": "Wilks' Λ, with Rao's F",
    "bartlett": "Wilks' Λ, with Bartlett's χ²",
    "pillai": "Pillai's trace, with an approximate F",
    "lawley-hotelling": "the trace of Hotelling and Lawley, with an approximate F",
    "roy": "Roy's largest root",
}


def _correlations_kind(values: Any) -> errors.InputError:
    return errors.InputError(
        f"correlations={errors.shortened(values)} but it must be one row of numbers between 0 and 1, largest first, or "
        "a fitted CCA or LDA."
    )
