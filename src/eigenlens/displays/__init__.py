"""Fitted models and rows become pictures on matplotlib axes, one function for each picture.

`discriminant(model, X, y, ax=None)` draws, and returns what was drawn: `ax_`, `figure_`, and the numbers of the picture
in `data`. matplotlib is imported when something is drawn (`pip install matplotlib`).
"""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..drawing import Display
from .column_weights import coefficients, functions, loadings
from .configurations import configuration, factor_map, shepard
from .regions import decision, discriminant
from .responses import curvature, inverse_curve, response
from .row_scores import kernel_scores, scores
from .spectra import dimension, mercer, penalty_path, robust_split, scree, sparse_path

__all__ = [
    "coefficients",
    "configuration",
    "curvature",
    "decision",
    "dimension",
    "discriminant",
    "factor_map",
    "functions",
    "inverse_curve",
    "kernel_scores",
    "loadings",
    "mercer",
    "penalty_path",
    "plot",
    "response",
    "robust_split",
    "scores",
    "scree",
    "shepard",
    "sparse_path",
]


def plot(model: Any, X: Any = None, y: Any = None, **options: Any) -> Display:
    """Draw a fitted model with the function of this module that suits it; the `plot` of every model calls this.

    Parameters
    ----------
    model : fitted estimator
    X, y : rows, and their target
    **options
        Passed to the function: `ax`, for instance.

    Returns
    -------
    Display
        With `ax_` and `figure_`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import LDA
    >>> X, y = load_iris(return_X_y=True)
    >>> LDA().fit(X, y).plot(X, y).ax_.get_xlabel()
    'discriminant 1 (99%)'
    """
    check_is_fitted(model)
    name = getattr(getattr(model, "_declaration", None), "display", "scores")
    drawn: Display = globals()[name](model, X, y, **options)
    return drawn
