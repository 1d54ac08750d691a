"""Gower's distance between rows of numbers and words, with holes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from ..arrays import errors, memory
from ..arrays.parameters import is_number
from ..arrays.spelling import option, refused


def gower(table: Any, *, weights: Mapping[str, float] | None = None) -> np.ndarray:
    """Return Gower's distances between the rows of a frame with numbers, words and missing cells.

    A column of numbers adds |a − b| divided by its range; a column of words adds 0 for the same word and 1 for a
    different one. The distance is the mean over the columns that both rows have. Ordered categories count by their
    positions.

    Parameters
    ----------
    table : DataFrame (pandas, polars, Arrow) or array
        Rows.
    weights : dict of column to number, optional
        How much columns count; 1 by default.

    Returns
    -------
    ndarray of shape (n, n)
        For `ClassicalMDS(metric="precomputed")`.

    References
    ----------
    Gower (1971), A general coefficient of similarity and some of its properties, Biometrics 27.

    Examples
    --------
    >>> import pandas as pd
    >>> from eigenlens.distances import gower
    >>> gower(pd.DataFrame({"size": [1.0, 2.0, 5.0], "kind": ["a", "a", "b"]})).round(3)
    array([[0.   , 0.125, 1.   ],
           [0.125, 0.   , 0.875],
           [1.   , 0.875, 0.   ]])
    """
    columns = _columns(table)
    if weights is not None and not isinstance(weights, Mapping):
        raise errors.InputTypeError(
            f"weights={weights!r} but it must be a dict of column to weight; for weights in the order of columns write "
            "dict(enumerate(weights)), or dict(zip(table.columns, weights))."
        )
    if weights:  # columns of an array may be named by their numbers
        weights = {name if name in columns else str(name): value for name, value in weights.items()}
    for name in weights or {}:
        if name not in columns:
            raise errors.no_column(str(name), list(columns), option("weights", name))
    n = len(next(iter(columns.values()))[0])
    memory.require(3 * memory.square_bytes(n), f"The {n} × {n} table of distances", "use fewer rows", np.empty(0))
    total, count = np.zeros((n, n)), np.zeros((n, n))
    for name, (values, are_words) in columns.items():
        weight = (weights or {}).get(name, 1.0)
        if not is_number(weight) or not 0 <= weight < np.inf:
            raise refused("weights", weight, f"the weight of column {name!r} must be a number ≥ 0")
        known = ~np.isnan(values)
        both = weight * (known[:, None] & known[None, :])
        filled = np.where(known, values, 0.0)[:, None]
        if are_words:
            apart = (filled != filled.T).astype(float)
        else:
            spread = np.ptp(values[known]) if known.any() else 0.0
            apart = cdist(filled, filled, "cityblock") / spread if spread > 0 else np.zeros((n, n))
        total += both * apart
        count += both
    if weights and not any(weights.get(name, 1.0) for name in columns):
        raise errors.InputError(f"weights={weights!r} leaves no column to compare rows by; give at least one above 0.")
    if (count == 0).any():
        i, j = (int(at) for at in np.argwhere(count == 0)[0])
        raise errors.InputError(f"rows {i} and {j} have no column in common, so no distance; leave out one of them.")
    return total / count


def _columns(table: Any) -> dict[str, tuple[np.ndarray, bool]]:
    """Return columns as numbers, NaN where a cell is missing, and whether these are codes of words."""
    import narwhals.stable.v2 as nw

    frame = nw.from_native(table, eager_only=True, pass_through=True)
    found: dict[str, tuple[np.ndarray, bool]] = {}
    if not isinstance(frame, nw.DataFrame):
        rows = np.asarray(table, dtype=object)
        if rows.ndim != 2 or not rows.size:
            raise errors.InputError(f"table has shape {rows.shape}; pass a frame, or an array of rows and columns.")
        for j in range(rows.shape[1]):
            found[str(j)] = _coded(str(j), rows[:, j].tolist(), None)
        return found
    for name in frame.columns:
        column = frame.get_column(name)  # frame[0] is a row, not the column named 0
        ordered = column.cat.get_categories().to_list() if column.dtype == nw.Enum else None
        found[name] = _coded(name, column.to_list(), ordered)
    if not found or not len(frame):
        raise errors.InputError("table has no rows or no columns; pass some.")
    return found


def _coded(name: str, values: list[Any], ordered: list[Any] | None) -> tuple[np.ndarray, bool]:
    known = [v for v in values if v is not None and v == v]
    are_numbers = all(isinstance(v, int | float | np.number) and not isinstance(v, bool | np.bool_) for v in known)
    if any(isinstance(v, dict | list | set | np.ndarray) for v in known):
        raise errors.InputError(f"column {name!r} holds neither numbers nor words; leave it out.")
    if ordered is None and are_numbers:
        code: Any = float
    else:
        code = {level: float(i) for i, level in enumerate(ordered or dict.fromkeys(known))}.__getitem__
    coded = np.array([np.nan if v is None or v != v else code(v) for v in values])
    if np.isinf(coded).any():
        raise errors.InputError(f"column {name!r} has an infinite cell; correct it, or make it missing.")
    return coded, ordered is None and not are_numbers
