"""Sequential tests of canonical correlations: Wilks, Pillai, Lawley–Hotelling, Roy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from .._core import errors
from .result import DimensionTest, check_level


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


def canonical_test(
    cosines: np.ndarray,
    sines: np.ndarray,
    p: int,
    s: int,
    n: float,
    method: str = "wilks",
    alpha: float = 0.05,
) -> DimensionTest:
    """Test how many canonical correlations differ from zero, for normal data.

    Parameters
    ----------
    cosines, sines : ndarray of shape (q,)
        Canonical correlations and √(1 − ρ²), the latter accurate also where ρ is nearly 1.
    p, s : int
        Ranks of the two tables.
    n : float
        Number of rows.
    method : {"wilks", "bartlett", "pillai", "lawley-hotelling", "roy"}
        Wilks' Λ with Rao's F, the same with Bartlett's χ², Pillai's and Lawley–Hotelling's trace with their F
        approximations, Roy's largest root (whose F is an upper bound, and so its p-value a lower one).
    alpha : float
        Level.
    """
    if method not in _TESTS:
        raise errors.option("method", method, _TESTS)
    check_level(alpha)
    if n - p - s - 1 <= 0:
        raise errors.too_few_to_test(n, p, s)
    rows = []
    for d in range(min(p, s, len(cosines))):
        rows.append(_TESTS[method](cosines[d:], sines[d:], _Sizes(p - d, s - d, n - d)))
    p_values = np.array([row.pop("p_value") for row in rows])
    statistics = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return DimensionTest.sequential(p_values, statistics, alpha, method)


def _ratio(top: float, bottom: float) -> float:
    return float(top / bottom) if bottom > 0 else np.inf


def _f_test(name: str, value: float, F: float, df1: float, df2: float) -> dict[str, float]:
    return {name: value, "F": F, "df1": df1, "df2": df2, "p_value": float(stats.f.sf(F, df1, df2))}


def _wilks(cosines: np.ndarray, sines: np.ndarray, size: _Sizes) -> dict[str, float]:
    p, s = size.p, size.s
    log_wilks = 2 * np.log(np.maximum(sines, 1e-300)).sum()
    t = np.sqrt((p**2 * s**2 - 4) / (p**2 + s**2 - 5)) if p**2 + s**2 > 5 else 1.0
    df1, df2 = p * s, (size.n - (p + s + 3) / 2) * t - p * s / 2 + 1
    return _f_test("wilks", float(np.exp(log_wilks)), float(np.expm1(-log_wilks / t) * df2 / df1), df1, df2)


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
    return _f_test("roy", root, root * df2 / df1, df1, df2)


_TESTS = {
    "wilks": _wilks,
    "bartlett": _bartlett,
    "pillai": _pillai,
    "lawley-hotelling": _lawley_hotelling,
    "roy": _roy,
}
