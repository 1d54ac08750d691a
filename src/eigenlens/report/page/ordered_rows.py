"""Columns along a direction: rows in the order of their scores, as a heat map."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..findings import Findings
from .html import WIDE, Markup, cut, el, figure, rect, svg, text


def along(findings: Findings, columns: int = 24, groups: int = 40) -> Markup | None:
    """Columns along the first direction: rows in order of their score, as a heat map of standardised means."""
    own = findings.columns_of(0)
    weights = findings.loadings[own, 0]
    numbers = {name: v for name, v in findings.columns.items() if v.dtype.kind == "f"}
    strongest = own[np.argsort(-np.abs(weights), kind="stable")]
    names = [name for name in (findings.loading_names[j] for j in strongest) if name in numbers][:columns]
    if len(names) < 2 or len(findings.scores) < 10:
        return None
    parts_of_rows = np.array_split(np.argsort(findings.scores[:, 0], kind="stable"), min(groups, len(findings.scores)))
    left, row = 156, 17
    step = (WIDE - left - 4) / len(parts_of_rows)
    parts: list[Any] = [
        text(left, 12, f"low {cut(findings.axes[0], 14)}", "start", "tick"),
        text(WIDE - 4, 12, "high", "end", "tick"),
        *_legend(),
    ]
    for i, name in enumerate(names):
        means = _standardised_means(numbers[name], parts_of_rows)
        parts.append(text(150, 20 + i * row + 12, cut(name), "end", "name", name))
        for j, v in enumerate(means):
            if np.isfinite(v):
                tip = el("title", f"{name}, group {j + 1} of {len(means)}: {v:+.2f}")
                cls, strength = "pos" if v >= 0 else "neg", round(min(abs(v) / 2, 1), 3)
                parts.append(rect(left + step * j, 20 + i * row + 1, step, row - 2, cls, tip, opacity=strength))
    about = (
        "Rows in order of the first direction, from left to right; each cell is the mean of some rows, in standard "
        "deviations from the mean of all."
    )
    return figure("Columns along the first direction", about, svg(24 + row * len(names), "columns by score", parts))


def _legend() -> list[Any]:
    """Say which colour is above the mean, and which below."""
    return [
        rect(28, 4, 10, 9, "pos"),
        text(41, 12, "above", "start", "tick"),
        rect(88, 4, 10, 9, "neg"),
        text(101, 12, "below", "start", "tick"),
    ]


def _standardised_means(values: np.ndarray, groups: list[np.ndarray]) -> list[float]:
    known = values[np.isfinite(values)]
    spread = float(known.std()) if len(known) else 0.0
    if not spread > 0:
        return [np.nan] * len(groups)
    centred = (values - known.mean()) / spread
    return [float(np.mean(part)) if len(part := c[np.isfinite(c)]) else np.nan for c in (centred[g] for g in groups)]
