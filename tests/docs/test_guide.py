"""Each page of the user guide has the same parts: idea, picture, code, reading, pitfalls, theory, references."""

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs/guide"
PAGES = sorted(path for path in GUIDE.glob("*.md") if path.stem != "index")
PARTS = {
    "a picture": r"^!\[.+\]\(.+\)$",
    "code that runs": r"^>>> ",
    "how to read the output": r"^## (Read it|How to read )",
    "what can go wrong": r"^## What can go wrong$",
    "theory in a fold": r"^:::\{dropdown\} Theory$",
    "references": r"^\*\*References\.\*\* ",
}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
@pytest.mark.parametrize("part", PARTS)
def test_a_page_has(path, part):
    assert re.search(PARTS[part], path.read_text(encoding="utf8"), re.M), f"{path.name} lacks {part}"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_begins_with_the_idea_in_three_sentences(path):
    idea = path.read_text(encoding="utf8").split("\n\n")[1]
    sentences = len(re.findall(r"[.?!](?=\s|$)", idea))
    assert sentences == 3, f"{path.name} begins with {sentences} sentences"
