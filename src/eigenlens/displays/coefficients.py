"""Discriminant coefficients as signals along ordered columns, or as images of pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..arrays import namespaces, optional
from .style import Display


@dataclass(repr=False)
class CoefficientDisplay(Display):
    """Coefficients of linear discriminants: what each direction looks at.

    Parameters
    ----------
    coefficients : array of shape (p, k)
        One direction in each column.
    shape : pair (rows, columns), optional
        Of an image, in row-major order; None draws curves.
    names : list of str
        Of the directions.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from eigenlens import PDA
    >>> from eigenlens.displays import CoefficientDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> display = CoefficientDisplay.from_estimator(PDA(penalty=(8, 8)).fit(X, y), n_components=3)
    >>> len(display.axes_), display.axes_[0].get_title()
    (3, 'discriminant 1')
    """

    coefficients: np.ndarray
    shape: tuple[int, int] | None
    names: list[str]

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        shape: Any = None,
        n_components: int | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the directions of a fitted LDA or PDA; a grid penalty of PDA gives the shape of the image.

        Parameters
        ----------
        model : fitted LDA or PDA
        X, y : ignored
            Accepted for the sake of the convention.
        shape : pair (rows, columns), optional
        n_components : int, optional
            How many directions; at most six by default.
        ax : matplotlib axes, optional
            Curves are drawn into it; images make their own.
        """
        V = np.asarray(namespaces.to_numpy(model.scalings_), dtype=float)
        penalty = getattr(model, "penalty", None)
        if shape is None and isinstance(penalty, tuple | list) and len(penalty) == 2 and np.ndim(penalty) == 1:
            shape = tuple(penalty)
        k = min(V.shape[1], 6 if n_components is None else n_components)
        return cls(V[:, :k], shape, [f"discriminant {j + 1}" for j in range(k)]).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw, each direction scaled to its largest entry."""
        plt = optional.pyplot()

        V = self.coefficients / np.maximum(np.abs(self.coefficients).max(axis=0), np.finfo(float).tiny)
        if self.shape is None:
            if ax is None:
                _, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
            ax.axhline(0, color="0.7", linewidth=0.8)
            for values, name in zip(V.T, self.names, strict=True):
                ax.plot(values, label=name, linewidth=1.6)
            ax.set(xlabel="column", ylabel="coefficient (largest = 1)")
            ax.xaxis.get_major_locator().set_params(integer=True)
            ax.spines[["top", "right"]].set_visible(False)
            ax.legend(frameon=False, fontsize="small")
            drawn: Any = np.array([ax])
            self.ax_, self.axes_, self.figure_ = ax, drawn, ax.figure
            return self
        columns = min(len(self.names), 3)
        rows = -(-len(self.names) // columns)
        figure, axes = plt.subplots(
            rows, columns, figsize=(2.1 * columns + 0.6, 2.3 * rows), squeeze=False, layout="constrained"
        )
        drawn = None
        for cell, values, name in zip(axes.flat, V.T, self.names, strict=False):
            drawn = cell.imshow(values.reshape(self.shape), cmap="RdBu_r", vmin=-1, vmax=1)
            cell.set_title(name, fontsize="small")
        for cell in axes.flat:
            cell.set_axis_off()
        figure.colorbar(drawn, ax=axes, shrink=0.7, label="coefficient (largest = 1)")
        self.axes_, self.figure_ = axes.ravel()[: len(self.names)], figure
        self.ax_ = self.axes_[0]
        return self
