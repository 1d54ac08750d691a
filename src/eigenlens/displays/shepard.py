"""Distances against those that a map shows: the Shepard diagram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..arrays import errors, namespaces
from ..distances.square_tables import square_of
from .style import FOUND, INK, LEVEL, Display, density_colours, plain

POINTS = 1500  # rows whose pairs are drawn, at most
SEPARATE = 5000  # pairs up to which each is a dot; more are drawn as a density


@dataclass(repr=False)
class ShepardDisplay(Display):
    """Distances in a map against the distances it was made from; on the line they agree.

    Parameters
    ----------
    distances : array of shape (pairs,)
    shown : array of shape (pairs,)
        The same in the map.
    stress : float

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import ClassicalMDS
    >>> from eigenlens.displays import ShepardDisplay
    >>> X = np.random.default_rng(0).standard_normal((30, 4))
    >>> display = ShepardDisplay.from_estimator(ClassicalMDS().fit(X), X)
    >>> display.ax_.get_ylabel()
    'distance in the map'
    """

    distances: np.ndarray
    shown: np.ndarray
    stress: float

    @classmethod
    def from_estimator(cls, model: Any, X: Any, *, ax: Any = None) -> Self:
        """Draw the Shepard diagram of a fitted ClassicalMDS.

        Parameters
        ----------
        model : fitted ClassicalMDS
        X : table
            What it was fitted to: rows, or precomputed distances.
        ax : matplotlib axes, optional
        """
        Y = np.asarray(namespaces.to_numpy(model.embedding_), dtype=float)
        ready = model.metric == "precomputed"
        table = square_of(X, "X").native if ready else X
        rows = np.asarray(namespaces.to_numpy(table) if namespaces.is_array(table) else table, dtype=float)
        if len(rows) != len(Y):
            raise errors.maps_differ(Y.shape, rows.shape)
        index = np.linspace(0, len(Y) - 1, min(POINTS, len(Y))).astype(int)
        D = namespaces.to_numpy(model.distances_among(rows[np.ix_(index, index)] if ready else rows[index]))
        pairs = np.triu_indices(len(index), 1)
        shown = np.linalg.norm(Y[index][pairs[0]] - Y[index][pairs[1]], axis=1)
        return cls(D[pairs], shown, float(model.stress_)).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw into axes, new ones if none are given."""
        ax = plain(self._draw_on(ax, 1, 5.2, 5.0)[0])
        top = float(max(self.distances.max(initial=0.0), self.shown.max(initial=0.0))) or 1.0
        if len(self.distances) <= SEPARATE:
            size = float(np.clip(6000 / max(len(self.distances), 1), 3, 18))
            ax.scatter(self.distances, self.shown, s=size, color=FOUND, alpha=0.5, linewidth=0)
        else:
            style = {"cmap": density_colours(ax), "mincnt": 1, "bins": "log"}
            ax.hexbin(self.distances, self.shown, gridsize=60, extent=(0, top, 0, top), **style)
        ax.plot([0, top], [0, top], color=LEVEL, linewidth=1, zorder=3)
        ax.set(xlim=(0, 1.03 * top), ylim=(0, 1.03 * top), aspect="equal")
        ax.set(xlabel="distance", ylabel="distance in the map")
        ax.set_title(f"stress {self.stress:.3f}", fontsize=10, loc="left", color=INK)
        return self
