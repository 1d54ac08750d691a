"""Moments of many resamples at once: rows, or blocks of them, counted again by weights.

Rows are taken about the (group) means of all rows, where nothing cancels, beside columns that tell their group: the
products of two columns of that table are weights of groups, sums and products. Each unit (a row, or a block of rows) is
summed up once, and the moments of all resamples are one matrix product of counts with these sums. To round-off they are
what a pass over the reweighted rows would collect.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..arrays import namespaces
from .base import Composed, Moments
from .centred import Centred
from .form import Form
from .higher import Quartic

CHUNK = 2048  # units whose products are formed at a time


def can_resample(moments: Any) -> bool:
    """Tell whether the moments are sums of products of columns, in ordinary units, and so can be counted again."""
    inner = _inner(moments)
    return inner is not None and inner.exponent is None


class Resampler:
    """The moments of resamples of rows.

    Parameters
    ----------
    moments : Scatter, Factor, Cross, or Grouped with a pooled scatter
        Of all rows, as a fit has kept them.
    rows : ndarray of shape (n, q)
        All columns of the moments.
    codes : ndarray of int, shape (n,), or None
        Group of each row, in the order of the moments.
    weight : ndarray of shape (n,)
    units : ndarray of int, shape (n,), or None
        The unit of each row; None where every row is one.
    """

    def __init__(
        self, moments: Moments, rows: np.ndarray, codes: np.ndarray | None, weight: np.ndarray, units: np.ndarray | None
    ) -> None:
        inner = _inner(moments)
        assert inner is not None
        self.moments, self.inner = moments, inner
        self.n_groups = len(inner.weights)
        codes = np.zeros(len(rows), dtype=np.intp) if codes is None else codes
        shift, pivot = namespaces.to_numpy(inner.shift), namespaces.to_numpy(inner.pivot)
        self.table = np.concatenate([np.eye(self.n_groups)[codes], (rows - pivot) - shift[codes]], axis=1)
        self.weighted = self.table * weight[:, None]
        self.q, self.upper = rows.shape[1], np.triu_indices(self.table.shape[1])
        self.sums = None if units is None else self._sums_of_units(units)

    @property
    def n_units(self) -> int:
        """Number of things that are drawn."""
        return len(self.table) if self.sums is None else len(self.sums)

    def draw(self, counts: np.ndarray) -> Iterator[Moments | None]:
        """Yield the moments of resamples, None for one that lost a group.

        Parameters
        ----------
        counts : ndarray of shape (b, n_units)
            How often each resample holds each unit.
        """
        G, q = self.n_groups, self.table.shape[1]
        sums = self._sums_of_rows(counts) if self.sums is None else counts @ self.sums
        shift = namespaces.to_numpy(self.inner.shift)
        for row in sums:
            M = np.zeros((q, q))
            M[self.upper] = row
            weights, T = np.diagonal(M)[:G].copy(), M[G:, G:]
            if (weights <= 0).any():
                yield None
                continue
            means = M[:G, G:] / weights[:, None]
            T = T + np.triu(T, 1).T - (means * weights[:, None]).T @ means
            yield self._like(weights, shift + means, T)

    def _like(self, weights: np.ndarray, shift: np.ndarray, T: np.ndarray) -> Moments:
        """Return moments of the kind that was given, with other contents."""
        inner = self.inner.copy()
        like = self.inner.pivot
        inner.weights, inner.shift = weights, namespaces.like(shift, like)
        inner.store = Form(matrix=namespaces.like(T, like))
        if not isinstance(self.moments, Composed):
            return inner
        return self.moments._mapped(lambda part: inner, lambda total: total)

    def _sums_of_units(self, units: np.ndarray) -> np.ndarray:
        """Return, for each unit, the sums of products of the columns of the table."""
        order = np.argsort(units, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(units[order])) + 1)
        return np.stack([(self.weighted[part].T @ self.table[part])[self.upper] for part in parts])

    def _sums_of_rows(self, counts: np.ndarray) -> np.ndarray:
        """Return the same for resamples of single rows."""
        sums = np.zeros((len(counts), len(self.upper[0])))
        for start in range(0, len(self.table), CHUNK):
            part = slice(start, start + CHUNK)
            sums += counts[:, part] @ (self.weighted[part][:, self.upper[0]] * self.table[part][:, self.upper[1]])
        return sums


def _inner(moments: Any) -> Centred | None:
    """Return the moments of columns that others consist of; None where these keep more than sums of products."""
    found = getattr(moments, "inner", None)
    return found if isinstance(found, Centred) and not isinstance(found, Quartic) else None
