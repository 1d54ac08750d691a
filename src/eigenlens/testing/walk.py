"""Finding every estimator of the package, so that each meets every law."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from types import ModuleType
from typing import Any

import eigenlens.methods as methods
import eigenlens.regress as regress


def all_estimators() -> list[type[Any]]:
    """Return the public estimator classes of `eigenlens.methods`, in alphabetical order.

    Returns
    -------
    list of classes

    Examples
    --------
    >>> from eigenlens.testing import all_estimators
    >>> "PCA" in [estimator.__name__ for estimator in all_estimators()]
    True
    """
    return _estimators_of(methods)


def all_regressors() -> list[type[Any]]:
    """Return the public estimator classes of `eigenlens.regress`, in alphabetical order.

    Returns
    -------
    list of classes

    Examples
    --------
    >>> from eigenlens.testing import all_regressors
    >>> "AdaptiveSplines" in [regressor.__name__ for regressor in all_regressors()]
    True
    """
    return _estimators_of(regress)


def _estimators_of(room: ModuleType) -> list[type[Any]]:
    found = {}
    for module_info in pkgutil.iter_modules(room.__path__):
        if module_info.name.startswith("_"):
            continue
        module = import_module(f"{room.__name__}.{module_info.name}")
        for name, thing in inspect.getmembers(module, inspect.isclass):
            if thing.__module__ == module.__name__ and not name.startswith("_") and hasattr(thing, "get_params"):
                found[name] = thing
    return [found[name] for name in sorted(found)]
