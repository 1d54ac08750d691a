"""Procrustes alignment: rotate, reflect, shift and scale one map onto another of the same points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.parameters import check_flag
from ..arrays.typing import Array, ColumnLike, TableLike
from ..drawing import FOUND, LEVEL, Display, dots, finish, one_axes
from ..rows import as_source, map_rows
from ..rows.labels import read_weights


@dataclass(frozen=True, eq=False, repr=False)
class Alignment:
    """How a map is aligned with another.

    Attributes
    ----------
    aligned : array of shape (n, q)
        scale · Y · rotation + shift.
    rotation : array of shape (k, q)
    scale : float
    shift : array of shape (q,)
    residual : float
        Root of the mean squared distance between aligned and target points.
    disparity : float
        Share of the squared distances of the target points from their mean that is left, from 0 to 1 (with scaling).
    target : array of shape (n, q)
        The map that stayed.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import procrustes
    >>> square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    >>> found = procrustes(square[:, ::-1] * 2 + 5, square)
    >>> bool(np.allclose(found.aligned, square))
    True
    """

    aligned: Array
    rotation: Array
    scale: float
    shift: Array
    residual: float
    disparity: float
    target: Array

    def __repr__(self) -> str:
        n, q = self.aligned.shape
        return f"<Alignment: {n} points in {q} dimensions, disparity {self.disparity:.3f}>"

    def __call__(self, Y: Array) -> Array:
        """Lay further points of the same map."""
        return self.scale * (Y @ namespaces.like(self.rotation, Y)) + namespaces.like(self.shift, Y)

    def plot(self, ax: Any = None) -> Display:
        """Draw an arrow from each point of the target to the aligned one, in the first two dimensions.

        Parameters
        ----------
        ax : axes, optional

        Returns
        -------
        Display
        """
        start, end = (
            np.pad(namespaces.to_numpy(part), ((0, 0), (0, 1)))[:, :2] for part in (self.target, self.aligned)
        )
        ax = one_axes(ax, 5.2, 4.6)
        style = {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 0.003, "color": LEVEL}
        ax.quiver(*start.T, *(end - start).T, **style)
        dots(ax, start, FOUND, alpha=1, zorder=3)
        dots(ax, end, size=0)  # the frame holds the tips too
        title = f"Procrustes alignment, disparity {self.disparity:.3f}"
        return Display(finish(ax, "axis 1", "axis 2", title, aspect="equal"))


def procrustes(
    Y: TableLike,
    target: TableLike,
    *,
    scaling: bool = True,
    reflection: bool = True,
    sample_weight: ColumnLike | None = None,
) -> Alignment:
    """Align a map of points as closely as possible with another map of the same points.

    Parameters
    ----------
    Y : table of shape (n, k)
        The map that is moved.
    target : table of shape (n, q), q ≥ k
        The map that stays.
    scaling : bool
        Whether the map may be scaled.
    reflection : bool
        Whether it may be reflected.
    sample_weight : array of shape (n,), optional
        How much each point counts.

    Returns
    -------
    Alignment
        With `aligned`, the rotation, the scale and `residual`.

    References
    ----------
    Schönemann, Carroll (1970), Fitting one matrix to another under choice of a central dilation and a rigid motion,
    Psychometrika 35.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.distances import procrustes
    >>> target = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
    >>> turned = 10 + 2 * target @ np.array([[0.0, 1.0], [-1.0, 0.0]])
    >>> laid = procrustes(turned, target)
    >>> np.allclose(laid.aligned, target), round(laid.scale, 12)
    (True, 0.5)
    """
    check_flag("scaling", scaling)
    check_flag("reflection", reflection)
    Y = map_rows(as_source(Y, name="Y"), namespaces.float64)
    goal = namespaces.like(map_rows(as_source(target, name="target"), namespaces.float64), Y)
    if goal.shape[0] != Y.shape[0] or goal.shape[1] < Y.shape[1]:
        raise errors.maps_differ(Y.shape, goal.shape)
    xp = namespaces.namespace(Y)
    n = Y.shape[0]
    w = namespaces.like(read_weights(np.ones(n) if sample_weight is None else sample_weight, n), Y)
    w = w / xp.sum(w)
    from_, to = w @ Y, w @ goal
    A, C = Y - from_, goal - to
    left, s, right = xp.linalg.svd((A * w[:, None]).T @ C, full_matrices=False)
    signs = xp.ones_like(s)
    if not reflection and Y.shape[1] == goal.shape[1] and float(xp.linalg.det(left @ right)) < 0:
        last = xp.arange(s.shape[0], device=namespaces.device(s)) == s.shape[0] - 1
        signs = xp.where(last, -signs, signs)
    rotation = (left * signs) @ right
    size, goal_size = float(xp.sum(w @ (A * A))), float(xp.sum(w @ (C * C)))
    factor = float(xp.sum(s * signs)) / size if scaling and size > 0 else 1.0
    moved = factor * (A @ rotation)
    left_over = float(xp.sum(w @ (C - moved) ** 2))
    return Alignment(
        moved + to,
        rotation,
        factor,
        to - factor * (from_ @ rotation),
        left_over**0.5,
        left_over / goal_size if goal_size > 0 else 0.0,
        goal,
    )
