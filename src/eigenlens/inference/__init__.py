"""How many directions are real."""

from .canonical import test_canonical
from .counting import horn, minka, noise_edge
from .result import DimensionTest

__all__ = ["DimensionTest", "horn", "minka", "noise_edge", "test_canonical"]
