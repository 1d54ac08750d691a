"""Coefficient vectors that fewer rows than columns and a penalty leave open."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import splu

from ..arrays import namespaces

Floats = NDArray[np.float64]


def dual_basis(rows: Floats, root: Floats | None) -> tuple[Floats, Floats, Floats]:
    """Return a basis of all coefficient vectors that rows and penalty leave open, and root and rows in it.

    With r rows of p columns, r < p, the minimiser of ‖y − Aβ‖² + λβᵀΩβ lies in Ω⁺Aᵀ plus the null space of Ω, for every
    λ: the problem has r + dim null coordinates in place of p. Without a root, Ω is the identity.
    """
    if root is None:  # Ω = I
        basis, seen = _orthonormal(rows)
        return basis, np.eye(basis.shape[1]), seen
    if len(root) < root.shape[1] and np.count_nonzero(root) < 0.05 * root.size:
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
        seen = values > 1e-8  # of the rest, columns of unit size may be combinations of others
        if (values[~seen] > 16 * len(S) * namespaces.EPS * values[-1]).any():
            basis = np.linalg.qr(rows.T)[0]
            break
        mixed = vectors[:, seen] / np.sqrt(values[seen]) / size[:, None]
        basis = basis @ mixed
        if values[seen].min(initial=np.inf) > 0.01 * values[-1]:  # the error of the basis is rounding
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
