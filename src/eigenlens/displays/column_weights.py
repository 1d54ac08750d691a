"""Which columns make a direction: loadings, coefficients, and functions of one feature at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..drawing import INK, QUIET, Display, axes_for, column_names, finish, floats, one_axes, palette, require_attribute
from ..rows import as_source, whole
from .row_scores import require_rows, values_at

STEPS = 120  # places at which a function is drawn


def loadings(model: Any, X: Any = None, y: Any = None, *, ax: Any = None) -> Display:
    """Draw loadings as a heat map, a column of the picture for each component.

    Those that are zero stay white, and if there are few, the others show their value.

    Parameters
    ----------
    model : fitted SparsePCA, PCA or RobustPCA
    X, y : ignored
    ax : axes, optional

    Returns
    -------
    Display
        Its `data` are the loadings and the names of the columns.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from eigenlens import SparsePCA
    >>> from eigenlens.displays import loadings
    >>> wine = load_wine(as_frame=True).data
    >>> wine = (wine - wine.mean()) / wine.std()
    >>> loadings(SparsePCA(3, n_nonzero=4).fit(wine)).data["names"][0]
    'alcohol'
    """
    require_attribute(model, "components_", "PCA or SparsePCA")
    V, shares = floats(model.components_), getattr(model, "explained_variance_ratio_", None)
    k, p = V.shape
    names = column_names(model, p)
    few, top = p <= 40, np.abs(V).max(initial=0.0) or 1.0
    ax = one_axes(ax, max(4.2, 0.8 * k + 2.8), 0.3 * p + 1.0 if few else 6.0)
    drawn = _image(ax, V.T, top, aspect="auto")
    labels = [f"{j + 1}" if shares is None else f"{j + 1}\n{shares[j]:.1%}" for j in range(k)]
    said = "component" + ("" if shares is None else ", and its share of the variance")
    finish(ax, said, "" if few else "column")
    if few:
        for i, j in np.argwhere(V != 0):
            ink = "white" if abs(V[i, j]) > 0.6 * top else "black"
            ax.text(i, j, f"{V[i, j]:+.2f}", color=ink, ha="center", va="center", fontsize=7.5)
        ax.set_yticks(range(p), names, fontsize=8)
        ax.set_yticks(np.arange(p + 1) - 0.5, minor=True)
    ax.set_xticks(range(k), labels, fontsize=9)
    ax.set_xticks(np.arange(k + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="0.9", linewidth=0.6)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)
    ax.figure.colorbar(drawn, ax=ax, label="loading", shrink=0.6)
    return Display(ax, loadings=V, names=names)


def coefficients(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    shape: tuple[int, int] | None = None,
    n_components: int = 6,
    ax: Any = None,
) -> Display:
    """Draw what each discriminant looks at: coefficients along ordered columns, or as images of pixels.

    Each direction is scaled to its largest entry. A grid penalty of PDA gives the shape of the image.

    Parameters
    ----------
    model : fitted LDA or PDA
    X, y : ignored
    shape : pair (rows, columns), optional
        Of an image, in row-major order; without it, curves are drawn.
    n_components : int
        The most directions.
    ax : matplotlib axes, optional
        One for the curves, one each for images.

    Returns
    -------
    Display
        Its `data` are the coefficients, a column for each direction.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from eigenlens import PDA
    >>> from eigenlens.displays import coefficients
    >>> X, y = load_digits(return_X_y=True)
    >>> display = coefficients(PDA(penalty=(8, 8)).fit(X, y), n_components=3)
    >>> len(display.axes_), display.axes_[0].get_title()
    (3, 'discriminant 1')
    """
    require_attribute(model, "scalings_", "LDA or PDA")
    V = floats(model.scalings_)[:, :n_components]
    V = V / np.maximum(np.abs(V).max(axis=0), np.finfo(float).tiny)
    penalty = getattr(model, "penalty", None)
    if shape is None and isinstance(penalty, tuple | list) and len(penalty) == 2 and np.ndim(penalty) == 1:
        shape = penalty[0], penalty[1]
    k, said = V.shape[1], "coefficient (largest = 1)"
    if shape is None:
        panels = axes_for(ax, 1, 6.4, 3.6)
        _curves(panels[0], np.arange(len(V)), V)
        finish(panels[0], "column", said, legend="best", whole=True)
        return Display(panels, coefficients=V)
    panels = axes_for(ax, k, 2.3, 2.3, columns=3)
    for j, panel in enumerate(panels):
        drawn = _image(panel, V[:, j].reshape(shape), 1.0, aspect="equal")
        panel.set_title(f"discriminant {j + 1}", fontsize="small")
        panel.set_axis_off()
    panels[0].figure.colorbar(drawn, ax=panels, shrink=0.7, label=said)
    return Display(panels, coefficients=V)


def functions(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    features: Sequence[int | str] | None = None,
    n_components: int = 2,
    ax: Any = None,
) -> Display:
    """Draw discriminant coordinates over each feature, the other features held at their medians.

    Parameters
    ----------
    model : fitted FDA, MDA, PDA or LDA
    X : table of shape (n, p)
        Its rows are marks under the curves.
    y : ignored
    features : list of positions or names, optional
        All by default.
    n_components : int
        How many coordinates are drawn.
    ax : array of matplotlib axes, optional
        One for each feature.

    Returns
    -------
    Display
        Its `data` are grids, the values of each feature over the range of the rows, and curves, the coordinates there.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import FDA
    >>> from eigenlens.displays import functions
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> functions(FDA().fit(X, y), X).axes_[3].get_xlabel()
    'petal width (cm)'
    """
    require_rows(model, X)
    rows = np.asarray(whole(as_source(X)).X)
    names = column_names(model, rows.shape[1])
    chosen = range(rows.shape[1]) if features is None else features
    places = [names.index(f) if isinstance(f, str) else int(f) for f in chosen]
    panels = axes_for(ax, len(places), 2.6, 2.4, columns=4, sharey=True)
    grids, curves = np.linspace(rows[:, places].min(axis=0), rows[:, places].max(axis=0), STEPS).T, []
    for panel, j, grid in zip(panels, places, grids, strict=True):
        points = np.tile(np.median(rows, axis=0), (STEPS, 1))
        points[:, j] = grid
        curves.append(values_at(model.transform, points, X)[:, :n_components])
        _curves(panel, grid, curves[-1])
        panel.plot(
            rows[:, j],
            np.zeros(len(rows)),
            "|",
            transform=panel.get_xaxis_transform(),
            color=INK,
            alpha=0.4,
            markersize=6,
            zorder=1,
            clip_on=False,
        )
        first = panel is panels[0]
        finish(panel, names[j], "coordinate" if first else "", legend="best" if first else "")
    return Display(panels, grids=grids, curves=np.array(curves))


def _curves(ax: Any, x: np.ndarray, Z: np.ndarray) -> None:
    """Draw a curve for each discriminant."""
    ax.axhline(0, color=QUIET, linewidth=0.8, zorder=0)
    for j, colour in enumerate(palette(Z.shape[1])):
        ax.plot(x, Z[:, j], color=colour, linewidth=1.7, label=f"discriminant {j + 1}")


def _image(ax: Any, values: np.ndarray, top: float, **style: Any) -> Any:
    """Draw numbers of two signs as colours."""
    return ax.imshow(values, cmap="RdBu_r", vmin=-top, vmax=top, interpolation="nearest", **style)
