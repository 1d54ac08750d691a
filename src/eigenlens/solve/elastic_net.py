r"""Elastic-net regressions on a Gram matrix.

.. math:: \min_\beta \; \beta^T (G + \lambda_2 I) \beta - 2 c^T \beta + \lambda_1 \lVert\beta\rVert_1

Once the signs of the answer are known it is a linear system, so every solve first tries the signs it starts from: in an
iteration whose matrix settles, these are soon right, and the answer is exact at the price of one small solve, with a
factor that is kept from the round before. Where they are wrong, all entries on the wrong side are exchanged at once,
again and again; that takes a handful of solves, and in the rare case that it runs in circles, entries move one at a
time.

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
KEPT = 2**22  # numbers in the factors that are kept
COPIES = 1e-13  # share of a column, squared, that others leave, below which it is a combination of them
TOGETHER = (3, 40)  # so many regressions, or more, of so many entries, or fewer, are cheaper in one stack


class _Support:
    """G + λ₂I at some places, factored."""

    def __init__(self, G: np.ndarray, ridge: float, on: np.ndarray, alone: bool = False) -> None:
        self.on = on
        self.rows = G[:0] if alone else G[on]
        self.M = G[np.ix_(on, on)] if alone else self.rows[:, on]
        self.M.flat[:: len(on) + 1] += ridge
        self.L, info = scipy.linalg.lapack.dpotrf(self.M, lower=1)
        # otherwise some columns are combinations of others, without a ridge: rounding may hide it from Cholesky
        least = float(np.min(self.L.diagonal(), initial=np.inf)) ** 2
        self.definite = info == 0 and least > COPIES * float(np.max(self.M.diagonal(), initial=0.0))

    def solve(self, right: np.ndarray) -> np.ndarray:
        if not self.definite:
            return np.asarray(np.linalg.lstsq(self.M, right, rcond=None)[0])
        return right if not len(right) else np.asarray(scipy.linalg.lapack.dpotrs(self.L, right, lower=1)[0])


class ElasticNet:
    """Regressions on one matrix.

    Parameters
    ----------
    G : array of shape (p, p)
        Positive semidefinite.
    ridge : float
        λ₂ ≥ 0.
    """

    def __init__(self, G: np.ndarray, ridge: float) -> None:
        self.G, self.ridge = G, ridge
        self._known: dict[tuple[bytes, bool], _Support] = {}
        self._size = 0
        self._M: np.ndarray | None = None  # G + λ₂I, where each of its blocks is safely definite
        if len(G) <= TOGETHER[1]:
            M = G + ridge * np.eye(len(G))
            least = float(np.min(np.linalg.eigvalsh(M), initial=np.inf))
            self._M = M if least > COPIES * float(np.max(M.diagonal(), initial=0.0)) else None

    def at(self, on: np.ndarray, alone: bool = False) -> _Support:
        """Return the factored matrix at some places, from memory if it was used recently.

        Its rows at all other places are kept with it unless it is wanted alone.
        """
        key = (on.tobytes(), alone)
        if key not in self._known:
            new = _Support(self.G, self.ridge, on, alone)
            self._size += len(on) * (2 * len(on) + (0 if alone else len(self.G)))
            if self._size > KEPT:
                self._known, self._size = {}, 0
            self._known[key] = new
        return self._known[key]

    def solve(self, C: np.ndarray, l1: np.ndarray, start: np.ndarray) -> np.ndarray:
        """Solve one regression for each column of C, with its λ₁ and from its start: the nearer, the faster."""
        if self._M is None or C.shape[1] < TOGETHER[0] or not np.all(l1):
            return np.stack([self.solve_one(C[:, j], float(l1[j]), start[:, j]) for j in range(C.shape[1])], axis=1)
        beta, left = self._exchange_together(self._M, C.T, l1[:, None], np.sign(start.T))
        for j in left:
            beta[j] = self.solve_one(C[:, j], float(l1[j]), start[:, j])
        return beta.T

    def solve_one(self, c: np.ndarray, l1: float, start: np.ndarray) -> np.ndarray:
        """Solve one regression."""
        if l1 == 0:
            return self.on_support(c, np.ones(len(c), dtype=bool))
        bound = l1 / 2 + SLACK * np.abs(c).max(initial=0.0)
        beta = self._exchange(c, l1, np.sign(start), bound)
        return self._active_set(c, l1, bound, start) if beta is None else beta

    def on_support(self, c: np.ndarray, where: np.ndarray) -> np.ndarray:
        """Solve without λ₁, the entries elsewhere being zero."""
        on = np.flatnonzero(where)
        return _spread(self.at(on, alone=True).solve(c[on]), on, len(c))

    def _exchange(self, c: np.ndarray, l1: float, signs: np.ndarray, bound: float) -> np.ndarray | None:
        """Exchange all entries that are on the wrong side at once, until none is; None where that runs in circles."""
        signs, fewest, patience = signs.copy(), len(c) + 1, CIRCLES
        while patience:
            on = signs.nonzero()[0]
            support = self.at(on)
            x = support.solve(c[on] - l1 / 2 * signs[on])
            slope = c - x @ support.rows
            slope[on] = 0.0
            wrong, wanted = on[x * signs[on] <= 0], np.flatnonzero(np.abs(slope) > bound)
            if not len(wrong) + len(wanted):
                return _spread(x, on, len(c))
            if len(wrong) + len(wanted) < fewest:
                fewest, patience = len(wrong) + len(wanted), CIRCLES
            else:
                patience -= 1
            signs[wrong] = 0.0
            signs[wanted] = np.sign(slope[wanted])
        return None

    def _exchange_together(
        self, M: np.ndarray, C: np.ndarray, l1: np.ndarray, signs: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Exchange in all regressions (one in each row) a few times; return the answers, and which are not found."""
        bound = l1 / 2 + SLACK * np.abs(C).max(axis=1, keepdims=True)
        beta, left, unit = np.zeros_like(C), np.arange(len(C)), np.eye(C.shape[1])
        for _ in range(CIRCLES):
            on = signs != 0
            blocks = np.where(on[:, :, None] & on[:, None, :], M, unit)
            x = np.linalg.solve(blocks, np.where(on, C[left] - l1[left] / 2 * signs, 0.0)[:, :, None])[:, :, 0]
            x[~on] = 0.0
            slope = np.where(on, 0.0, C[left] - x @ M)
            wrong, wanted = on & (x * signs <= 0), np.abs(slope) > bound[left]
            open_ = (wrong | wanted).any(axis=1)
            beta[left[~open_]] = x[~open_]
            left = left[open_]
            if not len(left):
                break
            signs = np.where(wrong, 0.0, np.where(wanted, np.sign(slope), signs))[open_]
        return beta, left

    def _active_set(self, c: np.ndarray, l1: float, bound: float, start: np.ndarray) -> np.ndarray:
        """Take in one entry at a time, and let go the one that changes sign first: slow and sure.

        From nothing where most entries are nonzero at the start: that many would have to go, from large matrices.
        """
        beta = start.copy() if 2 * np.count_nonzero(start) <= len(c) else np.zeros_like(c)
        signs = np.sign(beta)
        for _ in range(10 * len(c) + 100):
            on = signs.nonzero()[0]
            support = self.at(on)
            x = support.solve(c[on] - l1 / 2 * signs[on])
            wrong = np.flatnonzero(x * signs[on] <= 0)
            if len(wrong):
                reach = beta[on[wrong]] / (beta[on[wrong]] - x[wrong])  # how far along each entry becomes zero
                first = int(np.argmin(reach))
                beta[on] += reach[first] * (x - beta[on])
                out = on[wrong[first]]
                beta[out] = signs[out] = 0.0
                continue
            beta[on] = x
            slope = c - x @ support.rows
            slope[on] = 0.0
            worst = int(np.argmax(np.abs(slope)))
            if abs(slope[worst]) <= bound:
                break
            signs[worst] = np.sign(slope[worst])
        return beta


def _spread(values: np.ndarray, on: np.ndarray, p: int) -> np.ndarray:
    beta = np.zeros(p)
    beta[on] = values
    return beta
