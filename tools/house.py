"""Measure the house: how much code a reader meets, and how far a call leads through it.

    python tools/house.py             print every figure, its ceiling and its limit
    python tools/house.py --rooms     and the counts of each room
    python tools/house.py --ratchet   lower the ceilings in tools/house.json to what was reached; never raise one

Tokens are counted without comments, docstrings, blank lines and layout: longer lines, denser layout and merged files
do not change them, only less code does. Branches per function are there so that fewer functions cannot hide as longer
ones. `tests/test_house.py` fails where a figure is above its ceiling. A ceiling is raised by hand, with its reason.
"""

from __future__ import annotations

import ast
import io
import json
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = HERE.parent / "src/eigenlens"
CEILINGS = HERE / "house.json"

LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}
BRANCHES = (ast.If, ast.For, ast.While, ast.IfExp, ast.ExceptHandler, ast.comprehension, ast.match_case, ast.AsyncFor)
COUNTED = ("tokens", "files", "functions", "classes", "constants", "uses of Any", "type: ignore")

#: Where the house is to arrive, at most
LIMITS = {
    "tokens": 345_000,
    "files": 260,
    "functions": 3_200,
    "classes": 340,
    "constants": 375,
    "branches per function": 3.8,
    "own classes above an estimator": 5,
    "modules behind `from eigenlens import LDA`": 110,
    "LDA().fit files": 18,
    "LDA().fit functions": 90,
    "LDA().fit changes of room": 26,
    "PCA(2).fit files": 18,
    "PCA(2).fit functions": 90,
    "PCA(2).fit changes of room": 28,
    "report files": 90,
    "report functions": 650,
}

#: What must run in a process of its own, where nothing has been imported yet
RUN = """
import json, sys, warnings
warnings.simplefilter("ignore")
from eigenlens import LDA
loaded = sum(name.split(".")[0] == "eigenlens" for name in sys.modules)
from walk import own_classes, walks
found = {"own classes above an estimator": own_classes(), "modules behind `from eigenlens import LDA`": loaded}
for name, walk in walks().items():
    counts = {"files": len(walk.files), "functions": len(walk.functions), "changes of room": walk.changes}
    found |= {f"{name} {what}": count for what, count in counts.items()}
print(json.dumps(found))
"""


def is_number(node: ast.expr | None) -> bool:
    """Return whether an expression is a number, written out, or a tuple of such."""
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    if isinstance(node, ast.Tuple):
        return bool(node.elts) and all(is_number(entry) for entry in node.elts)
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def measure(path: Path) -> Counter[str]:
    """Return the counts of one file."""
    text = path.read_text(encoding="utf8")
    tree = ast.parse(text)
    count = Counter({"files": 1, "lines": len(text.splitlines())})
    docstrings = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            count["functions"] += 1
            count["branches"] += 1
        count["classes"] += isinstance(node, ast.ClassDef)
        count["branches"] += isinstance(node, BRANCHES) + (len(node.values) - 1 if isinstance(node, ast.BoolOp) else 0)
        count["uses of Any"] += isinstance(node, ast.Name) and node.id == "Any"
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            docstrings.add(node.value.lineno)
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            count["constants"] += sum(isinstance(name, ast.Name) for name in names) * is_number(node.value)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_docstring = token.type == tokenize.STRING and token.start[0] in docstrings
        count["tokens"] += token.type not in LAYOUT and not is_docstring
        count["type: ignore"] += token.type == tokenize.COMMENT and "type: ignore" in token.string
    return count


def rooms(root: Path = SOURCE) -> dict[str, Counter[str]]:
    """Return the counts of each room, and of all of them."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        count = measure(path)
        found[parts[0] if len(parts) > 1 else "."] += count
        found["all"] += count
    return found


def figures() -> dict[str, float]:
    """Return every figure that has a ceiling."""
    whole = rooms()["all"]
    counted = {name: whole[name] for name in COUNTED}
    ran = subprocess.run([sys.executable, "-c", RUN], cwd=HERE, capture_output=True, text=True)
    if ran.returncode:
        raise RuntimeError(f"the walks ended in an error:\n{ran.stderr}")
    branches = {"branches per function": round(whole["branches"] / whole["functions"], 2)}
    return counted | branches | json.loads(ran.stdout.splitlines()[-1])


def ceilings() -> dict[str, dict]:
    """Return what was reached so far: for each figure its ceiling and, where it was raised, the reason."""
    return json.loads(CEILINGS.read_text(encoding="utf8"))


def ratchet(found: dict[str, float]) -> None:
    """Lower the ceilings to what was reached. Figures that have none yet get one."""
    known = ceilings() if CEILINGS.exists() else {}
    for name, figure in found.items():
        if figure < known.setdefault(name, {"ceiling": figure})["ceiling"]:
            known[name] = {"ceiling": figure}  # the reason was that of the higher one
    CEILINGS.write_text(json.dumps(known, indent=1) + "\n", encoding="utf8")


def main() -> None:
    """Print the figures."""
    found = figures()
    if "--ratchet" in sys.argv:
        ratchet(found)
    if "--rooms" in sys.argv:
        names = ("files", "lines", "tokens", "functions", "classes", "constants")
        print(f"{'':16}" + "".join(f"{name:>12}" for name in names))
        for room, count in sorted(rooms().items(), key=lambda item: item[1]["tokens"]):
            print(f"{room:16}" + "".join(f"{count[name]:>12,}" for name in names))
    known = ceilings()
    print(f"{'':44}{'now':>10}{'ceiling':>10}{'limit':>10}")
    for name, figure in found.items():
        limit = f"{LIMITS[name]:,}" if name in LIMITS else ""
        print(f"{name:44}{figure:>10,}{known[name]['ceiling']:>10,}{limit:>10}  {known[name].get('reason', '')}")


if __name__ == "__main__":
    main()
