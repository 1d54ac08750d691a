"""Moments of many resamples at once: rows, or blocks of them, counted again by weights.

Rows are taken about the (group) means of all rows, where nothing cancels. Each unit (a row, or a block of rows) is
summed up once, as the products of its columns, their sums and its weight in each group, and the moments of all
resamples are one matrix product of counts with these sums. To round-off they are what a pass over the reweighted rows
would collect.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays import namespaces
from .base import Moments
from .centred import Centred
from .centring import Gram
from .cross import Cross
from .grouped import Grouped
from .quartic import Quartic

CHUNK = 2048  # units whose products are formed at a time


def can_resample(moments: Any) -> bool:
    """Tell whether the moments are sums of products of columns, in ordinary units, and so can be counted again."""
    inner = _inner(moments)
    return inner is not None and not isinstance(inner, Quartic) and inner.exponent is None


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
        rows = (rows - pivot) - shift[codes]
        order = np.argsort(codes, kind="stable") if units is None else np.argsort(units, kind="stable")
        self.rows, self.codes, self.weight, self.order = rows[order], codes[order], weight[order], order
        self.q = rows.shape[1]
        self.upper = np.triu_indices(self.q)
        self.sums = None if units is None else self._sums_of_units(units[order])

    @property
    def n_units(self) -> int:
        """Number of things that are drawn."""
        return len(self.rows) if self.sums is None else len(self.sums)

    def draw(self, counts: np.ndarray) -> Iterator[Moments | None]:
        """Yield the moments of resamples, None for one that lost a group.

        Parameters
        ----------
        counts : ndarray of shape (b, n_units)
            How often each resample holds each unit.
        """
        G, q = self.n_groups, self.q
        sums = counts @ self.sums if self.sums is not None else self._sums_of_rows(counts[:, self.order])
        shift = namespaces.to_numpy(self.inner.shift)
        for row in sums:
            weights, totals = row[:G], row[G : G + G * q].reshape(G, q)
            if (weights <= 0).any():
                yield None
                continue
            means = totals / weights[:, None]
            T = np.zeros((q, q))
            T[self.upper] = row[G + G * q :]
            T = T + np.triu(T, 1).T - (means * weights[:, None]).T @ means
            yield self._like(weights, shift + means, T)

    def _like(self, weights: np.ndarray, shift: np.ndarray, T: np.ndarray) -> Moments:
        """Return moments of the kind that was given, with other contents."""
        inner = self.inner.copy()
        like = self.inner.pivot
        inner.weights, inner.shift, inner.store = weights, namespaces.like(shift, like), Gram(namespaces.like(T, like))
        new = self.moments.copy()
        if isinstance(new, Grouped):
            new.groups, new._joined = [inner], None
        elif isinstance(new, Cross):
            new.joint = inner
        else:
            return inner
        return new

    def _sums_of_units(self, units: np.ndarray) -> np.ndarray:
        """Return, for each unit, group weights, group sums and the upper triangle of products."""
        starts = np.append(np.flatnonzero(np.diff(units, prepend=-1)), len(units))
        G, q = self.n_groups, self.q
        table = np.zeros((len(starts) - 1, G + G * q + len(self.upper[0])))
        for u, (a, b) in enumerate(pairwise(starts)):
            rows, w, codes = self.rows[a:b], self.weight[a:b], self.codes[a:b]
            weighted = rows * w[:, None]
            table[u, :G] = np.bincount(codes, weights=w, minlength=G)
            member = np.zeros((G, b - a))
            member[codes, np.arange(b - a)] = 1.0
            table[u, G : G + G * q] = (member @ weighted).ravel()
            table[u, G + G * q :] = (weighted.T @ rows)[self.upper]
        return table

    def _sums_of_rows(self, counts: np.ndarray) -> np.ndarray:
        """Return the same for resamples of single rows, which are sorted by group."""
        G, q, b = self.n_groups, self.q, len(counts)
        sums = np.zeros((b, G + G * q + len(self.upper[0])))
        times = counts * self.weight
        ends = np.searchsorted(self.codes, np.arange(G + 1))
        for g in range(G):
            part = slice(ends[g], ends[g + 1])
            sums[:, g] = times[:, part].sum(axis=1)
            sums[:, G + g * q : G + (g + 1) * q] = times[:, part] @ self.rows[part]
        for start in range(0, len(self.rows), CHUNK):
            rows = self.rows[start : start + CHUNK]
            sums[:, G + G * q :] += times[:, start : start + CHUNK] @ (rows[:, self.upper[0]] * rows[:, self.upper[1]])
        return sums


def _inner(moments: Any) -> Centred | None:
    if isinstance(moments, Grouped):
        return moments.groups[0] if moments.pooled and moments.groups else None
    inner = moments.joint if type(moments) is Cross else moments  # others keep more than sums of products
    return inner if isinstance(inner, Centred) else None
