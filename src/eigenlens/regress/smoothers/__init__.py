"""One-dimensional smoothers: the parts of which additive and projection-pursuit models are made."""

from .spline import Curve, SplineSmoother
from .supersmoother import Supersmoother, supersmooth

__all__ = ["Curve", "SplineSmoother", "Supersmoother", "supersmooth"]
