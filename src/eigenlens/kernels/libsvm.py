"""Hinge and ε-insensitive loss on the full kernel matrix: libsvm through scikit-learn, polished on request.

libsvm rounds the kernel matrix to single precision, so that its solution has about seven digits of the largest entry of
K. It finds which rows are free support vectors; their coefficients then solve a linear system in double precision,
which gives the remaining digits.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
from sklearn.exceptions import ConvergenceWarning

from ..arrays import errors

TOLERANCE = 1e-9
MOST_FREE = 2000  # free support vectors beyond which polishing costs more than it gives
ROUNDS = 30
STEPS = 100_000_000  # of libsvm times rows: a second or two
FEW_ROWS = 50  # rows below which a step takes as long as with so many
SINGLE = 1e7  # kernel values whose rounding to single precision is as large as the targets
DOUBLE = TOLERANCE / np.finfo(float).eps  # kernel values times coefficients whose rounding is as large as the tolerance
EXCESS = 1e-2  # share by which the risk may exceed the least before libsvm is not believed
SLACK = 1e-9  # by how much a condition may fail and still count as met, relative to the size of the targets
CACHE = 500
ZERO, FREE, BOUND = 0, 1, 2


def hinge(K: np.ndarray, y: np.ndarray, weight: np.ndarray, lam: float, polish: bool) -> tuple[np.ndarray, float]:
    """Return a and b of f = Σ aᵢ k(xᵢ, ·) + b for labels ±1: min Σ w max(0, 1 − y f) + λ‖f‖²."""
    from sklearn.svm import SVC

    C = 1.0 / (2.0 * lam)
    model = SVC(kernel="precomputed", C=C, tol=TOLERANCE, cache_size=CACHE)
    _fit(model, _centred(K) if polish else K, y, weight)
    a, b = _dense(model, len(y)), float(model.intercept_[0])
    return _polish(K, a, _Conditions(np.arange(len(y)), y, y, C * weight)) if polish else (a, b)


def insensitive(
    K: np.ndarray, y: np.ndarray, weight: np.ndarray, lam: float, epsilon: float, polish: bool
) -> tuple[np.ndarray, float]:
    """Return a and b of f = Σ aᵢ k(xᵢ, ·) + b: min Σ w max(0, |y − f| − ε) + λ‖f‖²."""
    from sklearn.svm import SVR

    C, centre, size = 1.0 / (2.0 * lam), float(np.median(y)), float(np.ptp(y)) or 1.0
    # libsvm's tolerance is absolute: responses of another size would be fitted to other digits
    model = SVR(kernel="precomputed", C=C / size, epsilon=epsilon / size, tol=TOLERANCE, cache_size=CACHE)
    _fit(model, _centred(K) if polish else K, (y - centre) / size, weight)
    a, b = _dense(model, len(y)) * size, float(model.intercept_[0]) * size + centre
    if not polish:
        return a, b
    rows, signs = np.tile(np.arange(len(y)), 2), np.repeat([1.0, -1.0], len(y))
    conditions = _Conditions(rows, signs, np.tile(y, 2) - signs * epsilon, np.tile(C * weight, 2))
    return _polish(K, a, conditions)


def excess(K: np.ndarray, a: np.ndarray, loss: np.ndarray, gain: float, lam: float) -> float:
    """Return by what share of itself the risk of a solution may exceed the least: the dual value is never above that.

    `loss` holds w·ℓ at each row, and `gain` the linear part of the dual objective.
    """
    norm = lam * float(a @ (K @ a))
    risk, below = float(loss.sum()) + norm, 2.0 * lam * gain - norm
    return (risk - below) / risk if risk > 0 else 0.0


def _fit(model: Any, K: np.ndarray, y: np.ndarray, weight: np.ndarray) -> None:
    """Run libsvm to its end, or where rounding may leave it none for some seconds; refuse numbers it cannot take."""
    size, bound = float(np.abs(K).max(initial=0.0)), float(model.C * np.max(weight))
    endless = size > SINGLE or size * bound > DOUBLE
    most = max(1000, 100 * len(y), STEPS // max(len(y), FEW_ROWS))
    model.set_params(max_iter=most if endless else -1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(K, y, sample_weight=weight)
        if endless and np.max(model.n_iter_) >= most:
            errors.warn(
                errors.NotConvergedWarning(
                    f"libsvm took max_iter={most:,} steps and has not converged: kernel values of up to {size:.1e} and "
                    f"coefficients of up to {bound:.1e} leave too few digits. Divide the columns by their size and "
                    "centre them, divide the weights by their mean, or use a larger lam or n_landmarks."
                )
            )
    except ValueError as error:
        raise errors.InputError(
            f"kernel values of up to {size:.1e} are too large for this loss ({str(error).partition('.')[0]}); divide "
            f"the columns by their size, or use a kernel of lower degree, a larger lam or loss='squared'."
        ) from error


@dataclass(frozen=True, eq=False)
class _Conditions:
    """When a is the solution: for a coefficient side·z of a row, with 0 ≤ z ≤ most,

    side·(f − target) is ≥ 0 where z = 0, = 0 where z is free, ≤ 0 where z = most.
    """

    rows: np.ndarray
    side: np.ndarray
    target: np.ndarray
    most: np.ndarray

    def join(self, z: np.ndarray) -> np.ndarray:
        return np.bincount(self.rows, weights=self.side * z)

    def intercept(self, f: np.ndarray, state: np.ndarray) -> float:
        """Return the b in the middle of those that meet the conditions best, where f lacks it."""
        gap = self.target - f[self.rows]
        if (state == FREE).any():
            return float(np.median(gap[state == FREE]))
        # side·(f + b − target) ≥ 0 at zero and ≤ 0 at the bound: each gives b an end
        at_least = ((state == ZERO) & (self.side > 0)) | ((state == BOUND) & (self.side < 0))
        return float((gap[at_least].max(initial=gap.min()) + gap[~at_least].min(initial=gap.max())) / 2)


def _dense(model: Any, n: int) -> np.ndarray:
    a = np.zeros(n)
    a[model.support_] = model.dual_coef_[0]
    return a


def _centred(K: np.ndarray) -> np.ndarray:
    """Take out what the equation Σa = 0 makes of no account, and single precision would round first."""
    means = K.mean(axis=0)
    return K - means - (means - means.mean())[:, None]


def _polish(K: np.ndarray, a: np.ndarray, on: _Conditions) -> tuple[np.ndarray, float]:
    """Solve for the free support vectors in double precision, and move rows between the sets where conditions fail.

    What libsvm found stays where this comes to no end.
    """
    z = np.clip(a[on.rows] * on.side, 0.0, on.most)
    state = np.where(z <= 1e-6 * on.most, ZERO, np.where(z >= on.most * (1 - 1e-6), BOUND, FREE))
    start = a, on.intercept(K @ a, state)
    slack = SLACK * (1.0 + np.abs(on.target).max())
    for _ in range(ROUNDS):
        free = state == FREE
        if not 0 < free.sum() <= MOST_FREE:
            return start
        z = np.where(state == BOUND, on.most, 0.0)
        found = _system(K, on, free, on.join(z))
        z[free] = found[:-1] * on.side[free]
        now = on.join(z)
        v = on.side * ((K @ now)[on.rows] + found[-1] - on.target)
        moved = state.copy()
        moved[free & (z < 0)], moved[free & (z > on.most)] = ZERO, BOUND
        moved[((state == ZERO) & (v < -slack)) | ((state == BOUND) & (v > slack))] = FREE
        if (moved == state).all():
            return now, float(found[-1])
        state = moved
    return start


def _system(K: np.ndarray, on: _Conditions, free: np.ndarray, fixed: np.ndarray) -> np.ndarray:
    """Return the coefficients of free rows, and b: f meets their targets, and all coefficients add to zero."""
    rows, k = on.rows[free], int(free.sum())
    system = np.ones((k + 1, k + 1))
    system[:k, :k], system[k, k] = K[np.ix_(rows, rows)], 0.0
    right = np.append(on.target[free] - K[rows] @ fixed, -fixed.sum())
    with warnings.catch_warnings():
        warnings.simplefilter("error", scipy.linalg.LinAlgWarning)
        try:
            return scipy.linalg.solve(system, right, assume_a="sym", check_finite=False)
        except (scipy.linalg.LinAlgError, scipy.linalg.LinAlgWarning):
            return scipy.linalg.lstsq(system, right, check_finite=False)[0]
