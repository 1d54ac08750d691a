"""The maximum of the likelihood: steps of EM, then Newton steps that EM's own metric preconditions.

Each Newton step is solved by conjugate gradients whose first direction is that of EM; what follows accelerates it. A
step that does not raise the likelihood is shortened, and given up for one of EM, which always raises it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .likelihood import Point, Step

TOLERANCE = 1e-9  # of the slope over the weight, in units of Σ
SCORE = 1e-8  # the same, at which a maximum counts as found
EM_STEPS = 3  # before the first Newton step
MOST_STEPS = 100
MOST_INNER = 150
MOST_WORK = 1500  # evaluations: maxima that exist are found in about a hundred, and further ones end nowhere
MOST_STALLED = 30  # steps that shrink the slope where the likelihood no longer tells
LONGEST = 2.0  # a step changes no standard deviation by more than about e^LONGEST
ROUNDING = 1e-13  # of the log-likelihood, over the depth of Σ: smaller changes are not seen
SINGULAR = 1e-6  # depth of a covariance at which the climb is given up: the likelihood has no bound


@dataclass(frozen=True)
class Maximum:
    """Where an iteration ended.

    Attributes
    ----------
    point : Point
    path : list of float
        The log-likelihood after each step; it never falls.
    score : float
        The largest entry of the slope over the weight, in units of Σ.
    n_steps : int
        Evaluations of the likelihood or of its curvature.
    """

    point: Point
    path: list[float]
    score: float
    n_steps: int


def maximise(point: Point, tol: float = TOLERANCE, most: int = MOST_STEPS, em_steps: int = EM_STEPS) -> Maximum:
    """Climb from a point to the maximum of the likelihood.

    Parameters
    ----------
    point : Point
    tol : float
        Where the largest entry of the slope, over the weight and in units of Σ, may stop.
    most : int
        Steps at most.
    em_steps : int
        Steps of EM before the first of Newton; none where the maximum is near.
    """
    path, n_steps, stalled = [point.log_likelihood], 1, 0
    while point.slope.largest > tol and point.depth > SINGULAR and len(path) <= most and n_steps < MOST_WORK:
        if stalled >= MOST_STALLED:
            break
        if len(path) <= em_steps:
            new, work = point.after_em(), 1
        else:
            new, work = _after_newton(point, tol)
        n_steps += work
        if new.depth <= SINGULAR and np.isnan(new.log_likelihood):  # a step ended where columns determine each other
            return Maximum(new, path, float("inf"), n_steps)
        if not new.log_likelihood >= point.log_likelihood - _blur(point):
            break
        if _level(point, new) and new.slope.largest > 0.5 * point.slope.largest:
            em, stalled, n_steps = point.after_em(), stalled + 1, n_steps + 1  # rounding misleads Newton before EM
            new = em if em.slope.largest < new.slope.largest else new
            if new.slope.largest >= point.slope.largest:
                break
        point = new
        path.append(max(point.log_likelihood, path[-1]))
    return Maximum(point, path, point.slope.largest, n_steps)


def _after_newton(point: Point, tol: float) -> tuple[Point, int]:
    step, work = _newton_step(point, tol)
    reach = np.sqrt(2) * np.abs(np.linalg.eigvalsh(step.s)).max()
    step = step.times(min(1.0, LONGEST / max(reach, 1e-300)))
    rise = point.sample.weight * point.slope.dot(step)
    for _ in range(4):
        new = point.moved(step)
        work += 1
        if new.log_likelihood >= point.log_likelihood + 1e-4 * rise - _blur(point):
            return new, work
        step, rise = step.times(0.3), 0.3 * rise
    return point.after_em(), work + 1


def _newton_step(point: Point, tol: float) -> tuple[Step, int]:
    """Solve curvature · step = slope by conjugate gradients, as far as the distance to the maximum deserves."""
    b = point.slope
    norm = np.sqrt(b.dot(b))
    goal = max(norm * min(0.1, norm), 0.3 * tol)
    x, r, d = b.times(0.0), b, b
    square = r.dot(r)
    for k in range(1, MOST_INNER + 1):
        Ad = point.bent(d)
        bend = d.dot(Ad)
        if bend <= 1e-12 * d.dot(d):  # no maximum that way: the step so far, or that of EM, must do
            return (b if k == 1 else x), k
        alpha = square / bend
        x, r = x.plus(d, alpha), r.plus(Ad, -alpha)
        square, before = r.dot(r), square
        if np.sqrt(square) <= goal:
            break
        d = r.plus(d, square / before)
    return x, k


def _blur(point: Point) -> float:
    return ROUNDING * (abs(point.log_likelihood) + point.sample.weight) / point.depth


def _level(point: Point, new: Point) -> bool:
    return new.log_likelihood - point.log_likelihood <= _blur(point)
