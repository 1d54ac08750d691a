"""Kernels from the user: a matrix, or a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.parameters import check_flag
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..distances.square_tables import as_square
from .evaluate import BlockFunction
from .families import Brownian, Gaussian, Laplacian, Linear, Matern, Polynomial, Spline, ThinPlate, Wendland
from .kernel import Kernel

NAMES: dict[str, type[Kernel]] = {
    "linear": Linear,
    "polynomial": Polynomial,
    "gaussian": Gaussian,
    "laplacian": Laplacian,
    "matern": Matern,
    "wendland": Wendland,
    "spline": Spline,
    "thin_plate": ThinPlate,
    "brownian": Brownian,
}


@stored("kernel.Precomputed")
class Precomputed(Kernel):
    """A kernel matrix that you pass instead of rows: k(X, X) to `fit`, k(new, X) to other methods.

    Parameters
    ----------
    clip : bool
        What to do with a matrix that has negative eigenvalues: refuse it, naming the smallest, or set them to zero.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import KernelPCA
    >>> from eigenlens.kernels import Linear, Precomputed
    >>> X = np.array([[0.0, 1.0], [2.0, 0.0], [4.0, 5.0]])
    >>> KernelPCA(1, kernel=Precomputed()).fit(Linear()(X)).eigenvalues_.round(3)
    array([19.544])
    """

    _composable = False
    _numbers: Any = None

    def __init__(self, clip: bool = False) -> None:
        self.clip = clip

    def _check_parameters(self) -> None:
        check_flag("clip", self.clip)

    def _against(self, Z: Array, pivot: Array | None = None) -> BlockFunction:
        """Pick columns: the points of a fit are their own numbers."""

        def function(X: Array) -> Array:
            xp = namespaces.namespace(X)
            return xp.take(X, xp.astype(Z[:, 0], xp.int64), axis=1)

        return function

    def of_columns(self, numbers: np.ndarray) -> Precomputed:
        """Return a copy for a fit to some of the rows: their numbers are its points."""
        kernel = Precomputed(self.clip)
        kernel._numbers = numbers
        return kernel

    def places(self, K: Array) -> Array:
        """Return the points of a fit to a matrix: the numbers of its rows, (n, 1)."""
        numbers = np.arange(K.shape[0]) if self._numbers is None else self._numbers
        return namespaces.like(numbers.astype(np.float64)[:, None], K)

    def _diagonal(self, X: Array, pivot: Array | None = None) -> Array:
        return namespaces.namespace(X).linalg.diagonal(X)

    def _gram(self, X: Array) -> Array:
        return X


class FromFeatures(Kernel):
    """k(x, z) = φ(x)·φ(z) for a map φ of your own: its functions are Σ βⱼ φⱼ, and ‖f‖ the least ‖β‖ of f.

    Positive definite, whatever the map; sums, products and `on` are as for other kernels.

    Parameters
    ----------
    map : callable
        Rows (n, p) to their features (n, m).

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.kernels import FromFeatures
    >>> k = FromFeatures(lambda X: np.hstack([X, X**2]))
    >>> k([[2.0]], [[3.0]])                                  # 2·3 + 4·9
    array([[42.]])
    """

    def __init__(self, map: Callable[[Array], Array]) -> None:
        self.map = map

    def _check_parameters(self) -> None:
        if not callable(self.map):
            raise errors.InputTypeError(
                f"map={errors.shortened(self.map)} but it must be a function of a table (n, p) that returns the "
                "features of its rows (n, m)."
            )

    def _features(self, X: Array) -> Array:
        values = self.map(X)
        values = namespaces.like(values if namespaces.is_array(values) else np.asarray(values), X)
        if values.ndim != 2 or values.shape[0] != X.shape[0]:
            raise errors.InputError(
                f"The map {_name(self.map)} returned shape {tuple(values.shape)} for {X.shape[0]} rows; it must return "
                f"a row of features for each, of shape ({X.shape[0]}, m)."
            )
        values = namespaces.float64(values)
        if not namespaces.all_finite(values):
            raise errors.InputError(
                f"The map {_name(self.map)} gave NaN or infinity. Scale the columns, or fix the function."
            )
        return values

    def _against(self, Z: Array, pivot: Array | None = None) -> BlockFunction:
        features = self._features(Z)
        return lambda X: self._features(X) @ features.T

    def _diagonal(self, X: Array, pivot: Array | None = None) -> Array:
        return namespaces.namespace(X).sum(self._features(X) ** 2, axis=1)


class FunctionKernel(Kernel):
    """A kernel given by a function of two tables that returns their kernel matrix.

    Nothing is known about it, so fits check whether its matrix is positive semidefinite.

    Parameters
    ----------
    function : callable
        (n, p) and (m, p) to (n, m).

    Examples
    --------
    >>> from eigenlens.kernels import FunctionKernel
    >>> FunctionKernel(lambda X, Z: (X @ Z.T) ** 2)([[1.0]], [[3.0]])
    array([[9.]])
    """

    def __init__(self, function: Callable[[Array, Array], Array]) -> None:
        self.function = function

    def _check_parameters(self) -> None:
        if not callable(self.function):
            raise errors.not_a_kernel(self.function, sorted(NAMES))

    def _against(self, Z: Array, pivot: Array | None = None) -> BlockFunction:
        name = _name(self.function)

        def function(X: Array) -> Array:
            values = self.function(X, Z)
            values = namespaces.like(values if namespaces.is_array(values) else np.asarray(values), X)
            if tuple(values.shape) != (X.shape[0], Z.shape[0]):
                raise errors.InputError(
                    f"The kernel function {name} returned shape {tuple(values.shape)} for {X.shape[0]} rows against "
                    f"{Z.shape[0]}; it must return one number for each pair, of shape ({X.shape[0]}, {Z.shape[0]})."
                )
            values = namespaces.float64(values)
            if not namespaces.all_finite(values):
                i, j = np.argwhere(~np.isfinite(namespaces.to_numpy(values)))[0]
                raise errors.InputError(
                    f"The kernel {name} gave NaN or infinity (the first for row {int(i)} against point {int(j)}). "
                    "Scale the columns, or fix the function."
                )
            return values

        return function


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


#: scikit-learn's names of kernels whose parameters, or their defaults, are others here.
FOREIGN = {
    "rbf": "Gaussian(bandwidth), where gamma = 1/(2·bandwidth²) and 1/(number of columns) is scikit-learn's default; "
    "kernel='gaussian' takes its bandwidth from the rows",
    "poly": "Polynomial(degree, scale, offset), where gamma is scale and coef0 is offset",
    "sigmoid": "a function of two tables that returns their kernel matrix; this one is not positive definite",
    "cosine": "Linear() on rows that are divided by their length",
    "chi2": "the function sklearn.metrics.pairwise.chi2_kernel",
}


def as_kernel(kernel: Any) -> Kernel:
    """Read a kernel parameter: a kernel, its name, or a function of two tables.

    Parameters
    ----------
    kernel : Kernel, str or function
        A kernel; its name, such as "gaussian"; or a function of two tables.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from eigenlens.kernels import as_kernel
    >>> as_kernel("gaussian")
    Gaussian()
    """
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str):
        if kernel == "precomputed":
            return Precomputed()
        if kernel in NAMES:
            return NAMES[kernel]()
        if kernel in FOREIGN:
            raise errors.InputTypeError(f"kernel={kernel!r} is a name of scikit-learn's; use {FOREIGN[kernel]}.")
    elif callable(kernel) and not isinstance(kernel, type):
        return FunctionKernel(kernel)
    raise errors.not_a_kernel(kernel, [*sorted(NAMES), "precomputed"])


def check_matrix(K: Array) -> Array:
    """Refuse a kernel matrix that is not square and symmetric; return it exactly symmetric."""
    if K.shape[0] != K.shape[1]:
        raise errors.not_square(K.shape)
    return as_square(K, "The precomputed kernel matrix")
