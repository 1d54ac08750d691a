"""The page "Which method do I need?", made from the table that `eigenlens advise` uses."""

from __future__ import annotations

from pathlib import Path

from _pictures import drawings

import eigenlens
from eigenlens.app.advice import FIRST, Answer, Leaf, Question, leaves

HERE = Path(__file__).parent


def write_page(target: Path) -> None:
    """Write the sections with a card for each method; a page that has not changed keeps its time."""
    target.parent.mkdir(exist_ok=True)
    text = "\n".join(section(FIRST, ()))
    if not target.exists() or target.read_text(encoding="utf8") != text:
        target.write_text(text, encoding="utf8")


def section(question: Question, path: tuple[Answer, ...]) -> list[str]:
    reached = [(way, leaf) for way, leaf in leaves(question, path) if len(way) == len(path) + 1]
    head = f"{path[-1].text[0].upper()}{path[-1].text[1:]}: {question.text}" if path else "Anything else"
    made = [] if not reached else [f"{'#' * (1 + max(1, len(path)))} {head}", "", *grid(reached)]
    deeper = [a for a in question.answers if isinstance(a.then, Question)]
    inner = [section(a.then, (*path, a)) for a in deeper if isinstance(a.then, Question)]
    nested = [f"## {path[-1].text[0].upper()}{path[-1].text[1:]}: {question.text}", ""] if path and deeper else []
    parts = [line for lines in inner for line in lines]
    return [*nested, *(made + parts if path else parts + made)]


def grid(reached: list[tuple[tuple[Answer, ...], Leaf]]) -> list[str]:
    cards = [line for way, leaf in reached for line in card(way, leaf)]
    return ["::::{grid} 1 2 2 3", ":gutter: 2", "", *cards, "::::", ""]


def card(way: tuple[Answer, ...], leaf: Leaf) -> list[str]:
    room, _, name = leaf.method.rpartition(".")
    text = way[-1].text
    picture = [f"![{leaf.shows}](leaves_{name}.png)", ""] if name in drawings(HERE / "pictures/leaves.py") else []
    return [
        f":::{{grid-item-card}} {text[0].upper()}{text[1:]}",
        *picture,
        f"[{name}]({page(room, name)}) shows {leaf.shows}.",
        "",
        f"`{leaf.code}`",
        ":::",
        "",
    ]


def page(room: str, name: str) -> str:
    home = eigenlens.regress if room else eigenlens
    return f"../{room or 'methods'}/{getattr(home, name).__module__.rpartition('.')[2]}.md"
