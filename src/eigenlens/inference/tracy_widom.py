r"""The law of the largest eigenvalue of noise: Tracy–Widom, β = 1.

.. math:: F_1(s) = \det(I - K_s), \qquad K_s(x, y) = \mathrm{Ai}(x + y + s) \text{ on } L^2(0, \infty),

by Gauss–Legendre quadrature, which converges exponentially.

References
----------
Tracy, Widom (1996), On orthogonal and symplectic matrix ensembles. Ferrari, Spohn (2005), A determinantal formula for
the GOE Tracy–Widom distribution. Bornemann (2010), On the numerical evaluation of distributions in random matrix
theory. Johnstone (2001), On the distribution of the largest eigenvalue in principal components analysis. Nadler
(2011), On the distribution of the ratio of the largest eigenvalue to the trace of a Wishart matrix.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import Chebyshev
from scipy.optimize import brentq
from scipy.special import airy

NODES = 60
REACH = 20.0  # Ai(20) is 10⁻²⁷: nothing is left beyond
TABLE, DEGREE = (-8.0, 8.0), 64  # where the distribution function is interpolated, for its derivatives
RANGE = (-9.0, 40.0)  # outside, the distribution function is 0 or 1 to all digits


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
    >>> from eigenlens.inference.tracy_widom import survival
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
