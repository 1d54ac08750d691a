"""Finding every estimator of the package, so that each meets every law."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import eigenlens


def all_estimators() -> list[type[Any]]:
    """Return the public estimator classes of `eigenlens`, in alphabetical order.

    Returns
    -------
    list of classes

    Examples
    --------
    >>> from eigenlens.testing import all_estimators
    >>> "PCA" in [estimator.__name__ for estimator in all_estimators()]
    True
    """
    return _estimators_of(eigenlens)


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
    return _estimators_of(eigenlens.regress)


def _estimators_of(room: ModuleType) -> list[type[Any]]:
    public = (getattr(room, name) for name in sorted(room.__all__) if name[0].isupper())
    estimators = [thing for thing in public if hasattr(thing, "get_params")]
    asked = {thing: inspect.signature(thing).parameters.values() for thing in estimators}
    # one that must be given another estimator is not walked
    return [thing for thing in estimators if all(p.default is not p.empty for p in asked[thing])]
