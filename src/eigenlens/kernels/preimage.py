"""From scores back to rows: exactly for linear kernels, learned for others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..arrays import namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from .coordinates import LandmarkCoordinates, SquaresPath, WholeCoordinates
from .families import Gaussian
from .landmarks import choose_landmarks
from .reduction import reduce, ridge

EXACT_ROWS, LANDMARKS = 1000, 300  # beyond so many rows the regression takes so many landmarks


@stored("Preimage")
@dataclass(frozen=True, eq=False)
class Preimage:
    """A map from scores to rows: a kernel part, and a linear part."""

    slopes: Array
    constant: Array
    kernel: Any = None
    points: Any = None
    coefficients: Any = None

    def __call__(self, scores: Array) -> Array:
        linear = scores @ namespaces.like(self.slopes, scores) + namespaces.like(self.constant, scores)
        if self.kernel is None:
            return linear
        points, c = namespaces.like(self.points, scores), namespaces.like(self.coefficients, scores)
        return linear + self.kernel._apply(scores, points, c)

    @classmethod
    def linear(cls, points: Array, dual: Array, mean: Array) -> Preimage:
        """Return the map of a linear kernel: its axes are dualᵀ points."""
        axes = dual.T @ points
        xp = namespaces.namespace(points)
        return cls(xp.linalg.solve(axes @ axes.T, axes), mean)

    @classmethod
    def learned(cls, points: Array, scores: Array, weight: Array | None = None) -> Preimage:
        """Regress points on scores, with straight lines free and λ by generalised cross-validation."""
        xp = namespaces.namespace(points)
        w = xp.ones_like(points[:, 0]) if weight is None else weight
        centre, root = (w / xp.sum(w)) @ points, xp.sqrt(w)[:, None]
        Y = points - centre
        slopes = xp.linalg.pinv(root * scores) @ (root * Y)
        rest = Y - scores @ slopes
        kernel = Gaussian()._resolved(scores, weight)
        if points.shape[0] <= EXACT_ROWS:
            red = reduce(kernel, scores, w, keep=True)
            lam = SquaresPath(WholeCoordinates(red), rest).scores(None).best("gcv")
            c, gamma = ridge(red, rest, lam)
            return cls(slopes, centre + gamma[0, :], kernel, scores, c)
        marks = choose_landmarks(kernel, scores, LANDMARKS, weight)
        path = SquaresPath(LandmarkCoordinates(marks, scores, w, rest), rest)
        c, gamma = path.solution(path.scores(None).best("gcv"))
        return cls(slopes, centre + gamma[0, :], kernel, marks.rows, c)
