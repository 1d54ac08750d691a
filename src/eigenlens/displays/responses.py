"""The response against the first variates of inverse regressions, and the path of the slice means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..drawing import FEW, INK, QUIET, Display, axes_for, dots, finish, floats, one_axes, palette, require_attribute
from ..rows import Labels, Response
from ..rows.slices import slice_response
from .row_scores import require_rows, scores


def response(model: Any, X: Any, y: Any = None, *, n_variates: int = 2, slices: Any = None, ax: Any = None) -> Display:
    """Draw y against each of the first variates, with the mean of each slice.

    Parameters
    ----------
    model : fitted SIR, SAVE, DirectionalRegression or LocalizedSIR
    X : rows
    y : their response, optional
        Without it, rows alone are drawn, as `scores` does.
    n_variates : int
        Largest number of panels.
    slices : labels, optional
        Where the model was fitted with given slices.
    ax : axes or list of axes, optional
        One for each variate; a single one shows the first.

    Returns
    -------
    Display
        Its `data` are the scores, the centres of the slices there, and the levels: the mean response of each slice.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import SIR
    >>> from eigenlens.displays import response
    >>> X = np.random.default_rng(0).standard_normal((200, 4))
    >>> y = np.exp(X[:, 0])
    >>> len(response(SIR(2).fit(X, y), X, y).axes_)
    2
    """
    if y is None:
        return scores(model, X, ax=ax)
    require_attribute(model, "slice_means_", "SIR")
    require_rows(model, X)
    Z, given = floats(model.transform(X))[:, :n_variates], _single_response(y)
    words = given if isinstance(given, Labels) else None
    numbers = given if words is None else words.codes.astype(float)
    codes, centres = _slices(model, y, slices), _centres(model)[:, : Z.shape[1]]
    levels = np.array([numbers[codes == h].mean() if (codes == h).any() else np.nan for h in range(len(centres))])
    seen = np.isfinite(levels)
    # words are spread a little, by the golden ratio rather than by chance, so that a rerun looks the same
    spread = 0.0 if words is None else 0.5 * ((np.arange(len(Z)) * 0.6180339887) % 1 - 0.5)
    joined = "-" if words is None else "none"

    def means(panel: Any, j: int) -> str:
        panel.plot(
            centres[seen, j], levels[seen], color=INK, linestyle=joined, marker="o", markersize=5, label="slice means"
        )
        if words is not None:
            panel.set_yticks(np.arange(len(words.classes)), [str(c) for c in words.classes])
        return f"variate {j + 1}  (λ = {model.eigenvalues_[j]:.2f})"

    return Display(_against(Z, numbers + spread, ax, means), scores=Z, centres=centres, levels=levels)


def curvature(model: Any, X: Any, y: Any = None, *, n_variates: int = 2, ax: Any = None) -> Display:
    """Draw y against each of the first principal Hessian directions, with the parabola of its slope and curvature.

    Parameters
    ----------
    model : fitted PrincipalHessianDirections
    X : rows
    y : their response, optional
        Without it, rows alone are drawn, as `scores` does.
    n_variates : int
        Largest number of panels.
    ax : axes or list of axes, optional
        One for each variate; a single one shows the first.

    Returns
    -------
    Display
        Its `data` are scores, slopes and curvatures: a parabola is the mean of y + slope·z + curvature·(z² − 1)/2.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import PrincipalHessianDirections
    >>> from eigenlens.displays import curvature
    >>> X = np.random.default_rng(0).standard_normal((300, 4))
    >>> y = X[:, 0] ** 2 + X[:, 1]
    >>> len(curvature(PrincipalHessianDirections(2).fit(X, y), X, y).axes_)
    2
    """
    if y is None:
        return scores(model, X, ax=ax)
    require_rows(model, X)
    given = _single_response(y)
    if isinstance(given, Labels):
        raise errors.InputError("y holds words, and the response of this model is a number; pass the numbers.")
    require_attribute(model, "slopes_", "PrincipalHessianDirections")
    Z, slopes, curvatures = floats(model.transform(X))[:, :n_variates], floats(model.slopes_), floats(model.curvatures_)

    def parabola(panel: Any, j: int) -> str:
        limits, z = panel.get_ylim(), np.linspace(Z[:, j].min(), Z[:, j].max(), 100)
        curve = model.y_mean_ + slopes[j] * z + curvatures[j] * (z**2 - 1) / 2
        panel.plot(z, curve, color=INK, label="slope and curvature found")
        panel.set_ylim(limits)  # a parabola may leave the rows at their ends
        return f"direction {j + 1}  (curvature {curvatures[j]:.3g})"

    return Display(_against(Z, given, ax, parabola), scores=Z, slopes=slopes, curvatures=curvatures)


def inverse_curve(
    model: Any, X: Any, y: Any, *, variates_shown: tuple[int, int] = (0, 1), slices: Any = None, ax: Any = None
) -> Display:
    """Draw rows in the plane of two variates, coloured by slice, with the slice means joined in the order of y.

    Parameters
    ----------
    model : fitted SIR, SAVE, DirectionalRegression or LocalizedSIR
        With at least two components.
    X, y : rows and their response
    variates_shown : pair of int
    slices : labels, optional
        Where the model was fitted with given slices.
    ax : axes, optional

    Returns
    -------
    Display
        Its `data` are the scores, the codes of their slices (−1 for none), and the centres of the slices.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import SIR
    >>> from eigenlens.displays import inverse_curve
    >>> X = np.random.default_rng(0).standard_normal((200, 4))
    >>> y = np.exp(X[:, 0])
    >>> inverse_curve(SIR(2).fit(X, y), X, y).ax_.get_xlabel()
    'variate 1  (λ = 0.96)'
    """
    require_attribute(model, "slice_means_", "SIR")
    pair = list(variates_shown)
    Z, centres, codes = floats(model.transform(X))[:, pair], _centres(model)[:, pair], _slices(model, y, slices)
    ordered = model._slicing is not None and len(model._slicing.cuts) <= 1  # slices of one numeric response
    ax, colours, area = one_axes(ax, 6.4, 4.4), palette(len(centres), ordered), floats(model.slice_weights_)
    dots(ax, Z[codes < 0], QUIET, of=len(Z), alpha=1, rasterized=True)
    for h, colour in enumerate(colours):
        dots(ax, Z[codes == h], colour, of=len(Z), alpha=0.45, rasterized=True)
    if ordered:
        ax.plot(*centres.T, color=INK, linewidth=1.2, zorder=3)
    for h, colour in enumerate(colours):
        name, size = model.slice_names_[h] if len(colours) <= FEW else None, 30 + 120 * area[h] / area.max()
        ax.scatter(*centres[h], s=size, color=colour, edgecolor=INK, zorder=4, label=name)
    finish(ax, *(f"variate {j + 1}  (λ = {model.eigenvalues_[j]:.2f})" for j in pair), legend="beside")
    if ax.get_legend():
        ax.get_legend().set_title("slice means")
    return Display(ax, scores=Z, codes=codes, centres=centres)


def _against(Z: np.ndarray, y: np.ndarray, ax: Any, draw: Callable[[Any, int], str]) -> list[Any]:
    """Draw y against each column of Z, and what belongs to it; one panel each, or the first if there are fewer axes."""
    panels = axes_for(ax, Z.shape[1] if ax is None else min(Z.shape[1], np.size(ax)))
    for j, panel in enumerate(panels):
        dots(panel, np.column_stack([Z[:, j], y]), alpha=0.35, rasterized=True)
        finish(panel, draw(panel, j), "" if j else "y", legend="" if j else "best")
    return panels


def _centres(model: Any) -> np.ndarray:
    """Return the slice means in the variates of a model."""
    return namespaces.to_numpy(model.subspace_.project(namespaces.float64(model.slice_means_)))


def _slices(model: Any, y: Any, slices: Any = None) -> np.ndarray:
    """Return the slice of each row, as a place in the model's `slice_means_`; −1 for rows without one."""
    n_slices = model._slicing.cuts if model._slicing is not None and model._slicing.cuts else model.n_slices
    labels, _ = slice_response(Response(y, slices), None, n_slices, model._slicing, may_miss=True)
    known = {label: place for place, label in enumerate(np.asarray(model.slices_).tolist())}
    places = np.array([known.get(label, -1) for label in labels.classes.tolist()])
    return np.where(labels.codes >= 0, places[labels.codes], -1)


def _single_response(y: Any) -> Any:
    """Return y as one column: numbers, or words as labels."""
    values = namespaces.to_numpy(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise errors.InputError(
            f"y has shape {values.shape} but one response is shown at a time; pass one column of it."
        )
    if values.dtype.kind in "OUS" and any(isinstance(v, str) for v in values):
        return Labels.read(values)
    return values.astype(np.float64)
