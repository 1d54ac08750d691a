r"""Probabilistic PCA of a sample with holes: Σ = FFᵀ + σ²I with k columns in F, for more columns than rows can carry.

With M_o = F_oᵀF_o + σ²I, of size k, the marginals need no larger inverse:

    Σ_oo⁻¹ = (I − F_o M_o⁻¹ F_oᵀ)/σ²,     log|Σ_oo| = (|o| − k) log σ² + log|M_o|.

Given a row, its k factors have the mean z = M_o⁻¹ F_oᵀ (x − μ)_o and the covariance σ²M_o⁻¹. A step of EM regresses
each column on them.

Tipping, Bishop (1999), Probabilistic principal component analysis, J. Royal Statistical Society B 61.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..arrays import errors, linalg
from .completion import SCORE, SINGULAR, Climbed, Completed, climb, require_observed
from .marginals import Sample, inverted
from .patterns import Patterns

MOST = 2000  # evaluations of the likelihood


def fit_low_rank(moments: Patterns, k: int, *, names: list[str] | None = None) -> Completed:
    """Find the probabilistic PCA of k directions that makes the observed cells most likely.

    Parameters
    ----------
    moments : Patterns
    k : int
        Directions, fewer than columns.
    names : list of str, optional
        Columns, for messages.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.moments import Patterns
    >>> from eigenlens.moments.low_rank import fit_low_rank
    >>> from eigenlens.rows import Block
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((40, 1)) @ rng.standard_normal((1, 60)) + 0.1 * rng.standard_normal((40, 60))
    >>> X[rng.random(X.shape) < 0.3] = np.nan                 # more columns than rows, a third of the cells missing
    >>> found = fit_low_rank(Patterns().update(Block(X)), 1)
    >>> noise = np.linalg.eigvalsh(found.moments.matrix / 40)[:-1]   # the same in all other directions
    >>> round(float(noise.mean()), 2), bool(np.ptp(noise) < 1e-12)
    (0.01, True)
    """
    require_observed(moments, moments, names)
    if not 0 < k < moments.n_features:
        raise errors.InputError(
            f"k={k!r}, but directions of probabilistic PCA are at least 1 and fewer than the "
            f"{moments.n_features} columns; use k ≤ {moments.n_features - 1}."
        )
    whole, _ = moments.uniform()  # the noise is the same in each column
    sample = Sample.of(whole)
    mean = sample.available_means()
    unit = float(np.sqrt(np.mean(sample.available_variances(mean))))
    if not unit > 0:
        raise errors.InputError("No column varies where it is observed, so there is no direction to find.")
    every, size = np.arange(moments.n_features), np.full(moments.n_features, unit)
    with linalg.one_blas_thread():
        reached = climb(_start(Sample.of(whole, every, mean[0], size), k), most=MOST)
    if reached.point.depth <= SINGULAR:
        raise errors.InputError(
            f"{k} directions reproduce every observed cell and leave no noise to estimate; use fewer directions."
        )
    if reached.score > SCORE:
        errors.warn(
            errors.NotConvergedWarning(
                f"The likelihood of the observed cells was still rising when the iteration ended (slope "
                f"{reached.score:.1e} after {reached.n_steps} evaluations): the cells say little about some of the {k} "
                f"directions. Use fewer."
            )
        )
    return Climbed(whole, reached, every, mean[0], size, mean).completed


class FactorModel:
    """A mean, factors and noise, and what a sample with holes says about them.

    Parameters
    ----------
    sample : Sample
    mu : ndarray of shape (1, p)
    F : ndarray of shape (p, k)
    noise : float
        σ².

    Attributes
    ----------
    log_likelihood : float
        Of the observed cells, in the units of the sample.
    depth : float
        σ, in the units of the sample.
    """

    def __init__(self, sample: Sample, mu: np.ndarray, F: np.ndarray, noise: float) -> None:
        self.sample, self.mu, self.F, self.noise, self.depth = sample, mu, F, noise, float(np.sqrt(noise))
        k = F.shape[1]
        n_observed = sample.masks.sum(axis=1)
        squares = (F[:, :, None] * F[:, None, :]).reshape(len(F), k * k)
        M = (sample.masks.astype(np.float64) @ squares).reshape(-1, k, k) + noise * np.eye(k)
        self.inverses, log_dets = inverted(np.ascontiguousarray(np.moveaxis(M, 0, 2)))
        self.rows = sample.about(mu)
        self.factors = (self.inverses[sample.all_owners] @ (self.rows @ F)[:, :, None])[:, :, 0]
        log_dets = sample.pattern_weights @ (log_dets + (n_observed - k) * np.log(noise))
        apart = np.vdot(self.rows, self.rows - self.factors @ F.T) / noise
        self.log_likelihood = -0.5 * float(sample.n_cells * np.log(2 * np.pi) + log_dets + apart)

    @cached_property
    def sums(self) -> tuple[np.ndarray, np.ndarray]:
        """Expected products of the factors and a constant, with each other and with each column where it is observed.

        Arrays of shape (p, k + 1, k + 1) and (p, k + 1).
        """
        sample, (p, k) = self.sample, self.F.shape
        ones = np.concatenate([np.sqrt(sample.weights), np.zeros(len(sample.rows))])  # rows have no mean
        Z = np.concatenate([self.factors, ones[:, None]], axis=1)
        products = (Z[:, :, None] * Z[:, None, :]).reshape(len(Z), -1)
        S = (sample.observed.T @ products).reshape(p, k + 1, k + 1)
        spread = (sample.masks.T * sample.pattern_weights) @ self.inverses.reshape(-1, k * k)
        S[:, :k, :k] += self.noise * spread.reshape(p, k, k)
        return S, self.rows.T @ Z

    @cached_property
    def slope(self) -> np.ndarray:
        """Slope of the log-likelihood over the weight, in the coordinates of `place`."""
        S, t = self.sums
        now = np.concatenate([self.F, np.zeros((len(self.F), 1))], axis=1)
        explained = np.einsum("jkl,jl->jk", S, now)
        across = (t - explained) / self.noise
        left = np.vdot(self.rows, self.rows) - np.vdot(2 * t - explained, now)
        of_noise = 0.5 * (left / self.noise - self.sample.n_cells)
        return np.concatenate([across[:, -1], across[:, :-1].ravel(), [of_noise]]) / self.sample.weight

    @property
    def score(self) -> float:
        return float(np.abs(self.slope).max())

    @property
    def root(self) -> np.ndarray:
        return np.concatenate([self.F.T, self.depth * np.eye(len(self.F))])

    @property
    def place(self) -> np.ndarray:
        return np.concatenate([self.mu[0], self.F.ravel(), [np.log(self.noise)]])

    def image(self) -> np.ndarray:
        S, t = self.sums
        new = np.linalg.solve(S, t[:, :, None])[:, :, 0]
        left = max(float(np.vdot(self.rows, self.rows) - np.vdot(new, t)), SINGULAR**2)
        return np.concatenate([self.mu[0] + new[:, -1], new[:, :-1].ravel(), [np.log(left / self.sample.n_cells)]])

    def measured(self, steps: np.ndarray) -> np.ndarray:
        return steps

    def at(self, place: np.ndarray) -> FactorModel:
        p, k = self.F.shape
        noise = float(np.exp(np.clip(place[-1], -60, 60)))
        return FactorModel(self.sample, place[None, :p], place[p:-1].reshape(p, k), noise)


def _start(sample: Sample, k: int) -> FactorModel:
    """Begin at the leading directions of what is observed of each pair."""
    mu = sample.available_means()
    rows = sample.about(mu)
    S = rows.T @ rows / np.maximum(sample.together, 1e-300) * (sample.together > 0)
    values, vectors = np.linalg.eigh(S)
    noise = max(float(np.mean(np.maximum(values[:-k], 0.0))), 0.01)
    F = vectors[:, ::-1][:, :k] * np.sqrt(np.maximum(values[::-1][:k] - noise, 0.01))
    return FactorModel(sample, mu, F, noise)
