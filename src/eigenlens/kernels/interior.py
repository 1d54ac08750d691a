r"""Hinge and ε-insensitive loss in the coordinates of landmarks, by an interior point method.

The dual is a quadratic programme with a box and one equation,

.. math:: \min \tfrac12 \|\Phi^T a\|^2 + q^T z, \quad a = \sum_j s_j z_j, \quad 1^T a = 0, \quad 0 \le z \le u,

with one variable for each row (hinge) or two (ε-insensitive). Each step solves a system as large as the number of
landmarks, so that the work is linear in the number of rows (Ferris and Munson 2002; Mehrotra's corrector).

libsvm on the same coordinates takes longer, ever more so the more rows there are, for half of the digits, and liblinear
penalises the intercept: `benchmarks/bench_landmark_losses_beat_libsvm.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from ..arrays import errors, linalg, namespaces
from ..arrays.typing import Array

STEPS = 80
TOLERANCE, ENOUGH = 1e-14, 1e-10  # of complementarity: aimed at, and accepted where rounding allows no more
RESIDUAL = 1e-4  # how much an error of the equations counts relative to it: an optimum is flat, and feels them less
NEARLY = 0.995  # share of the way to the boundary that a step may go
PATIENCE, HOPELESS = 2, 12  # steps without progress: with an answer good enough, and with none
REFINED = 2  # times that a step is corrected by its residual
STALLED = 1e-10  # length of a step that leads nowhere
LOST = 1e-3  # rounding of ΦᵀDΦ at which the identity added to it has too few digits left
RANGE = 1e-100, 1e100  # bounds beyond which products of them overflow or vanish
ROUNDING = 1e-11  # by which the conditions of an optimum may fail that was solved for
USED = 1e-6  # share of its bound above which a coefficient is not 0


def hinge(coordinates: Any, y: Array, weight: Array, lam: float) -> tuple[Array, Array, Array]:
    """Return β, γ and a for labels ±1: min Σ w max(0, 1 − y f) + λ‖f‖²."""
    return _scaled(coordinates, y[None, :], -namespaces.namespace(y).ones_like(y)[None, :], weight, 2.0 * lam)


def insensitive(coordinates: Any, y: Array, weight: Array, lam: float, epsilon: float) -> tuple[Array, Array, Array]:
    """Return β, γ and a: min Σ w max(0, |y − f| − ε) + λ‖f‖²."""
    xp = namespaces.namespace(y)
    signs = xp.stack([xp.ones_like(y), -xp.ones_like(y)])
    # the tolerances are absolute: responses of another size would be fitted to other digits
    centre = float(np.median(namespaces.to_numpy(y)))
    size = float(xp.max(xp.abs(y - centre))) or 1.0
    found = _scaled(coordinates, signs, (epsilon - signs * (y - centre)) / size, weight, 2.0 * lam * size)
    beta, gamma, a = (part * size for part in found)
    return beta, gamma + centre * coordinates.W**0.5, a


@dataclass
class _Point:
    """Where the method is: 0 < z < u with the rest r = u − z, and the multipliers of both bounds, all positive.

    The rest has its own place: as a difference it would be rounded to 0 where z comes near its bound. So has β: as Φᵀa
    it would be lost in rounding where some columns of Φ are very large, as those of polynomials far from the origin.
    """

    z: Array
    rest: Array
    low: Array
    high: Array
    beta: Array
    b: float = 0.0

    def gap(self, step: _Point | None = None, length: float = 0.0) -> float:
        """Return the mean complementarity, here or some way along a step."""
        to = self if step is None else self.moved(step, length)
        xp = namespaces.namespace(self.z)
        return float(xp.sum(to.z * to.low) + xp.sum(to.rest * to.high)) / (2 * self.z.shape[0] * self.z.shape[1])

    def moved(self, step: _Point, length: float) -> _Point:
        pairs = zip(self.parts(), step.parts(), strict=True)
        z, rest, low, high = (value + length * change for value, change in pairs)
        return _Point(z, rest, low, high, self.beta + length * step.beta, self.b + length * step.b)

    def parts(self) -> tuple[Array, ...]:
        return self.z, self.rest, self.low, self.high

    def reach(self, step: _Point) -> float:
        """Return how far along a step everything stays positive, at most 1."""
        xp, most = namespaces.namespace(self.z), 1.0
        for value, change in zip(self.parts(), step.parts(), strict=True):
            falls = change < 0
            ratio = xp.where(falls, -value / xp.where(falls, change, -xp.ones_like(change)), xp.ones_like(value))
            most = min(most, float(xp.min(ratio)))
        return most


def _scaled(c: Any, s: Array, q: Array, weight: Array, strength: float) -> tuple[Array, Array, Array]:
    """Solve with bounds that can be multiplied.

    Under a penalty so strong that they vanish, all z are at their bounds, and β is proportional to them. Under one so
    weak that they overflow, none is there, and β does not depend on them.
    """
    largest = float(namespaces.namespace(weight).max(weight))
    with np.errstate(over="ignore", under="ignore"):
        bound = float(np.float64(largest) / strength) if strength > 0 else np.inf
    kept = min(max(bound, RANGE[0]), RANGE[1])
    beta, gamma, a = _solve(c, s, q, weight / largest * kept)
    return (beta * (bound / kept), gamma, a * (bound / kept)) if bound < kept else (beta, gamma, a)


def _solve(c: Any, s: Array, q: Array, most: Array) -> tuple[Array, Array, Array]:
    xp = namespaces.namespace(s)
    u = most[None, :] * xp.ones_like(s)
    scale, since = float(xp.max(most)), 0
    best: tuple[float, Any] = (float("inf"), None)
    start = max(1.0, scale) * xp.ones_like(s)
    one = xp.ones_like(most)
    at = _Point(0.5 * u, 0.5 * u, start, start, 0.0 * c.back(one[:, None]))
    sizes = xp.sqrt(xp.linalg.diagonal(c.gram(one)))
    for _ in range(STEPS):
        a = xp.sum(s * at.z, axis=0)
        dual = -(s * (c.times(at.beta)[:, 0] + at.b) + q - at.low + at.high)
        pull = c.back(a[:, None]) - at.beta
        primal, gap = -float(xp.sum(a)), at.gap()
        residual = max(float(xp.max(xp.abs(dual))), abs(primal) / (scale * s.shape[1] ** 0.5), _share(pull, sizes, a))
        left = max(gap / scale, RESIDUAL * residual)
        since = 0 if left < 0.7 * best[0] else since + 1
        best = min(best, (left, (at.beta, at.b, a, at)), key=lambda found: found[0])
        if left <= TOLERANCE or (since >= PATIENCE and best[0] <= ENOUGH) or since >= HOPELESS:
            break
        there = _step(c, s, at, (dual, pull, primal), gap)
        if there is None:
            break
        at = there
    left, found = best
    if found is None:
        raise errors.InputError(
            "the interior point method has no finite start: the kernel values, the responses or 1/lam are too large. "
            "Divide the columns by their size, or use a larger lam."
        )
    beta, b, a, at = found
    solved = _on_the_faces(c, s, q, u, at) if left <= ENOUGH else None
    if solved is not None:
        beta, b, a = solved
    else:
        a = xp.where(xp.abs(a) > USED * most, a, xp.zeros_like(a))
    if left > ENOUGH:
        errors.warn(errors.not_converged(STEPS, "the interior point method", left, ENOUGH, "Use a larger lam."))
    gamma = xp.asarray([[b * c.W**0.5]], dtype=xp.float64, device=namespaces.device(s))
    return beta, gamma, a


def _share(pull: Array, sizes: Array, a: Array) -> float:
    """Return by how much β misses Φᵀa, relative to what the sum could be."""
    xp = namespaces.namespace(a)
    most = sizes * xp.linalg.vector_norm(a)
    return float(xp.max(xp.abs(pull[:, 0]) / xp.where(most > 0, most, xp.ones_like(most)))) if len(sizes) else 0.0


def _on_the_faces(c: Any, s: Array, q: Array, u: Array, at: _Point) -> tuple[Array, float, Array] | None:
    """Return β, b and a with each z at the bound it has come near and the free ones solved for; None if not an optimum.

    The method stops where its equations have lost their digits: its answer is then good to the square root of the gap.
    Which bounds hold is known by then, and the equations that are left are linear.
    """
    xp = namespaces.namespace(s)
    size = float(xp.max(at.low + at.high))
    free = (at.z / u > at.low / size) & (at.rest / u > at.high / size)
    bound = xp.where(~free & (at.rest < at.z), u, xp.zeros_like(u))
    a = xp.sum(s * bound, axis=0)
    slope = s * c.times(c.back(a[:, None]))[:, 0] + q
    row = xp.any(free, axis=0)
    count = int(xp.sum(xp.astype(row, xp.int64)))
    if count == 0:
        return _if_optimal(c, s, q, u, free, bound, a, _middle(s, slope, bound > 0))
    if count != int(xp.sum(xp.astype(free, xp.int64))) or count > len(c.d) + 1:
        return None  # more equations than unknowns: rows that coincide, and many an answer
    Phi = namespaces.to_numpy(c.rows(row))
    wanted = namespaces.to_numpy(-xp.sum(xp.where(free, s * slope, xp.zeros_like(slope)), axis=0)[row])
    K = np.ones((count + 1, count + 1))
    K[:count, :count], K[count, count] = Phi @ Phi.T, 0.0
    solved, _, rank, _ = np.linalg.lstsq(K, np.append(wanted, -float(xp.sum(a))), rcond=None)
    if rank <= count:
        return None
    a[row] += xp.asarray(solved[:count], dtype=xp.float64, device=namespaces.device(s))
    return _if_optimal(c, s, q, u, free, bound, a, float(solved[count]))


def _middle(s: Array, slope: Array, above: Array) -> float:
    """Return the middle of all b that are optimal where every z is at a bound: slope + s b ≥ 0 below, ≤ 0 above."""
    xp = namespaces.namespace(s)
    least = (s > 0) != above  # b is bounded from below there
    b, far = -s * slope, xp.full_like(slope, float("inf"))
    low, high = float(xp.max(xp.where(least, b, -far))), float(xp.min(xp.where(least, far, b)))
    return 0.5 * (low + high)


def _if_optimal(
    c: Any, s: Array, q: Array, u: Array, free: Array, bound: Array, a: Array, b: float
) -> tuple[Array, float, Array] | None:
    """Return β, b and a where no z leaves its bounds and no multiplier is negative beyond rounding."""
    xp = namespaces.namespace(s)
    z = xp.where(free, s * a, bound)
    beta = c.back(a[:, None])
    slope = s * (c.times(beta)[:, 0] + b) + q  # of the objective: 0 where z is free, inwards at a bound
    inwards = xp.where(free, -xp.abs(slope), xp.where(bound > 0, -slope, slope))
    worst = min(float(xp.min(z / u)), float(xp.min(1.0 - z / u)), float(xp.min(inwards)))
    return (beta, b, a) if worst >= -ROUNDING * max(1.0, float(xp.max(xp.abs(slope)))) else None


def _step(c: Any, s: Array, at: _Point, missing: tuple[Array, Array, float], gap: float) -> _Point | None:
    """Return the next point, by a predictor and Mehrotra's corrector; None where rounding leaves no way on."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        theta = at.low / at.z + at.high / at.rest
        factor = _factor(c, namespaces.namespace(s).sum(1.0 / theta, axis=0))
        if factor is None:
            return None
        system = (c, s, theta, factor, missing, at)
        ahead = _direction(system, -at.z * at.low, -at.rest * at.high)
        after = at.gap(ahead, at.reach(ahead))
        target = gap * min(after / gap, 1.0) ** 3
        step = _direction(
            system,
            target - at.z * at.low - ahead.z * ahead.low,
            target - at.rest * at.high - ahead.rest * ahead.high,
        )
        length = NEARLY * at.reach(step)
        there = at.moved(step, length)
    sound = length > STALLED and all(namespaces.all_finite(part) and _positive(part) for part in there.parts())
    return there if sound else None


def _positive(part: Array) -> bool:
    return float(namespaces.namespace(part).min(part)) > 0


def _factor(c: Any, inverse: Array) -> Array | None:
    """Return R with RᵀR = ΦᵀDΦ + I: by Cholesky, and where squaring has lost the identity, by QR."""
    if not namespaces.all_finite(inverse):
        return None
    H = c.gram(inverse)
    xp = namespaces.namespace(H)
    one = xp.eye(H.shape[0], dtype=xp.float64, device=namespaces.device(H))
    if namespaces.EPS * float(xp.sum(xp.linalg.diagonal(H))) < LOST:
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


def _direction(system: Any, low: Array, high: Array) -> _Point:
    """Return the step of z, β, b and both multipliers towards complementarity."""
    c, s, theta, _, (dual, pull, primal), at = system
    xp = namespaces.namespace(s)
    right = dual + low / at.z - high / at.rest
    dz, dbeta, db = _reduced(system, right, pull, primal)
    for _ in range(REFINED):  # the system has lost digits wherever theta is small
        along = xp.sum(s * dz, axis=0)
        image = c.times(dbeta)[:, 0] + db
        dual_left, pull_left = right - theta * dz - s * image, pull - dbeta + c.back(along[:, None])
        more = _reduced(system, dual_left, pull_left, primal - float(xp.sum(along)))
        dz, dbeta, db = dz + more[0], dbeta + more[1], db + more[2]
    return _Point(dz, -dz, (low - at.low * dz) / at.z, (high + at.high * dz) / at.rest, dbeta, db)


def _reduced(system: Any, right: Array, pull: Array, primal: float) -> tuple[Array, Array, float]:
    """Solve θ dz + s (Φ dβ + db) = right with dβ − Φᵀ Σ s dz = pull and Σ s dz = primal.

    The system is as large as Φ is wide.
    """
    c, s, theta, factor, *_ = system
    xp = namespaces.namespace(s)
    one, all_ones = xp.sum(s * right / theta, axis=0), xp.sum(s * s / theta, axis=0)
    given = c.back(xp.stack([one, all_ones], axis=1))
    solved = _back_solved(factor, xp.concat([given[:, :1] + pull, given[:, 1:]], axis=1))
    image = c.times(solved)
    first = (right - s * image[:, 0]) / theta
    second = (s - s * image[:, 1]) / theta
    db = float(np.divide(float(xp.sum(s * first)) - primal, float(xp.sum(s * second))))  # not finite: no way on
    return first - db * second, solved[:, :1] - db * solved[:, 1:], db
