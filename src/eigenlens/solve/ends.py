"""The far ends of a symmetric matrix of any signs: its largest eigenvalue, and how much of it is negative."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import errors, linalg, namespaces
from .leading import KrylovSpace, leading
from .pencil import RANK_TOLERANCE, Form

DIRECT = 1000  # up to this dimension a direct solver is as fast as an iteration, and all eigenvalues are added up


def rounding(n: int, size: float) -> float:
    """Return how far rounding may move an eigenvalue of an n-by-n matrix of a given size."""
    return RANK_TOLERANCE * n * namespaces.EPS * size


@dataclass(frozen=True, eq=False)
class Extreme:
    """The largest eigenvalue of a symmetric matrix.

    Attributes
    ----------
    value : float
    vector : ndarray of shape (n,)
        Of length 1.
    solver : str
    """

    value: float
    vector: np.ndarray
    solver: str


def largest(
    apply: Callable[[np.ndarray], np.ndarray],
    n: int,
    size: float,
    matrix: Callable[[], np.ndarray],
    start: np.ndarray | None = None,
    tol: float | None = None,
) -> Extreme:
    """Find the largest eigenvalue of a symmetric matrix, by sign, with its vector.

    Parameters
    ----------
    apply : function
        The matrix times a vector.
    n : int
    size : float
        A bound of the size of all eigenvalues, such as the Frobenius norm.
    matrix : function without arguments
        The matrix itself; it is asked for only where a direct solver runs.
    start : ndarray of shape (n,), optional
        A vector near the answer.
    tol : float, optional
        Residual at which an iteration may end, relative to `size`; by default n·ε.

    Notes
    -----
    The iteration runs on the matrix plus `size` times the identity: its criterion is relative to the value it looks
    for, which may be 0.
    """
    if n <= DIRECT or size == 0:
        return _direct(matrix, n)
    start = np.random.default_rng(0).standard_normal(n) if start is None else start
    space = KrylovSpace(lambda V: apply(V[0, :])[None, :] + size * V, n, 1, start, 1, start[None, :])
    found = leading(space, 1, tol=tol or n * namespaces.EPS, weak=1.0, most_steps=5_000)
    if not found.settled:
        return _direct(matrix, n)
    vector = found.vectors[0, :]
    return Extreme(float(vector @ apply(vector)), vector, "lanczos")


def _direct(matrix: Callable[[], np.ndarray], n: int) -> Extreme:
    A = matrix()
    linalg.refuse_out_of_range(A)
    values, vectors = linalg.leading_eigh(A, 1)
    return Extreme(float(values[0]), vectors[:, 0], "eigh")


@dataclass(frozen=True)
class Inertia:
    """Sums of the positive and of the negative eigenvalues.

    Attributes
    ----------
    positive, negative : float
        Both as numbers of at least 0.
    exact : bool
        Whether all eigenvalues were computed; otherwise the sums are estimates.
    error : float
        Standard error of an estimate, 0 where exact.
    values : ndarray or None
        The eigenvalues themselves, descending, where all of them were computed; those that are rounding are 0.
    """

    positive: float
    negative: float
    exact: bool
    error: float = 0.0
    values: np.ndarray | None = None

    @property
    def share(self) -> float:
        """Σ|λ₋|/Σ|λ|."""
        total = self.positive + self.negative
        return self.negative / total if total > 0 else 0.0


def inertia(A: Form) -> Inertia:
    """Add up the eigenvalues of a symmetric matrix by their sign: exactly up to 1,000 of them, then by an estimate.

    The estimate is that of Lanczos quadrature from a block of random signs (Ubaru, Chen, Saad 2017), in which negative
    eigenvalues that have converged are taken as they are; their sum with the positive ones, the trace, is known. The
    signs are seeded: a rerun gives the same result.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve import Form, inertia
    >>> inertia(Form(matrix=np.diag([3.0, 1.0, -1.0]))).share
    0.2
    """
    n = A.dimension
    if n <= DIRECT:
        with linalg.limit_blas(n * n):
            try:
                values = namespaces.to_numpy(namespaces.namespace(A.values).linalg.eigvalsh(A.dense()))
            except (np.linalg.LinAlgError, RuntimeError) as failure:  # NumPy's and torch's
                raise errors.InputError(
                    "eigenvalues cannot be computed: numbers leave the range of float64. Multiply X by a power of ten "
                    "that brings it near 1."
                ) from failure
        floor = rounding(n, float(np.max(np.abs(values), initial=0.0)))
        values = np.where(np.abs(values) > floor, values, 0.0)[::-1]
        return Inertia(float(values[values > 0].sum()), float(np.abs(values[values < 0]).sum()), True, 0.0, values)
    space = next((space for space in A.spaces if not space.restarted), None)
    negative, error = _estimated_negative(space or KrylovSpace(A.operator(), n, 1, A.values))
    return Inertia(max(A.trace() + negative, 0.0), negative, False, error)


def _estimated_negative(space: KrylovSpace) -> tuple[float, float]:
    while space.steps < 10 and space.next.shape[0]:
        space.grow()
    with linalg.one_blas_thread():
        theta, S = np.linalg.eigh(space.T[: space.m, : space.m])
        residual = np.linalg.norm(space.R @ S[space.m - space.R.shape[1] :], axis=0)
        negative = theta < -rounding(space.n, float(np.max(np.abs(theta))))
        settled = negative & (residual <= 1e-3 * np.abs(theta))
        open_ = negative & ~settled
        per_probe = np.abs(theta[open_]) @ (S[: len(space.first), open_].T @ space.first) ** 2
    return float(np.abs(theta[settled]).sum() + per_probe.mean()), float(per_probe.std(ddof=1) / len(per_probe) ** 0.5)
