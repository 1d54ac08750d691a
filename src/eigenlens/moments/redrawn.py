"""A sample with holes drawn again: from a normal distribution with the same holes, or from its own rows.

The likelihood sees of each stratum (a pattern of a group, of weight W) its mean, N(μ_o, Σ_oo/W), and its scatter, which
is Wishart with W − 1 degrees of freedom. So draws from a distribution need no rows: each costs what the strata cost.
Every climb begins where that of the whole sample ended, or at the distribution that was drawn from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import linalg
from .centred import Centred, Factor
from .completion import Normal, climb, climbed, completed_like, patterns_of, require_observed
from .marginals import Sample
from .patterns import Patterns

DRAWN = 1e-4  # slope at which a sample is fitted well enough for a statistic
STEPS = 100  # at most: one that climbs longer has practically no maximum
RESAMPLED = 1e-6  # slope at which a resample is fitted: its standard errors are of the order of 1/√n

Law = tuple[np.ndarray, np.ndarray]  # means (G, p) and covariance (p, p)


def work_of_draw(patterns: int, p: int) -> float:
    """Return about how many multiplications the likelihood of a drawn sample takes, as measured."""
    return 40.0 * patterns * p**3


class Redrawn:
    """The maximum likelihood of moments with holes, and of samples drawn from other laws with the same holes.

    Columns are standardised, and those that do not vary are left out. A row of weight 2 counts twice.

    Parameters
    ----------
    moments : Patterns, Grouped or Cross
    names : list of str, optional
        Columns, for messages.

    Attributes
    ----------
    columns : ndarray of int
        Those that vary.
    shares : ndarray of shape (G,)
        Of the groups in the weight.
    weight : float
    law : tuple of ndarray
        Means and covariance that are most likely.
    work : float
        Multiplications of a draw.
    """

    def __init__(self, moments: Any, names: list[str] | None = None) -> None:
        patterns = patterns_of(moments)
        require_observed(patterns, moments, names)
        with linalg.one_blas_thread():
            found = climbed(patterns, names)
        self.sample, self.columns = found.point.sample, found.columns
        self.weight, self.shares = self.sample.weight, self.sample.shares
        self.law: Law = found.point.mu, found.point.L @ found.point.L.T
        self.work = work_of_draw(len(self.sample.masks), len(self.columns))

    def draw(self, law: Law, rng: np.random.Generator) -> Law:
        """Draw a sample from a law, and return the law that is most likely for it."""
        mu, Sigma = law
        L = np.linalg.cholesky(Sigma)
        with linalg.one_blas_thread():
            point = climb(Normal(drawn(self.sample, mu, L, rng), mu, L), DRAWN, STEPS).point
        return point.mu, point.L @ point.L.T


def drawn(sample: Sample, mu: np.ndarray, L: np.ndarray, rng: np.random.Generator) -> Sample:
    """Return a sample of N(μ, LLᵀ) with the strata of another: their weights, groups and holes."""
    W, p = sample.weights, len(L)
    seen = sample.masks[sample.pattern]
    means = mu[sample.group] + rng.standard_normal((len(W), p)) @ L.T / np.sqrt(W)[:, None]
    freedom = np.maximum(np.round(W).astype(np.intp) - 1, 0)
    many = np.flatnonzero(freedom > p)
    few = np.repeat(np.arange(len(W)), np.where(freedom > p, 0, freedom))
    T = np.triu(rng.standard_normal((len(many), p, p)), 1)
    T[:, np.arange(p), np.arange(p)] = np.sqrt(rng.chisquare(freedom[many, None] - np.arange(p)))
    owner = np.concatenate([few, np.repeat(many, p)])
    rows = np.concatenate([rng.standard_normal((len(few), p)), T.reshape(-1, p)]) @ L.T
    means, rows = np.where(seen, means, 0.0), np.where(seen[owner], rows, 0.0)
    return replace(sample, means=means, rows=rows, owner=sample.pattern[owner], layouts={})


class HoledResampler:
    """The moments, by maximum likelihood, of resamples of rows with holes.

    Parameters
    ----------
    moments : Patterns, Grouped or Cross
        Of all rows, without powers of two taken out.
    rows : ndarray of shape (n, q)
        All columns of the moments, NaN where a cell is missing.
    codes : ndarray of int, shape (n,), or None
        Group of each row, in the order of the moments.
    weight : ndarray of shape (n,)
    units : ndarray of int, shape (n,), or None
        The unit of each row; None where every row is one.
    pooled : bool
        Whether groups share a covariance; otherwise they are climbed one by one.
    """

    def __init__(
        self,
        moments: Any,
        rows: np.ndarray,
        codes: np.ndarray | None,
        weight: np.ndarray,
        units: np.ndarray | None,
        pooled: bool = True,
    ) -> None:
        self.moments, self.pooled, self.q, patterns = moments, pooled, rows.shape[1], patterns_of(moments)
        units = np.arange(len(rows)) if units is None else units
        self.n_units = int(units.max()) + 1
        if pooled or codes is None:
            self.parts = [_Resampled(patterns, rows, codes, weight, units)]
            return
        own = [np.flatnonzero(codes == k) for k in range(len(patterns.group_rows))]
        self.parts = [
            _Resampled(patterns.of_group(k), rows[here], None, weight[here], units[here]) for k, here in enumerate(own)
        ]

    def draw(self, counts: np.ndarray) -> Iterator[Any]:
        """Yield the moments of resamples, None for one whose likelihood has no maximum.

        Parameters
        ----------
        counts : ndarray of shape (b, n_units)
            How often each resample holds each unit.
        """
        for times in counts:
            found = [centred for part in self.parts if (centred := part.maximum(times)) is not None]
            if len(found) < len(self.parts):
                yield None
            else:
                yield completed_like(self.moments, found[0]) if self.pooled else self.moments.holding(Factor, found)


class _Resampled:
    """Rows that share a covariance, every one of them a stratum of its own."""

    def __init__(
        self, patterns: Patterns, rows: np.ndarray, codes: np.ndarray | None, weight: np.ndarray, units: np.ndarray
    ) -> None:
        with linalg.one_blas_thread():
            self.whole = climbed(patterns, None)
        seen = ~np.isnan(rows[:, self.whole.columns]).all(axis=1)
        self.weight, self.units = weight[seen], units[seen]
        each = patterns.of_rows(rows[seen], None, None if codes is None else codes[seen])
        self.sample = Sample.of(each, self.whole.columns, self.whole.centre, self.whole.size)

    def maximum(self, times: np.ndarray) -> Centred | None:
        """Return the moments of one resample, which holds units so many times; None where there is no maximum."""
        sample, start = replace(self.sample, weights=times[self.units] * self.weight), self.whole.point
        if not _observes_all(sample):
            return None
        with linalg.one_blas_thread():
            reached = climb(Normal(sample, start.mu, start.L), RESAMPLED)
        return None if reached.score > DRAWN else self.whole.moments_at(reached.point, sample.group_weights)


def _observes_all(sample: Sample) -> bool:
    """Tell whether every group has observed every column, and some row every pair of columns."""
    here = np.flatnonzero(sample.weights)
    observed = sample.masks[sample.pattern[here]]
    cells = np.zeros((sample.n_groups, observed.shape[1]))
    np.add.at(cells, sample.group[here], observed)
    return bool(cells.all() and sample.together.all())
