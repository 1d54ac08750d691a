r"""Robust low-rank fit when the rank is known: alternating projections along the tangent space.

Cells that lie far from the fit are set aside, and the others pull it:

.. math:: L \leftarrow H_r\bigl(P_T(L + E)\bigr), \qquad E_{ij} = (X - L)_{ij} \text{ where } |X - L|_{ij} \le \zeta,
    \text{ else } 0 .

T is the tangent space at L of the matrices of rank r, so that the singular value decomposition is one of 2r × 2r. The
level ζ falls geometrically, but never below a multiple of the median residual: on exact data it falls to zero with the
residuals, on noisy data it settles at the noise. Then the cells set aside are held, and what remains is a least-squares
fit to the others. The problem is not convex: there is no proof of optimality, but with the rank known more errors are
survived, and a round costs three products of n × p × r.

References
----------
Netrapalli, Niranjan, Sanghavi, Anandkumar, Jain (2014), Non-convex robust PCA. Cai, Cai, Wei (2019), Accelerated
alternating projections for robust principal component analysis. *J. Machine Learning Research* 20.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._core import xp as _xp
from .._core.typing import Array
from .least_absolute import least_absolute
from .observed import medians
from .pursuit import Parts, Report, only

FALL, PLUNGE = 0.7, 0.1  # of the level in a round, and in one in which nothing moved
NOISE = 6.0  # the level in median residuals, 4 standard deviations of normal noise: fewer flag what a round can fix
SETTLED, PATIENCE = 1e-3, 3  # change of the median residual, for so many rounds, at which the level has settled
LEFT = 0.5  # share of a row or column set aside in the end from which it is fitted again
WHOLE = 0.75  # share of a row or column set aside from which it is large as a whole
HOLD = 200  # rounds after which the cells set aside are held in any case


@dataclass(frozen=True, eq=False)
class Factors:
    """A matrix of rank r as U diag(s) Vᵀ, U and V orthonormal."""

    U: Array
    s: Array
    V: Array

    def dense(self) -> Array:
        return (self.U * self.s) @ self.V.T


def fit_rank(
    X: Array,
    observed: Array | None,
    root: Array,
    *,
    rank: int,
    tol: float,
    max_iter: int,
    report: Report | None = None,
) -> Parts:
    """Split X into a matrix of given rank, fitted to most cells, and what is left of the observed ones.

    Residuals below 10·tol of the largest entry count as rounding, and are zero in the sparse part.

    Parameters
    ----------
    X : array of shape (n, p)
        float64, zero in the cells that are not observed; rows multiplied by the root of their weight.
    observed : boolean array of shape (n, p), or None where all cells are
    root : array of shape (n, 1)
        Root of the weight of each row.
    rank : int
    tol : float
        Relative change of L at which to stop.
    max_iter : int
    report : function of (round, change, rank, objective), optional
    """
    tall, wide = (_sizes(X, observed, root, axis) for axis in (1, 0))
    found, aside = _fit(X / tall / wide, observed, root, tall * wide, rank, tol, max_iter, report)
    _, weight = _sized(X, observed, root)
    rows, columns = (np.sum(aside * weight, axis=k) > LEFT * np.sum(weight, axis=k) for k in (1, 0))
    rows, columns = rows | (_xp.to_numpy(tall)[:, 0] > 1), columns | (_xp.to_numpy(wide)[0] > 1)
    if columns.any():
        found = _columns_again(found, X / tall, observed, root, wide, np.flatnonzero(columns))
    return _rows_again(found, X, observed, tall, np.flatnonzero(rows), tol) if rows.any() or columns.any() else found


def _fit(
    X: Array, observed: Array | None, root: Array, unit: Array, rank: int, tol: float, max_iter: int, report: Any
) -> tuple[Parts, np.ndarray]:
    """Fit rows of like size, and tell which cells are set aside; the objective is told in the units of each row."""
    xp = _xp.namespace(X)
    level = highest = NOISE * _median_size(X, observed, root)
    objective: list[float] = []
    changes: list[float] = []
    L, E = xp.zeros_like(X), _calm(X, root, NOISE * _first_sizes(X, observed, root))
    fit: Factors | None = None
    held: Array | None = None
    median, still = np.inf, 0
    for k in range(1, max_iter + 1):
        fit = _truncated(E, rank) if fit is None else _tangent_step(fit, E)
        before, L = L, fit.dense()
        size = float(xp.sqrt(xp.sum(fit.s**2))) or 1.0
        changes.append(float(xp.sqrt(xp.sum((L - before) ** 2))) / size)
        R = only(X - L, observed)
        objective.append(float(xp.sum(xp.abs(R) * root * unit)))
        if report is not None:
            report(k, changes[-1], rank, objective[-1])
        calm, largest = changes[-1] <= tol, float(xp.max(xp.abs(L)))
        if calm and (held is not None or level <= max(NOISE * median, 10 * tol * largest)):
            break
        if held is None:
            last, median = median, _median_size(R, observed, root)
            # where nothing moves before the level is down, errors below it may have been taken for the truth
            level = min(highest, max((PLUNGE if calm else FALL) * level, NOISE * median))
            still = still + 1 if abs(median - last) <= SETTLED * last and level <= NOISE * median else 0
            E = _calm(R, root, level)
            if still >= PATIENCE or k >= HOLD:
                held = E == 0
        else:
            E = xp.where(held, xp.zeros_like(R), R)
    assert fit is not None
    S = _rounded(R, L, tol)
    aside = _xp.to_numpy((S != 0) & (E == 0))
    found = Parts(L, S, fit.V, fit.s, np.array(objective), np.array(changes), changes[-1] <= tol)
    return found, aside


def _sizes(X: Array, observed: Array | None, root: Array, axis: int) -> Array:
    """Return by how much each row or column is larger than usual: 1, or its median over that of all if that is large.

    A row of the low-rank part may have any length, but a very long one alone would determine the directions, errors and
    all. Divided by its size it says no more than the others, and the rank stays.
    """
    size, weight = _sized(X, observed, root)
    usual, (median, _) = _median_size(X, observed, root), medians(size, weight, axis)
    return _xp.like(np.where(median > NOISE * usual, median / usual if usual > 0 else 1.0, 1.0), X)


def _columns_again(
    found: Parts, X: Array, observed: Array | None, root: Array, size: Array, columns: np.ndarray
) -> Parts:
    """Bring a fit back to the units of the columns, and some of them by least absolute deviations, as `_rows_again`."""
    U, _, _ = _xp.thin_svd(found.low_rank @ found.vectors)
    F = np.array(_xp.to_numpy(found.low_rank.T @ U * size.T))  # L = U Fᵀ
    index = _xp.like(columns, X)
    known = None if observed is None else _xp.take_rows(observed.T, index)
    Q, R = _xp.namespace(X).linalg.qr(U * root, mode="reduced")  # deviations count with the weight, not with its root
    found_again = least_absolute(_xp.take_rows((X * root).T, index), known, Q)
    F[columns] = np.linalg.lstsq(_xp.to_numpy(R), _xp.to_numpy(found_again).T, rcond=None)[0].T
    V, s, turn = _xp.thin_svd(_xp.like(F, X))
    return replace(found, low_rank=(U @ turn.T * s) @ V.T, vectors=V, singular_values=s)


def _rows_again(found: Parts, X: Array, observed: Array | None, size: Array, rows: np.ndarray, tol: float) -> Parts:
    """Bring a fit back to the units of the rows; those divided or set aside whole get least absolute deviations.

    What is small for a large row may be far from small for the others, and was not looked at closely.
    """
    V = found.vectors
    scores = np.array(_xp.to_numpy((found.low_rank @ V) * size))
    index = _xp.like(rows, X)
    known = None if observed is None else _xp.take_rows(observed, index)
    if len(rows):
        scores[rows] = _xp.to_numpy(least_absolute(_xp.take_rows(X, index), known, V))
    Z = _xp.like(scores, X)
    L = Z @ V.T
    S = size * _rounded(only(X - L, observed) / size, L / size, tol)
    _, s, turn = _xp.thin_svd(Z)
    return replace(found, low_rank=L, sparse=S, vectors=V @ turn.T, singular_values=s)


def _rounded(R: Array, L: Array, tol: float) -> Array:
    """Put zeros for residuals that the accuracy of the fit does not tell from zero."""
    xp = _xp.namespace(R)
    return xp.where(xp.abs(R) <= 10 * tol * float(xp.max(xp.abs(L))), xp.zeros_like(R), R)


def _calm(R: Array, root: Array, level: Any) -> Array:
    """Keep the residuals that are small."""
    xp = _xp.namespace(R)
    return xp.where(xp.abs(R) <= level * root, R, xp.zeros_like(R))


def _median_size(R: Array, observed: Array | None, root: Array) -> float:
    """Return the lower weighted median of |R| over the observed cells, in the units of the rows."""
    xp = _xp.namespace(R)
    size = xp.abs(R) / root
    equal = bool(xp.all(root == 1.0))
    cells = xp.reshape(size, (-1,)) if observed is None else size[observed]
    if equal:
        k = (cells.shape[0] + 1) // 2 - 1
        return float(np.partition(cells, k)[k] if isinstance(cells, np.ndarray) else xp.sort(cells)[k])
    weight = xp.broadcast_to(root**2, size.shape)
    weight = xp.reshape(weight, (-1,)) if observed is None else weight[observed]
    cells, weight = _xp.to_numpy(cells), _xp.to_numpy(weight)
    order = np.argsort(cells, kind="stable")
    reached = np.cumsum(weight[order])
    return float(cells[order[np.argmax(reached >= reached[-1] / 2)]])


def _first_sizes(X: Array, observed: Array | None, root: Array) -> Array:
    """Return what size a cell may be expected to have: the median of all, or of its row or column if that is large.

    A single level for all would set aside whole rows and columns that are large, and never see them again.
    """
    size, weight = _sized(X, observed, root)
    usual = _median_size(X, observed, root)
    expected = np.full_like(size, usual)
    for axis in (1, 0):
        median, total = medians(size, weight, axis)
        aside = np.sum(weight * (size > NOISE * usual), axis=axis, keepdims=True) / np.where(total > 0, total, 1.0)
        expected = np.where((aside > WHOLE) & (median > expected), median, expected)
    return _xp.like(expected, X)


def _sized(X: Array, observed: Array | None, root: Array) -> tuple[np.ndarray, np.ndarray]:
    """Return the size of each cell in the units of its row, and its weight: none where it was not observed."""
    size, weight = _xp.to_numpy(_xp.namespace(X).abs(X) / root), _xp.to_numpy(root) ** 2
    return size, np.broadcast_to(weight, size.shape) * (1.0 if observed is None else _xp.to_numpy(observed))


def _truncated(Y: Array, rank: int) -> Factors:
    U, s, Vt = _xp.thin_svd(Y)
    return Factors(U[:, :rank], s[:rank], Vt[:rank, :].T)


def _tangent_step(fit: Factors, E: Array) -> Factors:
    """Project L + E on the tangent space at L, and return the nearest matrix of the same rank."""
    xp = _xp.namespace(E)
    U, s, V = fit.U, fit.s, fit.V
    r = s.shape[0]
    right, left = E @ V, E.T @ U  # n × r and p × r
    core = U.T @ right
    Q, down = _beside(U, right - U @ core)
    P, across = _beside(V, left - V @ core.T)
    top = xp.concat([core + s * xp.eye(r, dtype=s.dtype, device=_xp.device(s)), across.T], axis=1)
    bottom = xp.concat([down, xp.zeros((down.shape[0], across.shape[0]), dtype=s.dtype, device=_xp.device(s))], axis=1)
    A, s, Bt = _xp.thin_svd(xp.concat([top, bottom], axis=0))
    return Factors(xp.concat([U, Q], axis=1) @ A[:, :r], s[:r], xp.concat([V, P], axis=1) @ Bt[:r, :].T)


def _beside(U: Array, rest: Array) -> tuple[Array, Array]:
    """Return an orthonormal basis for what is orthogonal to U, and the coordinates there.

    Both are decomposed together: where the rest is next to nothing, its own basis would not be orthogonal to U.
    """
    Q = _xp.namespace(U).linalg.qr(_xp.namespace(U).concat([U, rest], axis=1), mode="reduced")[0][:, U.shape[1] :]
    return Q, Q.T @ rest
