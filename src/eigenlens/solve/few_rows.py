"""Coefficient vectors that fewer rows than columns and a penalty leave open."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import splu

Floats = NDArray[np.float64]


def dual_basis(rows: Floats, root: Floats | None) -> tuple[Floats, Floats, Floats]:
    """Return a basis of all coefficient vectors that rows and penalty leave open, and root and rows in it.

    With r rows of p columns, r < p, the minimiser of ‖y − Aβ‖² + λβᵀΩβ lies in Ω⁺Aᵀ plus the null space of Ω, for every
    λ: the problem has r + dim null coordinates in place of p. Without a root, Ω is the identity.
    """
    if root is None:  # Ω = I
        basis, triangle = np.linalg.qr(rows.T)
        return basis, np.eye(len(rows)), triangle.T
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
