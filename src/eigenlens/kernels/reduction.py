r"""The kernel matrix of a fit, with everything taken out that a fit leaves free.

Free functions T (the constant; straight lines for splines) are not penalised, so all that a fit sees of K is

.. math:: M = P \sqrt{W} K \sqrt{W} P, \quad P = I - QQ^T, \quad \mathrm{span}\,Q = \mathrm{span}\,\sqrt{W} T ,

which is positive semidefinite also for kernels that are so only conditionally. With T = 1 this is double centring.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import errors, linalg, memory, namespaces
from ..arrays.typing import Array
from ..solve import largest
from . import evaluate
from .given import DEFINITE, FunctionKernel, Precomputed, check_matrix
from .kernel import Kernel

SHOWS = 1e-6  # share of a result that rounding may take before a warning says so
TOLD = 1e-7  # precision of eigenvalues that are only told


@dataclass(frozen=True, eq=False)
class Reduction:
    """K without what is free.

    Attributes
    ----------
    kernel : Kernel
        With all parameters.
    points : array of shape (n, p)
        Rows of positive weight; their numbers, for a precomputed kernel.
    weight, root : arrays of shape (n,)
        w and √w.
    K : array of shape (n, n) or None
        The kernel matrix, where it was asked to be kept.
    M : array of shape (n, n)
    T : array of shape (n, t)
        Free functions at the rows.
    Q : array of shape (n, r)
        Orthonormal basis of √w T.
    means : array of shape (n,)
        Weighted means of the columns of K.
    rounding : float
        What arithmetic leaves of doubt about the eigenvalues of M. The trace bounds the largest of them; that of K
        counts as well, since K was rounded before anything was taken out.
    """

    kernel: Kernel
    points: Array
    weight: Array
    root: Array
    K: Array | None
    M: Array
    T: Array
    Q: Array
    means: Array
    rounding: float

    def project(self, Y: Array) -> Array:
        """Return P √w Y; the constant goes first, before it can take digits."""
        Z = (Y - Y[:1, :]) * self.root[:, None]
        return Z - self.Q @ (self.Q.T @ Z)

    def free_part(self, values: Array) -> Array:
        """Return γ with Tγ nearest to values (n, q), by weighted least squares."""
        xp = namespaces.namespace(self.T)
        return xp.linalg.pinv(self.T * self.root[:, None]) @ (values * self.root[:, None])


def reduce(
    kernel: Kernel, X: Array, weight: Array, *, keep: bool, copies: float = 2.0, constant_only: bool = False
) -> Reduction:
    """Evaluate the kernel matrix of a fit and take out what is free.

    Parameters
    ----------
    kernel : Kernel
        With all parameters.
    X : array of shape (n, p)
        Rows; the kernel matrix where it is precomputed.
    weight : array of shape (n,)
        All positive.
    keep : bool
        Whether K is needed in addition to M.
    copies : float
        How many n×n tables the work after this will hold at once, for the prediction of memory.
    constant_only : bool
        Whether only the constant is free.
    """
    xp, given = namespaces.namespace(X), isinstance(kernel, Precomputed)
    kernel, points, K = kernel_matrix(kernel, X, copies + keep)
    root = xp.sqrt(weight)
    T = Kernel._trend(kernel, points) if constant_only or given else kernel._trend(points)
    Q = _orthonormal(T * root[:, None])
    means, whole = (weight / xp.sum(weight)) @ K, float(xp.sum(weight * xp.abs(xp.linalg.diagonal(K))))
    M = _projected(K, root, Q, overwrite=not keep and not given)
    if isinstance(kernel, Precomputed | FunctionKernel):
        M = _definite(M, K if keep or given else kernel._gram(X), getattr(kernel, "clip", False))
    rounding = namespaces.EPS * max(whole, float(xp.sum(xp.linalg.diagonal(M))))
    _judge_centring(M, rounding)
    return Reduction(kernel, points, weight, root, K if keep else None, M, T, Q, means, rounding)


def _judge_centring(M: Array, rounding: float) -> None:
    """Warn where what is taken out of K is so large that its rounding shows in what is left."""
    left = float(namespaces.namespace(M).sum(namespaces.namespace(M).linalg.diagonal(M)))
    if 0 < SHOWS * left < rounding:
        errors.warn(errors.far_from_origin(rounding / namespaces.EPS, left))


def kernel_matrix(kernel: Kernel, X: Array, copies: float) -> tuple[Kernel, Array, Array]:
    """Return the kernel, its points and its matrix, if so many tables of its size fit in memory."""
    n = X.shape[0]
    what = f"The {n}×{n} kernel matrix with the work on it"
    memory.require(
        memory.square_bytes(n, copies=copies), what, "use n_landmarks (1000 is a good start), or fewer rows", X
    )
    if not isinstance(kernel, Precomputed):
        return kernel, X, kernel._gram(X)
    K = check_matrix(X)
    return kernel, kernel.places(K), K


def _orthonormal(A: Array) -> Array:
    xp = namespaces.namespace(A)
    size = xp.max(xp.abs(A), axis=0)
    U, s, _ = xp.linalg.svd(A / xp.where(size > 0, size, xp.ones_like(size)), full_matrices=False)
    return U[:, : int(np.sum(namespaces.to_numpy(s) > 1e-12 * float(s[0])))]


def _projected(K: Array, root: Array, Q: Array, overwrite: bool) -> Array:
    """Return P √w K √w P; for NumPy by blocks of rows, in the memory of K where that may go."""
    if not isinstance(K, np.ndarray):
        A = K * root[:, None] * root[None, :]
        A = A - Q @ (Q.T @ A)
        A = A - (A @ Q) @ Q.T
        return (A + A.T) / 2
    n = K.shape[0]
    M = K if overwrite else np.empty_like(K)
    left = root[:, None] * (K @ (root[:, None] * Q))  # √w K √w Q
    middle = Q.T @ left
    plain = bool((root == 1.0).all())
    side = left - 0.5 * Q @ (middle + middle.T) / 2.0  # M = A − side Qᵀ − Q sideᵀ, symmetric by construction

    def work(span: tuple[int, int]) -> None:
        a, b = span
        rows = K[a:b] if plain else K[a:b] * root[a:b, None] * root
        np.subtract(rows, side[a:b] @ Q.T, out=M[a:b])
        M[a:b] -= Q[a:b] @ side.T

    for _ in evaluate.over_blocks(work, n, n, K):
        pass
    return M


def _definite(M: Array, K: Array, clip: bool) -> Array:
    """Refuse a matrix with a negative eigenvalue beyond rounding, or clip it where that was asked for."""
    size = _size(M)
    if size == 0 or _has_root(M, DEFINITE * size):
        return M
    named, top = -_largest(K, -1.0), _largest(K)
    if not clip:
        raise errors.InputError(
            f"The kernel matrix is not positive semidefinite: its smallest eigenvalue is {named:.6g} (the largest is "
            f"{top:.6g}). Use a positive definite kernel, or Precomputed(clip=True), which sets negative ones to zero."
        )
    errors.warn(
        errors.IndefiniteWarning(
            f"Negative eigenvalues of the kernel matrix, down to {named:.6g} (the largest is {top:.6g}), were set to "
            "zero, as clip=True asks."
        )
    )
    xp = namespaces.namespace(M)
    values, vectors = xp.linalg.eigh(M)
    return (vectors * xp.clip(values, min=0.0)) @ vectors.T


def _has_root(M: Array, slack: float) -> bool:
    """Tell whether M with a little more on its diagonal has a Cholesky root: surer than a search near 0."""
    xp = namespaces.namespace(M)
    A = M + slack * xp.eye(M.shape[0], dtype=xp.float64, device=namespaces.device(M))
    try:
        root = xp.linalg.cholesky(A)
    except (np.linalg.LinAlgError, RuntimeError):  # NumPy's and torch's; other libraries fill in NaN
        return False
    return namespaces.all_finite(xp.linalg.diagonal(root))


def _largest(A: Array, sign: float = 1.0) -> float:
    """Return the largest eigenvalue of ±A, to the digits of a message."""
    apply = linalg.host_operator(A)
    return largest(
        lambda v: sign * apply(v), A.shape[0], _size(A), lambda: sign * namespaces.to_numpy(A), tol=TOLD
    ).value


def _size(A: Array) -> float:
    return float(namespaces.namespace(A).linalg.matrix_norm(A))
