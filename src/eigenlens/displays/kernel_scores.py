"""Rows in the first two axes of a kernel PCA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..arrays import namespaces
from .style import COLOURS, FOUND, Display, plain, point_size


@dataclass(repr=False)
class KernelPCADisplay(Display):
    """Scores of a kernel PCA in its first two axes, by class where there are classes, and the shares of its axes.

    Parameters
    ----------
    scores : array of shape (n, 1) or (n, 2)
    shares : array of shape (k,)
        Shares of the trace of the centred kernel matrix.
    groups : array of shape (n,), optional
        Classes, each with a colour of its own.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import KernelPCA
    >>> from eigenlens.displays import KernelPCADisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = KernelPCADisplay.from_estimator(KernelPCA(3).fit(X), X, y)
    >>> display.ax_.get_xlabel()
    'axis 1 (70%)'
    """

    scores: np.ndarray
    shares: np.ndarray
    groups: np.ndarray | None = None

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: Any = None, *, ax: Any = None) -> Self:
        """Draw a fitted KernelPCA with rows, coloured by their classes where y is given.

        Parameters
        ----------
        model : fitted KernelPCA
        X : table of shape (n, p)
        y : labels of shape (n,), optional
        ax : two matplotlib axes, optional
        """
        scores = np.asarray(namespaces.to_numpy(model.transform(X)), dtype=float)[:, :2]
        shares = np.asarray(namespaces.to_numpy(model.explained_variance_ratio_), dtype=float)
        groups = None if y is None else np.asarray(namespaces.to_numpy(y) if namespaces.is_array(y) else y)
        return cls(scores, shares, groups).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw the scores, and next to them the shares of the axes."""
        left, right = self._draw_on(ax, 2)
        second = self.scores[:, 1] if self.scores.shape[1] > 1 else np.zeros(len(self.scores))
        size = point_size(len(self.scores))
        if self.groups is None:
            left.scatter(self.scores[:, 0], second, s=size, color=FOUND, alpha=0.7, linewidth=0)
        else:
            for k, label in enumerate(np.unique(self.groups)):
                own, colour = self.groups == label, COLOURS[k % len(COLOURS)]
                left.scatter(
                    self.scores[own, 0], second[own], s=size, color=colour, alpha=0.75, linewidth=0, label=str(label)
                )
            left.legend(frameon=False, fontsize="small", loc="best")
        left.set(xlabel=f"axis 1 ({self.shares[0]:.0%})")
        left.set(ylabel=f"axis 2 ({self.shares[1]:.0%})" if self.scores.shape[1] > 1 else "")
        shown = self.shares[:15]
        right.bar(np.arange(1, len(shown) + 1), shown, color=FOUND, width=0.7)
        right.set(xlabel="axis", ylabel="share of the kernel's trace", ylim=(0, None))
        right.xaxis.get_major_locator().set_params(integer=True)
        for ax in (left, right):
            plain(ax)
        return self
