"""A normal sample with holes: its maximum likelihood, and what it says of cells that were not observed."""

from .conditional import Conditional
from .fit import NormalFit, fit, fit_each
from .low_rank import LowRankFit, fit_low_rank

__all__ = ["Conditional", "LowRankFit", "NormalFit", "fit", "fit_each", "fit_low_rank"]
