"""The map of the rooms, drawn from the layers in pyproject.toml.

`python docs/pictures/rooms.py` writes docs/images/rooms.svg; a test says when it must run again.
"""

import tomllib
from html import escape
from pathlib import Path

#: A few words for each room
SAYS = {
    "_core": "types, errors, threads",
    "exceptions": "what users catch",
    "sources": "where rows live",
    "tables": "words, gaps, units",
    "moments": "what a pass keeps",
    "spectral": "the small problem",
    "normal": "missing cells",
    "lowrank": "low rank + sparse",
    "subspace": "the answer",
    "roads": "the cheapest way",
    "distances": "maps",
    "kernels": "functions",
    "regress": "splines",
    "mixtures": "several clouds",
    "inference": "how sure",
    "validation": "rows left out",
    "methods": "fit, transform, predict",
    "files": "save, load",
    "report": "pictures, the page",
    "study": "answers a question",
    "cli": "commands",
    "testing": "laws of all methods",
}
ACROSS, WIDTH, HEIGHT, GAP = 5, 132, 46, 16
COLOURS = {"methods": ("#fbe3e6", "#ee6677")}
PLAIN, MAIN, USING = ("#f3f3f3", "#9aa5b1"), ("#dbe7f3", "#4477aa"), ("#e3f1e6", "#228833")
WAY = ("sources", "moments", "spectral", "subspace")  # of the rows, to the methods


def svg(layers: list[str]) -> str:
    """Return the picture of layers, the highest first; rooms of one layer have a frame around them."""
    order = [[room.strip() for room in layer.split("|")] for layer in reversed(layers)]
    lines: list[list[list[str]]] = [[]]
    for layer in order:
        if sum(map(len, lines[-1])) + len(layer) > ACROSS:
            lines.append([])
        lines[-1].append(layer)
    high = len(lines) * (HEIGHT + GAP) + GAP + 24
    wide = ACROSS * (WIDTH + GAP) + GAP
    top = [room for layer in order for room in layer]
    using = set(top[top.index("methods") + 1 :])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="sans-serif" role="img" '
        'aria-label="Map of the rooms">',
        "<title>Rooms of the library, in the order of their layers</title>",
    ]
    for row, line in enumerate(lines):
        y, x = (len(lines) - 1 - row) * (HEIGHT + GAP) + GAP, GAP
        for layer in line:
            if len(layer) > 1:
                span = len(layer) * (WIDTH + GAP) - GAP + 10
                parts.append(frame(x - 5, y - 5, span, HEIGHT + 10, "none", "#9aa5b1", 'stroke-dasharray="4 3" '))
            for room in layer:
                fill, stroke = COLOURS.get(room, USING if room in using else MAIN if room in WAY else PLAIN)
                parts.append(frame(x, y, WIDTH, HEIGHT, fill, stroke))
                parts.append(text(x + WIDTH // 2, y + 20, room, 'font-size="14" font-weight="600" fill="#222"'))
                parts.append(text(x + WIDTH // 2, y + 36, SAYS.get(room, ""), 'font-size="10" fill="#444"'))
                x += WIDTH + GAP
    rule = "A room imports only rooms to its left and in lines below; rooms in one frame do not import each other."
    parts.append(f'<text x="{GAP}" y="{high - 10}" font-size="11" fill="#7a8794">{rule}</text>')
    return "\n".join([*parts, "</svg>", ""])


def frame(x: int, y: int, width: int, height: int, fill: str, stroke: str, more: str = "") -> str:
    """Return a box."""
    where = f'x="{x}" y="{y}" width="{width}" height="{height}"'
    return f'<rect {where} rx="7" {more}fill="{fill}" stroke="{stroke}" stroke-width="1.6"/>'


def text(x: int, y: int, words: str, style: str) -> str:
    """Return words in the middle of a box."""
    return f'<text x="{x}" y="{y}" text-anchor="middle" {style}>{escape(words)}</text>'


if __name__ == "__main__":
    root = Path(__file__).parents[2]
    known = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf8"))
    drawn = svg(known["tool"]["importlinter"]["contracts"][0]["layers"])
    (root / "docs/images/rooms.svg").write_text(drawn, encoding="utf8")
