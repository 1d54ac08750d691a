"""The target of a study: its kind, its labels, and how cells are written."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.spelling import option, refused
from ..rows.judging import Column
from .plan import Plan

MOST_CLASSES = 50
CLASSES_OF_NUMBERS = 10  # whole numbers of at most so many different values are classes, unless told otherwise


def kind_of_target(plan: Plan, profile: dict[str, Column]) -> str:
    """Return what is asked: the kind of the target, or of the table."""
    if plan.distances:
        return "distances"
    if plan.views is not None:
        return "views"
    if plan.target is None:
        return "none"
    column = profile[plan.target]
    if column.kind == "word":
        if plan.target_is == "number":
            raise refused("target", plan.target, f"it holds words, not numbers; leave out {option('as', 'number')}")
        return "classes"
    if plan.target_is is not None:
        return plan.target_is
    kinds = column.high - column.low + 1
    few = column.whole and kinds <= CLASSES_OF_NUMBERS and column.numbers > kinds  # so that some value repeats
    return "classes" if few else "number"


def target_of(column: Any, kind: str) -> np.ndarray:
    """Return a target: labels as text, or numbers."""
    if kind == "classes":
        labels, codes = labels_of(column)
        return labels[codes]
    return np.asarray(column.to_numpy(), dtype=float)


def labels_of(column: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the different classes of a column as text, sorted, and the place of each row's among them."""
    import pyarrow as pa

    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(column, pa.ChunkedArray):  # of no chunks
        column = pa.array([], type=column.type)
    coded = column.dictionary_encode()
    texts = np.array([written(v) for v in coded.dictionary.to_pylist()], dtype=str)
    labels, places = np.unique(texts, return_inverse=True)
    return labels, places[np.asarray(coded.indices.to_numpy(zero_copy_only=False), dtype=np.intp)]


def too_many_classes(target: str | None, count: int) -> Exception:
    """Refuse a target with more values than classes have."""
    rule = f"it has {count:,} different values, too many for classes"
    return refused("target", target, f"{rule}; if it is a number, add {option('as', 'number')}")


def written(value: Any) -> str:
    """Return a cell as text: a whole number without its decimals."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def shown_column(column: Any) -> np.ndarray:
    """Return a column as the page shows it: numbers, or words as objects."""
    import pyarrow as pa

    if pa.types.is_floating(column.type):
        return np.asarray(column.to_numpy(), dtype=float)
    return np.array(column.to_pylist(), dtype=object)
