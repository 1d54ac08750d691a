"""Moments of columns that were moved and divided, from those of the columns as they were."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import AboutPivot, Composed, Moments
from .centred import Centred, Factor, Scatter
from .cross import Cross
from .grouped import Grouped


def can_scale(moments: Any) -> bool:
    """Tell whether moments are sums of products of columns, in ordinary units."""
    parts = moments._parts if isinstance(moments, Grouped) or type(moments) is Cross else [moments]
    return all(type(part) in (Scatter, Factor) and part.exponent is None for part in parts)


def columns_total(moments: Any) -> Centred:
    """Return the moments of all rows together, of X and of a second table, whatever groups there are."""
    if isinstance(moments, Grouped):
        return moments.total()
    return moments.joint if isinstance(moments, Cross) else moments


def scale_columns(moments: Moments, centre: np.ndarray, scale: np.ndarray) -> Moments:
    """Return the moments of (x − centre)/scale; a second table stays as it is."""
    if isinstance(moments, Cross):
        s = moments.joint.n_features - moments.split
        centre, scale = np.append(centre, np.zeros(s)), np.append(scale, np.ones(s))
    if isinstance(moments, Composed):
        return moments._mapped(lambda part: part.standardised(centre, scale), lambda total: total)
    assert isinstance(moments, AboutPivot)
    return moments.standardised(centre, scale)
