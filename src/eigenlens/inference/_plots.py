"""Drawings of results: eigenvalues against noise, p-values, loadings with their intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import optional

FOUND, QUIET, LEVEL, INK = "#2166ac", "0.75", "#b2182b", "0.2"
MOST = 40  # columns whose names can still be read


def axes_of(ax: Any, width: float = 6.0, height: float = 3.8) -> Any:
    """Return the axes given, or new ones."""
    if ax is not None:
        return ax
    plt = optional.pyplot()

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def plain(ax: Any) -> Any:
    """Leave out what carries no data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(color=QUIET, labelcolor=INK)
    return ax


def draw_dimension(test: Any, ax: Any = None) -> Any:
    """Draw eigenvalues with the noise band where the test has them, else p-values."""
    values = test.statistics.get("eigenvalue")
    if values is None:
        return _p_values(test, axes_of(ax))
    return _eigenvalues(test, np.asarray(values, dtype=float), axes_of(ax))


def _eigenvalues(test: Any, values: np.ndarray, ax: Any) -> Any:
    q, d, noise = len(values), test.dimension, test.statistics.get("noise")
    place = np.arange(1, q + 1)
    if noise is not None:
        band = np.asarray(noise, dtype=float)
        ax.fill_between(place, 0, band, color=LEVEL, alpha=0.12, linewidth=0, label="noise")
        ax.plot(place, band, color=LEVEL, linewidth=1.2, linestyle="--")
    ax.plot(place, values, color=QUIET, zorder=1)
    size = 26 if q <= MOST else 8
    ax.scatter(place[:d], values[:d], color=FOUND, s=size, zorder=2, label="stands above noise")
    ax.scatter(place[d:], values[d:], facecolor="white", edgecolor=FOUND, s=size, zorder=2, label="does not")
    ax.axvline(d + 0.5, color=INK, linewidth=0.8, linestyle=":")
    shown = values[np.isfinite(values)]
    if len(shown) and shown[0] > 50 * max(shown[len(shown) // 2], 1e-300) and (shown > 0).all():
        ax.set_yscale("log")
    else:
        ax.set_ylim(bottom=0)
    ax.set(xlabel="direction", ylabel="eigenvalue", xlim=(0.4, q + 0.6))
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_title(str(test), fontsize=10, loc="left")
    ax.legend(frameon=False)
    return plain(ax)


def _p_values(test: Any, ax: Any) -> Any:
    d = np.arange(len(test.p_values))
    found = d < test.dimension
    floor = np.maximum(test.p_values, 1e-300)
    ax.semilogy(d, floor, color=QUIET, zorder=1)
    if found.any():
        ax.scatter(d[found], floor[found], color=FOUND, zorder=2, label="rejected: there are more")
    if not found.all():
        ax.scatter(d[~found], floor[~found], facecolor="white", edgecolor=FOUND, zorder=2, label="not rejected")
    ax.axhline(test.alpha, color=LEVEL, linestyle="--", label=f"level {test.alpha:g}")
    ax.set(xlabel="at most d directions", ylabel="p-value")
    ax.set_title(str(test), fontsize=10, loc="left")
    ax.set_xticks(d)
    ax.legend(frameon=False)
    return plain(ax)


def draw_map(result: Any, ax: Any = None) -> Any:
    """Draw a map whose points carry the ellipse in which 95% of their replicates lie, taken as normal."""
    from matplotlib.patches import Ellipse

    ax = axes_of(ax, width=5.2, height=4.8)
    points, replicates = np.asarray(result.estimate)[:2].T, result.components[:, :2]
    for i, point in enumerate(points):
        values, vectors = np.linalg.eigh(np.cov(replicates[:, :, i].T))
        width, height = 2 * np.sqrt(5.99 * np.maximum(values, 0))
        angle = np.degrees(np.arctan2(vectors[1, 0], vectors[0, 0]))
        ax.add_patch(Ellipse(tuple(point), width, height, angle=angle, color=FOUND, alpha=0.15, linewidth=0))
    ax.scatter(*points.T, color=FOUND, s=14 if len(points) <= 200 else 4, zorder=3)
    ax.set(xlabel="axis 1", ylabel="axis 2", aspect="equal")
    ax.set_title(f"95% ellipses, {result.n_boot:,} resamples of {result.unit}", fontsize=10, loc="left")
    return plain(ax)


def draw_loadings(result: Any, component: int, ax: Any = None) -> Any:
    """Draw the loadings of one component with their intervals."""
    low, high, value = (np.asarray(part)[component] for part in (result.low, result.high, result.estimate))
    p = len(value)
    place, away = np.arange(p), (low > 0) | (high < 0)
    ax = axes_of(ax, width=min(3 + 0.32 * p, 14), height=3.6)
    for mask, colour in ((away, FOUND), (~away, QUIET)):
        ax.vlines(place[mask], low[mask], high[mask], color=colour, linewidth=2.5 if p <= MOST else 1)
        ax.scatter(place[mask], value[mask], color=colour, s=22 if p <= MOST else 6, zorder=3)
    ax.axhline(0, color=INK, linewidth=0.8)
    ax.set(ylabel=result.kind, xlim=(-0.7, p - 0.3))
    if p <= MOST:
        turned = max(len(name) for name in result.names) > 3
        ax.set_xticks(place, result.names, rotation=60 if turned else 0, ha="right" if turned else "center")
    else:
        ax.set_xlabel("column")
    unit = f"{result.level:.0%} intervals, {result.n_boot:,} resamples of {result.unit}"
    ax.set_title(f"component {component + 1}: {unit}", fontsize=10, loc="left")
    return plain(ax)
