"""What one pass keeps: sufficient statistics that update and merge."""

from __future__ import annotations

from .base import Moments
from .centred import Centred
from .cross import Cross
from .factor import Factor
from .grouped import Grouped
from .neighbours import local_means
from .pairwise import squared_distances
from .patterns import Patterns
from .quartic import Quartic
from .scatter import Scatter

__all__ = [
    "Centred",
    "Cross",
    "Factor",
    "Grouped",
    "Moments",
    "Patterns",
    "Quartic",
    "Scatter",
    "choose",
    "local_means",
    "squared_distances",
]

FACTOR_WORK = 5e7  # multiplications a triangular factor may cost without anyone noticing


def choose(n_rows: int | None, n_columns: int) -> type[Centred]:
    """Choose between the two ways of keeping a scatter.

    A triangular factor keeps all digits where the scatter keeps half of them, and needs only n rows where the
    scatter needs p; it costs about five times the work. So: the factor for fewer rows than columns and for small
    tables, where the difference is not felt; the scatter otherwise.

    Parameters
    ----------
    n_rows : int or None
        Rows to come, if known.
    n_columns : int
    """
    if n_rows is not None and (n_rows <= n_columns or n_rows * n_columns**2 <= FACTOR_WORK):
        return Factor
    return Scatter
