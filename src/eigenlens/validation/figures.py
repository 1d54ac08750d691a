"""Pictures of a cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..drawing import FOUND, LEVEL, QUIET, finish, one_axes
from .result import said, varying

LOG_SCALE_RATIO = 50  # a ratio of the values from which their scale is logarithmic
NAMED = 24  # settings whose names can still be read


def draw_curve(result: Any, ax: Any = None) -> Any:
    """Draw mean scores with standard errors, the folds behind them, and one standard error below the best."""
    ax = one_axes(ax, 6.4, 4.0)
    means, se, best = result.mean_scores, result.standard_errors, result.best_index
    name, values = varying(result.settings)
    by_value = values is not None and len(np.unique(values)) == len(values)
    place = np.asarray(values) if by_value else np.arange(len(means), dtype=float)
    order = np.argsort(place, kind="stable")
    ax.plot(place[order], result.scores[order], color=QUIET, linewidth=0.8, zorder=1)
    ax.plot([], [], color=QUIET, linewidth=0.8, label="folds")
    if np.isfinite(se[best]):
        ax.axhspan(
            means[best] - se[best], means[best], color=LEVEL, alpha=0.12, linewidth=0, label="one standard error"
        )
    ax.errorbar(place[order], means[order], se[order], color=FOUND, marker="o", markersize=4, linewidth=1.4, zorder=3)
    ax.scatter(place[best], means[best], color=LEVEL, s=50, zorder=4, label=f"best: {said(result.best)}")
    simple = result._simplest()
    if simple != best:
        words = f"simplest within it: {said(result.settings[simple])}"
        ax.scatter(place[simple], means[simple], facecolor="white", edgecolor=LEVEL, s=50, zorder=4, label=words)
    if by_value:
        if place.min() >= 0 and place.max() > LOG_SCALE_RATIO * place[place > 0].min():
            positive = place.min() > 0  # with 0 on it, a scale becomes logarithmic at the smallest other value
            ax.set_xscale("log") if positive else ax.set_xscale("symlog", linthresh=float(place[place > 0].min()))
    else:
        few = len(place) <= NAMED
        ax.set_xticks(place, [said(setting) for setting in result.settings] if few else place.astype(int))
        ax.tick_params(axis="x", rotation=30 if few else 0)
    title = f"{result.scores.shape[1]} folds, each row scored by a model that has not seen it"
    x = str(name) if by_value else "setting"
    return finish(ax, x, result.scoring.replace("_", " "), title, legend="best")
