"""What a fit without a row says about it, without fitting again: one row changes sums of squares by rank one.

Leaving out row x of weight w and class c moves its class mean, m_c' = m_c − w/(W_c − w)·d with d = x − m_c, and takes
b·ddᵀ out of the scatter, b = wW_c/(W_c − w). Inverses follow by Sherman and Morrison, determinants by the same number
1 − b·dᵀM⁻¹d, and eigenvalues as roots of the secular equation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import namespaces
from ..solve import Form

SINGULAR = 1e-8  # what is left of a direction, relative to what there was, below which a row is fitted without
CHUNK = 2_000_000  # numbers of one intermediate table
HALVINGS = 80  # at most, in the search for a root
NEAR = 2.0  # a bracket, in the logarithm, in which Newton's steps are better than halving
SETTLED = 1e-15  # the last step, in the logarithm of a root's distance to its pole


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Rows in the coordinates of a metric, each with its class.

    Attributes
    ----------
    rows : ndarray of shape (n, q)
    means : ndarray of shape (K, q)
        Of the classes, all rows counted.
    codes : ndarray of int, shape (n,)
    weight : ndarray of shape (n,)
    weights : ndarray of shape (K,)
        Of the classes.
    """

    rows: np.ndarray
    means: np.ndarray
    codes: np.ndarray
    weight: np.ndarray
    weights: np.ndarray

    @cached_property
    def rest(self) -> np.ndarray:
        """Weight of each row's class without the row."""
        return self.weights[self.codes] - self.weight

    @cached_property
    def offsets(self) -> np.ndarray:
        """Rows minus the mean of their class."""
        return self.rows - self.means[self.codes]

    @cached_property
    def taken(self) -> np.ndarray:
        """b: how often the squared offset is taken out of the scatter; NaN where a class is left empty."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.rest > 0, self.weight * self.weights[self.codes] / self.rest, np.nan)

    def away(self, k: int) -> np.ndarray:
        """Rows minus the mean of class k, the row left out of it."""
        own = self.codes == k
        found = self.rows - self.means[k]
        with np.errstate(divide="ignore", invalid="ignore"):
            stretch = np.where(own, self.weights[self.codes] / self.rest, 1.0)
        return found * stretch[:, None]

    def log_priors(self, given: np.ndarray | None) -> np.ndarray:
        """Logarithms of the prior probabilities: as given, or shares of the weight without the row."""
        if given is not None:
            return np.broadcast_to(np.log(given), (len(self.rows), len(given)))
        left = np.tile(self.weights, (len(self.rows), 1))
        left[np.arange(len(left)), self.codes] -= self.weight
        with np.errstate(divide="ignore"):
            return np.log(left / left.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class ScatterAxes:
    """The directions of a scatter, with their sums of squares, descending."""

    vectors: np.ndarray
    values: np.ndarray

    def without(
        self, offsets: np.ndarray, taken: np.ndarray, weight: np.ndarray, shrinkage: float | str
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return how far the scatter without each row is shrunk, and its trace; "oas" decides again.

        Parameters
        ----------
        offsets, taken : ndarrays
            Of `ClassRows`, in these axes.
        weight : ndarray of shape (n,)
            Total weight without the row.
        shrinkage : float or "oas"
        """
        length, p = np.sum(offsets**2, axis=1), len(self.vectors)
        trace = self.values.sum() - taken * length
        if not isinstance(shrinkage, str):
            return np.full(len(trace), float(shrinkage)), trace
        square = np.sum(self.values**2) - 2 * taken * (offsets**2 @ self.values) + (taken * length) ** 2
        mean, square = trace / weight / p, square / weight**2 / p**2
        bottom = (weight + 1) * (square - mean**2 / p)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(bottom > 0, np.minimum((square + mean**2) / bottom, 1.0), 1.0), trace


def scatter_axes(scatter: Form) -> ScatterAxes:
    """Return the axes of sums of squares, by their factor where there is one."""
    if scatter.factor is None:
        values, vectors = np.linalg.eigh(namespaces.to_numpy(scatter.matrix))
        return ScatterAxes(vectors[:, ::-1], np.maximum(values[::-1], 0.0))
    F = namespaces.to_numpy(scatter.factor)
    s, V = np.linalg.svd(F, full_matrices=len(F) < F.shape[1])[1:]
    return ScatterAxes(V.T, np.concatenate([s**2, np.zeros(len(V) - len(s))]))


def linear_scores(
    classes: ClassRows,
    metric: np.ndarray,
    share: np.ndarray,
    divisor: np.ndarray,
    priors: np.ndarray | None,
) -> np.ndarray:
    """Return log-posteriors, up to what classes share, by a metric that all classes share: (n, K).

    Parameters
    ----------
    classes : ClassRows
    metric : ndarray that broadcasts to (n, q)
        Diagonal of the sums of squares, all rows counted, as the fit without the row uses them.
    share : ndarray of shape (n,)
        What the scatter counts in them: 1, or 1 − a where it is shrunk by a.
    divisor : ndarray of shape (n,)
    priors : ndarray of shape (K,) or None
    """
    log_priors, K = classes.log_priors(priors), len(classes.means)
    d, gain = classes.offsets, share * classes.taken
    scaled = d / metric
    left = 1 - gain * np.sum(scaled * d, axis=1)
    left = np.where(left > SINGULAR, left, np.nan)
    found = np.empty((len(d), K))
    for k in range(K):
        e = classes.away(k)
        along = np.sum(e * scaled, axis=1)
        found[:, k] = np.sum(e * e / metric, axis=1) + gain / left * along**2
    return log_priors - 0.5 * divisor[:, None] * found


def quadratic_score(
    classes: ClassRows, k: int, metric: np.ndarray, share: np.ndarray, divisor: np.ndarray, log_det: np.ndarray
) -> np.ndarray:
    """Return −½ of distance and log-determinant of class k: (n,).

    Parameters
    ----------
    classes : ClassRows
        In the coordinates of this class.
    k : int
    metric, divisor
        As in `linear_scores`, for this class.
    share : ndarray of shape (n,)
        How often the row's squared offset counts in the sums of squares of this class.
    log_det : ndarray of shape (n,)
        Of the metric in these coordinates.
    """
    d, e = classes.offsets, classes.away(k)
    gain = share * classes.taken
    scaled = d / metric
    left = 1 - gain * np.sum(scaled * d, axis=1)
    left = np.where(left > SINGULAR, left, np.nan)
    distance = np.sum(e * e / metric, axis=1) + gain / left * np.sum(e * scaled, axis=1) ** 2
    log_det = log_det + np.log(left) - classes.rows.shape[1] * np.log(divisor)
    return -0.5 * (divisor * distance + log_det)


def left_out_residuals(residuals: np.ndarray, leverages: np.ndarray) -> np.ndarray:
    """Return residuals of rows against the fit without them: r/(1 − h), NaN where the fit needs the row."""
    left = 1 - leverages
    return residuals / np.where(left > SINGULAR, left, np.nan)[:, None]


def press(rows: np.ndarray, values: np.ndarray, weight: np.ndarray, k: int) -> np.ndarray:
    """Return the squared distance of each row to the k-dimensional subspace of least error of all the others.

    Parameters
    ----------
    rows : ndarray of shape (n, q)
        Rows minus their mean, in the directions of the scatter.
    values : ndarray of shape (q,)
        Eigenvalues of the scatter, descending.
    weight : ndarray of shape (n,)
    k : int
    """
    W, q = float(weight.sum()), rows.shape[1]
    if k >= q:
        return np.zeros(len(rows))
    b = weight * W / (W - weight)
    floor = np.finfo(float).eps * max(float(values[0]), np.finfo(float).tiny)
    found = np.empty(len(rows))
    step = max(CHUNK // q, 1)
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        residual = rows[part].copy()
        for j in range(k):
            residual -= _along(rows[part], values - values[j], b[part], max(float(values[j] - values[j + 1]), floor))
        found[part] = np.sum(residual**2, axis=1)
    return (W / (W - weight)) ** 2 * found


def _along(rows: np.ndarray, poles: np.ndarray, b: np.ndarray, gap: float) -> np.ndarray:
    """Return the part of each row u along the eigenvector of Λ − b·uuᵀ whose value lies below the pole at 0.

    The distance δ < gap to the pole solves 1 = b·Σ u²/(λ + δ), by Newton's steps in its logarithm, halved where they
    leave the bracket, so that a tiny δ keeps its digits. The eigenvector is u/(λ + δ), and uᵀ of it is 1/b.
    """
    squares = rows**2
    low, high = np.full(len(b), np.log(gap) - 100.0), np.full(len(b), np.log(gap))
    at = high - np.log(2.0)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        for _ in range(HALVINGS):
            over = 1.0 / (poles + np.exp(at)[:, None])
            value = 1 - b * np.einsum("ij,ij->i", squares, over)
            slope = b * np.exp(at) * np.einsum("ij,ij,ij->i", squares, over, over)
            low, high = np.where(value < 0, at, low), np.where(value < 0, high, at)
            newton = at - value / slope
            settled = np.abs(newton - at) <= SETTLED * (1 + np.abs(at))
            if settled.all():
                break
            inside = settled | ((newton > low) & (newton < high) & (high - low < NEAR))
            at = np.where(inside, newton, 0.5 * (low + high))
        vectors = rows / (poles + np.exp(at)[:, None])
        found = vectors / (b * np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return np.where(np.isfinite(found), found, 0.0)
