"""A normal sample with holes, as the likelihood sees it: rows about their means, each with the pattern it observes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from .marginals import Layout, Place
from .patterns import Patterns, distinct


@dataclass(frozen=True)
class Sample:
    """Means and factors of the patterns of one or several groups, in units in which columns have variance 1.

    A *cell* is a pattern of a group. What the likelihood sees of it is its mean, and rows F with FᵀF = its scatter.

    Attributes
    ----------
    masks : ndarray of bool, shape (P, p)
        The patterns of all groups; they differ.
    means : ndarray of shape (C, p)
        Mean of each cell; zero where nothing is observed.
    weights : ndarray of shape (C,)
    group, pattern : ndarray of int, shape (C,)
        Which group and which pattern a cell belongs to.
    rows : ndarray of shape (R, p)
        Factors of the cells.
    owner : ndarray of int, shape (R,)
        Pattern of each of these rows.
    n_groups : int
    """

    masks: np.ndarray
    means: np.ndarray
    weights: np.ndarray
    group: np.ndarray
    pattern: np.ndarray
    rows: np.ndarray
    owner: np.ndarray
    n_groups: int

    @classmethod
    def of(cls, groups: list[Patterns]) -> Self:
        """Put together the moments of several groups, which have the same pivot and exponent."""
        masks, codes = distinct(np.concatenate([g.masks for g in groups]))
        starts = np.cumsum([0, *(len(g.masks) for g in groups)])
        owner = [codes[a + g.owner] for a, g in zip(starts[:-1], groups, strict=True)]
        return cls(
            masks,
            np.concatenate([g.shift for g in groups]),
            np.concatenate([g.weights for g in groups]),
            np.repeat(np.arange(len(groups)), np.diff(starts)),
            codes,
            np.concatenate([g.rows for g in groups]),
            np.concatenate(owner),
            len(groups),
        )

    def among(self, columns: np.ndarray) -> Self:
        """Return the same sample of fewer columns, without the cells that observe none of them."""
        masks, codes = distinct(self.masks[:, columns])
        seen: np.ndarray = np.any(masks, axis=1)
        renamed = np.cumsum(seen) - 1
        cells, rows = seen[codes[self.pattern]], seen[codes[self.owner]]
        return type(self)(
            masks[seen],
            self.means[cells][:, columns],
            self.weights[cells],
            self.group[cells],
            renamed[codes[self.pattern[cells]]],
            self.rows[rows][:, columns],
            renamed[codes[self.owner[rows]]],
            self.n_groups,
        )

    def standardised(self, centre: np.ndarray, size: np.ndarray) -> Self:
        """Return the same sample with `centre` as the origin and columns divided by `size`."""
        observed = self.masks[self.pattern]
        means = np.where(observed, (self.means - centre) / size, 0.0)
        return type(self)(
            self.masks,
            means,
            self.weights,
            self.group,
            self.pattern,
            self.rows / size,
            self.owner,
            self.n_groups,
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

    @cached_property
    def layout(self) -> Layout:
        return Layout(self.masks)

    @cached_property
    def places(self) -> list[Place]:
        return self.layout.places(self.all_owners)

    @cached_property
    def thorough_layout(self) -> Layout:
        return Layout(self.masks, thorough=True)

    @cached_property
    def thorough_places(self) -> list[Place]:
        return self.thorough_layout.places(self.all_owners)

    @cached_property
    def together(self) -> np.ndarray:
        """Weight of the rows that observe both of two columns."""
        return (self.masks * self.pattern_weights[:, None]).T @ self.masks.astype(np.float64)

    def about(self, mu: np.ndarray) -> np.ndarray:
        """Return the means about those of their groups, times the root of their weight, and the rows below."""
        apart = (self.means - mu[self.group]) * np.sqrt(self.weights)[:, None]
        return np.concatenate([apart * self.masks[self.pattern], self.rows])

    def group_sums(self, rows: np.ndarray) -> np.ndarray:
        """Add up rows of the cells, times the root of their weight, for each group."""
        weighted = rows * np.sqrt(self.weights)[:, None]
        if self.n_groups == 1:
            return weighted.sum(axis=0)[None, :]
        sums = np.zeros((self.n_groups, rows.shape[1]))
        np.add.at(sums, self.group, weighted)
        return sums

    def available_means(self) -> np.ndarray:
        """Return the mean of what is observed of each column in each group; NaN where that is nothing."""
        observed = self.masks[self.pattern]
        weight, total = np.zeros((2, self.n_groups, self.masks.shape[1]))
        np.add.at(weight, self.group, observed * self.weights[:, None])
        np.add.at(total, self.group, self.means * self.weights[:, None])
        with np.errstate(invalid="ignore"):
            return total / weight

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
