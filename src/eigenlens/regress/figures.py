"""Pictures of what a regression has found; matplotlib is imported only when one is asked for.

Every picture is a row of panels. If rows are given, their partial residuals are drawn behind the curve: what
the panel adds to the prediction, plus the residual of the whole model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import errors
from ..arrays.parameters import is_number
from ..drawing import FOUND, INK, Display, axes_for, finish
from ..rows import whole
from .hinges.pruning import groups
from .hinges.terms import evaluate
from .regressor import Floats, Regressor, column

if TYPE_CHECKING:
    from .adaptive_splines import AdaptiveSplines
    from .additive_splines import AdditiveSplines
    from .projection_pursuit import ProjectionPursuit


class Residuals:
    """Rows and their residuals for one response; no rows if none were given."""

    def __init__(self, model: Regressor, X: Any, y: Any, response: int) -> None:
        if (X is None) != (y is None):
            raise errors.InputError("plot draws partial residuals from X and y together; give both or neither.")
        q = model._n_responses
        if not is_number(response, integer=True) or not 0 <= response < q:
            raise errors.InputError(f"response={response!r} but the model has {q}; use a number from 0 to {q - 1}.")
        self.rows, self.left = np.zeros((0, model.n_features_in_)), np.zeros(0)
        if X is not None:
            given: Any = whole(model._open(X, y, None, reset=False))
            self.rows, Y = given.X, given.y
            if Y.shape[1] != q:
                raise errors.InputError(f"y has {Y.shape[1]} columns but the model has {q} responses; pass them all.")
            self.left = Y[:, response] - model._predict(self.rows)[:, response]

    def panel(self, ax: Any, part: Callable[[Floats], Floats], t: Floats, across: Floats, *said: str) -> None:
        """Draw what a part of the model adds along t, and for each row a dot at its contribution plus its residual.

        Without any t it adds 0.
        """
        style = {"color": FOUND, "lw": 2, "zorder": 3}
        _ = ax.plot(t, part(t), **style) if len(t) else ax.axhline(0.0, **style)
        if len(self.rows):
            opacity = float(np.clip(30.0 / np.sqrt(len(self.rows)), 0.08, 0.6))  # a cloud still shows its density
            ax.plot(across, part(across) + self.left, ".", color=INK, ms=4, alpha=opacity, zorder=1)
        finish(ax, said[0], "contribution", *said[1:])


def plot_partials(model: AdditiveSplines, features: Any, left: Residuals, response: int, axes: Any) -> Display:
    """Draw the parts of an additive model, one panel per feature."""
    names = model._feature_names()
    if features is None:
        chosen = [j for j in range(len(names)) if model.kind_[j] != "out"]
    else:
        chosen = [column("features", f, names) for f in features]
    panels = _panels(len(chosen), axes)
    for ax, j in zip(panels, chosen, strict=True):
        curve, x = model.curves_[j], left.rows[:, j]
        if curve is None:
            left.panel(ax, np.zeros_like, x[:0], x, names[j], "out")
            continue

        def part(t: Floats, curve: Any = curve) -> Floats:
            return np.asarray(curve(t)[:, response])

        t = np.linspace(curve.low, curve.low + curve.width, 201)
        left.panel(ax, part, t, x, names[j], f"{model.kind_[j]}, df {model.df_[j]:.3g}")
    return Display(panels)


def plot_ridges(model: ProjectionPursuit, left: Residuals, response: int, axes: Any) -> Display:
    """Draw the ridge functions of a projection-pursuit model, scaled as they enter the response."""
    names = model._feature_names()
    panels = _panels(len(model.ridge_functions_), axes)
    for m, (ax, f) in enumerate(zip(panels, model.ridge_functions_, strict=True)):
        a, beta = model.directions_[m], model.loadings_[m, response]

        def part(t: Floats, f: Any = f, beta: float = beta) -> Floats:
            return np.asarray(beta * f(t))

        said = f"direction {m + 1}", _combination(a, names)
        left.panel(ax, part, np.linspace(f.low, f.high, 301), left.rows @ a, *said)
    return Display(panels)


def plot_terms(model: AdaptiveSplines, left: Residuals, response: int, axes: Any) -> Display:
    """Draw what each group of terms adds to the prediction: a curve for one feature, a map for two.

    Larger groups are left out. A group of two is drawn without the terms of its features alone.
    """
    found = {features: ks for features, ks in groups(model.basis_).items() if len(features) <= 2}
    panels = _panels(len(found), axes)
    names, low, high = model._feature_names(), model._low, model._high
    for ax, (features, ks) in zip(panels, found.items(), strict=True):
        terms, coef = [model.basis_[k] for k in ks], model.coef_[ks, response]

        def part(*columns: Floats, terms: Any = terms, coef: Floats = coef, features: Any = features) -> Floats:
            rows = np.zeros((columns[0].size, len(names)))  # the other features do not matter
            rows[:, features] = np.column_stack(columns)
            return np.asarray(evaluate(terms, rows) @ coef)

        j = features[0]
        if len(features) == 1:
            knots = sorted({t.factors[0].knot for t in terms if low[j] < t.factors[0].knot < high[j]})
            x = np.unique(np.concatenate([np.linspace(low[j], high[j], 201), knots]))
            left.panel(ax, part, x, left.rows[:, j], names[j])
            for t in knots:
                ax.axvline(t, color=INK, lw=0.8, linestyle=":", zorder=0)
        else:
            u, v = (np.linspace(low[k], high[k], 80) for k in features)
            values = part(*(grid.ravel() for grid in np.meshgrid(u, v)))
            filled = ax.contourf(u, v, values.reshape(80, 80), levels=12, cmap="viridis")
            ax.figure.colorbar(filled, ax=ax, label="contribution")
            finish(ax, *(names[k] for k in features))
    return Display(panels)


def _panels(count: int, axes: Any) -> list[Any]:
    """Return so many panels, at most three a row, or the first of the axes given."""
    return axes_for(axes, count, 3.6, 3.1, columns=3, name="axes")


def _combination(direction: Floats, names: Sequence[str]) -> str:
    """Write the three largest loadings of a direction."""
    top = np.argsort(-np.abs(direction), kind="stable")[:3]
    words = [f"{direction[j]:+.2f} {names[j]}" for j in top if direction[j] != 0]
    more = " …" if np.count_nonzero(direction) > 3 else ""
    return "  ".join(words) + more
