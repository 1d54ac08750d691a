"""How many subclasses each class has, and which rows they start from."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import errors
from ...arrays.parameters import is_number
from .em import Classes, Fit, warn_of_lost

Floats = NDArray[np.float64]

MOST_SUBCLASSES = 8  # subclasses of a class that "bic" tries
LOOK = 6  # M-steps after which starts are judged


def read_counts(given: Any, classes: NDArray[Any], sizes: Floats) -> list[int] | None:
    """Return R_k for each class, of these weights, or None where they are to be chosen."""
    if isinstance(given, str):
        if given == "cv":
            raise errors.InputError(
                "n_subclasses='cv' is not an option; use 'bic', or choose by cross-validation with "
                "eigenlens.validation.cross_validate(MDA(), X, y, settings={'n_subclasses': [1, 2, 3, 4]})."
            )
        if given != "bic":
            raise _subclasses_kind(given, classes)
        return None
    if isinstance(given, Mapping):
        labels = [errors.plain(label) for label in classes]
        if set(given) != set(labels):
            raise _subclasses_kind(given, classes)
        values: list[Any] = [given[label] for label in labels]
    else:
        values = [given] * len(classes) if isinstance(given, Integral) else list(given) if np.ndim(given) == 1 else []
    right = all(is_number(v, integer=True) and v >= 1 for v in values)
    if len(values) != len(classes) or not right:
        raise _subclasses_kind(given, classes)
    for label, size, count in zip(classes, sizes, values, strict=True):
        if count > size:
            raise errors.InputError(
                f"n_subclasses={count} for class {errors.plain(label)!r}, which has only {float(size):g} row(s), "
                f"weights counted; give it at most {max(int(float(size)), 1)}: a number for each class, in a list or "
                "as {label: number}, or leave the class out."
            )
    return [int(v) for v in values]


def read_start(given: Any, source: Any, codes: NDArray[np.intp], counts: list[int] | None) -> list[Floats]:
    """Return start responsibilities for the rows of each class."""
    if counts is None:
        raise errors.InputError(
            "init was given, but n_subclasses is to be chosen; pass n_subclasses as numbers with init."
        )
    n = source.table.shape[0]
    try:
        Z = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise errors.InputTypeError(
            f"init={given!r} cannot be read as numbers; give shares of shape ({n}, {sum(counts)}), one row for each "
            "row of X and one column for each subclass, or None."
        ) from error
    if Z.shape != (n, sum(counts)):
        raise errors.InputError(
            f"init has shape {tuple(Z.shape)} but must be ({n}, {sum(counts)}): one row for each row of X, one column "
            f"for each subclass ({errors.listed(counts, 12)} for the classes in order)."
        )
    Z = Z[source.kept]
    first = np.concatenate([[0], np.cumsum(counts)])
    owner = np.repeat(np.arange(len(counts)), counts)
    for rule, bad in (
        ("holds NaN, infinity or negative numbers", ~(np.isfinite(Z) & (Z >= 0)).all(axis=1)),
        ("gives rows to subclasses of other classes", (np.where(owner == codes[:, None], 0.0, Z) > 0).any(axis=1)),
        ("has rows that do not add up to 1", np.abs(Z.sum(axis=1) - 1) > 1e-6),
    ):
        if bad.any():
            raise errors.InputError(
                f"init {rule} (first in row {int(source.kept[np.flatnonzero(bad)[0]])}), but it must hold the shares "
                "of each row in the subclasses of its own class: not negative, adding up to 1, and 0 for other "
                "classes."
            )
    if not Z.any(axis=0).all():
        raise errors.InputError(
            f"init leaves subclass {int(np.flatnonzero(~Z.any(axis=0))[0])} without any row; give it some, or ask for "
            "fewer subclasses."
        )
    Z = Z / Z.sum(axis=1, keepdims=True)
    return [Z[codes == k, first[k] : first[k + 1]] for k in range(len(counts))]


def counts_by_bic(data: Classes, fit: Callable[[Classes, Any], Fit]) -> list[int]:
    """Give one more subclass to the class that gains most by it, while the Bayesian information criterion falls."""
    most = [min(MOST_SUBCLASSES, len(np.unique(rows, axis=0))) for rows in data.rows]

    def bic(counts: list[int]) -> float:
        found = fit(data, data.starts(counts, np.random.RandomState(0), 1)[0])
        return criterion(found.path[-1], data.W, free_parameters(counts, len(found.step.spectrum), data.rank))

    counts = [1] * len(most)
    best = bic(counts)
    while True:
        larger = [[r + (j == k) for j, r in enumerate(counts)] for k in range(len(most)) if counts[k] < most[k]]
        values = [bic(trial) for trial in larger]
        if not values or min(values) >= best:
            return counts
        best, counts = min(values), larger[int(np.argmin(values))]


def free_parameters(counts: Sequence[int], directions: int, p: int) -> int:
    """Return how many numbers are free: shares within classes, means in an affine subspace, one covariance."""
    R, L = sum(counts), directions
    return (R - len(counts)) + p + L * (R - 1 + p - L) + p * (p + 1) // 2


def criterion(log_likelihood: float, weight: float, parameters: int) -> float:
    """Return the Bayesian information criterion, −2 log L + (number of parameters) log W."""
    return float(np.log(weight) * parameters - 2 * log_likelihood)


def _subclasses_kind(value: Any, classes: Iterable[Any]) -> errors.InputError:
    names = [str(label) for label in classes]
    return errors.InputError(
        f"n_subclasses={value!r} is not understood for classes {errors.listed(names)}; use a positive integer, a list "
        f"of {len(names)} of them in the order of classes_, a dict {{label: number}}, or 'bic'."
    )


def best_of(
    data: Classes,
    counts: list[int],
    start: Any,
    run: Callable[..., Fit],
    rng: np.random.RandomState,
    n_init: int,
    tried: int,
) -> Fit:
    """Run EM from every start and return the best fit.

    Parameters
    ----------
    data : Classes
    counts : list of int
        Subclasses of each class.
    start : list of arrays, optional
        Responsibilities to start from; otherwise starts are drawn.
    run : function of data, a start and, optionally, the most steps
    rng : RandomState
    n_init : int
        How many starts are run to the end.
    tried : int
        Starts looked at for each of these.
    """
    if start is not None:
        starts = [start]
    elif max(counts) == 1:
        starts = data.starts(counts, rng, 1)
    else:
        starts = data.starts(counts, rng, tried * n_init)
    if len(starts) > n_init:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", errors.EigenlensWarning)  # of starts that may not be taken
            after = [run(data, Z, LOOK).path[-1] for Z in starts]
        starts = [starts[i] for i in np.argsort(-np.array(after), kind="stable")[:n_init]]
    best = max((run(data, Z) for Z in starts), key=lambda fit: fit.path[-1])
    warn_of_lost(data.labels, counts, best.step.shares)
    return best
