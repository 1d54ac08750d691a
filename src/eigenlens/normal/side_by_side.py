"""Likelihoods of many samples with the same cells, climbed side by side.

A *cell* is a pattern of holes in a group. Samples differ in what their cells hold: weight, mean, and mean products of
columns. All of them start from one law, the maximum of a sample that is near to all, and step by their own slope times
the inverse curvature there. The steps need no curvature of their own, and NumPy takes them for all samples at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from .likelihood import Point, Step

MOST_STEPS = 60
SLOWEST = 0.9  # of the smallest slope so far that a step should leave
MOST_IDLE = 5  # steps that do not
ROOT2 = np.sqrt(2.0)


@dataclass(frozen=True)
class Cells:
    """What samples hold, in units in which columns have variance about 1.

    Attributes
    ----------
    masks : ndarray of bool, shape (C, p)
        Observed columns of each cell.
    group : ndarray of int, shape (C,)
    weights : ndarray of shape (b, C)
    sums : ndarray of shape (b, C, p)
        Of rows, by weight; zero where nothing is observed.
    products : ndarray of shape (b, C, p, p)
        Of columns, by weight, about the origin.
    """

    masks: np.ndarray
    group: np.ndarray
    weights: np.ndarray
    sums: np.ndarray
    products: np.ndarray

    def of(self, samples: np.ndarray) -> Cells:
        """Return fewer samples."""
        return Cells(self.masks, self.group, self.weights[samples], self.sums[samples], self.products[samples])

    def group_weights(self, n_groups: int) -> np.ndarray:
        """Return the weight of each group, shape (b, G)."""
        return self.weights @ (self.group[:, None] == np.arange(n_groups))


class Curvature:
    """Minus the second derivative of the log-likelihood at a point, as a matrix that can be solved with."""

    def __init__(self, point: Point) -> None:
        self.G, self.p = point.mu.shape
        self.upper = np.triu_indices(self.p)
        self.scale = np.where(self.upper[0] == self.upper[1], 1.0, ROOT2)  # an orthonormal basis of symmetric s
        unit = np.eye(self.size)
        a, s = self.steps(unit)
        bent = [point.bent(Step(a[k], s[k])) for k in range(len(unit))]
        H = self.flat(np.stack([step.a for step in bent]), np.stack([step.s for step in bent]))
        self.factor = scipy.linalg.cho_factor((H + H.T) / 2)

    @property
    def size(self) -> int:
        """Number of coordinates of a step."""
        return self.G * self.p + len(self.upper[0])

    def flat(self, a: np.ndarray, s: np.ndarray) -> np.ndarray:
        """Return the coordinates of slopes, one row for each."""
        return np.concatenate([a.reshape(len(a), -1), s[:, *self.upper] * self.scale], axis=1)

    def steps(self, flat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the steps that have these coordinates."""
        s = np.zeros((len(flat), self.p, self.p))
        s[:, *self.upper] = s[:, *self.upper[::-1]] = flat[:, self.G * self.p :] / self.scale
        return flat[:, : self.G * self.p].reshape(-1, self.G, self.p), s

    def newton(self, a: np.ndarray, s: np.ndarray) -> np.ndarray:
        """Return the coordinates of the steps of slopes."""
        return scipy.linalg.cho_solve(self.factor, self.flat(a, s).T).T


def climb_together(
    cells: Cells, start: Point, curvature: Curvature, tol: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return means (b, G, p) and factors (b, p, p) of all samples, and whether each has arrived.

    Each step makes use of how the one before it changed the slope (Anderson 1965), since the curvature of a sample is
    not quite that of the start. A sample whose slope does not shrink is left where it is.
    """
    b = len(cells.weights)
    mu, L = np.repeat(start.mu[None], b, axis=0), np.repeat(start.L[None], b, axis=0)
    arrived, active = np.zeros(b, dtype=bool), np.arange(b)
    best, idle = np.full(b, np.inf), np.zeros(b, dtype=int)
    plain = taken = np.zeros((b, 0))
    for k in range(MOST_STEPS):
        a, s = _slopes(cells, mu[active], L[active])
        largest = np.maximum(np.abs(a).max(axis=(1, 2)), np.abs(s).max(axis=(1, 2)))
        arrived[active] = largest <= tol
        idle = np.where(largest <= SLOWEST * best, 0, idle + 1)
        going = (largest > tol) & (idle <= MOST_IDLE) & np.isfinite(largest)
        if not going.any():
            break
        active, best, idle = active[going], np.minimum(best, largest)[going], idle[going]
        cells = cells if going.all() else cells.of(going)
        newton = curvature.newton(a[going], s[going])
        step = newton if k == 0 else _accelerated(newton, plain[going], taken[going])
        plain, taken = newton, step
        mu[active], L[active] = _moved(cells, mu[active], L[active], *curvature.steps(step))
    return mu, L, arrived


def _accelerated(newton: np.ndarray, before: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """Return the steps that the change of Newton's step along the one before suggests."""
    change = newton - before
    square = np.einsum("bd,bd->b", change, change)
    share = np.einsum("bd,bd->b", newton, change) / np.maximum(square, 1e-300)
    share = np.clip(share, -1.0, 0.9)  # a step that changed little says little
    return newton - share[:, None] * (taken + change)


def _roots(cells: Cells, n_groups: int) -> np.ndarray:
    weights = cells.group_weights(n_groups)
    return np.sqrt(weights / weights.sum(axis=1, keepdims=True))


def _slopes(cells: Cells, mu: np.ndarray, L: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the slopes over the weights, in the coordinates of each point: see `likelihood`."""
    G, W = mu.shape[1], cells.weights.sum(axis=1)
    K = _inverses(cells.masks, L @ np.swapaxes(L, 1, 2))
    own = mu[:, cells.group]  # (b, C, p)
    apart = cells.sums - cells.weights[:, :, None] * own
    cross = apart[:, :, :, None] * own[:, :, None, :]
    about = cells.products - cross - np.swapaxes(cells.sums[:, :, :, None] * own[:, :, None, :], 2, 3)
    total = (K @ about @ K).sum(axis=1) - np.einsum("bc,bcjk->bjk", cells.weights, K)
    pulls = (K @ apart[:, :, :, None])[:, :, :, 0]
    g = np.einsum("cg,bcj->bgj", (cells.group[:, None] == np.arange(G)).astype(float), pulls)
    S = np.swapaxes(L, 1, 2) @ total @ L / W[:, None, None]
    a = g @ L / _roots(cells, G)[:, :, None] / W[:, None, None]
    return a, (S + np.swapaxes(S, 1, 2)) / (2 * ROOT2)


def _inverses(masks: np.ndarray, Sigma: np.ndarray) -> np.ndarray:
    """Return Σ_oo⁻¹ of each cell, with zeros where nothing is observed: an array of shape (b, C, p, p)."""
    seen, which = np.unique(masks, axis=0, return_inverse=True)
    both = seen[:, :, None] & seen[:, None, :]
    alone = np.eye(masks.shape[1]) * ~seen[:, None, :]
    found = np.linalg.inv(Sigma[:, None] * both + alone) * both
    return (
        found if len(seen) == len(masks) and (which.ravel() == np.arange(len(masks))).all() else found[:, which.ravel()]
    )


def _moved(cells: Cells, mu: np.ndarray, L: np.ndarray, a: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the points that steps lead to."""
    values, vectors = np.linalg.eigh(s)
    B = L @ (vectors * np.exp(np.clip(values, -2.0, 2.0) / ROOT2)[:, None, :])
    moved = mu + a @ np.swapaxes(L, 1, 2) / _roots(cells, mu.shape[1])[:, :, None]
    L = np.swapaxes(np.linalg.qr(np.swapaxes(B, 1, 2), mode="r"), 1, 2)
    return moved, L * np.where(np.diagonal(L, axis1=1, axis2=2) < 0, -1.0, 1.0)[:, None, :]
