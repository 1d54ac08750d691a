"""Tests of the form of a symmetric matrix, with evidence.

A matrix is *positive semidefinite* if vᵀAv ≥ 0 for all v, and *conditionally negative definite* if vᵀDv ≤ 0 for all v
with vᵀ1 = 0. One with zero diagonal is a matrix of squared distances of points in a Euclidean space if and only if it
is the latter (Schoenberg).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import linalg, namespaces
from ..arrays.parameters import check_number
from ..arrays.typing import Array, TableLike
from ..solve import largest, rounding
from .square_tables import ROUNDING, as_square, frobenius


@dataclass(frozen=True, eq=False)
class FormTest:
    """The result of a test of form. Use it as a condition: ``if is_squared_distance(D): …``.

    Attributes
    ----------
    truth : bool
    eigenvalue : float
        The extreme one: the smallest of A; the largest of D among vectors with vᵀ1 = 0.
    witness : array of shape (n,)
        A unit vector v with vᵀAv (or vᵀDv) = `eigenvalue`: the evidence if the answer is no.
    tolerance : float
        An eigenvalue beyond 0 by no more than this counts as rounding.
    statement : str
        The finding in a sentence.
    solver : str
        The solver that found it.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import is_positive_semidefinite
    >>> found = is_positive_semidefinite(np.array([[1.0, 2.0], [2.0, 1.0]]))
    >>> bool(found), round(found.eigenvalue, 12)
    (False, -1.0)
    >>> print(found)
    not positive semidefinite: an eigenvalue is -1 (tolerance 2e-14), and the witness v gives vᵀAv = -1
    """

    truth: bool
    eigenvalue: float
    witness: Array
    tolerance: float
    statement: str
    solver: str

    def __bool__(self) -> bool:
        return self.truth

    def __str__(self) -> str:
        return self.statement


def is_positive_semidefinite(A: TableLike, *, tol: float | None = None) -> FormTest:
    """Test whether vᵀAv ≥ 0 for all v.

    Parameters
    ----------
    A : table of shape (n, n)
        Symmetric.
    tol : float, optional
        How far below 0 the smallest eigenvalue may be, relative to the Frobenius norm of A; by default 16·n·ε, the size
        of rounding errors.

    Returns
    -------
    FormTest
        True or false, with the evidence.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import is_positive_semidefinite
    >>> bool(is_positive_semidefinite(np.ones((3, 3))))
    True
    """
    values = as_square(A, "A")
    n, size = values.shape[0], frobenius(values)
    apply = linalg.host_operator(values)
    found = largest(lambda v: -apply(v), n, size, lambda: -namespaces.to_numpy(values))
    allowed = _tolerance(tol, n, size)
    truth = found.value <= allowed
    return FormTest(
        truth,
        -found.value + 0.0,
        namespaces.like(found.vector, values),
        allowed,
        _sentence(truth, "positive semidefinite", "smallest", "A", -found.value, allowed),
        found.solver,
    )


def is_conditionally_negative_definite(D: TableLike, *, tol: float | None = None) -> FormTest:
    """Test whether vᵀDv ≤ 0 for all v with vᵀ1 = 0.

    For large n it uses Lanczos iteration, which keeps only vectors in addition to D.

    Parameters
    ----------
    D : table of shape (n, n)
        Symmetric.
    tol : float, optional
        How far above 0 the largest eigenvalue may be, relative to the Frobenius norm of D; by default 16·n·ε.

    Returns
    -------
    FormTest
        True or false, with the evidence.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import is_conditionally_negative_definite
    >>> D = np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [9.0, 1.0, 0.0]])  # distances 1, 1, 3: no triangle
    >>> found = is_conditionally_negative_definite(D)
    >>> bool(found)
    False
    >>> v = found.witness
    >>> bool(abs(v.sum()) < 1e-14), round(float(v @ D @ v), 12)
    (True, 1.666666666667)
    """
    return _conditionally_negative(as_square(D), tol)


def is_squared_distance(D: TableLike, *, tol: float | None = None) -> FormTest:
    """Test whether D holds the squared distances of points in a Euclidean space.

    Parameters
    ----------
    D : table of shape (n, n)
        Symmetric. These are squared distances, so pass ``d**2`` for distances d.
    tol : float, optional
        As in `is_conditionally_negative_definite`; entries of the diagonal may be as far from 0.

    Returns
    -------
    FormTest
        True or false, with the evidence.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import is_squared_distance
    >>> x = np.array([0.0, 1.0, 5.0])
    >>> print(is_squared_distance((x[:, None] - x) ** 2))
    squared distances: the largest eigenvalue on vᵀ1 = 0 is ... (tolerance ...)
    >>> print(is_squared_distance(np.eye(2)))
    not squared distances: the diagonal of D is not 0 (entry 0 is 1)
    """
    values = as_square(D)
    found = _conditionally_negative(values, tol)
    diagonal = namespaces.to_numpy(namespaces.namespace(values).linalg.diagonal(values))
    worst = int(np.argmax(np.abs(diagonal)))
    off = abs(float(diagonal[worst]))
    if off > max(found.tolerance, ROUNDING[8] * 1e-2 * frobenius(values)):
        said = f"not squared distances: the diagonal of D is not 0 (entry {worst} is {diagonal[worst]:.6g})"
        return FormTest(False, found.eigenvalue, found.witness, found.tolerance, said, found.solver)
    said = found.statement.replace("conditionally negative definite", "squared distances")
    return FormTest(found.truth, found.eigenvalue, found.witness, found.tolerance, said, found.solver)


def _conditionally_negative(values: Array, tol: float | None) -> FormTest:
    n, size = values.shape[0], frobenius(values)
    apply = linalg.host_operator(values)

    def within(v: np.ndarray) -> np.ndarray:
        """Apply D on vᵀ1 = 0, and −size to the constant vector, which is then never the answer."""
        mean = v.mean()
        w = apply(v - mean)
        return w - w.mean() - size * mean

    def matrix() -> np.ndarray:
        M = namespaces.to_numpy(values) - np.zeros((1, n))
        r = M.mean(axis=0)
        M = M - r - r[:, None] + (r.mean() - size / n)
        return (M + M.T) / 2

    found = largest(within, n, size, matrix)
    v = found.vector - found.vector.mean()
    length = float(np.linalg.norm(v))
    v = v / length if length > 0.5 else np.zeros(n)  # n = 1: there is no vector with vᵀ1 = 0
    value, allowed = float(v @ apply(v)), _tolerance(tol, n, size)
    truth = value <= allowed
    said = _sentence(truth, "conditionally negative definite", "largest", "D", value, allowed)
    return FormTest(truth, value, namespaces.like(v, values), allowed, said, found.solver)


def _tolerance(tol: float | None, n: int, size: float) -> float:
    if tol is None:
        return rounding(n, size)
    check_number("tol", tol, 0)
    return tol * size


def _sentence(truth: bool, what: str, which: str, name: str, value: float, allowed: float) -> str:
    where = " on vᵀ1 = 0" if name == "D" else ""
    if truth:
        return f"{what}: the {which} eigenvalue{where} is {value:.3g} (tolerance {allowed:.1g})"
    return (
        f"not {what}: an eigenvalue{where} is {value:.6g} (tolerance {allowed:.1g}), "
        f"and the witness v gives vᵀ{name}v = {value:.6g}"
    )
