"""Rows in the first two discriminant coordinates, with centroids, decision regions and subclasses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..arrays import namespaces
from .style import COLOURS, INK, MARKERS, MOST_IN_LEGEND, Display, class_codes, name_centres

FLATTEST = 0.45  # height of a plane over its width: names of axes need as much
STEPS = 300  # points of the grid on which regions are drawn, along each axis


@dataclass(repr=False)
class DiscriminantDisplay(Display):
    """Scores of a discriminant, its centroids, and the regions of its rule in the plane of the first two variates.

    The regions are those of the rule with all further variates at 0, their mean. Circles around the centroids hold half
    of a class (of a subclass, for MDA): within-class covariance is the identity here.

    Parameters
    ----------
    scores : array of shape (n, 1) or (n, 2)
    codes : array of shape (n,)
        Place of each row's class in `classes`.
    classes : array of shape (K,)
    centroids : array of shape (G, 1) or (G, 2)
    owners : array of shape (G,)
        Class of each centroid.
    weights : array of shape (G,)
        Prior of each centroid.
    offsets : array of shape (G,)
        What each centroid loses by the variates that are not shown.
    shares : array of shape (k,)
        Shares of the between-class variance, for the axes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import LDA
    >>> from eigenlens.displays import DiscriminantDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = DiscriminantDisplay.from_estimator(LDA().fit(X, y), X, y)
    >>> display.ax_.get_xlabel()
    'discriminant 1 (99%)'
    """

    needs, without_target = "X, y", "ScoresDisplay"

    scores: np.ndarray
    codes: np.ndarray
    classes: np.ndarray
    centroids: np.ndarray
    owners: np.ndarray
    weights: np.ndarray
    offsets: np.ndarray
    shares: np.ndarray

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: Any, *, ax: Any = None, regions: bool = True) -> Self:
        """Draw a fitted LDA, FDA, PDA or MDA with rows of known class.

        Parameters
        ----------
        model : fitted discriminant
        X : table of shape (n, p)
        y : labels of shape (n,)
        ax : matplotlib axes, optional
        regions : bool
            Whether to tint the regions of the rule.
        """
        classes = np.asarray(namespaces.to_numpy(model.classes_))
        codes = class_codes(y, classes)
        centroids = np.asarray(namespaces.to_numpy(model.centroids_), dtype=float)
        owners = np.asarray(getattr(model, "subclass_classes_", np.arange(len(classes))))
        priors = np.asarray(namespaces.to_numpy(model.priors_), dtype=float)[owners]
        weights = priors * np.asarray(getattr(model, "subclass_weights_", np.ones(len(owners))))
        scores = np.asarray(namespaces.to_numpy(model.transform(X)), dtype=float)[:, :2]
        lost = 0.5 * np.sum(centroids[:, 2:] ** 2, axis=1)
        shares = np.asarray(namespaces.to_numpy(model.explained_variance_ratio_), dtype=float)
        display = cls(scores, codes, classes, centroids[:, :2], owners, weights, lost, shares)
        return display.plot(ax=ax, regions=regions)

    def plot(self, *, ax: Any = None, regions: bool = True) -> Self:
        """Draw into axes, new ones if none are given."""
        (ax,) = self._draw_on(ax, 1, 6.4, 4.8)
        if self.scores.shape[1] == 1:
            self._draw_line(ax)
        else:
            self._draw_plane(ax, regions)
        ax.spines[["top", "right"]].set_visible(False)
        if len(self.classes) <= MOST_IN_LEGEND:
            ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)
        ax.figure.draw_without_rendering()  # room for names of the axes is known once ticks were drawn
        return self

    def _colour(self, k: int) -> str:
        return COLOURS[k % len(COLOURS)]

    def _draw_plane(self, ax: Any, regions: bool) -> None:
        from matplotlib.patches import Circle

        low, high = self._limits()
        if regions:
            self._draw_regions(ax, low, high)
        many = len(self.classes) > MOST_IN_LEGEND  # whose rows lie upon each other: what is read is where classes are
        size = float(np.clip(40 * (150 / len(self.scores)) ** 0.5, 4, 26)) / (2 if many else 1)
        for k, label in enumerate(self.classes):
            own = self.codes == k
            style = {"s": size, "color": self._colour(k), "marker": MARKERS[k // len(COLOURS) % len(MARKERS)]}
            ax.scatter(*self.scores[own].T, alpha=0.3 if many else 0.75, linewidth=0, label=str(label), **style)
        half = np.sqrt(2 * np.log(2))  # radius that holds half of a plane normal distribution
        for centre, k in zip(self.centroids, self.owners, strict=True):
            ax.add_patch(Circle(tuple(centre), half, fill=False, edgecolor=self._colour(k), linewidth=1.3))
            edge = {"markeredgecolor": "white", "markeredgewidth": 0.5 if many else 1.0}
            ax.plot(*centre, marker="P", color=self._colour(k), markersize=5 if many else 9, zorder=3, **edge)
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        ax.set(xlabel=self._axis(0), ylabel=self._axis(1))
        if many:
            means = [self.scores[self.codes == k].mean(axis=0) for k in np.unique(self.codes)]
            name_centres(ax, [str(self.classes[k]) for k in np.unique(self.codes)], np.array(means))

    def _axis(self, j: int) -> str:
        return f"discriminant {j + 1} ({self.shares[j]:.0%})"

    def _limits(self) -> tuple[np.ndarray, np.ndarray]:
        points = np.vstack([self.scores, self.centroids - 1.3, self.centroids + 1.3])
        low, high = points.min(axis=0), points.max(axis=0)
        longest = float((high - low).max())
        margin = np.maximum(0.04 * longest, (FLATTEST * longest - (high - low)) / 2)
        return low - margin, high + margin

    def _draw_regions(self, ax: Any, low: np.ndarray, high: np.ndarray) -> None:
        from matplotlib.colors import ListedColormap

        axes = [np.linspace(a, b, STEPS) for a, b in zip(low, high, strict=True)]
        grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
        K, best = len(self.classes), self._ruled(grid).reshape(STEPS, STEPS)
        colours = ListedColormap([self._colour(k) for k in range(K)])
        extent = (low[0], high[0], low[1], high[1])
        ax.imshow(best, origin="lower", extent=extent, cmap=colours, vmin=0, vmax=K - 1, alpha=0.13, aspect="auto")
        for k in range(K):
            ax.contour(*axes, (best == k).astype(float), levels=[0.5], colors="0.55", linewidths=0.7)

    def _ruled(self, points: np.ndarray) -> np.ndarray:
        """Return the class that the rule gives to points of the axes that are shown."""
        C = self.centroids
        logits = points @ C.T - 0.5 * np.sum(C**2, axis=1) - self.offsets + np.log(self.weights)
        K = len(self.classes)
        of_class = np.stack([np.logaddexp.reduce(logits[:, self.owners == k], axis=1) for k in range(K)], axis=1)
        return np.argmax(of_class, axis=1)

    def _draw_line(self, ax: Any) -> None:
        bins = np.histogram_bin_edges(self.scores[:, 0], bins="auto")
        for k, label in enumerate(self.classes):
            own = self.scores[self.codes == k, 0]
            ax.hist(own, bins=bins, color=self._colour(k), alpha=0.5, label=str(label))
        for centre, k in zip(self.centroids[:, 0], self.owners, strict=True):
            ax.axvline(centre, color=self._colour(k), linewidth=1.5)
        fine = np.linspace(bins[0], bins[-1], 100 * STEPS)
        ruled = self._ruled(fine[:, None])
        for j, place in enumerate(fine[1:][np.diff(ruled) != 0]):
            ax.axvline(place, color=INK, linewidth=1.2, linestyle="--", label=None if j else "decision")
        ax.set(xlabel=self._axis(0), ylabel="rows")
