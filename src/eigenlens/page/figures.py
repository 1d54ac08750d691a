"""Figures as SVG: small enough for a telephone, coloured by the stylesheet, each with its numbers as a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from .findings import ComparedMethod, Findings, number
from .html import WIDE, Markup, cut, details, el, figure, line, rect, svg, table, text, ticks


def scree(findings: Findings) -> Markup:
    """Values by direction, with the band that noise would reach."""
    values = np.asarray(findings.scree["values"], dtype=float)[:30]
    names = [d.name for d in findings.directions]
    tips = [f"{name}: {number(v)}" for name, v in zip(names, values, strict=False)]
    words = "Grey bars are not shown by these rows." if any(d.shown is False for d in findings.directions) else ""
    if findings.scree.get("band") is not None:
        words += " " + findings.scree.get("band_words", "The shaded band is what noise would reach.")
    drawing = _bars_with_band(findings, values, findings.scree.get("band"), tips, findings.value_name)
    return figure("How many directions?", words.strip(), drawing)


def tails(findings: Findings) -> Markup | None:
    """The statistic of each test, with what draws reach; None where no test has one."""
    if findings.scree.get("tails") is None:
        return None
    found, bar = (np.asarray(part, dtype=float)[:30] for part in findings.scree["tails"])
    tips = [
        f"direction {j + 1}: {number(v)}, draws reach {number(b)}"
        for j, (v, b) in enumerate(zip(found, bar, strict=True))
    ]
    words = (
        f"{findings.scree['tails_words']} The shaded band is what 95% of the draws stay below. The first direction "
        "that does not rise above it, and those that follow, are not shown by these rows."
    )
    drawing = _bars_with_band(findings, found, bar, tips, "test statistic")
    return figure("Is there more than chance would give?", words, drawing)


def _bars_with_band(findings: Findings, values: np.ndarray, band: Any, tips: list[str], name: str) -> Markup:
    band = None if band is None or len(band) == 0 else np.asarray(band, dtype=float)[:30]
    top = float(max(values.max(initial=0), 0 if band is None else band.max(initial=0))) or 1.0
    left, right, height, base = 46, 12, 230, 196
    step = (WIDE - left - right) / max(len(values), 1)

    def y(v: float) -> float:
        return base - (base - 18) * v / top

    parts: list[Any] = [
        [line(left, y(t), WIDE - right, y(t), "grid"), text(left - 6, y(t) + 4, number(t, 3), "end", "tick")]
        for t in ticks(0, top, 4)
    ]
    if band is not None:
        points = " ".join(f"{left + step * (j + 0.5):.1f},{y(v):.1f}" for j, v in enumerate(band))
        edge = left + step * len(band)
        area = f"{left},{base} {left},{y(band[0]):.1f} {points} {edge:.1f},{y(band[-1]):.1f} {edge:.1f},{base}"
        parts.append(el("polygon", points=area, class_="band"))
        parts.append(
            el("polyline", points=f"{left},{y(band[0]):.1f} {points} {edge:.1f},{y(band[-1]):.1f}", class_="bandline")
        )
    for j, v in enumerate(values):
        shown = findings.directions[j].shown if j < len(findings.directions) else None
        x, h, class_ = left + step * (j + 0.15), base - y(max(v, 0)), "bar" if shown is not False else "bar quiet"
        parts.append(rect(x, y(max(v, 0)), step * 0.7, h, class_, el("title", tips[j])))
        if len(values) <= 15 or j % 5 == 4 or j == 0:
            parts.append(text(left + step * (j + 0.5), base + 15, j + 1, "middle", "tick"))
    parts.append(text((left + WIDE - right) / 2, height - 2, "direction", "middle", "axis"))
    parts.append(text(2, 10, name, "start", "axis"))
    return svg(height, f"{name} of each direction", parts)


def bars(findings: Findings, j: int, limit: int = 12) -> Markup:
    """Loadings of one direction as bars."""
    own = findings.columns_of(j)
    weights = findings.loadings[own, j]
    used = int(np.count_nonzero(weights))
    order = np.argsort(-np.abs(weights), kind="stable")[: max(min(limit, used), 1)]
    top = float(np.abs(weights[order]).max(initial=0)) or 1.0
    names, row, left = 150, 19, 156
    half = (WIDE - left - 8) / 2
    zero = left + half
    parts: list[Any] = [line(zero, 0, zero, row * len(order), "zero")]
    for i, place in enumerate(order):
        v = float(weights[place])
        w = (half - 34) * abs(v) / top
        x = zero if v >= 0 else zero - w
        full = findings.loading_names[own[place]]
        parts.append(text(names, i * row + 14, cut(full), "end", "name", full))
        parts.append(rect(x, i * row + 4, w, row - 8, "pos" if v >= 0 else "neg", el("title", f"{full}: {v:+.3f}")))
        parts.append(
            text(
                zero + w + 4 if v >= 0 else zero - w - 4,
                i * row + 14,
                f"{v:+.2f}",
                "start" if v >= 0 else "end",
                "tick",
            )
        )
    about = f"The {len(order)} largest of {len(weights)}." if used > len(order) else ""
    if used < len(weights):
        about = (
            f"{used} of {len(weights)} columns have a weight; the others have none." if used else "No column has one."
        )
    return figure(
        findings.axes[j].capitalize(), about, svg(row * len(order) + 6, f"weights of {findings.axes[j]}", parts)
    )


def heat(findings: Findings, most: int = 40) -> Markup:
    """All loadings as a heat map."""
    k = min(findings.loadings.shape[1], 8)
    size = np.abs(findings.loadings[:, :k]).max(axis=1)
    order = np.sort(np.argsort(-size, kind="stable")[:most])
    top = float(np.abs(findings.loadings[:, :k]).max(initial=0)) or 1.0
    left, row = 156, 17
    step = (WIDE - left - 4) / k
    pairs = findings.extras.get("pairs") or k
    short = [f"{j % pairs + 1}{'AB'[j // pairs]}" if pairs < k else f"{j + 1}" for j in range(k)]
    parts: list[Any] = [text(left + step * (j + 0.5), 12, short[j], "middle", "tick") for j in range(k)]
    for i, place in enumerate(order):
        full = findings.loading_names[place]
        parts.append(text(150, 20 + i * row + 12, cut(full), "end", "name", full))
        for j in range(k):
            v = float(findings.loadings[place, j])
            tip = el("title", f"{full}, {findings.axes[j]}: {v:+.3f}")
            cls = "pos" if v >= 0 else "neg"
            parts.append(
                rect(left + step * j + 1, 20 + i * row + 1, step - 2, row - 2, cls, tip, opacity=round(abs(v) / top, 3))
            )
    numbers = table(
        ["column", *(cut(a, 16) for a in findings.axes[:k])],
        [[findings.loading_names[i], *(f"{v:+.3f}" for v in findings.loadings[i, :k])] for i in order],
        "Loadings",
    )
    about = f"{findings.loading_kind.capitalize()}; stronger is larger, the two colours are the two signs."
    if pairs < k:
        about += " A is the direction in the first set, B the one in the second."
    if len(findings.loading_names) > most:
        about += f" The {most} strongest of {len(findings.loading_names)} columns."
    return figure(
        "All loadings",
        about,
        svg(24 + row * len(order), "loadings as a heat map", parts),
        details("The numbers as a table", numbers),
    )


def comparison(compared_methods: list[ComparedMethod], score: str, baseline: tuple[str, float] | None) -> Markup:
    """Scores of methods with their intervals."""
    shown = sorted((c for c in compared_methods if np.isfinite(c.score)), key=lambda c: -c.score)
    high = max(c.high for c in shown)
    low = max(min(min(c.low for c in shown), high - 0.05), high - 2)  # an R² of -800 would squeeze the others
    if baseline:  # near enough it is drawn, far away it would squeeze the others together
        low = max(min(low, baseline[1]), low - (high - low))
    left, row, right = 164, 26, 52
    height = row * (len(shown) + (1 if baseline else 0)) + 28

    def x(v: float) -> float:
        return left + (WIDE - left - right) * (max(v, low) - low) / (high - low)

    parts: list[Any] = [
        [line(x(t), 0, x(t), height - 22, "grid"), text(x(t), height - 8, f"{t:.0%}", "middle", "tick")]
        for t in ticks(low, high, 4)
    ]
    for i, c in enumerate(shown):
        y = i * row + 14
        parts += [text(left - 10, y + 4, cut(c.name, 22), "end", "name"), line(x(c.low), y, x(c.high), y, "whisker")]
        parts += [
            el("circle", cx=float(x(c.score)), cy=float(y), r=4.5, class_="mark"),
            text(WIDE - 4, y + 4, c.written if c.score >= -1 else "< -100%", "end", "tick"),
        ]
    if baseline:
        y = len(shown) * row + 14
        parts += [text(left - 10, y + 4, cut(baseline[0], 22), "end", "name quiet")]
        place = x(max(baseline[1], low))
        mark = el("circle", cx=float(place), cy=float(y), r=4, class_="hollow")
        beyond = el("polyline", points=f"{place + 7},{y - 5} {place},{y} {place + 7},{y + 5}", class_="hollow")
        parts += [mark if baseline[1] >= low else beyond, text(WIDE - 4, y + 4, f"{baseline[1]:.1%}", "end", "tick")]
    rows = [[c.name, c.written, c.interval, c.note or "worse than the mean" * (c.score < -1)] for c in shown]
    rows += [[c.name, "–", "", c.note] for c in compared_methods if not np.isfinite(c.score)]
    rows += [[baseline[0], f"{baseline[1]:.1%}", "", "ignores the columns"]] if baseline else []
    numbers = details(
        "The numbers as a table", table(["method", score, "95% interval", ""], rows, "Comparison of methods")
    )
    about = f"Cross-validated {score} with 95% intervals."
    return figure("Methods compared", about, svg(height, f"{score} of methods", parts), numbers)


def scatter(
    x: Any, y: Any, title: str, about: str, names: tuple[str, str], diagonal: bool = False, half: Any = None
) -> Markup:
    """A plain scatter plot, with a diagonal or with bars."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    spread = np.zeros(len(y)) if half is None else np.asarray(half)
    low_x, high_x = float(x.min()), float(x.max())
    low_y, high_y = float((y - spread).min()), float((y + spread).max())
    pad_x, pad_y = 0.03 * (high_x - low_x), 0.03 * (high_y - low_y)
    low_x, high_x, low_y, high_y = low_x - pad_x, high_x + pad_x, low_y - pad_y, high_y + pad_y
    if diagonal:
        low_x = low_y = 0.0
        high_x = high_y = max(high_x, high_y)
    left, base, top, right = 52, 300, 10, 10

    def at(a: float, b: float) -> tuple[float, float]:
        u = left + (WIDE - left - right) * (a - low_x) / ((high_x - low_x) or 1)
        return u, base - (base - top) * (b - low_y) / ((high_y - low_y) or 1)

    parts: list[Any] = []
    for t in ticks(low_x, high_x, 4):
        u, _ = at(t, low_y)
        parts += [line(u, top, u, base, "grid"), text(u, base + 15, number(t), "middle", "tick")]
    for t in ticks(low_y, high_y, 4):
        _, v = at(low_x, t)
        parts += [line(left, v, WIDE - right, v, "grid"), text(left - 5, v + 4, number(t, 3), "end", "tick")]
    if diagonal:
        parts.append(line(*at(low_x, low_x), *at(high_x, high_x), "bandline"))
    for a, b, h in zip(x, y, spread, strict=True):
        u, v = at(a, b)
        if half is not None:
            parts.append(line(u, at(a, b - h)[1], u, at(a, b + h)[1], "whisker"))
        parts.append(
            el(
                "circle",
                cx=float(u),
                cy=float(v),
                r=3.5 if half is not None or len(x) < 100 else 1.8,
                class_="mark" if half is not None else "dot",
            )
        )
    if half is not None:
        parts.append(
            el(
                "polyline",
                points=" ".join(f"{at(a, b)[0]:.1f},{at(a, b)[1]:.1f}" for a, b in zip(x, y, strict=True)),
                class_="curve",
            )
        )
    parts += [
        text((left + WIDE) / 2, base + 34, names[0], "middle", "axis"),
        text(2, base + 34, f"↑ {names[1]}", "start", "axis"),
    ]
    return figure(title, about, svg(base + 40, title, parts))


def holes(names: list[str], gaps: np.ndarray, of: int, columns: int = 24, patterns: int = 10) -> Markup:
    """Which columns miss cells together: the most frequent patterns of holes, with the rows that have them."""
    counts = gaps.sum(axis=0)
    shown = np.sort(np.argsort(-counts, kind="stable")[: min(columns, int(np.count_nonzero(counts)))])
    found, rows = np.unique(gaps[:, shown], axis=0, return_counts=True)
    order = np.argsort(-rows, kind="stable")[:patterns]
    left, row, top, right = 156, 19, 8, 62
    step = (WIDE - left - right) / len(order)
    parts: list[Any] = []
    for i, j in enumerate(shown):
        y = top + i * row
        parts.append(text(150, y + 13, cut(names[j]), "end", "name", names[j]))
        for a, place in enumerate(order):
            what = "missing" if found[place, i] else "there"
            tip = el("title", f"{names[j]} is {what} in these {rows[place]:,} rows")
            class_ = "neg" if found[place, i] else "cell"
            parts.append(rect(left + step * a + 1, y + 1, step - 2, row - 2, class_, tip))
        parts.append(text(WIDE - 4, y + 13, f"{counts[j] / len(gaps):.1%}", "end", "tick"))
    base = top + len(shown) * row
    parts += [text(left + step * (a + 0.5), base + 14, f"{rows[p]:,}", "middle", "tick") for a, p in enumerate(order)]
    parts.append(text(150, base + 14, "rows", "end", "axis"))
    about = (
        "Each column of boxes is a pattern of holes, strong where a cell is missing; below it, how many rows have it."
    )
    if len(order) < len(rows):
        rest = int(rows.sum() - rows[order].sum())
        about += f" The {len(order)} most frequent of {len(rows):,} patterns; {rest:,} rows have another one."
    if len(shown) < np.count_nonzero(counts):
        about += f" The {len(shown)} columns with most holes, of {np.count_nonzero(counts):,}."
    about += " On the right, the share of missing cells."
    about += f" Counted in {len(gaps):,} of the {of:,} rows, drawn at random." if len(gaps) < of else ""
    numbers = table(["column", "missing"], [[names[j], f"{counts[j]:,}"] for j in shown], "Missing cells")
    drawing = svg(base + 20, "patterns of missing cells", parts)
    return figure("Missing cells", about, drawing, details("The numbers as a table", numbers))
