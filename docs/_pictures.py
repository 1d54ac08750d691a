"""The pictures of the pages, drawn when the site is built by the scripts in docs/pictures."""

from __future__ import annotations

import ast
import hashlib
import runpy
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
INPUTS = ("../benchmarks/results.json", "../benchmarks/calibration/results.json", "inference.md")
STYLE = {"savefig.bbox": "tight", "font.size": 9, "savefig.dpi": 110}


def draw_all(folder: Path, keep_old: bool = False) -> None:
    """Draw the pictures whose script, or the library or its inputs, changed since they were last drawn.

    With `keep_old`, a picture stays as long as its script does: enough to check the pages.
    """
    folder.mkdir(exist_ok=True)
    library = digest(*sorted((HERE / "../src").rglob("*.py")), *(HERE / name for name in INPUTS))
    for script in sorted((HERE / "pictures").glob("*.py")):
        stamp, key = folder / f"{script.stem}.stamp", [digest(script), library]
        drawn = stamp.read_text().split() if stamp.exists() else []
        if drawn[:1] != key[:1] or (drawn != key and not keep_old):
            draw(script, folder)
            stamp.write_text("\n".join(key))


def digest(*paths: Path) -> str:
    total = hashlib.sha256()
    for path in paths:
        total.update(path.read_bytes())
    return total.hexdigest()


def draw(script: Path, folder: Path) -> None:
    """Run a script, and each of its drawing functions if it has some: those that are named like a class."""
    import matplotlib.pyplot as plt

    with plt.rc_context(STYLE):
        for name in figures(script):
            plt.savefig(folder / name)
            plt.close("all")


def figures(script: Path) -> Iterator[str]:
    """Draw one figure after the other, each when the one before has been dealt with; yield the names of their files."""
    import matplotlib.pyplot as plt

    made = runpy.run_path(str(script))
    if plt.get_fignums():
        yield f"{script.stem}.png"
    for name in drawings(script):
        made[name]()
        yield f"{script.stem}_{name}.png"


def drawings(script: Path) -> list[str]:
    """Return the functions of a script that draw the picture of a public class, if this version has the class."""
    import eigenlens

    known = {*eigenlens.__all__, *eigenlens.regress.__all__}
    parsed = ast.parse(script.read_text(encoding="utf8"))
    return [node.name for node in parsed.body if isinstance(node, ast.FunctionDef) and node.name in known]
