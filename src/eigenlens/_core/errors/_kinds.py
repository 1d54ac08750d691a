"""The kinds of exceptions and warnings that all rooms share, and how a warning finds the line of the user."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from sklearn.exceptions import ConvergenceWarning


class InputError(ValueError):
    """The data or an argument cannot be used as given."""


class SeparationError(InputError):
    """A column separates classes without any spread within them, so that a ratio of the two is infinite."""


class InputTypeError(TypeError, ValueError):
    """The data or an argument is of a kind that cannot be used."""


class EigenlensWarning(UserWarning):
    """Root of the warnings of this package."""


class RankWarning(EigenlensWarning):
    """Some directions carry nothing and were left out."""


class ConditionWarning(EigenlensWarning):
    """The data are so nearly collinear that digits were lost."""


class RangeWarning(EigenlensWarning):
    """A number is too large, too small or too long for its floating-point type."""


class WeightWarning(EigenlensWarning):
    """Weights look like shares although they count rows."""


class NotConvergedWarning(EigenlensWarning, ConvergenceWarning):
    """An iteration was ended before it settled."""


class SliceWarning(EigenlensWarning):
    """Slices of the response came out otherwise than asked for."""


class ConstantFitWarning(EigenlensWarning):
    """A regression sees nothing in its rows that parts the classes."""


class PerfectFitWarning(EigenlensWarning):
    """A regression reproduces the classes of its rows exactly, so that nothing measures the spread within them."""


class SubclassWarning(EigenlensWarning):
    """Subclasses stood empty and were left out."""


def warn(warning: Warning) -> None:
    """Issue a warning at the line of the user who called the public method."""
    warnings.warn(warning, stacklevel=_user_frame())


def _user_frame() -> int:
    import sys

    depth = 2
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in (
        "eigenlens",
        "sklearn",
        "joblib",
    ):
        frame, depth = frame.f_back, depth + 1
    return depth


def plain(label: Any) -> Any:
    """Return a label as a person writes it: 'a', not np.str_('a'); labels of object arrays are so already."""
    return label.item() if hasattr(label, "item") else label


def listed(items: Iterable[Any], limit: int = 5) -> str:
    """Write a list for a person: the first few, then how many more."""
    items = [str(item) for item in items]
    more = f" and {len(items) - limit} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more


for _kind in (InputError, SeparationError, InputTypeError, EigenlensWarning, *EigenlensWarning.__subclasses__()):
    _kind.__module__ = __package__  # where they are imported from, and what a traceback should show
