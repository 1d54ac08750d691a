"""How values are written in messages, and how a warning finds the line of the user."""

from __future__ import annotations

import reprlib
import sys
import warnings
from collections.abc import Iterable
from typing import Any


def warn(warning: Warning) -> None:
    """Issue a warning at the line of the user who called the public method."""
    warnings.warn(warning, stacklevel=_user_frame())


def _user_frame() -> int:
    depth = 2
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in (
        "eigenlens",
        "sklearn",
        "joblib",
    ):
        frame, depth = frame.f_back, depth + 1
    return depth


def shortened(value: Any) -> str:
    """Write a value that may be a whole table, cut where it is long."""
    return reprlib.repr(value)


def plain(label: Any) -> Any:
    """Return a label as a person writes it: 'a', not np.str_('a'); labels of object arrays are so already."""
    return label.item() if hasattr(label, "item") else label


def listed(items: Iterable[Any], limit: int = 5) -> str:
    """Write a list for a person: the first few, then how many more."""
    items = [str(item) for item in items]
    more = f" and {len(items) - limit} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more
