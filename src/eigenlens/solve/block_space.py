"""The space that a symmetric matrix spans from a block of vectors, and the directions that it knows.

Z, AZ, A²Z, … is kept orthonormal in full, so that residuals come out of the recurrence (`block_krylov.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, inf, log

import numpy as np

from ..arrays import linalg, namespaces
from ..arrays.typing import Array

HELD = 1e-4  # directions whose value is a smaller share of the largest one are held to this share of it
WIDTHS = (8, 32)  # vectors at a time: a product takes about as long for one as for 32
SPACE = 384  # vectors in the space before it starts again, where there is room
NARROW_SPACE = 48  # the same where fewer are multiplied at a time: what is cheap to multiply must be cheap to keep
STARTS = 16  # so many may each leave an equal part of the residual that is allowed
DOUBT = 1e-2  # residual, relative to its value, at which the best direction of a second start can be judged
ROOM = 2**29  # bytes that the space may take
DEVICE_STEPS = 7  # before the first look where the host would wait for a device
SKEWED = 0.1  # sine of an angle between vectors, below which vectors are made orthogonal to the space once more
SKEW = 1e-6  # the same, below which products of them do not tell it
SETTLING = 6  # steps after which their pace tells how many there will be
EARLY = 3  # steps after which directions that do not stand out are known by theirs,
SLOW = 0.4  # which leaves more than this share of the residual of the best one,
FLAT_STEPS = 36.0  # and how many they take
MOST_LEFT = 100.0  # products for each factor e of the residual, beyond which nobody counts
CHECKED = 96  # dimensions up to which every step looks at the directions: it costs less than the step
LEAST_LOOK, MOST_LOOK = 16, 96  # dimensions between looks, beyond that


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
        ‖Av − θv‖ over the largest θ, or a bound of it.
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


@dataclass(frozen=True, eq=False)
class Way:
    """Another way to multiply with the matrix, for a search that turns out to be long.

    Attributes
    ----------
    make : function
        Returns a function that multiplies.
    price : float
        Products of the search that take as long as changing over.
    share : float
        Of the time of a product that it takes.
    """

    make: Callable[[], Callable[[Array], Array]]
    price: float
    share: float


class BlockSpace:
    """An orthonormal basis Q as rows, T = QAQᵀ, and the block that comes next with AQ = TQ + (last rows) R·next."""

    ways: Sequence[Way] = ()

    def __init__(
        self,
        apply: Callable[[Array], Array],
        n: int,
        k: int,
        like: Array,
        tol: float,
        width: int,
        weak: float = HELD,
        start: Array | None = None,
    ) -> None:
        self._apply, self._tol, self.k, self.n, self._weak = apply, tol, k, n, weak
        self._goal = tol if width >= k else tol / STARTS
        self.width = min(width, n)
        fits = ROOM // (8 * n)
        space = SPACE if width >= WIDTHS[0] else NARROW_SPACE
        self.size = min(max(min(space, fits), 3 * k + 4 * self.width), n)
        self._xp, self._like = namespaces.namespace(like), like
        self._random = np.random.default_rng(0)
        self.Q = self._xp.empty((self.size + self.width, n), dtype=self._xp.float64, device=namespaces.device(like))
        self.T = np.zeros((self.size + self.width,) * 2)
        self.m, self.steps, self._top = 0, 0, 0.0
        self._due = DEVICE_STEPS if namespaces.on_accelerator(like) else 0
        self._history: list[tuple[int, float]] = []
        self._best = inf
        self._first = np.full(k, -1.0)
        self._dropped: list[tuple[Array, Array]] = []  # blocks F and G whose FᵀG + GᵀF is in A, and not in T
        self._next, self._R = self._orthonormal(self._draw(self.width) if start is None else start, 0.0)
        self.first = self._next

    def _draw(self, count: int) -> Array:
        coins = namespaces.like(self._random.integers(0, 2, (count, self.n), dtype=np.int8), self._like)
        return 2.0 * namespaces.float64(coins) - 1.0

    def grow(self) -> None:
        """Take in one block, and find the next."""
        m, b = self.m, int(self._next.shape[0])
        self.Q[m : m + b, :] = self._next
        image = namespaces.float64(self._apply(self._next))
        self.steps += 1
        self.m = m + b
        near = m - self._R.shape[1] if m else 0  # the recurrence couples the new block with these, and itself
        corner = namespaces.to_numpy(image @ self._next.T)
        row = np.concatenate([self._R[:, : m - near], (corner + corner.T) / 2], axis=1)
        self.T[m : self.m, near : self.m], self.T[near : self.m, m : self.m] = row, row.T
        self._top = max(self._top, float(np.diagonal(corner).max()))
        self._next, self._R = self._orthonormal(
            image - namespaces.like(row, image) @ self.Q[near : self.m, :], self._top
        )

    def _orthonormal(self, rows: Array, size: float) -> tuple[Array, np.ndarray]:
        """Return an orthonormal basis of what rows have outside of Q, and R with rows = Rᵀ·basis.

        What is rounding relative to `size` is replaced by random vectors: the space goes on growing past a rank.
        """
        if int(rows.shape[0]) == 1 and self.m < self.n:
            alone = self._outside(rows)
            length = float(alone[0, :] @ alone[0, :]) ** 0.5
            if length > SKEW * size:
                return alone / length, np.full((1, 1), length)
        free = min(int(rows.shape[0]), self.n - self.m)
        basis, R = rows[:free, :], np.empty((free, int(rows.shape[0])))
        turn, turns, skewed = 0, 2, False
        while turn < turns:
            if turn == 0 or turns == 3 or skewed:
                basis = self._outside(basis)
            basis, back, skewed = _orthonormal_rows(basis)
            if turn:
                R = back @ R
            else:
                R[:, :free], R[:, free:] = back, 0.0
            lost = np.linalg.norm(back, axis=1) <= namespaces.EPS * self.n**0.5 * (size if turn == 0 else 1.0)
            if lost.any() and turn == 0:
                turns = 3
                R[lost] = 0.0
                keep = namespaces.like((~lost).astype(np.float64)[:, None], self._like)
                basis = basis * keep + self._draw(free) / self.n**0.5 * (1.0 - keep)
            turn += 1
        return basis, R if free == len(rows) else namespaces.to_numpy(basis @ rows.T)

    def _outside(self, rows: Array) -> Array:
        Q = self.Q[: self.m, :]
        return rows - (rows @ Q.T) @ Q if self.m else rows

    def leading(self, most_steps: int) -> Leading | None:
        """Return the leading directions where they are found or the search ends; None where it goes on."""
        over = self.steps >= most_steps or self.m >= self.n
        full = self.m + self.width > self.size
        if self.m < min(self.k, self.n) or not (over or full or self.steps >= self._due):
            return None
        kept = self.k + 1 if not full or over else max(self.k + self.width, self.m // 3)
        theta, inner, gaps = self._ritz(min(kept, self.m))
        self._top = max(self._top, float(theta[0]))
        k = min(self.k, len(theta))
        unit = np.maximum(theta, self._weak * self._top) if self._top > 0 else np.ones(len(theta))
        best, worst = float((gaps / unit)[0]), float((gaps / unit)[:k].max(initial=0.0))
        settled = worst <= self._goal
        if over or (settled and not self._is_doubtful(theta, gaps / unit)):
            vectors = namespaces.like(inner[:, :k].T.copy(), self._like) @ self.Q[: self.m, :]
            gaps = gaps[:k] + self._overlooked(vectors)
            found = bool((gaps <= self._tol * unit[:k]).all())
            return Leading(theta[:k], vectors, gaps / (self._top or 1.0), self.steps, found)
        self._plan(worst)
        if self.ways and self.steps >= EARLY and not settled:
            self._change_if_worth(best, worst)
        self._best = best
        if settled and not self._is_as_before(theta):
            self._start_again(theta[:k], inner[:, :k])
        elif full:
            self._restart(theta, inner)
        return None

    def _ritz(self, kept: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the best values of the space, their vectors within it, and ‖Av − θv‖."""
        m, last = self.m, self._R.shape[1]
        theta, inner = linalg.leading_eigh(self.T[:m, :m], kept)
        return theta, inner, np.linalg.norm(self._R @ inner[m - last :], axis=0)

    def _is_doubtful(self, theta: np.ndarray, gaps: np.ndarray) -> bool:
        """Tell whether directions may be missing: of one eigenvalue there may be more than vectors at a time see."""
        k = self.k
        if self.width >= k or self._top == 0:
            return False
        if len(theta) == k or not self._is_as_before(theta):
            return True
        return gaps[k] > max(DOUBT, (theta[k - 1] / max(theta[k], HELD * self._top) - 1.0) / 3)

    def _is_as_before(self, theta: np.ndarray) -> bool:
        return bool(np.abs(theta[: self.k] - self._first).max() <= self._tol * self._top)

    def _start_again(self, theta: np.ndarray, inner: np.ndarray) -> None:
        """Keep what was found, and go on from a start of its own: what the first could not see is in it."""
        self._restart(theta, inner)
        self._first = theta
        self._dropped.append((self._next, namespaces.like(self._R, self._like) @ self.Q[: self.m, :]))
        self._next, _ = self._orthonormal(self._draw(self.width), 0.0)
        self._R = np.zeros((int(self._next.shape[0]), self.m))

    def _overlooked(self, vectors: Array) -> np.ndarray:
        """Return a bound of what later starts no longer saw of the images of vectors."""
        total = np.zeros(int(vectors.shape[0]))
        for F, G in self._dropped:
            total += np.linalg.norm(namespaces.to_numpy(vectors @ G.T), axis=1)
            total += np.linalg.norm(namespaces.to_numpy((vectors @ F.T) @ G), axis=1)
        return total

    def _plan(self, worst: float) -> None:
        """Say after how many steps the directions are worth another look: half of what the pace so far promises."""
        self._history.append((self.steps, worst))
        self._due = self.steps + (1 if self.width >= WIDTHS[0] else LEAST_LOOK // self.width)
        if len(self._history) < 2:
            return
        (before, was), (now, is_) = self._history[-2:]
        pace = log(was / is_) / (now - before) if 0 < is_ < was else 0.0
        left = log(is_ / self._goal) / pace if pace > 0 else 8.0
        if self.m > CHECKED:
            wait = max(1, LEAST_LOOK // self.width, min(ceil(left / 2), MOST_LOOK // self.width))
            self._due = self.steps + wait

    def _change_if_worth(self, best: float, worst: float) -> None:
        """Multiply in another way where the pace so far says that many products are to come: asked once, and early."""
        to_come = FLAT_STEPS if best > SLOW * self._best else 0.0
        if self.steps < SETTLING and not to_come:
            return
        (first, most), ways, self.ways = self._history[0], self.ways, ()
        pace = log(max(most / worst, 1.0)) / max(self.steps - first, 1)
        to_come = max(to_come, log(worst / self._goal) / max(pace, 1.0 / MOST_LEFT))
        way = min(ways, key=lambda other: other.price + other.share * to_come)
        if way.price + way.share * to_come < to_come:
            self._apply = way.make()

    def _restart(self, theta: np.ndarray, inner: np.ndarray) -> None:
        """Keep the best directions; the next block is what their images have outside of them."""
        kept, last = len(theta), self._R.shape[1]
        self._R = self._R @ inner[self.m - last :]
        self.Q[:kept, :] = namespaces.like(inner.T.copy(), self._like) @ self.Q[: self.m, :]
        self.T[:] = 0.0
        self.T[np.arange(kept), np.arange(kept)] = theta
        self.m = kept


def _orthonormal_rows(rows: Array) -> tuple[Array, np.ndarray, bool]:
    """Return an orthonormal basis of rows, R with rows = Rᵀ·basis, and whether rows are so skewed that it is rough.

    By the Cholesky factor of their products, a small matrix: a decomposition of a few long vectors is several times
    slower, and most of all on a device. Where rows are nearly parallel it takes one, and that of singular values: what
    is missing from their span then has rows of zeros in R, wherever it is found out.
    """
    products = namespaces.to_numpy(rows @ rows.T)
    size = np.sqrt(np.diagonal(products))
    if len(size) and size.min() > 0:
        try:
            L = np.linalg.cholesky(products / size / size[:, None])
        except np.linalg.LinAlgError:
            L = np.zeros((1, 1))
        if np.diagonal(L).min() > SKEW:
            back = np.linalg.inv(L) / size
            return namespaces.like(back, rows) @ rows, (L * size[:, None]).T, bool(np.diagonal(L).min() < SKEWED)
    left, s, right = linalg.thin_svd(rows)
    return right, namespaces.to_numpy(s)[:, None] * namespaces.to_numpy(left).T, True
