"""A normal sample with holes, as the likelihood sees it, and the inverses that a normal law needs of its marginals.

A sample is rows about their means, each with the pattern that it observes. Its patterns are inverted at once.

For a pattern that observes o and misses m, with K = Σ⁻¹,

    Σ_oo⁻¹ = K_oo − K_om K_mm⁻¹ K_mo,     log|Σ_oo| = log|Σ| + log|K_mm|,

so that either Σ_oo or K_mm may be inverted, whichever is smaller. Patterns that invert equally many columns are taken
together; nothing here loops over patterns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.linalg

from ..arrays import namespaces
from .patterns import Patterns, distinct

TOGETHER_SIDE = 12  # up to this size all matrices are eliminated together; above, LAPACK is called for each


@dataclass(frozen=True)
class Part:
    """Patterns that invert equally many columns, on the same side.

    Attributes
    ----------
    missing : bool
        Whether the columns that are missing are inverted, rather than those observed.
    patterns : ndarray of shape (g,)
    columns : ndarray of shape (g, s)
    """

    missing: bool
    patterns: np.ndarray
    columns: np.ndarray

    def cells(self, p: int) -> np.ndarray:
        """Where their blocks lie in a flat p × p matrix: an array of shape (g, s, s)."""
        return self.columns[:, :, None] * p + self.columns[:, None, :]


@dataclass(frozen=True)
class Place:
    """Where the rows of the patterns of a part lie in a table."""

    rows: np.ndarray  # (r,)
    local: np.ndarray | None  # (r,) pattern of each, counted within the part; None for one row for each, in order
    cells: np.ndarray  # (r, s) of the flat table


class Layout:
    """Patterns, sorted by how much there is to invert.

    Parameters
    ----------
    masks : ndarray of bool, shape (P, p)
        Observed columns.
    thorough : bool
        Invert what is observed even where less is missing: for a Σ so nearly singular that its inverse loses digits.
    """

    def __init__(self, masks: np.ndarray, thorough: bool = False) -> None:
        self.masks, self.thorough = masks, thorough
        p = masks.shape[1]
        n_observed = masks.sum(axis=1)
        by_missing = (2 * n_observed >= p) & (not thorough)
        self.by_missing = by_missing
        self.parts: list[Part] = []
        for missing in (True, False):
            size = np.where(by_missing, p - n_observed, n_observed)
            here = np.flatnonzero(by_missing == missing)
            for s in np.unique(size[here]):
                patterns = here[size[here] == s]
                if s:
                    inverted = masks[patterns] != missing
                    self.parts.append(Part(missing, patterns, np.nonzero(inverted)[1].reshape(-1, s)))
        self.cells = [part.cells(p) for part in self.parts]
        self.cells_last = [np.ascontiguousarray(np.moveaxis(cells, 0, 2)) for cells in self.cells]

    def places(self, owner: np.ndarray) -> list[Place]:
        """Find the rows of each part in a table whose rows have these patterns."""
        P, p = self.masks.shape
        found = []
        for part in self.parts:
            local = np.full(P, -1)
            local[part.patterns] = np.arange(len(part.patterns))
            own = local[owner]
            rows = np.flatnonzero(own >= 0)
            own = own[rows]
            same = len(own) == len(part.patterns) and np.array_equal(own, np.arange(len(own)))
            cells = rows[:, None] * p + part.columns[own]
            found.append(Place(rows, None if same else own, cells))
        return found


@dataclass(frozen=True)
class Sample:
    """Means and factors of the patterns of one or several groups, in units in which columns have variance 1.

    What the likelihood sees of a stratum is its mean, and rows F with FᵀF = its scatter.

    Attributes
    ----------
    masks : ndarray of bool, shape (P, p)
        The patterns of all groups; they differ.
    means : ndarray of shape (C, p)
        Mean of each stratum; zero where nothing is observed.
    weights : ndarray of shape (C,)
    group, pattern : ndarray of int, shape (C,)
        Which group and which pattern a stratum belongs to.
    rows : ndarray of shape (R, p)
        Factors of the strata.
    owner : ndarray of int, shape (R,)
        Pattern of each of these rows.
    n_groups : int
    layouts : dict
        What `laid_out` has found; a copy with other weights shares it.
    """

    masks: np.ndarray
    means: np.ndarray
    weights: np.ndarray
    group: np.ndarray
    pattern: np.ndarray
    rows: np.ndarray
    owner: np.ndarray
    n_groups: int
    layouts: dict[bool, tuple[Layout, list[Place]]] = field(default_factory=dict)

    @classmethod
    def of(cls, moments: Patterns, columns: Any = None, centre: Any = 0.0, size: Any = 1.0) -> Self:
        """Return what the likelihood sees of some columns, about another origin and in other units.

        Strata that observe none of these columns are left out.
        """
        columns = np.arange(moments.n_features) if columns is None else columns
        masks = moments.masks.take(columns, axis=1)  # rows of cells stay together, as they are solved for
        seen = np.any(masks, axis=1)
        masks, place = masks[seen], np.cumsum(seen) - 1
        first, pattern = distinct(masks)
        rows = seen[moments.owner]
        return cls(
            masks[first],
            np.where(masks, (moments.shift[seen].take(columns, axis=1) - centre) / size, 0.0),
            moments.weights[seen],
            moments.group[seen],
            pattern,
            moments.rows[rows].take(columns, axis=1) / size,
            pattern[place[moments.owner[rows]]],
            len(moments.group_rows),
        )

    @property
    def weight(self) -> float:
        return float(self.weights.sum())

    @cached_property
    def n_cells(self) -> float:
        """Weight of the cells of the table that are observed."""
        return float(self.pattern_weights @ self.masks.sum(axis=1))

    @cached_property
    def lower(self) -> np.ndarray:
        """Which entries a lower triangle of these columns has."""
        return np.tri(self.masks.shape[1], dtype=bool)

    @property
    def shares(self) -> np.ndarray:
        """Share of each group in the weight."""
        return self.group_weights / self.weight

    @cached_property
    def group_weights(self) -> np.ndarray:
        return np.bincount(self.group, self.weights, minlength=self.n_groups)

    @cached_property
    def pattern_weights(self) -> np.ndarray:
        return np.bincount(self.pattern, self.weights, minlength=len(self.masks))

    @cached_property
    def all_owners(self) -> np.ndarray:
        """Patterns of the means, and of the rows that follow them."""
        return np.concatenate([self.pattern, self.owner])

    @cached_property
    def observed(self) -> np.ndarray:
        """1 where the means, and the rows that follow them, observe a column; 0 elsewhere."""
        return self.masks[self.all_owners].astype(np.float64)

    def laid_out(self, thorough: bool) -> tuple[Layout, list[Place]]:
        """Return the patterns sorted by what they invert, and where the means and rows of each lie."""
        if thorough not in self.layouts:
            layout = Layout(self.masks, thorough)
            self.layouts[thorough] = layout, layout.places(self.all_owners)
        return self.layouts[thorough]

    @cached_property
    def together(self) -> np.ndarray:
        """Weight of the rows that observe both of two columns."""
        return (self.masks * self.pattern_weights[:, None]).T @ self.masks.astype(np.float64)

    def about(self, mu: np.ndarray) -> np.ndarray:
        """Return the means about those of their groups, times the root of their weight, and the rows below."""
        apart = (self.means - mu[self.group]) * np.sqrt(self.weights)[:, None]
        return np.concatenate([apart * self.masks[self.pattern], self.rows])

    def group_sums(self, rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Add up weighted rows of the strata for each group."""
        return namespaces.group_sums(rows, self.group, self.n_groups, weight)

    def group_cells(self) -> np.ndarray:
        """Return the weight of what is observed of each column in each group."""
        return self.group_sums(self.masks[self.pattern].astype(np.float64), self.weights)

    def available_means(self) -> np.ndarray:
        """Return the mean of what is observed of each column in each group; NaN where that is nothing."""
        with np.errstate(invalid="ignore"):
            return self.group_sums(self.means, self.weights) / self.group_cells()

    def available_variances(self, mu: np.ndarray) -> np.ndarray:
        """Return the variance of what is observed of each column, about given means."""
        return (self.about(mu) ** 2).sum(axis=0) / np.diagonal(self.together)

    def available_covariance(self, mu: np.ndarray) -> np.ndarray:
        """Return the covariance of what is observed of each pair, made positive definite: a place to start from."""
        rows = self.about(mu)
        S = rows.T @ rows / np.maximum(self.together, 1e-300)
        size = np.sqrt(np.diagonal(S))
        values, vectors = np.linalg.eigh(S / size / size[:, None])
        floor = 0.02 if values[0] < 0.02 and not self.masks.all() else 0.0
        C = (vectors * np.maximum(values, floor)) @ vectors.T
        unit = size / np.sqrt(np.diagonal(C))
        return C * unit * unit[:, None]


class Marginals:
    """The marginals of N(·, Σ) on the patterns of a layout.

    Parameters
    ----------
    layout : Layout
    L : ndarray of shape (p, p)
        Lower triangular, Σ = LLᵀ.
    weights : ndarray of shape (P,)
        What each pattern counts in sums over them.
    """

    def __init__(self, layout: Layout, L: np.ndarray, weights: np.ndarray) -> None:
        self.layout, self.L, self.weights = layout, L, weights
        self.root = scipy.linalg.solve_triangular(L, np.eye(len(L)), lower=True)
        self.K = self.root.T @ self.root
        whole = 2 * np.log(np.abs(np.diagonal(L))).sum()
        self.log_dets = np.where(layout.by_missing, whole, 0.0)
        self.inverses: list[np.ndarray] = []  # (g, s, s) for each part
        for part, cells in zip(layout.parts, layout.cells_last, strict=True):
            inverse, log_det = inverted((self.K if part.missing else self.Sigma).ravel()[cells])
            self.inverses.append(inverse)
            self.log_dets[part.patterns] += log_det

    @cached_property
    def Sigma(self) -> np.ndarray:
        return self.L @ self.L.T

    @np.errstate(invalid="ignore")  # of a singular distribution, whose likelihood is NaN
    def solve(self, rows: np.ndarray, places: list[Place], refine: bool = True) -> np.ndarray:
        """Return Σ_oo⁻¹ r_o for each row, zero where nothing is observed; rows are zero there too.

        `refine` takes one more step towards the last digits, which a Σ far from singular can do without.
        """
        parts = self.layout.parts
        filled = rows
        if any(part.missing for part in parts):
            V, filled = rows @ self.K, rows.copy()
            for part, place, N in zip(parts, places, self.inverses, strict=True):
                if part.missing:
                    filled.ravel()[place.cells] = -_times(N, place.local, V.ravel()[place.cells])
        U = filled @ self.K
        if (
            refine and filled is not rows
        ):  # what is left of U where it must vanish tells how far the filled cells are off
            for part, place, N in zip(parts, places, self.inverses, strict=True):
                if part.missing:
                    filled.ravel()[place.cells] -= _times(N, place.local, U.ravel()[place.cells])
            U = filled @ self.K
        for part, place, N in zip(parts, places, self.inverses, strict=True):
            if part.missing:
                U.ravel()[place.cells] = 0.0
            else:
                U[place.rows] = 0.0
                U.ravel()[place.cells] = _times(N, place.local, rows.ravel()[place.cells])
        return U

    def precision(self) -> np.ndarray:
        """Return Σ w Σ_oo⁻¹ over the patterns, each inverse with zeros where nothing is observed."""
        missing, observed = self._added(self.inverses)
        return float(self.weights[self.layout.by_missing].sum()) * self.K - self.K @ missing @ self.K + observed

    def conditional_variances(self) -> np.ndarray:
        """Return the variance of each column given what a pattern observes; zero where it observes the column."""
        masks = self.layout.masks
        out = np.where(self.layout.by_missing[:, None], 0.0, np.diagonal(self.Sigma))
        for part, N in zip(self.layout.parts, self.inverses, strict=True):
            if part.missing:
                np.put_along_axis(sub := out[part.patterns], part.columns, np.diagonal(N, axis1=1, axis2=2), axis=1)
                out[part.patterns] = sub
            else:
                B = self.Sigma[part.columns]  # (g, s, p)
                explained = (B * (N @ B)).sum(axis=1)
                out[part.patterns] = np.diagonal(self.Sigma) - explained
        return np.where(masks, 0.0, np.maximum(out, 0.0))

    def _added(self, blocks: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Add up weighted blocks at their places in p × p: those of missing and those of observed columns."""
        p = len(self.K)
        sums = [np.zeros(p * p), np.zeros(p * p)]
        for part, cells, block in zip(self.layout.parts, self.layout.cells, blocks, strict=True):
            values = block * self.weights[part.patterns][:, None, None]
            sums[0 if part.missing else 1] += np.bincount(cells.ravel(), values.ravel(), minlength=p * p)
        return sums[0].reshape(p, p), sums[1].reshape(p, p)


def _times(matrices: np.ndarray, which: np.ndarray | None, vectors: np.ndarray) -> np.ndarray:
    return ((matrices if which is None else matrices[which]) @ vectors[:, :, None])[:, :, 0]


@np.errstate(invalid="ignore", divide="ignore")
def inverted(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Invert positive definite matrices of shape (s, s, g): inverses of shape (g, s, s), and log-determinants.

    Without pivoting, which positive definite matrices do not need. The pivots are those of Cholesky, so that one which
    is not positive shows as NaN in the log-determinant.
    """
    s = len(A)
    if s > TOGETHER_SIDE:
        B = np.ascontiguousarray(np.moveaxis(A, 2, 0))
        return np.linalg.inv(B), np.linalg.slogdet(B)[1]
    B, log_det = A.copy(), np.zeros(A.shape[2])
    for j in range(s):
        pivot = B[j, j].copy()
        log_det += np.log(pivot)
        row = B[j] / pivot
        B[j] = 0.0
        row[j] = 1 / pivot
        column = B[:, j].copy()
        B[:, j] = 0.0
        B -= column[:, None] * row[None]
        B[j] = row
    return np.ascontiguousarray(np.moveaxis(B, 2, 0)), log_det
