"""What to show: displays of fitted models (matplotlib), in scikit-learn's Display convention."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "CoefficientDisplay": ".coefficients",
    "DiscriminantDisplay": ".discriminant",
    "FunctionDisplay": ".functions",
}

__all__ = ["CoefficientDisplay", "DiscriminantDisplay", "FunctionDisplay"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
