"""The likelihood of a normal sample with holes, its slope and its curvature, in coordinates that suit the point.

At a point (μ, Σ = LLᵀ) a step is δμ_g = √(W/W_g) L a_g and Σ → L exp(√2 s) Lᵀ. In these coordinates, and over W, the
information of a sample without holes is the identity: the gradient *is* the step of EM, and what is left to a Newton
step is the information that the holes took.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg

from .marginals import Marginals
from .sample import Sample

NEARLY_SINGULAR = 1e-3  # depth below which Σ is not inverted as a whole


@dataclass(frozen=True)
class Step:
    """A step, or a slope, in the coordinates of a point.

    Attributes
    ----------
    a : ndarray of shape (G, p)
    s : ndarray of shape (p, p), symmetric
    """

    a: np.ndarray
    s: np.ndarray

    def plus(self, other: Step, times: float = 1.0) -> Step:
        return Step(self.a + times * other.a, self.s + times * other.s)

    def times(self, factor: float) -> Step:
        return Step(factor * self.a, factor * self.s)

    def dot(self, other: Step) -> float:
        return float(np.vdot(self.a, other.a) + np.vdot(self.s, other.s))

    @property
    def largest(self) -> float:
        return float(max(np.abs(self.a).max(), np.abs(self.s).max()))


class Point:
    """Means and covariance, and what the sample says about them.

    Parameters
    ----------
    sample : Sample
    mu : ndarray of shape (G, p)
    L : ndarray of shape (p, p)
        Lower triangular, Σ = LLᵀ.

    Attributes
    ----------
    log_likelihood : float
        Of the observed cells, in the units of the sample.
    depth : float
        Standard deviation of the weakest direction of columns of unit variance: near zero, Σ is singular.
    """

    def __init__(self, sample: Sample, mu: np.ndarray, L: np.ndarray) -> None:
        self.sample, self.mu, self.L = sample, mu, L
        self.depth = float(np.linalg.svd(L / np.sqrt((L**2).sum(axis=1))[:, None], compute_uv=False)[-1])
        thorough = self.depth < NEARLY_SINGULAR
        self.places = sample.thorough_places if thorough else sample.places
        layout = sample.thorough_layout if thorough else sample.layout
        self.marginals = Marginals(layout, L, sample.pattern_weights)
        rows = sample.about(mu)
        self.U = self.marginals.solve(rows, self.places)
        cells = sample.pattern_weights @ sample.masks.sum(axis=1)
        log_dets = sample.pattern_weights @ self.marginals.log_dets
        self.log_likelihood = -0.5 * float(cells * np.log(2 * np.pi) + log_dets + np.vdot(rows, self.U))

    @cached_property
    def slope(self) -> Step:
        """Slope of the log-likelihood over the weight: the step of EM."""
        sample, L, W = self.sample, self.L, self.sample.weight
        g = sample.group_sums(self.U[: len(sample.weights)])
        G = self.U.T @ self.U - self.marginals.precision()
        return self._step(g, L.T @ G @ L / W)

    def _step(self, g: np.ndarray, S: np.ndarray) -> Step:
        return Step(g @ self.L / self._roots[:, None] / self.sample.weight, (S + S.T) / (2 * np.sqrt(2)))

    @cached_property
    def _roots(self) -> np.ndarray:
        return np.sqrt(self.sample.group_weights / self.sample.weight)

    def bent(self, step: Step) -> Step:
        """Return minus the second derivative of the log-likelihood, over the weight, times a step."""
        sample, L, W = self.sample, self.L, self.sample.weight
        dmu = step.a @ L.T / self._roots[:, None]
        dSigma = np.sqrt(2) * (L @ step.s @ L.T)
        rows = -self.U @ dSigma
        n = len(sample.weights)
        rows[:n] -= np.sqrt(sample.weights)[:, None] * dmu[sample.group]
        dU = self.marginals.solve(rows * sample.masks[sample.all_owners], self.places, refine=False)
        half = dU.T @ self.U
        dG = half + half.T + self.marginals.sandwich(dSigma)
        flat = self._step(sample.group_sums(dU[:n]), L.T @ dG @ L / W)
        curved = self.slope.s @ step.s  # a step of Σ follows L exp(√2 s) Lᵀ rather than a line
        return Step(-flat.a, -flat.s - (curved + curved.T) / np.sqrt(2))

    def moved(self, step: Step) -> Point:
        """Return the point that a step leads to."""
        values, vectors = np.linalg.eigh(step.s)
        B = self.L @ (vectors * np.exp(values / np.sqrt(2)))
        mu = self.mu + step.a @ self.L.T / self._roots[:, None]
        return Point(self.sample, mu, lower(B))

    def after_em(self) -> Point:
        """Return the point after one step of EM, at which the likelihood is not lower."""
        share = self.sample.group_weights / self.sample.weight
        dmu = self.slope.a / self._roots[:, None]
        S = np.eye(len(self.L)) + np.sqrt(2) * self.slope.s - (dmu * share[:, None]).T @ dmu
        values, vectors = np.linalg.eigh(S)
        B = self.L @ (vectors * np.sqrt(np.maximum(values, 0.0)))
        return Point(self.sample, self.mu + dmu @ self.L.T, lower(B))


def lower(B: np.ndarray) -> np.ndarray:
    """Return lower triangular L with LLᵀ = BBᵀ."""
    return scipy.linalg.qr(B.T, mode="r")[0].T
