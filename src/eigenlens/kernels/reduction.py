r"""The kernel matrix of a fit, with everything taken out that a fit leaves free, and regularised squares for one λ.

Free functions T (the constant; straight lines for splines) are not penalised, so all that a fit sees of K is

.. math:: M = P \sqrt{W} K \sqrt{W} P, \quad P = I - QQ^T, \quad \mathrm{span}\,Q = \mathrm{span}\,\sqrt{W} T ,

which is positive semidefinite also for kernels that are so only conditionally. With T = 1 this is double centring.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.linalg

from ..arrays import errors, linalg, memory, namespaces
from ..arrays.typing import Array
from ..distances.pairs import PRODUCT_PAIRS, over_rows
from ..solve import largest
from .given import FunctionKernel, Precomputed, check_matrix
from .kernel import Kernel

#: What a fit does not penalise: what the kernel leaves free, the constant alone, or nothing.
Free = Literal["trend", "constant", "nothing"]

SHOWS = 1e-6  # share of a result that rounding may take before a warning says so


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
        Z = (Y - Y[:1, :] if self.T.shape[1] else Y) * self.root[:, None]
        return Z - self.Q @ (self.Q.T @ Z)

    def free_part(self, values: Array) -> Array:
        """Return γ with Tγ nearest to values (n, q), by weighted least squares."""
        xp = namespaces.namespace(self.T)
        return xp.linalg.pinv(self.T * self.root[:, None]) @ (values * self.root[:, None])


def reduce(
    kernel: Kernel, X: Array, weight: Array, *, keep: bool, copies: float = 2.0, free: Free = "trend"
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
    free : {"trend", "constant", "nothing"}
    """
    xp, given = namespaces.namespace(X), isinstance(kernel, Precomputed)
    kernel, points, K = kernel_matrix(kernel, X, copies + keep)
    root = xp.sqrt(weight)
    T = Kernel._trend(kernel, points) if free == "constant" or given else kernel._trend(points)
    T = T[:, :0] if free == "nothing" else T
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
    if not A.shape[1]:
        return A
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

    def work(rows: slice) -> None:
        part = K[rows] if plain else K[rows] * root[rows, None] * root
        np.subtract(part, side[rows] @ Q.T, out=M[rows])
        M[rows] -= Q[rows] @ side.T

    for _ in over_rows(work, n, n, K, PRODUCT_PAIRS):
        pass
    return M


def _definite(M: Array, K: Array, clip: bool) -> Array:
    """Refuse a matrix with a negative eigenvalue beyond rounding, or clip it where that was asked for."""
    size = _size(M)
    if size == 0 or _has_root(M, 1e-10 * size):
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
        lambda v: sign * apply(v), A.shape[0], _size(A), lambda: sign * namespaces.to_numpy(A), tol=1e-7
    ).value


def _size(A: Array) -> float:
    return float(namespaces.namespace(A).linalg.matrix_norm(A))


def ridge(red: Reduction, Y: Array, lam: float) -> tuple[Array, Array]:
    """Return the coefficients c of f and γ of the free functions for one λ: c = √W (M + λI)⁻¹ P √W Y, by Cholesky.

    Where λ is lost in the rounding of M, by eigenvectors, without those whose eigenvalues are rounding as well.
    """
    R = red.project(Y)
    solved = _solved(red.M, R, lam, red.rounding)
    solved = solved - red.Q @ (red.Q.T @ solved)
    judge_digits(red, R, solved, lam)
    c = solved * red.root[:, None]
    assert red.K is not None
    return c, red.free_part(Y - red.K @ c - lam * c / red.weight[:, None])


def _solved(M: Array, R: Array, lam: float, rounding: float) -> Array:
    xp = namespaces.namespace(M)
    if lam > rounding:
        A = M + lam * xp.eye(M.shape[0], dtype=xp.float64, device=namespaces.device(M))
        if not isinstance(A, np.ndarray):
            return xp.linalg.solve(A, R)
        try:
            factor = scipy.linalg.cho_factor(A, lower=True, overwrite_a=True, check_finite=False)
            return scipy.linalg.cho_solve(factor, R, check_finite=False)
        except scipy.linalg.LinAlgError:
            pass
    d, U = linalg.symmetric_eigh(M)
    sound = (d > d.shape[0] * rounding) | (lam > rounding)
    inverse = xp.where(sound, 1.0 / xp.where(sound, d + lam, xp.ones_like(d)), xp.zeros_like(d))
    return U @ (inverse[:, None] * (U.T @ R))


def judge_digits(red: Reduction, R: Array, solved: Array, lam: float) -> None:
    """Warn where the terms of a fit to R are so large that their rounding shows in their sum."""
    size, rounding = max(_largest_norm(R), np.finfo(float).tiny), red.rounding
    lost = rounding * _largest_norm(solved) / size
    trace = rounding / namespaces.EPS
    larger = "Use a larger lam; with a linear or polynomial kernel, centre and scale the columns."
    if not lam > rounding:
        lost = max(lost, _largest_norm(R - red.M @ solved - lam * solved) / size)
        errors.warn(
            errors.ConditionWarning(
                f"lam={lam:.3g} is lost in the rounding of the kernel matrix (trace {trace:.3g}); the fit leaves out "
                f"every axis whose eigenvalue is rounding as well. This may change fitted values by up to "
                f"{min(lost, 1.0):.0e} of the responses. {larger}"
            )
        )
    elif lost > SHOWS:
        errors.warn(
            errors.ConditionWarning(
                f"lam={lam:.3g} is so far below the kernel matrix (trace {trace:.3g}) that rounding may change fitted "
                f"values by {min(lost, 1.0):.0e} of the responses. {larger}"
            )
        )


def _largest_norm(A: Array) -> float:
    return float(namespaces.namespace(A).max(namespaces.namespace(A).linalg.vector_norm(A, axis=0)))
