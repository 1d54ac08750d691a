"""Regressors usable alone and inside FDA and MDA; each is loaded when it is first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_WHERE = {
    "AdaptiveSplines": "adaptive_splines",
    "AdditiveSplines": "additive_splines",
    "PenalizedRegression": "penalized",
    "PolynomialRegression": "polynomial",
    "ProjectionPursuit": "projection_pursuit",
}

__all__ = [
    "AdaptiveSplines",
    "AdditiveSplines",
    "PenalizedRegression",
    "PolynomialRegression",
    "ProjectionPursuit",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
