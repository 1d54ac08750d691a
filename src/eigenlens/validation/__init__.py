"""How well a model predicts rows that it has not seen: cross-validation from moments, and leave-one-out.

Names are loaded when they are first used: methods need the formulas of this room, and nothing else of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..arrays.lazy import exports

if TYPE_CHECKING:
    from .cross_validation import cross_validate
    from .left_out import leave_one_out
    from .result import CrossValidation, LeaveOneOut

_HOMES = {
    "CrossValidation": ".result",
    "LeaveOneOut": ".result",
    "cross_validate": ".cross_validation",
    "leave_one_out": ".left_out",
}

__all__ = ["CrossValidation", "LeaveOneOut", "cross_validate", "leave_one_out"]

__getattr__, __dir__ = exports(__name__, _HOMES)
