r"""Rotations of loadings towards simple structure.

Loadings :math:`A` (p × k) become :math:`L = A R`. Orthogonal rotations maximise

.. math:: \sum_{ij} l_{ij}^4 - \frac{\gamma}{p} \sum_j \left(\sum_i l_{ij}^2\right)^2 ,

γ = 1 being varimax and γ = 0 quartimax, two columns at a time, for which the best angle is known. Oblique ones let
factors correlate: promax is the least-squares fit to powers of the varimax loadings, oblimin minimises the products of
squared loadings of different factors by projected gradients.

References
----------
Kaiser (1958), The varimax criterion for analytic rotation in factor analysis, Psychometrika 23. Hendrickson, White
(1964), Promax, British J. of Statistical Psychology 17. Jennrich (2002), A simple general method for oblique rotation,
Psychometrika 67.
"""

from __future__ import annotations

import numpy as np

ORTHOMAX = {"varimax": 1.0, "quartimax": 0.0}
ROTATIONS = (*ORTHOMAX, "promax", "oblimin")


def rotation_matrix(
    A: np.ndarray, method: str, normalize: bool, power: float = 4.0, start: np.ndarray | None = None
) -> np.ndarray:
    """Return R, with loadings A R; its columns are in no particular order and have no particular sign.

    Parameters
    ----------
    A : ndarray of shape (p, k)
    method : {"varimax", "quartimax", "promax", "oblimin"}
    normalize : bool
        Give all rows of A the length 1 meanwhile (Kaiser).
    power : float
        Of promax.
    start : ndarray of shape (k, k), optional
        Where oblimin begins; the identity if not given.
    """
    size = np.sqrt(np.sum(A**2, axis=1, keepdims=True)) if normalize else np.ones((len(A), 1))
    even = A / np.where(size > 0, size, 1.0)
    if A.shape[1] == 1:
        return np.eye(1)
    if method == "oblimin":
        return _oblimin(even, start)
    T = _orthomax(even, ORTHOMAX.get(method, 1.0))
    return T @ _promax(A @ T, power) if method == "promax" else T


def _orthomax(A: np.ndarray, gamma: float) -> np.ndarray:
    """Turn pairs of columns by the angle that is best for them, until no pair turns any more."""
    L, (p, k) = A.copy(), A.shape
    T = np.eye(k)
    for _ in range(200):
        turned = 0.0
        for i in range(k - 1):
            for j in range(i + 1, k):
                x, y = L[:, i], L[:, j]
                u, v = x**2 - y**2, 2 * x * y
                a, b = u.sum(), v.sum()
                sine = 2 * (u @ v) - 2 * gamma * a * b / p
                cosine = u @ u - v @ v - gamma * (a * a - b * b) / p
                angle = 0.25 * np.arctan2(sine, cosine)
                if abs(angle) < 1e-15:
                    continue
                turned = max(turned, abs(angle))
                c, s = np.cos(angle), np.sin(angle)
                plane = np.array([[c, -s], [s, c]])
                L[:, [i, j]] = L[:, [i, j]] @ plane
                T[:, [i, j]] = T[:, [i, j]] @ plane
        if turned < 1e-12:
            break
    return T


def _promax(L: np.ndarray, power: float) -> np.ndarray:
    """Return what brings loadings nearest to their own powers, scaled so that factors have variance 1."""
    target = L * np.abs(L) ** (power - 1)
    U = np.linalg.lstsq(L, target, rcond=None)[0]
    return np.asarray(U * np.sqrt(np.diagonal(np.linalg.inv(U.T @ U))))


def _oblimin(A: np.ndarray, start: np.ndarray | None) -> np.ndarray:
    """Minimise Σ_{j<l} Σ_i l_ij² l_il² over T with columns of length 1, L = A T⁻ᵀ, and return T⁻ᵀ."""
    k = A.shape[1]
    T = np.eye(k) if start is None else np.linalg.inv(start).T
    others = np.ones((k, k)) - np.eye(k)
    back = np.linalg.inv(T)
    L = A @ back.T
    products = L**2 @ others
    value, step = float(np.sum(L**2 * products)) / 4, 1.0
    size = max(float(np.sum(A**2)) ** 2 / len(A), np.finfo(float).tiny)
    for _ in range(5_000):
        G = -(L.T @ (L * products) @ back).T
        G = G - T * np.sum(T * G, axis=0)
        steepness = float(np.sum(G**2))
        if np.sqrt(steepness) <= 1e-10 * size:
            break
        step = min(2 * step, 1e3 / np.sqrt(steepness))
        while True:
            moved = T - step * G
            moved /= np.sqrt(np.sum(moved**2, axis=0))
            back = np.linalg.inv(moved)
            L = A @ back.T
            products = L**2 @ others
            new = float(np.sum(L**2 * products)) / 4
            if new <= value - 0.5 * steepness * step:
                break
            if step * steepness < 1e-15 * value:  # what is left to gain is rounding
                return np.asarray(np.linalg.inv(T).T)
            step /= 2
        T, value = moved, new
    return np.asarray(np.linalg.inv(T).T)
