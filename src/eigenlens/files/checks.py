"""What an object from a file may be: known attributes, known kinds of values, and no larger than it looks."""

from __future__ import annotations

import dataclasses
import inspect
from collections import Counter
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from types import MemberDescriptorType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays.stored import Kind
from .registry import FOREIGN

KEYS = 2**17  # of a dictionary whose keys are not text
SAME_HASH = 32  # keys that may share a hash value: honest numbers hardly ever do
PARTS = 10**6  # objects that a walk through a model would meet, those that are shared counted each time
LEVELS = 100  # objects within objects
PLAIN = (bool, int, float, str, np.generic, np.dtype, np.ndarray, BaseEstimator, type(None))


def checked(kind: Kind, attributes: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of an object, with defaults for parameters that its file does not have."""
    if issubclass(kind.cls, BaseEstimator):
        parameters = _parameters(kind.cls)
        if kind.name in FOREIGN:
            attributes = _foreign_attributes(kind, attributes, parameters)
        for name in attributes.keys() & parameters.keys():
            _check_parameter(kind, name, attributes[name])
        for name, default in parameters.items():
            if default is not inspect.Parameter.empty:
                attributes.setdefault(name, default)
    for name in attributes:
        if not _is_known(kind.cls, name):
            raise ValueError(f"a {kind.cls.__name__} has no attribute {name[:40]!r}")
    _check_complete(kind, attributes)
    return attributes


def _check_complete(kind: Kind, attributes: dict[str, Any]) -> None:
    """Refuse a record that lacks a field; what has a default came in after the file was written."""
    for field in dataclasses.fields(kind.cls) if dataclasses.is_dataclass(kind.cls) else ():
        if field.name in attributes:
            continue
        if field.default is not dataclasses.MISSING:
            attributes[field.name] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            attributes[field.name] = field.default_factory()
        else:
            raise ValueError(f"a {kind.cls.__name__} lacks {field.name}")


def _parameters(cls: type[BaseEstimator]) -> dict[str, Any]:
    names = inspect.signature(cls.__init__).parameters
    return {name: names[name].default for name in cls._get_param_names()}


def _foreign_attributes(kind: Kind, attributes: dict[str, Any], parameters: dict[str, Any]) -> dict[str, Any]:
    """Drop parameters that the installed version does not know, and refuse values of an unexpected kind."""
    allowed = FOREIGN[kind.name].parameters
    kept = {n: v for n, v in attributes.items() if n in parameters or n.endswith("_") or n.startswith("_")}
    if kind.name == "sklearn.Pipeline":
        kept["memory"] = None
        _check_steps(kept.get("steps"))
    for name in kept.keys() & parameters.keys():
        if not isinstance(kept[name], allowed.get(name, ())):
            raise ValueError(f"{name} of a {kind.cls.__name__} is a {type(kept[name]).__name__}")
    return kept


def _check_steps(steps: Any) -> None:
    whole = isinstance(steps, list) and all(isinstance(step, tuple) and len(step) == 2 for step in steps)
    if not whole or not steps or not all(isinstance(name, str) for name, _ in steps):
        raise ValueError("the steps of a Pipeline are not pairs of a name and an estimator")
    if not all(isinstance(step, BaseEstimator) or step in (None, "passthrough") for _, step in steps):
        raise ValueError("a step of a Pipeline is not an estimator")


def _check_parameter(kind: Kind, name: str, value: Any) -> None:
    if isinstance(value, list | tuple):
        for item in value:
            _check_parameter(kind, name, item)
    elif isinstance(value, dict):
        for item in value.values():
            _check_parameter(kind, name, item)
    elif not isinstance(value, PLAIN):
        what = "a class" if isinstance(value, type) else f"a {type(value).__name__}"
        raise ValueError(f"{name} of a {kind.cls.__name__} is {what}")


def _is_known(cls: type, name: str) -> bool:
    """Tell whether instances may have an attribute: one of their own, that hides no method of the class."""
    there = inspect.getattr_static(cls, name, None)
    if isinstance(there, cached_property | MemberDescriptorType):
        return True
    if dataclasses.is_dataclass(cls):
        return name in {field.name for field in dataclasses.fields(cls)}
    if hasattr(there, "__get__") or callable(there):
        return False
    return not issubclass(cls, BaseEstimator) or name in _parameters(cls) or name.endswith("_") or name.startswith("_")


def check_keys(keys: list[Any]) -> None:
    """Refuse keys that are not plain, that repeat, or that were made to collide: those take quadratic time."""
    if not all(_is_key(key) for key in keys):
        raise ValueError("a key is neither text nor a number")
    if len(keys) > KEYS and not all(type(key) is str for key in keys):
        raise ValueError(f"a dictionary has {len(keys):,} keys, and {KEYS:,} are allowed")
    if keys and max(Counter(map(hash, keys)).values()) > SAME_HASH:
        raise ValueError("its keys were made to collide")
    if len(set(keys)) != len(keys):
        raise ValueError("a key occurs twice")


def _is_key(key: Any) -> bool:
    if isinstance(key, tuple):
        return all(map(_is_key, key))
    return key is None or isinstance(key, bool | int | float | str | np.generic)


def check_tree(parts: list[list[int]]) -> list[int]:
    """Refuse objects that hold themselves, or that share parts so that walking through them never ends.

    Return the numbers of the objects, parts before what holds them.
    """
    sizes, levels = [1] * len(parts), [1] * len(parts)
    try:
        order = list(TopologicalSorter(dict(enumerate(parts))).static_order())
    except CycleError:
        raise ValueError("an object contains itself") from None
    for number in order:
        for part in parts[number]:
            sizes[number] += sizes[part]
            levels[number] = max(levels[number], levels[part] + 1)
        if sizes[number] > PARTS or levels[number] > LEVELS:
            raise ValueError("its objects are nested too deeply")
    return order
