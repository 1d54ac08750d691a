"""How many directions are real."""

from .canonical import canonical_test
from .counting import horn, minka, noise_edge
from .result import DimensionTest

__all__ = ["DimensionTest", "canonical_test", "horn", "minka", "noise_edge"]
