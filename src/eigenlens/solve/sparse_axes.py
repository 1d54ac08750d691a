r"""Sparse principal axes of a form G (Zou, Hastie, Tibshirani).

.. math:: \min_{A, B} \; \mathrm{tr}\,G - 2\,\mathrm{tr}(A^T G B) + \mathrm{tr}(B^T (G + \lambda_2 I) B)
    + \sum_j \lambda_{1j} \lVert\beta_j\rVert_1 , \qquad A^T A = I .

Given A, each column of B is an elastic-net regression on G; given B, A is the polar factor of G B. For λ₂ → ∞ (and B
measured in units of 1/λ₂) the regression becomes a soft threshold of G A. The two steps alternate; as they converge
slowly, Anderson's extrapolation is tried in every round, and kept where it lowers the objective.

Once the signs of a regression are known it is a linear system, so each first tries the signs of the round before, and
exchanges all entries that are on the wrong side; where that runs in circles, entries move one at a time.

The objective has many minima, and the one nearest to the principal axes is often not the lowest: in 308 fits (21 tables
of R, 2 to p axes, four penalties) they led to the lowest one known in 80%, and together with three rotations within
their span in 96%. The rotations are seeded, so neither units nor the order of rows or columns change the answer.

References
----------
Zou, Hastie, Tibshirani (2006), Sparse principal component analysis. *J. Computational and Graphical Statistics* 15.
Walker, Ni (2011), Anderson acceleration for fixed-point iterations. *SIAM J. Numerical Analysis* 49.
Kim, Park (2010), Fast active-set-type algorithms for ℓ1-regularized linear regression.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg

from ..arrays import linalg, namespaces
from .few_rows import dual_basis
from .pencil import Form

SLACK = 1e-12  # relative violation of a bound, or share of a squared column that others leave, that counts as rounding
STARTS = 5  # the principal axes, and rotations of them
FORMED = 2_000  # columns up to which their products are formed, however few rows there are
LEAST = 64  # columns at work for each axis
COARSE = 1e-5  # change at which axes can be judged, and tell which columns are missing


@dataclass(frozen=True, eq=False)
class SparseAxes:
    """Sparse axes, and what was minimised to find them.

    Attributes
    ----------
    B : ndarray of shape (p, k)
        Sparse axes, not normalised.
    A : ndarray of shape (p, k)
        Orthonormal partners.
    penalties : ndarray of shape (k,)
        λ₁ of each axis; NaN where the places of the nonzeros were given instead.
    n_iter : int
    moved : float
        Relative change of B in the last round.
    converged : bool
    objective : float
        What is minimised, without tr G.
    ridge : float
        λ₂ that was used.
    """

    B: np.ndarray
    A: np.ndarray
    penalties: np.ndarray
    n_iter: int
    moved: float
    converged: bool
    objective: float
    ridge: float = 0.0


def sparse_axes(
    form: Form, start: np.ndarray, l1: np.ndarray, *, ridge: float, tol: float, max_iter: int, starts: int = 1
) -> SparseAxes:
    """Find sparse axes with given penalties.

    Parameters
    ----------
    form : Form
        G, of NumPy arrays.
    start : array of shape (p, k)
        Principal axes.
    l1 : array of shape (k,)
    ridge : float
        λ₂; infinity is the soft-threshold form.
    tol : float
        Relative change of B at which the iteration ends.
    max_iter : int
    starts : int
        One is the principal axes; with more, all of `l1` must be equal: the axes may come in another order.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve import Form
    >>> from eigenlens.solve.sparse_axes import sparse_axes
    >>> G = np.diag([3.0, 1.0])
    >>> sparse_axes(Form(matrix=G), np.eye(2)[:, :1], np.ones(1), ridge=0.0, tol=1e-8, max_iter=10).B.round(3)
    array([[0.833],
           [0.   ]])
    """
    p, k = start.shape
    if not l1.any():  # PCA, to its last digit
        explained = float(np.sum(start * form.apply(start)))
        objective = k - 2 * explained if np.isinf(ridge) else ridge * k - explained
        return SparseAxes(start, start, l1, 1, 0.0, True, objective, ridge)
    step = _Step(_products(form, ridge), l1, ridge)
    found = _found(step, start, np.zeros_like(start), tol, max_iter)
    if starts == 1 or k == 1 or p * k > 500:  # beyond, rotations would take longer than scikit-learn's iteration
        return found
    random = np.random.default_rng(0)
    turns = [np.linalg.qr(random.standard_normal((k, k)))[0] for _ in range(starts - 1)]
    limits = max(COARSE, tol), min(200, max_iter)
    best = min((_found(step, start @ turn, found.B, *limits) for turn in turns), key=lambda axes: axes.objective)
    if best.objective >= found.objective - 1e-7 * form.trace():
        return found
    order = np.argsort(-np.sum(best.B * form.apply(best.B), axis=0), kind="stable")
    exact = _found(step, best.A[:, order], best.B[:, order], tol, max_iter)
    return replace(exact, n_iter=best.n_iter + exact.n_iter)


def axes_on_places(form: Form, near: SparseAxes, *, ridge: float, tol: float, max_iter: int) -> SparseAxes:
    """Minimise the same without λ₁ where the nonzeros are those of axes that are known."""
    none = np.zeros(near.B.shape[1])
    step = _Step(_products(form, ridge), none, ridge, near.B != 0)
    return replace(_found(step, near.A, near.B, tol, max_iter), penalties=none * np.nan)


def _products(form: Form, ridge: float) -> _All | np.ndarray:
    """Return products with a form, or its rows where products of all columns are many more numbers than these have."""
    if np.isinf(ridge) or form.factor is None:
        return _All(form)
    wide = form.dimension > max(FORMED, 2 * form.shape[0])
    return np.asarray(form.factor) if wide else _All(Form(matrix=form.dense()))


def _found(step: _Step, A: np.ndarray, B: np.ndarray, tol: float, max_iter: int) -> SparseAxes:
    if isinstance(step.products, np.ndarray):
        return _on_columns_at_work(step, step.products, A, tol, max_iter)
    return _alternated(step, A, B, tol, max_iter)


def _on_columns_at_work(step: _Step, F: np.ndarray, A: np.ndarray, tol: float, max_iter: int) -> SparseAxes:
    """Find sparse axes of few rows on the few columns that may have loadings.

    The partners lie in the span of the rows F = LVᵀ, so A = Va, and all that the other columns say is in L. All columns
    are looked at once the axes on some have settled: those whose loading should not be zero join them. Without this,
    500 × 5,000 takes six times as long (benchmarks/bench_sparse_pca_penalties_need_no_square.py).
    """
    V, _, L = dual_basis(F, None)
    B, a, rounds, places, now = np.zeros_like(A), _polar(V.T @ A), 0, step.places, tol
    if places is None:
        now = max(COARSE, tol)
        work = np.unique(np.argsort(-np.abs(F.T @ (F @ A)), axis=0, kind="stable")[:LEAST])
    else:
        work = np.flatnonzero(places.any(axis=1))
    while True:
        part = replace(step, products=_Some(F[:, work], L), places=None if places is None else places[work])
        found = _alternated(part, a, B[work], now, max(1, max_iter - rounds))
        B[:], a, rounds = 0.0, found.A, rounds + found.n_iter
        B[work] = found.B
        missing = work[:0]
        if places is None:
            beyond = (2 * np.abs(F.T @ (L @ a - F[:, work] @ found.B)) - (1 + SLACK) * step.l1).max(axis=1)
            beyond[work] = 0.0
            order = np.argsort(-beyond, kind="stable")
            missing = order[beyond[order] > 0][: len(work)]
        if rounds >= max_iter or (now == tol and not len(missing)):
            return replace(found, A=V @ a, B=B, n_iter=rounds)
        now, work = now if len(missing) else tol, np.union1d(work, missing)


def some_columns(form: Form, on: np.ndarray) -> Form:
    """Return the form of the columns at given places."""
    if form.factor is None:
        return Form(matrix=form.matrix[np.ix_(on, on)])
    return Form(factor=form.factor[:, on], squared=form.squared)


class _All:
    """A form: a matrix, or rows where no regressions are asked for."""

    def __init__(self, form: Form) -> None:
        self.form, self.gram = form, form.matrix

    def image(self, A: np.ndarray) -> np.ndarray:
        """Return G A, along the rows of G, which is symmetric: twice as fast as across them."""
        inner = A.T if self.form.factor is None else (self.form.factor @ A).T
        return np.asarray((inner @ self.form.values).T)

    turned = image


class _Some:
    """A form at columns P of its rows F = LVᵀ, with partners in the coordinates of V."""

    def __init__(self, P: np.ndarray, L: np.ndarray) -> None:
        self.gram, self.across = P.T @ P, P.T @ L

    def image(self, a: np.ndarray) -> np.ndarray:
        return self.across @ a

    def turned(self, B: np.ndarray) -> np.ndarray:
        """Return G B in the coordinates of A."""
        on = np.flatnonzero(B.any(axis=1))
        return self.across[on].T @ B[on]


def _polar(Y: np.ndarray) -> np.ndarray:
    left, _, right = linalg.thin_svd(Y)
    return np.asarray(left @ right)


@dataclass(frozen=True, eq=False)
class _Step:
    """The two halves of a round, and the objective once A is eliminated."""

    products: Any
    l1: np.ndarray
    ridge: float
    places: np.ndarray | None = None

    def __call__(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """Return the regressions given A, started from B."""
        C = self.products.image(A)
        if np.isinf(self.ridge):
            if self.places is not None:
                return np.where(self.places, C, 0.0)
            return np.asarray(np.sign(C) * np.maximum(np.abs(C) - self.l1 / 2, 0.0))
        found, G = np.zeros_like(C), self.products.gram
        for j, l1 in enumerate(self.l1):
            if l1:
                found[:, j] = regression(G, C[:, j], l1, self.ridge, B[:, j])
            else:
                on = np.arange(len(C)) if self.places is None else np.flatnonzero(self.places[:, j])
                found[on, j] = _solved(G, on, self.ridge, C[on, j])
        return found

    def partner(self, B: np.ndarray, before: np.ndarray) -> tuple[np.ndarray, float]:
        """Return the A that suits B, the polar factor of G B, and the objective with it (without tr G).

        An axis that has vanished gets no partner, and so stays away. Where G B leaves A open (two axes that coincide
        for a moment), rounding must not choose: A stays as near as it can to the one before.
        """
        live, image = B.any(axis=0), self.products.turned(B)
        A = np.zeros_like(image)
        left, s, right = linalg.thin_svd(image[:, live])
        known = s > 1e-10 * s.max(initial=0.0)
        A[:, live] = left[:, known] @ right[known]
        if not known.all():
            rest = before[:, live] @ right[~known].T
            A[:, live] += _polar(rest - left[:, known] @ (left[:, known].T @ rest)) @ right[~known]
        square = np.sum(B * B)
        if np.isfinite(self.ridge):
            on = np.flatnonzero(B.any(axis=1))
            square = self.ridge * square + np.sum(B[on] * (self.products.gram[np.ix_(on, on)] @ B[on]))
        return A, float(square - 2 * s.sum() + self.l1 @ np.abs(B).sum(axis=0))


def _alternated(step: _Step, A: np.ndarray, B: np.ndarray, tol: float, max_iter: int) -> SparseAxes:
    """Alternate from the partners A until B stays; B is where the first regressions start."""
    B = step(A, B)
    A, cost = step.partner(B, A)
    history: list[tuple[np.ndarray, np.ndarray]] = []  # of the last 8 rounds
    at = B  # A belongs to `at`: B itself, or a point that was extrapolated
    moved, least, since, k, stride, pause, rest = np.inf, np.inf, 0, 0, 2.0, 1, 0
    for k in range(1, max_iter + 1):
        B = step(A, B)
        moved = float(np.linalg.norm(B - at) / (np.linalg.norm(B) or 1.0))
        least, since = (moved, k) if moved < 0.5 * least else (least, since)
        history = [*history, (at.ravel(), (B - at).ravel())][-8:]
        before, (A, cost), at = A, step.partner(B, A), B
        if moved <= 1e-7 and k - since >= 30:  # G is ill-conditioned: this is rounding
            tol = max(tol, moved)
        if moved <= tol:
            break
        if len(history) < 2:
            continue
        tried = step(step.partner(_extrapolated(history).reshape(B.shape), A)[0], B)
        partner, lower = step.partner(tried, A)
        if rest:
            rest -= 1
        else:  # along the last turn of A, twice as far while it pays: a weak penalty turns nearly free axes slowly
            far = step(_turned(before, A, stride), B)
            far_partner, far_cost = step.partner(far, A)
            if min(cost, lower) - far_cost > 1e-11 * abs(cost):  # less may be rounding
                A, B, at, stride, pause = far_partner, far, far, 2 * stride, 1
                continue
            stride, rest, pause = 2.0, pause, min(2 * pause, 30)
        if lower <= cost + 4 * namespaces.EPS * abs(cost):  # near the end both are the same up to rounding
            A, B, at = partner, tried, tried
    return SparseAxes(B, A, step.l1, k, moved, moved <= tol, step.partner(B, A)[1], step.ridge)


def _turned(before: np.ndarray, A: np.ndarray, stride: float) -> np.ndarray:
    """Return orthonormal columns some way along from one A to the next."""
    live, turned = A.any(axis=0), before + stride * (A - before)
    turned[:, live] = _polar(turned[:, live])
    return turned


def _extrapolated(history: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Return the combination of past rounds whose changes cancel best (Anderson)."""
    points, changes = (np.stack(part, axis=1) for part in zip(*history, strict=True))
    on = changes.any(axis=1)  # most entries of sparse axes stay zero
    left, differences = np.linalg.qr(np.diff(changes[on], axis=1))
    weights = np.linalg.lstsq(differences, left.T @ changes[on, -1], rcond=1e-12)[0]
    ends = points + changes
    return np.asarray(ends[:, -1] - np.diff(ends, axis=1) @ weights)


def regression(G: np.ndarray, c: np.ndarray, l1: float, ridge: float, start: np.ndarray) -> np.ndarray:
    """Minimise βᵀ(G + λ₂I)β − 2cᵀβ + λ₁‖β‖₁: the nearer the start, the faster."""
    bound, signs = l1 / 2 + SLACK * np.abs(c).max(initial=0.0), np.sign(start)
    circles = 4  # exchanges without progress, the most
    fewest, patience, beta = len(c) + 1, circles, np.zeros_like(c)
    while patience:
        on, x, slope = _with_signs(G, c, l1, ridge, signs)
        wrong, wanted = on[x * signs[on] <= 0], np.flatnonzero(np.abs(slope) > bound)
        count = len(wrong) + len(wanted)
        if not count:
            beta[on] = x
            return beta
        fewest, patience = (count, circles) if count < fewest else (fewest, patience - 1)
        if len(wanted) > max(LEAST, len(on)):
            wanted = wanted[np.argsort(-np.abs(slope[wanted]), kind="stable")[: max(LEAST, len(on))]]
        signs[wrong], signs[wanted] = 0.0, np.sign(slope[wanted])
    if 2 * np.count_nonzero(start) <= len(c):  # else that many would have to go, from large matrices
        beta = start.copy()
    return _one_by_one(G, c, l1, ridge, bound, beta)


def _one_by_one(G: np.ndarray, c: np.ndarray, l1: float, ridge: float, bound: float, beta: np.ndarray) -> np.ndarray:
    """Take in the entry that is furthest out, and let go the one that changes sign first: slow and sure."""
    signs = np.sign(beta)
    for _ in range(10 * len(c) + 100):
        on, x, slope = _with_signs(G, c, l1, ridge, signs)
        wrong = np.flatnonzero(x * signs[on] <= 0)
        if len(wrong):
            reach = beta[on[wrong]] / (beta[on[wrong]] - x[wrong])  # how far along each entry becomes zero
            first = int(np.argmin(reach))
            beta[on] += reach[first] * (x - beta[on])
            beta[on[wrong[first]]] = signs[on[wrong[first]]] = 0.0
            continue
        beta[on] = x
        worst = int(np.argmax(np.abs(slope)))
        if abs(slope[worst]) <= bound:
            break
        signs[worst] = np.sign(slope[worst])
    return beta


def _with_signs(
    G: np.ndarray, c: np.ndarray, l1: float, ridge: float, signs: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the places with signs, the answer there if the signs are right, and the slope elsewhere."""
    on = np.flatnonzero(signs)
    x = _solved(G, on, ridge, c[on] - l1 / 2 * signs[on])
    slope = c - x @ G[on]
    slope[on] = 0.0
    return on, x, slope


def _solved(G: np.ndarray, on: np.ndarray, ridge: float, right: np.ndarray) -> np.ndarray:
    """Solve (G + λ₂I)x = right at some places."""
    if not len(on):
        return right
    M = G[np.ix_(on, on)]
    M.flat[:: len(on) + 1] += ridge
    L, failed = scipy.linalg.lapack.dpotrf(M, lower=1)
    # where columns are combinations of others and there is no ridge, rounding may hide it from Cholesky
    if failed or float(np.min(L.diagonal())) ** 2 <= SLACK * float(np.max(M.diagonal())):
        return np.asarray(np.linalg.lstsq(M, right, rcond=None)[0])
    return np.asarray(scipy.linalg.lapack.dpotrs(L, right, lower=1)[0])
