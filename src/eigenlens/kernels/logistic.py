r"""Regularised logistic loss, binary or multinomial, by Newton's method with conjugate gradients inside.

.. math:: \min \sum_i w_i \log(1 + e^{-y_i F(x_i)}) + \lambda\|f\|^2, \quad F = f + t^T\gamma,

and for K classes the negative log-likelihood of softmax F with penalty λ Σ_k ‖f_k‖². In the coordinates used the second
derivative is close to diagonal, so that a diagonal preconditioner makes a few inner steps enough. Scikit-learn's Newton
solver reaches the same digits on the same coordinates, later, and neither leaves trends free nor runs on a device:
`benchmarks/bench_landmark_losses_beat_libsvm.py`.
"""

from __future__ import annotations

from typing import Any

from ..arrays import errors, linalg, namespaces
from ..arrays.typing import Array
from .coordinates import Coordinates


def fit_logistic(coordinates: Coordinates, Y: Array, weight: Array, lam: float) -> tuple[Array, Array, Array]:
    """Return β, γ and −w ℓ′/(2λ) for targets Y: (n, 1) of 0 and 1, or (n, K) indicators."""
    c, xp, outer = coordinates, namespaces.namespace(Y), 60
    tol = 1e-12  # of the preconditioned gradient, relative to its size at the start
    q, r, t = Y.shape[1], c.d.shape[0], c.free.shape[1]

    def scores(B: Array) -> Array:
        return c.times(B[:r, :]) + c.free @ B[r:, :]

    def back(R: Array) -> Array:
        return xp.concat([c.back(R), c.free.T @ R], axis=0)

    penalty = 2.0 * lam * xp.concat([xp.ones_like(c.d), xp.zeros_like(c.free[0, :])])[:, None]
    B = xp.zeros((r + t, q), dtype=xp.float64, device=namespaces.device(Y))
    F = scores(B)
    value, start = _value(F, Y, weight, B, penalty), None
    for _ in range(outer):
        P = _probabilities(F)
        gradient = back(weight[:, None] * (P - Y)) + penalty * B
        gradient = _without_common(gradient)
        curve = float(xp.sum(weight[:, None] * P * (1 - P)) / (xp.sum(weight) * q))
        diagonal = max(curve, 1e-6) * xp.concat([c.d, xp.ones_like(c.free[0, :])])[:, None] + penalty
        size = float(xp.sum(gradient**2 / diagonal)) ** 0.5
        start = size if start is None else start
        if size <= tol * start:
            break

        def hessian(D: Array, P: Array = P) -> Array:
            G = scores(D)
            return back(weight[:, None] * _curved(P, G)) + penalty * D

        share = min(1e-4, max(size / start, 1e-8)) if start > 0 else 1e-4
        D = _without_common(_conjugate(hessian, -gradient, diagonal, share))
        G, slope = scores(D), float(xp.sum(gradient * D))
        last = abs(slope) <= 1e-13 * max(abs(value), 1.0)  # the value no longer tells steps apart
        for k in range(40):
            length = 0.5**k
            there = _value(F + length * G, Y, weight, B + length * D, penalty)
            pays = there <= value + 1e-4 * length * slope
            if pays or last:
                B, F, value = B + length * D, F + length * G, there
                break
        if not pays:
            break
    else:
        errors.warn(errors.not_converged(outer, "the logistic fit", size, tol, "Use a larger lam."))
    return B[:r, :], B[r:, :], weight[:, None] * (Y - _probabilities(F)) / (2.0 * lam)


def _without_common(B: Array) -> Array:
    """Take out what all classes share: it changes no probability, and rounding would make it grow."""
    return B if B.shape[1] == 1 else B - namespaces.namespace(B).mean(B, axis=1, keepdims=True)


def _probabilities(F: Array) -> Array:
    return namespaces.namespace(F).exp(linalg.log_softmax(_every(F)))[:, -F.shape[1] :]


def _every(F: Array) -> Array:
    """Return the scores of all classes: of two, the first has 0."""
    xp = namespaces.namespace(F)
    return F if F.shape[1] > 1 else xp.concat([xp.zeros_like(F), F], axis=1)


def _curved(P: Array, G: Array) -> Array:
    """Return the second derivative of the loss, row by row, times G."""
    return P * (G - namespaces.namespace(P).sum(P * G, axis=1, keepdims=True))


def _value(F: Array, Y: Array, w: Array, B: Array, penalty: Array) -> float:
    xp = namespaces.namespace(F)
    loss = linalg.logsumexp(_every(F)) - xp.sum(F * Y, axis=1, keepdims=True)
    return float(xp.sum(w[:, None] * loss)) + 0.5 * float(xp.sum(penalty * B**2))


def _conjugate(apply: Any, R: Array, diagonal: Array, share: float) -> Array:
    """Solve apply(D) = R by conjugate gradients, preconditioned by a diagonal, to a share of the residual."""
    xp = namespaces.namespace(R)
    D, Z = xp.zeros_like(R), R / diagonal
    P, rho = Z, float(xp.sum(R * Z))
    goal = rho * share**2
    for _ in range(300):
        if rho <= goal or rho == 0:
            break
        A = apply(P)
        curve = float(xp.sum(P * A))
        if not curve > 0:
            break
        alpha = rho / curve
        D, R = D + alpha * P, R - alpha * A
        Z = R / diagonal
        rho, before = float(xp.sum(R * Z)), rho
        P = Z + (rho / before) * P
    return D
