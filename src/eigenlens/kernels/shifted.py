"""A kernel about a point: the same to any fit with a free constant, and with digits far from the origin."""

from __future__ import annotations

from ..arrays import namespaces
from ..arrays.typing import Array
from .evaluate import BlockFunction
from .kernel import Kernel


class ShiftedKernel(Kernel):
    """k(u + a, v + a) − k(u + a, a) − k(a, v + a) + k(a, a), as a kernel of rows u and v minus a pivot a.

    What is taken away depends on one row only, so that centring or an intercept would take it out in any case; here it
    goes before it can be rounded. A kernel that a shift changes by no more than that stands for itself.
    """

    _composable = False

    def __init__(self, kernel: Kernel, pivot: Array) -> None:
        self.kernel = kernel
        self.pivot = pivot

    @property
    def conditional_order(self) -> int:
        return self.kernel.conditional_order

    def _against(self, Z: Array) -> BlockFunction:
        return self.kernel._against_about(Z, namespaces.like(self.pivot, Z))

    def _diagonal(self, X: Array) -> Array:
        return self.kernel._diagonal_about(X, namespaces.like(self.pivot, X))

    def _trend(self, X: Array) -> Array:
        return self.kernel._trend(X)


def shifted(kernel: Kernel, pivot: Array | None) -> Kernel:
    """Return the kernel of rows minus a pivot, if there is one."""
    return kernel if pivot is None or kernel.shift_is_free else ShiftedKernel(kernel, pivot)


def unmoved(kernel: Kernel) -> Kernel:
    """Return the kernel of the rows as they came."""
    return kernel.kernel if isinstance(kernel, ShiftedKernel) else kernel
