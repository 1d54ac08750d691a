"""Penalised regression of class scores from moments: every λ from one decomposition, no rows read again."""

from __future__ import annotations

from copy import copy
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.optimize import brentq
from scipy.sparse import csr_array
from scipy.sparse.linalg import splu

from ..arrays import namespaces
from ..solve import Form, whiten
from ..solve.solve import all_directions
from .optimal_scoring import contrasts
from .penalized import RANK, Path

Floats = NDArray[np.float64]

WELL = 1e-4  # pivots of columns brought to unit size above which nothing is near singular
SPARSE = 0.05  # share of entries that are not zero, below which a root is treated as sparse
EVEN = 1e-2  # ratio of eigenvalues from which on the error of a basis is rounding
NOISE = 1e-10  # the share of a direction that rows see, below which they see rounding


class ScorePath(Path):
    """The path of a penalised regression of class scores on the columns.

    Class scores do not vary within classes. So the regression of n rows is that of the rows of a within-class factor,
    whose response is 0, and of one row √W_k(m_k − m) for each class, whose response is √W_k times its scores.

    Parameters
    ----------
    within : Form
        Within-class sum of squares T_W.
    means : array of shape (K, p)
        Class means about their weighted mean.
    weights : array of shape (K,)
    root : array of shape (m, p)
        L with LᵀL = Ω.
    """

    def __init__(self, within: Form, means: Floats, weights: Floats, root: Floats) -> None:
        self.W = float(weights.sum())
        self._tables: dict[float, Floats] = {}
        shift = np.sqrt(weights)[:, None] * means
        total = within.trace() + float(np.sum(shift**2))
        L = self._balanced(root, total)
        wanted = np.sqrt(weights)[:, None] * contrasts(weights / self.W)
        if within.factor is None:
            self._from_matrix(within.matrix + shift.T @ shift, L)
            self._answer(shift.T @ wanted, self.W * (len(weights) - 1))
        else:
            self._from_factor(np.vstack([within.factor, shift]), L, wanted)
            self.outside = float(self.W * (len(weights) - 1) - np.sum(self.u**2))

    @classmethod
    def of_products(cls, T: Floats, root: Floats, W: float) -> Self:
        """Return the path of columns by their sums of squares T; `answering` says what responses it is for."""
        path = cls.__new__(cls)
        path.W = W
        path._from_matrix(T, path._balanced(root, float(np.trace(T))))
        return path

    def answering(self, G: Floats, total: float) -> Self:
        """Return the path for responses given by their cross products with the columns and their sum of squares."""
        path = copy(self)
        path._tables = {}
        path._answer(G, total)
        return path

    def _balanced(self, root: Floats, total: float) -> Floats:
        """Return the root brought to the size of the sums of squares, whose trace is `total`."""
        size = float(np.linalg.norm(root))
        self.tau = float(np.sqrt(total) / size) ** 2 if total > 0 and size > 0 else 1.0
        return np.asarray(np.sqrt(self.tau) * root)

    def _answer(self, G: Floats, total: float) -> None:
        c = self.c[:, None]
        self.u = np.divide(self.back.T @ G, c, out=np.zeros((len(c), G.shape[1])), where=c > 0)
        self.outside = float(total - np.sum(self.u**2))

    def _from_matrix(self, T: Floats, L: Floats) -> None:
        axes = _whitened(T + L.T @ L)
        c2, V = np.linalg.eigh(axes.T @ T @ axes)
        c2 = np.where(c2 > 16 * len(T) * namespaces.EPS, c2, 0.0)
        self.back = axes @ V
        self.c = np.sqrt(c2)
        self.s = np.linalg.norm(L @ self.back, axis=0)

    def _from_factor(self, A: Floats, L: Floats, wanted: Floats) -> None:
        if _is_multiple_of_identity(L):
            a, V, U = all_directions(Form(factor=A, squared=False))
            assert U is not None  # a factor has images
            together = np.hypot(a, L[0, 0])
            c, self.s = a / together, L[0, 0] / together
            self.c = np.where(c > NOISE, c, 0.0)
            self.back = V / together
            self.u = U[-len(wanted) :].T @ wanted
            return
        axes = whiten(Form(factor=np.vstack([A, L]), squared=False)).matrix
        U, c, V = np.linalg.svd(A @ axes, full_matrices=False)
        self.c = np.where(c > NOISE, c, 0.0)
        self.back = axes @ V.T
        self.s = np.linalg.norm(L @ self.back, axis=0)
        self.u = U[-len(wanted) :].T @ wanted

    def table(self, cost: float) -> Floats:
        """Return λ, df and GCV along the grid."""
        if cost in self._tables:
            return self._tables[cost]
        lams = self.grid()
        c2, s2 = self.c**2, self.s**2
        f = np.divide(c2, c2 + np.outer(lams / self.tau, s2), out=np.zeros((len(lams), len(c2))), where=self.c > RANK)
        df = f.sum(axis=1)
        rss = max(self.outside, 0.0) + (1 - f) ** 2 @ np.sum(self.u**2, axis=1)
        left = 1 - (1 + cost * df) / self.W
        gcv = np.full(len(lams), np.inf)
        np.divide(rss / self.W, left**2, out=gcv, where=left > 0)
        self._tables[cost] = np.column_stack([lams, df, gcv])
        return self._tables[cost]

    def best(self, cost: float) -> float:
        """λ of least GCV: the best of the grid, then the zero of the derivative between its neighbours.

        A root is found to the last digits where a minimum is found to half of them; parts merged in another order
        would otherwise be seen in λ.
        """
        lams, _, scores = self.table(cost).T
        k = int(np.argmin(scores))
        if not np.isfinite(scores[k]):
            return float(lams[-1])
        ends = lams[[max(k - 1, 0), min(k + 1, len(lams) - 1)]]
        if ends.min() <= 0:  # 0 stands at the end of the path, where there is nothing to search between
            return float(lams[k])
        low, high = np.log(ends)
        if not self._slope(low, cost) < 0 < self._slope(high, cost):
            return float(lams[k])
        return float(np.exp(brentq(self._slope, low, high, args=(cost,), xtol=1e-14, rtol=1e-15)))

    def _slope(self, t: float, cost: float) -> float:
        """Derivative of log GCV by log λ."""
        f = self._shrink(float(np.exp(t)))
        u2 = np.sum(self.u**2, axis=1)
        rss = max(self.outside, 0.0) + np.sum((1 - f) ** 2 * u2)
        left = 1 - (1 + cost * f.sum()) / self.W
        if left <= 0 or rss <= 0:
            return -np.inf
        return float(2 * np.sum(f * (1 - f) ** 2 * u2) / rss - 2 * cost / self.W * np.sum(f * (1 - f)) / left)


def _is_multiple_of_identity(L: Floats) -> bool:
    return len(L) > 0 and L.shape[0] == L.shape[1] and bool(np.array_equal(L, L[0, 0] * np.eye(len(L))))


def _whitened(S: Floats) -> Floats:
    """Return R with RᵀSR = I: by Cholesky where S is far from singular, several times faster than by eigenvectors."""
    size = np.sqrt(np.diagonal(S))
    if size.min() > 0:
        try:
            R = cholesky(S / size / size[:, None])
        except LinAlgError:
            return whiten(Form(matrix=S)).matrix
        if np.diagonal(R).min() > WELL:
            inverse: Floats = solve_triangular(R, np.eye(len(S))) / size[:, None]
            return inverse
    return whiten(Form(matrix=S)).matrix


def dual_basis(rows: Floats, root: Floats | None) -> tuple[Floats, Floats, Floats]:
    """Return a basis of all coefficient vectors that rows and penalty leave open, and root and rows in it.

    With r rows of p columns, r < p, the minimiser of ‖y − Aβ‖² + λβᵀΩβ lies in Ω⁺Aᵀ plus the null space of Ω, for every
    λ: the problem has r + dim null coordinates in place of p. Without a root, Ω is the identity.
    """
    if root is None:  # Ω = I
        basis, seen = _orthonormal(rows)
        return basis, np.eye(basis.shape[1]), seen
    if len(root) < root.shape[1] and np.count_nonzero(root) < SPARSE * root.size:
        basis, kept = _dual_by_differences(rows, csr_array(root))
        return basis, kept, rows @ basis
    values, vectors = np.linalg.eigh(root.T @ root)
    free = values <= 1e-14 * values[-1]
    half = vectors[:, ~free] / np.sqrt(values[~free])
    inner = np.linalg.qr((rows @ half).T)[0]
    basis = np.hstack([half @ inner, vectors[:, free]])
    kept = np.zeros((inner.shape[1], basis.shape[1]))
    np.fill_diagonal(kept, 1.0)
    return basis, kept, rows @ basis


def _orthonormal(rows: Floats) -> tuple[Floats, Floats]:
    """Return an orthonormal basis (p, r) of the span of rows that are fewer than p, and the rows in it.

    Eigenvectors of the products of rows give one whose error is the square of their condition; unless that is small, a
    second round on what they give takes the error away. Both are large products of matrices, several times faster than
    reflections, which are left for rows that are neither dependent nor far from it.
    """
    basis = rows.T
    for turn in range(2):
        S = basis.T @ basis
        size = np.sqrt(np.diagonal(S))
        size[size == 0] = 1.0
        values, vectors = np.linalg.eigh(S / size / size[:, None])
        seen = values > WELL**2
        if (values[~seen] > 16 * len(S) * namespaces.EPS * values[-1]).any():
            basis = np.linalg.qr(rows.T)[0]
            break
        mixed = vectors[:, seen] / np.sqrt(values[seen]) / size[:, None]
        basis = basis @ mixed
        if values[seen].min(initial=np.inf) > EVEN * values[-1]:
            return basis, S @ mixed if turn == 0 else rows @ basis
    return basis, rows @ basis


def _dual_by_differences(rows: Floats, L: csr_array) -> tuple[Floats, Floats]:
    """The same where Ω = LᵀL with few, independent rows of differences, which do not penalise polynomials.

    Ω⁺Aᵀ = L⁺(AL⁺)ᵀ and L⁺ = Lᵀ(LLᵀ)⁻¹, where LLᵀ is a narrow band: no eigenvectors of a p × p matrix.
    """
    m, p = L.shape
    solve = splu((L @ L.T).tocsc()).solve
    inner = np.linalg.qr(solve(L @ rows.T))[0]
    free = np.linalg.qr(np.polynomial.legendre.legvander(np.linspace(-1, 1, p), p - m - 1))[0]
    basis = np.hstack([L.T @ solve(inner), free])
    return basis, L @ basis
