"""One-dimensional smoothers: the parts of which additive and projection-pursuit models are made."""

from eigenlens.regress.smoothers.spline import Curve, SplineSmoother
from eigenlens.regress.smoothers.supersmoother import Supersmoother, supersmooth

__all__ = ["Curve", "SplineSmoother", "Supersmoother", "supersmooth"]
