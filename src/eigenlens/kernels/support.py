"""Hinge and ε-insensitive loss as one quadratic programme, and libsvm on the full kernel matrix.

libsvm rounds the kernel matrix to single precision, so that its solution has about seven digits of the largest entry of
K. It finds which rows are free support vectors; their coefficients then solve a linear system in double precision,
which gives the remaining digits.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import scipy.linalg
from sklearn.exceptions import ConvergenceWarning

from ..arrays import errors

TOLERANCE = 1e-9
STEPS = 100_000_000  # of libsvm times rows: a second or two
EXCESS = 1e-2  # share by which the risk may exceed the least before libsvm is not believed
CACHE = 500
ZERO, FREE, BOUND = 0, 1, 2


@dataclass(frozen=True, eq=False)
class SupportProblem:
    """min ½ aᵀKa − Σ target·side·z with a = Σ side·z over the variables of a row, Σ a = 0, 0 ≤ z ≤ most.

    At the optimum f = Ka + b has side·(f − target) ≥ 0 where z = 0, = 0 where z is free, ≤ 0 where z = most.

    Attributes
    ----------
    side, target : ndarrays of shape (v, n)
        One variable for each row (hinge) or two (ε-insensitive).
    most : ndarray of shape (n,)
        w/(2λ).
    weight : ndarray of shape (n,)
    lam : float
    epsilon : float or None
        None for the hinge.
    constant : bool
        Whether b is free; without it b = 0, and Σ a is anything.
    """

    side: np.ndarray
    target: np.ndarray
    most: np.ndarray
    weight: np.ndarray
    lam: float
    epsilon: float | None = None
    constant: bool = True

    @classmethod
    def of(
        cls, y: np.ndarray, weight: np.ndarray, lam: float, epsilon: float | None = None, constant: bool = True
    ) -> SupportProblem:
        """Labels ±1: Σ w max(0, 1 − y f) + λ‖f‖²; with ε responses: Σ w max(0, |y − f| − ε) + λ‖f‖²."""
        with np.errstate(over="ignore", under="ignore"):
            most = weight / (2.0 * lam)
        if epsilon is None:
            return cls(y[None, :], y[None, :], most, weight, lam, None, constant)
        side = np.stack([np.ones_like(y), -np.ones_like(y)])
        return cls(side, y - side * epsilon, most, weight, lam, epsilon, constant)

    def level(self) -> tuple[float, float]:
        """Return the middle and the size of responses; with absolute tolerances others would get other digits."""
        if self.epsilon is None:
            return 0.0, 1.0
        y = self.target.mean(axis=0)
        if not self.constant:
            return 0.0, float(np.abs(y).max()) or 1.0
        return float(np.median(y)), float(np.ptp(y)) or 1.0

    def excess(self, image: np.ndarray, a: np.ndarray, b: float) -> float:
        """Return by what share of itself the risk of a may exceed the least: the dual value is never above that."""
        target = self.target - self.target.mean()  # the a add up to 0
        short = np.maximum(self.side * (self.target - b - image), 0.0).max(axis=0)
        norm = self.lam * float(a @ image)
        risk = float(self.weight @ short) + norm
        gain = float(np.sum(self.side * target * np.clip(self.side * a, 0.0, None)))
        return (risk - (2.0 * self.lam * gain - norm)) / risk if risk > 0 else 0.0

    def by_libsvm(self, K: np.ndarray, polish: bool, phi: np.ndarray | None = None) -> tuple[np.ndarray, float]:
        """Return a and b of f = Ka + b; polished, to double precision."""
        from sklearn.svm import SVC, SVR

        settings: dict[str, Any] = {"kernel": "precomputed", "tol": TOLERANCE, "cache_size": CACHE}
        C, (centre, size) = 1.0 / (2.0 * self.lam), self.level()
        if self.epsilon is None:
            model, y = SVC(C=C, **settings), self.target[0]
        else:
            model = SVR(C=C / size, epsilon=self.epsilon / size, **settings)
            y = (self.target.mean(axis=0) - centre) / size
        _run(model, _centred(K) if polish else K, y, self.weight)
        a = np.zeros(len(y))
        a[model.support_] = model.dual_coef_[0] * size
        return self.polished(a, K, phi) if polish else (a, float(model.intercept_[0]) * size + centre)

    def polished(self, a: np.ndarray, K: np.ndarray, phi: np.ndarray | None = None) -> tuple[np.ndarray, float]:
        """Return a and b to double precision, from an a that tells which variables are free.

        K is not looked at where coordinates are given, whose products it has.
        """
        z = np.clip(self.side * a, 0.0, self.most)
        state = np.where(z <= 1e-6 * self.most, ZERO, np.where(z >= self.most * (1 - 1e-6), BOUND, FREE))

        def inner(rows: np.ndarray) -> np.ndarray:
            return K[np.ix_(rows, rows)] if phi is None else phi[rows] @ phi[rows].T

        def image(a: np.ndarray) -> np.ndarray:
            return K @ a if phi is None else phi @ (phi.T @ a)

        most_free = 2000 if phi is None else phi.shape[1] + 1  # more cost more than they give
        found = self.on_faces(state, inner, image, most_free)
        return (a, self.intercept(image(a), state)) if found is None else found

    def on_faces(
        self,
        state: np.ndarray,
        inner: Callable[[np.ndarray], np.ndarray],
        image: Callable[[np.ndarray], np.ndarray],
        most_free: int,
    ) -> tuple[np.ndarray, float] | None:
        """Solve for the free variables in double precision, and move others where conditions fail.

        Parameters
        ----------
        state : ndarray of shape (v, n)
            ZERO, FREE or BOUND: where each variable is thought to be.
        inner : function
            From numbers of rows to the kernel matrix among them.
        image : function
            From a to Ka.
        most_free : int
            More free variables than this have no unique answer, nor have both of a row.

        Returns
        -------
        a, b, or None where this comes to no end
        """
        slack = 1e-9 * (1.0 + np.abs(self.target).max())  # a condition may fail by so much
        for _ in range(30):
            free = state == FREE
            rows = np.flatnonzero(free.any(axis=0))
            k = len(rows)
            if k > most_free or int(free.sum()) > k:
                return None
            z = np.where(state == BOUND, self.most, 0.0)
            fixed = np.sum(self.side * z, axis=0)
            fits = image(fixed)
            if k:
                wanted = np.sum(np.where(free, self.target, 0.0), axis=0)[rows] - fits[rows]
                found = _system(inner(rows), wanted, -float(fixed.sum()), self.constant)
                z[:, rows] = np.where(free[:, rows], self.side[:, rows] * found[:-1], z[:, rows])
                b = float(found[-1])
            else:
                b = self.intercept(fits, state)
            a = np.sum(self.side * z, axis=0)
            off = self.side * (image(a) + b - self.target)
            moved = state.copy()
            moved[free & (z < 0)], moved[free & (z > self.most)] = ZERO, BOUND
            moved[((state == ZERO) & ~(off >= -slack)) | ((state == BOUND) & ~(off <= slack))] = FREE
            if (moved == state).all():
                return a, b
            state = moved
        return None

    def intercept(self, fits: np.ndarray, state: np.ndarray) -> float:
        """Return the b that free variables ask for, or the middle of all that are optimal where none is free."""
        gap = self.target - fits
        if not self.constant:
            return 0.0
        if (state == FREE).any():
            return float(np.median(gap[state == FREE]))
        least = (self.side > 0) != (state == BOUND)  # b is bounded from below there
        return float((gap[least].max(initial=gap.min()) + gap[~least].min(initial=gap.max())) / 2)


def one_against_one(
    K: np.ndarray, codes: np.ndarray, weight: np.ndarray, lam: float, polish: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return a (n, pairs) and b (pairs) of the machines for all pairs of three or more classes, from one run."""
    from sklearn.svm import SVC

    model = SVC(C=1.0 / (2.0 * lam), kernel="precomputed", tol=TOLERANCE, cache_size=CACHE)
    _run(model, _centred(K) if polish else K, codes, weight)
    places = [np.flatnonzero(codes[model.support_] == own) for own in range(len(model.classes_))]
    a = np.zeros((len(codes), len(model.intercept_)))
    for m, (i, j) in enumerate(combinations(range(len(places)), 2)):
        for own, row in ((i, j - 1), (j, i)):  # a row of a class has a coefficient for each other class
            a[model.support_[places[own]], m] = model.dual_coef_[row, places[own]]
    return a, model.intercept_


def _run(model: Any, K: np.ndarray, y: np.ndarray, weight: np.ndarray) -> None:
    """Run libsvm to its end, or where rounding may leave it none for some seconds; refuse numbers it cannot take."""
    size, bound = float(max(K.max(), -K.min())), float(model.C * np.max(weight))
    # rounding to single precision as large as the targets, or in double precision as large as the tolerance
    endless = size > 1e7 or size * bound > TOLERANCE / np.finfo(float).eps
    most = max(1000, 100 * len(y), STEPS // max(len(y), 50))
    model.set_params(max_iter=most if endless else -1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(K, y, sample_weight=weight)
    except ValueError as error:
        raise errors.InputError(
            f"kernel values of up to {size:.1e} are too large for this loss ({str(error).partition('.')[0]}); divide "
            f"the columns by their size, or use a kernel of lower degree, a larger lam or loss='squared'."
        ) from error
    if endless and np.max(model.n_iter_) >= most:
        errors.warn(
            errors.NotConvergedWarning(
                f"libsvm took max_iter={most:,} steps and has not converged: kernel values of up to {size:.1e} and "
                f"coefficients of up to {bound:.1e} leave too few digits. Divide the columns by their size and "
                "centre them, divide the weights by their mean, or use a larger lam or n_landmarks."
            )
        )


def _centred(K: np.ndarray) -> np.ndarray:
    """Take out what the equation Σa = 0 makes of no account, and single precision would round first."""
    means = K.mean(axis=0)
    if np.abs(means).max() <= np.finfo(np.float32).eps * max(K.max(), -K.min()):
        return K
    return K - means - (means - means.mean())[:, None]


def _system(K: np.ndarray, wanted: np.ndarray, total: float, constant: bool) -> np.ndarray:
    """Return a and b with Ka + b as wanted, where all a add up to a total; without a constant a, and 0."""
    k = len(wanted)
    system = np.ones((k + 1, k + 1))
    system[:k, :k], system[k, k] = K, 0.0
    if not constant:
        system[:k, k], system[k, :k], system[k, k], total = 0.0, 0.0, 1.0, 0.0
    right = np.append(wanted, total)
    with warnings.catch_warnings():
        warnings.simplefilter("error", scipy.linalg.LinAlgWarning)
        try:
            return scipy.linalg.solve(system, right, assume_a="sym", check_finite=False)
        except (scipy.linalg.LinAlgError, scipy.linalg.LinAlgWarning):
            return scipy.linalg.lstsq(system, right, check_finite=False)[0]
