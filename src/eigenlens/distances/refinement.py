r"""Maps that minimise a criterion of their own distances, from a classical map on.

Classical scaling minimises strain, Σ wᵢwⱼ(bᵢⱼ − yᵢ·yⱼ)², over inner products about the centre. Stress and S-stress
compare the distances themselves, and have no closed solution:

.. math:: \sigma = \sum_{ij} w_i w_j (\delta_{ij} - d_{ij})^2, \qquad
          \sigma_s = \sum_{ij} w_i w_j (\delta_{ij}^2 - d_{ij}^2)^2 .

References
----------
Kruskal (1964), Nonmetric multidimensional scaling: a numerical method, Psychometrika 29.
Takane, Young, de Leeuw (1977), Nonmetric individual differences multidimensional scaling, Psychometrika 42.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize
from scipy.sparse.csgraph import csgraph_from_dense, shortest_path

from ..arrays import errors, linalg, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from .maps import Placement
from .pairs import squared_distances

CRITERIA = ("stress", "sstress")
MOST = 2000  # steps


@dataclass(frozen=True, eq=False)
class Gap:
    """Σ w(δ − d)² or Σ w(δ² − d²)² of points Y against fixed ones, or among themselves.

    Attributes
    ----------
    delta : ndarray of shape (m, n)
    weights : ndarray of shape (m, n)
        Of pairs; 0 where a distance is not known.
    kind : {"stress", "sstress"}
    fixed : ndarray of shape (n, k), optional
    """

    delta: np.ndarray
    weights: np.ndarray
    kind: str
    fixed: np.ndarray | None = None

    def __call__(self, flat: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the gap and its slope."""
        Y = flat.reshape(len(self.delta), -1)
        Z = Y if self.fixed is None else self.fixed
        D2 = np.asarray(squared_distances(Y, Z))
        if self.kind == "sstress":
            off = D2 - self.delta**2
            pull = 2.0 * self.weights * off
        else:
            d = np.sqrt(D2)
            off = d - self.delta
            pull = self.weights * np.divide(off, d, out=np.zeros_like(d), where=d > 0)
        slope = 2.0 * (pull.sum(axis=1)[:, None] * Y - pull @ Z)
        return float(np.vdot(self.weights * off, off)), (slope if self.fixed is not None else 2.0 * slope).ravel()

    def least(self, Y: np.ndarray) -> np.ndarray:
        """Return points near Y where the gap is least."""
        with linalg.limit_blas(Y.shape[0] ** 2):
            found = scipy.optimize.minimize(
                self, Y.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": MOST, "ftol": 1e-15, "gtol": 1e-12}
            )
        if found.nit >= MOST:
            errors.warn(
                errors.NotConvergedWarning(
                    f"refine={self.kind!r} was still getting closer after {MOST:,} steps; the map is near a best one."
                )
            )
        return np.asarray(found.x).reshape(Y.shape)


def refined(delta: np.ndarray, Y: np.ndarray, weight: np.ndarray, known: np.ndarray | None, kind: str) -> np.ndarray:
    """Return the map near Y that shows distances best, centred, along its principal axes.

    Parameters
    ----------
    delta : ndarray of shape (n, n)
    Y : ndarray of shape (n, k)
        A classical map.
    weight : ndarray of shape (n,)
    known : ndarray of bool, shape (n, n), optional
        Which distances are known.
    kind : {"stress", "sstress"}
    """
    unit, share = float(delta.max()) or 1.0, weight / weight.sum()
    pairs = np.outer(share, share) if known is None else np.outer(share, share) * known
    new = Gap(delta / unit, pairs, kind).least(Y / unit) * unit
    new = new - share @ new
    _, _, axes = np.linalg.svd(np.sqrt(share)[:, None] * new, full_matrices=False)
    turned = new @ axes.T
    return np.asarray(turned * np.where((turned * Y).sum(axis=0) < 0, -1.0, 1.0))


def criteria(
    delta: np.ndarray, Y: np.ndarray, weight: np.ndarray, known: np.ndarray | None
) -> tuple[float, float, float]:
    """Return strain, Kruskal's stress-1 and S-stress of a map, over the pairs whose distances are known."""
    pairs = np.outer(weight, weight) if known is None else np.outer(weight, weight) * known
    D2, alpha = np.asarray(squared_distances(Y, Y)), weight / weight.sum()
    B = -0.5 * (delta**2 - (delta**2 @ alpha)[:, None])
    B -= alpha @ B
    strain = float(np.vdot(pairs * (B - Y @ Y.T), B - Y @ Y.T))
    stress, size = np.vdot(pairs, (delta - np.sqrt(D2)) ** 2), np.vdot(pairs, D2)
    sstress = float(np.vdot(pairs, (delta**2 - D2) ** 2))
    return strain, float(np.sqrt(stress / size)) if size > 0 else 0.0, sstress


def with_shortest_paths(D: np.ndarray, squared: bool) -> tuple[np.ndarray, np.ndarray]:
    """Fill the distances that are not known (NaN) by the shortest ways over others; return also which are known."""
    D = np.where(np.isnan(D), D.T, D)  # one way may be known alone
    known = ~np.isnan(D)
    np.fill_diagonal(known, True)
    lengths = np.abs(D)  # negative ones are refused by the reader
    lengths = np.where(known, np.sqrt(lengths) if squared else lengths, np.nan)
    ways = shortest_path(csgraph_from_dense(lengths, null_value=np.nan), directed=False)
    apart = np.argwhere(np.isinf(ways))
    if len(apart):
        i, j = apart[0]
        raise errors.InputError(
            f"X: points {i} and {j} are joined by no chain of known distances, so nothing says how far apart they are; "
            "give a distance between their groups, or map each group alone."
        )
    return np.where(known, D, ways**2 if squared else ways), known


@stored("map.RefinedPlacement")
@dataclass(frozen=True, eq=False)
class RefinedPlacement:
    """A refined map: a new point lies where its own distances to the points of the map are shown best.

    Attributes
    ----------
    placement : Placement
        Of the classical map.
    coordinates : ndarray of shape (n, k)
    weight : ndarray of shape (n,)
    kind : {"stress", "sstress"}
    """

    placement: Placement
    coordinates: np.ndarray
    weight: np.ndarray
    kind: str

    @property
    def metric(self) -> Any:
        return self.placement.metric

    def distances(self, table: Any) -> Array:
        """Return the distances of a square table as they were prepared for the classical map."""
        return self.placement.distances(table)

    def project(self, X: Array) -> Array:
        """Return coordinates in the units of the distances."""
        Y = namespaces.to_numpy(self.placement.project(X))
        if len(Y) == 0:
            return namespaces.like(Y, X)
        delta = np.sqrt(np.maximum(namespaces.to_numpy(self.placement.squares(X)), 0.0))
        delta = delta * 2.0**self.placement.preparation.given
        unit = float(delta.max()) or 1.0
        pairs = np.broadcast_to(self.weight / self.weight.sum(), delta.shape)
        found = Gap(delta / unit, pairs, self.kind, self.coordinates / unit).least(Y / unit)
        return namespaces.like(found * unit, X)
