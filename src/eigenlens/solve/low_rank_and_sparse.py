r"""Principal component pursuit: split a matrix into a low-rank part and a sparse one.

.. math:: \min_{L, S} \; \lVert L\rVert_* + \sum_{ij} \lambda_i |S_{ij}| \quad\text{subject to } L + S = X
    \text{ on the observed cells,}

by alternating directions on the augmented Lagrangian. Each round shrinks the entries of X − L + U/μ by λ/μ to get S,
and the singular values of X − S + U/μ by 1/μ to get L. Unobserved cells cost nothing in S, which takes up whatever L
leaves there.

Shrinking singular values by τ takes only the triplets with s > τ. Where they are few, a Krylov space finds them that
starts from those of the round before: as the matrix settles, a step or two is enough. Otherwise the small side is
decomposed in full.

References
----------
Candès, Li, Ma, Wright (2011), Robust principal component analysis? Boyd, Parikh, Chu, Peleato, Eckstein (2011),
Distributed optimization and statistical learning via the alternating direction method of multipliers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import errors, linalg, namespaces
from ..arrays.typing import Array
from .leading import KrylovSpace

OVER = 1.6  # over-relaxation: a third fewer rounds on every table tried
ITERATED_SHARE = 0.2  # share of directions up to which an iteration pays
SPARE = 10  # directions carried beyond those in use, so that one that grows is seen before it matters

Report = Callable[[int, float, int, float], None]


@dataclass(frozen=True, eq=False)
class Parts:
    """The two parts and how they were reached.

    Attributes
    ----------
    low_rank, sparse : arrays of shape (n, p)
    vectors : array of shape (p, r)
        Right singular vectors of the low-rank part.
    singular_values : array of shape (r,)
    objective, residuals : ndarrays of shape (rounds,)
        After each round, what is minimised, and how far from done it is relative to the size of the matrix.
    converged : bool
    """

    low_rank: Array
    sparse: Array
    vectors: Array
    singular_values: Array
    objective: np.ndarray
    residuals: np.ndarray
    converged: bool


def pursue(
    X: Array,
    observed: Array | None,
    root: Array,
    *,
    lam: float,
    tol: float,
    max_iter: int,
    report: Report | None = None,
) -> Parts:
    """Split X by the convex problem.

    Memory: X, L, S, the multiplier U and at most three more arrays of that size at a time.

    Parameters
    ----------
    X : array of shape (n, p)
        float64, anything finite in the cells that are not observed; rows multiplied by the root of their weight.
    observed : boolean array of shape (n, p), or None where all cells are
    root : array of shape (n, 1)
        Root of the weight of each row: a row that counts w times costs λ·w·|s| = λ√w·|√w s|.
    lam : float
        λ.
    tol : float
        Bound on the relative residuals of the constraint and of the multiplier.
    max_iter : int
    report : function of (round, residual, rank, objective), optional
    """
    xp = namespaces.namespace(X)
    shrinker = Shrinker()
    L, S, U = xp.zeros_like(X), xp.zeros_like(X), xp.zeros_like(X)  # U is the multiplier over μ
    mu, penalty = _first_mu(X, observed, root), lam * root
    patience, changed = 10.0, 0  # rounds between changes of μ
    objective: list[float] = []
    residuals: list[float] = []
    primal = dual = np.inf
    done = mu == 0  # only zeros
    with linalg.limit_blas(X.shape[0] * X.shape[1]):
        for k in range(0 if done else max_iter):
            before = S
            S = _shrink_entries(X - L + U, penalty / mu, observed)
            moved = _norm(S - before)
            Y = X - OVER * S - (1 - OVER) * (X - L) + U
            L = shrinker(Y, 1 / mu, accuracy=float(np.clip(1e-3 * min(primal, dual), 1e-13, 1e-6)))
            U = Y - L
            primal, dual = _norm(X - L - S) / (_norm(L) or _norm(X)), moved / (_norm(U) or 1.0)
            objective.append(float(xp.sum(shrinker.singular_values)) + _cost(S, penalty, observed))
            residuals.append(max(primal, dual))
            if report is not None:
                report(k + 1, residuals[-1], int(shrinker.singular_values.shape[0]), objective[-1])
            if residuals[-1] <= tol and not shrinker.missed(Y, 1 / mu):
                done = True
                break
            if k - changed >= patience and max(primal, dual) > 30 * min(primal, dual):
                factor = 2.0 if primal > dual else 0.5
                patience, changed = patience * 1.5, k  # in the end μ stays, so that the rounds converge
                mu, U = mu * factor, U / factor
    if not objective:
        shrinker(X, 1.0)
    S = only(S, observed)
    return Parts(L, S, shrinker.vectors, shrinker.singular_values, np.array(objective), np.array(residuals), bool(done))


def only(A: Array, observed: Array | None) -> Array:
    """Put zeros in the cells that were not observed."""
    xp = namespaces.namespace(A)
    return A if observed is None else xp.where(observed, A, xp.zeros_like(A))


def _first_mu(X: Array, observed: Array | None, root: Array) -> float:
    """Return the weight of the constraint: one over four mean sizes of an entry (Candès et al.)."""
    xp = namespaces.namespace(X)
    seen = xp.ones_like(X) if observed is None else xp.astype(observed, xp.float64)
    mean = float(xp.sum(xp.abs(X) * seen * root)) / float(xp.sum(seen * root**2))
    return 1 / (4 * mean) if mean else 0.0


def _shrink_entries(R: Array, threshold: Array, observed: Array | None) -> Array:
    """Shrink observed entries towards zero; take the others as they are."""
    xp = namespaces.namespace(R)
    if isinstance(R, np.ndarray):
        S = R - np.clip(R, -threshold, threshold)
    else:
        S = xp.sign(R) * xp.clip(xp.abs(R) - threshold, min=0.0)
    return S if observed is None else xp.where(observed, S, R)


def _cost(S: Array, penalty: Array, observed: Array | None) -> float:
    xp = namespaces.namespace(S)
    return float(xp.sum(only(xp.abs(S) * penalty, observed)))


def _norm(A: Array) -> float:
    xp = namespaces.namespace(A)
    return float(np.linalg.norm(A)) if isinstance(A, np.ndarray) else float(xp.sqrt(xp.sum(A * A)))


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
        self._block: Any = None
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
        large = q > 200
        if large and self._block is not None and self._block.shape[0] <= ITERATED_SHARE * q:
            V = self._from_the_last(M, tau, accuracy)
            if V is not None:
                return V
        V = self._all(M, tau)
        if large:
            drawn = np.random.default_rng(0).standard_normal((SPARE, q))  # seeded, so that a rerun gives the same bits
            self._block = namespaces.namespace(M).concat([V.T, namespaces.like(drawn, M)], axis=0)
        return V

    def _all(self, M: Array, tau: float) -> Array:
        """Decompose the small side in full."""
        xp = namespaces.namespace(M)
        values, V = xp.linalg.eigh(linalg.gram(M))
        s = xp.sqrt(xp.clip(xp.flip(values), min=0.0))
        V = xp.flip(V, axis=1)
        if tau < 1e-6 * float(s[0]):  # squares do not hold the digits that matter
            _, s, right = linalg.thin_svd(M)
            V = right.T
        return V[:, : _count(namespaces.to_numpy(s), tau)]

    def _from_the_last(self, M: Array, tau: float, accuracy: float) -> Array | None:
        """Find the leading directions from those of the call before; None where they have become too many."""
        q, width = M.shape[1], self._block.shape[0]
        space = KrylovSpace(lambda V: (V @ M.T) @ M, q, width, M, width, self._block)
        while space.m + space.next.shape[0] <= min(ITERATED_SHARE * q + width, space.size) and space.next.shape[0]:
            space.grow()
            values, inner, gaps = space.ritz(space.m)
            r = _count(np.sqrt(np.maximum(values, 0.0)), tau)
            if r < space.m and (gaps[:r] <= accuracy * values[0]).all():
                self._block = space.vectors(inner[:, : r + SPARE])
                return self._block[:r, :].T
        return None


def _count(s: np.ndarray, tau: float) -> int:
    return int(np.count_nonzero(s > tau))


# -- which cells are known ------------------------------------------------------------------------------------------


def observed_cells(X: Array) -> tuple[Array, Array | None]:
    """Put zeros for NaN and tell which cells were observed; None where all were."""
    xp = namespaces.namespace(X)
    missing = xp.isnan(X)
    if not bool(xp.any(missing)):
        return X, None
    return xp.where(missing, xp.zeros_like(X), X), ~missing


def refuse_empty(observed: Array | None) -> None:
    """Refuse rows and columns without any observed cell."""
    if observed is None:
        return
    for axis, what in ((1, "row"), (0, "column")):
        empty = ~namespaces.to_numpy(observed).any(axis=axis)
        if empty.any():
            raise nothing_observed(what, np.flatnonzero(empty).tolist())


def warn_if_few(observed: Array | None, rank: int) -> None:
    """Warn where what was observed cannot determine a matrix of this rank."""
    if observed is None:
        return
    seen = namespaces.to_numpy(observed)
    numbers = rank * (sum(seen.shape) - rank)
    thin = [int((seen.sum(axis=axis) < rank).sum()) for axis in (1, 0)]
    if seen.mean() < 0.1:
        errors.warn(_little_observed(f"{1 - seen.mean():.0%} of the cells are NaN"))
    elif seen.sum() < 1.5 * numbers:
        why = f"{seen.sum()} observed cells must determine the {numbers} numbers of a matrix of rank {rank}"
        errors.warn(_little_observed(why))
    elif any(thin):
        why = f"{thin[0]} rows and {thin[1]} columns have fewer observed cells than the rank, {rank}"
        errors.warn(_little_observed(why))


def nothing_observed(what: str, numbers: Iterable[Any]) -> errors.InputError:
    """Return the error of rows or columns that are all NaN."""
    return errors.InputError(f"X: {what} {errors.listed(numbers)} is all NaN; leave it out.")


def _little_observed(why: str) -> errors.MissingWarning:
    return errors.MissingWarning(
        f"X: {why}. The missing cells of low_rank_ are then guesses; drop rows and columns that are mostly NaN."
    )


def robust_spreads(X: Array, observed: Array | None, weight: Any = None) -> Array:
    """Return the spread of each column, which a few wild cells do not change; 0 for constant columns.

    It is 1.4826 times the median distance of the cells from their median, as for a normal column the standard
    deviation is, and the standard deviation itself where more than half of the cells are equal.
    """
    cells = namespaces.to_numpy(X)
    times = np.ones(len(cells)) if weight is None else np.asarray(weight, dtype=float)
    counted = np.broadcast_to(times[:, None], cells.shape) * (
        1.0 if observed is None else namespaces.to_numpy(observed)
    )

    def lower_median(values: np.ndarray) -> np.ndarray:
        weights = np.where(counted.any(axis=0), counted, 1.0)
        return np.quantile(values, 0.5, axis=0, weights=weights, method="inverted_cdf", keepdims=True)

    def middle(values: np.ndarray) -> np.ndarray:  # the same for columns whose sign was changed
        return (lower_median(values) - lower_median(-values)) / 2

    centre = middle(cells)
    distance = np.where(counted > 0, np.abs(cells - centre), 0.0)
    usual, rounding = middle(distance) * 1.4826, namespaces.EPS * np.abs(centre)
    largest = distance.max(axis=0, keepdims=True)
    unit = np.where(largest > rounding, largest, 1.0)
    shares = counted / np.maximum(counted.sum(axis=0, keepdims=True), np.finfo(float).tiny)
    whole = np.sqrt(np.sum(shares * (distance / unit) ** 2, axis=0, keepdims=True)) * unit
    found = np.where(usual > rounding, usual, np.where(largest > rounding, whole, 0.0))
    return namespaces.like(found[0], X)
