"""A normal sample with holes: its maximum likelihood, and what it says about cells that were not observed."""

from .conditional import Conditional
from .expected import ExpectedCells
from .fit import NormalFit, fit, fit_each
from .low_rank import LowRankFit, fit_low_rank
from .resampled_maximum import EachHoledResampler, HoledResampler

__all__ = [
    "Conditional",
    "EachHoledResampler",
    "ExpectedCells",
    "HoledResampler",
    "LowRankFit",
    "NormalFit",
    "fit",
    "fit_each",
    "fit_low_rank",
]
