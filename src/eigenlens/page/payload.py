"""The numbers that the page's script draws: 32-bit floats in base64, inside a block of JSON."""

from __future__ import annotations

import base64
import json
from itertools import combinations
from typing import Any

import numpy as np

from ..arrays.printable import undirected
from ..rows.sampled_rows import keys, smallest
from .findings import Findings
from .html import Markup

MOST_POINTS = 50_000
MOST_AXES = 10
MOST_COLUMNS = 40
MOST_LEVELS = 100

SINGLE = 3e37  # numbers beyond it, or nearer to zero than its inverse, do not fit in single precision


def payload(findings: Findings) -> tuple[dict[str, Any], int]:
    """Return what the script needs, and how many rows it holds."""
    numbers = findings.row_numbers
    rows = _drawn(findings.scores, numbers)
    shown = list(findings.columns)[:MOST_COLUMNS]
    columns = [_column(name, findings.columns[name][rows]) for name in shown]
    names = None if findings.row_names is None else [findings.row_names[i] for i in rows]
    regions, k = findings.regions, findings.pairs
    axes = findings.axes[: _most_axes(findings)]
    colour, colour_words = colour_choice(findings, shown)
    content: dict[str, Any] = {
        "n": len(rows),
        "rows": numbers[rows].tolist() if len(rows) < findings.n_rows else None,
        "axes": axes,
        "scores": [_floats(findings.scores[rows, j]) for j in range(len(axes))],
        "columns": columns,
        "names": names,
        "target": findings.target,
        "start": [0, k or min(1, len(findings.axes) - 1)],
        "labels": findings.n_rows <= 200,
        "colour": colour,
        "colour_words": colour_words,
        "pairs": [] if k else [pair for pair in combinations(range(min(len(axes), 4)), 2) if pair != (0, 1)],
        "square": findings.is_map,
    }
    if regions is not None:
        content["regions"] = {
            "x": regions["x"],
            "y": regions["y"],
            "size": len(regions["codes"]),
            "codes": _base64(regions["codes"].astype(np.uint8)),
            "classes": sorted(findings.class_sizes) if findings.confusion is None else findings.confusion[0],
        }
    return content, len(rows)


def _drawn(scores: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return the rows that the page holds: of many, some drawn at random and those at the ends of each axis."""
    if len(scores) <= MOST_POINTS:
        return np.arange(len(scores))
    axes = scores[:, :MOST_AXES]
    order = keys(numbers, 0)
    order[axes.argmin(axis=0)] = order[axes.argmax(axis=0)] = 0
    return smallest(order, MOST_POINTS)


def _most_axes(findings: Findings) -> int:
    return len(findings.axes) if findings.pairs else MOST_AXES


def left_off(findings: Findings, rows: int) -> list[str]:
    """Say what the page does not hold of a study, given how many rows it holds."""
    said = []
    if rows < findings.n_rows:
        drawn = f"{rows:,} of {findings.n_rows:,} rows are drawn"
        said.append(f"{drawn}, taken at random, with those at the ends of each axis; the fit used all.")
    if len(findings.axes) > _most_axes(findings):
        said.append(f"The first {MOST_AXES} of {len(findings.axes)} directions can be drawn here.")
    if len(findings.columns) > MOST_COLUMNS:
        said.append(
            f"The first {MOST_COLUMNS} of {len(findings.columns):,} columns are listed and can give the colour."
        )
    if said:
        said.append("The file of scores has all rows and directions.")
    return said


def as_script(content: dict[str, Any]) -> Markup:
    """Return a block of JSON in which nothing can end the block or be markup."""
    written = json.dumps(_undirected(content), ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for sign in "<>&":
        written = written.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(f'<script type="application/json" id="data">{written}</script>')


def _undirected(value: Any) -> Any:
    """Return what is shown without commands that turn the direction of text, as the rest of the page has it."""
    if isinstance(value, dict):
        return {key: _undirected(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_undirected(part) for part in value]
    return undirected(value) if isinstance(value, str) else value


def _column(name: str, values: np.ndarray) -> dict[str, Any]:
    if values.dtype.kind == "f":
        size = np.abs(values[np.isfinite(values) & (values != 0)])
        wide = len(size) > 0 and bool(size.max() > SINGLE or size.min() < 1 / SINGLE)
        return {"name": name, "numbers": _base64(values.astype("<f8")) if wide else _floats(values), "wide": wide}
    words = ["missing" if v is None else _whole(v) for v in values]
    levels, codes = np.unique(np.array(words, dtype=str), return_inverse=True)
    if len(levels) > MOST_LEVELS:
        counts = np.bincount(codes)
        kept = np.sort(np.argsort(-counts, kind="stable")[: MOST_LEVELS - 1])
        place = np.full(len(levels), len(kept))
        place[kept] = np.arange(len(kept))
        codes, levels = place[codes], np.append(levels[kept], "(others)")
    return {"name": name, "levels": levels.tolist(), "codes": _base64(codes.astype("<u2"))}


def _whole(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)[:200]


def _floats(values: np.ndarray) -> str:
    with np.errstate(over="ignore"):
        return _base64(np.clip(np.asarray(values, dtype=np.float64), -SINGLE, SINGLE).astype("<f4"))


def _base64(values: np.ndarray) -> str:
    return base64.b64encode(values.tobytes()).decode("ascii")


def colour_choice(findings: Findings, names: list[str]) -> tuple[str | None, str]:
    """Return the column that colours the points, or None, and a sentence that says why."""
    if findings.target in names:
        return findings.target, ""
    Z = np.asarray(findings.scores, dtype=float)[:, :2]
    shares = {name: _explained(Z, findings.columns[name]) for name in names}
    words = {name: share for name, share in shares.items() if findings.columns[name].dtype.kind != "f"}
    best = max(shares, key=lambda name: shares[name], default=None)
    if best is None or shares[best] < 0.15:
        return None, ""
    kind = max(words, key=lambda name: words[name], default=best)
    if shares[kind] >= 0.5 * shares[best]:  # words are taken before numbers that explain little more
        best = kind
    return best, f"Coloured by {best}, which explains {shares[best]:.0%} of this picture, more than the other columns."


def _explained(Z: np.ndarray, values: np.ndarray) -> float:
    """Return the share of the scores' variance between the levels of a column, or along a straight line in it."""
    if values.dtype.kind == "f":
        known = np.isfinite(values)
        n, used = int(known.sum()), 1
        if n < 3 or np.ptp(values[known]) == 0:
            return 0.0
        x = values[known] / np.abs(values[known]).max()
        x = x - x.mean()
        Z = Z[known] - Z[known].mean(axis=0)
        between = ((x @ Z) ** 2).sum() / (x @ x)
    else:
        levels, codes = np.unique(np.array([str(v) for v in values]), return_inverse=True)
        n, used = len(values), len(levels) - 1
        if not 0 < used < min(40, n - 1):
            return 0.0
        Z = Z - Z.mean(axis=0)
        sums = np.stack([np.bincount(codes, weights=z) for z in Z.T], axis=1)
        between = (sums**2 / np.bincount(codes)[:, None]).sum()
    total = (Z**2).sum()
    if total == 0:
        return 0.0
    return max(1 - (1 - between / total) * (n - 1) / (n - 1 - used), 0.0)  # many levels explain much by chance
