"""A few rows that stand for all: landmarks by pivoted Cholesky, and the coordinates that they give every row.

With landmarks S and K_SS = L Lᵀ, the coordinates φ(x) = L⁻¹ k(S, x) have φ(x)ᵀφ(z) ≈ k(x, z), exactly so if x or z is a
landmark, and ‖Σ βⱼφⱼ‖² = ‖β‖². Work is linear in the number of rows, and n×m numbers are never held.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from ..arrays import errors, namespaces
from ..arrays.typing import Array
from ..distances.pairs import PRODUCT_PAIRS, over_rows
from ..moments import Scatter
from ..rows import Block
from .evaluate import BlockFunction
from .kernel import Kernel

FLOOR = 1e-12  # residuals below this share of the largest k(x, x) are rounding: nothing is left to stand for


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Landmark rows and the map from their kernels to coordinates.

    Attributes
    ----------
    kernel : Kernel
    rows : array of shape (m, p)
    places : array of shape (m,)
        Their numbers among the rows of the fit.
    root : array of shape (m, m)
        R with φ(x) = R·k(S, x): the inverse of the Cholesky factor.
    """

    kernel: Kernel
    rows: Array
    places: np.ndarray
    root: Array

    def coordinates(self, X: Array, function: BlockFunction) -> Array:
        """Return φ(x) for rows, from the function of the kernel against the landmarks: (n, m)."""
        return function(X) @ namespaces.like(self.root, X).T

    def coefficients(self, beta: Array) -> Array:
        """Return c with Σ cⱼ k(sⱼ, ·) = Σ βⱼ φⱼ."""
        return self.root.T @ beta

    def collect(
        self, X: Array, weight: Array, beside: Array | None = None, centred: bool = True
    ) -> tuple[Scatter, float]:
        """Return the moments of [beside, φ] over all rows, and the share of the trace that landmarks miss."""
        function, m = self.kernel._against(self.rows), self.rows.shape[0]
        xp = namespaces.namespace(X)

        def table(rows: slice) -> tuple[Array, Array]:
            phi = self.coordinates(X[rows, :], function)
            return phi, phi if beside is None else xp.concat([beside[rows, :], phi], axis=1)

        first = Block(table(slice(0, 1))[1])
        empty = Scatter()

        def work(rows: slice) -> tuple[Scatter, float, float]:
            phi, both = table(rows)
            w = weight[rows]
            seen = xp.sum(w * xp.sum(phi**2, axis=1))
            part = empty.anchored(first).update(Block(both, None, w))
            return part, float(xp.sum(w * self.kernel._diagonal(X[rows, :]))), float(seen)

        total, trace, seen = empty.anchored(first), 0.0, 0.0
        for part, t, s in over_rows(work, X.shape[0], 2 * m, X, PRODUCT_PAIRS):
            total = total.merge(part)
            trace, seen = trace + t, seen + s
        if centred:
            self._judge_centring(total, trace)
        return total, max(0.0, 1.0 - seen / trace) if trace > 0 else 0.0

    def _judge_centring(self, moments: Scatter, trace: float) -> None:
        """Warn where what lies between rows is below what the choice of landmarks leaves out."""
        xp, m = namespaces.namespace(self.rows), self.rows.shape[0]
        left = float(xp.sum((xp.linalg.diagonal(moments.matrix) * moments.unit**2)[-m:]))
        if 0 < 1e3 * left < trace:  # the floor of that choice takes digits of a fit
            errors.warn(errors.far_from_origin(trace * FLOOR / namespaces.EPS, left))


def choose_landmarks(kernel: Kernel, X: Array, count: int, weight: Array | None = None) -> Landmarks:
    """Choose landmarks by Cholesky with pivots: each is the row that those before it explain least.

    Among all rows, or an even sample of them where there are many more than landmarks. Ties, such as between all first
    rows of a Gaussian kernel, go to the row nearest to the mean: the order of rows does not matter.
    """
    n = X.shape[0]
    size = min(n, max(2000, 5 * count))  # more cost time, which is not to grow with n
    pool = np.unique(np.linspace(0, n - 1, size).astype(np.intp))
    rows = X if len(pool) == n else namespaces.take_rows(X, namespaces.like(pool, X))
    ranks = _distances_to_mean(X, rows, weight)
    left = np.array(namespaces.to_numpy(kernel._diagonal(rows)))
    floor = FLOOR * left.max(initial=0.0)
    most = min(count, len(pool))
    L, chosen = np.zeros((most, len(pool))), []  # rows of L: the columns of the factor
    against = kernel._against(rows)
    for j in range(most):
        best = left.max()
        if not best > floor:
            break
        tied = np.flatnonzero(left >= best * (1 - 1e-9))
        pivot = int(tied[np.argmin(ranks[tied])])
        column = np.asarray(namespaces.to_numpy(against(rows[pivot : pivot + 1, :])))[0, :]
        L[j] = (column - L[:j, pivot] @ L[:j]) / best**0.5
        left = np.maximum(left - L[j] ** 2, 0.0)
        left[pivot] = 0.0
        chosen.append(pivot)
    if not chosen:
        raise errors.InputError(
            "n_landmarks: k(x, x) is 0 for every row of X, so no row can be a landmark; use all rows."
        )
    factor = np.tril(L[: len(chosen)][:, chosen].T)
    if not np.isfinite(factor).all():
        raise errors.InputError(
            "n_landmarks: kernel values overflow between rows of X; divide the columns by their size, or use another "
            "kernel."
        )
    root = scipy.linalg.solve_triangular(factor, np.eye(len(chosen)), lower=True)
    places = pool[chosen]
    return Landmarks(kernel, namespaces.take_rows(X, namespaces.like(places, X)), places, namespaces.like(root, X))


def _distances_to_mean(X: Array, rows: Array, weight: Array | None) -> np.ndarray:
    """Return the squared distances of rows to the weighted mean of all."""
    xp = namespaces.namespace(X)
    w = xp.ones_like(X[:, 0]) if weight is None else weight
    first = X[0, :]
    mean = first + (w / xp.sum(w)) @ (X - first)
    return np.asarray(namespaces.to_numpy(xp.sum((rows - mean) ** 2, axis=1)))
