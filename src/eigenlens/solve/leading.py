"""Leading eigenvectors of a symmetric matrix that is known by its products alone: block Lanczos with thick restart.

The space Z, AZ, A²Z, … of a few vectors of seeded random signs is kept orthonormal in full. So what it says about A is
right to rounding, and the residual ‖Av − θv‖ of every direction comes out of the recurrence without a product of its
own (Golub, Underwood 1977; Wu, Simon 2000). Where it has grown as far as it may, its best directions begin the next.

b vectors at a time see no more than b directions of one eigenvalue. Where more are wanted than that, a second start
outside of what was found looks for those that the first could not see.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import linalg, namespaces
from ..arrays.typing import Array

RESIDUAL = 1e-8  # of ‖Av − θv‖ relative to θ, for every direction that is kept
WEAK = 1e-4  # directions whose value is a smaller share of the largest one are held to this share of it
WIDTHS = (8, 32)  # vectors at a time: a product takes about as long for one as for 32
SIZES = (384, 48)  # vectors in the space before it starts again, the second where fewer than 8 are multiplied at a time
STEPS = 300  # products with a block of vectors, at most


@dataclass(frozen=True, eq=False)
class Leading:
    """Eigenvectors, and how well they are known.

    Attributes
    ----------
    values : ndarray of shape (k,)
        Descending.
    vectors : array of shape (k, n)
        Orthonormal rows.
    residuals : ndarray of shape (k,)
        ‖Av − θv‖ over the size of the matrix, which is that of the largest θ unless negative ones are larger.
    steps : int
        Products of the matrix with a block of vectors.
    settled : bool
        Whether every direction is as good as asked.
    """

    values: np.ndarray
    vectors: Array
    residuals: np.ndarray
    steps: int
    settled: bool


def block_width(k: int) -> int:
    """Return how many vectors are multiplied at a time, where k directions are wanted."""
    return min(max(k + 2, WIDTHS[0]), WIDTHS[1])


class KrylovSpace:
    """An orthonormal basis Q as rows with T = QAQᵀ, and the block that comes next: A·(last rows) = QᵀT + next·R.

    Parameters
    ----------
    apply : function
        Rows times the matrix.
    n, k : int
        Dimension, and how many directions are wanted.
    like : array
        Of the library and device on which the vectors are to be.
    width : int, optional
        Vectors that are multiplied at a time.
    start : array of shape (width, n), optional
        Instead of vectors of random signs.
    """

    def __init__(
        self,
        apply: Callable[[Array], Array],
        n: int,
        k: int,
        like: Array,
        width: int | None = None,
        start: Array | None = None,
    ) -> None:
        self.apply, self.n, self._like, self.width = apply, n, like, min(width or block_width(k), n)
        most = min(SIZES[self.width < WIDTHS[0]], 2**29 // (8 * n))  # half a gigabyte
        self.size = min(max(most, 3 * k + 4 * self.width), n)
        self.T, self.m, self.steps, self.top = np.zeros((self.size + self.width,) * 2), 0, 0, 0.0
        self.Q = self._empty(min(64, len(self.T)))  # grows with the space
        self.restarted = False
        self._random, self._apart = np.random.default_rng(0), False
        self.first = self.begin(start)

    def begin(self, start: Array | None = None) -> np.ndarray:
        """Go on from vectors outside of the space; return them in terms of the block that comes next."""
        if start is None:
            signs = self._random.integers(0, 2, (min(self.width, self.n - self.m), self.n), dtype=np.int8)
            start = 2.0 * namespaces.float64(namespaces.like(signs, self._like)) - 1.0
        self._apart = self.m > 0
        self.next, started, _ = self._outside(start)
        self.R = np.zeros((len(started), self.m))
        return started

    def _empty(self, rows: int) -> Array:
        xp = namespaces.namespace(self._like)
        return xp.empty((rows, self.n), dtype=xp.float64, device=namespaces.device(self._like))

    def grow(self) -> None:
        """Take in one block, and find the next."""
        m, b = self.m, int(self.next.shape[0])
        if m + b > self.Q.shape[0]:
            before, self.Q = self.Q, self._empty(min(2 * self.Q.shape[0], len(self.T)))
            self.Q[:m, :] = before[:m, :]
        self.Q[m : m + b, :] = self.next
        image = namespaces.float64(self.apply(self.next))
        self.m, self.steps = m + b, self.steps + 1
        near = 0 if self._apart else m - self.R.shape[1]  # of one start, a block is coupled with the last alone
        Q = self.Q[near : self.m, :]
        row = image @ Q.T
        self.next, self.R, row = self._outside(image - row @ Q, row)
        row[:, m - near :] = (row[:, m - near :] + row[:, m - near :].T) / 2
        self.T[m : self.m, near : self.m], self.T[near : self.m, m : self.m] = row, row.T

    def _outside(self, rows: Array, inside: Array | None = None) -> tuple[Array, np.ndarray, np.ndarray]:
        """Return an orthonormal basis of what rows have outside of the space, R with rows = Rᵀ·basis, and `inside`.

        What they had inside, if given, was taken out already, and is rounding relative to it if that is all they had.
        Products with a device come back together: each copy is waited for.
        """
        b, Q = int(rows.shape[0]), self.Q[: self.m, :]
        R, floor, taken = np.eye(b), 0.0, np.zeros((b, 0))
        for turn in range(2):
            rows = rows - (rows @ Q.T) @ Q
            squares = rows @ rows.T
            if turn == 0 and inside is not None:
                both = namespaces.to_numpy(namespaces.namespace(rows).concat([squares, inside], axis=1))
                squares, taken = both[:, :b], both[:, b:]
                self.top = max(self.top, float(np.linalg.norm(taken, axis=1).max(initial=0.0)))
                floor = namespaces.EPS * self.n**0.5 * self.top
            values, U = np.linalg.eigh(namespaces.to_numpy(squares))
            s = np.sqrt(np.maximum(values, 0.0))
            null = 1e-7 * s.max(initial=0.0)  # below it squares cannot tell a vector from rounding
            kept = s > max(floor if turn == 0 else 0.5, null)
            mixed = U[:, kept]
            rows, R = namespaces.like((mixed / s[kept]).T.copy(), rows) @ rows, (mixed * s[kept]).T @ R
            if inside is not None and s.min(initial=np.inf) >= 0.1 * s.max(initial=0.0):
                break  # too even to be made orthonormal once more
        return rows, R, taken

    def ritz(self, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the k largest values of the space, their vectors within it, and ‖Av − θv‖."""
        values, inner = linalg.leading_eigh(self.T[: self.m, : self.m], min(k, self.m))
        return values, inner, np.linalg.norm(self.R @ inner[self.m - self.R.shape[1] :], axis=0)

    def vectors(self, inner: np.ndarray) -> Array:
        """Return vectors of the space, as rows."""
        return namespaces.like(inner.T.copy(), self._like) @ self.Q[: self.m, :]

    def restart(self, values: np.ndarray, inner: np.ndarray) -> None:
        """Keep the best directions alone; the next block is as it was."""
        kept = len(values)
        self.R = self.R @ inner[self.m - self.R.shape[1] :]
        self.Q[:kept, :] = self.vectors(inner)
        self.T[:] = 0.0
        self.T[np.arange(kept), np.arange(kept)] = values
        self.m, self.restarted = kept, True


def leading(
    space: KrylovSpace, k: int, *, tol: float = RESIDUAL, weak: float = WEAK, most_steps: int = STEPS
) -> Leading:
    """Find the k eigenvectors of the largest eigenvalues of a symmetric matrix, by sign.

    Parameters
    ----------
    space : KrylovSpace
        It has not grown yet.
    k : int
    tol : float
        Residual, relative to its own value, at which a direction counts as found.
    weak : float
        Share of the largest value by which weaker directions are measured.
    most_steps : int
        Products after which the search ends as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve.leading import KrylovSpace, leading
    >>> d = np.arange(200.0)
    >>> found = leading(KrylovSpace(lambda V: V * d, 200, 2, d), 2)
    >>> found.values.round(10), bool(found.residuals.max() <= 1e-8)
    (array([199., 198.]), True)
    """
    due, before, width, enough = 0, None, space.width, min(k, space.n)
    while True:
        space.grow()
        end = space.m >= enough and (space.steps >= most_steps or space.m >= space.n)
        full, stuck = space.m + width > space.size, not space.next.shape[0]
        if stuck and not end and (space.m < k or width < k):  # nothing is left that this start can see
            space.begin()
            stuck = False
        elif not (end or full or stuck or space.m >= max(due, enough)):
            continue
        values, inner, gaps = space.ritz(max(k + width, space.m // 3) if full and not end else k + 1)
        top = max(float(values[0]), space.top)
        unit = np.maximum(values, weak * top) if top > 0 else np.ones(len(values))
        settled = len(values) >= enough and bool((gaps[:k] <= tol * unit[:k]).all())
        same = settled and before is not None and bool((np.abs(values[:k] - before) <= tol * top).all())
        if end or stuck or (settled and (width >= k or (same and _next_is_known(values, gaps, unit, k)))):
            return _finished(space, values[:k], inner[:, :k], gaps[:k], tol * unit[:k], before is not None)
        if settled and not same:  # as many copies of an eigenvalue as vectors in the start are seen by it
            before = values[:k]
            space.restart(values[:k], inner[:, :k])
            space.begin()
        elif full:
            space.restart(values, inner)
        due = space.m + max(space.m // 16, 16 // width)


def _next_is_known(values: np.ndarray, gaps: np.ndarray, unit: np.ndarray, k: int) -> bool:
    """Tell whether the direction after the k-th is known to a third of its gap, or 1%, and so no copy of it."""
    return len(values) == k or bool(gaps[k] <= max(0.01 * unit[k], (values[k - 1] - values[k]) / 3))


def _finished(
    space: KrylovSpace, values: np.ndarray, inner: np.ndarray, gaps: np.ndarray, allowed: np.ndarray, again: bool
) -> Leading:
    """Return what was found; after a second start, which leaves out what the first had open, multiplied once more."""
    vectors, steps = space.vectors(inner), space.steps
    if again:
        turned = namespaces.float64(space.apply(vectors)) - namespaces.like(values[:, None], vectors) * vectors
        gaps, steps = np.linalg.norm(namespaces.to_numpy(turned), axis=1), steps + 1
    top = max(float(values[0]), space.top) or 1.0
    return Leading(values, vectors, gaps / top, steps, len(gaps) > 0 and bool((gaps <= allowed).all()))
