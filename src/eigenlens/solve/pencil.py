"""The problem and its answer: a form A measured against another one, B, and the spectrum of the two.

Order, sign and rank are decided here: values descend, rounding counts as zero, and vectors have a fixed sign.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..moments.form import Form

RANK_TOLERANCE = 16.0  # singular values below this many ulps (times the dimension) of the largest are rounding


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


@stored("Whitening")
@dataclass(frozen=True, eq=False)
class Whitening:
    """A map W with Wᵀ B W = I on the range of B.

    Attributes
    ----------
    matrix : array of shape (p, rank)
    rank : int
        Directions in which B is positive, relative to its largest.
    varying : int
        Columns in which B is not zero.
    condition : float
        Ratio of the largest singular value of the (column-equilibrated) root of B to the smallest, those that were
        left out counted in.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve import Form, whiten
    >>> whitening = whiten(Form(matrix=np.diag([4.0, 1.0, 0.0])))
    >>> whitening.rank, round(float(whitening.condition), 3)
    (2, 1.0)
    """

    matrix: Array
    rank: int
    varying: int
    condition: float


@stored("Spectrum")
@dataclass(frozen=True, eq=False, repr=False)
class Spectrum:
    """Solution of a pencil.

    Attributes
    ----------
    singular_values : array of shape (k,)
        Square roots of the values, descending, never negative. Computed as such where A came as a factor.
    vectors : array of shape (p, k)
        Directions as columns, B-orthonormal; in each, the first entry within 10⁻⁶ of the largest is positive.
    left : array of shape (r, k) or None
        Where A came as a factor F: the unit vectors F v/‖F v‖.
    tail : float
        Sum of the values of the directions left out.
    rank : int
        Values that are positive relative to the largest, as far as they were computed.
    condition : float
        Largest over smallest singular value of what the answer depends on.
    solver : str
        What solved it.
    residual : float
        ‖A V − B V Λ‖ relative to ‖A‖; zero where the solver is direct.
    whitening : Whitening or None
        The map that turned B into the identity.
    steps, passes : int
        Of an iteration on rows: products with a block of vectors, and how often the rows were read for them.
    settled : bool
        Whether the residual is as small as required.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve import Form, Pencil, solve
    >>> spectrum = solve(Pencil(Form(matrix=np.diag([4.0, 1.0, 0.0]))))
    >>> spectrum.rank, spectrum.solver
    (2, 'eigh')
    """

    singular_values: Array
    vectors: Array
    left: Array | None
    tail: float
    rank: int
    condition: float
    solver: str
    residual: float = 0.0
    whitening: Whitening | None = None
    steps: int = 0
    passes: int = 0
    settled: bool = True

    def __repr__(self) -> str:
        first = ", ".join(f"{value:.4g}" for value in namespaces.to_numpy(self.values)[:3]) + (
            ", …" if len(self) > 3 else ""
        )
        return f"<Spectrum: {len(self)} value(s) {first}; {self.solver}, residual {self.residual:.1e}>"

    @property
    def values(self) -> Array:
        """Eigenvalues λ, descending."""
        return self.singular_values**2

    def __len__(self) -> int:
        return int(self.singular_values.shape[0])

    def first(self, k: int) -> Spectrum:
        """Keep the first k directions."""
        s = self.singular_values
        return replace(
            self,
            singular_values=s[:k],
            vectors=self.vectors[:, :k],
            left=None if self.left is None else self.left[:, :k],
            tail=self.tail + float((namespaces.to_numpy(s)[k : max(k, min(self.rank, len(self)))] ** 2).sum()),
        )

    def mapped(self, vectors: Array) -> Spectrum:
        """Put in other vectors for the same values, and fix their signs again."""
        signs = orient(vectors)
        left = None if self.left is None else self.left * signs
        return replace(self, vectors=vectors * signs, left=left)


def orient(vectors: Array) -> Array:
    """Return the sign of each column that makes the first entry within 10⁻⁶ of the largest positive."""
    xp = namespaces.namespace(vectors)
    if vectors.shape[0] == 0:
        return xp.ones(vectors.shape[1], dtype=vectors.dtype, device=namespaces.device(vectors))
    size = xp.abs(vectors)
    near = size >= xp.max(size, axis=0) * (1 - 1e-6)  # rounding cannot flip a sign
    place = xp.argmax(xp.astype(near, xp.int64), axis=0)
    chosen = vectors[place, xp.arange(vectors.shape[1], device=namespaces.device(vectors))]
    return xp.where(chosen < 0, -xp.ones_like(chosen), xp.ones_like(chosen))


def count_rank(s: Array, dimension: int, squared: bool) -> int:
    """Count the singular values that are not rounding relative to the largest.

    Squaring raises the floor of rounding from ε to √ε.
    """
    if s.shape[0] == 0 or float(s[0]) == 0:
        return 0
    ulp = RANK_TOLERANCE * max(dimension, 1) * namespaces.EPS
    floor = float(s[0]) * (ulp**0.5 if squared else ulp)
    return int(np.count_nonzero(namespaces.to_numpy(s) > floor))


def condition_of(s: Array, count: int) -> float:
    """Return the largest over the count-th singular value."""
    if s.shape[0] == 0 or float(s[0]) == 0:
        return 1.0
    weakest = float(s[count - 1]) if s.shape[0] >= count else 0.0
    return float(s[0]) / weakest if weakest > 0 else float("inf")
