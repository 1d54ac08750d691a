"""A normal sample with holes, as the likelihood sees it: rows about their means, each with the pattern it observes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from .marginals import Layout, Place
from .patterns import Patterns, distinct


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
    def of(cls, moments: Patterns, columns: Any = slice(None), centre: Any = 0.0, size: Any = 1.0) -> Self:
        """Return what the likelihood sees of some columns, about another origin and in other units.

        Strata that observe none of these columns are left out.
        """
        masks = moments.masks[:, columns]
        seen = np.any(masks, axis=1)
        masks, place = masks[seen], np.cumsum(seen) - 1
        first, pattern = distinct(masks)
        rows = seen[moments.owner]
        return cls(
            masks[first],
            np.where(masks, (moments.shift[seen][:, columns] - centre) / size, 0.0),
            moments.weights[seen],
            moments.group[seen],
            pattern,
            moments.rows[rows][:, columns] / size,
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

    def group_sums(self, rows: np.ndarray) -> np.ndarray:
        """Add up rows of the strata, times the root of their weight, for each group."""
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
