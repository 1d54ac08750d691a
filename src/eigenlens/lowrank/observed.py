"""Which cells of a table were observed, and whether these are enough."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .._core import errors
from .._core import xp as _xp
from .._core.typing import Array

MOSTLY_MISSING = 0.9  # share of NaN from which even a very low rank is hardly determined


def observed_cells(X: Array) -> tuple[Array, Array | None]:
    """Put zeros for NaN and tell which cells were observed; None where all were."""
    xp = _xp.namespace(X)
    missing = xp.isnan(X)
    if not bool(xp.any(missing)):
        return X, None
    return xp.where(missing, xp.zeros_like(X), X), ~missing


def refuse_empty(observed: Array | None) -> None:
    """Refuse rows and columns without any observed cell."""
    if observed is None:
        return
    for axis, what in ((1, "row"), (0, "column")):
        empty = ~_xp.to_numpy(observed).any(axis=axis)
        if empty.any():
            raise nothing_observed(what, np.flatnonzero(empty).tolist())


def warn_if_few(observed: Array | None, rank: int) -> None:
    """Warn where what was observed cannot determine a matrix of this rank."""
    if observed is None:
        return
    seen = _xp.to_numpy(observed)
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
