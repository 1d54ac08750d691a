r"""Hinge and ε-insensitive loss in the coordinates of landmarks, by an interior point method.

The dual is a quadratic programme with a box and one equation,

.. math:: \min \tfrac12 \|\Phi^T a\|^2 + q^T z, \quad a = \sum_j s_j z_j, \quad 1^T a = 0, \quad 0 \le z \le u,

with one variable for each row (hinge) or two (ε-insensitive). Each step solves a system as large as the number of
landmarks, so that the work is linear in the number of rows (Ferris and Munson 2002; Mehrotra's corrector).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import errors
from .._core import xp as _xp
from .._core.typing import Array

STEPS = 80
TOLERANCE, ENOUGH = 1e-12, 1e-8  # of complementarity: aimed at, and accepted where rounding allows no more
NEARLY = 0.995  # share of the way to the boundary that a step may go


def hinge(coordinates: Any, y: Array, weight: Array, lam: float) -> tuple[Array, Array, Array]:
    """Return β, γ and a for labels ±1: min Σ w max(0, 1 − y f) + λ‖f‖²."""
    return _solve(coordinates, y[None, :], -_xp.namespace(y).ones_like(y)[None, :], weight / (2.0 * lam))


def insensitive(coordinates: Any, y: Array, weight: Array, lam: float, epsilon: float) -> tuple[Array, Array, Array]:
    """Return β, γ and a: min Σ w max(0, |y − f| − ε) + λ‖f‖²."""
    xp = _xp.namespace(y)
    signs = xp.stack([xp.ones_like(y), -xp.ones_like(y)])
    return _solve(coordinates, signs, epsilon - signs * y, weight / (2.0 * lam))


def _solve(c: Any, s: Array, q: Array, most: Array) -> tuple[Array, Array, Array]:
    xp = _xp.namespace(s)
    u = most[None, :] * xp.ones_like(s)
    z, mu, eta, b = 0.5 * u, xp.ones_like(s), xp.ones_like(s), 0.0
    pairs = s.shape[0] * s.shape[1]
    scale, before = float(xp.max(most)), float("inf")
    mu, eta = mu * max(1.0, scale), eta * max(1.0, scale)
    for _ in range(STEPS):
        a = xp.sum(s * z, axis=0)
        beta = c.back(a[:, None])
        f = c.times(beta)[:, 0]
        dual = -(s * (f + b) + q - mu + eta)
        primal = -float(xp.sum(a))
        gap = float(xp.sum(z * mu) + xp.sum((u - z) * eta)) / (2 * pairs)
        worst = float(xp.max(xp.abs(dual)))
        met = worst <= ENOUGH and abs(primal) <= ENOUGH * scale * s.shape[1] ** 0.5
        if met and (gap <= TOLERANCE * scale or (gap <= ENOUGH * scale and gap > 0.7 * before)):
            break
        before = gap
        theta = mu / z + eta / (u - z)
        factor = _factor(c, xp.sum(1.0 / theta, axis=0))
        ends = (z, mu, eta, u)
        step = _direction(c, s, theta, factor, dual, primal, ends, -z * mu, -(u - z) * eta)
        length = _length(ends, step)
        after = float(
            xp.sum((z + length * step[0]) * (mu + length * step[2]))
            + xp.sum((u - z - length * step[0]) * (eta + length * step[3]))
        ) / (2 * pairs)
        target = gap * (after / gap) ** 3
        low = target - z * mu - step[0] * step[2]
        high = target - (u - z) * eta + step[0] * step[3]
        step = _direction(c, s, theta, factor, dual, primal, ends, low, high)
        length = NEARLY * _length(ends, step)
        z, b = z + length * step[0], b + length * step[1]
        mu, eta = mu + length * step[2], eta + length * step[3]
    else:
        errors.warn(errors.not_converged(STEPS, "the interior point method", gap, TOLERANCE, "Use a larger lam."))
    W = getattr(c, "W", 1.0)
    gamma = xp.asarray([[b * W**0.5]], dtype=xp.float64, device=_xp.device(s))
    return beta, gamma, xp.where(xp.abs(a) > 1e-6 * most, a, xp.zeros_like(a))


def _factor(c: Any, inverse: Array) -> Array:
    H = c.gram(inverse)
    xp = _xp.namespace(H)
    return xp.linalg.cholesky(H + xp.eye(H.shape[0], dtype=xp.float64, device=_xp.device(H)))


def _back_solved(L: Array, R: Array) -> Array:
    if isinstance(L, np.ndarray):
        from scipy.linalg import cho_solve

        return cho_solve((L, True), R)
    xp = _xp.namespace(L)
    return xp.linalg.solve(L.T, xp.linalg.solve(L, R))


def _direction(
    c: Any, s: Array, theta: Array, L: Array, dual: Array, primal: float, ends: Any, low: Array, high: Array
) -> tuple[Array, float, Array, Array]:
    """Return the step of z, b and both multipliers towards complementarity."""
    z, mu, eta, u = ends
    xp = _xp.namespace(z)
    right = dual + low / z - high / (u - z)
    one, all_ones = xp.sum(s * right / theta, axis=0), xp.sum(s * s / theta, axis=0)
    V = _back_solved(L, c.back(xp.stack([one, all_ones], axis=1)))
    image = c.times(V)
    first = (right - s * image[:, 0]) / theta
    second = (s - s * image[:, 1]) / theta
    db = (float(xp.sum(s * first)) - primal) / float(xp.sum(s * second))
    dz = first - db * second
    return dz, db, low / z - (mu / z) * dz, high / (u - z) + (eta / (u - z)) * dz


def _length(ends: Any, step: Any) -> float:
    """Return how far all of z, u − z and the multipliers stay positive, at most 1."""
    z, mu, eta, u = ends
    xp = _xp.namespace(z)
    most = 1.0
    for value, change in ((z, step[0]), (u - z, -step[0]), (mu, step[2]), (eta, step[3])):
        ratio = xp.where(change < 0, -value / xp.where(change < 0, change, -xp.ones_like(change)), xp.ones_like(value))
        most = min(most, float(xp.min(ratio)))
    return most
