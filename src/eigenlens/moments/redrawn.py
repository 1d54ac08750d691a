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
from .centred import Factor
from .completion import Normal, as_centred, climb, climbed, completed_like, patterns_of, require_observed
from .grouped import Grouped
from .patterns import distinct
from .sample import Sample

DRAWN = 1e-4  # slope at which a drawn sample is fitted well enough for a statistic
STEPS = 100  # at most: one that climbs longer has practically no maximum
RESAMPLED = 1e-6  # slope at which a resample is fitted: its standard errors are of the order of 1/√n
FAR = 1e-4  # slope beyond which a resample that could not be climbed further says nothing

Law = tuple[np.ndarray, np.ndarray]  # means (G, p) and covariance (p, p)


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
    """

    def __init__(self, moments: Any, names: list[str] | None = None) -> None:
        patterns = patterns_of(moments)
        require_observed(patterns, moments, names)
        with linalg.one_blas_thread():
            found = climbed(patterns, names)
        self.sample, self.columns = found.point.sample, found.varying
        self.weight, self.shares = self.sample.weight, self.sample.shares
        self.law: Law = found.point.mu, found.point.L @ found.point.L.T

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
    """

    def __init__(
        self, moments: Any, rows: np.ndarray, codes: np.ndarray | None, weight: np.ndarray, units: np.ndarray | None
    ) -> None:
        self.moments, self.patterns = moments, patterns_of(moments)
        with linalg.one_blas_thread():
            self.whole = climbed(self.patterns, None)
        self.q, columns = rows.shape[1], rows[:, self.whole.varying]
        self.units = np.arange(len(rows)) if units is None else units
        self.n_units = len(rows) if units is None else int(units.max()) + 1
        self.seen = np.flatnonzero(~np.isnan(columns).all(axis=1))
        self.weight = weight[self.seen]
        self.sample = self._strata(columns[self.seen], None if codes is None else codes[self.seen])

    def draw(self, counts: np.ndarray) -> Iterator[Any]:
        """Yield the moments of resamples, None for one whose likelihood has no maximum.

        Parameters
        ----------
        counts : ndarray of shape (b, n_units)
            How often each resample holds each unit.
        """
        for weights in counts[:, self.units[self.seen]] * self.weight:
            with linalg.one_blas_thread():
                found = self._maximum(weights)
            yield found

    def _strata(self, rows: np.ndarray, codes: np.ndarray | None) -> Sample:
        """Return a sample of the columns that vary in which every row is a stratum of its own."""
        pivot = self.patterns.pivot[self.whole.varying]
        observed = ~np.isnan(rows)
        first, pattern = distinct(observed)
        means = np.where(observed, (rows - pivot - self.whole.centre) / self.whole.size, 0.0)
        group = np.zeros(len(rows), dtype=np.intp) if codes is None else codes
        nothing = np.zeros((0, rows.shape[1])), np.zeros(0, dtype=np.intp)
        n_groups = len(self.patterns.group_rows)
        return Sample(observed[first], means, np.ones(len(rows)), group, pattern, *nothing, n_groups)

    def _maximum(self, weights: np.ndarray) -> Any:
        """Return the moments of one resample."""
        sample = replace(self.sample, weights=weights)
        if not _observes_all(sample):
            return None
        start = self.whole.point
        reached = climb(Normal(sample, start.mu, start.L), RESAMPLED)
        if reached.score > FAR:
            return None
        centred = as_centred(self.patterns, *self.whole.in_units_of_data(reached.point, sample.weight))
        centred.weights = sample.group_weights
        return completed_like(self.moments, centred)


class EachHoledResampler:
    """The same where each group has a covariance of its own: groups are climbed one by one.

    Parameters
    ----------
    moments : Grouped
    rows, codes, weight, units
        As in `HoledResampler`.
    """

    def __init__(
        self, moments: Grouped, rows: np.ndarray, codes: np.ndarray, weight: np.ndarray, units: np.ndarray | None
    ) -> None:
        self.moments, self.q = moments, rows.shape[1]
        self.n_units = len(rows) if units is None else int(units.max()) + 1
        units = np.arange(len(rows)) if units is None else units
        patterns, own = patterns_of(moments), [np.flatnonzero(codes == k) for k in range(len(moments.labels))]
        self.parts = [
            HoledResampler(patterns.of_group(k), rows[here], None, weight[here], units[here])
            for k, here in enumerate(own)
        ]

    def draw(self, counts: np.ndarray) -> Iterator[Any]:
        """Yield the moments of resamples, None for one of which a group has no maximum of its likelihood."""
        for found in zip(*(part.draw(counts) for part in self.parts), strict=True):
            yield None if any(group is None for group in found) else self.moments.holding(Factor, list(found))


def _observes_all(sample: Sample) -> bool:
    """Tell whether every group has observed every column, and some row every pair of columns."""
    here = np.flatnonzero(sample.weights)
    observed = sample.masks[sample.pattern[here]]
    cells = np.zeros((sample.n_groups, observed.shape[1]))
    np.add.at(cells, sample.group[here], observed)
    return bool(cells.all() and sample.together.all())
