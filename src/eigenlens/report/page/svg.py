"""The strokes of which figures are made, coloured by the stylesheet through their classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .html import Markup, el

WIDE = 400  # units of every figure: at 400 pixels a unit is a pixel


def figure(title: str, about: str, drawing: Markup, *more: Any) -> Markup:
    """Return a figure with its caption; the caption is what a screen reader says."""
    return el("figure", el("figcaption", el("strong", title), " ", about), drawing, *more)


def svg(height: float, label: str, *children: Any, width: float = WIDE) -> Markup:
    return el("svg", el("title", label), *children, viewBox=f"0 0 {width:g} {height:g}", role="img")


def text(
    x: float, y: float, words: Any, anchor: str = "start", class_: str | None = None, column: str | None = None
) -> Markup:
    return el("text", words, x=float(x), y=float(y), text_anchor=anchor, class_=class_, data_column=column)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    return el("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), class_=class_)


def rect(x: float, y: float, w: float, h: float, class_: str, *children: Any, opacity: float | None = None) -> Markup:
    return el(
        "rect",
        *children,
        x=float(x),
        y=float(y),
        width=float(max(w, 0)),
        height=float(max(h, 0)),
        class_=class_,
        fill_opacity=opacity,
    )


def cut(words: str, limit: int = 22) -> str:
    """Shorten a name for an axis; the whole one is in the table."""
    return words if len(words) <= limit else words[: limit - 1] + "…"


def ticks(low: float, high: float, count: int) -> list[float]:
    """Return round numbers between two."""
    if not high > low:
        return [low]
    raw = (high - low) / count
    power = 10.0 ** np.floor(np.log10(raw))
    step = power * min((m for m in (1, 2, 2.5, 5, 10) if m * power >= raw), default=10)
    first = np.ceil(low / step - 1e-9) * step
    return [float(round(t, 12)) + 0.0 for t in np.arange(first, high + step * 1e-6, step)]
