"""The rows of a fit, found again as long as somebody else keeps them."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any


class Recall:
    """What `fit` was given, without keeping it alive: a model of a large table must not hold the table.

    Columns (labels, weights) are kept, and so are lists, which know no weak references; pickles hold nothing.
    """

    def __init__(self, *given: Any) -> None:
        self._given = [_weak(value) for value in given]

    def __call__(self) -> tuple[Any, ...] | None:
        """Return what was given, or None where some of it is gone."""
        found = tuple(value() for value, _ in self._given)
        gone = any(value is None and was_there for value, (_, was_there) in zip(found, self._given, strict=True))
        return None if gone or not found else found

    def __reduce__(self) -> Any:
        return Recall, ()


def _weak(value: Any) -> tuple[Callable[[], Any], bool]:
    """Return what finds a value again, and whether there was one."""
    if getattr(value, "ndim", 2) == 2:
        try:
            return weakref.ref(value), True
        except TypeError:
            pass
    return lambda: value, value is not None
