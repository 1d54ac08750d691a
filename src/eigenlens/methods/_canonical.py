"""The canonical problem that the joint covariance of two tables poses, its angles, and what they tell."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._core import xp as _xp
from .._core.typing import Array
from ..inference import DimensionTest, wilks
from ..moments import Centred
from ..spectral import Form, Pencil, Spectrum, Whitening, solve, whiten
from ._base import form_of

NEARLY_ONE = 0.9999  # cosines beyond it tell directions apart worse than sines do


@dataclass(frozen=True, eq=False)
class CanonicalPencil(Pencil):
    """A = Σ_xy Σ_yy⁺ Σ_yx against B = Σ_xx, and what is needed to get back to y.

    Attributes
    ----------
    Syy : Form
        Covariance of Y. Where it has a factor, its rows are those of B's.
    y_whitening : Whitening
        Of Syy.
    """

    Syy: Form = field(kw_only=True)
    y_whitening: Whitening = field(kw_only=True)


def canonical_pencil(joint: Centred, p: int, ridge: float, n_components: int) -> CanonicalPencil:
    """Return the problem of the first p columns against the others.

    Parameters
    ----------
    joint : Centred
        Moments of [X, Y].
    p : int
        Columns of X.
    ridge : float
        Added to both diagonals, in the units of `joint`.
    n_components : int
    """
    s = joint.n_features - p
    covariance = form_of(joint, joint.weight - 1)
    Sxx, Syy = _halves(covariance, p, ridge)
    constant = None if ridge else joint.constant_columns()
    most = max(p, s) if ridge else max(1, joint.n_rows - 1)
    y_whitening = whiten(Syy, None if constant is None else constant[p:], min(s, most))
    if Sxx.factor is None:
        root = y_whitening.matrix.T @ covariance.matrix[p:, :p]
    else:
        root = (Syy.factor @ y_whitening.matrix).T @ Sxx.factor
    return CanonicalPencil(
        Form(factor=root, squared=covariance.squared),
        Sxx,
        n_components=n_components,
        constant=None if constant is None else constant[:p],
        most=min(p, most),
        Syy=Syy,
        y_whitening=y_whitening,
    )


def canonical_pairs(pencil: CanonicalPencil) -> Spectrum:
    """Solve; where several angles are small, turn their pairs to the directions that the sines tell.

    Cosines of small angles are equal to rounding, and directions found with them any rotation of the right ones.
    """
    spectrum = solve(pencil)
    m = int(np.count_nonzero(_xp.to_numpy(spectrum.singular_values) > NEARLY_ONE))
    apart = _apart(spectrum.first(m), pencil) if m > 1 else None
    if apart is None or spectrum.left is None:
        return spectrum
    xp = _xp.namespace(apart)
    turn = xp.flip(_xp.thin_svd(apart)[2].T, axis=1)  # the smallest sine first
    vectors, left = (xp.concat([part[:, :m] @ turn, part[:, m:]], axis=1) for part in (spectrum.vectors, spectrum.left))
    return replace(spectrum, left=left).mapped(vectors)


def canonical_angles(spectrum: Spectrum, pencil: CanonicalPencil) -> Array:
    """Return the canonical angles, from sine and cosine where factors give the sine."""
    rho = spectrum.singular_values
    xp = _xp.namespace(rho)
    rho = xp.clip(rho, max=1.0)
    apart = _apart(spectrum, pencil)
    if apart is None:
        return xp.atan2(xp.sqrt((1 - rho) * (1 + rho)), rho)
    return xp.atan2(xp.sqrt(xp.sum(apart**2, axis=0)), rho)


def _apart(spectrum: Spectrum, pencil: CanonicalPencil) -> Array | None:
    """Return what the y variates have and X cannot give, the sines its lengths; None where factors are missing."""
    if pencil.B is None or pencil.B.factor is None or pencil.Syy.factor is None:
        return None
    Q = pencil.B.factor @ spectrum.whitening.matrix  # type: ignore[union-attr]
    y = pencil.Syy.factor @ (pencil.y_whitening.matrix @ spectrum.left)
    return y - Q @ (Q.T @ y)


def wilks_of(spectrum: Spectrum, pencil: Any, weight: float, alpha: float, method: str) -> DimensionTest:
    """Test all correlations by normal theory."""
    angles = _xp.to_numpy(canonical_angles(spectrum, pencil))
    ranks = spectrum.whitening.rank, pencil.y_whitening.rank  # type: ignore[union-attr]
    return wilks(np.cos(angles), weight, *ranks, alpha, method, sines=np.sin(angles))


def _halves(joint: Form, p: int, ridge: float) -> tuple[Form, Form]:
    """Cut the covariance of [X, Y] into those of X and Y, each plus ridge·I; their factors share their rows."""
    if joint.factor is None:
        M = joint.matrix
        return Form(matrix=M[:p, :p]).plus_identity(ridge), Form(matrix=M[p:, p:]).plus_identity(ridge)
    F = joint.factor if not ridge else joint.plus_identity(ridge).factor
    return Form(factor=F[:, :p], squared=joint.squared), Form(factor=F[:, p:], squared=joint.squared)
