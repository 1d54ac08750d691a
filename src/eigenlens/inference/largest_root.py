r"""The exact law of Roy's largest root, for normal data of any size.

The squared correlations of unrelated tables have the density ∝ Π xᵢᵃ(1 − xᵢ)ᵇ Π|xᵢ − xⱼ|. Integrated over a box this is
a Pfaffian (de Bruijn 1955), so that

.. math:: P(x_1 \le \theta)^2 = \det A(\theta) / \det A(1), \qquad
          A_{ij}(\theta) = \iint_{[0,\theta]^2} \mathrm{sgn}(y - x)\, f_i(x) f_j(y)\,dx\,dy,

with fᵢ any polynomials of degree i < s times the weight; an odd s adds a row of single integrals. In x = sin² u all of
this is smooth. The tail comes from A(1) − A(θ), small by itself, and so keeps its digits.

References
----------
de Bruijn (1955), On some multiple integrals involving determinants. Chiani (2016), Distribution of the largest root of
a matrix for Roy's test in multivariate analysis of variance (there with incomplete beta functions).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.optimize import brentq

DEPTH = 80.0  # natural logarithm of how far below its peak the weight is left out
NODES = 160
TINY = 1e-12  # as near as we go to the ends of a quarter turn


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
    >>> from eigenlens.inference.largest_root import largest_root_survival
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
    floor = _log_weight(peak, rise, fall) - DEPTH
    if _log_weight(edge, rise, fall) >= floor:
        return limit
    return float(brentq(lambda u: _log_weight(u, rise, fall) - floor, *sorted((edge, peak))))


def _log_weight(u: Any, rise: float, fall: float) -> Any:
    return rise * np.log(np.sin(u)) + fall * np.log(np.cos(u))


def _functions(ends: tuple[float, ...], rise: float, fall: float, q: int) -> tuple[np.ndarray, np.ndarray]:
    """Return, on both sides of the middle end, fᵢ at the nodes times the quadrature weights.

    They are made orthonormal one after the other, each from the last times x: powers would lose all digits.
    """
    nodes, weights, _ = _rule(NODES + 4 * q)
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
    _, weights, until = _rule(len(F))
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
def _rule(m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Gauss–Legendre nodes and weights, and the matrix that integrates from −1 to each node."""
    x, w = np.polynomial.legendre.leggauss(m)
    P = np.polynomial.legendre.legvander(x, m)
    k = np.arange(1, m)
    primitive = np.column_stack([1 + x, (P[:, 2:] - P[:, :-2])[:, : m - 1] / (2 * k + 1)])
    return x, w, primitive @ ((np.arange(m) + 0.5)[:, None] * (P[:, :m] * w[:, None]).T)
