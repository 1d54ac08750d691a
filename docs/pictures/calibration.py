"""Levels of tests, read from the tables of docs/inference.md."""

import re
from pathlib import Path

import matplotlib.pyplot as plt

FOLDERS = [Path.cwd(), *Path.cwd().parents]
PAGE = next(p for f in FOLDERS for p in (f / "inference.md", f / "docs/inference.md") if p.exists())
text = PAGE.read_text(encoding="utf8").split("**Levels.**")[1].split("**Planted components**")[0]
LEVELS = ("pca", "canonical", "inverse", "permutation")  # other tables there are about power
found, heads, group, levels = [], [], "", False
for line in text.splitlines():
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    if not line.startswith("|") or set(line) <= set("|- "):
        continue
    numbers = [re.fullmatch(r"([\d.]+) ± ([\d.]+)", cell) for cell in cells[1:]]
    if not any(numbers):
        levels = any(f"(`{name}`)" in cells[0] for name in LEVELS)
        group, heads = re.sub(r"[`(].*", "", cells[0]).strip(" ,"), cells[1:]
        continue
    for head, number in zip(heads, numbers, strict=True):
        if number and levels:
            test = cells[0].replace("`", "")
            owner = "" if re.match(r"[A-Z]", test) else f"{re.split(r' with|,', group)[0]}: "  # most say whose it is
            found.append((f"{owner}{test}, {head}", *map(float, number.groups())))
figure, ax = plt.subplots(figsize=(8, 0.21 * len(found) + 0.7), layout="constrained")
ax.axvline(5, color="0.7", lw=2)
for j, (_, level, error) in enumerate(reversed(found)):
    colour = "#4477aa" if abs(level - 5) <= error else "#ee6677"
    ax.errorbar(level, j, xerr=error, fmt="o", ms=4, color=colour)
ax.set_yticks(range(len(found)), [name for name, _, _ in reversed(found)], fontsize=7)
ax.set(xlabel="rejected at 5% without signal, in %", xlim=(0, None), ylim=(-1, len(found)))
