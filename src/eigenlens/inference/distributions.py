r"""Distributions that SciPy lacks: Roy's largest root, Tracy–Widom, the median of Marchenko–Pastur.

The squared correlations of unrelated normal tables have the density ∝ Π xᵢᵃ(1 − xᵢ)ᵇ Π|xᵢ − xⱼ|. Integrated over a box
this is a Pfaffian (de Bruijn 1955), so

.. math:: P(x_1 \le \theta)^2 = \det A(\theta) / \det A(1), \qquad
          A_{ij}(\theta) = \iint_{[0,\theta]^2} \mathrm{sgn}(y - x)\, f_i(x) f_j(y)\,dx\,dy,

with fᵢ any polynomials of degree i < s times the weight; an odd s adds a row of single integrals. In x = sin² u all of
this is smooth. The tail comes from A(1) − A(θ), small by itself, and so keeps its digits.

The largest eigenvalue of noise has the distribution of Tracy and Widom, β = 1,

.. math:: F_1(s) = \det(I - K_s), \qquad K_s(x, y) = \mathrm{Ai}(x + y + s) \text{ on } L^2(0, \infty),

by Gauss–Legendre quadrature, which converges exponentially.

References
----------
de Bruijn (1955), On some multiple integrals involving determinants. Chiani (2016), Distribution of the largest root of
a matrix for Roy's test in multivariate analysis of variance (there with incomplete beta functions). Tracy, Widom
(1996), On orthogonal and symplectic matrix ensembles. Ferrari, Spohn (2005), A determinantal formula for the GOE
Tracy–Widom distribution. Bornemann (2010), On the numerical evaluation of distributions in random matrix theory.
Johnstone (2001), On the distribution of the largest eigenvalue in principal components analysis. Nadler (2011), On the
distribution of the ratio of the largest eigenvalue to the trace of a Wishart matrix.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import Chebyshev
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import airy

TINY = 1e-12  # as near as we go to the ends of a quarter turn
NODES = 60
REACH = 20.0  # Ai(20) is 10⁻²⁷: nothing is left beyond
TABLE, DEGREE = (-8.0, 8.0), 64  # where the distribution function is interpolated, for its derivatives
RANGE = (-9.0, 40.0)  # outside, the distribution function is 0 or 1 to all digits


def largest_root_survival(x: float, p: int, s: int, n: float) -> float:
    """Return the probability that the largest squared correlation of unrelated normal tables exceeds x.

    Parameters
    ----------
    x : float
        From 0 to 1.
    p, s : int
        Columns of the two tables.
    n : float
        Rows, more than p + s + 1.

    Examples
    --------
    >>> from eigenlens.inference.distributions import largest_root_survival
    >>> round(largest_root_survival(0.2, p=1, s=2, n=13), 6)       # (1 − x)⁵: one column has a single R²
    0.32768
    """
    q, rise, fall = min(p, s), float(abs(p - s)), float(n - p - s - 1)
    low, high = _support(rise, fall, q)
    at = float(np.arcsin(np.sqrt(np.clip(x, 0.0, 1.0))))
    if at <= low or at >= high:
        return 1.0 if at <= low else 0.0
    first, second = _functions((low, at, high), rise, fall, q)
    inner, outer = _antisymmetric(first), _antisymmetric(second)
    a, b = first.sum(axis=0), second.sum(axis=0)
    lost = outer + np.outer(a, b) - np.outer(b, a)
    whole, lost = _bordered(inner + lost, a + b), _bordered(lost, b)
    shares = np.linalg.eigvals(np.linalg.solve(whole, lost))
    with np.errstate(divide="ignore", invalid="ignore"):  # a share of 1: nothing lies below x
        # |1 − share| by hand: the complex log1p of a small share has few digits
        tail = -np.expm1(np.log1p(np.abs(shares) ** 2 - 2 * shares.real).sum() / 4)
    return float(np.clip(tail, 0.0, 1.0)) if np.isfinite(tail) else 1.0


def _support(rise: float, fall: float, q: int) -> tuple[float, float]:
    """Return where sinʳ u cosᶠ u is not negligible, times the polynomials that it carries."""
    return _end(rise, fall, TINY, 0.0), _end(rise + 2 * (q - 1), fall, np.pi / 2 - TINY, np.pi / 2)


def _end(rise: float, fall: float, edge: float, limit: float) -> float:
    """Return where the weight has fallen from its peak, on the way to an edge; the limit where it does not."""
    peak = float(np.clip(np.arctan2(rise**0.5, fall**0.5), TINY, np.pi / 2 - TINY))
    floor = _log_weight(peak, rise, fall) - 80.0  # a natural logarithm
    if _log_weight(edge, rise, fall) >= floor:
        return limit
    return float(brentq(lambda u: _log_weight(u, rise, fall) - floor, *sorted((edge, peak))))


def _log_weight(u: Any, rise: float, fall: float) -> Any:
    return rise * np.log(np.sin(u)) + fall * np.log(np.cos(u))


def _functions(ends: tuple[float, ...], rise: float, fall: float, q: int) -> tuple[np.ndarray, np.ndarray]:
    """Return, on both sides of the middle end, fᵢ at the nodes times the quadrature weights.

    They are made orthonormal one after the other, each from the last times x: powers would lose all digits.
    """
    nodes, weights, _ = _integral_rule(160 + 4 * q)
    halves = np.diff(ends) / 2
    u = np.concatenate([a + h * (nodes + 1) for a, h in zip(ends[:2], halves, strict=True)])
    root = np.sqrt(np.concatenate([h * weights for h in halves]))
    log_weight = _log_weight(u, rise, fall)
    x, F = np.sin(u) ** 2, np.empty((len(u), q))
    F[:, 0] = np.exp(log_weight - np.max(log_weight)) * root
    for j in range(q):
        column = F[:, 0] if j == 0 else x * F[:, j - 1]
        for _ in range(2):
            column = column - F[:, :j] @ (F[:, :j].T @ column)
        F[:, j] = column / np.linalg.norm(column)
    F *= root[:, None]
    return F[: len(nodes)], F[len(nodes) :]


def _antisymmetric(F: np.ndarray) -> np.ndarray:
    """Return ∫∫ sgn(y − x) fᵢ(x) fⱼ(y) dx dy over one interval."""
    _, weights, until = _integral_rule(len(F))
    total = F.sum(axis=0)
    before = until @ (F / weights[:, None])
    A = 2 * before.T @ F - np.outer(total, total)
    return (A - A.T) / 2


def _bordered(A: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Add the row of single integrals that an odd size asks for."""
    if len(A) % 2 == 0:
        return A
    return np.block([[A, totals[:, None]], [-totals[None], np.zeros((1, 1))]])


@lru_cache(maxsize=16)
def _integral_rule(m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Gauss–Legendre nodes and weights, and the matrix that integrates from −1 to each node."""
    x, w = np.polynomial.legendre.leggauss(m)
    P = np.polynomial.legendre.legvander(x, m)
    k = np.arange(1, m)
    primitive = np.column_stack([1 + x, (P[:, 2:] - P[:, :-2])[:, : m - 1] / (2 * k + 1)])
    return x, w, primitive @ ((np.arange(m) + 0.5)[:, None] * (P[:, :m] * w[:, None]).T)


# -- noise ----------------------------------------------------------------------------------------------------------


class Edge(NamedTuple):
    """Where the largest eigenvalue of noise of unit variance lies, and how far it strays."""

    centre: float
    spread: float


def log_cdf(s: float) -> float:
    """Return log F₁(s)."""
    nodes, weights = _rule()
    root, lower = np.sqrt(weights), np.tril_indices(NODES)
    K = np.zeros((NODES, NODES))
    K[lower] = airy(nodes[lower[0]] + nodes[lower[1]] + s)[0]  # half of the evaluations: eigvalsh reads the lower half
    K *= root[:, None] * root
    return float(np.log1p(-np.minimum(np.linalg.eigvalsh(K), 1 - 1e-16)).sum())


def survival(s: float) -> float:
    """Return P(TW₁ > s), to relative accuracy also far out.

    Examples
    --------
    >>> from eigenlens.inference.distributions import survival
    >>> round(survival(0.9793), 4)
    0.05
    """
    if s <= RANGE[0]:
        return 1.0
    return float(-np.expm1(log_cdf(min(s, RANGE[1]))))


@lru_cache(maxsize=64)
def quantile(alpha: float) -> float:
    """Return the value that TW₁ exceeds with probability alpha."""
    return float(brentq(lambda s: survival(s) - alpha, *RANGE, xtol=1e-10))


def edge_of_noise(n: float, p: float) -> Edge:
    """Return centre and spread of the largest eigenvalue of XᵀX, X being n × p of unit normal noise (Ma 2012)."""
    a, b = np.sqrt(n - 0.5), np.sqrt(p - 0.5)
    return Edge(float((a + b) ** 2), float((a + b) * (1 / a + 1 / b) ** (1 / 3)))


def ratio_survival(s: float, n: float, p: float) -> float:
    """Return P(U > s) for the standardised ratio of the largest eigenvalue to the mean of all of them.

    The mean is the noise variance as the data give it. It moves with the largest eigenvalue, so that their ratio
    spreads less: F₁ − (μ/σ)²/(np)·F₁″ to first order (Nadler 2011).
    """
    if not TABLE[0] < s < TABLE[1]:
        return 1.0 if s < 0 else survival(s)
    centre, spread = edge_of_noise(n, p)
    F = _table()
    return float(np.clip(1 - F(s) + (centre / spread) ** 2 / (n * p) * F.deriv(2)(s), 0.0, 1.0))


def ratio_quantile(alpha: float, n: float, p: float) -> float:
    """Return the value that the standardised ratio exceeds with probability alpha, to the same order."""
    centre, spread = edge_of_noise(n, p)
    s, bend = _quantile_and_bend(alpha)
    return s + (centre / spread) ** 2 / (n * p) * bend


@lru_cache(maxsize=64)
def _quantile_and_bend(alpha: float) -> tuple[float, float]:
    """Return the quantile of TW₁ and F₁″/F₁′ there."""
    s, F = quantile(alpha), _table()
    inside = np.clip(s, *TABLE)  # beyond, a polynomial means nothing
    return s, float(F.deriv(2)(inside) / F.deriv(1)(inside))


@lru_cache(maxsize=1)
def _table() -> Chebyshev:
    """Return F₁ as a polynomial, right to 13 digits."""
    return Chebyshev.interpolate(np.vectorize(lambda s: 1 - survival(s)), DEGREE, domain=TABLE)


@lru_cache(maxsize=1)
def _rule() -> tuple[np.ndarray, np.ndarray]:
    x, w = np.polynomial.legendre.leggauss(NODES)
    return (x + 1) * REACH / 2, w * REACH / 2


@lru_cache(maxsize=256)
def median_of_noise(beta: float) -> float:
    """Return the median of the Marchenko–Pastur law of ratio beta, from 0 to 1."""
    low, high = (1 - beta**0.5) ** 2, (1 + beta**0.5) ** 2

    def above(t: float) -> float:
        # x = mid − half·cos θ takes the square roots out of the density
        mid, half = (low + high) / 2, (high - low) / 2
        start = np.arccos(np.clip((mid - t) / half, -1, 1))
        return float(
            quad(lambda a: (half * np.sin(a)) ** 2 / (2 * np.pi * beta * (mid - half * np.cos(a))), start, np.pi)[0]
        )

    return float(brentq(lambda t: above(t) - 0.5, low, high))
