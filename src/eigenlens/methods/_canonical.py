"""The canonical problem that the joint covariance of two tables poses, its angles, and what they tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import errors, exponents, linalg, namespaces
from ..arrays.typing import Array
from ..inference.canonical import wilks
from ..inference.dimension_test import DimensionTest
from ..inference.incomplete import Hypothesis, of_pairs
from ..moments import Cross
from ..moments.redrawn import Redrawn
from ..solve import Form, Pencil, Spectrum, Whitening, solve, whiten
from ..solve.shrinkage import RidgedForm, plus_ridge, whiten_for
from .spine.canonical_tests import Sides, as_columns, table_leverages
from .spine.problem import Problem

NEARLY_ONE = 0.9999  # cosines beyond it tell directions apart worse than sines do


@dataclass(frozen=True, eq=False)
class CanonicalProblem(Problem):
    """A = Σ_xy Σ_yy⁺ Σ_yx against B = Σ_xx; `centred` holds the moments of [X, Y].

    Attributes
    ----------
    Syy : Form
        Covariance of Y. Where it has a factor, its rows are those of B's.
    y_whitening : Whitening
        Of Syy.
    ridge : float
        What was added to both diagonals, in the units of `centred`.
    """

    Syy: Form = None  # type: ignore[assignment]
    y_whitening: Whitening = None  # type: ignore[assignment]
    ridge: float = 0.0

    condition_of = "[X, Y], columns scaled to unit variance,"
    metric_advice = "Use ridge, or drop collinear columns, if these directions matter."

    @property
    def split(self) -> int:
        """Columns of X."""
        return self.pencil.dimension

    @property
    def side_by_side(self) -> tuple[tuple[slice, Sequence[str] | None], ...]:
        return (slice(None, self.split), self.names), (slice(self.split, None), None)

    @property
    def hypothesis(self) -> Callable[[Redrawn], Hypothesis] | None:
        def pairs(sample: Redrawn) -> Hypothesis:
            p = int(np.count_nonzero(sample.columns < self.split))
            return of_pairs(p, len(sample.columns) - p)

        return None if self.ridge else pairs

    def solve(self) -> Spectrum:
        spectrum = canonical_pairs(self)
        return spectrum.first(max(1, wilks_of_pairs(spectrum, self).dimension)) if self.asked == "auto" else spectrum

    def condition(self, spectrum: Spectrum) -> float:
        rho = min(float(spectrum.singular_values[0]), 1.0) if len(spectrum) else 0.0
        sine = ((1 - rho) * (1 + rho)) ** 0.5
        return max(spectrum.condition, self.y_whitening.condition, 1 / sine if sine > 0 else float("inf"))

    def whitenings(self, spectrum: Spectrum) -> Iterator[tuple[str, str, Whitening]]:
        yield from super().whitenings(spectrum)
        yield "Y", "Y", self.y_whitening


def require_variation(moments: Cross, ridge: float) -> None:
    """Refuse a single row, and tables that do not vary."""
    if moments.weight <= 1:
        raise errors.weight_too_small(moments.weight, 1, "W − 1")
    constant, p = None if ridge else namespaces.to_numpy(moments.joint.constant_columns()), moments.split
    if constant is not None and (constant[:p].all() or constant[p:].all()):
        raise errors.InputError(
            f"{'X' if constant[:p].all() else 'Y'}: every column is constant; nothing can be correlated with it. Leave "
            "the table out."
        )


def about_origin(moments: Cross) -> Cross:
    """Return what moments of the same rows would be if their mean were the origin."""
    joint = moments.joint
    mean, new = joint.shift + joint.pivot / joint.unit, joint.copy()
    new.store = joint.store.plus(Form(factor=mean * joint.weight**0.5, squared=False))
    new.pivot, new.shift = 0.0 * joint.pivot, 0.0 * joint.shift
    return moments._mapped(lambda part: new, lambda total: total)


def canonical_problem(
    moments: Cross, ridge: float, n_components: int, names: Any = None, asked: Any = None
) -> CanonicalProblem:
    """Pose the problem of X against Y.

    Parameters
    ----------
    moments : Cross
    ridge : float
        Added to both diagonals, in the units of the data. It asks for one unit in all columns.
    n_components : int
    names : sequence of str, optional
        Of the columns of X.
    asked : int, str or None
        `n_components` as it was given: with "auto", Wilks' test chooses the number of pairs.
    """
    joint = moments.joint.uniform()[0] if ridge else moments.joint
    ridge = exponents.ridge_over(ridge, float(joint.unit[0]))
    p, s = moments.split, joint.n_features - moments.split
    covariance = Form.of(joint, joint.weight - 1)
    Sxx, Syy = _halves(covariance, p, ridge)
    constant = None if ridge else joint.constant_columns()
    most = max(p, s) if ridge else max(1, joint.n_rows - 1)
    if isinstance(Syy, RidgedForm):
        y_whitening = whiten_for(Syy)
    else:
        y_whitening = whiten(Syy, None if constant is None else constant[p:], min(s, most))
    if covariance.factor is None:
        root = y_whitening.matrix.T @ covariance.matrix[p:, :p]
    else:  # what a ridge adds to one table has nothing to do with the other
        root = (covariance.factor[:, p:] @ y_whitening.matrix).T @ covariance.factor[:, :p]
    pencil = Pencil(
        Form(factor=root, squared=covariance.squared),
        Sxx,
        n_components=n_components,
        constant=None if constant is None else constant[:p],
        most=min(p, most),
    )
    return CanonicalProblem(pencil, moments, joint, names, asked, Syy, y_whitening, ridge)


def canonical_pairs(problem: CanonicalProblem) -> Spectrum:
    """Solve; where several angles are small, turn their pairs to the directions that the sines tell.

    Cosines of small angles are equal to rounding, and directions found with them any rotation of the right ones.
    """
    spectrum = solve(problem.pencil)
    m = int(np.count_nonzero(namespaces.to_numpy(spectrum.singular_values) > NEARLY_ONE))
    apart = _apart(spectrum.first(m), problem) if m > 1 else None
    if apart is None or spectrum.left is None:
        return spectrum
    xp = namespaces.namespace(apart)
    turn = xp.flip(linalg.thin_svd(apart)[2].T, axis=1)  # the smallest sine first
    vectors, left = (xp.concat([part[:, :m] @ turn, part[:, m:]], axis=1) for part in (spectrum.vectors, spectrum.left))
    return replace(spectrum, left=left).mapped(vectors)


def canonical_angles(spectrum: Spectrum, problem: CanonicalProblem) -> Array:
    """Return the canonical angles, from sine and cosine where factors give the sine."""
    rho = spectrum.singular_values
    xp = namespaces.namespace(rho)
    rho = xp.clip(rho, max=1.0)
    apart = _apart(spectrum, problem)
    if apart is None:
        return xp.atan2(xp.sqrt((1 - rho) * (1 + rho)), rho)
    return xp.atan2(xp.sqrt(xp.sum(apart**2, axis=0)), rho)


def _apart(spectrum: Spectrum, problem: CanonicalProblem) -> Array | None:
    """Return what the y variates have and X cannot give, the sines its lengths; None where factors are missing."""
    B = problem.pencil.B
    if B is None or B.factor is None or problem.Syy.factor is None:
        return None
    Q = B.factor @ spectrum.whitening.matrix  # type: ignore[union-attr]
    y = problem.Syy.factor @ (problem.y_whitening.matrix @ spectrum.left)
    return y - Q @ (Q.T @ y)


def wilks_of_pairs(
    spectrum: Spectrum, problem: CanonicalProblem, alpha: float = 0.05, method: Any = "wilks"
) -> DimensionTest:
    """Test all correlations by normal theory."""
    angles = namespaces.to_numpy(canonical_angles(spectrum, problem))
    ranks = spectrum.whitening.rank, problem.y_whitening.rank  # type: ignore[union-attr]
    return wilks(np.cos(angles), problem.moments.weight, *ranks, alpha, method, sines=np.sin(angles))


def sides_of_pairs(moments: Cross, ridge: float) -> Sides:
    """Return what the test of the pairs of two tables needs to know."""

    def by_theory(alpha: float, method: Any) -> DimensionTest:
        require_variation(moments, 0.0)
        problem = canonical_problem(moments, 0.0, min(moments.split, moments.joint.n_features - moments.split))
        return wilks_of_pairs(problem.solve(), problem, alpha, method)

    def tables(X: np.ndarray, Y: Any) -> tuple[Any, ...]:
        Y, penalty = as_columns(Y), ridge * (len(X) - 1)
        return X, Y, *(penalty * np.eye(table.shape[1]) if penalty else None for table in (X, Y))

    return Sides(by_theory, table_leverages, tables, f"ridge={ridge!r}" if ridge else "")


def _halves(joint: Form, p: int, ridge: float) -> tuple[Form, Form]:
    """Cut the covariance of [X, Y] into those of X and Y, each plus ridge·I; their factors share their rows."""
    if joint.factor is None:
        M = joint.matrix
        return Form(matrix=M[:p, :p]).plus_identity(ridge), Form(matrix=M[p:, p:]).plus_identity(ridge)
    x, y = (Form(factor=part, squared=joint.squared) for part in (joint.factor[:, :p], joint.factor[:, p:]))
    halves = plus_ridge(x, ridge), plus_ridge(y, ridge)
    if any(isinstance(half, RidgedForm) for half in halves):
        return halves
    F = joint.factor if not ridge else joint.plus_identity(ridge).factor
    return Form(factor=F[:, :p], squared=joint.squared), Form(factor=F[:, p:], squared=joint.squared)
