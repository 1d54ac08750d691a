"""Distances: tests of the form of a matrix, transforms that keep distances Euclidean, repairs, and alignment of maps.

`is_positive_semidefinite`, `is_conditionally_negative_definite` and `is_squared_distance` answer with evidence;
`double_center` turns squared distances into inner products, `from_similarity` and `from_kernel` go the other way, and
`gram_factor` makes points of inner products; `Identity`, `Exponential`, `Logarithm`, `Rational`, `Power`
and `Measure` are Schoenberg transforms; `lingoes`, `cailliez` and `clip` make squared distances Euclidean; `procrustes`
aligns one map with another; `gower` measures rows of numbers and words. `eigenlens.ClassicalMDS` makes the maps.
"""

from .centred_form import (
    FormTest,
    double_center,
    from_kernel,
    from_similarity,
    gram_factor,
    is_conditionally_negative_definite,
    is_positive_semidefinite,
    is_squared_distance,
)
from .gower import gower
from .procrustes import Alignment, procrustes
from .repairs import Repair, cailliez, clip, lingoes
from .transforms import (
    BernsteinTest,
    Composition,
    Exponential,
    Identity,
    Logarithm,
    Measure,
    Power,
    Rational,
    Scaled,
    SchoenbergTransform,
    Sum,
    is_bernstein,
)

__all__ = [
    "Alignment",
    "BernsteinTest",
    "Composition",
    "Exponential",
    "FormTest",
    "Identity",
    "Logarithm",
    "Measure",
    "Power",
    "Rational",
    "Repair",
    "Scaled",
    "SchoenbergTransform",
    "Sum",
    "cailliez",
    "clip",
    "double_center",
    "from_kernel",
    "from_similarity",
    "gower",
    "gram_factor",
    "is_bernstein",
    "is_conditionally_negative_definite",
    "is_positive_semidefinite",
    "is_squared_distance",
    "lingoes",
    "procrustes",
]
