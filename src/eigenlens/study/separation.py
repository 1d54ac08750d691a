"""Columns that give classes away: each has one value within every class, and not the same in all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from .._core.errors import listed


def separating_columns(X: np.ndarray, y: np.ndarray, names: list[str]) -> list[str]:
    """Return the columns that do not vary within any class but do between classes."""
    parts = [X[y == label] for label in np.unique(y)]
    fixed = np.logical_and.reduce([part.min(axis=0) == part.max(axis=0) for part in parts])
    varies = X.min(axis=0) < X.max(axis=0)
    return [names[j] for j in np.flatnonzero(fixed & varies)]


def softened(model: Any) -> Any | None:
    """Return the model with what it says it needs where a column separates classes; None where it says nothing."""
    settings = getattr(model, "_if_separated", None)
    return None if settings is None else clone(model).set_params(**settings)


def separation_words(columns: list[str], target: str | None, model: Any) -> tuple[str, str]:
    """Return what was found of such columns, and what became of the model."""
    one, names = len(columns) == 1, listed(map(repr, columns), 6)
    found = (
        f"{names} {'has' if one else 'have'} a single value within each class of {target!r} and "
        f"{'differs' if one else 'differ'} between classes: {'it separates' if one else 'they separate'} classes "
        f"without error. Look whether {'it is' if one else 'they are'} known before the class is; if not, leave "
        f"{'it' if one else 'them'} out (--drop)."
    )
    settings = getattr(model, "_if_separated", {})
    changed = [f"{name}={value!r}" for name, value in settings.items() if repr(getattr(model, name)) == repr(value)]
    kind = type(model).__name__
    how = f"{kind} was fitted with {' and '.join(changed)}: it divides by the spread within classes, and {names} "
    return found, how + f"{'has' if one else 'have'} none." if changed else ""
