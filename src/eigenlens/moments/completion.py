"""From moments with holes to moments without: the maximum of the likelihood of a normal sample.

Divisors stay those of the method: what comes back is a sum of squares W·Σ̂, as if the rows had no holes.

EM finds the maximum. Its steps are extrapolated by Anderson's method: of the last few points the combination is taken
whose steps of EM nearly cancel, and kept if the likelihood there is no lower.

Dempster, Laird, Rubin (1977), Maximum likelihood from incomplete data via the EM algorithm, J. Royal Statistical
Society B 39. Walker, Ni (2011), Anderson acceleration for fixed-point iterations, SIAM J. Numerical Analysis 49.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from ..arrays import errors, exponents, linalg, memory, namespaces
from .base import SHOWN
from .centred import Centred, Factor
from .cross import Cross
from .form import Form
from .grouped import Grouped
from .marginals import Marginals, Sample
from .patterns import ASKED_CELLS, Patterns

CONSTANT = 1e-13  # standard deviation, over the size of the mean, that is the rounding of means
TOLERANCE = 1e-10  # of the slope over the weight, in units of Σ
SCORE = 1e-8  # the same, at which a maximum counts as found
MOST = 400  # evaluations of the likelihood
REMEMBERED = 15  # points that are combined
ROUNDING = 1e-13  # of the log-likelihood, over the depth of Σ: smaller changes are not seen; and of Σ itself
SINGULAR = 1e-6  # depth of a covariance at which the climb is given up: the likelihood has no bound
NEARLY_SINGULAR = 1e-3  # depth below which Σ is not inverted as a whole
SINKING = 1e-2  # depth of a covariance that, with the likelihood still rising, is on its way to zero
COMPLETELY = 1e-4  # depth below which columns determine each other
SETTLED = 1e-5  # slope below which a maximum that was not quite found is near
LOADING = 0.1  # share of the largest entry from which a column belongs to a direction


class State(Protocol):
    """A point of a likelihood that is climbed."""

    sample: Sample
    mu: np.ndarray
    log_likelihood: float
    depth: float  # how far the model is from a singular one

    @property
    def root(self) -> np.ndarray:
        """Rows F with FᵀF = the covariance."""

    @property
    def score(self) -> float:
        """The largest entry of the slope over the weight."""

    @property
    def place(self) -> np.ndarray:
        """The coordinates of the point."""

    def image(self) -> np.ndarray:
        """Return the coordinates of the point after one step of EM, where the likelihood is not lower."""

    def measured(self, steps: np.ndarray) -> np.ndarray:
        """Return steps from here, one in a row, in units in which their lengths can be compared."""

    def at(self, place: np.ndarray) -> Self | None:
        """Return another point; None if there is none of these coordinates."""


Climbing = TypeVar("Climbing", bound=State)


@dataclass(frozen=True, eq=False)
class Completed:
    """Moments that rows without holes would have given, and the likelihood that they reach.

    Attributes
    ----------
    moments : Centred, Grouped or Cross
        The same weights, the means that are most likely, the scatter W·Σ̂.
    log_likelihood : float or None
        Of the observed cells; infinite where the covariance is singular.
    score : float
        The largest entry of the slope at the end, over the weight and in units of Σ̂.
    n_steps : int
        Evaluations of the likelihood; 0 where nothing was missing.
    """

    moments: Any
    log_likelihood: float | None = None
    score: float = 0.0
    n_steps: int = 0


def fit(moments: Any, *, names: list[str] | None = None, pooled: bool = True, tol: float = TOLERANCE) -> Completed:
    """Find the normal distribution that makes the observed cells most likely.

    Parameters
    ----------
    moments : Patterns, Grouped or Cross
        Rows with holes; groups have a mean each.
    names : list of str, optional
        Columns, for messages.
    pooled : bool
        Whether groups share one covariance; otherwise each has its own.
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
    >>> found.moments.mean.round(6)   # the second column follows the line that the first three rows show
    array([3.2     , 5.133333])
    """
    patterns = patterns_of(moments)
    require_observed(patterns, moments, names)
    if pooled or not isinstance(moments, Grouped):
        one = _fitted(patterns, names, tol)
        return replace(one, moments=completed_like(moments, one.moments))
    found: list[Completed] = []
    for k, label in enumerate(moments.labels):
        try:
            found.append(_fitted(patterns.of_group(k), names, tol))
        except errors.InputError as error:
            among, way_out = "group", "One covariance of all groups, as LDA has it, needs fewer rows."
            if moments.meaning is not None:
                among, way_out = "slice", "Fewer slices have more rows each, and SIR needs one covariance for all."
            raise errors.InputError(f"Among the rows of {among} {called(label)}: {error} {way_out}") from error
    return Completed(
        moments.holding(Factor, [one.moments for one in found]),
        sum(one.log_likelihood or 0.0 for one in found),
        score=max(one.score for one in found),
        n_steps=sum(one.n_steps for one in found),
    )


def patterns_of(moments: Any) -> Patterns:
    """Return the patterns of holes that moments keep; refuse moments of another kind."""
    found = moments.inner
    if not isinstance(found, Patterns):
        raise errors.moments_differ("the kind of moments", "Patterns", type(found or moments).__name__)
    return found


def completed_like(moments: Any, centred: Centred) -> Any:
    """Return moments of the form that was given, of rows without holes."""
    if isinstance(moments, Cross):
        return moments._mapped(lambda part: centred, lambda total: total)
    return moments.holding(Factor, [centred], pooled=True) if isinstance(moments, Grouped) else centred


def _fitted(patterns: Patterns, names: list[str] | None, tol: float) -> Completed:
    """Fit groups; the moments that come back are one Centred of all of them."""
    require_spread(patterns, names)
    if patterns.complete:
        centred = as_centred(patterns, patterns.group_weights, patterns.shift, patterns.rows)
        return Completed(centred, _of_complete_rows(patterns))
    with linalg.one_blas_thread():
        return climbed(patterns, names, tol).completed


def _of_complete_rows(patterns: Patterns) -> float:
    """Return the largest log-likelihood of rows without holes."""
    F, W, p = patterns.rows, patterns.weight, patterns.n_features
    R = np.abs(np.diagonal(linalg.triangle(F / np.sqrt(W)))) if len(F) >= p else np.zeros(1)
    if not (R > 0).all():
        return float("inf")
    log_unit = 0.0 if patterns.exponent is None else np.log(2.0) * patterns.exponent.sum()
    return -0.5 * W * float(p * np.log(2 * np.pi) + 2 * np.log(R).sum() + 2 * log_unit + p)


@dataclass(frozen=True)
class Climbed(Generic[Climbing]):
    """A maximum of the likelihood of some columns, in units in which they have variance about 1: x = centre + size·x'.

    Attributes
    ----------
    patterns : Patterns
    point : State
        Where the climb ended.
    n_steps : int
        Evaluations of the likelihood.
    columns : ndarray of int
    centre, size : ndarray
        Of these columns, over 2^exponent and without the pivot.
    shift : ndarray of shape (G, p)
        Means of all columns, where they are observed.
    """

    patterns: Patterns
    point: Climbing
    n_steps: int
    columns: np.ndarray
    centre: np.ndarray
    size: np.ndarray
    shift: np.ndarray

    @property
    def completed(self) -> Completed:
        """The result in the units of the data."""
        exponent, sample = self.patterns.exponent, self.point.sample
        units = np.log(self.size) + (0 if exponent is None else np.log(2.0) * exponent[self.columns])
        log_likelihood = self.point.log_likelihood - float(sample.pattern_weights @ (sample.masks @ units))
        moments = self.moments_at(self.point, self.patterns.group_weights)
        return Completed(moments, log_likelihood, self.point.score, self.n_steps)

    def moments_at(self, point: Climbing, weights: np.ndarray) -> Centred:
        """Return the moments of rows without holes that a point says, of groups of these weights."""
        shift, root = self.shift.copy(), point.root
        F = np.zeros((len(root), shift.shape[1]))
        shift[:, self.columns] = self.centre + point.mu * self.size
        F[:, self.columns] = np.sqrt(weights.sum()) * root * self.size
        return as_centred(self.patterns, weights, shift, F)


def climbed(patterns: Patterns, names: list[str] | None, tol: float = TOLERANCE) -> Climbed[Normal]:
    """Climb to the maximum of the likelihood of the columns that vary; refuse what has none."""
    sample = Sample.of(patterns)
    require_room(sample)
    shift = sample.available_means()
    size = np.sqrt(sample.available_variances(shift))
    unit = exponents.units(patterns.exponent, patterns.pivot)
    varying = np.flatnonzero(size > CONSTANT * np.abs(shift + patterns.pivot / unit).max(axis=0))
    centre, size = shift[:, varying].mean(axis=0), size[varying]
    standard = Sample.of(patterns, varying, centre, size)
    require_together(standard.together, varying, names)
    mu = standard.available_means()
    point, n_steps = climb(Normal(standard, mu, np.linalg.cholesky(standard.available_covariance(mu))), tol)
    require_bound(point, n_steps, varying, names)
    return Climbed(patterns, point, n_steps, varying, centre, size, shift)


def as_centred(patterns: Patterns, weights: np.ndarray, shift: np.ndarray, F: np.ndarray) -> Centred:
    """Return one scatter FᵀF of groups of these weights about their means, pivot + shift."""
    new = Factor().anchored_at(patterns.pivot)
    new.weights, new.shift, new.store = weights, shift, Form(factor=F, squared=False).compacted()
    new.exponent, new.n_rows, new.dtype = patterns.exponent, patterns.n_rows, patterns.dtype
    return new


# -- the climb ---------------------------------------------------------------------------------------------------------


def climb(point: Climbing, tol: float = TOLERANCE, most: int = MOST) -> tuple[Climbing, int]:
    """Climb from a point to the maximum of a likelihood; return it, and how often the likelihood was evaluated.

    Parameters
    ----------
    point : State
    tol : float
        Where the largest entry of the slope over the weight may stop.
    most : int
        Evaluations at most.
    """
    n_steps, lowest, stalled = 1, point.score, 0
    places: list[np.ndarray] = []
    images: list[np.ndarray] = []
    while point.score > tol and point.depth > SINGULAR and n_steps < most and stalled < REMEMBERED:
        image, new = point.image(), None
        places, images = [*places, point.place][-REMEMBERED:], [*images, image][-REMEMBERED:]
        if len(places) > 1:
            new = point.at(_combined(point, places, images))
            n_steps += new is not None
            if new is None or not _is_better(new, point):
                places, images, new = [], [], None
        if new is None:
            new = point.at(image)
            n_steps += 1
            if new is None or not (_is_higher(new, point) or new.depth <= SINGULAR):
                break
        level = new.log_likelihood <= point.log_likelihood + _rounding(point) and new.score >= lowest
        point, stalled, lowest = new, stalled + 1 if level else 0, min(lowest, new.score)
    return point, n_steps


def _combined(point: State, places: list[np.ndarray], images: list[np.ndarray]) -> np.ndarray:
    """Return the combination of images for which the same combination of the steps to them is shortest."""
    steps = point.measured(np.array(images) - np.array(places))
    share = np.linalg.lstsq(np.diff(steps, axis=0).T, steps[-1], rcond=namespaces.EPS)[0]
    return images[-1] - share @ np.diff(images, axis=0)


def _rounding(point: State) -> float:
    """Return what rounding may make of the log-likelihood."""
    return ROUNDING * (abs(point.log_likelihood) + point.sample.weight) / point.depth


def _is_higher(new: State, point: State) -> bool:
    return new.log_likelihood >= point.log_likelihood - _rounding(point)


def _is_better(new: State, point: State) -> bool:
    """Tell whether a point may follow another one: higher, and no leap to where the likelihood is of another shape."""
    return _is_higher(new, point) and new.score <= 2 * point.score and new.depth >= 0.5 * point.depth


class Normal:
    """Means and a covariance, and what a sample with holes says about them.

    In the coordinates δμ_g = L a_g and Σ → L (I + S) Lᵀ the slope of the likelihood over the weight is the step of EM.

    Parameters
    ----------
    sample : Sample
    mu : ndarray of shape (G, p)
    L : ndarray of shape (p, p)
        Lower triangular with a positive diagonal, Σ = LLᵀ.

    Attributes
    ----------
    log_likelihood : float
        Of the observed cells, in the units of the sample.
    depth : float
        Standard deviation of the weakest direction of columns of unit variance: near zero, Σ is singular.
    """

    def __init__(self, sample: Sample, mu: np.ndarray, L: np.ndarray) -> None:
        self.sample, self.mu, self.L = sample, mu, L
        self.depth = float(np.linalg.svd(L / np.sqrt((L**2).sum(axis=1))[:, None], compute_uv=False)[-1])
        layout, places = sample.laid_out(self.depth < NEARLY_SINGULAR)
        self.marginals = Marginals(layout, L, sample.pattern_weights)
        rows = sample.about(mu)
        self.U = self.marginals.solve(rows, places, refine=self.depth**2 < NEARLY_SINGULAR)
        log_dets = sample.pattern_weights @ self.marginals.log_dets
        self.log_likelihood = -0.5 * float(sample.n_cells * np.log(2 * np.pi) + log_dets + np.vdot(rows, self.U))

    @cached_property
    def slope(self) -> tuple[np.ndarray, np.ndarray]:
        """The step of EM of the means, a, and of the covariance, S, the moves of the means left out."""
        sample, L = self.sample, self.L
        sums = sample.group_sums(self.U[: len(sample.weights)], np.sqrt(sample.weights))
        H = L.T @ (self.U.T @ self.U - self.marginals.precision()) @ L / sample.weight
        return sums @ L / sample.group_weights[:, None], (H + H.T) / 2

    @cached_property
    def score(self) -> float:
        a, S = self.slope
        return float(max(np.abs(a * np.sqrt(self.sample.shares)[:, None]).max(), np.abs(S).max() / np.sqrt(2)))

    @property
    def root(self) -> np.ndarray:
        return self.L.T

    @property
    def place(self) -> np.ndarray:
        return np.concatenate([self.mu.ravel(), self.L[self.sample.lower]])

    def image(self) -> np.ndarray:
        a, S = self.slope
        C = (1 + ROUNDING) * np.eye(len(S)) + S - (a * self.sample.shares[:, None]).T @ a
        return np.concatenate([(self.mu + a @ self.L.T).ravel(), (self.L @ np.linalg.cholesky(C))[self.sample.lower]])

    def measured(self, steps: np.ndarray) -> np.ndarray:
        root, (G, p) = self.marginals.root, self.mu.shape
        apart = np.zeros((len(steps), p, p))
        apart[:, self.sample.lower] = steps[:, G * p :]
        means = steps[:, : G * p].reshape(-1, G, p) @ root.T
        return np.concatenate([means.reshape(-1, G * p), (root @ apart)[:, self.sample.lower]], axis=1)

    def at(self, place: np.ndarray) -> Normal | None:
        L, n = np.zeros_like(self.L), self.mu.size
        L[self.sample.lower] = place[n:]
        if not (np.diagonal(L) > 0).all():
            return None
        return Normal(self.sample, place[:n].reshape(self.mu.shape), L)


# -- who lacks what ----------------------------------------------------------------------------------------------------


def require_observed(patterns: Patterns, moments: Any, names: list[str] | None) -> None:
    """Refuse columns that no row, or no row of a group, has observed; warn of rows that observe nothing."""
    labels = moments.labels if isinstance(moments, Grouped) else None
    for k in range(len(patterns.group_rows)):
        lacking = np.flatnonzero(~patterns.masks[patterns.group == k].any(axis=0))
        if len(lacking) == 0:
            continue
        among, else_ = "", ""
        if labels is not None:
            kind, else_ = ("group", ", or the group") if moments.meaning is None else ("slice", ", or use fewer slices")
            among = f" among the rows of {kind} {called(labels[k])}"
        one = len(lacking) == 1
        raise errors.InputError(
            f"No cell of column{'' if one else 's'} {_listed(lacking, names)} is observed{among}; "
            f"{'it' if one else 'they'} cannot be estimated. "
            f"Leave {'it' if one else 'these columns'} out{else_}."
        )
    if patterns.n_blank:
        rows = "row is" if patterns.n_blank == 1 else "rows are"
        errors.warn(errors.MissingWarning(f"{patterns.n_blank:,} {rows} all NaN and ignored."))


def require_spread(patterns: Patterns, names: list[str] | None) -> None:
    """Refuse columns that one row alone observes, in each group that shares a covariance: it has no variance."""
    n_groups = len(patterns.group_rows)
    if patterns.complete or patterns.weight <= n_groups:
        return
    weights = np.maximum(patterns.weights, 1.0)  # so that several strata count more than one row
    observed = namespaces.group_sums(patterns.masks.astype(np.float64), patterns.group, n_groups, weights)
    lacking = np.flatnonzero((observed <= 1).all(axis=0))
    if len(lacking) == 0:
        return
    one = len(lacking) == 1
    raise errors.InputError(
        f"Column{'' if one else 's'} {_listed(lacking, names)} {'is' if one else 'are'} observed in a single row"
        f"{'' if n_groups == 1 else ' of each group'}, so the cells say nothing about "
        f"{'its variance. Leave it' if one else 'their variances. Leave them'} out, or add rows."
    )


def require_together(together: np.ndarray, columns: np.ndarray, names: list[str] | None) -> None:
    """Refuse pairs of columns that no row observes together: their covariance is unknown."""
    pairs = np.argwhere(np.triu(together == 0, 1))
    if len(pairs) == 0:
        return
    called = [f"{_name(columns[j], names)} and {_name(columns[k], names)}" for j, k in pairs[:SHOWN]]
    more = f", and {len(pairs) - SHOWN} more pairs" if len(pairs) > SHOWN else ""
    raise errors.InputError(
        f"No row observes columns {'; '.join(called)}{more} together, so the cells say nothing about their covariance. "
        f"Leave out one of each pair, or use missing='ppca' (PCA), which assumes a few common factors."
    )


def require_room(sample: Sample) -> None:
    """Ask for the memory of a climb before it is taken: an inverse for each pattern, and the rows several times."""
    P, p = sample.masks.shape
    observed = sample.masks.sum(axis=1)
    inverted = float(np.sum(np.minimum(observed, p - observed).astype(np.float64) ** 2))
    cells = 4 * inverted + 8 * (len(sample.means) + len(sample.rows)) * p
    if cells > ASKED_CELLS:
        memory.require(
            int(8 * cells),
            f"The likelihood of {P:,} patterns of missing cells",
            "Leave out columns that are often missing, or read fewer rows.",
        )


def require_bound(point: Normal, n_steps: int, columns: np.ndarray, names: list[str] | None) -> None:
    """Refuse a likelihood without a bound, the covariance becoming singular; warn of a climb that ended early."""
    if point.score <= SCORE:
        return
    p, involved = len(point.L), f"columns {_listed(columns[_weakest(point.L)], names)}"
    seldom = _seldom(point.sample, columns, names)
    if point.depth <= SINKING and point.score > SETTLED:
        how = "completely" if point.depth <= COMPLETELY else "almost completely"
        raise errors.InputError(
            f"The observed cells cannot determine a covariance of {p} columns: {involved} explain each other {how} "
            f"where they are observed together, and the likelihood has no maximum that can be found. "
            f"Leave some of them out, add rows, or use missing='ppca' (PCA), which needs less.{seldom}"
        )
    errors.warn(
        errors.NotConvergedWarning(
            f"The likelihood of the observed cells was still rising when the iteration ended (slope "
            f"{point.score:.1e} after {n_steps} evaluations): the cells say little about {involved}, which "
            f"depend on each other most. Leave out one that is seldom observed, or use missing='ppca' (PCA).{seldom}"
        )
    )


def _weakest(L: np.ndarray) -> np.ndarray:
    """Return the columns of the direction that varies least, in units of their standard deviations."""
    direction = np.abs(np.linalg.svd(L / np.sqrt((L**2).sum(axis=1))[:, None])[0][:, -1])
    return np.flatnonzero(direction >= LOADING * direction.max())


def _seldom(sample: Sample, columns: np.ndarray, names: list[str] | None) -> str:
    """Name the column that is observed least, where that is less than half of the time."""
    seen = np.diagonal(sample.together)
    j = int(seen.argmin())
    if seen[j] >= 0.5 * sample.weight:
        return ""
    return f" Column {_name(columns[j], names)} is observed in {seen[j]:,.6g} of {sample.weight:,.6g} rows."


def called(label: Any) -> str:
    """Return a class or slice as a message writes it."""
    return repr(label.item() if hasattr(label, "item") else label)


def _name(column: int, names: list[str] | None) -> str:
    return str(int(column)) if names is None else repr(names[column])


def _listed(columns: np.ndarray, names: list[str] | None) -> str:
    return errors.listed([_name(j, names) for j in columns], SHOWN)
