"""The maximum of the likelihood of many resamples of rows with holes, each found from that of all rows.

A resample has the rows of the whole, counted again, so its maximum lies near that of all rows, where its climb begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import linalg
from .completion import Normal, as_centred, climb, climbed, grouped_patterns, in_form_of, separate
from .grouped import Grouped
from .patterns import distinct
from .sample import Sample

CLOSE = 1e-6  # slope at which a resample is fitted: its standard errors are of the order of 1/√n
FAR = 1e-4  # slope beyond which a resample that could not be climbed further says nothing


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
        self.moments, self.groups = moments, grouped_patterns(moments)[0]
        with linalg.one_blas_thread():
            self.whole = climbed(Sample.of(self.groups), self.groups[0], None)
        self.q, columns = rows.shape[1], rows[:, self.whole.varying]
        self.units = np.arange(len(rows)) if units is None else units
        self.n_units = len(rows) if units is None else int(units.max()) + 1
        self.seen = np.flatnonzero(~np.isnan(columns).all(axis=1))
        self.weight = weight[self.seen]
        self.sample = self._cells(columns[self.seen], None if codes is None else codes[self.seen])

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

    def _cells(self, rows: np.ndarray, codes: np.ndarray | None) -> Sample:
        """Return a sample of the columns that vary in which every row is a cell of its own."""
        pivot = self.groups[0].pivot[self.whole.varying]
        observed = ~np.isnan(rows)
        masks, pattern = distinct(observed)
        means = np.where(observed, (rows - pivot - self.whole.centre) / self.whole.size, 0.0)
        group = np.zeros(len(rows), dtype=np.intp) if codes is None else codes
        nothing = np.zeros((0, rows.shape[1])), np.zeros(0, dtype=np.intp)
        return Sample(masks, means, np.ones(len(rows)), group, pattern, *nothing, len(self.groups))

    def _maximum(self, weights: np.ndarray) -> Any:
        """Return the moments of one resample."""
        sample = replace(self.sample, weights=weights)
        if not _observes_all(sample):
            return None
        shared = ("layout", "places", "thorough_layout", "thorough_places", "all_owners", "lower")
        sample.__dict__.update({name: getattr(self.sample, name) for name in shared})
        start = self.whole.point
        reached = climb(Normal(sample, start.mu, start.L), CLOSE)
        if reached.score > FAR:
            return None
        return self._as_moments(reached.point.mu, reached.point.L, sample.group_weights)

    def _as_moments(self, mu: np.ndarray, L: np.ndarray, group_weights: np.ndarray) -> Any:
        whole, shift = self.whole, self.whole.shift.copy()
        shift[:, whole.varying] = whole.centre + mu * whole.size
        F = np.zeros((len(whole.varying), self.q))
        F[:, whole.varying] = np.sqrt(group_weights.sum()) * (L * whole.size[:, None]).T
        centred = as_centred(self.groups, shift, F)
        centred.weights = group_weights
        return in_form_of(self.moments, centred)


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
        self.parts = [
            HoledResampler(group, rows[codes == k], None, weight[codes == k], units[codes == k])
            for k, group in enumerate(grouped_patterns(moments)[0])
        ]

    def draw(self, counts: np.ndarray) -> Iterator[Any]:
        """Yield the moments of resamples, None for one of which a group has no maximum of its likelihood."""
        for found in zip(*(part.draw(counts) for part in self.parts), strict=True):
            yield None if any(group is None for group in found) else separate(self.moments, list(found))


def _observes_all(sample: Sample) -> bool:
    """Tell whether every group has observed every column, and some row every pair of columns."""
    here = np.flatnonzero(sample.weights)
    observed = sample.masks[sample.pattern[here]]
    cells = np.zeros((sample.n_groups, observed.shape[1]))
    np.add.at(cells, sample.group[here], observed)
    return bool(cells.all() and sample.together.all())
