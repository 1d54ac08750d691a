r"""Classical scaling: squared distances to coordinates.

With α = w/W, B = −½HDHᵀ and the eigenpairs of :math:`\sqrt w B \sqrt w = U\Lambda U^T`, coordinates are
:math:`Y = U\Lambda^{1/2}/\sqrt w`. A new point at squared distances d lies at
:math:`\tfrac12 \Lambda^{-1} Y^T w (\operatorname{diag} B - d)` (Gower).

References
----------
Torgerson (1952), Multidimensional scaling: I. Theory and method, Psychometrika 17.
Gower (1968), Adding a point to vector diagrams in multivariate analysis, Biometrika 55.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import linalg, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..solve import Form, Inertia, Pencil, Spectrum, inertia, orient, rounding, solve
from .centred_form import double_center_in_place
from .pairs import over_rows


@stored("map.Scaling")
@dataclass(frozen=True, eq=False)
class Scaling:
    """A map, with what is needed to place further points on it.

    Attributes
    ----------
    coordinates : array of shape (n, k)
    eigenvalues : array of shape (k,)
        0 for columns that the distances do not fill.
    diagonal : array of shape (n,)
        Squared distances from the centre.
    weight : array of shape (n,)
    rank : int
        Columns that are not 0.
    spectrum : Spectrum
    """

    coordinates: Array
    eigenvalues: Array
    diagonal: Array
    weight: Array
    rank: int
    spectrum: Spectrum

    def place(self, D2: Array) -> Array:
        """Return the coordinates of points from their squared distances to the points of the map."""
        xp = namespaces.namespace(self.coordinates)
        lam = xp.where(self.eigenvalues > 0, self.eigenvalues, xp.ones_like(self.eigenvalues))
        pull = self.coordinates * self.weight[:, None] / (2.0 * lam)
        return (namespaces.like(self.diagonal, D2)[None, :] - D2) @ namespaces.like(pull, D2)


@dataclass(frozen=True, eq=False)
class Products:
    """What scaling leaves of a square table: B, its rows and columns times roots of the weights.

    Attributes
    ----------
    form : Form
        B, a matrix.
    diagonal : array of shape (n,)
    root : array of shape (n,)
        Roots of the weights.
    """

    form: Form
    diagonal: Array
    root: Array

    def squares(self, index: Array | None = None) -> Callable[[slice], Array]:
        """Return the function from a slice of (some of) the points to their squared distances to those from it on."""
        B, b, root = self.form.matrix, self.diagonal, self.root
        xp = namespaces.namespace(B)
        if index is not None:
            B = xp.take(xp.take(B, index, axis=0), index, axis=1)
            b, root = xp.take(b, index), xp.take(root, index)
        over = 1.0 / root

        def of(rows: slice) -> Array:
            squares = B[rows, rows.start :] * (-2.0 * over[rows][:, None])
            squares *= over[None, rows.start :]
            squares += b[rows][:, None]
            squares += b[None, rows.start :]
            return _clipped(squares)

        return of

    def inertia(self) -> Inertia:
        """Add up positive and negative eigenvalues."""
        return inertia(self.form)


def scale(D2: Array, weight: np.ndarray, k: int) -> tuple[Scaling, Products]:
    """Scale a square table of squared distances, which is overwritten by inner products."""
    xp, n = namespaces.namespace(D2), D2.shape[0]
    w = namespaces.like(weight, D2)
    root = xp.sqrt(w)
    double_center_in_place(D2, w / float(weight.sum()), root)
    b = xp.linalg.diagonal(D2) / w
    form = Form(matrix=D2)
    spectrum = solve(Pencil(form, n_components=min(k, n)))
    raw = spectrum.vectors * spectrum.singular_values / root[:, None]
    return _filled(raw, spectrum.values, b, w, spectrum, k), Products(form, b, root)


def scale_rows(rows: Array, weight: np.ndarray, k: int) -> tuple[Scaling, Array, np.ndarray | None]:
    """Scale the Euclidean distances of rows without making them: B is the product of the centred rows.

    Returns
    -------
    scaling : Scaling
    axes : array of shape (p, k)
        The map is linear: centred rows times these.
    values : ndarray or None
        All eigenvalues that can differ from 0, where they are few.
    """
    xp = namespaces.namespace(rows)
    w = namespaces.like(weight, rows)
    A = rows * xp.sqrt(w)[:, None]
    factor = A if rows.shape[0] <= 2 * rows.shape[1] else linalg.triangle(A)
    spectrum = solve(Pencil(Form(factor=factor, squared=False), n_components=min(k, *factor.shape)))
    raw = rows @ spectrum.vectors
    b = xp.sum(rows * rows, axis=1)
    scaling = _filled(raw, spectrum.values, b, w, spectrum, k)
    axes = spectrum.vectors * orient(raw)
    values = None
    if min(factor.shape) <= 200:  # they cost little
        s = np.linalg.svd(namespaces.to_numpy(factor), compute_uv=False)
        values = np.where(s > rounding(max(factor.shape), float(s[0])), s, 0.0) ** 2
    return scaling, _padded(xp.where(_counts(axes, scaling.rank), axes, xp.zeros_like(axes)), k), values


class Judgement(NamedTuple):
    """How a map shows distances d by its own, d̂, over pairs weighted by wᵢwⱼ.

    Attributes
    ----------
    stress : float
        Kruskal's stress-1, √(Σ(d − d̂)²/Σd̂²).
    shown : float
        Σd̂²/Σd², which is the sum of the eigenvalues of the map over that of all; 0 where it was not asked for.
    exact : bool
        Whether all pairs were looked at.
    """

    stress: float
    shown: float
    exact: bool


def compared(
    squares: Callable[[slice], Array], Y: Array, weight: np.ndarray, with_share: bool = False
) -> tuple[float, float]:
    """Return stress-1 and, on request, the share of squared distances that a map shows.

    Parameters
    ----------
    squares : function
        From a slice of the points to their squared distances to those from it on, in a new array.
    """
    xp, n = namespaces.namespace(Y), Y.shape[0]
    w, size = namespaces.like(weight / weight.max(), Y), xp.sum(Y * Y, axis=1)[:, None]
    left = xp.concat([-2.0 * Y, size, xp.ones_like(size)], axis=1)  # one product: passes over pairs are what costs
    right = xp.concat([Y, xp.ones_like(size), size], axis=1).T

    def sums(rows: slice) -> list[float]:
        start, m = rows.start, rows.stop - rows.start

        def added(table: Array) -> float:
            # the square block on the diagonal holds its pairs twice
            return float(w[rows] @ (table @ w[start:])) - 0.5 * float(w[rows] @ (table[:, :m] @ w[rows]))

        shown, given = _clipped(left[rows, :] @ right[:, start:]), squares(rows)
        found = [added(table) for table in ((shown, given) if with_share else (shown,))]
        off = _root(given)
        off -= _root(shown)
        off *= off
        return [added(off), *found]

    gap, total, *whole = (sum(part) for part in zip(*over_rows(sums, n, n, Y), strict=True))
    share = total / whole[0] if with_share and whole[0] > 0 else 0.0
    return float((gap / total) ** 0.5) if total > 0 else 0.0, share


Squares = Callable[[slice], Array]


def judge(
    among: Callable[[Array | None], Squares], Y: Array, weight: np.ndarray, with_share: bool = False
) -> Judgement:
    """Judge a map over all pairs, or over those of a seeded sample of many points.

    Parameters
    ----------
    among : function
        From the positions of some points, or None for all, to what `compared` takes.
    """
    n = Y.shape[0]
    if n <= 5000:
        return Judgement(*compared(among(None), Y, weight, with_share), True)
    index = np.sort(np.random.default_rng(0).choice(n, 2500, replace=False))
    there = namespaces.like(index, Y)
    return Judgement(*compared(among(there), namespaces.take_rows(Y, there), weight[index], with_share), False)


def _clipped(table: Array) -> Array:
    """Put 0 in place of what is below it, in the memory of the table where that can be: making more is what costs."""
    return (
        np.maximum(table, 0.0, out=table)
        if isinstance(table, np.ndarray)
        else namespaces.namespace(table).clip(table, min=0.0)
    )


def _root(table: Array) -> Array:
    """Return the roots of a table, in its memory where that can be."""
    return np.sqrt(table, out=table) if isinstance(table, np.ndarray) else namespaces.namespace(table).sqrt(table)


def _filled(raw: Array, values: Array, b: Array, w: Array, spectrum: Spectrum, k: int) -> Scaling:
    """Fix signs, put 0 where nothing is left, and fill up to k columns."""
    xp = namespaces.namespace(raw)
    rank = min(spectrum.rank, raw.shape[1])
    Y = xp.where(_counts(raw, rank), raw * orient(raw), xp.zeros_like(raw))
    values = xp.where(_counts(values, rank), values, xp.zeros_like(values))
    return Scaling(_padded(Y, k), _padded(values[None, :], k)[0, :], b, w, rank, spectrum)


def _counts(table: Array, rank: int) -> Array:
    xp = namespaces.namespace(table)
    return xp.arange(table.shape[-1], device=namespaces.device(table)) < rank


def _padded(table: Array, k: int) -> Array:
    xp, missing = namespaces.namespace(table), k - table.shape[1]
    if missing <= 0:
        return table
    empty = xp.zeros((table.shape[0], missing), dtype=xp.float64, device=namespaces.device(table))
    return xp.concat([table, empty], axis=1)
