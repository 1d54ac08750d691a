"""The map of the rooms and the walk of a fit, drawn from the layers in pyproject.toml and from `LDA().fit` as it runs.

`python docs/pictures/rooms.py` writes docs/images/rooms.svg; a test says when it must run again.
"""

import sys
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: A few words for each room
SAYS = {
    "exceptions": "what users catch",
    "arrays": "libraries, threads",
    "drawing": "axes, dots, names",
    "rows": "tables become blocks",
    "moments": "what a pass keeps",
    "solve": "the small problem",
    "distances": "maps",
    "kernels": "functions",
    "regress": "splines",
    "inference": "how many, how sure",
    "validation": "rows left out",
    "displays": "pictures",
    "methods": "fit, transform, predict",
    "files": "save, load",
    "page": "the report page",
    "study": "answers a question",
    "app": "commands",
    "testing": "laws of all methods",
}
ACROSS, WIDTH, HEIGHT, GAP, LINE = 6, 122, 46, 16, 15
PLAIN, MAIN, USING, METHODS = (
    ("#f3f3f3", "#9aa5b1"),
    ("#dbe7f3", "#4477aa"),
    ("#e3f1e6", "#228833"),
    ("#fbe3e6", "#ee6677"),
)
WAY = ("rows", "moments", "solve", "methods")  # of the rows, through a fit
RULE = "A room imports only rooms to its left and in lines below."


def svg(layers: list[str], files: list[str]) -> str:
    """Return the picture of layers, the highest first, and of the files that a fit passes, in order."""
    order = list(reversed(layers))
    lines = [order[k : k + ACROSS] for k in range(0, len(order), ACROSS)]
    wide = ACROSS * (WIDTH + GAP) + GAP
    below = len(lines) * (HEIGHT + GAP) + GAP + 20
    own = {room: [file.split("/", 1)[1] for file in files if file.split("/")[0] == room] for room in WAY}
    high = below + 62 + LINE * max(map(len, own.values()))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="sans-serif" role="img" '
        'aria-label="Map of the rooms, and the walk of a fit">',
        "<title>Rooms of the library in the order of their layers, and the files that LDA().fit passes</title>",
    ]
    for row, line in enumerate(lines):
        y = (len(lines) - 1 - row) * (HEIGHT + GAP) + GAP
        for column, room in enumerate(line):
            x = column * (WIDTH + GAP) + GAP
            using = order.index(room) > order.index("methods")
            fill, stroke = METHODS if room == "methods" else USING if using else MAIN if room in WAY else PLAIN
            parts.append(frame(x, y, WIDTH, HEIGHT, fill, stroke))
            parts.append(text(x + WIDTH // 2, y + 20, room, 'font-size="14" font-weight="600" fill="#222"'))
            parts.append(text(x + WIDTH // 2, y + 36, SAYS[room], 'font-size="10" fill="#444"'))
    others = sorted({file for file in files if file.split("/")[0] not in WAY})
    walk = f"LDA().fit passes {len(files)} files: those below, and {', '.join(others)}."
    parts.append(f'<text x="{GAP}" y="{below - 14}" font-size="11" fill="#7a8794">{RULE}</text>')
    parts.append(f'<text x="{GAP}" y="{below + 10}" font-size="11" fill="#222">{walk}</text>')
    span = (wide - GAP) // len(WAY) - GAP
    for column, room in enumerate(WAY):
        x, y = column * (span + GAP) + GAP, below + 22
        parts.append(frame(x, y, span, high - y - GAP // 2, *(METHODS if room == "methods" else MAIN)))
        parts.append(text(x + span // 2, y + 18, room, 'font-size="13" font-weight="600" fill="#222"'))
        for k, file in enumerate(own[room]):
            parts.append(text(x + span // 2, y + 36 + k * LINE, file, 'font-size="11" fill="#444"'))
        if column:
            parts.append(text(x - GAP // 2, y + 20, "→", 'font-size="16" fill="#4477aa"'))
    return "\n".join([*parts, "</svg>", ""])


def frame(x: int, y: int, width: int, height: int, fill: str, stroke: str) -> str:
    """Return a box."""
    where = f'x="{x}" y="{y}" width="{width}" height="{height}"'
    return f'<rect {where} rx="7" fill="{fill}" stroke="{stroke}" stroke-width="1.6"/>'


def text(x: int, y: int, words: str, style: str) -> str:
    """Return words in the middle of a box."""
    return f'<text x="{x}" y="{y}" text-anchor="middle" {style}>{escape(words)}</text>'


def passed() -> list[str]:
    """Return the files that `LDA().fit` passes on an array, in order."""
    sys.path.insert(0, str(ROOT / "tools"))
    from sklearn.datasets import load_iris

    from eigenlens import LDA
    from walk import followed

    X, y = load_iris(return_X_y=True)
    return list(dict.fromkeys(file for file, _ in followed(lambda: LDA().fit(X, y)).functions))


if __name__ == "__main__":
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))
    drawn = svg(known["tool"]["importlinter"]["contracts"][0]["layers"], passed())
    (ROOT / "docs/images/rooms.svg").write_text(drawn, encoding="utf8")
