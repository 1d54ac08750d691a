"""What one pass keeps: sufficient statistics that update and merge."""

from __future__ import annotations

from .base import Moments
from .centred import Centred, Factor, Scatter
from .cross import Cross
from .grouped import Grouped
from .neighbours import local_means
from .pairwise import squared_distances
from .patterns import Patterns
from .quartic import Quartic

__all__ = [
    "Centred",
    "Cross",
    "Factor",
    "Grouped",
    "Moments",
    "Patterns",
    "Quartic",
    "Scatter",
    "local_means",
    "squared_distances",
]
