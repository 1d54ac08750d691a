"""A parameter that cross-validation chooses: what is tried, and how it is scored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

FOLDS = 5
MOST_COUNTS = 40  # numbers of components that are tried


@dataclass(frozen=True)
class Validated:
    """What `"cv"` means as the value of a parameter.

    Attributes
    ----------
    name : str
        Of the parameter.
    start : object
        A value that asks for the same moments as those that are tried.
    values : callable
        (model with `start`, moments of all rows) → what is tried.
    scoring : str or None
        The measure of `eigenlens.validation.cross_validate`.
    simplest : bool
        Take the simplest value whose score is within one standard error of the best, rather than the best.
    """

    name: str
    start: Any
    values: Callable[[Any, Any], Sequence[Any]]
    scoring: str | None = None
    simplest: bool = False


def shrinkages(model: Any, moments: Any) -> list[float]:
    """Return no shrinkage, and 0.0001 to 1 in equal ratios."""
    return [0.0, *np.geomspace(1e-4, 1.0, 25).tolist()]


def poolings(model: Any, moments: Any) -> list[float]:
    """Return 0 to 1 in steps of 0.05."""
    return np.linspace(0.0, 1.0, 21).tolist()


def ridges(model: Any, moments: Any) -> list[float]:
    """Return no ridge, and a millionth to a hundred times the mean variance of all columns, in equal ratios."""
    joint = moments.joint
    variances = np.asarray(joint.store.diagonal()) * np.asarray(joint.unit) ** 2 / joint.weight
    return [0.0, *(float(variances.mean()) * np.geomspace(1e-6, 1e2, 25)).tolist()]


def penalties(model: Any, moments: Any) -> list[float]:
    """Return every fourth λ of the path that GCV searches."""
    found: np.ndarray = model.set_params(lam="gcv").fit_moments(moments).gcv_path_
    return found[::4, 0].tolist()


def counts(model: Any, moments: Any) -> list[int]:
    """Return 1, 2, … up to one less than there can be, so that noise is left; in equal ratios where there are many."""
    most = max(1, min(moments.n_features - 1, int(moments.n_rows * (1 - 1 / FOLDS)) - 2))
    if most <= MOST_COUNTS:
        return list(range(1, most + 1))
    return np.unique(np.geomspace(1, most, MOST_COUNTS).round().astype(int)).tolist()
