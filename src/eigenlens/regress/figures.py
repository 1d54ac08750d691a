"""Pictures of what a regression has found; matplotlib is imported only when one is asked for.

Every picture is a row of panels. If rows are given, their partial residuals are drawn behind the curve: what
the panel adds to the prediction, plus the residual of the whole model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import errors
from ..arrays.parameters import is_number
from ..drawing import FOUND, INK, Display, axes_for, finish
from .hinges.pruning import groups
from .hinges.terms import Term, evaluate
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
            self.rows, Y = model._read_again(X, y)
            if Y.shape[1] != q:
                raise errors.InputError(f"y has {Y.shape[1]} columns but the model has {q} responses; pass them all.")
            self.left = Y[:, response] - model._predict(self.rows)[:, response]

    def draw(self, ax: Any, across: Floats, part: Floats) -> None:
        """Draw a dot for each row, at its contribution plus its residual."""
        if len(self.rows):
            opacity = float(np.clip(30.0 / np.sqrt(len(self.rows)), 0.08, 0.6))  # a cloud still shows its density
            ax.plot(across, part + self.left, ".", color=INK, ms=4, alpha=opacity, zorder=1)


def plot_partials(model: AdditiveSplines, features: Any, left: Residuals, response: int, axes: Any) -> Display:
    """Draw the parts of an additive model, one panel per feature."""
    names = model._feature_names()
    if features is None:
        chosen = [j for j in range(len(names)) if model.kind_[j] != "out"]
    else:
        chosen = [column("features", f, names) for f in features]
    panels = _panels(len(chosen), axes)
    for ax, j in zip(panels, chosen, strict=True):
        curve, kind, x = model.curves_[j], str(model.kind_[j]), left.rows[:, j]
        if curve is None:
            ax.axhline(0.0, color=FOUND, lw=2, zorder=3)
            left.draw(ax, x, np.zeros_like(x))
        else:
            t = np.linspace(curve.low, curve.low + curve.width, 201)
            ax.plot(t, curve(t)[:, response], color=FOUND, lw=2, zorder=3)
            left.draw(ax, x, curve(x)[:, response])
        finish(ax, names[j], "contribution", kind if kind == "out" else f"{kind}, df {model.df_[j]:.3g}")
    return Display(panels)


def plot_ridges(model: ProjectionPursuit, left: Residuals, response: int, axes: Any) -> Display:
    """Draw the ridge functions of a projection-pursuit model, scaled as they enter the response."""
    names = model._feature_names()
    panels = _panels(len(model.ridge_functions_), axes)
    for m, (ax, f) in enumerate(zip(panels, model.ridge_functions_, strict=True)):
        a, beta = model.directions_[m], model.loadings_[m, response]
        t, s = np.linspace(f.low, f.high, 301), left.rows @ a
        ax.plot(t, beta * f(t), color=FOUND, lw=2, zorder=3)
        left.draw(ax, s, beta * f(s))
        finish(ax, f"direction {m + 1}", "contribution", _combination(a, names))
    return Display(panels)


def plot_terms(model: AdaptiveSplines, left: Residuals, response: int, axes: Any) -> Display:
    """Draw what each group of terms adds to the prediction: a curve for one feature, a map for two.

    Larger groups are left out. A group of two is drawn without the terms of its features alone.
    """
    found = {features: ks for features, ks in groups(model.basis_).items() if len(features) <= 2}
    panels = _panels(len(found), axes)
    names = model._feature_names()
    for ax, (features, ks) in zip(panels, found.items(), strict=True):
        group = _Group([model.basis_[k] for k in ks], model.coef_[ks, response], model._low, model._high)
        if len(features) == 1:
            group.draw_curve(ax, features[0])
            left.draw(ax, left.rows[:, features[0]], group(left.rows))
        else:
            group.draw_map(ax, *features)
        finish(ax, names[features[0]], "contribution" if len(features) == 1 else names[features[1]])
    return Display(panels)


@dataclass
class _Group:
    """Terms of the same features, and the ranges of all features."""

    terms: Sequence[Term]
    coef: Floats
    low: Floats
    high: Floats

    def __call__(self, rows: Floats) -> Floats:
        return evaluate(self.terms, rows) @ self.coef

    def draw_curve(self, ax: Any, j: int) -> None:
        knots = sorted({t.factors[0].knot for t in self.terms if self.low[j] < t.factors[0].knot < self.high[j]})
        x = np.unique(np.concatenate([np.linspace(self.low[j], self.high[j], 201), knots]))
        rows = np.zeros((len(x), len(self.low)))  # the other features do not matter
        rows[:, j] = x
        ax.plot(x, self(rows), color=FOUND, lw=2, zorder=3)
        for t in knots:
            ax.axvline(t, color=INK, lw=0.8, linestyle=":", zorder=0)

    def draw_map(self, ax: Any, i: int, j: int, steps: int = 80) -> None:
        u, v = (np.linspace(self.low[k], self.high[k], steps) for k in (i, j))
        rows = np.zeros((steps * steps, len(self.low)))
        rows[:, i], rows[:, j] = np.tile(u, steps), np.repeat(v, steps)
        filled = ax.contourf(u, v, self(rows).reshape(steps, steps), levels=12, cmap="viridis")
        ax.figure.colorbar(filled, ax=ax, label="contribution")


def _panels(count: int, axes: Any) -> list[Any]:
    """Return so many panels, at most three a row, or the first of the axes given."""
    return axes_for(axes, count, 3.6, 3.1, columns=3, name="axes")


def _combination(direction: Floats, names: Sequence[str]) -> str:
    """Write the three largest loadings of a direction."""
    top = np.argsort(-np.abs(direction), kind="stable")[:3]
    words = [f"{direction[j]:+.2f} {names[j]}" for j in top if direction[j] != 0]
    more = " …" if np.count_nonzero(direction) > 3 else ""
    return "  ".join(words) + more
