"""What a flexible discriminant learned: its coordinates as functions of one feature at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..arrays import namespaces, optional
from ..rows import as_source, whole
from .style import Display

STEPS = 120


@dataclass(repr=False)
class FunctionDisplay(Display):
    """Discriminant coordinates over each feature, the other features held at their medians.

    Parameters
    ----------
    grids : array of shape (p, m)
        Values of each feature, over the range of the rows.
    curves : array of shape (p, m, k)
        Coordinates there.
    rows : array of shape (n, p)
        For the marks under the curves.
    names : list of str

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import FDA
    >>> from eigenlens.displays import FunctionDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = FunctionDisplay.from_estimator(FDA().fit(X, y), X)
    >>> display.axes_[3].get_xlabel()
    'petal width (cm)'
    """

    grids: np.ndarray
    curves: np.ndarray
    rows: np.ndarray
    names: list[str]

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any = None, *, features: Any = None, n_components: int = 2, ax: Any = None
    ) -> Self:
        """Draw the functions of a fitted discriminant over the features of rows.

        Parameters
        ----------
        model : fitted FDA, MDA, PDA or LDA
        X : table of shape (n, p)
        y : ignored
        features : list of positions or names, optional
            All by default.
        n_components : int
            How many coordinates are drawn.
        ax : array of matplotlib axes, optional
            One for each feature.
        """
        rows = np.asarray(whole(as_source(X)).X)
        named = getattr(model, "feature_names_in_", None)
        names = [f"x{j}" for j in range(rows.shape[1])] if named is None else [str(name) for name in named]
        chosen = range(rows.shape[1]) if features is None else features
        places = [names.index(f) if isinstance(f, str) else int(f) for f in chosen]
        grids, curves = [], []
        for j in places:
            grid = np.linspace(rows[:, j].min(), rows[:, j].max(), STEPS)
            points = np.tile(np.median(rows, axis=0), (STEPS, 1))
            points[:, j] = grid
            Z = np.asarray(namespaces.to_numpy(_transform(model, points, named)), dtype=float)[:, :n_components]
            grids.append(grid)
            curves.append(Z)
        display = cls(np.array(grids), np.array(curves), rows[:, places], [names[j] for j in places])
        return display.plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw one panel for each feature, on a common scale."""
        plt = optional.pyplot()

        p = len(self.names)
        if ax is None:
            columns = min(p, 4)
            rows = -(-p // columns)
            _, axes = plt.subplots(
                rows,
                columns,
                figsize=(2.6 * columns, 2.3 * rows + 0.3),
                squeeze=False,
                sharey=True,
                layout="constrained",
            )
            for extra in axes.flat[p:]:
                extra.set_visible(False)
            ax = axes.ravel()[:p]
        drawn: Any = np.atleast_1d(ax)
        self.axes_, self.ax_, self.figure_ = drawn, drawn[0], drawn[0].figure
        for cell, grid, curve, values, name in zip(
            self.axes_, self.grids, self.curves, self.rows.T, self.names, strict=True
        ):
            for j in range(curve.shape[1]):
                cell.plot(grid, curve[:, j], linewidth=1.8, label=f"discriminant {j + 1}")
            cell.plot(
                values,
                np.zeros(len(values)),
                "|",
                color="0.5",
                alpha=0.4,
                markersize=6,
                zorder=1,
                clip_on=False,
                transform=cell.get_xaxis_transform(),
            )
            cell.set_xlabel(name)
            cell.spines[["top", "right"]].set_visible(False)
        self.ax_.set_ylabel("coordinate")
        self.ax_.legend(frameon=False, fontsize="small")
        return self


def _transform(model: Any, points: np.ndarray, names: Any) -> Any:
    """Apply the model to made-up rows, under the names it was fitted with."""
    if names is None:
        return model.transform(points)
    pd = optional.pandas()

    return model.transform(pd.DataFrame(points, columns=list(names)))
