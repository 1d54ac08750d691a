r"""Elastic-net regressions on a Gram matrix.

.. math:: \min_\beta \; \beta^T (G + \lambda_2 I) \beta - 2 c^T \beta + \lambda_1 \lVert\beta\rVert_1

Once the signs of the answer are known it is a linear system, so every solve first tries the signs it starts from: in an
iteration whose matrix settles, these are soon right, and the answer is exact at the price of one small solve. Where
they are wrong, all entries on the wrong side are exchanged at once, again and again; that takes a handful of solves,
and in the rare case that it runs in circles, entries move one at a time.

References
----------
Kim, Park (2010), Fast active-set-type algorithms for ℓ1-regularized linear regression. Lee, Battle, Raina, Ng (2006),
Efficient sparse coding algorithms. Efron, Hastie, Johnstone, Tibshirani (2004), Least angle regression.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

CIRCLES = 4  # exchanges without progress after which entries move one at a time
SLACK = 1e-12  # relative violation of a bound that counts as rounding


def elastic_nets(G: np.ndarray, C: np.ndarray, l1: np.ndarray, ridge: float, start: np.ndarray) -> np.ndarray:
    """Solve one regression for each column of C.

    Parameters
    ----------
    G : array of shape (p, p)
        Positive semidefinite.
    C : array of shape (p, k)
    l1 : array of shape (k,)
        λ₁ ≥ 0.
    ridge : float
        λ₂ ≥ 0.
    start : array of shape (p, k)
        Where to start; the nearer, the faster.
    """
    B, signs = np.zeros_like(C), np.sign(start)
    sure = np.array([_solve_signs(G, C[:, j], l1[j], ridge, signs[:, j], B[:, j]) for j in range(C.shape[1])])
    sure &= _within_bounds(C, C - G @ B, l1, signs)
    for j in np.flatnonzero(~sure):
        B[:, j] = elastic_net(G, C[:, j], float(l1[j]), ridge, start[:, j])
    return B


def elastic_net(G: np.ndarray, c: np.ndarray, l1: float, ridge: float, start: np.ndarray) -> np.ndarray:
    """Solve one regression."""
    if l1 == 0:
        return np.asarray(np.linalg.lstsq(G + ridge * np.eye(len(G)), c, rcond=None)[0])
    bound = l1 / 2 + SLACK * np.abs(c).max(initial=0.0)
    beta = _exchange(G, c, l1, ridge, np.sign(start), bound)
    return _active_set(G, c, l1, ridge, bound) if beta is None else beta


def _exchange(
    G: np.ndarray, c: np.ndarray, l1: float, ridge: float, signs: np.ndarray, bound: float
) -> np.ndarray | None:
    """Exchange all entries that are on the wrong side at once, until none is; None where that runs in circles."""
    signs, fewest, patience = signs.copy(), len(c) + 1, CIRCLES
    beta = np.zeros_like(c)
    while patience:
        on = signs.nonzero()[0]
        x = _on_support(G, c, l1, ridge, signs, on)
        slope = c - G[:, on] @ x
        slope[on] = 0.0
        wrong, wanted = on[x * signs[on] <= 0], np.flatnonzero(np.abs(slope) > bound)
        if not len(wrong) + len(wanted):
            beta[on] = x
            return beta
        if len(wrong) + len(wanted) < fewest:
            fewest, patience = len(wrong) + len(wanted), CIRCLES
        else:
            patience -= 1
        signs[wrong] = 0.0
        signs[wanted] = np.sign(slope[wanted])
    return None


def _active_set(G: np.ndarray, c: np.ndarray, l1: float, ridge: float, bound: float) -> np.ndarray:
    """Take in one entry at a time, from none, and let go the one that changes sign first: slow and sure."""
    beta, signs = np.zeros_like(c), np.zeros_like(c)
    for _ in range(10 * len(c) + 100):
        on = signs.nonzero()[0]
        x = _on_support(G, c, l1, ridge, signs, on)
        wrong = np.flatnonzero(x * signs[on] <= 0)
        if len(wrong):
            reach = beta[on[wrong]] / (beta[on[wrong]] - x[wrong])  # how far along each entry becomes zero
            first = int(np.argmin(reach))
            beta[on] += reach[first] * (x - beta[on])
            out = on[wrong[first]]
            beta[out] = signs[out] = 0.0
            continue
        beta[on] = x
        slope = c - G[:, on] @ x
        slope[on] = 0.0
        worst = int(np.argmax(np.abs(slope)))
        if abs(slope[worst]) <= bound:
            break
        signs[worst] = np.sign(slope[worst])
    return beta


def _on_support(G: np.ndarray, c: np.ndarray, l1: float, ridge: float, signs: np.ndarray, on: np.ndarray) -> np.ndarray:
    """Return the nonzero entries that these signs lead to."""
    M = G[on[:, None], on]
    M.flat[:: len(on) + 1] += ridge
    right = c[on] - l1 / 2 * signs[on]
    try:
        return np.asarray(np.linalg.solve(M, right))
    except np.linalg.LinAlgError:  # copies of a column, without a ridge
        return np.asarray(np.linalg.lstsq(M, right, rcond=None)[0])


def _solve_signs(G: np.ndarray, c: np.ndarray, l1: float, ridge: float, signs: np.ndarray, beta: np.ndarray) -> bool:
    """Put into beta the answer if it has these signs; tell whether they come out as they went in."""
    on = signs.nonzero()[0]
    beta[on] = _on_support(G, c, l1, ridge, signs, on)
    return bool((beta[on] * signs[on] > 0).all())


def _within_bounds(C: np.ndarray, slope: np.ndarray, l1: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """Tell, for each column, whether no entry that is zero wants to move."""
    bound = l1 / 2 + SLACK * np.abs(C).max(axis=0)
    return np.asarray(np.all((np.abs(slope) <= bound) | (signs != 0), axis=0))


def _factored(G: np.ndarray, on: np.ndarray, ridge: float) -> tuple[np.ndarray, bool] | None:
    M = G[np.ix_(on, on)]
    M[np.diag_indices(len(on))] += ridge
    try:
        return scipy.linalg.cho_factor(M, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        return None


# -- a given number of nonzeros ------------------------------------------------------------------------------------


def elastic_net_count(
    G: np.ndarray, c: np.ndarray, count: int, ridge: float, start: np.ndarray, l1: float
) -> tuple[np.ndarray, float]:
    """Lower λ₁ until one more entry than `count` would become nonzero; return the answer there, and that λ₁.

    Parameters
    ----------
    start, l1 :
        An earlier answer and its λ₁, from which the walk may begin; l1 = 0 where there is none.
    """
    top = 2 * np.abs(c).max(initial=0.0)
    beta, level = np.zeros_like(c), top
    if 0 < l1 < top:
        for level in (1.001 * l1, 1.1 * l1, 2 * l1):
            beta = elastic_net(G, c, min(level, top), ridge, start)
            if np.count_nonzero(beta) <= count:
                break
        else:
            beta, level = np.zeros_like(c), top
    return _walk(G, c, count, ridge, beta, min(level, top))


def _walk(
    G: np.ndarray, c: np.ndarray, count: int, ridge: float, beta: np.ndarray, level: float
) -> tuple[np.ndarray, float]:
    """Follow the path of answers, linear between its knots, as λ₁ falls (least angle regression)."""
    signs = np.sign(beta)
    if not signs.any():
        first = int(np.argmax(np.abs(c)))
        signs[first] = np.sign(c[first])
    left = -1
    for _ in range(20 * len(c) + 100):
        on = np.flatnonzero(signs)
        factor = _factored(G, on, ridge)
        if factor is None:  # copies of the same column: no more of them can enter
            signs[on[-1]] = 0.0
            on = np.flatnonzero(signs)
            factor = _factored(G, on, ridge)
        both = scipy.linalg.cho_solve(factor, np.stack([c[on], signs[on] / 2], axis=1), check_finite=False)
        G_on = G[:, on]
        fixed, falls = c - G_on @ both[:, 0], G_on @ both[:, 1]  # slope of the others = fixed + λ₁·falls
        enter, which = _next_entering(fixed, falls, on, level, left)
        leave, gone = _next_leaving(both, level)
        if max(enter, leave) <= 0:
            return _spread(both[:, 0], on, len(c)), 0.0
        if leave > enter:
            level, left = leave, int(on[gone])
            signs[left] = 0.0
            continue
        if len(on) >= count:
            return _spread(both[:, 0] - enter * both[:, 1], on, len(c)), enter
        level, left = enter, -1
        signs[which] = np.sign(fixed[which] + enter * falls[which])
    return _spread(both[:, 0] - level * both[:, 1], on, len(c)), level


def _next_entering(fixed: np.ndarray, falls: np.ndarray, on: np.ndarray, level: float, left: int) -> tuple[float, int]:
    """Return the largest λ₁ below the present one at which |slope| of an entry that is zero reaches λ₁/2."""
    best = np.zeros_like(fixed)
    for side in (1.0, -1.0):
        gap = 0.5 - side * falls
        at = np.divide(side * fixed, gap, out=np.zeros_like(fixed), where=gap > 0)
        best = np.maximum(best, at)
    best[on] = 0.0
    best = np.minimum(best, level)
    if left >= 0 and best[left] >= level * (1 - 1e-9):
        best[left] = 0.0  # it has just left at this very λ₁
    which = int(np.argmax(best))
    return float(best[which]), which


def _next_leaving(both: np.ndarray, level: float) -> tuple[float, int]:
    """Return the largest λ₁ below the present one at which an entry becomes zero."""
    at = np.divide(both[:, 0], both[:, 1], out=np.zeros(len(both)), where=both[:, 1] != 0)
    at[(at >= level * (1 - 1e-12)) | (at < 0)] = 0.0
    which = int(np.argmax(at))
    return float(at[which]), which


def _spread(values: np.ndarray, on: np.ndarray, p: int) -> np.ndarray:
    beta = np.zeros(p)
    beta[on] = values
    return beta
