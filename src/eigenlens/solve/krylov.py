"""The space that a symmetric matrix spans from a few random vectors: Z, BZ, B²Z, …

It gives leading eigenvectors to machine precision in fewer passes over a large matrix than one vector at a time needs
(Golub, Underwood 1977), and sees an eigenvalue as many times as it is there, up to eight. The same space tells how much
of the matrix is negative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from ..arrays import linalg, namespaces
from ..arrays.threads import PARALLEL_CELLS, threaded

WIDTH = 8  # vectors at a time: with more, keeping them orthogonal costs more than fewer passes save
STEPS = 30  # the most
COLUMNS = 500  # of a matrix for one thread at a time
PATIENCE = 10  # after so many, less than half the pace that leads to rounding within all of them is given up


@dataclass(frozen=True, eq=False)
class Ritz:
    """Eigenvectors, as far as they are known.

    Attributes
    ----------
    values : ndarray of shape (k,)
        Descending.
    vectors : ndarray of shape (n, k)
        Orthonormal.
    residual : float
        The largest ‖Bv − θv‖ over the largest ‖Bv‖ met.
    settled : bool
        Whether that is rounding.
    """

    values: np.ndarray
    vectors: np.ndarray
    residual: float
    settled: bool


class KrylovSpace:
    """An orthonormal basis Q of the space, with BQ; vectors are rows here, so that a product runs along the matrix.

    It starts from eight vectors of random signs, seeded: a rerun gives the same.

    Parameters
    ----------
    apply : function
        Rows times the symmetric matrix.
    n : int

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve.krylov import KrylovSpace
    >>> B = np.diag(np.arange(20.0))
    >>> KrylovSpace(lambda V: V @ B, 20).leading(2).values.round(12)
    array([19., 18.])
    """

    def __init__(self, apply: Callable[[np.ndarray], np.ndarray], n: int) -> None:
        self._apply = apply
        self.start = np.random.default_rng(0).choice([-1.0, 1.0], (WIDTH, n))
        self.Q = np.empty((0, n))
        self.image = np.empty((0, n))
        self.T = np.empty((0, 0))
        self.steps = 0
        self._size = 0.0
        self._next = _orthonormal(self.start, self.Q, 0.0)

    def grow(self, steps: int) -> bool:
        """Go on until so many steps are made; return whether there is anything left to find."""
        while self._next.shape[0] and self.steps < steps:
            image = self._apply(self._next)
            with linalg.one_blas_thread():  # of a few rows: threads would wait for each other longer than they work
                self.Q = np.concatenate([self.Q, self._next])
                self.image = np.concatenate([self.image, image])
                corner = image @ self.Q.T
                m = self.T.shape[0]
                self.T = np.block([[self.T, corner[:, :m].T], [corner[:, :m], (corner[:, m:] + corner[:, m:].T) / 2]])
                self._size = max(self._size, float(np.linalg.norm(image, axis=1).max()))
                self._next = _orthonormal(image, self.Q, self._rounding)
            self.steps += 1
        return bool(self._next.shape[0])

    def leading(self, k: int) -> Ritz:
        """Find the k ≤ 8 largest eigenvalues, by sign, growing while there is hope of finding them to rounding."""
        more = self.grow(1)
        while True:
            found = self._ritz(k)
            hopeless = self.steps >= PATIENCE and found.residual > namespaces.EPS ** (self.steps / (2 * STEPS))
            if found.settled or hopeless or self.steps >= STEPS or not more:
                return found
            more = self.grow(self.steps + 1)

    def _ritz(self, k: int) -> Ritz:
        with linalg.one_blas_thread():
            theta, S = np.linalg.eigh(self.T)
            top = S[:, ::-1][:, :k].T
            values, rows = theta[::-1][:k], top @ self.Q
            gap = float(np.linalg.norm(top @ self.image - values[:, None] * rows, axis=1).max())
        return Ritz(values, rows.T, gap / (self._size or 1.0), len(values) == k and gap <= self._rounding)

    @property
    def _rounding(self) -> float:
        """What rounding makes of a vector of length one whose image should be 0."""
        return (16 + 0.5 * self.Q.shape[1] ** 0.5) * namespaces.EPS * self._size


def _orthonormal(rows: np.ndarray, Q: np.ndarray, floor: float) -> np.ndarray:
    """Return an orthonormal basis of what rows have outside of Q, as rows; nothing for what is shorter than `floor`."""
    with linalg.one_blas_thread():
        for _ in range(2):
            rows = rows - (rows @ Q.T) @ Q
        left, R, _ = scipy.linalg.qr(rows.T, mode="economic", pivoting=True, check_finite=False)
        fresh = left[:, np.abs(np.diag(R)) > floor].T
        return np.linalg.qr((fresh - (fresh @ Q.T) @ Q).T)[0].T if len(fresh) else fresh


def rows_times(V: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Return V A for a few rows V and a large matrix, whose columns our threads share: BLAS's wait for each other."""
    if V.ndim == 1 or A.size < PARALLEL_CELLS:
        return V @ A
    columns = (slice(start, start + COLUMNS) for start in range(0, A.shape[1], COLUMNS))
    return np.concatenate(list(threaded(lambda part: V @ A[:, part], columns)), axis=1)
