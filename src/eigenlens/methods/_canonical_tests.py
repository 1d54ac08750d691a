"""Which test of canonical directions is taken, and the rows that it moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .._core import errors
from ..inference import Moves, advise, leverages
from ..sources import Source
from ._rows import labels_of_kept, repeated, repeated_or_none

MOST_CELLS = 1e8  # of rows whose leverages are looked at; larger tables are tested from moments


@dataclass(frozen=True)
class MovedRows:
    """Rows of a test, a row of weight 2 twice, and what moves together; None where each row moves by itself."""

    X: np.ndarray
    y: Any
    moves: Moves | None


def check_moved(method: str | None, groups: Any, block: int | None) -> bool:
    """Tell whether rows move together; refuse it where the test does not move rows."""
    moved = groups is not None or block is not None
    if moved and method not in (None, "permutation"):
        raise errors.InputError(
            f"method={method!r} takes every row by itself; groups and block are for method='permutation'."
        )
    return moved


def of_rows(source: Source, groups: Any, block: int | None, needed: bool) -> MovedRows | None:
    """Read the rows of a test; None if it does not need them and they are too many, or if weights are not counts."""
    read = repeated(source) if needed else repeated_or_none(source, MOST_CELLS)
    if read is None:
        return None
    moved = groups is not None or block is not None
    return MovedRows(read.X, read.y, Moves.of(len(read.X), labels_of_kept(source, groups), block) if moved else None)


def taken(X: np.ndarray, y_leverages: np.ndarray, s: int) -> tuple[Literal["wilks", "permutation"], str]:
    """Choose between Wilks' test and permutations by the leverages of rows; say why, where it is not Wilks' test.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    y_leverages : ndarray of shape (n,)
        Of the other table, or of the classes.
    s : int
        Its rank; one less than the number of classes.
    """
    h = leverages(X)
    p = round(float(h.sum()))
    if len(X) - p - s - 1 <= 0:
        return "wilks", ""  # which says that rows are too few
    advice = advise(h, y_leverages, p, s)
    return advice.method, "" if advice.method == "wilks" else f"Permutations were taken: {advice.reason}."


def wilks_by_default(X: np.ndarray, y_leverages: np.ndarray, s: int) -> bool:
    """Tell whether the default test of these rows makes no permutations."""
    return X.size > MOST_CELLS or taken(X, y_leverages, s)[0] == "wilks"


def unchecked(method: str | None, second: str) -> tuple[str, ...]:
    """Return what is said of a test from moments that nobody chose."""
    return () if method else (f"Normal theory, unchecked: pass X and {second} to have rows decide.",)
