"""Objects of any kind, words or graphs, of which only a function of two is known: a kernel or a distance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arrays import errors
from ..arrays.parameters import is_number


@dataclass(frozen=True, eq=False)
class Objects:
    """The objects of a fit, and the function that says something about two of them.

    Attributes
    ----------
    function : callable
        Two objects to a number.
    items : list
    params : dict
        Further arguments of the function.
    """

    function: Callable[..., Any]
    items: list[Any]
    params: dict[str, Any] = field(default_factory=dict)

    def table(self, X: Any) -> np.ndarray:
        """Return what the function says of new objects, in rows, and those of the fit."""
        items = objects_in(X)
        if items is None:
            raise errors.InputTypeError(
                f"the model was fitted to a list of objects ({type(self.items[0]).__name__}), so X must be a list of "
                f"them as well, and not {errors.shortened(X)}."
            )
        return _table(self.function, items, self.items, self.params)

    def among(self, items: list[Any]) -> np.ndarray:
        """Return what the function says of objects among themselves."""
        return _table(self.function, items, items, self.params)


def objects_in(X: Any) -> list[Any] | None:
    """Return the objects in a list, or in a column of any library; None where X holds numbers or rows of numbers.

    An array of one dimension and dtype object may hold anything but numbers: rows of different lengths too.
    """
    listed = isinstance(X, list | tuple)
    if not (listed or len(getattr(X, "shape", ())) == 1):
        return None
    items = list(X)
    if not items or any(_is_number(item) or (listed and _is_row(item)) for item in items):
        return None
    return items


def _is_number(item: Any) -> bool:
    if isinstance(item, str | bytes):
        return False
    return item is None or isinstance(item, bool | complex) or is_number(item) or getattr(item, "ndim", None) == 0


def _is_row(item: Any) -> bool:
    return isinstance(item, list | tuple | np.ndarray) and getattr(item, "ndim", 1) == 1 and all(map(_is_number, item))


def _table(function: Callable[..., Any], left: list[Any], right: list[Any], params: dict[str, Any]) -> np.ndarray:
    values = np.empty((len(left), len(right)))
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            value = function(one, other, **params)
            if not (isinstance(value, bool | np.bool_) or is_number(value)) or not np.isfinite(float(value)):
                name = getattr(function, "__name__", type(function).__name__)
                raise errors.InputError(
                    f"{name} gives {errors.shortened(value)} for objects {i} and {j}; it must give a finite number "
                    "for any two objects."
                )
            values[i, j] = value
    return values
