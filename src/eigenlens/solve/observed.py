"""Which cells of a table were observed, and whether these are enough."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.typing import Array

MOSTLY_MISSING = 0.9  # share of NaN from which even a very low rank is hardly determined
OF_NORMAL = 1.4826  # standard deviations of a normal distribution are so many median distances from its median


def observed_cells(X: Array) -> tuple[Array, Array | None]:
    """Put zeros for NaN and tell which cells were observed; None where all were."""
    xp = namespaces.namespace(X)
    missing = xp.isnan(X)
    if not bool(xp.any(missing)):
        return X, None
    return xp.where(missing, xp.zeros_like(X), X), ~missing


def refuse_empty(observed: Array | None) -> None:
    """Refuse rows and columns without any observed cell."""
    if observed is None:
        return
    for axis, what in ((1, "row"), (0, "column")):
        empty = ~namespaces.to_numpy(observed).any(axis=axis)
        if empty.any():
            raise nothing_observed(what, np.flatnonzero(empty).tolist())


def warn_if_few(observed: Array | None, rank: int) -> None:
    """Warn where what was observed cannot determine a matrix of this rank."""
    if observed is None:
        return
    seen = namespaces.to_numpy(observed)
    numbers = rank * (sum(seen.shape) - rank)
    thin = [int((seen.sum(axis=axis) < rank).sum()) for axis in (1, 0)]
    if seen.mean() < 1 - MOSTLY_MISSING:
        errors.warn(_little_observed(f"{1 - seen.mean():.0%} of the cells are NaN"))
    elif seen.sum() < 1.5 * numbers:
        why = f"{seen.sum()} observed cells must determine the {numbers} numbers of a matrix of rank {rank}"
        errors.warn(_little_observed(why))
    elif any(thin):
        why = f"{thin[0]} rows and {thin[1]} columns have fewer observed cells than the rank, {rank}"
        errors.warn(_little_observed(why))


def nothing_observed(what: str, numbers: Iterable[Any]) -> errors.InputError:
    """Return the error of rows or columns that are all NaN."""
    return errors.InputError(f"X: {what} {errors.listed(numbers)} is all NaN; leave it out.")


def _little_observed(why: str) -> errors.MissingWarning:
    return errors.MissingWarning(
        f"X: {why}. The missing cells of low_rank_ are then guesses; drop rows and columns that are mostly NaN."
    )


def medians(size: np.ndarray, weight: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower weighted median along an axis, and the total weight."""
    order = np.argsort(size, axis=axis, kind="stable")
    reached = np.cumsum(np.take_along_axis(weight, order, axis=axis), axis=axis)
    total = np.take(reached, [-1], axis=axis)
    place = np.expand_dims(np.argmax(reached >= total / 2, axis=axis), axis)
    return np.take_along_axis(size, np.take_along_axis(order, place, axis), axis), total


def robust_spreads(X: Array, observed: Array | None, weight: Any = None) -> Array:
    """Return the spread of each column, which a few wild cells do not change; 0 for constant columns.

    It is 1.4826 times the median distance of the cells from their median, as for a normal column the standard
    deviation is, and the standard deviation itself where more than half of the cells are equal.
    """
    cells = namespaces.to_numpy(X)
    times = np.ones(len(cells)) if weight is None else np.asarray(weight, dtype=float)
    counted = np.broadcast_to(times[:, None], cells.shape) * (
        1.0 if observed is None else namespaces.to_numpy(observed)
    )

    def middle(values: np.ndarray) -> np.ndarray:  # the same for columns whose sign was changed
        return (medians(values, counted, 0)[0] - medians(-values, counted, 0)[0]) / 2

    centre = middle(cells)
    distance = np.where(counted > 0, np.abs(cells - centre), 0.0)
    usual, rounding = middle(distance) * OF_NORMAL, namespaces.EPS * np.abs(centre)
    largest = distance.max(axis=0, keepdims=True)
    unit = np.where(largest > rounding, largest, 1.0)
    shares = counted / np.maximum(counted.sum(axis=0, keepdims=True), np.finfo(float).tiny)
    whole = np.sqrt(np.sum(shares * (distance / unit) ** 2, axis=0, keepdims=True)) * unit
    found = np.where(usual > rounding, usual, np.where(largest > rounding, whole, 0.0))
    return namespaces.like(found[0], X)
