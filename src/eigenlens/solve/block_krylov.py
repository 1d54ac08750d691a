"""Leading eigenvectors of a symmetric matrix that is known by its products alone: block Lanczos with thick restart.

The space Z, AZ, A²Z, … of a few vectors of seeded random signs is kept orthonormal in full. So what it says about A is
right to rounding, and the residual ‖Av − θv‖ of every direction comes out of the recurrence without a product of its
own (Golub, Underwood 1977; Wu, Simon 2000). Where it has grown as far as it may, its best directions begin the next.

b vectors at a time see no more than b directions of one eigenvalue. Where more are wanted than that, a second start
outside of what was found looks for those that the first could not see.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..arrays import devices
from ..arrays.typing import Array
from .block_space import HELD, WIDTHS, BlockSpace, Leading, Way
from .device_space import DeviceSpace, Uncertain

RESIDUAL = 1e-8  # of ‖Av − θv‖ relative to θ, for every direction that is kept
SINGLE_RESIDUAL = 1e-6  # relative to the largest θ, where products are in single precision and cannot resolve more
MORE = 2  # vectors at a time beyond those that are wanted
THIN = 4.0  # cost of a multiplication with a few vectors, relative to one in the product of a table with itself


def block_width(k: int) -> int:
    """Return how many vectors are multiplied at a time, where k directions are wanted."""
    return min(max(k + MORE, WIDTHS[0]), WIDTHS[1])


def leading(
    apply: Callable[[Array], Array],
    n: int,
    k: int,
    like: Array,
    tol: float = RESIDUAL,
    weak: float = HELD,
    most_steps: int = 300,
    width: int | None = None,
    ways: Sequence[Way] = (),
) -> Leading:
    """Find the k leading eigenvectors of a positive semidefinite n × n matrix.

    Parameters
    ----------
    apply : function
        Rows times the matrix.
    n, k : int
    like : array
        Of the library and device on which the vectors are to be.
    tol : float
        Residual, relative to its own value, at which a direction counts as found.
    weak : float
        Share of the largest value by which weaker directions are measured.
    most_steps : int
        Products after which the search ends as it is.
    width : int, optional
        Vectors that are multiplied at a time.
    ways : sequence of Way
        Other ways to multiply with the matrix, of which a long search takes the cheapest.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve.block_krylov import leading
    >>> d = np.arange(200.0)
    >>> found = leading(lambda V: V * d, 200, 2, d)
    >>> found.values.round(10), bool(found.residuals.max() <= 1e-8)
    (array([199., 198.]), True)
    """
    kinds = [DeviceSpace, BlockSpace] if devices.can_run_ahead(like) else [BlockSpace]
    for kind in kinds:
        space = kind(apply, n, k, like, tol, width or block_width(k), weak)
        space.ways = ways
        try:
            return _found(space, most_steps)
        except Uncertain:
            continue
    raise AssertionError("a space that waits for every step is never uncertain")


def _found(space: BlockSpace, most_steps: int) -> Leading:
    while True:
        space.grow()
        found = space.leading(most_steps)
        if found is not None:
            return found
