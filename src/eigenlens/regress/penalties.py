"""Penalties Ω for linear models: what a coefficient vector β pays, βᵀΩβ.

Each is kept as a root L with LᵀL = Ω, so solvers need not square it. The penalties are

- ``"ridge"``: Ω = I,
- ``"smooth"``: squared second differences of β, for features in an order (wavelengths, times, …),
- ``"cyclic"``: the same on a circle (hours of the day, angles),
- ``"bspline"``: the curvature ∫f″² of the cubic spline f whose p coefficients, at equally spaced knots, are β,
- ``(rows, columns)``: the Laplacian of a grid of pixels in row-major order, Σ (β_a − β_b)² over neighbours,
- any symmetric positive semi-definite p×p matrix, such as `spline_penalty` of B-splines of the columns.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from ..arrays import errors
from .smoothing_spline import curvature_root

Floats = NDArray[np.float64]


def penalty_matrix(penalty: Any, p: int) -> Floats:
    """Return Ω (p×p) for a penalty given by name, grid shape or matrix.

    Examples
    --------
    >>> from eigenlens.regress.penalties import penalty_matrix
    >>> penalty_matrix("smooth", 4)
    array([[ 1., -2.,  1.,  0.],
           [-2.,  5., -4.,  1.],
           [ 1., -4.,  5., -2.],
           [ 0.,  1., -2.,  1.]])
    """
    L = penalty_root(penalty, p)
    return L.T @ L


def spline_penalty(splines: Any, lam: Any = 1.0) -> Floats:
    """Return Ω = diag(λⱼΩⱼ) of B-splines of several columns: Σⱼ λⱼ∫fⱼ″², each xⱼ scaled to [0, 1].

    Their basis H is what scikit-learn's `SplineTransformer` makes, with any knots. Use ``include_bias=False``, since
    the splines of a column add up to 1, and ``extrapolation="linear"``.

    Parameters
    ----------
    splines : SplineTransformer
        Fitted, of degree 3.
    lam : float or array of shape (n_features,)
        λⱼ, of the same size as `lam_` of `AdditiveSplines`.

    Returns
    -------
    array of shape (m, m), m the columns of H

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.preprocessing import SplineTransformer
    >>> from eigenlens.regress.penalties import spline_penalty
    >>> X = np.random.default_rng(0).uniform(0, 5, (50, 2))
    >>> splines = SplineTransformer(6, include_bias=False, extrapolation="linear").fit(X)
    >>> spline_penalty(splines, [1.0, 10.0]).shape, splines.transform(X).shape
    ((14, 14), (50, 14))
    """
    fitted = getattr(splines, "bsplines_", None)
    if fitted is None or any(spline.k != 3 for spline in fitted):
        raise errors.InputError(f"splines={splines!r} but it must be a fitted SplineTransformer of degree 3.")
    p = len(fitted)
    lams = np.asarray(lam, dtype=np.float64)
    if lams.shape not in ((), (p,)) or not (np.isfinite(lams) & (lams >= 0)).all():
        raise errors.InputError(f"lam={lam!r} but it must be one finite number ≥ 0 or one per column ({p}).")
    blocks = []
    for spline, own in zip(fitted, np.broadcast_to(lams, p), strict=True):
        L = curvature_root(spline.t) @ spline.c[:, : None if splines.include_bias else -1]
        blocks.append(own * (spline.t[-4] - spline.t[3]) ** 3 * L.T @ L)
    return np.asarray(block_diag(*blocks))


def penalty_root(penalty: Any, p: int) -> Floats:
    """Return L (m×p) with LᵀL = Ω."""
    if isinstance(penalty, str):
        if penalty == "ridge":
            return np.eye(p)
        if penalty == "smooth":
            return np.diff(np.eye(p), n=2, axis=0)
        if penalty == "cyclic":
            one = np.eye(p)
            return np.roll(one, -1, axis=1) - 2 * one + np.roll(one, 1, axis=1) if p > 1 else np.zeros((0, p))
        if penalty == "bspline":
            if p < 4:
                raise errors.InputError(
                    f'penalty="bspline" needs at least 4 columns but X has {p}; use "ridge" or "smooth"'
                )
            return curvature_root(np.arange(p + 4.0))
    if isinstance(penalty, str) or np.ndim(penalty) == 0:
        ready = '"ridge", "smooth", "cyclic", "bspline"'
        raise errors.InputError(f"penalty={penalty!r} is unknown; use {ready}, a pair (rows, columns) or a matrix")
    if _is_pair(penalty):
        return _grid_root(int(penalty[0]), int(penalty[1]), p)
    return _matrix_root(np.asarray(penalty, dtype=np.float64), p)


def _is_pair(penalty: Any) -> bool:
    return isinstance(penalty, tuple | list) and len(penalty) == 2 and all(isinstance(v, Integral) for v in penalty)


def _grid_root(rows: int, columns: int, p: int) -> Floats:
    if rows < 1 or columns < 1 or rows * columns != p:
        raise errors.InputError(
            f"penalty=({rows}, {columns}) is a grid of {rows * columns} pixels but X has {p} columns; "
            "use a grid whose rows × columns is the number of columns"
        )
    down = np.kron(np.diff(np.eye(rows), axis=0), np.eye(columns))
    along = np.kron(np.eye(rows), np.diff(np.eye(columns), axis=0))
    return np.vstack([down, along])


def _matrix_root(omega: Floats, p: int) -> Floats:
    if omega.shape != (p, p):
        raise errors.InputError(f"penalty has shape {omega.shape} but X has {p} columns; use a {p}×{p} matrix")
    if not np.all(np.isfinite(omega)):
        raise errors.InputError("penalty holds NaN or infinity; use a matrix of finite numbers")
    size = np.abs(omega).max(initial=0.0)
    if np.abs(omega - omega.T).max(initial=0.0) > 1e-10 * size:
        raise errors.InputError("penalty is not symmetric, but βᵀΩβ needs a symmetric Ω; use (Ω + Ωᵀ)/2")
    values, vectors = np.linalg.eigh((omega + omega.T) / 2)
    if values[0] < -1e-10 * max(values[-1], size):
        raise errors.InputError(
            f"penalty has the eigenvalue {values[0]:.3g} but must be positive semi-definite; "
            "use a matrix that never rewards a coefficient"
        )
    keep = values > 1e-14 * max(values[-1], 0.0)
    return np.sqrt(values[keep])[:, None] * vectors[:, keep].T
