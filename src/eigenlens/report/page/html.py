"""HTML as nested calls; every text is escaped on its way in, so that no name or label can become markup."""

from __future__ import annotations

import html
import re
from typing import Any

from ..._core.text import isolated, undirected


class Markup(str):
    """Text that is markup already."""


def el(tag: str, *children: Any, **attributes: Any) -> Markup:
    """Return an element; attributes that are None or False are left out, a trailing _ of their names is dropped."""
    written = []
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        name = name.rstrip("_").replace("_", "-")
        written.append(f" {name}" if value is True else f' {name}="{html.escape(_text(value), quote=True)}"')
    if tag in VOID:
        return Markup(f"<{tag}{''.join(written)}>")
    return Markup(f"<{tag}{''.join(written)}>{join(*children, verbatim=tag in VERBATIM)}</{tag}>")


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


def _text(value: Any) -> str:
    """Return text without the characters that HTML does not allow, or that turn its direction."""
    text = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
    return undirected("".join(c if c in "\t\n" or c >= " " else "\ufffd" for c in text))


def table(head: list[str], rows: list[list[Any]], caption: str | None = None) -> Markup:
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
    content = el("table", el("caption", caption) if caption else None, el("thead", el("tr", names)), el("tbody", lines))
    return el("div", content, class_="scroll", tabindex="0", role="region", aria_label=caption or "table")


def _is_number(cell: Any) -> bool:
    return not isinstance(cell, str) or bool(re.fullmatch(r"[-+–]?[\d.,]*(e[-+]?\d+)?%?", cell))


def details(summary: str, *children: Any) -> Markup:
    """Return something that opens on a click."""
    return el("details", el("summary", summary), *children)
