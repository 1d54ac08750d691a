"""Shrinking singular values again and again: the low-rank step of iterations on a matrix that changes little.

Shrinking by τ is the proximal map of the nuclear norm: Y = U diag(s) Vᵀ ↦ U diag(max(s − τ, 0)) Vᵀ. Only the triplets
with s > τ are needed. Where they are few, block power iteration finds them, started from those of the call before: as
the matrix settles, a step or two is enough. Otherwise the small side is decomposed in full.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import linalg, namespaces
from ..arrays.typing import Array

FULL_SIDE = 200  # a full decomposition of this side or less is fast enough
ITERATED_SHARE = 0.2  # share of directions up to which an iteration pays
SPARE = 10  # directions carried beyond those in use, so that one that grows is seen before it matters
SQUARES = 1e-6  # relative size of τ down to which the squares of Y hold the digits that matter
MOST_POWERS = 60


class Shrinker:
    """Keeps, between calls, the directions that the last matrix had.

    Attributes
    ----------
    singular_values : array of shape (r,)
        Of the last result, descending.
    vectors : array of shape (p, r)
        Right singular vectors of the last result.
    """

    def __init__(self) -> None:
        self._block: Array | None = None
        self.singular_values: Array
        self.vectors: Array

    def __call__(self, Y: Array, tau: float, accuracy: float = 1e-12) -> Array:
        """Return the shrunk matrix.

        Parameters
        ----------
        Y : array of shape (n, p)
        tau : float
            How much the singular values shrink.
        accuracy : float
            How well the triplets are to be known, relative to the largest.
        """
        wide = Y.shape[0] < Y.shape[1]
        M = Y.T if wide else Y
        V = self._directions(M, tau, accuracy)
        xp = namespaces.namespace(Y)
        image = M @ V
        s = xp.sqrt(xp.sum(image**2, axis=0))
        kept = s - tau
        safe = xp.where(s > 0, s, xp.ones_like(s))
        self.singular_values = kept
        self.vectors = image / safe if wide else V
        result = (image * (kept / safe)) @ V.T
        return result.T if wide else result

    def missed(self, Y: Array, tau: float) -> bool:
        """Tell whether some singular value above τ was not found, by a full decomposition of the small side."""
        M = Y.T if Y.shape[0] < Y.shape[1] else Y
        before = self.singular_values.shape[0]
        V = self._all(M, tau)
        if V.shape[1] <= before:
            return False
        self._block = V
        return True

    # -- directions ------------------------------------------------------------------------------------------------

    def _directions(self, M: Array, tau: float, accuracy: float) -> Array:
        """Return the leading right singular vectors of a tall matrix."""
        q = M.shape[1]
        if q > FULL_SIDE and self._block is not None and self._block.shape[1] <= ITERATED_SHARE * q:
            V = self._by_powers(M, tau, accuracy)
            if V is not None:
                return V
        V = self._all(M, tau)
        if q > FULL_SIDE:
            self._block = self._with_spare(M, V)
        return V

    def _all(self, M: Array, tau: float) -> Array:
        """Decompose the small side in full."""
        xp = namespaces.namespace(M)
        values, V = xp.linalg.eigh(linalg.gram(M))
        s = xp.sqrt(xp.clip(xp.flip(values), min=0.0))
        V = xp.flip(V, axis=1)
        if tau < SQUARES * float(s[0]):
            _, s, right = linalg.thin_svd(M)
            V = right.T
        return V[:, : _count(s, tau)]

    def _by_powers(self, M: Array, tau: float, accuracy: float) -> Array | None:
        """Find the leading directions from those of the call before; None where they have become too many."""
        xp = namespaces.namespace(M)
        Q: Any = self._block
        for _ in range(MOST_POWERS):
            Q, _ = xp.linalg.qr(M.T @ (M @ Q), mode="reduced")
            image = M @ Q
            values, turn = xp.linalg.eigh(image.T @ image)
            s, Q = xp.sqrt(xp.clip(xp.flip(values), min=0.0)), Q @ xp.flip(turn, axis=1)
            r = _count(s, tau)
            if r > Q.shape[1] - SPARE // 2:
                if Q.shape[1] + SPARE > ITERATED_SHARE * M.shape[1]:
                    return None
                Q = xp.concat([Q, _start(M, SPARE)], axis=1)
                continue
            V = Q[:, :r]
            back = M.T @ (M @ V) - V * s[:r] ** 2
            if r == 0 or float(xp.max(xp.abs(back))) <= accuracy * float(s[0]) ** 2:
                self._block = Q
                return V
        return None

    def _with_spare(self, M: Array, V: Array) -> Array:
        xp = namespaces.namespace(M)
        return xp.concat([V, _start(M, SPARE)], axis=1)


def _count(s: Array, tau: float) -> int:
    return int(np.count_nonzero(namespaces.to_numpy(s) > tau))


def _start(M: Array, count: int) -> Array:
    """Return directions to start from: seeded, so that a rerun gives the same bits."""
    return namespaces.like(np.random.default_rng(0).standard_normal((M.shape[1], count)), M)
