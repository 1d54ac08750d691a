"""The EM algorithm of mixture discriminant analysis: Gaussian subclasses with one covariance for all.

Rows are centred on the means of their classes and sphered by the covariance within classes, once. In these coordinates
that covariance is the identity, subclasses only move their means δ, and the covariance within subclasses is
I − Σ p δδᵀ. So a step costs two thin products, however many columns there are, and classes far apart cost no digits.

The likelihood is that of the class densities, with the means of the subclasses held to the leading L directions where
the rank is reduced (Hastie, Tibshirani 1996):

    ℓ = −W/2 [ p log 2π + log|T| − Σ_l log(1 + λ_l) + p − L ] + Σ wᵢ log Σ_r π_r exp(−½‖zᵢ − z_r‖²),

T the total covariance (divisor W) and λ the values of between against within subclasses. It rises with every step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.special import logsumexp

from ...arrays import errors, linalg
from ...arrays.namespaces import EPS
from ...moments import Factor, Grouped
from ...regress.optimal_scoring import Scoring, score
from ...rows import Block
from ...solve import Form, Pencil, Spectrum, solve, whiten
from .clusters import k_means

Floats = NDArray[np.float64]
Shares = list[Floats]  # one table for each class: rows of the class × its subclasses

EMPTY = 1e-6  # share of its class below which a subclass has lost its rows
CLOSE = 1e-4  # below this share of the spread within classes, covariance within subclasses is summed from rows


class Classes:
    """Rows by class, centred and sphered.

    Attributes
    ----------
    index : list of arrays
        Places of the rows of each class.
    rows : list of arrays of shape (n_k, r)
        About the class mean, with unit covariance within classes (divisor W).
    weights : list of arrays of shape (n_k,)
    means : array of shape (K, r)
        Class means about the overall mean, in the same coordinates.
    axes : array of shape (p, r)
        The map to these coordinates.
    spread : array of shape (p,)
        Standard deviation of each column within classes.
    """

    def __init__(self, X: Floats, codes: NDArray[np.intp], w: Floats, labels: NDArray[Any]) -> None:
        moments = Grouped(Factor).update(Block(X, codes, w, labels))
        within = self.within = moments.within()
        self.W = moments.weight
        self.class_weights = moments.weights
        self.labels = labels
        shares = moments.weights / self.W
        self.whitening = whiten(Form.of(within, self.W), within.constant_columns())
        with np.errstate(over="ignore"):
            self.axes = self.whitening.matrix / within.unit[:, None]
        small = np.flatnonzero(~np.isfinite(self.axes).all(axis=1))
        if len(small):
            column = small[0] if moments.names is None else moments.names[small[0]]
            raise errors.InputError(
                f"X: column {column} is so small that its coefficient overflows; multiply it by a large number."
            )
        self.centre = shares @ within.means
        offsets = within.shift - shares @ within.shift
        self.means = offsets @ self.whitening.matrix
        self.class_means = within.means
        self.index = [np.flatnonzero(codes == k) for k in range(len(labels))]
        self.weights = [w[i] for i in self.index]
        spread = np.sqrt(within.store.diagonal() / self.W) * within.unit
        self.spread = np.where(spread > 0, spread, 1.0)
        # about the pivot first, so that an offset takes no digit
        self.centred = [(X[i] - within.pivot) - within.shift[k] * within.unit for k, i in enumerate(self.index)]
        self.rows = [rows @ self.axes for rows in self.centred]
        self.X, self.codes, self.w = X, codes, w
        self._distinct = [0] * len(labels)  # different rows of each class, as far as they have been looked for
        self._sorted: dict[tuple[int, bool], tuple[NDArray[np.intp], Floats, Floats]] = {}

    @property
    def rank(self) -> int:
        return int(self.axes.shape[1])

    @cached_property
    def lift(self) -> Floats:
        """The map back to the columns, of shape (r, p)."""
        return np.asarray(np.linalg.pinv(self.axes), dtype=np.float64)

    @property
    def log_determinant(self) -> float:
        """log|T|, the total covariance with divisor W, on the directions in which rows vary within classes."""
        between = np.sqrt(self.class_weights / self.W)[:, None] * self.means
        size = np.abs(self.axes).max(initial=0.0) or 1.0  # columns of 1e-200 have axes whose squares overflow
        triangle = np.asarray(np.linalg.qr(self.axes / size, mode="r"))
        inside = np.log(np.abs(triangle.diagonal())).sum() + self.rank * np.log(size)
        return float(np.linalg.slogdet(np.eye(self.rank) + between.T @ between)[1] - 2 * inside)

    def starts(self, counts: list[int], rng: np.random.RandomState, times: int) -> list[Shares]:
        """Cut each class into subclasses by k-means, columns scaled to unit spread within classes; several times.

        Not in the sphered coordinates, where columns of pure noise weigh as much as those that subclasses differ in:
        on the waveform problem such starts cost two to four points of test error.
        """
        if not self.spread.size or not self.rows[0].shape[1]:
            raise errors.nothing_separates()
        seeds = rng.randint(2**31 - 1, size=times).tolist()  # one for all classes, whose order must not matter
        with linalg.one_blas_thread():  # rows of one class are few: threads would wait for each other
            return [
                [self._cut(k, count, seed, try_ % 4) for k, count in enumerate(counts)]
                for try_, seed in enumerate(seeds)
            ]

    def _cut(self, k: int, count: int, seed: int, kind: int) -> Floats:
        """Cut one class; every fourth time sphered after all, or by the first centres alone: other maxima."""
        n, sphered = len(self.weights[k]), kind == 2
        if count == 1:
            return np.ones((n, 1))
        if (k, sphered) not in self._sorted:
            self._sorted[k, sphered] = self._in_order(k, sphered)
        order, rows, w = self._sorted[k, sphered]
        if count > self._distinct[k]:  # a few rows mostly settle that there are enough different ones
            different = len(np.unique(rows[: 8 * count], axis=0))
            self._distinct[k] = different if different >= count else len(np.unique(rows, axis=0))
        count, rounds = min(count, self._distinct[k]), 1 if kind == 3 else 300
        shares: Floats = np.zeros((n, count))
        found = k_means(rows, w, count, rounds, np.random.RandomState(seed))
        shares[order, found] = 1.0
        return shares[:, shares.any(axis=0)]

    def _in_order(self, k: int, sphered: bool) -> tuple[NDArray[np.intp], Floats, Floats]:
        """Return the rows of a class and their weights in an order that is theirs: rows come in any."""
        X, w = self.X[self.index[k]], self.weights[k]
        order = np.argsort(X[:, -1])
        last = X[order, -1]
        if (last[1:] == last[:-1]).any():  # one column does not settle the order
            order = np.lexsort((w, *X.T))
        rows = self.rows[k] if sphered else self.centred[k] / self.spread
        return order, rows[order], w[order]


@dataclass(frozen=True, eq=False)
class Plain:
    """Gaussian subclasses in the columns themselves: one M-step."""

    spectrum: Spectrum  # of between against within subclasses, in sphered coordinates
    offsets: list[Floats]  # δ: subclass means about the class mean
    shares: list[Floats]  # π: within each class
    within: Floats  # covariance within subclasses, sphered
    centre: Floats  # of all subclasses, sphered, about the overall mean

    def logits(self, data: Classes, k: int) -> Floats:
        """Return log π_r − ½‖z − z_r‖² of the rows of class k, up to ½‖z − z̄_k‖²."""
        D = self.offsets[k] @ self.spectrum.vectors
        linear = (D @ self.spectrum.vectors.T) @ data.rows[k].T  # few subclasses, many rows: along the rows
        return (linear + (np.log(self.shares[k]) - 0.5 * np.sum(D**2, axis=1))[:, None]).T

    def log_likelihood(self, data: Classes, evidence: float) -> float:
        """ℓ, given Σ w log Σ_r exp of the logits."""
        p, L = data.rank, len(self.spectrum)
        constant = p * np.log(2 * np.pi) + data.log_determinant - np.log1p(self.spectrum.values).sum() + p - L
        return float(evidence - data.W / 2 * (constant + np.sum(self.spectrum.vectors**2)))


def plain_step(data: Classes, Z: Shares, wanted: int | None) -> Plain:
    """Estimate means, shares and the common covariance from responsibilities."""
    mass = [w @ z for w, z in zip(data.weights, Z, strict=True)]
    offsets = [(z * w[:, None]).T @ x / m[:, None] for z, w, x, m in zip(Z, data.weights, data.rows, mass, strict=True)]
    spread = np.vstack([np.sqrt(m / data.W)[:, None] * d for m, d in zip(mass, offsets, strict=True)])
    within = np.eye(data.rank) - spread.T @ spread
    if np.linalg.eigvalsh(within)[0] < CLOSE:
        within = _within_by_rows(data, Z, mass, offsets)
    return Plain(*between(data, mass, offsets, within, wanted), within, np.zeros(data.rank))


def between(
    data: Classes, mass: list[Floats], offsets: list[Floats], within: Floats, wanted: int | None
) -> tuple[Spectrum, list[Floats], list[Floats]]:
    """Return the directions that subclasses differ in, with the offsets of these and their shares in their classes."""
    points = np.vstack([data.means[k] + d for k, d in enumerate(offsets)])
    p_r = np.concatenate(mass) / data.W
    A = Form(factor=np.sqrt(p_r)[:, None] * (points - p_r @ points), squared=False)
    spectrum = solve(Pencil(A, Form(matrix=within)))
    most = max(1, min(spectrum.rank, len(spectrum), len(points) - 1))
    spectrum = spectrum.first(most if wanted is None else min(most, wanted))
    return spectrum, offsets, [m / m.sum() for m in mass]


def _within_by_rows(data: Classes, Z: Shares, mass: list[Floats], offsets: list[Floats]) -> Floats:
    """Sum the covariance within subclasses from rows, where the difference of two others would have lost its digits."""
    total = np.zeros((data.rank, data.rank))
    for z, w, x, m, d in zip(Z, data.weights, data.rows, mass, offsets, strict=True):
        middle = z @ d
        root = np.sqrt(w)[:, None]
        inside = root * (x - middle)
        total += inside.T @ inside + (d.T * m) @ d - (root * middle).T @ (root * middle)
    within = (total + total.T) / (2 * data.W)
    values, V = np.linalg.eigh(within)
    if values[0] >= EPS:
        return within
    # subclasses of equal rows: what is left is rounding, some on one processor and none on another
    return np.asarray((V * np.maximum(values, EPS)) @ V.T)


@dataclass(frozen=True, eq=False)
class Scored:
    """Subclasses in the space of a regression: one M-step by optimal scoring of the responsibilities."""

    spectrum: Spectrum
    points: list[Floats]  # subclass centroids in canonical coordinates
    shares: list[Floats]
    scoring: Scoring
    coordinates: list[Floats]  # of the rows of each class
    given: Shares  # the responsibilities it was estimated from

    def logits(self, data: Classes, k: int) -> Floats:
        """Return log π_r − ½‖z − z_r‖² of the rows of class k, up to ½‖z‖²."""
        return self.logits_of(self.coordinates[k], k)

    def logits_of(self, z: Floats, k: int) -> Floats:
        """The same for rows with given coordinates."""
        C = self.points[k]
        return z @ C.T + (np.log(self.shares[k]) - 0.5 * np.sum(C**2, axis=1))

    def log_likelihood(self, data: Classes, evidence: float) -> float:
        """Σ w log P(class | x): densities of the fits of another regression cannot be compared."""
        total = 0.0
        priors = np.log(data.class_weights / data.W)
        for k, (z, w) in enumerate(zip(self.coordinates, data.weights, strict=True)):
            of_class = [priors[j] + logsumexp(self.logits_of(z, j), axis=1) for j in range(len(self.points))]
            total += float(w @ linalg.log_softmax(np.stack(of_class, axis=1))[:, k])
        return total


def scored_step(data: Classes, Z: Shares, wanted: int | None, regressor: Any) -> Scored:
    """Regress the scores of the subclasses, given responsibilities, and find the canonical coordinates."""
    blurred = blurred_response(data, Z)
    scoring = score(regressor, data.X, blurred, data.w)
    spectrum = scoring.solve(scoring.shares)
    spectrum = spectrum if wanted is None else spectrum.first(min(len(spectrum), wanted))
    centre = scoring.shares @ scoring.means
    points = (scoring.means - centre) @ spectrum.vectors
    coordinates = (scoring.fits(data.X) - centre) @ spectrum.vectors
    cuts = np.cumsum([z.shape[1] for z in Z])[:-1]
    mass = np.split(scoring.shares, cuts)
    return Scored(
        spectrum, np.split(points, cuts), [m / m.sum() for m in mass], scoring, [coordinates[i] for i in data.index], Z
    )


def blurred_response(data: Classes, Z: Shares) -> scipy.sparse.csr_array:
    """Return the responsibilities of all rows for all subclasses, n × ΣR_k, zero outside a row's own class."""
    first = np.concatenate([[0], np.cumsum([z.shape[1] for z in Z])])
    place = np.concatenate([np.repeat(i, z.shape[1]) for i, z in zip(data.index, Z, strict=True)])
    column = np.concatenate([np.tile(np.arange(first[k], first[k + 1]), len(z)) for k, z in enumerate(Z)])
    values = np.concatenate([z.ravel() for z in Z])
    blurred = scipy.sparse.csr_array((values, (place, column)), shape=(len(data.X), first[-1]))
    blurred.eliminate_zeros()
    return blurred


@dataclass(frozen=True, eq=False)
class Fit:
    """The end of one run of EM."""

    step: Any
    path: list[float]
    converged: bool
    gain: float


def run(data: Classes, Z: Shares, wanted: int | None, regressor: Any, max_iter: int, tol: float) -> Fit:
    """Take at most max_iter M-steps, each followed by its E-step; end when ℓ/W gains no more than tol."""
    path: list[float] = []
    converged, gain = False, np.inf
    step: Any = None
    for _ in range(max_iter):
        Z = _without_empty(data, Z)
        step = plain_step(data, Z, wanted) if regressor is None else scored_step(data, Z, wanted, regressor)
        evidence, Z = _e_step(data, step)
        path.append(step.log_likelihood(data, evidence))
        gain = abs(path[-1] - path[-2]) / data.W if len(path) > 1 else np.inf
        if tol > 0 and gain <= tol:
            converged = True
            break
        if all(z.shape[1] == 1 for z in Z) and regressor is None:
            converged = True  # one subclass each: the first step is the answer
            break
    return Fit(step, path, converged, gain)


def _e_step(data: Classes, step: Any) -> tuple[float, Shares]:
    evidence, Z = 0.0, []
    for k, w in enumerate(data.weights):
        logits = np.ascontiguousarray(step.logits(data, k).T)  # few subclasses, many rows: reduce along the long axis
        top = logits.max(axis=0)
        odds = np.exp(logits - top)
        size = odds.sum(axis=0)
        evidence += float(w @ (top + np.log(size)))
        Z.append((odds / size).T)
    return evidence, Z


def _without_empty(data: Classes, Z: Shares) -> Shares:
    """Leave out subclasses that have lost their rows; what little they had goes to the others."""
    kept = []
    for z, w in zip(Z, data.weights, strict=True):
        mass = w @ z
        alive = mass > EMPTY * mass.sum()
        if not alive.all():
            z = z[:, alive]
            size = z.sum(axis=1, keepdims=True)
            z = np.where(size > 0, z / np.where(size > 0, size, 1.0), 1.0 / z.shape[1])
        kept.append(z)
    return kept


def warn_of_lost(labels: NDArray[Any], asked: list[int], shares: Shares) -> None:
    """Warn, once, of classes that have fewer subclasses than they were to have."""
    lost = [
        f"class {errors.plain(label)!r} keeps {len(own)} of {count} subclasses"
        for label, count, own in zip(labels, asked, shares, strict=True)
        if len(own) < count
    ]
    if lost:
        errors.warn(
            errors.SubclassWarning(
                f"{errors.listed(lost, 4)}: the others had no rows of their own and were merged into the rest. If that "
                "recurs, lower n_subclasses."
            )
        )
