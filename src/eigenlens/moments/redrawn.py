"""A sample with holes drawn again: what a normal law would have shown through the same holes.

The likelihood sees of each cell (a pattern of a group, of weight W) its mean, N(μ_o, Σ_oo/W), and its scatter, which is
Wishart with W − 1 degrees of freedom. So nothing needs rows: a draw costs what the patterns cost.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import linalg
from .completion import Normal, climb, standardised_sample
from .sample import Sample

CLOSE = 1e-4  # slope at which a drawn sample is fitted well enough for a statistic
STEPS = 100  # at most: one that climbs longer has practically no maximum

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
        self.sample, self.columns, reached = standardised_sample(moments, names)
        self.weight = self.sample.weight
        self.shares = self.sample.shares
        self.law: Law = reached.point.mu, reached.point.L @ reached.point.L.T

    def draw(self, law: Law, rng: np.random.Generator) -> Law:
        """Draw a sample from a law, and return the law that is most likely for it."""
        mu, Sigma = law
        L = np.linalg.cholesky(Sigma)
        with linalg.one_blas_thread():
            point = climb(Normal(drawn(self.sample, mu, L, rng), mu, L), CLOSE, STEPS).point
        return point.mu, point.L @ point.L.T


def drawn(sample: Sample, mu: np.ndarray, L: np.ndarray, rng: np.random.Generator) -> Sample:
    """Return a sample of N(μ, LLᵀ) with the cells of another: their weights, groups and holes."""
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
    new = replace(
        sample, means=np.where(seen, means, 0.0), rows=np.where(seen[owner], rows, 0.0), owner=sample.pattern[owner]
    )
    new.__dict__.update(layout=sample.layout, thorough_layout=sample.thorough_layout)  # the patterns are the same
    return new
