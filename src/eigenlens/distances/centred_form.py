"""The centred form of distances, −½HDH: inner products, and tests of form with evidence.

A matrix is *positive semidefinite* if vᵀAv ≥ 0 for all v, and *conditionally negative definite* if vᵀDv ≤ 0 for all v
with vᵀ1 = 0. One with zero diagonal is a matrix of squared distances of points in a Euclidean space if and only if it
is the latter (Schoenberg).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import errors, linalg, namespaces
from ..arrays.parameters import check_number
from ..arrays.typing import Array, TableLike
from ..rows.labels import as_column
from ..solve import Extreme, largest, orient, rounding
from .pairs import over_table, table_blocks
from .square_tables import ROUNDING, as_square


@dataclass(frozen=True, eq=False)
class CentredForm:
    """½HFH on vᵀ1 = 0, F = (d + c) or (d + c)² off the diagonal of a square table D; no second table is made.

    It is minus the matrix of inner products, so its largest eigenvalue is not above 0 where F holds squared distances.
    """

    D: Array
    c: float = 0.0
    power: int = 1

    def _entries(self, rows: slice) -> Array:
        block = self.D[rows, :]
        block = block + self.c if self.c else block
        return block * block if self.power == 2 else block

    def times(self, v: np.ndarray) -> np.ndarray:
        """Return Fv, both on the host, a few rows at a time."""
        there = namespaces.like(v, self.D)
        parts = over_table(lambda rows: self._entries(rows) @ there, self.D)
        return np.concatenate([namespaces.to_numpy(part) for part in parts]) - self.c**self.power * v

    def matrix(self) -> np.ndarray:
        F = namespaces.to_numpy(self._entries(slice(None))) - self.c**self.power * np.eye(self.D.shape[0])
        r = F.mean(axis=0)
        F = (F - r - r[:, None] + r.mean()) / 2
        return (F + F.T) / 2

    @property
    def size(self) -> float:
        """The Frobenius norm, a bound of all eigenvalues, without what c takes from the diagonal."""
        xp, D = namespaces.namespace(self.D), self.D
        r = xp.concat(over_table(lambda rows: xp.mean(self._entries(rows), axis=1), D), axis=0)
        level, unit = xp.mean(r), float(xp.max(xp.abs(r))) or 1.0  # squares of large entries would overflow

        def work(rows: slice) -> float:
            block = (self._entries(rows) - r[rows][:, None] - (r - level)[None, :]) / unit
            return float(xp.sum(block * block))

        return 0.5 * unit * sum(over_table(work, D)) ** 0.5

    def largest(self, size: float, start: np.ndarray | None = None, tol: float | None = None) -> Extreme:
        """Return the largest eigenvalue among vectors with vᵀ1 = 0; that of the constant vector counts as −size."""
        n = self.D.shape[0]

        def apply(v: np.ndarray) -> np.ndarray:
            w = self.times(v - v.mean())
            return (w - w.mean()) / 2 - size * v.mean()

        found = largest(apply, n, size, lambda: self.matrix() - size / n, start, tol)
        v = found.vector - found.vector.mean()
        length = float(np.linalg.norm(v))
        return replace(found, vector=v / length if length > 0.5 else np.zeros(n))  # n = 1: there is no such vector


def double_center(D: TableLike, weights: Any = None) -> Array:
    r"""Return :math:`B = -\tfrac12 H D H^T`, :math:`H = I - 1\alpha^T`: inner products about the centre Σαᵢxᵢ.

    Young–Householder–Schoenberg: B is positive semidefinite for one α, and then for every α, if and only if D holds
    squared distances of points in a Euclidean space.

    Parameters
    ----------
    D : table of shape (n, n)
        Squared distances (or any symmetric matrix).
    weights : array of shape (n,), optional
        α, of any signs, summing to 1; by default 1/n each.

    Returns
    -------
    array of shape (n, n)
        B.

    References
    ----------
    Young, Householder (1938), Discussion of a set of points in terms of their mutual distances, Psychometrika 3.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import double_center
    >>> D = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]])     # three points on a line
    >>> double_center(D).diagonal().round(12)                                 # squared distances from their mean
    array([1., 0., 1.])
    >>> double_center(D, [1.0, 0.0, 0.0]).round(12) + 0.0                     # inner products seen from the first
    array([[0., 0., 0.],
           [0., 1., 2.],
           [0., 2., 4.]])
    """
    values = as_square(D)
    xp, n = namespaces.namespace(values), values.shape[0]
    B = xp.asarray(values, copy=True)
    double_center_in_place(B, namespaces.like(read_coefficients(weights, n), B))
    return B


def from_similarity(S: TableLike) -> Array:
    r"""Return the squared distances :math:`S_{ii} + S_{jj} - 2 S_{ij}` of similarities with any diagonal.

    They are those of points whose inner products are S, if it is positive semidefinite. Entries below 0, which such
    tables cannot have, are kept where they are no rounding; `is_squared_distance` tells.

    A table D of dissimilarities with a nonzero diagonal d is the similarity −D/2:
    ``from_similarity(-D / 2)`` is :math:`C = D - \tfrac12 d 1^T - \tfrac12 1 d^T`, whose diagonal is 0 and whose
    centred form −½HCHᵀ is that of D.

    Parameters
    ----------
    S : table of shape (n, n)
        Symmetric: inner products, correlations, counts that two items share.

    Returns
    -------
    array of shape (n, n)

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import double_center, from_similarity
    >>> from_similarity(np.array([[1.0, 0.6], [0.6, 1.0]]))                  # correlations: 2(1 − r)
    array([[0. , 0.8],
           [0.8, 0. ]])
    >>> D = np.array([[2.0, 5.0, 7.0], [5.0, 4.0, 6.0], [7.0, 6.0, 1.0]])
    >>> C = from_similarity(-D / 2)
    >>> bool(np.allclose(double_center(C), double_center(D)))
    True
    """
    values = as_square(S, "S")
    xp = namespaces.namespace(values)
    s = xp.linalg.diagonal(values)
    D2 = s[:, None] + s[None, :] - 2.0 * values
    rounded = (D2 < 0) & (-8 * namespaces.EPS * float(xp.max(xp.abs(values))) < D2)
    return xp.where(rounded, xp.zeros_like(D2), D2)


def from_kernel(kernel: Any, X: TableLike | None = None) -> Array:
    """Return the squared distances k(x, x) + k(z, z) − 2k(x, z) of rows in the space of a kernel.

    Kernel PCA is classical scaling of these.

    Parameters
    ----------
    kernel : kernel, function of two tables, or table of shape (n, n)
        A kernel such as `kernels.Gaussian`, whose open parameters are taken from X; or a kernel matrix, without X.
    X : table of shape (n, p), optional
        Whatever the kernel takes.

    Returns
    -------
    array of shape (n, n)

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import ClassicalMDS, KernelPCA
    >>> from eigenlens.distances import from_kernel
    >>> from eigenlens.kernels import Gaussian
    >>> X = np.random.default_rng(0).standard_normal((50, 3))
    >>> D2 = from_kernel(Gaussian(1.0), X)
    >>> bool(np.allclose(D2, 2 - 2 * Gaussian(1.0)(X)))
    True
    >>> kpca, mds = KernelPCA(2, kernel=Gaussian(1.0)), ClassicalMDS(2, metric="precomputed", squared=True)
    >>> bool(np.allclose(np.abs(kpca.fit_transform(X)), np.abs(mds.fit_transform(D2))))
    True
    """
    if callable(kernel) and not isinstance(kernel, type):
        if X is None:
            raise errors.InputError(f"from_kernel({kernel!r}) needs rows: from_kernel(kernel, X).")
        return from_similarity(kernel(X, X))
    if X is not None or isinstance(kernel, str | type):
        raise errors.InputTypeError(
            f"kernel={kernel!r} is not a kernel; pass one of eigenlens.kernels (such as Gaussian()) or a function of "
            "two tables, and X, or a square kernel matrix alone."
        )
    return from_similarity(kernel)


def gram_factor(A: TableLike) -> Array:
    """Return points whose inner products are A: rows Y with A = YYᵀ, without centring (YᵀY where points are columns).

    The columns of Y are orthogonal, the longest first; there are as many as A has rank. With A = `double_center(D)`
    they are the map of classical scaling.

    Parameters
    ----------
    A : table of shape (n, n)
        Symmetric and positive semidefinite.

    Returns
    -------
    array of shape (n, rank)

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import gram_factor
    >>> A = np.array([[2.0, 1.0, 3.0], [1.0, 2.0, 3.0], [3.0, 3.0, 6.0]])
    >>> Y = gram_factor(A)
    >>> Y.shape, bool(np.allclose(Y @ Y.T, A))
    ((3, 2), True)
    """
    values = as_square(A, "A")
    n, size = values.shape[0], frobenius(values)
    xp = namespaces.namespace(values)
    lam, U = linalg.symmetric_eigh(values)
    if float(xp.min(lam)) < -rounding(n, size):
        found = is_positive_semidefinite(values)
        v = namespaces.to_numpy(found.witness)
        largest = ", ".join(f"{i}: {v[i]:.3g}" for i in sorted(abs(v).argsort()[::-1][:4].tolist()))
        raise errors.InputError(
            f"A has no factor: it is {found}, where the largest entries of v are {largest}. "
            "Squared distances go through double_center first; distances.clip leaves out negative eigenvalues."
        )
    kept = lam > rounding(n, size)
    Y = xp.flip(U[:, kept] * xp.sqrt(lam[kept]), axis=1)
    return Y * orient(Y)


def read_coefficients(weights: Any, n: int) -> np.ndarray:
    """Read the coefficients of a centre: one for each point, any signs, with sum 1."""
    if weights is None:
        return np.full(n, 1.0 / n)
    try:
        alpha = np.asarray(as_column(weights, "weights"), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise errors.not_read_as_numbers("weights", weights, f"{n} numbers with sum 1") from error
    if alpha.shape != (n,):
        raise errors.InputError(
            f"weights has shape {tuple(alpha.shape)} but must be one number per point, shape ({n},)."
        )
    if not abs(alpha.sum() - 1) <= 1e-10 * max(1.0, float(np.abs(alpha).sum())):
        raise errors.InputError(
            f"weights sum to {float(alpha.sum()):.10g} but those of a centre sum to 1; divide them by their sum."
        )
    return alpha


def double_center_in_place(D2: Array, alpha: Array, root: Array | None = None) -> None:
    """Replace D by −½ H D Hᵀ, H = I − 1αᵀ, rows and columns times roots of weights: one pass finds all in cache."""
    r = (D2 @ alpha) * 0.5
    rest = r - alpha @ r

    def work(rows: slice) -> None:
        block = D2[rows, :]
        block *= -0.5
        block += r[None, :]
        block += rest[rows][:, None]
        if root is not None:
            block *= root[rows][:, None]
            block *= root[None, :]

    over_table(work, D2)


def frobenius(A: Array) -> float:
    """Return the root of the sum of squares of all entries, which bounds all eigenvalues."""
    xp = namespaces.namespace(A)
    peak = max((float(xp.max(xp.abs(A[rows, :]))) for rows in table_blocks(A)), default=0.0)
    if peak == 0:
        return 0.0
    return peak * sum(float(xp.sum((A[rows, :] / peak) ** 2)) for rows in table_blocks(A)) ** 0.5


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
    what = "positive semidefinite", "smallest", "A"
    return _tested(values, found, found.value, _tolerance(tol, n, size), *what)


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
    said = found.statement.replace("conditionally negative definite", "squared distances")
    diagonal = namespaces.to_numpy(namespaces.namespace(values).linalg.diagonal(values))
    worst = int(np.argmax(np.abs(diagonal)))
    if abs(float(diagonal[worst])) <= max(found.tolerance, ROUNDING[8] * 1e-2 * frobenius(values)):
        return replace(found, statement=said)
    said = f"not squared distances: the diagonal of D is not 0 (entry {worst} is {diagonal[worst]:.6g})"
    return replace(found, truth=False, statement=said)


def _conditionally_negative(values: Array, tol: float | None) -> FormTest:
    size, form = frobenius(values), CentredForm(values)
    found = form.largest(size / 2)
    value = float(found.vector @ form.times(found.vector))
    what = "conditionally negative definite", "largest", "D"
    return _tested(values, found, value, _tolerance(tol, values.shape[0], size), *what)


def _tolerance(tol: float | None, n: int, size: float) -> float:
    if tol is None:
        return rounding(n, size)
    check_number("tol", tol, 0)
    return tol * size


def _tested(values: Array, found: Extreme, value: float, allowed: float, what: str, which: str, name: str) -> FormTest:
    """Return the result where a value must not be above what is allowed: that of D, or minus that of A."""
    truth, where = value <= allowed, " on vᵀ1 = 0" if name == "D" else ""
    value = value if name == "D" else -value + 0.0
    said = f"{what}: the {which} eigenvalue{where} is {value:.3g} (tolerance {allowed:.1g})"
    if not truth:
        witness = f"and the witness v gives vᵀ{name}v = {value:.6g}"
        said = f"not {what}: an eigenvalue{where} is {value:.6g} (tolerance {allowed:.1g}), {witness}"
    return FormTest(truth, value, namespaces.like(found.vector, values), allowed, said, found.solver)
