"""Scores of rows in the plane of two directions, and pairs of canonical variates."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..arrays import errors, namespaces
from ..drawing import named, place_names
from .style import (
    COLOURS,
    FOUND,
    INK,
    LEVEL,
    MARKERS,
    MOST_IN_LEGEND,
    Display,
    density_colours,
    name_centres,
    plain,
    point_size,
    row_names,
    slice_colours,
)

ARROWS = 15  # columns whose loadings are drawn
CLASSES = 12  # different values up to which y is shown as classes
MANY = 20_000  # rows from which on points would hide each other
NAMED = 60  # rows up to which their names can be read
STRIP = 400  # places at which a density is drawn


class ScoresDisplay(Display):
    """Rows as points in two directions of a model, coloured by y, with the columns that count most as arrows.

    Parameters
    ----------
    scores : ndarray of shape (n, 2)
    names : pair of str
        Of the axes.
    y : ndarray or None
        Classes or numbers, for the colours.
    loadings : ndarray of shape (p, 2) or None
    columns : list of str
    labels : list of str or None
        Names of the rows.

    Attributes
    ----------
    ax_ : axes
    figure_ : figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import PCA
    >>> from eigenlens.displays import ScoresDisplay
    >>> iris = load_iris(as_frame=True)
    >>> display = ScoresDisplay.from_estimator(PCA(2).fit(iris.data), iris.data, iris.target)
    >>> display.ax_.get_xlabel()
    'component 1 (92%)'
    """

    def __init__(
        self,
        scores: np.ndarray,
        names: tuple[str, str],
        y: Any = None,
        loadings: Any = None,
        columns: Any = None,
        labels: Any = None,
    ) -> None:
        self.scores, self.names, self.y = scores, names, y
        self.loadings, self.columns, self.labels = loadings, columns, labels

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any = None, *, directions: tuple[int, int] = (0, 1), ax: Any = None
    ) -> Self:
        """Draw rows in two directions of a fitted model.

        Parameters
        ----------
        model : fitted transformer
        X : rows
        y : classes or numbers, optional
            For the colours; for CCA the second table, and then the first canonical pair is drawn.
        directions : pair of int
        ax : axes, optional
        """
        if hasattr(model, "correlations_"):
            if y is None:
                raise errors.InputError("y=None, but pairs of variates need both tables; pass the second one as y.")
            Z, V = (
                np.asarray(namespaces.to_numpy(part) if namespaces.is_array(part) else part)
                for part in model.transform(X, y)
            )
            j = directions[0]
            r = float(namespaces.to_numpy(model.correlations_)[j])
            names = (f"variate {j + 1} of X (correlation {r:.2f})", f"variate {j + 1} of Y")
            return cls(np.stack([Z[:, j], V[:, j]], axis=1), names).plot(ax=ax)
        Z = model.transform(X)
        Z = np.asarray(namespaces.to_numpy(Z) if namespaces.is_array(Z) else Z, dtype=float)
        if Z.shape[1] == 1:
            Z, directions = np.column_stack([Z, np.full(len(Z), np.nan)]), (0, 1)
        shares = getattr(model, "explained_variance_ratio_", None)
        shares = [] if shares is None else np.asarray(namespaces.to_numpy(shares), dtype=float)
        names = tuple(f"component {j + 1}" + (f" ({shares[j]:.0%})" if j < len(shares) else "") for j in directions)  # type: ignore[assignment]
        basis = getattr(model, "components_", None)
        loadings = None
        if basis is not None and basis.shape[0] > max(directions) and basis.shape[1] == model.n_features_in_:
            loadings = np.asarray(namespaces.to_numpy(basis), dtype=float).T[:, list(directions)]
        labels = getattr(model, "feature_names_in_", None)
        p = 0 if loadings is None else len(loadings)
        columns = [str(c) for c in labels] if labels is not None else [f"x{j}" for j in range(p)]
        target = None if y is None else np.asarray(namespaces.to_numpy(y) if namespaces.is_array(y) else y)
        return cls(Z[:, list(directions)], names, target, loadings, columns, row_names(X)).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : axes, optional
        """
        self._draw_on(ax, 1, 6.2, 4.8)
        if np.isnan(self.scores[:, 1]).all():
            self._strip()
            return self
        size = point_size(len(self.scores)) * 1.3
        self._points(size)
        names, tips = self._arrows() if self.loadings is not None else ([], np.zeros((0, 2)))
        if self.labels is not None and len(self.labels) <= NAMED:
            outer = np.argsort(-np.sum(self.scores**2, axis=1), kind="stable")
            names += [named(self.ax_, self.labels[i], self.scores[i], 6.5, INK) for i in outer]
        self.ax_.set(xlabel=self.names[0], ylabel=self.names[1])
        plain(self.ax_)
        along = np.linspace(0.1, 1.0, 12)[:, None, None] * tips  # arrows are not covered either
        place_names(self.ax_, names, np.concatenate([self.scores[:MANY], along.reshape(-1, 2)]))
        return self

    def _points(self, size: float) -> None:
        x, y = self.scores.T
        if self.y is None and len(x) > MANY:
            self.ax_.hexbin(x, y, gridsize=90, bins="log", cmap=density_colours(self.ax_), mincnt=1, linewidths=0)
            return
        if self.y is None:
            self.ax_.scatter(x, y, s=size, color=FOUND, alpha=0.75, linewidths=0)
            return
        classes = np.unique(self.y)
        if self.y.dtype.kind in "OUSTb" or len(classes) <= CLASSES:
            for k, (label, colour) in enumerate(zip(classes, slice_colours(len(classes), False), strict=True)):
                rows = self.y == label
                style = {"s": size, "color": colour, "marker": MARKERS[k // len(COLOURS) % len(MARKERS)]}
                alpha = 0.8 if len(x) <= MANY else 0.3
                self.ax_.scatter(x[rows], y[rows], alpha=alpha, linewidths=0, label=str(label), **style)
            if len(classes) <= MOST_IN_LEGEND:
                self.ax_.legend(frameon=False, fontsize="small")
            else:
                centres = np.array([self.scores[self.y == label].mean(axis=0) for label in classes])
                name_centres(self.ax_, [str(label) for label in classes], centres)
            return
        drawn = self.ax_.scatter(x, y, s=size, c=self.y.astype(float), cmap="viridis", alpha=0.85, linewidths=0)
        self.figure_.colorbar(drawn, ax=self.ax_, shrink=0.8)

    def _strip(self) -> None:
        """Draw one direction: the density of the rows, or of each class, and the rows under it."""
        from scipy.stats import gaussian_kde

        x = self.scores[:, 0]
        worded = self.y is not None and (self.y.dtype.kind in "OUSTb" or len(np.unique(self.y)) <= CLASSES)
        classes = np.unique(self.y) if worded else [None]
        colours = slice_colours(len(classes), False) if worded else [FOUND]
        spread = x.max() - x.min() or 1.0
        places = np.linspace(x.min() - 0.08 * spread, x.max() + 0.08 * spread, STRIP)
        top = 0.0
        for label, colour in zip(classes, colours, strict=True):
            rows = x if label is None else x[self.y == label]
            if len(rows) > 2 and np.ptp(rows) > 0:
                density = gaussian_kde(rows)(places) * len(rows) / len(x)
                top = max(top, float(density.max()))
                self.ax_.fill_between(places, density, color=colour, alpha=0.3, linewidth=0)
                self.ax_.plot(places, density, color=colour, label=None if label is None else str(label))
            self.ax_.plot(rows, np.full(len(rows), -0.04 * (top or 1.0)), "|", color=colour, alpha=0.7, markersize=9)
        if worded and len(classes) <= MOST_IN_LEGEND:
            self.ax_.legend(frameon=False, fontsize="small")
        self.ax_.set(xlabel=self.names[0], ylabel="density of the rows")
        plain(self.ax_)

    def _arrows(self) -> tuple[list[Any], np.ndarray]:
        """Draw the longest loadings; return their names, to be placed, and the tips of the arrows."""
        length = np.sqrt((self.loadings**2).sum(axis=1))
        order = np.argsort(-length, kind="stable")[:ARROWS]
        reach = 0.8 * float(np.abs(self.scores).max()) / max(float(length.max()), 1e-300)
        tips = self.loadings[order] * reach
        self.ax_.update_datalim(1.15 * tips)  # an arrow is not data, so the frame does not include it by itself
        self.ax_.autoscale_view()
        for tip in tips:
            style = {"arrowstyle": "-|>", "color": LEVEL, "alpha": 0.7, "lw": 1}
            self.ax_.annotate("", tip, (0, 0), arrowprops=style)
        return [named(self.ax_, self.columns[j], tip, 8, LEVEL) for j, tip in zip(order, tips, strict=True)], tips
