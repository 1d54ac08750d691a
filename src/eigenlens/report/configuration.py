"""A map of points in two dimensions, with their names, alone or laid onto another map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .._core import errors
from .._core import xp as _xp
from ..distances import procrustes
from ._style import FOUND, INK, LEVEL, QUIET, Display, plain, point_size

NAMED = 60  # points up to which names are written
SWEEPS = 10
CORNERS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)]


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
    >>> from eigenlens.report import ConfigurationDisplay
    >>> D = np.array([[0.0, 3.0, 5.0], [3.0, 0.0, 4.0], [5.0, 4.0, 0.0]])
    >>> mds = ClassicalMDS(metric="precomputed").fit(D)
    >>> display = ConfigurationDisplay.from_estimator(mds, labels=["a", "b", "c"])
    >>> display.ax_.get_xlabel()
    'axis 1 (78%)'
    """

    needs = ""

    coordinates: np.ndarray
    labels: Any = None
    shares: np.ndarray | None = None
    target: np.ndarray | None = None

    @classmethod
    def from_estimator(cls, model: Any, *, labels: Any = None, target: Any = None, ax: Any = None) -> Self:
        """Draw the map of a fitted ClassicalMDS (or of any model with `embedding_`).

        Parameters
        ----------
        model : fitted estimator
        labels : sequence of names, optional
            One for each row of the map.
        target : table of shape (n, 2), optional
            A map of the same points onto which this one is laid (Procrustes: turned, mirrored, moved, stretched).
        ax : matplotlib axes, optional
        """
        Y = np.asarray(_xp.to_numpy(model.embedding_), dtype=float)
        if labels is not None and len(labels) != len(Y):
            raise errors.lengths_differ("the map", len(Y), "labels", len(labels))
        if Y.shape[1] == 1:
            Y = np.column_stack([Y, np.zeros(len(Y))])
        shares = None
        values = np.asarray(_xp.to_numpy(model.eigenvalues_), dtype=float)
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
        """Put each name where it covers least: beside its point, above or below."""
        figure = ax.figure
        figure.draw_without_rendering()
        points = ax.transData.transform(Y)
        crowd = points if self.target is None else np.vstack([points, ax.transData.transform(self.target)])
        shift = 5.0 * figure.dpi / 72
        names = [ax.annotate(str(name), at, color=INK, fontsize=9) for name, at in zip(self.labels, Y, strict=True)]
        extents = [name.get_window_extent() for name in names]
        spots = np.array(
            [
                [_box(at, box.width, box.height, dx, dy, shift) for dx, dy in CORNERS]
                for at, box in zip(points, extents, strict=True)
            ]
        )
        back, frame = ax.transData.inverted(), ax.get_window_extent().extents
        for name, spot in zip(names, _least_covered(spots, crowd, frame), strict=True):
            name.set_position(back.transform(spot[:2]))


def _least_covered(spots: np.ndarray, crowd: np.ndarray, frame: np.ndarray) -> np.ndarray:
    """Choose a spot for each name, within the frame, improving one after the other until nothing moves."""
    chosen = np.zeros(len(spots), dtype=int)
    everyone = np.arange(len(spots))
    for _ in range(SWEEPS):
        before = chosen.copy()
        for i in everyone:
            others = spots[everyone, chosen][everyone != i]
            costs = [_covered(spot, others, crowd, frame) + 0.05 * rank for rank, spot in enumerate(spots[i])]
            chosen[i] = int(np.argmin(costs))
        if np.array_equal(before, chosen):
            break
    return spots[everyone, chosen]


def _box(point: np.ndarray, width: float, height: float, dx: int, dy: int, shift: float) -> np.ndarray:
    """Return left, bottom, right and top of a name beside a point."""
    left = point[0] + (shift if dx > 0 else -shift - width if dx < 0 else -width / 2)
    bottom = point[1] + (0.6 * shift if dy > 0 else -0.6 * shift - height if dy < 0 else -height / 2)
    return np.array([left, bottom, left + width, bottom + height])


def _covered(spot: np.ndarray, others: np.ndarray, points: np.ndarray, frame: np.ndarray) -> float:
    """Count the names and points that a name would cover, and the edges it would cross."""
    inside = np.all((points > spot[:2] - 2) & (points < spot[2:] + 2), axis=1)
    hits = np.all((spot[:2] < others[:, 2:]) & (others[:, :2] < spot[2:]), axis=1)
    outside = np.sum(spot[:2] < frame[:2]) + np.sum(spot[2:] > frame[2:])
    return float(hits.sum() + inside.sum() + outside)
