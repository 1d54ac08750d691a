"""The boundary of a classifier in two columns; of a kernel machine with margins and support vectors."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..arrays import namespaces
from .style import COLOURS, INK, Display, class_codes, plain, point_size

STEPS = 200


@dataclass(repr=False)
class DecisionDisplay(Display):
    """Regions, boundary and margins of a classifier over a plane, with rows and support vectors.

    Parameters
    ----------
    rows : array of shape (n, 2)
    codes : array of shape (n,)
        Place of each row's class in `classes`.
    classes : array of shape (K,)
    grid : tuple of two arrays of shape (STEPS,), or of one
    values : array of shape (STEPS, STEPS) or (STEPS, STEPS, K)
        The decision function over the grid; of one axis less where there is one column.
    support : array of int
        Numbers of the support vectors among the rows.
    names : tuple of str
        Of the columns that are drawn.
    margins : bool
        Whether f = ±1 means something: the margins of a kernel machine.
    held : int
        Other columns, which are held at their medians.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import KernelClassifier
    >>> from eigenlens.displays import DecisionDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelClassifier().fit(X[50:, 2:], y[50:])
    >>> display = DecisionDisplay.from_estimator(model, X[50:, 2:], y[50:])
    >>> len(display.support) == len(model.support_)
    True
    """

    needs = "X, y"

    rows: np.ndarray
    codes: np.ndarray
    classes: np.ndarray
    grid: tuple[np.ndarray, np.ndarray]
    values: np.ndarray
    support: np.ndarray
    names: tuple[str, ...]
    margins: bool = True
    held: int = 0

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, columns: tuple[int, int] = (0, 1), ax: Any = None, support: bool = True
    ) -> Self:
        """Draw a fitted KernelClassifier (or any classifier with a decision function) with the rows of its fit.

        Parameters
        ----------
        model : fitted classifier
        X : table of shape (n, p)
            With more than two columns the others are held at their medians.
        y : labels of shape (n,)
        columns : pair of int
            The columns to draw.
        ax : matplotlib axes, optional
        support : bool
            Whether to ring the support vectors.
        """
        values = np.asarray(namespaces.to_numpy(X) if namespaces.is_array(X) else X, dtype=float)
        columns = columns if values.shape[1] > 1 else (0,)  # type: ignore[assignment]
        classes = np.asarray(namespaces.to_numpy(model.classes_))
        codes = class_codes(y, classes)
        rows = values[:, list(columns)]
        drawn = ~np.isnan(rows).any(axis=1)  # a row without a place in the plane is left out
        rows, codes = rows[drawn], codes[drawn]
        low, high = rows.min(axis=0), rows.max(axis=0)
        margin = 0.08 * (high - low)
        axes = tuple(np.linspace(a, b, STEPS) for a, b in zip(low - margin, high + margin, strict=True))
        plane = np.tile(np.nanmedian(values, axis=0), (STEPS ** len(axes), 1))
        plane[:, list(columns)] = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, len(axes))
        with warnings.catch_warnings():  # the grid has the columns of X, in their order, without their names
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            found = np.asarray(
                namespaces.to_numpy(
                    model.decision_function(namespaces.like(plane, X) if namespaces.is_array(X) else plane)
                )
            )
        names = getattr(model, "feature_names_in_", [f"column {j}" for j in range(values.shape[1])])
        numbers = getattr(model, "support_", np.zeros(0, dtype=int)) if support and hasattr(model, "support_") else []
        display = cls(
            rows,
            codes,
            classes,
            axes,  # type: ignore[arg-type]
            found.reshape(*[STEPS] * len(axes), *found.shape[1:]),
            np.asarray(numbers, dtype=int),
            tuple(str(names[j]) for j in columns),
            hasattr(model, "function_"),
            values.shape[1] - len(columns),
        )
        return display.plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw into axes, new ones if none are given."""
        from matplotlib.colors import ListedColormap

        (ax,) = self._draw_on(ax, 1, 6.2, 4.6)
        if len(self.grid) == 1:
            return self._draw_line(plain(ax))
        K, two = len(self.classes), self.values.ndim == 2
        best = (self.values > 0).astype(int) if two else np.argmax(self.values, axis=2)
        colours = [COLOURS[k % len(COLOURS)] for k in range(K)]
        extent = (self.grid[0][0], self.grid[0][-1], self.grid[1][0], self.grid[1][-1])
        tint = {"cmap": ListedColormap(colours), "vmin": 0, "vmax": K - 1, "alpha": 0.12}
        ax.imshow(best, origin="lower", extent=extent, aspect="auto", interpolation="nearest", **tint)
        if two:
            if self.margins:
                ax.contour(*self.grid, self.values, levels=[-1, 1], colors=INK, linestyles="--", linewidths=0.9)
            ax.contour(*self.grid, self.values, levels=[0], colors=INK, linewidths=1.6)
        else:
            for k in range(K):
                ahead = self.values[..., k] - np.delete(self.values, k, axis=2).max(axis=2)
                ax.contour(*self.grid, ahead, levels=[0], colors=INK, linewidths=0.9)
        size = 1.4 * point_size(len(self.rows))
        if len(self.support):
            ring = self.rows[self.support].T
            ax.scatter(*ring, s=4.5 * size, facecolor="none", edgecolor=INK, linewidth=0.8, label="support vector")
        for k, label in enumerate(self.classes):
            own = self.codes == k
            ax.scatter(*self.rows[own].T, s=size, color=colours[k], alpha=0.85, linewidth=0, label=str(label))
        if two:
            ax.plot([], [], color=INK, linewidth=1.6, label="boundary")
            if self.margins:
                ax.plot([], [], color=INK, linestyle="--", linewidth=0.9, label="f = ±1")
        ax.set(xlabel=self.names[0], ylabel=self.names[1], xlim=extent[:2], ylim=extent[2:])
        ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)
        if self.held:
            ax.set_title(f"the other {self.held} columns at their medians", fontsize=9, loc="left", color=INK)
        plain(ax)
        return self

    def _draw_line(self, ax: Any) -> Self:
        """Draw one column: the rows of each class, and where the decision changes."""
        x, bins = self.grid[0], np.histogram_bin_edges(self.rows[:, 0], bins="auto")
        best = (self.values > 0).astype(int) if self.values.ndim == 1 else np.argmax(self.values, axis=1)
        for k, label in enumerate(self.classes):
            own = self.rows[self.codes == k, 0]
            ax.hist(own, bins=bins, color=COLOURS[k % len(COLOURS)], alpha=0.5, label=str(label))
        for j, place in enumerate((x[1:] + x[:-1])[np.diff(best) != 0] / 2):
            ax.axvline(place, color=INK, linewidth=1.2, linestyle="--", label=None if j else "decision")
        ax.set(xlabel=self.names[0], ylabel="rows")
        ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)
        return self
