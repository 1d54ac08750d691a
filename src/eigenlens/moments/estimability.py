"""What a normal sample with holes must hold for its likelihood to have a maximum, and who lacks it, by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import errors, memory
from .maximum import SCORE, Maximum
from .patterns import ASKED_CELLS, Patterns
from .sample import Sample

SHOWN = 6  # columns or pairs that a message names
SINKING = 1e-2  # depth of a covariance that, with the likelihood still rising, is on its way to zero
COMPLETELY = 1e-4  # depth below which columns determine each other
SETTLED = 1e-5  # slope below which a maximum that was not quite found is near
LOADING = 0.1  # share of the largest entry from which a column belongs to a direction


def require_observed(
    groups: list[Patterns], labels: np.ndarray | None, names: list[str] | None, sliced: bool = False
) -> None:
    """Refuse columns that no row, or no row of a group, has observed; warn of rows that observe nothing.

    Groups may be slices of a response.
    """
    for k, group in enumerate(groups):
        p = group.n_features
        lacking = np.flatnonzero(~group.masks.any(axis=0)) if group.n_rows else np.arange(p)
        if len(lacking) == 0:
            continue
        among, else_ = "", ""
        if labels is not None:
            among = f" among the rows of {'slice' if sliced else 'group'} {called(labels[k])}"
            else_ = ", or use fewer slices" if sliced else ", or the group"
        one = len(lacking) == 1
        raise errors.InputError(
            f"No cell of column{'' if one else 's'} {_listed(lacking, names)} is observed{among}; "
            f"{'it' if one else 'they'} cannot be estimated. "
            f"Leave {'it' if one else 'these columns'} out{else_}."
        )
    blank = sum(group.n_blank for group in groups)
    if blank:
        warn_of_blank_rows(blank)


def require_spread(groups: list[Patterns], names: list[str] | None) -> None:
    """Refuse columns that one row alone observes, in each group that shares a covariance: it has no variance."""
    if all(group.complete for group in groups):
        return
    once = [(group.masks.sum(axis=0) <= 1) & (group.weights @ group.masks <= 1) for group in groups]
    lacking = np.flatnonzero(np.all(once, axis=0))
    if len(lacking) == 0 or sum(group.weight for group in groups) <= len(groups):
        return
    one = len(lacking) == 1
    raise errors.InputError(
        f"Column{'' if one else 's'} {_listed(lacking, names)} {'is' if one else 'are'} observed in a single row"
        f"{'' if len(groups) == 1 else ' of each group'}, so the cells say nothing about "
        f"{'its variance. Leave it' if one else 'their variances. Leave them'} out, or add rows."
    )


def warn_of_blank_rows(blank: int) -> None:
    """Say how many rows observe nothing."""
    rows = "row is" if blank == 1 else "rows are"
    errors.warn(errors.MissingWarning(f"{blank:,} {rows} all NaN and ignored."))


def require_together(together: np.ndarray, columns: np.ndarray, names: list[str] | None) -> None:
    """Refuse pairs of columns that no row observes together: their covariance is unknown."""
    pairs = np.argwhere(np.triu(together == 0, 1))
    if len(pairs) == 0:
        return
    called = [f"{_name(columns[j], names)} and {_name(columns[k], names)}" for j, k in pairs[:SHOWN]]
    more = f", and {len(pairs) - SHOWN} more pairs" if len(pairs) > SHOWN else ""
    raise errors.InputError(
        f"No row observes columns {'; '.join(called)}{more} together, so the cells say nothing about their covariance. "
        f"Leave out one of each pair, or use missing='ppca' (PCA), which assumes a few common factors."
    )


def require_room(sample: Sample) -> None:
    """Ask for the memory of a climb before it is taken: an inverse for each pattern, and the rows several times."""
    P, p = sample.masks.shape
    observed = sample.masks.sum(axis=1)
    inverted = float(np.sum(np.minimum(observed, p - observed).astype(np.float64) ** 2))
    cells = 4 * inverted + 8 * (len(sample.means) + len(sample.rows)) * p
    if cells > ASKED_CELLS:
        memory.require(
            int(8 * cells),
            f"The likelihood of {P:,} patterns of missing cells",
            "Leave out columns that are often missing, or read fewer rows.",
        )


def require_bound(reached: Maximum, columns: np.ndarray, names: list[str] | None) -> None:
    """Refuse a likelihood without a bound, the covariance becoming singular; warn of a climb that ended early."""
    if reached.score <= SCORE:
        return
    depth, p = reached.point.depth, len(reached.point.L)
    involved = f"columns {_listed(columns[_weakest(reached.point.L)], names)}"
    seldom = _seldom(reached.point.sample, columns, names)
    if depth <= SINKING and reached.score > SETTLED:
        how = "completely" if depth <= COMPLETELY else "almost completely"
        raise errors.InputError(
            f"The observed cells cannot determine a covariance of {p} columns: {involved} explain each other {how} "
            f"where they are observed together, and the likelihood has no maximum that can be found. "
            f"Leave some of them out, add rows, or use missing='ppca' (PCA), which needs less.{seldom}"
        )
    errors.warn(
        errors.NotConvergedWarning(
            f"The likelihood of the observed cells was still rising when the iteration ended (slope "
            f"{reached.score:.1e} after {reached.n_steps} evaluations): the cells say little about {involved}, which "
            f"depend on each other most. Leave out one that is seldom observed, or use missing='ppca' (PCA).{seldom}"
        )
    )


def _weakest(L: np.ndarray) -> np.ndarray:
    """Return the columns of the direction that varies least, in units of their standard deviations."""
    direction = np.abs(np.linalg.svd(L / np.sqrt((L**2).sum(axis=1))[:, None])[0][:, -1])
    return np.flatnonzero(direction >= LOADING * direction.max())


def _seldom(sample: Sample, columns: np.ndarray, names: list[str] | None) -> str:
    """Name the column that is observed least, where that is less than half of the time."""
    seen = np.diagonal(sample.together)
    j = int(seen.argmin())
    if seen[j] >= 0.5 * sample.weight:
        return ""
    return f" Column {_name(columns[j], names)} is observed in {seen[j]:,.6g} of {sample.weight:,.6g} rows."


def called(label: Any) -> str:
    """Return a class or slice as a message writes it."""
    return repr(label.item() if hasattr(label, "item") else label)


def _name(column: int, names: list[str] | None) -> str:
    return str(int(column)) if names is None else repr(names[column])


def _listed(columns: np.ndarray, names: list[str] | None) -> str:
    return errors.listed([_name(j, names) for j in columns], SHOWN)
