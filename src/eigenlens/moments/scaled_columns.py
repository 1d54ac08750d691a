"""Moments of columns that were moved and divided, from those of the columns as they were."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import namespaces
from .base import Moments
from .centred import Centred, Factor, Scatter
from .cross import Cross
from .grouped import Grouped
from .patterns import Patterns


def can_scale(moments: Any) -> bool:
    """Tell whether moments are sums of products of columns, in ordinary units."""
    return all(type(part) in (Scatter, Factor) and part.exponent is None for part in _parts(moments))


def columns_total(moments: Any) -> Centred:
    """Return the moments of all rows together, of X and of a second table, whatever groups there are."""
    if isinstance(moments, Grouped):
        return moments.total()
    return moments.joint if isinstance(moments, Cross) else moments


def scale_columns(moments: Moments, centre: np.ndarray, scale: np.ndarray) -> Moments:
    """Return the moments of (x − centre)/scale; a second table stays as it is."""
    new: Any = moments.copy()
    if isinstance(new, Cross):
        s = new.joint.n_features - new.split
        new.joint = _scaled(new.joint, np.append(centre, np.zeros(s)), np.append(scale, np.ones(s)))
        return new
    if isinstance(new, Grouped):
        new.groups = [_scaled(group, centre, scale) for group in new.groups]
        first = new._first
        new._first = (first - namespaces.like(centre, first)) / namespaces.like(scale, first)
        new._joined = None
        return new
    return _scaled(new, centre, scale)


def _scaled(part: Any, centre: np.ndarray, scale: np.ndarray) -> Any:
    new = part.copy()
    if isinstance(part, Patterns):
        new.pivot, new.shift, new.rows = (part.pivot - centre) / scale, part.shift / scale, part.rows / scale
        return new
    c, s = namespaces.like(centre, part.pivot), namespaces.like(scale, part.pivot)
    new.pivot, new.shift, new.store = (part.pivot - c) / s, part.shift / s, part.store.column_scaled(1.0 / s)
    return new


def _parts(moments: Any) -> list[Any]:
    if isinstance(moments, Grouped):
        return list(moments.groups)
    return [moments.joint if type(moments) is Cross else moments]  # others keep more than sums of products
