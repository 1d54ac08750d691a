"""Pictures of additive and ridge functions; matplotlib is imported only when one is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from eigenlens.regress.additive_splines import AdditiveSplines
    from eigenlens.regress.projection_pursuit import ProjectionPursuit

Array = NDArray[np.float64]

CURVE = "#1f5a96"
POINT = "#9aa5b1"


def plot_partials(
    model: AdditiveSplines, features: Sequence[int | str] | None, X: Any, y: Any, response: int
) -> Figure:
    """Draw the parts of an additive model, one panel per feature."""
    names = model._feature_names()
    chosen = _positions(model, features, names)
    rows, residual = None, None
    if X is not None and y is not None:
        rows = model._validate_rows(X)
        residual = _residual(model, rows, y, response)
    figure, axes = panels(len(chosen))
    for ax, j in zip(axes, chosen, strict=False):
        curve = model.curves_[j]
        if curve is None:
            ax.axhline(0.0, color=CURVE, lw=2)
        else:
            t = np.linspace(curve.low, curve.low + curve.width, 201)
            ax.plot(t, curve(t)[:, response], color=CURVE, lw=2, zorder=3)
        if rows is not None and residual is not None:
            fitted = 0.0 if curve is None else curve(rows[:, j])[:, response]
            ax.plot(rows[:, j], fitted + residual, ".", color=POINT, ms=4, alpha=dots_alpha(len(rows)))
        kind = str(model.kind_[j])
        ax.set_title(kind if kind == "out" else f"{kind}, df {model.df_[j]:.3g}", fontsize=10)
        ax.set_xlabel(names[j])
        ax.set_ylabel(f"f({names[j]})")
    return figure


def plot_ridges(model: ProjectionPursuit, X: Any, y: Any, response: int) -> Figure:
    """Draw the ridge functions of a projection-pursuit model, scaled as they enter the response."""
    rows, residual = None, None
    if X is not None and y is not None:
        rows = model._validate_rows(X)
        residual = _residual(model, rows, y, response)
    names = model._feature_names()
    figure, axes = panels(len(model.ridge_functions_), top=0.45)
    for m, (ax, f) in enumerate(zip(axes, model.ridge_functions_, strict=False)):
        beta = model.loadings_[m, response]
        t = np.linspace(f.low, f.high, 301)
        ax.plot(t, beta * f(t), color=CURVE, lw=2, zorder=3)
        if rows is not None and residual is not None:
            s = rows @ model.directions_[m]
            ax.plot(s, beta * f(s) + residual, ".", color=POINT, ms=4, alpha=dots_alpha(len(rows)))
        ax.set_title(_combination(model.directions_[m], names), fontsize=9)
        ax.set_xlabel(f"direction {m + 1}")
        ax.set_ylabel("contribution")
    return figure


def panels(count: int, top: float = 0.0) -> tuple[Figure, list[Axes]]:
    """Return a figure with so many panels, at most three a row."""
    import matplotlib.pyplot as plt

    columns = min(max(count, 1), 3)
    rows = -(-max(count, 1) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(3.6 * columns, (2.9 + top) * rows), squeeze=False, layout="constrained"
    )
    flat = list(axes.ravel())
    for ax in flat[count:]:
        ax.set_visible(False)
    for ax in flat:
        ax.spines[["top", "right"]].set_visible(False)
    return figure, flat


def dots_alpha(n: int) -> float:
    """Return an opacity at which a cloud of n dots still shows its density."""
    return float(np.clip(30.0 / np.sqrt(n), 0.08, 0.9))


def _residual(model: Any, rows: Array, y: Any, response: int) -> Array:
    target = np.asarray(y, dtype=np.float64)
    target = target if target.ndim == 1 else target[:, response]
    out: Array = target - model._predict(rows)[:, response]
    return out


def _positions(model: Any, features: Sequence[int | str] | None, names: list[str]) -> list[int]:
    if features is None:
        return [j for j in range(len(names)) if model.kind_[j] != "out"]
    out = []
    for f in features:
        known = f in names if isinstance(f, str) else 0 <= int(f) < len(names)
        if not known:
            raise ValueError(
                f"features holds {f!r} but the model has {', '.join(names)}; use one of these or a position"
            )
        out.append(names.index(f) if isinstance(f, str) else int(f))
    return out


def _combination(direction: Array, names: list[str]) -> str:
    """Write the three largest loadings of a direction."""
    top = np.argsort(-np.abs(direction), kind="stable")[:3]
    words = [f"{direction[j]:+.2f} {names[j]}" for j in top if direction[j] != 0]
    more = " …" if np.count_nonzero(direction) > 3 else ""
    return "  ".join(words) + more
