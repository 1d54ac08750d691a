"""Which classes a model file may speak of.

Every class that is defined in one of the rooms below, found by its name when a file asks for it: a new method joins by
being there. Of other libraries, only what is listed. Instances are made without calling their constructors.
"""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .._core.errors import files as errors

ROOT = __name__.split(".")[0]
ROOMS = (
    "methods",
    "regress",
    "kernels",
    "distances",
    "tables",
    "moments",
    "normal",
    "spectral",
    "subspace",
    "inference.result",
    "sources.companions",
    "sources.slices",
)
FOREIGN = {
    "sklearn.pipeline.Pipeline",
    "sklearn.preprocessing._data.StandardScaler",
    "sklearn.linear_model._base.LinearRegression",
    "sklearn.linear_model._ridge.Ridge",
    "scipy.interpolate._bsplines.BSpline",
    "scipy.interpolate._interpolate.PPoly",
}
NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", re.ASCII)


def name_of(cls: type) -> str | None:
    """Return the name under which a class is kept, None where files may not hold it."""
    name = f"{cls.__module__}.{cls.__qualname__}"
    return name if _is_ours(name) or name in FOREIGN else None


def class_of(name: Any) -> type:
    """Return the class of a name in a file."""
    if not isinstance(name, str) or len(name) > 200 or not NAME.fullmatch(name):
        raise errors.unknown_class(str(name)[:200])
    if not _is_ours(name) and name not in FOREIGN:
        raise errors.unknown_class(name)
    module, _, leaf = name.rpartition(".")
    try:
        if name not in FOREIGN and find_spec(module) is None:
            raise errors.unknown_class(name)
        found = getattr(import_module(module), leaf, None)
    except ImportError:
        raise errors.unknown_class(name) from None
    if not isinstance(found, type) or issubclass(found, BaseException) or found.__module__ != module:
        raise errors.unknown_class(name)
    return found


def _is_ours(name: str) -> bool:
    module = name.rpartition(".")[0]
    return any(module == f"{ROOT}.{room}" or module.startswith(f"{ROOT}.{room}.") for room in ROOMS)
