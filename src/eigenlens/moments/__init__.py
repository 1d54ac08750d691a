"""Blocks of rows become moments: what one pass keeps, whether the rows come at once, in parts or from several machines.

Moments of two parts add up to those of the whole (`a + b`), weights count as repeated rows, and columns are centred
before they are squared. This room knows no eigenvalues.
"""

from .base import Moments
from .centred import Centred, Factor, Outline, Scatter
from .cross import Cross
from .grouped import Grouped
from .higher import Cubic, Quartic
from .local import local_means
from .mixed import Mixed
from .mixed_patterns import MixedPatterns
from .patterns import Patterns
from .profiles import Profiles
from .row_products import products
from .sql import MomentsQuery, to_sql

__all__ = [
    "Centred",
    "Cross",
    "Cubic",
    "Factor",
    "Grouped",
    "Mixed",
    "MixedPatterns",
    "Moments",
    "MomentsQuery",
    "Outline",
    "Patterns",
    "Profiles",
    "Quartic",
    "Scatter",
    "local_means",
    "products",
    "to_sql",
]
