"""HTML and SVG as nested calls; every text is escaped on its way in, so that no name or label can become markup."""

from __future__ import annotations

import html
import re
from typing import Any

import numpy as np

from ..arrays.printable import isolated, undirected


class Markup(str):
    """Text that is markup already."""


def el(tag: str, *children: Any, **attributes: Any) -> Markup:
    """Return an element; attributes that are None or False are left out, a trailing _ of their names is dropped."""
    inner, written = join(*children, verbatim=tag in VERBATIM), []
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        name = name.rstrip("_").replace("_", "-")
        written.append(f" {name}" if value is True else f' {name}="{html.escape(_text(value), quote=True)}"')
    opened = f"<{tag}{''.join(written)}>"
    return Markup(opened if tag in VOID else f"{opened}{inner}</{tag}>")


def join(*children: Any, verbatim: bool = False) -> Markup:
    """Return children one after the other; lists are flattened, None is nothing.

    Names written from right to left are isolated, unless the text is to be copied as it is.
    """
    parts: list[str] = []
    for child in children:
        if child is None:
            continue
        if isinstance(child, list | tuple):
            parts.append(join(*child, verbatim=verbatim))
        elif isinstance(child, Markup):
            parts.append(child)
        else:
            text = _text(child)
            parts.append(html.escape(text if verbatim else isolated(text), quote=False))
    return Markup("".join(parts))


VOID = {"meta", "br", "hr", "input", "link"}
VERBATIM = {"code", "pre"}
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f]")


def _text(value: Any) -> str:
    """Return text without the characters that HTML does not allow, or that turn its direction."""
    text = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
    return undirected(CONTROLS.sub("\ufffd", text))


def table(head: list[str], rows: list[list[Any]], caption: str) -> Markup:
    """Return a table; the first cell of each row is its heading, columns of numbers are set to the right."""
    right = ["n" if all(_is_number(row[j]) for row in rows) else None for j in range(len(head))]
    lines = [
        el(
            "tr",
            el("th", row[0], scope="row"),
            [el("td", c, class_=r) for c, r in zip(row[1:], right[1:], strict=True)],
        )
        for row in rows
    ]
    names = [
        el("th", h, scope="col", class_=r if j else None) for j, (h, r) in enumerate(zip(head, right, strict=True))
    ]
    return scrolled(el("table", el("caption", caption), el("thead", el("tr", names)), el("tbody", lines)), caption)


def scrolled(content: Markup, label: str, class_: str = "scroll") -> Markup:
    """Return what may be wider than the page, in a frame that scrolls."""
    return el("div", content, class_=class_, tabindex="0", role="region", aria_label=label)


def _is_number(cell: Any) -> bool:
    return not isinstance(cell, str) or bool(re.fullmatch(r"[-+–]?[\d.,]*(e[-+]?\d+)?%?", cell))


def details(summary: str, *children: Any) -> Markup:
    """Return something that opens on a click."""
    return el("details", el("summary", summary), *children)


# -- the strokes of which figures are made, coloured by the stylesheet through their classes ---------------------

WIDE = 400  # units of every figure: at 400 pixels a unit is a pixel


def figure(title: str, about: str, drawing: Markup, *more: Any) -> Markup:
    """Return a figure with its caption; the caption is what a screen reader says."""
    return el("figure", el("figcaption", el("strong", title), " ", about), drawing, *more)


def svg(height: float, label: str, *children: Any, top: float = 0.0) -> Markup:
    return el("svg", el("title", label), *children, viewBox=f"0 {top:g} {WIDE} {height:g}", role="img")


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
