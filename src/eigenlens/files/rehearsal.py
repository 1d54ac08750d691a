"""A rehearsal: a model from a file answers for a few rows before anybody relies on it.

The parts of a fitted model fit together in ways that only its class knows. Its own methods try them.
"""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline

from ..arrays.errors import InputError, InputTypeError
from ..moments import Moments

OURS = (InputError, InputTypeError, NotFittedError)  # these rows do not suit the model, as other rows may
FREE = 2**20  # columns that a small file may claim: those that it scales and forgets are nowhere in it


def rehearse(model: BaseEstimator | Moments, size: int) -> None:
    """Raise ValueError if a model cannot answer for rows; `size` is that of its file in bytes."""
    if isinstance(model, Moments):
        _answer(model, "__repr__")
        return
    for part in _steps(model):
        _require_parameters(part)
    model = copy.copy(model)  # what a model keeps from its first answer stays out of it
    columns = _columns(model, size)
    if columns is None:
        return
    rows = 1 + np.arange(3 * columns).reshape(3, columns) % 7 / 2  # positive, as some models want them
    holes = rows.copy()
    holes[1, ::2] = np.nan
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        _try(model, rows)
        _try(model, rows[:2])  # three may happen to be the length of something that should have another
        if hasattr(model, "missing"):
            _try(model, holes)


def _steps(model: BaseEstimator) -> list[Any]:
    """Return a model, or the steps of a pipeline."""
    return [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]


def _require_parameters(model: Any) -> None:
    """Raise ValueError if a model of ours has a parameter that a fit would refuse whatever the rows."""
    check = getattr(model, "_check_parameters", None)
    if check is None:
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check()
    except OURS as error:
        raise ValueError(f"it has a parameter that {type(model).__name__} does not take: {error}") from None


def _try(model: BaseEstimator, rows: np.ndarray) -> None:
    """Ask a model for everything that it gives for rows."""
    scores = _answer(model, "transform", rows)
    if isinstance(scores, np.ndarray):
        _check_width(scores, rows, _answer(model, "_n_features_out"), "transform")
        if hasattr(model, "subspace_"):  # others search for the rows behind scores, which takes time
            _answer(model, "inverse_transform", scores)
        _answer(model, "get_feature_names_out")
    if not hasattr(model, "predict"):
        _answer(model, "score", rows)
    _answer(model, "predict", rows)
    classes = getattr(model, "classes_", None)
    for name in ("predict_proba", "decision_function"):
        found = _answer(model, name, rows)
        if isinstance(found, np.ndarray) and (classes is not None and found.ndim > 1):
            _check_width(found, rows, len(np.atleast_1d(classes)), name)
    if classes is not None and np.ndim(classes) != 1:
        raise ValueError("its classes are not a list")


def _columns(model: BaseEstimator, size: int) -> int | None:
    """Return how many columns rows of a model have, None where it does not say."""
    columns = getattr(model, "n_features_in_", None)
    if columns is None and type(model).__module__.split(".")[0] != __name__.split(".")[0]:
        return None
    if not isinstance(columns, int | np.integer) or isinstance(columns, bool) or columns < 0:
        raise ValueError("the number of its columns is not a whole number")
    if columns > max(size, FREE):
        raise ValueError(f"it claims {columns:,} columns but has {size:,} bytes")
    names = getattr(model, "feature_names_in_", None)
    if names is not None and np.shape(names) != (columns,):
        raise ValueError(f"it names {np.size(names):,} columns but claims {columns:,}")
    return int(columns)


def _answer(model: BaseEstimator | Moments, name: str, *rows: np.ndarray) -> Any:
    """Return what a method of a model says, or one of its attributes; None where it has none or refuses."""
    try:
        found = getattr(model, name, None)
        return found(*rows) if callable(found) else found
    except OURS:
        return None
    except Exception as error:
        raise ValueError(f"its parts do not fit together ({name} fails: {type(error).__name__}: {error})") from None


def _check_width(found: np.ndarray, rows: np.ndarray, columns: Any, name: str) -> None:
    if found.ndim == 0 or len(found) != len(rows) or (columns is not None and found.shape[1:] != (columns,)):
        raise ValueError(f"its parts do not fit together ({name} of {len(rows)} rows has the shape {found.shape})")
