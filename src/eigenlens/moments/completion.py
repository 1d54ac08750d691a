"""From moments with holes to moments without: the maximum of the likelihood of a normal sample.

Divisors stay those of the method: what comes back is a sum of squares W·Σ̂, as if the rows had no holes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import errors, exponents, linalg
from . import estimability
from .centred import Centred, Factor
from .centring import Triangle
from .cross import Cross
from .grouped import Grouped
from .likelihood import Point
from .maximum import TOLERANCE, Maximum, maximise
from .patterns import Patterns
from .sample import Sample

CONSTANT = 1e-13  # standard deviation, over the size of the mean, that is the rounding of means


@dataclass(frozen=True, eq=False)
class NormalFit:
    """Means of one or several groups and their common covariance, with the likelihood they reach.

    Attributes
    ----------
    moments : Centred, Grouped or Cross
        What a sample without holes would have given: the same weights, these means, the scatter W·Σ̂.
    means : ndarray of shape (G, p)
        In the units of the data.
    covariance : ndarray of shape (p, p)
        Σ̂, with the divisor W.
    log_likelihood : float
        Of the observed cells; infinite where the covariance is singular.
    path : list of float
        The log-likelihood after each step, in units in which columns have variance 1.
    score : float
        The largest entry of the slope at the end, over the weight and in units of Σ̂.
    n_steps : int
        Evaluations of the likelihood or of its curvature; 0 where nothing was missing.
    """

    moments: Any
    means: np.ndarray
    covariance: np.ndarray
    log_likelihood: float
    path: list[float]
    score: float
    n_steps: int


def fit(moments: Any, *, names: list[str] | None = None, tol: float = TOLERANCE) -> NormalFit:
    """Find the normal distribution that makes the observed cells most likely.

    Parameters
    ----------
    moments : Patterns, Grouped or Cross
        Rows with holes; groups have a mean each and one covariance.
    names : list of str, optional
        Columns, for messages.
    tol : float
        Where the slope of the log-likelihood, over the weight and in units of the covariance, may stop.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.moments import Patterns
    >>> from eigenlens.moments.completion import fit
    >>> from eigenlens.rows import Block
    >>> X = np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 5.0], [4.0, np.nan], [6.0, np.nan]])
    >>> found = fit(Patterns().update(Block(X)))
    >>> found.means.round(6)          # the second column follows the line that the first three rows show
    array([[3.2     , 5.133333]])
    """
    groups, labels = grouped_patterns(moments)
    estimability.require_observed(groups, labels, names, sliced(moments))
    found = _fitted(groups, names, tol)
    return replace(found, moments=in_form_of(moments, found.moments))


def fit_each(moments: Grouped, *, names: list[str] | None = None, tol: float = TOLERANCE) -> NormalFit:
    """Find the normal distribution of each group separately; the covariance returned is their weighted mean.

    Parameters
    ----------
    moments : Grouped
        Rows with holes.
    names, tol
        As in `fit`.
    """
    groups, labels = grouped_patterns(moments)
    estimability.require_observed(groups, labels, names, sliced(moments))
    found = []
    for label, group in zip(moments.labels, groups, strict=True):
        try:
            found.append(_fitted([group], names, tol))
        except errors.InputError as error:
            among, way_out = "group", "One covariance of all groups, as LDA has it, needs fewer rows."
            if sliced(moments):
                among, way_out = "slice", "Fewer slices have more rows each, and SIR needs one covariance for all."
            raise errors.InputError(
                f"Among the rows of {among} {estimability.called(label)}: {error} {way_out}"
            ) from error
    new = separate(moments, [one.moments for one in found])
    total = sum(one.log_likelihood for one in found)
    return NormalFit(
        new,
        np.concatenate([one.means for one in found]),
        np.einsum("g,gjk->jk", moments.weights / moments.weight, np.stack([one.covariance for one in found])),
        total,
        [total],
        max(one.score for one in found),
        sum(one.n_steps for one in found),
    )


def separate(moments: Grouped, groups: list[Any]) -> Grouped:
    """Return groups of rows without holes, each with a covariance of its own, under the labels that were given."""
    new = Grouped(Factor, pooled=False, meaning=moments.meaning)
    new.labels, new.groups, new._first = moments.labels, groups, groups[0].pivot
    return new


def sliced(moments: Any) -> bool:
    """Tell whether groups are slices of a response, rather than classes."""
    return getattr(moments, "meaning", None) is not None


def _fitted(groups: list[Patterns], names: list[str] | None, tol: float) -> NormalFit:
    """Fit groups that share a pivot; the moments that come back are one Centred of all of them."""
    estimability.require_spread(groups, names)
    sample = Sample.of(groups)
    if all(group.complete for group in groups):
        shift, F, log_likelihood, reached = _complete(groups)
    else:
        with linalg.one_blas_thread():
            shift, F, log_likelihood, reached = _incomplete(sample, groups[0], names, tol)
    unit = exponents.units(groups[0].exponent, groups[0].pivot)
    with np.errstate(over="ignore", under="ignore"):
        R = F * unit / np.sqrt(sample.weight)
        covariance = R.T @ R
    return NormalFit(
        as_centred(groups, shift, F),
        groups[0].pivot + shift * unit,
        covariance,
        log_likelihood,
        [log_likelihood] if reached is None else reached.path,
        0.0 if reached is None else reached.score,
        0 if reached is None else reached.n_steps,
    )


def grouped_patterns(moments: Any) -> tuple[list[Patterns], np.ndarray | None]:
    """Return the patterns of each group about one pivot and over the same powers of two."""
    if isinstance(moments, Grouped):
        parts: list[Any] = list(moments.groups)
        labels: np.ndarray | None = moments.labels
    else:
        parts, labels = [moments.joint if isinstance(moments, Cross) else moments], None
    if not parts or not all(isinstance(part, Patterns) for part in parts):
        raise errors.moments_differ("the kind of moments", "Patterns", type(parts[0] if parts else moments).__name__)
    pivots = np.stack([part.pivot for part in parts])
    known = np.argmax(~np.isnan(pivots), axis=0)
    pivot = pivots[known, np.arange(pivots.shape[1])]
    exponent = parts[0].exponent
    if any(part.exponent is not None for part in parts):
        exponent = exponents.common([part.exponent_or_free() for part in parts])
    return [part.rescaled(exponent).moved_to(pivot) for part in parts], labels


Found = tuple[np.ndarray, np.ndarray, float, Maximum | None]


def _complete(groups: list[Patterns]) -> Found:
    """Return means and factor of rows without holes, as they are."""
    shift = np.concatenate([group.shift for group in groups])
    F = np.concatenate([group.rows for group in groups])
    W, p = sum(group.weight for group in groups), F.shape[1]
    R = np.abs(np.diagonal(linalg.triangle(F / np.sqrt(W)))) if len(F) >= p else np.zeros(1)
    if not (R > 0).all():
        return shift, F, float("inf"), None
    log_unit = 0.0 if groups[0].exponent is None else np.log(2.0) * groups[0].exponent.sum()
    return shift, F, -0.5 * W * float(p * np.log(2 * np.pi) + 2 * np.log(R).sum() + 2 * log_unit + p), None


def standardised_sample(moments: Any, names: list[str] | None = None) -> tuple[Sample, np.ndarray, Maximum]:
    """Return a sample with holes as its likelihood is climbed: its columns that vary, and the maximum, standardised."""
    groups, labels = grouped_patterns(moments)
    estimability.require_observed(groups, labels, names)
    with linalg.one_blas_thread():
        found = climbed(Sample.of(groups), groups[0], names, TOLERANCE)
    return found.point.sample, found.varying, found.reached


@dataclass(frozen=True)
class Climbed:
    """A maximum, in units in which columns have variance about 1: x = centre + size · x'."""

    reached: Maximum
    varying: np.ndarray
    centre: np.ndarray
    size: np.ndarray
    shift: np.ndarray  # available means of all columns

    @property
    def point(self) -> Point:
        return self.reached.point


def climbed(sample: Sample, like: Patterns, names: list[str] | None, tol: float = TOLERANCE) -> Climbed:
    """Climb to the maximum of the likelihood of the columns that vary; refuse what has none."""
    estimability.require_room(sample)
    shift = sample.available_means()
    size = np.sqrt(sample.available_variances(shift))
    unit = exponents.units(like.exponent, like.pivot)
    varying = np.flatnonzero(size > CONSTANT * np.abs(shift + like.pivot / unit).max(axis=0))
    free = sample.among(varying)
    estimability.require_together(free.together, varying, names)
    centre, size = shift[:, varying].mean(axis=0), size[varying]
    standard = free.standardised(centre, size)
    mu = standard.available_means()
    start = Point(standard, mu, np.linalg.cholesky(standard.available_covariance(mu)))
    reached = maximise(start, tol)
    estimability.require_bound(reached, varying, names)
    return Climbed(reached, varying, centre, size, shift)


def _incomplete(sample: Sample, like: Patterns, names: list[str] | None, tol: float) -> Found:
    found = climbed(sample, like, names, tol)
    reached, varying, size = found.reached, found.varying, found.size
    free, shift = found.point.sample, found.shift
    L = np.zeros((sample.masks.shape[1], len(varying)))
    shift[:, varying] = found.centre + reached.point.mu * size
    L[varying] = reached.point.L * size[:, None]
    weights = free.pattern_weights
    exponent = 0 if like.exponent is None else like.exponent[varying]
    units = float(weights @ (free.masks @ (np.log(size) + np.log(2.0) * exponent)))
    return shift, np.sqrt(sample.weight) * L.T, reached.point.log_likelihood - units, reached


def as_centred(groups: list[Patterns], shift: np.ndarray, F: np.ndarray) -> Centred:
    """Return one scatter FᵀF of all groups about their means, pivot + shift."""
    first = groups[0]
    new = Factor().anchored_at(first.pivot)
    new.weights = np.array([group.weight for group in groups])
    new.shift, new.exponent, new.store = shift, first.exponent, Triangle(F).compacted()
    new.n_rows, new.dtype = sum(group.n_rows for group in groups), np.result_type(*(group.dtype for group in groups))
    return new


def in_form_of(moments: Any, centred: Centred) -> Any:
    """Return moments of the form that was given, of rows without holes."""
    if isinstance(moments, Cross):
        cross = Cross(Factor)
        cross.joint, cross.split = centred, moments.split
        return cross
    if not isinstance(moments, Grouped):
        return centred
    grouped = Grouped(Factor, pooled=True, meaning=moments.meaning)
    grouped.labels, grouped.groups, grouped._first = moments.labels, [centred], centred.pivot
    return grouped
