"""What to show: displays for fitted models, after scikit-learn's convention.

`XDisplay.from_estimator(model, X, y, ax=None)` computes what is to be seen, `plot()` draws it; `ax_` and `figure_` are
what was drawn on. matplotlib is imported when something is drawn (`pip install eigenlens[plot]`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .coefficients import CoefficientDisplay
    from .configuration import ConfigurationDisplay
    from .dimension import DimensionDisplay
    from .discriminant import DiscriminantDisplay
    from .functions import FunctionDisplay
    from .inverse_curve import InverseCurveDisplay
    from .response import ResponseDisplay
    from .shepard import ShepardDisplay

_HOMES = {
    "CoefficientDisplay": ".coefficients",
    "ConfigurationDisplay": ".configuration",
    "DiscriminantDisplay": ".discriminant",
    "FunctionDisplay": ".functions",
    "DimensionDisplay": ".dimension",
    "InverseCurveDisplay": ".inverse_curve",
    "ResponseDisplay": ".response",
    "ShepardDisplay": ".shepard",
}

__all__ = [
    "CoefficientDisplay",
    "ConfigurationDisplay",
    "DimensionDisplay",
    "DiscriminantDisplay",
    "FunctionDisplay",
    "InverseCurveDisplay",
    "ResponseDisplay",
    "ShepardDisplay",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
