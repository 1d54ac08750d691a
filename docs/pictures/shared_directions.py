"""How often too many directions are found, and how often as many as there are: from benchmarks/calibration."""

import json
import re
from collections import defaultdict
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

FOLDERS = [Path.cwd(), *Path.cwd().parents, *Path(__file__ if "__file__" in globals() else ".").resolve().parents]
RESULTS = next(p for f in FOLDERS for p in [f / "benchmarks/calibration/results.json"] if p.exists())
NAMES = {
    "normal": "normal",
    "heavy": "t₃",
    "unequal": "unequal variances",
    "binary": "binary",
    "lognormal": "lognormal",
    "elliptical": "rows of unequal spread",
    "series": "AR rows, block=",
}
TESTS = {
    "shared": "#2166ac",
    "parallel": "#b2182b",
    "permuted columns": "#ef8a62",
    "tracy-widom": "#1b7837",
    "gap": "0.6",
    "broken stick": "#762a83",
}
rows = {row["line"]: row for row in json.loads(RESULTS.read_text(encoding="utf8"))}
cells, curves = defaultdict(list), defaultdict(list)
for line, row in rows.items():
    if found := re.fullmatch(r"shared, (\w+), n=(?!200)\d+ p=\d+, \d planted.*: more", line):
        cells[found[1]].append((row["percent"], row["two_errors"]))
    if found := re.fullmatch(r"(.*), normal, n=200 p=40, 1 planted at ([\d.]+) limit: right", line):
        curves[found[1]].append((float(found[2]), row["percent"]))
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
left.axvline(5, color="0.7", lw=2)
for j, law in enumerate(reversed([law for law in NAMES if law in cells])):
    share, error = np.array(cells[law]).T
    place = j + np.linspace(-0.3, 0.3, len(share))
    colours = np.where(share - error > 5, "#b2182b", "#2166ac")
    left.errorbar(share, place, xerr=error, fmt="none", ecolor="0.85", lw=1, zorder=1)
    left.scatter(share, place, color=colours, s=9, zorder=2)
shown = [NAMES[law] for law in reversed(NAMES) if law in cells]
left.set_yticks(range(len(shown)), shown)
left.set(xlabel="more found than there are, in % (stated: 5)", xlim=(0, None))
for test, colour in TESTS.items():
    if test in curves:
        size, share = np.array(sorted(curves[test])).T
        right.semilogx(size, share, "o-", color=colour, ms=3.5, lw=2 if test == "shared" else 1, label=test)
right.set(xlabel="variance, in units of the detection limit", ylabel="exactly one found, in %", ylim=(-3, 103))
right.set_xticks([1, 2, 3, 5, 10, 30], ["1", "2", "3", "5", "10", "30"])
right.minorticks_off()
right.legend(frameon=False, fontsize=8)
for ax in (left, right):
    ax.spines[["top", "right"]].set_visible(False)
