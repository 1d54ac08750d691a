"""How far loadings, eigenvalues and the subspace would move if other rows had been drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import _num_samples

from ..arrays import errors, optional
from ..arrays.parameters import check_choice, check_flag, check_number, is_number, seed_of
from ..arrays.progress import tracked
from ..arrays.typing import Axes, ColumnLike, Frame, RandomState, TableLike
from ..drawing import Display
from ..rows import Block, as_source, whole
from .alignment import FISHER, LOG, Interval, aligned, angles_between, corrected_percentiles, on_a_scale, tied_blocks
from .dimension_test import Result
from .replicates import Draws, Followed, can_climb, can_sum, fit_reference, from_moments, from_rows
from .units import Units

FEWEST_ROWS = 10  # rows or groups below which resamples say little of other rows
ENOUGH = 200  # replicates below which intervals move from seed to seed


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap(Result):
    """The results of a bootstrap: how far a fit varies over resamples.

    Attributes
    ----------
    components : ndarray of shape (n_boot, k, p)
        Loadings of each resample, in the order and with the signs of the fit.
    estimate : ndarray of shape (k, p)
        Loadings of the fit.
    low, high : ndarray of shape (k, p)
        Ends of the intervals of the loadings.
    standard_error : ndarray of shape (k, p)
    angles : ndarray of shape (n_boot, k)
        Principal angles, in radians, between the subspace of each resample and that of the fit, smallest first.
    values : ndarray of shape (n_boot, k)
        Eigenvalues (correlations, for CCA) of each resample.
    value, value_low, value_high : ndarray of shape (k,)
        Values of the fit, and the ends of their intervals; within a tied block, an interval includes that of the mean.
    blocks : list of (first, last)
        Components with eigenvalues too close to separate, numbered from 0; they were aligned together.
    level : float
    unit : str
        What was drawn: "rows", "blocks of 10 rows", "groups".
    kind : {"loading", "score", "coordinate"}
        What the bootstrap follows: loadings of columns; scores of p classes or subclasses, if there is a regression
        between columns and coordinates (`FDA`, `MDA`); or coordinates of p rows on a map.
    names : list of str
        Names of the columns, of the classes, or of the rows of a map.
    model : estimator
        The fit to all rows.
    axis : str
        What a direction is called: a component, or a factor if components were rotated.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import PCA
    >>> from eigenlens.inference import bootstrap
    >>> result = bootstrap(PCA(2), load_iris().data, n_boot=200)
    >>> result.low.shape, result.angles.shape
    ((2, 4), (200, 2))
    """

    components: np.ndarray
    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    standard_error: np.ndarray
    angles: np.ndarray
    values: np.ndarray
    value: np.ndarray
    value_low: np.ndarray
    value_high: np.ndarray
    blocks: list[tuple[int, int]]
    level: float
    unit: str
    kind: str
    names: list[str]
    model: Any
    axis: str = "component"

    @property
    def n_boot(self) -> int:
        """Number of resamples."""
        return len(self.components)

    def __str__(self) -> str:
        k = len(self.estimate)
        if self.kind == "coordinate":
            moved = float(np.sqrt(np.sum(self.standard_error**2, axis=0).mean()))
            size = float(np.sqrt(np.sum((self.estimate - self.estimate.mean(axis=1)[:, None]) ** 2, axis=0).mean()))
            return (
                f"Points of the map move by {moved / size:.0%} of its spread (root mean square) in {self.n_boot:,} "
                f"resamples of {self.unit}."
            )
        away = int(np.count_nonzero(((self.low > 0) | (self.high < 0))[~self.tied]))
        turn = np.degrees(np.quantile(self.angles[:, -1], 0.95))
        plane = "direction" if k == 1 else f"{k}-dimensional subspace"
        said = [
            f"{away} of {self.estimate[~self.tied].size} {self.kind}s are away from zero at {self.level:.0%}; the "
            f"{plane} turns by up to {turn:.0f}° in 95% of {self.n_boot:,} resamples of {self.unit}."
        ]
        for (first, last), angles in zip(self.blocks, self.block_angles(), strict=True):
            turn = np.degrees(np.quantile(angles[:, -1], 0.95))
            said.append(
                f"Components {first + 1} to {last + 1} have eigenvalues too close to separate: read them as one "
                f"subspace, which turns by up to {turn:.0f}°."
            )
        return " ".join(said)

    @property
    def tied(self) -> np.ndarray:
        """Whether the eigenvalue of each component is too close to that of a neighbour, shape (k,).

        Such components are not determined individually, and neither are their loadings: treat them as a subspace.
        """
        found = np.zeros(len(self.estimate), dtype=bool)
        for first, last in self.blocks if self.kind != "coordinate" else []:
            found[first : last + 1] = True
        return found

    def block_angles(self) -> list[np.ndarray]:
        """Return, for each of `blocks`, the principal angles between its subspace in resamples and in the fit."""
        return [
            angles_between(self.components[:, first : last + 1], self.estimate[first : last + 1])
            for first, last in self.blocks
        ]

    def to_frame(self) -> Frame:
        """Return loadings with standard errors and intervals as a pandas DataFrame, a row for each loading."""
        pd = optional.pandas()

        k = len(self.estimate)
        whose = {"loading": "column", "score": "class", "coordinate": "row"}[self.kind]
        index = pd.MultiIndex.from_product([np.arange(1, k + 1), self.names], names=[self.axis, whose])
        columns = {
            self.kind: self.estimate,
            "standard_error": self.standard_error,
            "low": self.low,
            "high": self.high,
            "tied": np.repeat(self.tied[:, None], self.estimate.shape[1], axis=1),
        }
        return pd.DataFrame({name: part.ravel() for name, part in columns.items()}, index=index)

    def plot(self, component: int = 0, ax: Axes | None = None) -> Display:
        """Draw the loadings of a component with their intervals, or a map with ellipses; return the display.

        Parameters
        ----------
        component : int
            Counted from 0; a map shows the first two.
        ax : axes, optional
        """
        from . import result_figures

        check_number("component", component, 0, len(self.estimate) - 1, integer=True)
        if self.kind == "coordinate" and len(self.estimate) > 1:
            return Display(result_figures.draw_map(self, ax))
        return Display(result_figures.draw_loadings(self, component, ax))


def bootstrap(
    model: Any,
    X: TableLike,
    y: ColumnLike | None = None,
    *,
    n_boot: int = 1000,
    groups: ColumnLike | None = None,
    block: int | None = None,
    resample: Literal["auto", "rows", "blocks"] = "auto",
    level: float = 0.95,
    sample_weight: ColumnLike | None = None,
    n_jobs: int | None = None,
    random_state: RandomState | None = 0,
    progress: bool | None = None,
) -> Bootstrap:
    """Fit an estimator to resamples of the rows and return intervals for its loadings and eigenvalues.

    Parameters
    ----------
    model : estimator
        A clone is fitted to all rows and to each resample; one that chooses its number of components keeps the number
        that it finds on all rows. In a pipeline, all steps are fitted, and the bootstrap follows the loadings of the
        last.
    X : table of shape (n, p)
    y : response, optional
    n_boot : int
        Number of resamples; 1,000 or more for intervals.
    groups : array of shape (n,), optional
        Rows that belong together (patients, sites) are drawn together.
    block : int, optional
        Number of consecutive rows that are drawn together, for time series: long enough that blocks are nearly
        independent (`neighbours` suggests a length), and short enough for 30 blocks.
    resample : {"auto", "rows", "blocks"}
        What to draw, with replacement, if there are no groups: rows, or blocks, to which rows are dealt at random. For
        independent rows, blocks give the same intervals except for a relative error of about 1/√(2·blocks) in the
        standard errors, here 2.2%, and are many times faster. "auto" draws rows from tables of up to 2,000 rows, and
        1,000 blocks from larger ones if the estimator can be fitted from moments.
    level : float
        Of the intervals.
    sample_weight : array of shape (n,), optional
        A row of weight 2 counts twice and is drawn twice as often. A resample has as many rows as the weights add up
        to; rows are then drawn one by one, never in blocks.
    n_jobs : int, optional
        Processes for estimators that must read the rows for each resample, as in joblib.
    random_state : int, Generator, RandomState or None
        Resample b depends only on this and on b, not on the number of jobs.
    progress : bool, optional
        Show a progress bar; by default in terminals and notebooks.

    Returns
    -------
    Bootstrap

    Notes
    -----
    Estimators that are fitted from moments (PCA, LDA, PDA, CCA, SIR, SparsePCA) never see the rows again: each unit is
    summarised once, and the moments of all resamples are one matrix product of counts with these summaries, exact to
    round-off. With `missing="ml"`, resamples of up to 2,000 rows are fitted from the maximum of the likelihood of all
    rows, many at a time. SIR keeps its slices. Other estimators are fitted with `sample_weight` if they accept it, and
    otherwise to the drawn rows.

    Components get the sign that agrees with the scores of the fit. If neighbouring eigenvalues are closer than 3.5
    standard errors, the components are not determined individually, and their block is rotated together (Procrustes).
    Maps (`embedding_`) are rotated and shifted onto the map of all rows. Intervals of loadings are bias-corrected
    percentiles: the share of resamples below the estimate sets how far the percentiles move. Eigenvalues of a sample
    are too large, and those of its resamples more so: their intervals are ± t standard errors about the estimate minus
    its bias, on the log scale, or on Fisher's z scale for correlations.

    References
    ----------
    Efron (1987), Better bootstrap confidence intervals. Beran, Srivastava (1985), Bootstrap tests and confidence
    regions for functions of a covariance matrix. Milan, Whittaker (1995), Application of the parametric bootstrap to
    models that incorporate a singular value decomposition.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import LDA
    >>> from eigenlens.inference import bootstrap
    >>> X, y = load_iris(return_X_y=True)
    >>> result = bootstrap(LDA(), X, y, n_boot=500)
    >>> print(result)
    6 of 8 loadings are away from zero at 95%; the 2-dimensional subspace turns by up to 31° in 95%
    of 500 resamples of rows.
    """
    check_number("n_boot", n_boot, 2, integer=True)
    check_number("level", level, 0.5, 1 - 1e-6)
    check_choice("resample", resample, ("auto", "rows", "blocks"))
    if n_jobs is not None and (not is_number(n_jobs, integer=True) or n_jobs == 0):
        raise errors.InputError(
            f"n_jobs={n_jobs!r} but it must be a whole number other than 0 (−1: all cores), or None for one."
        )
    if progress is not None:
        check_flag("progress", progress)
    if block is not None and sample_weight is not None:
        raise errors.InputError("block and sample_weight were both given; pass only one of them.")
    seed = seed_of(random_state)
    reference = fit_reference(model, X, y, sample_weight)
    followed = Followed(reference)
    summed = can_sum(reference) or can_climb(reference)
    source = reference._open_again(X, y, sample_weight) if summed else None
    sums = None if source is None else whole(source)
    units = Units.of(_n_rows(X, sums), groups, block, least=2)
    weight = sample_weight if sums is None else sums.weight
    weight = None if weight is None else np.asarray(weight, dtype=np.float64)
    if sums is not None and len(sums.X) < units.n:  # it holds rows of positive weight only
        units = units.of_rows(source.kept)  # type: ignore[union-attr]
    draws = Draws.of(units, resample, weight, sums is not None, seed)
    _warn_of_few(draws, n_boot, level)
    if sums is not None:
        _warn_of_holes(followed.model, sums.X)
        found = from_moments(reference, followed, sums, draws, n_boot, seed)
    else:
        found = from_rows(followed, X, y, weight, draws, n_boot, seed, n_jobs)
    pairs = list(tracked(found, n_boot, f"bootstrap of {type(model).__name__}", progress))
    raw, values = np.stack([pair[0] for pair in pairs]), np.stack([pair[1] for pair in pairs])
    return _summary(reference, followed, raw, values, draws, level)


def _warn_of_few(draws: Draws, n_boot: int, level: float) -> None:
    """Say where rows, or resamples of them, are too few for intervals."""
    if draws.count < FEWEST_ROWS:
        errors.warn(
            errors.BootstrapWarning(
                f"Resamples of {draws.count} {draws.name} say little about other {draws.name}; "
                f"intervals need {FEWEST_ROWS} or more, better 30."
            )
        )
    if n_boot < ENOUGH:
        errors.warn(
            errors.BootstrapWarning(
                f"n_boot={n_boot}: the ends of {level:.0%} intervals rest on about "
                f"{max(n_boot * (1 - level) / 2, 0):.0f} replicates on each side; use n_boot of {ENOUGH} or more for "
                "intervals that do not move from seed to seed."
            )
        )


def _warn_of_holes(model: Any, rows: np.ndarray) -> None:
    """Say where intervals are known not to hold their level: of variances, with many missing cells in few rows."""
    share = float(np.isnan(rows).mean())
    if hasattr(model, "explained_variance_") and share >= 0.2 and len(rows) * (1 - share) < 120:
        errors.warn(
            errors.BootstrapWarning(
                f"{share:.0%} of the cells of {len(rows)} rows are missing: intervals of the eigenvalues of "
                f"{type(model).__name__} are too narrow (with 150 rows and 24% missing, 95% intervals contain "
                "the truth in 91 of 100 tables); use level=0.975 for 95%. Loadings are not affected."
            )
        )


def _n_rows(X: Any, sums: Block | None) -> int:
    """Return the number of rows given; of tables in memory, those of weight 0 among them."""
    if hasattr(X, "shape") or hasattr(X, "__len__"):
        return int(_num_samples(X))
    return len((whole(as_source(X)) if sums is None else sums).X)


def _summary(
    reference: Any, followed: Followed, raw: np.ndarray, values: np.ndarray, draws: Draws, level: float
) -> Bootstrap:
    estimate, value = followed.loadings, followed.values
    k = len(estimate)
    spread = values.std(axis=0, ddof=1)
    blocks = tied_blocks(value, spread) if np.isfinite(value).all() else [slice(j, j + 1) for j in range(k)]
    if followed.kind == "coordinate":  # a map may be turned and moved as a whole
        blocks = [slice(0, k)]
        centre = estimate.mean(axis=1, keepdims=True)
        raw = raw - raw.mean(axis=2, keepdims=True)
        turned = aligned(raw, estimate - centre, blocks) + centre
    else:
        turned = aligned(raw, estimate, blocks, followed.metric())
    low, high = corrected_percentiles(turned, estimate, level)
    interval = partial(on_a_scale, scale=FISHER if followed.has_correlations else LOG, units=draws.count)
    value_low, value_high = _value_intervals(values, value, blocks, interval, level)
    return Bootstrap(
        components=turned,
        estimate=estimate,
        low=low,
        high=high,
        standard_error=turned.std(axis=0, ddof=1),
        angles=angles_between(turned, estimate),
        values=values,
        value=value,
        value_low=value_low,
        value_high=value_high,
        blocks=[(b.start, b.stop - 1) for b in blocks if b.stop - b.start > 1],
        level=level,
        unit=draws.name,
        kind=followed.kind,
        names=followed.names(reference),
        model=reference,
    )


def _value_intervals(
    values: np.ndarray, value: np.ndarray, blocks: list[slice], interval: Callable[..., Interval], level: float
) -> Interval:
    """Return intervals of eigenvalues; those of a tied block hold that of its mean as well.

    Sorting separates equal eigenvalues in the rows, and again in each resample: the largest is too large, the smallest
    too small, and their own percentiles would miss what they have in common. Their mean is not sorted.
    """
    low, high = interval(values, value, level)
    for block in blocks:
        if block.stop - block.start > 1:
            together = interval(values[:, block].mean(axis=1, keepdims=True), value[block].mean(keepdims=True), level)
            low[block], high[block] = np.minimum(low[block], together[0]), np.maximum(high[block], together[1])
    return low, high
