"""Whole tables become regressors that search for their terms, for use on their own or inside FDA and MDA.

Each is a scikit-learn regressor with several responses and weights, in a file of its own; what adaptive splines are
made of is in `hinges`, and the scores that discriminant analysis regresses are in `optimal_scoring.py`. Each is loaded
when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..arrays.lazy import exports

if TYPE_CHECKING:
    from .adaptive_splines import AdaptiveSplines
    from .additive_splines import AdditiveSplines
    from .directions_curve import CurveOnDirections
    from .penalized import PenalizedRegression
    from .polynomial import PolynomialRegression
    from .projection_pursuit import ProjectionPursuit

_HOMES = {
    "AdaptiveSplines": ".adaptive_splines",
    "AdditiveSplines": ".additive_splines",
    "CurveOnDirections": ".directions_curve",
    "PenalizedRegression": ".penalized",
    "PolynomialRegression": ".polynomial",
    "ProjectionPursuit": ".projection_pursuit",
}

__all__ = [
    "AdaptiveSplines",
    "AdditiveSplines",
    "CurveOnDirections",
    "PenalizedRegression",
    "PolynomialRegression",
    "ProjectionPursuit",
]

__getattr__, __dir__ = exports(__name__, _HOMES)
