"""What to show: displays for fitted models, after scikit-learn's convention.

`XDisplay.from_estimator(model, X, y, ax=None)` computes what is to be seen, `plot()` draws it; `ax_` and `figure_` are
what was drawn on. matplotlib is imported when something is drawn (`pip install eigenlens[plot]`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from ..arrays.lazy import exports
from ..drawing import Display

if TYPE_CHECKING:
    from .coefficients import CoefficientDisplay
    from .configuration import ConfigurationDisplay
    from .curvature import CurvatureDisplay
    from .decision import DecisionDisplay
    from .dimension import DimensionDisplay
    from .discriminant import DiscriminantDisplay
    from .factor_map import FactorMapDisplay
    from .functions import FunctionDisplay
    from .inverse_curve import InverseCurveDisplay
    from .kernel_scores import KernelPCADisplay
    from .kernel_spectrum import MercerDisplay
    from .loadings import LoadingsDisplay
    from .path import PathDisplay
    from .response_plot import ResponseDisplay
    from .robust import RobustSplitDisplay
    from .scores import ScoresDisplay
    from .shepard import ShepardDisplay
    from .sparse_path import ScreeDisplay, SparsePathDisplay

_HOMES = {
    "CurvatureDisplay": ".curvature",
    "DecisionDisplay": ".decision",
    "KernelPCADisplay": ".kernel_scores",
    "MercerDisplay": ".kernel_spectrum",
    "PathDisplay": ".path",
    "CoefficientDisplay": ".coefficients",
    "ConfigurationDisplay": ".configuration",
    "DiscriminantDisplay": ".discriminant",
    "FactorMapDisplay": ".factor_map",
    "FunctionDisplay": ".functions",
    "DimensionDisplay": ".dimension",
    "InverseCurveDisplay": ".inverse_curve",
    "LoadingsDisplay": ".loadings",
    "ResponseDisplay": ".response_plot",
    "ScoresDisplay": ".scores",
    "ShepardDisplay": ".shepard",
    "RobustSplitDisplay": ".robust",
    "ScreeDisplay": ".sparse_path",
    "SparsePathDisplay": ".sparse_path",
}

__all__ = [
    "CoefficientDisplay",
    "ConfigurationDisplay",
    "CurvatureDisplay",
    "DecisionDisplay",
    "DimensionDisplay",
    "DiscriminantDisplay",
    "FactorMapDisplay",
    "FunctionDisplay",
    "InverseCurveDisplay",
    "KernelPCADisplay",
    "LoadingsDisplay",
    "MercerDisplay",
    "PathDisplay",
    "ResponseDisplay",
    "RobustSplitDisplay",
    "ScoresDisplay",
    "ScreeDisplay",
    "ShepardDisplay",
    "SparsePathDisplay",
    "plot",
]


__getattr__, __dir__ = exports(__name__, _HOMES)


def plot(model: Any, X: Any = None, y: Any = None, **options: Any) -> Display:
    """Draw a fitted model with the display that suits it; the `plot` of every model calls this.

    Parameters
    ----------
    model : fitted estimator
    X, y : rows, and their target
    **options
        Passed to the display's `from_estimator`.

    Returns
    -------
    display
        With `ax_` and `figure_`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import LDA
    >>> X, y = load_iris(return_X_y=True)
    >>> type(LDA().fit(X, y).plot(X, y)).__name__
    'DiscriminantDisplay'
    """
    check_is_fitted(model)
    kind = __getattr__(getattr(getattr(model, "_declaration", None), "display", "ScoresDisplay"))
    if y is None and kind.without_target:
        kind = __getattr__(kind.without_target)
    if not kind.needs:
        return kind.from_estimator(model, *((X,) if kind.rows_optional and X is not None else ()), **options)
    if X is None or (y is None and kind.needs == "X, y"):
        from ..arrays.errors import InputError

        given, need = ("X=None", "pass X (and y)") if X is None else ("y=None", "pass X and y")
        raise InputError(f"{given}, but the picture of a {type(model).__name__} is drawn with rows; {need}.")
    return kind.from_estimator(model, X, y, **options)
