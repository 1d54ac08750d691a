r"""Mercer's expansion of a kernel over a measure.

.. math:: k(x, z) = \sum_i \gamma_i \varphi_i(x) \varphi_i(z), \quad
          \int k(x, z) \varphi_i(z) \, d\mu(z) = \gamma_i \varphi_i(x), \quad
          \int \varphi_i \varphi_j \, d\mu = \delta_{ij},

where μ is the empirical measure of rows, or a quadrature rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.parameters import check_count, check_number
from ..arrays.typing import Array, TableLike
from ..rows.labels import read_weights
from ..solve import Form, Pencil, solve
from . import evaluate
from .given import as_kernel
from .kernel import Kernel
from .rkhs import RKHSFunction


@dataclass(frozen=True, eq=False)
class MercerExpansion:
    """The first terms of Mercer's expansion.

    Attributes
    ----------
    eigenvalues : array of shape (k,)
        γ, descending.
    functions : RKHSFunction
        The k eigenfunctions φ together: (n, k) at n rows.
    kernel : Kernel
    nodes : array of shape (m, p)
    weights : array of shape (m,)
        The measure.
    trace : float
        ∫ k(x, x) dμ, the sum of all eigenvalues.
    truncation_error : float
        The sum of the dropped eigenvalues: ∫ of the error of the truncated kernel on the diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.kernels import Gaussian, mercer
    >>> expansion = mercer(Gaussian(0.5), np.linspace(0, 1, 50)[:, None], n_components=3)
    >>> expansion.eigenvalues.round(2)
    array([0.77, 0.2 , 0.03])
    """

    eigenvalues: Array
    functions: RKHSFunction
    kernel: Kernel
    nodes: Array
    weights: Array
    trace: float
    truncation_error: float

    @property
    def eigenfunctions(self) -> RKHSFunction:
        """The eigenfunctions: called with rows, all of them, (n, k); taken by number, or in a loop, one by one."""
        return self.functions

    def __call__(self, X: TableLike, Z: TableLike | None = None) -> Array:
        """Return the truncated kernel Σ γᵢ φᵢ(x) φᵢ(z)."""
        left = self.functions(X)
        right = left if Z is None else self.functions(Z)
        return (left * namespaces.like(self.eigenvalues, left)) @ right.T

    def features(self, X: TableLike) -> Array:
        """Return √γᵢ φᵢ(x): rows whose inner products are the truncated kernel."""
        values = self.functions(X)
        return values * namespaces.namespace(values).sqrt(namespaces.like(self.eigenvalues, values))

    def error(self, X: TableLike) -> float:
        """Return the largest |k − truncated k| over pairs of rows."""
        apart = self.kernel(X) - self(X)
        return float(namespaces.namespace(apart).max(namespaces.namespace(apart).abs(apart)))

    def __str__(self) -> str:
        share = 1.0 - self.truncation_error / self.trace if self.trace > 0 else 1.0
        return (
            f"{len(self.eigenvalues)} terms carry {share:.2%} of the kernel; {self.truncation_error:.3g} is left out."
        )


def mercer(kernel: Any, X: TableLike, weights: Any = None, n_components: int | None = None) -> MercerExpansion:
    """Expand a kernel in the eigenfunctions of its integral operator.

    Parameters
    ----------
    kernel : kernel, its name, or a function of two tables
    X : table of shape (m, p)
        Rows of a sample, or nodes of a quadrature rule such as `legendre(200)` or `hermite(80)`.
    weights : array of shape (m,), optional
        Weights of the rule; by default 1/m each, the measure of a sample.
    n_components : int or None
        How many terms; None keeps all with γ above 10⁻¹⁰ of the largest, whose functions have at least six digits.

    Returns
    -------
    MercerExpansion
        With `eigenvalues` and `eigenfunctions`.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.kernels import Brownian, legendre, mercer
    >>> expansion = mercer(Brownian(), *legendre(400), n_components=3)
    >>> expansion.eigenvalues.round(4)                      # 1/((i − ½)²π²)
    array([0.4053, 0.045 , 0.0162])
    >>> expansion.eigenfunctions[0]([[0.0], [1.0]]).round(3) + 0.0     # √2 sin(πx/2)
    array([0.   , 1.414])
    """
    check_count(n_components)
    nodes = evaluate.read_rows(X)
    kernel = as_kernel(kernel).fitted(nodes, weights)
    if not kernel.is_positive_definite:
        what = "Mercer's theorem holds for positive definite kernels"
        raise errors.conditional_kernel(kernel, kernel.conditional_order, what, "use one of these")
    m, xp = nodes.shape[0], namespaces.namespace(nodes)
    w = read_weights(np.full(m, 1.0 / m) if weights is None else weights, m)
    assert w is not None
    if not (w > 0).all():
        raise errors.weight_values("zero", 0.0)
    measure = namespaces.like(w, nodes)
    root = xp.sqrt(measure)
    A = kernel._gram(nodes) * root[:, None] * root[None, :]
    spectrum = solve(Pencil(Form(matrix=A), n_components=n_components))
    values = namespaces.to_numpy(spectrum.values)
    clear = int(np.sum(values > (1e-10 if n_components is None else namespaces.EPS) * values[0]))
    spectrum = spectrum.first(max(1, min(spectrum.rank, clear)))
    spectrum = spectrum.mapped(spectrum.vectors / root[:, None])
    coefficients = spectrum.vectors * measure[:, None] / spectrum.values
    trace = float(xp.sum(kernel._diagonal(nodes) * measure))
    left_out = max(0.0, trace - float(xp.sum(spectrum.values)))
    functions = RKHSFunction(kernel, nodes, coefficients)
    return MercerExpansion(spectrum.values, functions, kernel, nodes, measure, trace, left_out)


def legendre(n: int, low: float = 0.0, high: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes (n, 1) and weights of Gauss–Legendre quadrature: the uniform measure on an interval.

    Parameters
    ----------
    n : int
        Number of nodes.
    low, high : float
        Ends of the interval.

    Returns
    -------
    nodes, weights : ndarrays of shapes (n, 1) and (n,)

    Examples
    --------
    >>> from eigenlens.kernels import legendre
    >>> nodes, weights = legendre(5)
    >>> float(round(weights @ nodes[:, 0] ** 4, 6))
    0.2
    """
    check_number("n", n, 1, integer=True)
    t, w = np.polynomial.legendre.leggauss(n)
    return (low + (high - low) * (t + 1) / 2)[:, None], w * (high - low) / 2


def hermite(n: int, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes (n, 1) and weights of Gauss–Hermite quadrature: the normal distribution of that scale.

    Parameters
    ----------
    n : int
        Number of nodes.
    scale : float
        Standard deviation.

    Returns
    -------
    nodes, weights : ndarrays of shapes (n, 1) and (n,)

    Examples
    --------
    >>> from eigenlens.kernels import hermite
    >>> nodes, weights = hermite(5, scale=2.0)
    >>> float(round(weights @ nodes[:, 0] ** 2, 6))
    4.0
    """
    check_number("n", n, 1, integer=True)
    t, w = np.polynomial.hermite_e.hermegauss(n)
    return scale * t[:, None], w / w.sum()
