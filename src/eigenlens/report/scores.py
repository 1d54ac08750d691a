"""Scores of rows in the plane of two directions, and pairs of canonical variates."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from .._core import errors
from .._core import xp as _xp
from ._style import FOUND, INK, LEVEL, Display, plain, point_size, set_apart, slice_colours

ARROWS = 8  # columns whose loadings are drawn
CLASSES = 12  # different values up to which y is shown as classes


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

    Attributes
    ----------
    ax_ : axes
    figure_ : figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import PCA
    >>> from eigenlens.report import ScoresDisplay
    >>> iris = load_iris(as_frame=True)
    >>> display = ScoresDisplay.from_estimator(PCA(2).fit(iris.data), iris.data, iris.target)
    >>> display.ax_.get_xlabel()
    'component 1 (92%)'
    """

    def __init__(
        self, scores: np.ndarray, names: tuple[str, str], y: Any = None, loadings: Any = None, columns: Any = None
    ) -> None:
        self.scores, self.names, self.y = scores, names, y
        self.loadings, self.columns = loadings, columns

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
            Z, V = (np.asarray(_xp.to_numpy(part) if _xp.is_array(part) else part) for part in model.transform(X, y))
            j = directions[0]
            r = float(_xp.to_numpy(model.correlations_)[j])
            names = (f"variate {j + 1} of X (correlation {r:.2f})", f"variate {j + 1} of Y")
            return cls(np.stack([Z[:, j], V[:, j]], axis=1), names).plot(ax=ax)
        Z = model.transform(X)
        Z = np.asarray(_xp.to_numpy(Z) if _xp.is_array(Z) else Z, dtype=float)
        if Z.shape[1] == 1:
            Z, directions = np.column_stack([Z, np.zeros(len(Z))]), (0, 1)
        shares = getattr(model, "explained_variance_ratio_", None)
        shares = [] if shares is None else np.asarray(_xp.to_numpy(shares), dtype=float)
        names = tuple(f"component {j + 1}" + (f" ({shares[j]:.0%})" if j < len(shares) else "") for j in directions)  # type: ignore[assignment]
        basis = getattr(model, "components_", None)
        loadings = None
        if basis is not None and basis.shape[0] > max(directions) and basis.shape[1] == model.n_features_in_:
            loadings = np.asarray(_xp.to_numpy(basis), dtype=float).T[:, list(directions)]
        labels = getattr(model, "feature_names_in_", None)
        p = 0 if loadings is None else len(loadings)
        columns = [str(c) for c in labels] if labels is not None else [f"x{j}" for j in range(p)]
        target = None if y is None else np.asarray(_xp.to_numpy(y) if _xp.is_array(y) else y)
        return cls(Z[:, list(directions)], names, target, loadings, columns).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : axes, optional
        """
        self._draw_on(ax, 1, 6.2, 4.8)
        size = point_size(len(self.scores)) * 1.3
        self._points(size)
        if self.loadings is not None:
            self._arrows()
        self.ax_.set(xlabel=self.names[0], ylabel=self.names[1])
        plain(self.ax_)
        return self

    def _points(self, size: float) -> None:
        x, y = self.scores.T
        if self.y is None:
            self.ax_.scatter(x, y, s=size, color=FOUND, alpha=0.75, linewidths=0)
            return
        classes = np.unique(self.y)
        if self.y.dtype.kind in "OUSTb" or len(classes) <= CLASSES:
            for label, colour in zip(classes, slice_colours(len(classes), False), strict=True):
                rows = self.y == label
                self.ax_.scatter(x[rows], y[rows], s=size, color=colour, alpha=0.8, linewidths=0, label=str(label))
            self.ax_.legend(frameon=False, fontsize="small")
            return
        drawn = self.ax_.scatter(x, y, s=size, c=self.y.astype(float), cmap="viridis", alpha=0.85, linewidths=0)
        self.figure_.colorbar(drawn, ax=self.ax_, shrink=0.8)

    def _arrows(self) -> None:
        length = np.sqrt((self.loadings**2).sum(axis=1))
        order = np.argsort(-length, kind="stable")[:ARROWS]
        reach = 0.8 * float(np.abs(self.scores).max()) / max(float(length.max()), 1e-300)
        names = []
        for j in order:
            dx, dy = self.loadings[j] * reach
            self.ax_.annotate(
                "", (dx, dy), (0, 0), arrowprops={"arrowstyle": "-|>", "color": LEVEL, "alpha": 0.7, "lw": 1}
            )
            side = "left" if dx >= 0 else "right"
            at = (3 if dx >= 0 else -3, 3 if dy >= 0 else -9)
            style = {"textcoords": "offset points", "fontsize": 8, "color": INK, "ha": side}
            names.append(self.ax_.annotate(self.columns[j], (dx, dy), at, **style))
        set_apart(names)
