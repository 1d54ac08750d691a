"""The table of the page on benchmarks, made from benchmarks/results.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "benchmarks/results.json"


def measured() -> list[dict[str, Any]]:
    """Return the results that have a ratio: the time of a peer over ours."""
    return [row for row in json.loads(RESULTS.read_text(encoding="utf8"))["results"] if row["ratio"] is not None]


def other() -> list[dict[str, Any]]:
    """Return the results that are not ratios: memory, digits, angles."""
    return [row for row in json.loads(RESULTS.read_text(encoding="utf8"))["results"] if row["ratio"] is None]


def write_page(target: Path) -> None:
    """Write the tables; a page that has not changed keeps its time."""
    target.parent.mkdir(exist_ok=True)
    lines = ["| fit | peer | ratio | lowest to highest | target |", "|---|---|---|---|---|"]
    for row in measured():
        spread = "one round" if row["low"] == row["high"] else f"{row['low']:.3g} to {row['high']:.3g}"
        lines.append(f"| {row['claim']} | {row['peer']} | {row['ratio']:.3g} | {spread} | {wanted(row)} |")
    lines += ["", "Memory, digits and angles:", "", "| fit | measured |", "|---|---|"]
    lines += [f"| {row['claim']} | {row['note']} |" for row in other()]
    text = "\n".join(lines) + "\n"
    if not target.exists() or target.read_text(encoding="utf8") != text:
        target.write_text(text, encoding="utf8")


def wanted(row: dict[str, Any]) -> str:
    if row["at_least"] is None:
        return ""
    return f"{row['at_least']:.2g}" + ("" if row["ratio"] >= row["at_least"] else ", missed")
