"""What sparsity costs: adjusted variance compared with that of PCA, and along a path of penalties."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..arrays import errors, namespaces
from .style import FOUND, INK, LEVEL, QUIET, Display, plain


class ScreeDisplay(Display):
    """Share of variance by component; for sparse ones, next to that of ordinary principal components.

    Parameters
    ----------
    shares : ndarray of shape (k,)
        Adjusted, where components are correlated.
    dense : ndarray of shape (k,), optional
        Of as many ordinary components, where these are sparse.
    counts : ndarray of shape (k,), optional
        Loadings that are not zero.

    Attributes
    ----------
    ax_ : axes
    figure_ : figure

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from eigenlens import SparsePCA
    >>> from eigenlens.displays import ScreeDisplay
    >>> display = ScreeDisplay.from_estimator(SparsePCA(4, n_nonzero=4).fit(scale(load_wine().data)))
    >>> bool(display.shares[0] < display.dense[0])
    True
    """

    def __init__(self, shares: np.ndarray, dense: np.ndarray | None = None, counts: np.ndarray | None = None) -> None:
        self.shares, self.dense, self.counts = shares, dense, counts

    @classmethod
    def from_estimator(cls, model: Any, X: Any = None, y: Any = None, *, ax: Any = None) -> Self:
        """Draw the variance of a fitted model.

        Parameters
        ----------
        model : fitted model with `explained_variance_ratio_`, such as PCA or SparsePCA
        X, y : ignored
        ax : axes, optional
        """
        if not hasattr(model, "explained_variance_ratio_"):
            raise errors.InputError(
                f"{type(model).__name__} has no explained_variance_ratio_, whose shares this picture draws. Pass "
                "a fitted model that has them, such as PCA or SparsePCA; model.plot() draws others."
            )
        shares = np.asarray(namespaces.to_numpy(model.explained_variance_ratio_), dtype=float)
        if "n_nonzero" not in model.get_params():
            return cls(shares).plot(ax=ax)
        k = model.n_components_
        dense = np.asarray(namespaces.to_numpy(model.spectrum_.values), dtype=float)[:k]
        total = (float(namespaces.to_numpy(model.spectrum_.values).sum()) + model.spectrum_.tail) or 1.0
        counts = np.count_nonzero(namespaces.to_numpy(model.components_), axis=1)
        return cls(shares, dense / total, counts).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : axes, optional
        """
        place = np.arange(1, len(self.shares) + 1)
        self._draw_on(ax, 1, max(4.6, 0.6 * len(place) + 1.8), 3.8)
        if self.dense is None or self.counts is None:
            self._draw_plain(place)
        else:
            self._draw_sparse(place, self.dense, self.counts)
        self.ax_.set(ylabel="share of the variance", xticks=place)
        self.ax_.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        self.ax_.legend(frameon=False)
        plain(self.ax_)
        return self

    def _draw_plain(self, place: np.ndarray) -> None:
        """Draw the shares, and what they add up to."""
        together = np.cumsum(self.shares)
        self.ax_.bar(place, self.shares, color=FOUND, width=0.7, label="each component")
        self.ax_.plot(place, together, color=INK, marker="o", markersize=4, linewidth=1, label="together")
        self.ax_.set_xlabel("component")
        self.ax_.set_ylim(0, 1.08 * max(float(together[-1]), 1e-12))

    def _draw_sparse(self, place: np.ndarray, dense: np.ndarray, counts: np.ndarray) -> None:
        """Draw adjusted shares next to those of ordinary components, with the number of loadings."""
        self.ax_.bar(
            place, self.shares, color=FOUND, width=0.7, label=f"this model, adjusted ({self.shares.sum():.0%})"
        )
        label = f"ordinary PCA ({dense.sum():.0%})"
        self.ax_.plot(place, dense, color=INK, marker="o", markersize=4, linewidth=1, label=label)
        for x, share, count in zip(place, self.shares, counts, strict=True):
            style: dict[str, Any] = {
                "textcoords": "offset points",
                "ha": "center",
                "fontsize": 8,
                "color": "white",
                "va": "top",
            }
            if share > 0.08 * dense.max():
                self.ax_.annotate(f"{count}", (x, share), (0, -3), **style)
        self.ax_.set_xlabel("component (white: loadings that are not zero)")
        self.ax_.set_ylim(0, 1.08 * max(dense.max(), self.shares.max()))


class SparsePathDisplay(Display):
    """Variance explained against the number of loadings that are not zero, along a path of penalties.

    Parameters
    ----------
    path : SparsePath
    chosen : pair (nonzeros, share) or None
        Of the model itself.

    Attributes
    ----------
    ax_ : axes
    figure_ : figure

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from eigenlens import SparsePCA
    >>> from eigenlens.displays import SparsePathDisplay
    >>> model = SparsePCA(2, n_nonzero=4).fit(scale(load_wine().data))
    >>> SparsePathDisplay.from_estimator(model, alphas=[0.05, 0.2, 0.8]).path.n_nonzero.sum(axis=1)
    array([20, 17, 10])
    """

    def __init__(self, path: Any, chosen: tuple[int, float] | None = None) -> None:
        self.path, self.chosen = path, chosen

    @classmethod
    def from_estimator(cls, model: Any, X: Any = None, y: Any = None, *, alphas: Any = None, ax: Any = None) -> Self:
        """Compute the path of a fitted sparse PCA and draw it.

        Parameters
        ----------
        model : fitted SparsePCA
        X, y : ignored
        alphas : sequence of floats, optional
            As in `SparsePCA.path`.
        ax : axes, optional
        """
        chosen = int(model.n_nonzero_.sum()), float(np.sum(namespaces.to_numpy(model.explained_variance_ratio_)))
        return cls(model.path(alphas), chosen).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : axes, optional
        """
        self._draw_on(ax, 1, 5.4, 3.8)
        counts = self.path.n_nonzero.sum(axis=1)
        shares = self.path.explained_variance_ratio.sum(axis=1)
        k, p = self.path.components.shape[1:]
        self.ax_.axhline(self.path.dense, color=INK, linestyle="--", linewidth=1)
        note = f"ordinary PCA: {self.path.dense:.0%} with {k * p} loadings"
        style: dict[str, Any] = {"textcoords": "offset points", "fontsize": 9}
        self.ax_.annotate(note, (counts.max(), self.path.dense), (0, 4), ha="right", color=INK, **style)
        self.ax_.plot(counts, shares, color=FOUND, marker="o", markersize=4, linewidth=1.4)
        if self.chosen is not None:
            count, share = self.chosen
            self.ax_.plot([count], [share], marker="D", color=LEVEL, markersize=7, linestyle="none")
            lost = self.path.dense - share
            text = f"this model: {count} loadings,\n{lost:.0%} of the variance lost"
            line = {"arrowstyle": "-", "color": LEVEL, "lw": 0.6, "shrinkB": 5}
            corner: dict[str, Any] = {"textcoords": "axes fraction", "va": "bottom", "ha": "right"}  # below any path
            self.ax_.annotate(text, (count, share), (0.98, 0.05), color=LEVEL, fontsize=9, arrowprops=line, **corner)
        self.ax_.set(xlabel=f"loadings that are not zero, all {k} components", ylabel="adjusted variance explained")
        self.ax_.set_ylim(0, 1.15 * self.path.dense)
        self.ax_.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        self.ax_.grid(color=QUIET, linewidth=0.4, alpha=0.6)
        plain(self.ax_)
        return self
