"""Loadings as a heat map: which columns make which component."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..arrays import namespaces
from .style import INK, Display

NAMED_COLUMNS = 40  # columns up to which each has its name


class LoadingsDisplay(Display):
    """Loadings of components, a column of the picture for each component.

    Parameters
    ----------
    loadings : ndarray of shape (k, p)
    names : list of str
        Of the p columns.
    shares : ndarray of shape (k,) or None
        Of the variance, for the labels.

    Attributes
    ----------
    ax_ : axes
    figure_ : figure

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from eigenlens import SparsePCA
    >>> from eigenlens.displays import LoadingsDisplay
    >>> wine = load_wine(as_frame=True).data
    >>> wine = (wine - wine.mean()) / wine.std()
    >>> display = LoadingsDisplay.from_estimator(SparsePCA(3, n_nonzero=4).fit(wine))
    >>> display.names[0]
    'alcohol'
    """

    def __init__(self, loadings: np.ndarray, names: list[str], shares: np.ndarray | None = None) -> None:
        self.loadings, self.names, self.shares = loadings, names, shares

    @classmethod
    def from_estimator(cls, model: Any, X: Any = None, y: Any = None, *, ax: Any = None) -> Self:
        """Draw the loadings of a fitted model.

        Parameters
        ----------
        model : fitted SparsePCA, PCA or RobustPCA
        X, y : ignored
        ax : axes, optional
        """
        V = np.asarray(namespaces.to_numpy(model.components_), dtype=float)
        names = getattr(model, "feature_names_in_", None)
        shares = getattr(model, "explained_variance_ratio_", None)
        return cls(
            V,
            [str(name) for name in (range(V.shape[1]) if names is None else names)],
            None if shares is None else np.asarray(namespaces.to_numpy(shares), dtype=float),
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw it; loadings that are zero stay white, and if there are few, the others show their value.

        Parameters
        ----------
        ax : axes, optional
        """
        k, p = self.loadings.shape
        few = p <= NAMED_COLUMNS
        self._draw_on(ax, 1, max(4.2, 0.8 * k + 2.8), 0.3 * p + 1.0 if few else 6.0)
        top = float(np.abs(self.loadings).max(initial=0.0)) or 1.0
        kind: dict[str, Any] = {
            "cmap": "RdBu_r",
            "vmin": -top,
            "vmax": top,
            "aspect": "auto",
            "interpolation": "nearest",
        }
        drawn = self.ax_.imshow(self.loadings.T, **kind)
        if few:
            for i, j in np.argwhere(self.loadings != 0):
                value = self.loadings[i, j]
                colour = "white" if abs(value) > 0.6 * top else INK
                self.ax_.text(i, j, f"{value:+.2f}", ha="center", va="center", fontsize=7.5, color=colour)
            self.ax_.set_yticks(range(p), self.names, fontsize=8)
            self.ax_.set_yticks(np.arange(p + 1) - 0.5, minor=True)
        else:
            self.ax_.set_ylabel("column")
        labels = [f"{j + 1}" if self.shares is None else f"{j + 1}\n{self.shares[j]:.1%}" for j in range(k)]
        self.ax_.set_xticks(range(k), labels, fontsize=9)
        self.ax_.set_xticks(np.arange(k + 1) - 0.5, minor=True)
        self.ax_.grid(which="minor", color="0.9", linewidth=0.6)
        self.ax_.tick_params(which="both", length=0)
        self.ax_.spines[:].set_visible(False)
        self.ax_.set_xlabel("component" + ("" if self.shares is None else ", and its share of the variance"))
        self.figure_.colorbar(drawn, ax=self.ax_, label="loading", shrink=0.6)
        return self
