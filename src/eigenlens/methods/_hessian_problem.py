"""The problem of principal Hessian directions: curvatures of either sign, against the covariance of the columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import errors, linalg, namespaces
from ..arrays.typing import Array
from ..inference.inverse import hessian_test
from ..solve import Form, Spectrum, solve
from .spine.problem import Problem


@dataclass(frozen=True, eq=False)
class HessianProblem(Problem):
    """A = KΣ⁻¹K/(2 var e) against B = Σ; `centred` holds the moments of [X, y].

    Attributes
    ----------
    hessian : array of shape (p, p)
        K in the coordinates of X, over √(2 var e).
    size : float
        √(2 var e), in the units of y.
    slopes : array of shape (p,)
        Covariances of y with the columns.
    """

    hessian: Any = None
    size: float = 1.0
    slopes: Any = None

    condition_of = "X, columns scaled to unit variance,"
    signal = "The Hessian matrix"
    signal_advice = "y bends in fewer directions."

    def solve(self) -> Spectrum:
        """Turn the directions of A, whose values are squares, to those of K: curvatures κ and −κ are two of them."""
        found = solve(replace(self.pencil, n_components=None))
        curvatures, turn = linalg.symmetric_eigh(found.vectors.T @ self.hessian @ found.vectors)
        order = np.argsort(-np.abs(namespaces.to_numpy(curvatures)), kind="stable")
        xp = namespaces.namespace(curvatures)
        turned = replace(found, singular_values=xp.abs(curvatures)[order], left=None).mapped(
            found.vectors @ turn[:, order]
        )
        count = self.pencil.n_components
        if self.asked == "auto":
            values = namespaces.to_numpy(turned.values)
            count = max(1, hessian_test(values, self.moments.weight).dimension)
        return turned if count is None else turned.first(count)

    def shortfalls(self, spectrum: Spectrum) -> Iterator[Warning]:
        if bool((self.hessian == 0).all()):
            if self.moments.n_rows <= self.pencil.dimension + 1:  # any y is a line of so few rows
                return
            yield errors.RankWarning(
                "y is a linear function of the columns of X, up to rounding: it bends nowhere, and the direction given "
                "is arbitrary."
            )
            return
        yield from super().shortfalls(spectrum)


def parts_of(covariance: Form, p: int) -> tuple[Form, Array]:
    """Return the covariance of the first p columns, and their covariances with the last."""
    if covariance.factor is None:
        return Form(matrix=covariance.matrix[:p, :p]), covariance.matrix[:p, p]
    x = covariance.factor[:, :p]
    return Form(factor=x, squared=covariance.squared), x.T @ covariance.factor[:, p]


def weighted_sum(tables: Array, coefficients: Array) -> Array:
    """Return the sum of p tables of p × p numbers, each times its coefficient."""
    xp, p = namespaces.namespace(tables), tables.shape[0]
    return xp.reshape(coefficients @ xp.reshape(tables, (p, p * p)), (p, p))
