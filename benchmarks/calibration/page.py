"""The tables of docs/inference.md on shared directions, made from results.json."""

from __future__ import annotations

import json

from .resumable import RESULTS
from .shared_directions import CURVE, LAWS, PLANTED, RATIOS, RIVALS

NAMES = {
    "normal": "normal",
    "heavy": "t₃",
    "unequal": "unequal variances",
    "binary": "binary (10%)",
    "lognormal": "lognormal",
    "elliptical": "rows of unequal spread (t₅)",
    "series": "AR(0.5) rows, `block=10` (5 at n=30)",
    "chain": "AR(0.5) columns",
}


def print_page() -> None:
    """Print all tables."""
    rows = {row["line"]: row for row in json.loads(RESULTS.read_text(encoding="utf8"))}
    for k, size in PLANTED:
        planted = f"{k} planted" + (f" at {size}" if k else "")
        print(f"\n| {planted}: more; right | " + " | ".join(f"n={n} p={p}" for n, p in RATIOS) + " |")
        print("|---" * (1 + len(RATIOS)) + "|")
        for law in LAWS:
            cells = [_cell(rows, f"shared, {law.__name__}, n={n} p={p}, {planted}", bool(k)) for n, p in RATIOS]
            if any(cells):
                print(f"| {NAMES[law.__name__]} | " + " | ".join(cells) + " |")
    columns = [("normal", f"1 planted at {size}") for size in CURVE] + [("normal", "3 planted at 100 noise")]
    _rivals(rows, [("normal", "0 planted"), *columns])
    laws = ("heavy", "unequal", "binary", "lognormal", "elliptical")
    _rivals(rows, [(law, part) for law in laws for part in ("0 planted", "3 planted at 3 limit")])
    counts = [row["replicates"] for line, row in rows.items() if "planted" in line and line.endswith("more")]
    print(f"\n{len(counts)} lines of {min(counts)} to {max(counts)} replicates.")


def _rivals(rows: dict, cells: list[tuple[str, str]]) -> None:
    print("\n| n=200 p=40: more; right | " + " | ".join(f"{NAMES[law]}, {part}" for law, part in cells) + " |")
    print("|---" * (1 + len(cells)) + "|")
    for name in RIVALS:
        found = [_cell(rows, f"{name}, {law}, n=200 p=40, {part}", part[0] != "0") for law, part in cells]
        print(f"| {name} | " + " | ".join(found) + " |")


def _cell(rows: dict, line: str, both: bool) -> str:
    more, right = (rows.get(f"{line}: {outcome}") for outcome in ("more", "right"))
    if more is None:
        return ""
    return f"{more['percent']:.1f}" + (f"; {right['percent']:.1f}" if both else "") + f" ({more['replicates']})"
