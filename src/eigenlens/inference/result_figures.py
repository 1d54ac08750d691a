"""Drawings of results: eigenvalues against noise, p-values, loadings with their intervals."""

from __future__ import annotations

from textwrap import fill
from typing import Any

import numpy as np

from ..drawing import FOUND, INK, LEVEL, QUIET, dots, finish, named, one_axes, place_names

MOST_NAMES = 40  # columns whose names can still be read


def draw_dimension(test: Any, ax: Any = None) -> Any:
    """Draw what was tested with what noise gives, where the test has both; else eigenvalues, or p-values alone."""
    found, ax = test.statistics, one_axes(ax)
    if "noise" in found:
        return _against_noise(test, found["eigenvalue"], found["noise"], "eigenvalue", ax)
    if "bar" in found:
        return _with_p_values(test, _against_noise(test, found["statistic"], found["bar"], "test statistic", ax))
    if "eigenvalue" in found:
        return _with_p_values(test, _against_noise(test, found["eigenvalue"], None, "eigenvalue", ax))
    return _p_values(test, ax)


def _against_noise(test: Any, values: Any, noise: Any, words: str, ax: Any) -> Any:
    """Draw a value for each direction that was tested, those found filled, above the band that noise would fill."""
    values = np.asarray(values, dtype=float)
    values = values[: np.flatnonzero(np.isfinite(values)).max(initial=0) + 1]
    q, d = len(values), test.dimension
    place = np.arange(1, q + 1)
    ax.axvline(d + 0.5, color=INK, linewidth=0.8, linestyle=":")
    top = np.nanmax(values, initial=0.0)
    if noise is not None:
        band = np.asarray(noise, dtype=float)[:q]
        top = np.nanmax(band, initial=top)
        alone = np.isfinite(band).sum() == 1  # a band of one place would not be seen
        style = {"marker": "_", "markersize": 40, "label": "noise"} if alone else {"linestyle": "--"}
        ax.plot(place, band, color=LEVEL, linewidth=1.2, **style)
        if not alone:
            ax.fill_between(place, 0, band, color=LEVEL, alpha=0.12, linewidth=0, label="noise")
    ax.plot(place, values, color=QUIET, zorder=1)
    _found_or_not(ax, place, values, place <= d, ("shown", "not shown"))
    if not np.nanmin(values) <= 0 and values[0] > 50 * values[q // 2]:
        ax.set_yscale("log")
    else:
        ax.set_ylim(0, 1.1 * top if top > 0 else 1)
    _entitle(ax, test)
    return finish(ax, "direction", words, legend="best", whole=True, xlim=(0.4, max(q, 2) + 0.6))


def _found_or_not(ax: Any, place: np.ndarray, values: np.ndarray, found: np.ndarray, words: tuple[str, str]) -> None:
    """Draw filled points for what was found, and hollow ones for what was not."""
    size = 26 if len(place) <= MOST_NAMES else 8
    for some, inside, label in ((found, FOUND, words[0]), (~found, "white", words[1])):
        if some.any():
            ax.scatter(place[some], values[some], facecolor=inside, edgecolor=FOUND, s=size, zorder=2, label=label)


def _entitle(ax: Any, test: Any) -> None:
    """Write the verdict above the axes, in lines that fit; what else the test says is in its own words."""
    width = 13 * ax.figure.get_figwidth() * ax.get_position().width  # thirteen letters in an inch
    ax.set_title(fill(test.headline, max(int(width), 30), break_on_hyphens=False), fontsize=10, loc="left")


def _with_p_values(test: Any, ax: Any) -> Any:
    """Write p-values next to the points, if there are few; those that were not computed are left out."""
    if not test.is_test or np.isfinite(test.p_values).sum() > 12:
        return ax
    values = np.asarray(test.statistics.get("statistic", test.statistics.get("eigenvalue")), dtype=float)
    place = np.arange(1, len(values) + 1)
    written = [
        named(ax, f"p = {p:.2f}" if p >= 0.01 else "p < 0.01", (j, value), 8, INK)
        for j, value, p in zip(place, values, test.p_values, strict=True)
        if np.isfinite(p)
    ]
    along = np.linspace(1, len(values), 20 * len(values))  # the line is not covered either
    place_names(ax, written, np.column_stack([along, np.interp(along, place, values)]))
    return ax


def _p_values(test: Any, ax: Any) -> Any:
    d = np.arange(len(test.p_values))
    floor = np.maximum(test.p_values, 1e-300)
    ax.semilogy(d, floor, color=QUIET, zorder=1)
    _found_or_not(ax, d, floor, d < test.dimension, ("rejected: there are more", "not rejected"))
    ax.axhline(test.alpha, color=LEVEL, linestyle="--", label=f"level {test.alpha:g}")
    _entitle(ax, test)
    return finish(ax, "at most d directions", "p-value", legend="best", xticks=d)


def draw_map(result: Any, ax: Any = None) -> Any:
    """Draw a map whose points carry the ellipse in which 95% of their replicates lie, taken as normal."""
    from matplotlib.patches import Ellipse

    ax = one_axes(ax, 5.2, 4.8)
    points, replicates = np.asarray(result.estimate)[:2].T, result.components[:, :2]
    for i, point in enumerate(points):
        values, vectors = np.linalg.eigh(np.cov(replicates[:, :, i].T))
        width, height = 2 * np.sqrt(5.99 * np.maximum(values, 0))
        angle = np.degrees(np.arctan2(vectors[1, 0], vectors[0, 0]))
        ax.add_patch(Ellipse(tuple(point), width, height, angle=angle, color=FOUND, alpha=0.15, linewidth=0))
    dots(ax, points, alpha=1, zorder=3)
    title = f"95% ellipses, {result.n_boot:,} resamples of {result.unit}"
    return finish(ax, "axis 1", "axis 2", title, aspect="equal")


def draw_loadings(result: Any, component: int, ax: Any = None) -> Any:
    """Draw the loadings of one component with their intervals: columns with names from top to bottom, many in a row."""
    low, high, value = (np.asarray(part)[component] for part in (result.low, result.high, result.estimate))
    title = f"{result.axis} {component + 1}: {result.level:.0%} intervals, {result.n_boot:,} resamples of {result.unit}"
    p, named = len(value), len(value) <= MOST_NAMES
    place, away = np.arange(p), (low > 0) | (high < 0)
    ax = one_axes(ax, 6.0, 1.4 + 0.24 * p) if named else one_axes(ax, 8.0, 3.4)
    for mask, colour in ((away, FOUND), (~away, QUIET)):
        (ax.hlines if named else ax.vlines)(place[mask], low[mask], high[mask], color=colour, lw=2.5 if named else 1)
        points = (value[mask], place[mask]) if named else (place[mask], value[mask])
        ax.scatter(*points, color=colour, s=22 if named else 6, zorder=3)
    (ax.axvline if named else ax.axhline)(0, color=INK, linewidth=0.8)
    if named:
        ax.set_yticks(place, result.names)
        return finish(ax, result.kind, "", title, ylim=(p - 0.4, -0.6))
    along = {"coordinate": "row", "score": "class"}.get(result.kind, "column")
    return finish(ax, along, result.kind, title, xlim=(-0.7, p - 0.3))


def draw_shrinkage(found: Any, ax: Any = None) -> Any:
    """Draw singular values before and after, with the edge of noise."""
    ax, q = one_axes(ax), len(found.singular_values)
    place, size = np.arange(1, q + 1), 26 if q <= MOST_NAMES else 8
    top = 1.1 * max(float(np.max(found.singular_values, initial=0.0)), found.edge) or 1
    ax.axhspan(0, found.edge, color=LEVEL, alpha=0.12, linewidth=0, label="noise")
    ax.axhline(found.edge, color=LEVEL, linewidth=1.2, linestyle="--")
    ax.scatter(place, found.singular_values, facecolor="white", edgecolor=FOUND, s=size, zorder=2, label="as found")
    ax.scatter(place, found.shrunk_values, color=FOUND, s=size, zorder=3, label="shrunk")
    return finish(
        ax, "direction", "singular value", str(found), legend="best", whole=True, xlim=(0.4, q + 0.6), ylim=(0, top)
    )
