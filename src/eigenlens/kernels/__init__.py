"""Kernels as objects that add and multiply, functions of their spaces, and their Mercer expansion.

A kernel is called with two tables, has parameters that a grid search can reach, and says whether it is positive
definite or conditionally so.

>>> from eigenlens.kernels import Gaussian, Linear
>>> k = 2 * Gaussian(1.0) + Linear().on([0])
>>> k([[0.0, 0.0]], [[0.0, 0.0], [1.0, 1.0]]).round(3)
array([[2.   , 0.736]])
>>> k.is_positive_definite
True
"""

from .families import (
    Brownian,
    Gaussian,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    SchoenbergKernel,
    Spline,
    ThinPlate,
    Wendland,
)
from .given import FromFeatures, FunctionKernel, Precomputed, as_kernel
from .kernel import Kernel, OnColumns, Product, Scaled, Sum
from .mercer import MercerExpansion, hermite, legendre, mercer
from .rkhs import RKHSFunction
from .wavelet import Wavelet

__all__ = [
    "Brownian",
    "FromFeatures",
    "FunctionKernel",
    "Gaussian",
    "Kernel",
    "Laplacian",
    "Linear",
    "Matern",
    "MercerExpansion",
    "OnColumns",
    "Polynomial",
    "Precomputed",
    "Product",
    "RKHSFunction",
    "Scaled",
    "SchoenbergKernel",
    "Spline",
    "Sum",
    "ThinPlate",
    "Wavelet",
    "Wendland",
    "as_kernel",
    "hermite",
    "legendre",
    "mercer",
]
