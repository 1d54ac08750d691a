"""Distances: Schoenberg transforms, which keep squared distances squared distances."""

from .transforms import (
    Composition,
    Exponential,
    Identity,
    Logarithm,
    Measure,
    Power,
    Rational,
    SchoenbergTransform,
)

__all__ = [
    "Composition",
    "Exponential",
    "Identity",
    "Logarithm",
    "Measure",
    "Power",
    "Rational",
    "SchoenbergTransform",
]
