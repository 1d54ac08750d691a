"""The pictures of the pages, drawn when the site is built by the scripts in docs/pictures."""

from __future__ import annotations

import ast
import hashlib
import runpy
from pathlib import Path

HERE = Path(__file__).parent
INPUTS = ("../benchmarks/results.json", "../benchmarks/calibration/results.json", "inference.md")
STYLE = {"savefig.bbox": "tight", "font.size": 9, "savefig.dpi": 110}


def draw_all(folder: Path) -> None:
    """Draw the pictures that the scripts, the library or their inputs have changed since they were last drawn."""
    folder.mkdir(exist_ok=True)
    library = digest(*sorted((HERE / "../src").rglob("*.py")), *(HERE / name for name in INPUTS))
    for script in sorted((HERE / "pictures").glob("*.py")):
        stamp, key = folder / f"{script.stem}.stamp", library + digest(script)
        if not stamp.exists() or stamp.read_text() != key:
            draw(script, folder)
            stamp.write_text(key)


def digest(*paths: Path) -> str:
    total = hashlib.sha256()
    for path in paths:
        total.update(path.read_bytes())
    return total.hexdigest()


def draw(script: Path, folder: Path) -> None:
    """Run a script, and each of its drawing functions if it has some: those that are named like a class."""
    import matplotlib.pyplot as plt

    with plt.rc_context(STYLE):
        made = runpy.run_path(str(script))
        if plt.get_fignums():
            keep(folder / f"{script.stem}.png")
        for name in drawings(script):
            made[name]()
            keep(folder / f"{script.stem}_{name}.png")


def drawings(script: Path) -> list[str]:
    """Return the functions of a script that draw the picture of a public class, if this version has the class."""
    import eigenlens

    known = {*eigenlens.__all__, *eigenlens.regress.__all__}
    parsed = ast.parse(script.read_text(encoding="utf8"))
    return [node.name for node in parsed.body if isinstance(node, ast.FunctionDef) and node.name in known]


def keep(path: Path) -> None:
    import matplotlib.pyplot as plt

    plt.savefig(path)
    plt.close("all")
