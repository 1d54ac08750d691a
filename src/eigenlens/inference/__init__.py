"""How many directions are real."""

from .canonical import canonical_test
from .counting import horn, minka, noise_band, noise_edge
from .inverse import SliceMoments, li_test, permuted_after, resampled_test, save_test
from .result import DimensionTest

__all__ = [
    "DimensionTest",
    "SliceMoments",
    "canonical_test",
    "horn",
    "li_test",
    "minka",
    "noise_band",
    "noise_edge",
    "permuted_after",
    "resampled_test",
    "save_test",
]
