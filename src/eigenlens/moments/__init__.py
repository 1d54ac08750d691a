"""What one pass keeps: sufficient statistics that update and merge."""

from __future__ import annotations

from .base import Moments
from .centred import Centred, Factor, Scatter, choose
from .cross import Cross
from .grouped import Grouped
from .neighbours import local_means
from .pairwise import squared_distances
from .patterns import Patterns
from .quartic import Quartic
from .sql import MomentsQuery, to_sql

__all__ = [
    "Centred",
    "Cross",
    "Factor",
    "Grouped",
    "Moments",
    "MomentsQuery",
    "Patterns",
    "Quartic",
    "Scatter",
    "choose",
    "local_means",
    "squared_distances",
    "to_sql",
]
