"""Ratios of benchmarks/results.json, by the kind of peer."""

import json
from pathlib import Path

import matplotlib.pyplot as plt

FOLDERS = [Path.cwd(), *Path.cwd().parents]
RESULTS = next(f / "benchmarks/results.json" for f in FOLDERS if (f / "benchmarks/results.json").exists())
rows = [row for row in json.loads(RESULTS.read_text(encoding="utf8"))["results"] if row["ratio"] is not None]


BOUNDS = ("bare", "reading", "search alone", "Splines alone")
OURS = ("our ", "eigenlens", "refits", "given slices", "without holes", "RobustPCA pursuit", "full SVDs", "row by row")


def kind(row):
    peer = row["peer"]
    if any(word in peer for word in BOUNDS):
        return 1
    return 2 if any(word in peer for word in OURS) else 0


NAMES = ("another library", "a bound", "another way")
COLOURS = ("#ee6677", "#4477aa", "#228833")
rows.sort(key=lambda row: (-kind(row), row["ratio"]))
figure, ax = plt.subplots(figsize=(9, 0.24 * len(rows) + 0.8), layout="constrained")
for j, row in enumerate(rows):
    colour = COLOURS[kind(row)]
    ax.plot([row["low"], row["high"]], [j, j], color=colour, lw=3, alpha=0.4, solid_capstyle="butt")
    ax.plot(row["ratio"], j, "o", color=colour, ms=5)
    if row["at_least"] is not None:
        ax.plot(row["at_least"], j, "|", color="0.2", ms=9)
ax.axvline(1, color="0.6", lw=1)
ax.set(xscale="log", xlabel="time of the peer over ours", ylim=(-1, len(rows)))
ax.set_yticks(range(len(rows)), [f"{row['claim']}: {row['peer']}" for row in rows], fontsize=7)
ax.grid(axis="x", alpha=0.3)
marks = [plt.Line2D([], [], marker="o", ls="", color=c) for c in COLOURS]
ax.legend(marks, NAMES, loc="lower right", frameon=False)
