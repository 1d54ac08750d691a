"""Bringing the components of resamples into the signs and, where they are tied, the axes of the fit; intervals."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.stats import norm, t as student


def tied_blocks(values: np.ndarray, spread: np.ndarray) -> list[slice]:
    """Cut components into blocks whose eigenvalues are so close that chance could have separated them.

    Parameters
    ----------
    values : ndarray of shape (k,)
        Eigenvalues, descending.
    spread : ndarray of shape (k,)
        Their standard errors.
    """
    k = len(values)
    # of equal eigenvalues of normal data 19 in 20 gaps are below 1.75 times their standard errors, added
    apart = [j for j in range(1, k) if values[j - 1] - values[j] > 1.75 * (spread[j - 1] + spread[j])]
    edges = [0, *apart, k]
    return [slice(a, b) for a, b in pairwise(edges)]


def aligned(
    replicates: np.ndarray, target: np.ndarray, blocks: list[slice], metric: np.ndarray | None = None
) -> np.ndarray:
    """Turn replicates towards the target: a sign for a component by itself, a rotation within a tied block.

    Parameters
    ----------
    replicates : ndarray of shape (b, k, p)
        Components as rows.
    target : ndarray of shape (k, p)
    blocks : list of slices of the k components
    metric : ndarray of shape (p, p), optional
        Covariance of the columns: components are compared by the scores that they give.
    """
    turned = replicates.copy()
    goal = target if metric is None else target @ metric
    for block in blocks:
        overlap = replicates[:, block] @ goal[block].T  # (b, m, m)
        if overlap.shape[1] == 1:
            turned[:, block] *= np.where(overlap < 0, -1.0, 1.0)
            continue
        left, _, right = np.linalg.svd(overlap)
        rotation = np.swapaxes(left @ right, 1, 2)
        turned[:, block] = rotation @ replicates[:, block]
    return turned


def angles_between(replicates: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the principal angles (b, k), smallest first, between the span of each replicate and that of the target.

    Sines are taken from what of the target lies outside a replicate, so that small angles keep their digits.
    """
    goal = np.linalg.qr(target.T)[0]
    spans = np.linalg.qr(np.swapaxes(replicates, 1, 2))[0]
    inside = np.swapaxes(spans, 1, 2) @ goal
    outside = goal - spans @ inside
    cosines = np.linalg.svd(inside, compute_uv=False)
    sines = np.linalg.svd(outside, compute_uv=False)[:, ::-1]
    return np.arctan2(np.clip(sines, 0, None), np.clip(cosines, 0, None))


def corrected_percentiles(replicates: np.ndarray, estimate: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Return bias-corrected percentile intervals (Efron 1987): percentiles moved by twice the bias of the median."""
    b = len(replicates)
    below = (np.sum(replicates < estimate, axis=0) + 0.5 * np.sum(replicates == estimate, axis=0)) / b
    bias = norm.ppf(np.clip(below, 1 / (b + 1), b / (b + 1)))
    half = norm.ppf(0.5 + level / 2)
    ordered = np.sort(replicates, axis=0)
    low, high = (_at(ordered, norm.cdf(2 * bias + side * half)) for side in (-1, 1))
    return low, high


Interval = tuple[np.ndarray, np.ndarray]
Scale = tuple[Callable[[Any], Any], Callable[[Any], Any], float]

LOG: Scale = (np.log, np.exp, np.inf)  # to a scale and back, and the end of what it takes, from 0
FISHER: Scale = (np.arctanh, np.tanh, 1.0)


def on_a_scale(replicates: np.ndarray, estimate: np.ndarray, level: float, scale: Scale, units: int) -> Interval:
    """Return t intervals of positive numbers on a scale on which they spread evenly, about the estimate less its bias.

    Their width is the root mean square of replicates about the estimate: it has the bias in it, which is known no
    better than it is large. Numbers that the scale does not take have corrected percentiles.
    """
    to, back, end = scale
    low, high = corrected_percentiles(replicates, estimate, level)
    fits = (estimate > 0) & (estimate < end) & ((replicates > 0) & (replicates < end)).all(axis=0)
    middle, drawn = to(estimate[fits]), to(replicates[:, fits])
    centre = 2 * middle - drawn.mean(axis=0)
    half = student.ppf(0.5 + level / 2, max(units - 1, 1)) * np.sqrt(np.mean((drawn - middle) ** 2, axis=0))
    low[fits], high[fits] = back(centre - half), back(centre + half)
    return low, high


def _at(ordered: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return quantiles of sorted replicates, one share for each entry."""
    place = np.clip(share * (len(ordered) + 1) - 1, 0, len(ordered) - 1)
    lower = np.floor(place).astype(np.intp)
    upper = np.minimum(lower + 1, len(ordered) - 1)
    a, b = np.take_along_axis(ordered, np.stack([lower, upper]), axis=0)
    return a + (place - lower) * (b - a)
