"""Finding every estimator of the package, so that each meets every law."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from typing import Any

from .. import methods


def all_estimators() -> list[type[Any]]:
    """Return the public estimator classes of `eigenlens.methods`, in alphabetical order."""
    found = {}
    for module_info in pkgutil.iter_modules(methods.__path__):
        if module_info.name.startswith("_"):
            continue
        module = import_module(f"{methods.__name__}.{module_info.name}")
        for name, thing in inspect.getmembers(module, inspect.isclass):
            if thing.__module__ == module.__name__ and not name.startswith("_") and hasattr(thing, "get_params"):
                found[name] = thing
    return [found[name] for name in sorted(found)]
