"""A map of points in two dimensions, with their names, alone or laid onto another map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..arrays import errors, namespaces
from ..distances import procrustes
from ..drawing import named, place_names
from .style import FOUND, INK, LEVEL, QUIET, Display, plain, point_size, row_names

NAMED = 60  # points up to which names are written


@dataclass(repr=False)
class ConfigurationDisplay(Display):
    """Points of a map in the plane, with equal units on both axes.

    Parameters
    ----------
    coordinates : array of shape (n, 2)
    labels : sequence of n names, optional
    shares : array of shape (2,), optional
        Shares of the axes, for their labels.
    target : array of shape (n, 2), optional
        Where the points truly are; lines lead there.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import ClassicalMDS
    >>> from eigenlens.displays import ConfigurationDisplay
    >>> D = np.array([[0.0, 3.0, 5.0], [3.0, 0.0, 4.0], [5.0, 4.0, 0.0]])
    >>> mds = ClassicalMDS(metric="precomputed").fit(D)
    >>> display = ConfigurationDisplay.from_estimator(mds, labels=["a", "b", "c"])
    >>> display.ax_.get_xlabel()
    'axis 1 (78%)'
    """

    needs = ""
    rows_optional = True

    coordinates: np.ndarray
    labels: Any = None
    shares: np.ndarray | None = None
    target: np.ndarray | None = None

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any = None, *, labels: Any = None, target: Any = None, ax: Any = None
    ) -> Self:
        """Draw the map of a fitted ClassicalMDS (or of any model with `embedding_`).

        Parameters
        ----------
        model : fitted estimator
        X : table of the fit, optional
            The index of a pandas frame names the points.
        labels : sequence of names, optional
            One for each row of the map.
        target : table of shape (n, 2), optional
            A map of the same points with which this one is aligned (Procrustes: rotated, reflected, shifted, scaled).
        ax : matplotlib axes, optional
        """
        Y = np.asarray(namespaces.to_numpy(model.embedding_), dtype=float)
        if labels is None:
            labels = row_names(X)
        if labels is not None and len(labels) != len(Y):
            raise errors.lengths_differ("the map", len(Y), "labels", len(labels))
        if Y.shape[1] == 1:
            Y = np.column_stack([Y, np.zeros(len(Y))])
        shares = None
        values = np.asarray(namespaces.to_numpy(model.eigenvalues_), dtype=float)
        if target is None and values.sum() > 0 and hasattr(model, "goodness_of_fit_"):
            shares = values / values.sum() * float(model.goodness_of_fit_[0])
        if target is not None:
            laid = procrustes(Y[:, :2], target)
            return cls(laid.aligned, labels, None, np.asarray(target, dtype=float)).plot(ax=ax)
        return cls(Y[:, :2], labels, shares).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw into axes, new ones if none are given."""
        Y = np.asarray(self.coordinates, dtype=float)
        width, height = np.ptp(Y[:, 0]), np.ptp(Y[:, 1])
        tall = float(np.clip(7.2 * height / max(width, 1e-300), 3.4, 7.2))
        ax = plain(self._draw_on(ax, 1, 7.6, tall + 0.6)[0])
        size = max(point_size(len(Y)), 5)
        if self.target is not None:
            for here, there in zip(Y, self.target, strict=True):
                ax.plot(*zip(here, there, strict=True), color=QUIET, linewidth=1, zorder=1)
            ax.scatter(*self.target.T, s=size, facecolor="white", edgecolor=LEVEL, label="true place", zorder=2)
        ax.scatter(*Y.T, s=size, color=FOUND, linewidth=0, label="map", zorder=3)
        ax.set_aspect("equal", adjustable="datalim")
        ax.margins(0.12)
        for j, write in enumerate((ax.set_xlabel, ax.set_ylabel)):
            share = "" if self.shares is None or j >= len(self.shares) else f" ({self.shares[j]:.0%})"
            write(f"axis {j + 1}{share}")
        if self.target is not None:
            ax.legend(frameon=False, loc="best")
        if not np.any(Y[:, 1]) and self.target is None:
            ax.set(ylabel="", yticks=[])  # a single axis has nothing to say across
            ax.spines["left"].set_visible(False)
        if self.labels is not None and len(Y) <= NAMED:
            self._write_names(ax, Y)
        return self

    def _write_names(self, ax: Any, Y: np.ndarray) -> None:
        """Put each name where it covers least: next to its point, above or below, or farther away with a line to it."""
        crowd = Y if self.target is None else np.vstack([Y, self.target])
        names = [named(ax, str(name), tuple(at), 9, INK) for name, at in zip(self.labels, Y, strict=True)]
        place_names(ax, names, crowd)
