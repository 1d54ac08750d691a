"""One-dimensional smoothers, from which additive and projection-pursuit models are built."""

from .spline import Curve, SplineSmoother
from .supersmoother import Supersmoother, supersmooth

__all__ = ["Curve", "SplineSmoother", "Supersmoother", "supersmooth"]
