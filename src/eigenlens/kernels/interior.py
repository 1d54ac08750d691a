r"""Hinge and ε-insensitive loss in coordinates, by an interior point method.

The dual is a quadratic programme with a box and one equation,

.. math:: \min \tfrac12 \|\Phi^T a\|^2 + q^T z, \quad a = \sum_j s_j z_j, \quad 1^T a = 0, \quad 0 \le z \le u,

with one variable for each row (hinge) or two (ε-insensitive), and without the equation where no constant is free. Each
step solves a system as large as the number of coordinates, so that the work is linear in the number of rows (Ferris and
Munson 2002; Mehrotra's corrector).

libsvm on the same coordinates takes longer, ever more so the more rows there are, for half of the digits, and liblinear
penalises the intercept: `benchmarks/bench_landmark_losses_beat_libsvm.py`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.linalg

from ..arrays import errors, linalg, namespaces
from ..arrays.typing import Array
from .coordinates import Coordinates
from .support import BOUND, FREE, ZERO, SupportProblem

STEPS = 80
TOLERANCE, ENOUGH = 1e-14, 1e-10  # of complementarity: aimed at, and accepted where rounding allows no more


def solve(c: Coordinates, problem: SupportProblem) -> tuple[Array, Array, Array]:
    """Return β, γ and a.

    Bounds so small or so large that products of them leave the range of numbers only scale β, or do not matter.
    """
    (centre, size), weight = problem.level(), problem.weight / problem.weight.max()
    with np.errstate(over="ignore", under="ignore"):
        largest = float(problem.most.max()) / size
    kept = min(max(largest, 1e-100), 1e100)
    scaled = replace(problem, target=(problem.target - centre) / size, most=weight * kept)
    beta, b, a = _Search(c, scaled).run()
    factor = size * min(largest / kept, 1.0)
    gamma = (b * size + centre) / c.free[:1, :1] if problem.constant else c.free[:1, :].T
    return beta * factor, gamma, a * factor


class _Search:
    """Where the method is.

    `at` holds z, the rest u − z and the multipliers of both bounds, all positive. The rest has its own place: as a
    difference it would be rounded to 0 where z comes near its bound. So has β: as Φᵀa it would be lost in rounding
    where some columns of Φ are very large, as those of polynomials far from the origin.
    """

    def __init__(self, c: Coordinates, problem: SupportProblem) -> None:
        self.c, self.problem, xp = c, problem, namespaces.namespace(c.free)
        self.s, target = namespaces.like(problem.side, c.free), namespaces.like(problem.target, c.free)
        self.q, most = -self.s * target, namespaces.like(problem.most, c.free)
        self.scale = float(xp.max(most))
        half, start = 0.5 * most * xp.ones_like(self.s), max(1.0, self.scale) * xp.ones_like(self.s)
        self.at = xp.stack([half, half, start, start])
        one = xp.ones_like(most)
        self.sizes = xp.sqrt(xp.linalg.diagonal(c.gram(one)))
        self.beta, self.b = 0.0 * c.back(one[:, None]), 0.0

    def run(self) -> tuple[Array, float, Array]:
        """Return β, b and a."""
        xp, since = namespaces.namespace(self.s), 0
        found, least, reached = None, np.inf, np.inf
        for _ in range(STEPS):
            a = xp.sum(self.s * self.at[0, ...], axis=0)
            dual = self.at[2, ...] - self.at[3, ...] - self.s * (self.c.times(self.beta)[:, 0] + self.b) - self.q
            pull, primal = self.c.back(a[:, None]) - self.beta, -float(xp.sum(a)) * self.problem.constant
            gap = _gap(self.at)
            residual = max(
                float(xp.max(xp.abs(dual))), abs(primal) / (self.scale * a.shape[0] ** 0.5), self._off(pull, a)
            )
            left = max(gap / self.scale, 1e-4 * residual)  # an optimum is flat, and feels errors of the equations less
            reached, since = (left, 0) if left < 0.7 * reached else (reached, since + 1)  # slow progress is some
            if left < least:
                least, found = left, (self.beta, self.b, a, self.at)
            if left <= TOLERANCE or (since >= 2 and least <= ENOUGH) or since >= 12:
                break
            if not self._step(dual, pull, primal, gap):
                break
        if found is None:
            raise errors.InputError(
                "the interior point method has no finite start: the kernel values, the responses or 1/lam are too "
                "large. Divide the columns by their size, or use a larger lam."
            )
        if least > ENOUGH:
            errors.warn(errors.not_converged(STEPS, "the interior point method", least, ENOUGH, "Use a larger lam."))
        beta, b, a, at = found
        solved = self._on_faces(namespaces.to_numpy(at)) if least <= ENOUGH else None
        if solved is None:
            most = namespaces.like(self.problem.most, a)
            return beta, b, xp.where(xp.abs(a) > 1e-6 * most, a, xp.zeros_like(a))
        a = namespaces.like(solved[0], self.s)
        return self.c.back(a[:, None]), solved[1], a

    def _off(self, pull: Array, a: Array) -> float:
        """Return by how much β misses Φᵀa, relative to what the sum could be."""
        xp = namespaces.namespace(a)
        most = self.sizes * xp.linalg.vector_norm(a)
        ratio = xp.abs(pull[:, 0]) / xp.where(most > 0, most, xp.ones_like(most))
        return float(xp.max(ratio)) if most.shape[0] else 0.0

    def _on_faces(self, at: np.ndarray) -> tuple[np.ndarray, float] | None:
        """Solve with each z at the bound it has come near.

        The method stops where its equations have lost their digits: its answer is then good to the square root of the
        gap. Which bounds hold is known by then, and the equations that are left are linear.
        """
        z, rest, low, high = at
        u, size = z + rest, float((low + high).max())
        free = (z / u > low / size) & (rest / u > high / size)
        state = np.where(free, FREE, np.where(rest < z, BOUND, ZERO))

        def inner(rows: np.ndarray) -> np.ndarray:
            phi = namespaces.to_numpy(self.c.rows(rows))
            return phi @ phi.T

        def image(a: np.ndarray) -> np.ndarray:
            return namespaces.to_numpy(self.c.times(self.c.back(namespaces.like(a[:, None], self.s))))[:, 0]

        return self.problem.on_faces(state, inner, image, self.c.d.shape[0] + 1)

    def _step(self, dual: Array, pull: Array, primal: float, gap: float) -> bool:
        """Move by a predictor and Mehrotra's corrector; tell whether rounding left a way on."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            xp, at = namespaces.namespace(self.s), self.at
            self.theta = at[2, ...] / at[0, ...] + at[3, ...] / at[1, ...]
            factor = _factor(self.c, xp.sum(1.0 / self.theta, axis=0))
            if factor is None:
                return False
            self.factor = factor
            products = -at[:2, ...] * at[2:, ...]
            ahead, _, _ = self._direction(dual, pull, primal, products)
            after = _gap(at + _reach(at, ahead) * ahead)
            target = gap * min(after / gap, 1.0) ** 3
            wanted = target + products - ahead[:2, ...] * ahead[2:, ...]
            step, dbeta, db = self._direction(dual, pull, primal, wanted)
            length = 0.995 * _reach(at, step)
            there = at + length * step
        if not (length > 1e-10 and namespaces.all_finite(there) and float(xp.min(there)) > 0):
            return False
        self.at, self.beta, self.b = there, self.beta + length * dbeta, self.b + length * db
        return True

    def _direction(self, dual: Array, pull: Array, primal: float, wanted: Array) -> tuple[Array, Array, float]:
        """Return the step of z, rest and multipliers, of β and of b, towards complementarity."""
        xp, s, at = namespaces.namespace(self.s), self.s, self.at
        right = dual + wanted[0, ...] / at[0, ...] - wanted[1, ...] / at[1, ...]
        dz, dbeta, db = self._reduced(right, pull, primal)
        for _ in range(2):  # the system has lost digits wherever theta is small
            along = xp.sum(s * dz, axis=0)
            image = self.c.times(dbeta)[:, 0] + db
            dual_left = right - self.theta * dz - s * image
            pull_left = pull - dbeta + self.c.back(along[:, None])
            more = self._reduced(dual_left, pull_left, primal - float(xp.sum(along)))
            dz, dbeta, db = dz + more[0], dbeta + more[1], db + more[2]
        low = (wanted[0, ...] - at[2, ...] * dz) / at[0, ...]
        high = (wanted[1, ...] + at[3, ...] * dz) / at[1, ...]
        return xp.stack([dz, -dz, low, high]), dbeta, db

    def _reduced(self, right: Array, pull: Array, primal: float) -> tuple[Array, Array, float]:
        """Solve θ dz + s (Φ dβ + db) = right with dβ − Φᵀ Σ s dz = pull and Σ s dz = primal.

        The system is as large as Φ is wide.
        """
        xp, s, theta = namespaces.namespace(self.s), self.s, self.theta
        given = self.c.back(xp.stack([xp.sum(s * right / theta, axis=0), xp.sum(s * s / theta, axis=0)], axis=1))
        solved = _back_solved(self.factor, xp.concat([given[:, :1] + pull, given[:, 1:]], axis=1))
        image = self.c.times(solved)
        first, second = (right - s * image[:, 0]) / theta, (s - s * image[:, 1]) / theta
        if not self.problem.constant:
            return first, solved[:, :1], 0.0
        db = float(np.divide(float(xp.sum(s * first)) - primal, float(xp.sum(s * second))))  # not finite: no way on
        return first - db * second, solved[:, :1] - db * solved[:, 1:], db


def _gap(at: Array) -> float:
    """Return the mean complementarity."""
    return float(namespaces.namespace(at).mean(at[:2, ...] * at[2:, ...]))


def _reach(at: Array, step: Array) -> float:
    """Return how far along a step everything stays positive, at most 1."""
    xp, falls = namespaces.namespace(at), step < 0
    ratio = xp.where(falls, -at / xp.where(falls, step, -xp.ones_like(at)), xp.ones_like(at))
    return min(1.0, float(xp.min(ratio)))


def _factor(c: Coordinates, inverse: Array) -> Array | None:
    """Return R with RᵀR = ΦᵀDΦ + I: by Cholesky, and where squaring has lost the identity, by QR."""
    if not namespaces.all_finite(inverse):
        return None
    H = c.gram(inverse)
    xp = namespaces.namespace(H)
    one = xp.eye(H.shape[0], dtype=xp.float64, device=namespaces.device(H))
    if namespaces.EPS * float(xp.sum(xp.linalg.diagonal(H))) < 1e-3:
        try:
            return xp.linalg.cholesky(H + one).T
        except (np.linalg.LinAlgError, RuntimeError):  # NumPy's and torch's
            pass
    return linalg.triangle(xp.concat([c.triangle(inverse), one], axis=0))


def _back_solved(R: Array, B: Array) -> Array:
    if isinstance(R, np.ndarray):
        return scipy.linalg.cho_solve((R, False), B, check_finite=False)
    xp = namespaces.namespace(R)
    return xp.linalg.solve(R, xp.linalg.solve(R.T, B))
