"""The problem: a positive semidefinite form A, measured against another one, B."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays.typing import Array
from ..moments.form import Form


@dataclass(frozen=True, eq=False)
class Pencil:
    """Find directions v with A v = λ B v, the largest λ first, Vᵀ B V = I.

    Attributes
    ----------
    A : Form
        What is to be large.
    B : Form or None
        What it is measured against; None is the identity.
    n_components : int or None
        How many directions are wanted; None is all of them.
    constant : boolean array of shape (p,), or None
        Columns of B (of A, if there is no B) known to be zero except for rounding.
    most : int or None
        How many positive values there can be, for instance by the number of rows; condition is judged on these.
    leading : bool
        Whether only the sum of the values is needed for the directions that are not kept.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve import Form, Pencil, solve
    >>> A, B = np.diag([4.0, 9.0]), np.diag([1.0, 3.0])
    >>> solve(Pencil(Form(matrix=A), Form(matrix=B))).values
    array([4., 3.])
    """

    A: Form
    B: Form | None = None
    n_components: int | None = None
    constant: Array | None = None
    most: int | None = None
    leading: bool = False

    @property
    def dimension(self) -> int:
        return self.A.dimension
