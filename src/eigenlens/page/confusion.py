"""What each class was taken for: a table of few classes, a picture and the most frequent mistakes of many."""

from __future__ import annotations

from typing import Any

import numpy as np

from .html import WIDE, Markup, cut, details, el, figure, line, rect, svg, table, text

MOST_IN_TABLE = 12  # classes whose table is as wide as a page
MOST_MISTAKES = 12
ABOUT = "Rows left out of the fit: what each class was predicted as."


def confusion(classes: list[str], counts: np.ndarray) -> Markup:
    """Return the confusion matrix, in the form that its classes have room for."""
    numbers = _table(classes, counts)
    if len(classes) <= MOST_IN_TABLE:
        return figure("Confusion matrix", ABOUT, numbers)
    about = f"{ABOUT} Each row is a class, each column a prediction; stronger colours are larger shares of the class."
    return figure(
        "Confusion matrix",
        about,
        _picture(classes, counts),
        _mistakes(classes, counts),
        details("All numbers as a table", numbers),
    )


def _shares(counts: np.ndarray) -> np.ndarray:
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))


def _table(classes: list[str], counts: np.ndarray) -> Markup:
    share, many = _shares(counts), len(classes) > MOST_IN_TABLE
    rows = []
    for i, name in enumerate(classes):
        cells = [
            el(
                "td",
                f"{counts[i, j]:,}" if counts[i, j] or not many else "·",
                class_=f"n {'hit' if i == j else 'miss'} t{min(int(share[i, j] * 10), 9)}"
                + ("" if counts[i, j] else " none"),
            )
            for j in range(len(classes))
        ]
        rows.append(el("tr", el("th", name, scope="row"), cells, el("td", f"{share[i, i]:.0%}", class_="n")))
    head = el(
        "tr",
        el("th", "true ↓ taken for →", scope="col"),
        [el("th", c, scope="col") for c in classes],
        el("th", "right", scope="col"),
    )
    body = el("table", el("thead", head), el("tbody", rows), class_="confusion many" if many else "confusion")
    return el("div", body, class_="scroll", tabindex="0", role="region", aria_label="Confusion matrix")


def _picture(classes: list[str], counts: np.ndarray) -> Markup:
    """Return the matrix as a heat map that is as wide as the page, and no wider."""
    share, k = _shares(counts), len(classes)
    letters = max(map(len, classes))
    left = 6 + 5.4 * min(letters, 14)
    step = (WIDE - left - 34) / k
    top = 14 if letters <= 2 else 4
    parts: list[Any] = []
    for i, name in enumerate(classes):
        y = top + step * i
        parts.append(text(left - 4, y + step * 0.5 + 3.2, cut(name, 14), "end", "tick", name))
        if letters <= 2:
            parts.append(text(left + step * (i + 0.5), 9, name, "middle", "tick"))
        for j in range(k):
            tip = el("title", f"{name}, predicted as {classes[j]}: {counts[i, j]:,} ({share[i, j]:.1%})")
            class_ = "cell" if not counts[i, j] else "good" if i == j else "bad"
            dark = None if not counts[i, j] else round(0.12 + 0.88 * float(share[i, j]) ** 0.5, 3)
            parts.append(rect(left + step * j + 0.5, y + 0.5, step - 1, step - 1, class_, tip, opacity=dark))
        parts.append(text(WIDE - 2, y + step * 0.5 + 3.2, f"{share[i, i]:.0%}", "end", "tick"))
    parts.append(line(left, top + step * k + 2, left + step * k, top + step * k + 2, "grid"))
    return svg(top + step * k + 6, "confusion matrix as a heat map", parts)


def _mistakes(classes: list[str], counts: np.ndarray) -> Markup | None:
    """Return the most frequent mistakes as a table, which has room on a phone."""
    share, wrong = _shares(counts), np.array(counts)
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_MISTAKES]
    pairs = [divmod(int(place), len(classes)) for place in order]
    rows = [[classes[i], classes[j], f"{wrong[i, j]:,}", f"{share[i, j]:.1%}"] for i, j in pairs if wrong[i, j]]
    if not rows:
        return None
    return table(["class", "taken for", "rows", "of the class"], rows, "Most frequent mistakes")
