"""What the displays of inverse regression read from a model and rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..rows import Labels, Response
from ..rows.slices import slice_response


def variates(model: Any, X: Any) -> np.ndarray:
    """Return the variates of rows as NumPy floats."""
    scores = model.transform(X)
    return (
        namespaces.to_numpy(scores) if namespaces.is_array(scores) else np.asarray(scores)
    )  # set_output may give a frame


def slice_variates(model: Any) -> np.ndarray:
    """Return the slice means in the variates of a model."""
    return namespaces.to_numpy(model.subspace_.project(namespaces.float64(model.slice_means_)))


def slice_codes(model: Any, y: Any, slices: Any = None) -> np.ndarray:
    """Return the slice of each row, as a place in the model's `slice_means_`; −1 for rows without one."""
    n_slices = model._slicing.cuts if model._slicing is not None and model._slicing.cuts else model.n_slices
    labels, _ = slice_response(Response(y, slices), None, n_slices, model._slicing, may_miss=True)
    known = {label: place for place, label in enumerate(np.asarray(model.slices_).tolist())}
    places = np.array([known.get(label, -1) for label in labels.classes.tolist()])
    return np.where(labels.codes >= 0, places[labels.codes], -1)


def is_ordered(model: Any) -> bool:
    """Tell whether the slices follow one numeric response."""
    return model._slicing is not None and len(model._slicing.cuts) <= 1


def single_response(y: Any) -> Any:
    """Return y as one column: numbers, or words as labels."""
    values = np.asarray(namespaces.to_numpy(y) if namespaces.is_array(y) else y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise errors.InputError(
            f"y has shape {values.shape} but one response is shown at a time; pass one column of it."
        )
    if values.dtype.kind in "OUS" and any(isinstance(v, str) for v in values):
        return Labels.read(values)
    return values.astype(np.float64)
