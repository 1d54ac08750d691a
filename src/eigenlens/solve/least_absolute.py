r"""Least absolute deviations of many rows on one orthonormal basis.

.. math:: z_i = \arg\min_z \sum_{j\ \text{observed}} |x_{ij} - v_j^T z| .

A few rounds of alternating directions, for all rows at once, show which entries a row fits exactly. Where that answer
can be proved (multipliers |y_j| ≤ 1 on these entries that balance the signs of the others), the row is done. The
others walk from vertex to vertex: r entries are fitted exactly, the one whose multiplier is too large is let go, and
the step along the edge is a weighted median, until every multiplier is within one. A row's answer does not depend on
its neighbours.

References
----------
Barrodale, Roberts (1973), An improved algorithm for discrete ℓ1 linear approximation. Boyd, Parikh, Chu, Peleato,
Eckstein (2011), Distributed optimization and statistical learning via the alternating direction method of multipliers.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from ..arrays import namespaces
from ..arrays.typing import Array
from .low_rank_and_sparse import OVER

EXACT = 1e-9  # residuals (of mean size 1) and multipliers beyond 1 that count as rounding
BATCH = 2**22  # numbers in the systems solved at a time


def least_absolute(X: Array, observed: Array | None, V: Array) -> Array:
    """Return the coefficients of rows, shape (n, r).

    Parameters
    ----------
    X : array of shape (n, p)
        float64, anything finite in the cells that are not observed.
    observed : boolean array of shape (n, p), or None where all cells are
    V : array of shape (p, r)
        Orthonormal columns.
    """
    xp = namespaces.namespace(X)
    seen = xp.ones_like(X) if observed is None else xp.astype(observed, xp.float64)
    X = X * seen
    size = xp.sum(xp.abs(X), axis=1, keepdims=True) / xp.clip(xp.sum(seen, axis=1, keepdims=True), min=1.0)
    size = xp.where(size > 0, size, xp.ones_like(size))
    X = X / size
    if V.shape[1] == 0 or X.shape[0] == 0:
        return X @ V
    Z, rest = _approach(X, seen, V)
    if len(rest):
        rows, known = (namespaces.to_numpy(namespaces.take_rows(A, namespaces.like(rest, A))) for A in (X, seen))
        Z[rest] = _walk(rows, known, Z[rest], namespaces.to_numpy(V))
    return namespaces.like(Z, X) * size


def _approach(X: Array, seen: Array, V: Array) -> tuple[np.ndarray, np.ndarray]:
    """Come close by alternating directions; return coefficients, on the host, and the rows that are not done."""
    xp = namespaces.namespace(X)
    Z, U, rows = X @ V, xp.zeros_like(X), np.arange(X.shape[0])
    answer = np.array(namespaces.to_numpy(Z))
    for k in range(1, 61):
        fit = Z @ V.T
        R = X - fit + U
        S = xp.where(seen > 0, xp.sign(R) * xp.clip(xp.abs(R) - 0.25, min=0.0), R)  # of a mean size of 1
        Y = X - OVER * S - (1 - OVER) * (X - fit) + U
        Z = Y @ V
        U = Y - Z @ V.T
        if k % 20 == 0:  # look for a proof
            exact, sure = _certify(X, seen, V, (S == 0) & (seen > 0))
            answer[rows] = namespaces.to_numpy(xp.where(sure[:, None], exact, Z))
            left = np.flatnonzero(~namespaces.to_numpy(sure))
            rows = rows[left]
            if not len(left):
                break
            index = namespaces.like(left, X)
            X, seen, Z, U = (namespaces.take_rows(A, index) for A in (X, seen, Z, U))
    return answer, rows


def _certify(X: Array, seen: Array, V: Array, zero: Array) -> tuple[Array, Array]:
    """Solve for the entries that are to be fitted exactly, and tell which rows are proved to be optimal."""
    xp = namespaces.namespace(X)
    step = max(1, BATCH // (V.shape[0] * V.shape[1]))
    parts = [
        _certify_batch(X[a : a + step, :], seen[a : a + step, :], V, zero[a : a + step, :])
        for a in range(0, X.shape[0], step)
    ]
    return xp.concat([z for z, _ in parts], axis=0), xp.concat([ok for _, ok in parts], axis=0)


def _certify_batch(X: Array, seen: Array, V: Array, zero: Array) -> tuple[Array, Array]:
    xp = namespaces.namespace(X)
    r = V.shape[1]
    E = xp.astype(zero, xp.float64)
    enough = xp.sum(E, axis=1) >= r
    eye = xp.eye(r, dtype=X.dtype, device=namespaces.device(X))
    M = xp.matmul(V.T[None, :, :] * E[:, None, :], V)  # rows × r × r
    M = xp.where(enough[:, None, None], M, eye) + 1e-14 * eye
    z = _solved(M, (X * E) @ V)
    residual = (X - z @ V.T) * seen
    signs = xp.sign(residual) * (1.0 - E)
    y = (_solved(M, -(signs @ V)) @ V.T) * E
    fits = xp.max(xp.abs(residual * E), axis=1) <= EXACT
    balanced = xp.max(xp.abs(y), axis=1) <= 1 + EXACT
    closes = xp.max(xp.abs((y + signs) @ V), axis=1) <= 1e-6  # not where the exact entries leave some direction open
    return z, enough & fits & balanced & closes


def _solved(M: Array, B: Array) -> Array:
    return namespaces.namespace(M).linalg.solve(M, B[:, :, None])[:, :, 0]


# -- from vertex to vertex -----------------------------------------------------------------------------------------


def _walk(X: np.ndarray, seen: np.ndarray, Z: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Finish rows exactly; one that its observed entries do not determine gets the smallest coefficients that fit."""
    r = V.shape[1]
    basis = np.array([_basis(x, s, z, V) for x, s, z in zip(X, seen, Z, strict=True)])
    places = np.flatnonzero(basis[:, 0] >= 0)
    best = Z.copy()
    for i in np.flatnonzero(basis[:, 0] < 0):
        known = seen[i] > 0
        best[i] = np.linalg.lstsq(V[known], X[i, known], rcond=None)[0]
    step = max(1, BATCH // max(r * r, V.shape[0]))
    for a in range(0, len(places), step):
        rows = places[a : a + step]
        found = _pivot(X[rows], seen[rows], basis[rows], V)
        better = _cost(X[rows], seen[rows], found, V) <= _cost(X[rows], seen[rows], Z[rows], V) * (1 + EXACT)
        best[rows] = np.where(better[:, None], found, Z[rows])
    return best


def _cost(X: np.ndarray, seen: np.ndarray, Z: np.ndarray, V: np.ndarray) -> np.ndarray:
    return np.asarray(np.sum(np.abs(X - Z @ V.T) * seen, axis=1))


def _basis(x: np.ndarray, seen: np.ndarray, z: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Choose r independent entries among those of small residual; −1 where the observed ones do not span."""
    weight = seen / (np.abs(x - V @ z) + 1e-6)
    R, order = scipy.linalg.qr((V * weight[:, None]).T, mode="r", pivoting=True)
    pivots = np.abs(np.diag(R))
    r = V.shape[1]
    if len(pivots) < r or pivots[r - 1] <= 1e-10 * weight[order[r - 1]] or seen[order[:r]].min() == 0:
        return np.full(r, -1)
    return np.asarray(order[:r])


def _pivot(X: np.ndarray, seen: np.ndarray, basis: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Walk along edges to the optimum, all rows at once."""
    n, r = basis.shape
    answer, places = np.zeros((n, r)), np.arange(n)
    for _ in range(50 + 20 * r):
        rows = np.arange(len(X))[:, None]
        inverse = np.linalg.inv(V[basis])
        Z = np.einsum("nij,nj->ni", inverse, X[rows, basis])
        residual = (X - Z @ V.T) * seen
        residual[rows, basis] = 0.0
        residual[np.abs(residual) <= EXACT * 1e-3] = 0.0
        y = -np.einsum("nij,ni->nj", inverse, np.sign(residual) @ V)
        leaving = np.argmax(np.abs(y), axis=1)
        answer[places] = Z
        going = np.abs(y[rows[:, 0], leaving]) > 1 + EXACT
        entering = _median_step(residual, inverse[rows[:, 0], :, leaving], basis, leaving, seen, V)
        going &= entering != basis[rows[:, 0], leaving]
        if not going.any():
            break
        basis[rows[:, 0], leaving] = entering
        X, seen, basis, places = X[going], seen[going], basis[going], places[going]
    return answer


def _median_step(
    residual: np.ndarray, d: np.ndarray, basis: np.ndarray, leaving: np.ndarray, seen: np.ndarray, V: np.ndarray
) -> np.ndarray:
    """Return the entry at which Σ|residual − t·Vd| is least: a weighted median of the ratios."""
    rows = np.arange(len(residual))
    a = (d @ V.T) * seen
    a[rows[:, None], basis] = 0.0
    a[rows, basis[rows, leaving]] = 1.0
    a[np.abs(a) < 1e-12] = 0.0
    t = np.divide(residual, a, out=np.full_like(a, np.inf), where=a != 0)
    order = np.argsort(t, axis=1, kind="stable")
    weight = np.cumsum(np.take_along_axis(np.abs(a), order, axis=1), axis=1)
    middle = np.argmax(weight >= weight[:, -1:] / 2, axis=1)
    return np.asarray(order[rows, middle])
