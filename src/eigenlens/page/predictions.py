"""How well a method predicts: what each class was taken for, and other methods next to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .charts import Chart, cells
from .findings import ComparedMethod
from .html import WIDE, Markup, cut, details, el, figure, scrolled, svg, table, text

MOST_IN_TABLE = 12  # classes whose table is as wide as a page
ABOUT = "Rows left out of the fit: what each class was predicted as."


def confusion(classes: list[str], counts: np.ndarray) -> Markup:
    """Return the confusion matrix: a table of few classes, a picture and the most frequent mistakes of many."""
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    numbers = _table(classes, counts, share)
    if len(classes) <= MOST_IN_TABLE:
        return figure("Confusion matrix", ABOUT, numbers)
    about = f"{ABOUT} Each row is a class, each column a prediction; stronger colours are larger shares of the class."
    return figure(
        "Confusion matrix",
        about,
        _picture(classes, counts, share),
        _mistakes(classes, counts, share),
        details("All numbers as a table", numbers),
    )


def _table(classes: list[str], counts: np.ndarray, share: np.ndarray) -> Markup:
    many = len(classes) > MOST_IN_TABLE

    def cell(i: int, j: int) -> Markup:
        kind = f"n {'hit' if i == j else 'miss'} t{min(int(share[i, j] * 10), 9)}"
        written = f"{counts[i, j]:,}" if counts[i, j] or not many else "·"
        return el("td", written, class_=kind + ("" if counts[i, j] else " none"))

    rows = [
        el(
            "tr",
            el("th", name, scope="row"),
            [cell(i, j) for j in range(len(classes))],
            el("td", f"{share[i, i]:.0%}", class_="n"),
        )
        for i, name in enumerate(classes)
    ]
    head = el("tr", [el("th", word, scope="col") for word in ("true ↓ taken for →", *classes, "right")])
    body = el("table", el("thead", head), el("tbody", rows), class_="confusion many" if many else "confusion")
    return scrolled(body, "Confusion matrix")


def _picture(classes: list[str], counts: np.ndarray, share: np.ndarray) -> Markup:
    """Return the matrix as a heat map that is as wide as the page, and no wider."""
    letters = max(map(len, classes))

    def cell(i: int, j: int) -> tuple[str, float | None, str]:
        said = f"{classes[i]}, predicted as {classes[j]}: {counts[i, j]:,} ({share[i, j]:.1%})"
        if not counts[i, j]:
            return "cell", None, said
        return "good" if i == j else "bad", round(0.12 + 0.88 * float(share[i, j]) ** 0.5, 3), said

    return cells(
        "confusion matrix as a heat map",
        classes,
        len(classes),
        cell,
        head=classes if letters <= 2 else (),
        tail=[f"{share[i, i]:.0%}" for i in range(len(classes))],
        left=8 + 5.4 * min(letters, 14),
        square=True,
        letters=14,
    )


def _mistakes(classes: list[str], counts: np.ndarray, share: np.ndarray) -> Markup | None:
    """Return the most frequent mistakes as a table, which has room on a phone."""
    wrong = np.array(counts)
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_IN_TABLE]
    pairs = [divmod(int(place), len(classes)) for place in order]
    rows = [[classes[i], classes[j], f"{wrong[i, j]:,}", f"{share[i, j]:.1%}"] for i, j in pairs if wrong[i, j]]
    if not rows:
        return None
    return table(["class", "taken for", "rows", "of the class"], rows, "Most frequent mistakes")


def comparison(compared_methods: list[ComparedMethod], score: str, baseline: tuple[str, float] | None) -> Markup:
    """Return scores of methods with their intervals."""
    shown = sorted((c for c in compared_methods if np.isfinite(c.score)), key=lambda c: -c.score)
    high = max(c.high for c in shown)
    low = max(min(min(c.low for c in shown), high - 0.05), high - 2)  # an R² of -800 would squeeze the others
    if baseline:  # near enough it is drawn, far away it would squeeze the others together
        low = max(min(low, baseline[1]), low - (high - low))
    row = 26.0
    base = row * (len(shown) + bool(baseline)) + 6
    chart = Chart((low, high), (base, 0), left=164, right=WIDE - 52, top=0, base=base)
    chart.vertical_grid("{:.0%}".format)
    parts = chart.parts

    def named(y: float, name: str, class_: str, written: str) -> None:
        parts.append(text(chart.left - 10, y + 4, cut(name, 22), "end", class_))
        parts.append(text(WIDE - 4, y + 4, written, "end", "tick"))

    for i, c in enumerate(shown):
        y = i * row + 14
        named(y, c.name, "name", c.written if c.score >= -1 else "< -100%")
        chart.line(max(c.low, low), y, max(c.high, low), y, "whisker")
        chart.dot(max(c.score, low), y, 4.5, "mark")
    if baseline:
        y = len(shown) * row + 14
        named(y, baseline[0], "name quiet", f"{baseline[1]:.1%}")
        if baseline[1] >= low:
            chart.dot(baseline[1], y, 4, "hollow")
        else:  # an arrow head: it lies beyond
            place = chart.across(low)
            points = f"{place + 7},{y - 5} {place},{y} {place + 7},{y + 5}"
            parts.append(el("polyline", points=points, class_="hollow"))
    rows: list[list[Any]] = [
        [c.name, c.written, c.interval, c.note or "worse than the mean" * (c.score < -1)] for c in shown
    ]
    rows += [[c.name, "–", "", c.note] for c in compared_methods if not np.isfinite(c.score)]
    rows += [[baseline[0], f"{baseline[1]:.1%}", "", "ignores the columns"]] if baseline else []
    numbers = table(["method", score, "95% interval", ""], rows, "Comparison of methods")
    about = f"Cross-validated {score} with 95% intervals."
    drawing = svg(base + 22, f"{score} of methods", parts)
    return figure("Methods compared", about, drawing, details("The numbers as a table", numbers))
