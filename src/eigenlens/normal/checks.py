"""What a normal sample with holes must hold for its likelihood to have a maximum, and who lacks it, by name."""

from __future__ import annotations

import numpy as np

from .._core import errors
from ..moments import Patterns
from .maximum import SCORE, Maximum

SHOWN = 6  # columns or pairs that a message names
SINKING = 1e-4  # depth of a covariance that, with the likelihood still rising, is on its way to zero
LOADING = 0.1  # share of the largest entry from which a column belongs to a direction


def require_observed(groups: list[Patterns], labels: np.ndarray | None, names: list[str] | None) -> None:
    """Refuse columns that nobody, or nobody of a group, has observed; warn of rows that observe nothing."""
    for k, group in enumerate(groups):
        p = group.n_features
        lacking = np.flatnonzero(~group.masks.any(axis=0)) if group.n_rows else np.arange(p)
        if len(lacking) == 0:
            continue
        among = "" if labels is None else f" among the rows of group {labels[k].item()!r}"
        raise errors.InputError(
            f"No cell of column {_listed(lacking, names)} is observed{among}; it cannot be estimated. "
            f"Leave {'it' if len(lacking) == 1 else 'these columns'} out{'' if labels is None else ', or the group'}."
        )
    blank = sum(group.n_blank for group in groups)
    if blank:
        warn_of_blank_rows(blank)


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
        f"No row observes columns {'; '.join(called)}{more} together, so the cells say nothing of their covariance. "
        f"Leave out one of each pair, or use missing='ppca' (PCA), which assumes a few common factors."
    )


def require_bound(reached: Maximum, columns: np.ndarray, names: list[str] | None) -> None:
    """Refuse a likelihood without a bound: the covariance shrinks to a singular one."""
    point = reached.point
    if point.depth > SINKING or reached.score <= SCORE:
        return
    L = point.L / np.sqrt((point.L**2).sum(axis=1))[:, None]
    direction = np.abs(np.linalg.svd(L)[0][:, -1])
    involved = columns[np.flatnonzero(direction >= LOADING * direction.max())]
    raise errors.InputError(
        f"The observed cells cannot carry a covariance of {len(L)} columns: columns {_listed(involved, names)} "
        f"explain each other completely where they are observed together, and the likelihood has no maximum. "
        f"Leave some of them out, bring more rows, or use missing='ppca' (PCA), which asks for less."
    )


def _name(column: int, names: list[str] | None) -> str:
    return str(int(column)) if names is None else repr(names[column])


def _listed(columns: np.ndarray, names: list[str] | None) -> str:
    return errors.listed([_name(j, names) for j in columns], SHOWN)
