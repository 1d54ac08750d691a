r"""Repairs: the smallest changes that make a table of squared distances Euclidean.

- Lingoes adds a constant to squared distances, :math:`d^2 + 2c`, where −c is the smallest eigenvalue of B.
- Cailliez adds a constant to distances, :math:`(d + c)^2`: with B₁ and B₂ the centred forms of d and of d², the least
  c with :math:`Q(c) = B_2 + 2cB_1 + \tfrac{c^2}{2}H \succeq 0`. For a unit vector v, the larger root p(v) of
  vᵀQ(c)v = 0 is at most c, with equality at the answer; so c ← p(v) with v the lowest eigenvector of Q(c) climbs to it,
  quadratically, by symmetric problems of size n (where the usual way is one problem of size 2n without symmetry).
- Clipping leaves out the negative eigenvalues of B: the nearest positive form.

References
----------
Lingoes (1971), Some boundary conditions for a monotone analysis of symmetric matrices, Psychometrika 36.
Cailliez (1983), The analytical solution of the additive constant problem, Psychometrika 48.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..arrays import errors, namespaces
from ..arrays.typing import Array, TableLike
from ..solve import rounding
from .centred_form import CentredForm, double_center_in_place, read_coefficients
from .pairs import over_table, table_blocks
from .square_tables import as_square, clear_diagonal


class Repair(NamedTuple):
    """Repaired squared distances, and the constant that was added.

    Attributes
    ----------
    distances : array of shape (n, n)
        Squared distances of points in a Euclidean space.
    constant : float
        Lingoes: c in d² + 2c. Cailliez: c in (d + c)². Clipping: the sum of the eigenvalues of B that were dropped.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import lingoes
    >>> D = np.array([[0.0, 1, 9], [1, 0, 1], [9, 1, 0]])      # squared distances that break the triangle
    >>> repaired, constant = lingoes(D)
    >>> float(round(constant, 3))
    0.833
    """

    distances: Array
    constant: float


def lingoes(D: TableLike) -> Repair:
    """Add the smallest constant to squared distances that makes them Euclidean: d² + 2c off the diagonal.

    Parameters
    ----------
    D : table of shape (n, n)
        Squared distances.

    Returns
    -------
    Repair
        With the repaired distances and the constant.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import is_squared_distance, lingoes
    >>> D = np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [9.0, 1.0, 0.0]])    # distances 1, 1, 3: no triangle
    >>> repaired, constant = lingoes(D)
    >>> round(constant, 12)
    0.833333333333
    >>> bool(is_squared_distance(repaired))
    True
    """
    values = as_square(D)
    repaired = namespaces.namespace(values).asarray(values, copy=True)
    c = lingoes_constant(repaired)
    add_constant(repaired, c, "lingoes")
    return Repair(repaired, c)


def cailliez(D: TableLike) -> Repair:
    """Add the smallest constant to distances that makes them Euclidean: (d + c)² off the diagonal.

    Parameters
    ----------
    D : table of shape (n, n)
        Squared distances.

    Returns
    -------
    Repair
        With the repaired distances and the constant.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import cailliez
    >>> D = np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [9.0, 1.0, 0.0]])    # distances 1, 1, 3: no triangle
    >>> repaired, constant = cailliez(D)
    >>> round(constant, 12)                                                 # 2, 2, 4 lie on a line
    1.0
    """
    values = as_square(D)
    low = float(namespaces.namespace(values).min(values))
    if low < 0:
        raise errors.negative_squares(low, "Cailliez' constant is added to distances", "D")
    repaired = namespaces.namespace(values).asarray(values, copy=True)
    c = cailliez_constant(repaired)
    add_constant(repaired, c, "cailliez")
    return Repair(repaired, c)


def clip(D: TableLike) -> Repair:
    """Drop the negative eigenvalues of B = −½HDHᵀ, and turn the rest into squared distances.

    Parameters
    ----------
    D : table of shape (n, n)
        Squared distances.

    Returns
    -------
    Repair
        With the repaired distances.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import clip, is_squared_distance
    >>> D = np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [9.0, 1.0, 0.0]])
    >>> repaired, dropped = clip(D)
    >>> round(dropped, 12), bool(is_squared_distance(repaired))
    (0.833333333333, True)
    """
    values = as_square(D)
    xp = namespaces.namespace(values)
    B = xp.asarray(values, copy=True)
    double_center_in_place(B, namespaces.like(read_coefficients(None, B.shape[0]), B))
    lam, U = xp.linalg.eigh((B + B.T) / 2)
    negative = lam < -rounding(B.shape[0], float(xp.max(xp.abs(lam))))
    left_out = float(-xp.sum(xp.where(negative, lam, xp.zeros_like(lam)))) + 0.0
    Y = U * xp.sqrt(xp.clip(lam, min=0.0))
    inner = Y @ Y.T
    b = xp.linalg.diagonal(inner)
    D2 = xp.clip(b[:, None] + b[None, :] - 2.0 * inner, min=0.0)
    clear_diagonal(D2)
    return Repair(D2, left_out)


def lingoes_constant(D2: Array) -> float:
    """Return minus the smallest eigenvalue of B, or 0 where D is Euclidean already. No second table is made."""
    form = CentredForm(D2)
    size = form.size
    found = form.largest(size)
    return found.value if found.value > rounding(D2.shape[0], size) else 0.0


def cailliez_constant(D2: Array) -> float:
    """Return the least c for which (d + c)² is Euclidean, or 0.

    No second table is made: roots take the place of the squares, which come back in the end, as rounding leaves them.
    """
    xp = namespaces.namespace(D2)
    _in_place(D2, xp.sqrt)
    try:
        return _climb(D2)
    finally:
        _in_place(D2, lambda block: block * block)


def _climb(D: Array) -> float:
    n = D.shape[0]
    plain, squared = CentredForm(D), CentredForm(D, 0.0, 2)
    size1, size2 = plain.size, squared.size
    rough, fine = 1e-5, 1e-11  # residuals of the vectors far from the answer and near it
    c, v, tol = 0.0, None, rough
    for _ in range(50):
        v = CentredForm(D, c, 2).largest(size2 + 2 * c * size1 + c * c, v, tol).vector
        b1, b2 = (-0.5 * float(v @ form.times(v)) for form in (plain, squared))
        inside = 4 * b1 * b1 - 2 * b2
        found = -2 * b1 + inside**0.5 if inside >= 0 else 0.0
        floor = rounding(n, size2) ** 0.5 if c == 0 else 8 * namespaces.EPS * c
        if c == 0 and found <= floor:
            return 0.0
        if found <= c + floor and tol == fine:
            return c
        if found <= c * (1 + 1e-5) + floor:  # no vector gives more than the answer, so that rough ones do no harm
            tol = fine
        c = max(c, found)
    return c


def add_constant(D2: Array, c: float, kind: str) -> None:
    """Add a constant to all squared distances of a square table but those of the diagonal, in place."""
    for rows in table_blocks(D2):
        D2[rows, :] = with_constant(D2[rows, :], c, kind)
    clear_diagonal(D2)


def with_constant(D2: Array, c: float, kind: str) -> Array:
    """Return squared distances of different points with a constant added to them."""
    if c == 0:
        return D2
    return D2 + 2.0 * c if kind == "lingoes" else (namespaces.namespace(D2).sqrt(D2) + c) ** 2


def _in_place(D: Array, function: Callable[[Array], Array]) -> None:
    def work(rows: slice) -> None:
        D[rows, :] = function(D[rows, :])

    over_table(work, D)
