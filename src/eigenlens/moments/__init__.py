"""What one pass keeps: sufficient statistics that update and merge."""

from __future__ import annotations

from .base import Moments
from .centred import Centred, Factor, Scatter
from .cross import Cross
from .grouped import Grouped
from .mixed import Mixed
from .neighbours import local_means
from .pairwise import squared_distances
from .patterns import Patterns
from .profiles import Profiles
from .quartic import Quartic

__all__ = [
    "Centred",
    "Cross",
    "Factor",
    "Grouped",
    "Mixed",
    "Moments",
    "Patterns",
    "Profiles",
    "Quartic",
    "Scatter",
    "local_means",
    "squared_distances",
]
