"""Compare what this tree answers with what the frozen commit answers, on the same machine.

    python tools/beside.py                     every section, in two processes
    python tools/beside.py --only 'LDA'        cases whose names match a regular expression (section/what/table)
    python tools/beside.py --commit main       another commit than the one in tools/beside.json
    python tools/beside.py --slow              and the cases that take longest

A worktree of the frozen commit is kept under build/before, and its answers under build/before-answers as long as the
commit, the questions (tools/answers) and the machine's libraries are the same. Every answer is in one of three classes:

- bits: patterns in tools/beside.json whose answers must be equal to the last bit, as text and whole numbers always are;
- 1e-9: all other numbers, relative to the largest of their array; signs are fixed by the library, so they count;
- declared: a pattern in tools/beside.json with its reason, and a tolerance, or "changed" for anything.

The exit code is 1 where an answer differs and is not declared. A declaration that no answer needs any more is named, so
that it can go; it fails a run of everything.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
import platform
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import numpy as np

TOOLS = Path(__file__).resolve().parent
ROOT = TOOLS.parent
SETTINGS = TOOLS / "beside.json"
BEFORE = ROOT / "build/before"
KEPT = ROOT / "build/before-answers"
SECTIONS = ("functions", "tables", "ways", "refusals", "tests", "pictures", "reports", "command line", "signatures")

TOLERANCE = 1e-9
ROUNDING = 1e-12  # of arrays that are zero except for rounding
WORKERS = 2
LONGEST = 60  # differences that are printed


# -- comparing -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rule:
    """What is known about answers whose names match."""

    pattern: str
    reason: str
    tolerance: float | str = TOLERANCE  # or "changed"

    def matches(self, name: str) -> bool:
        """Return whether an answer is meant."""
        return re.search(self.pattern, name) is not None

    def allows(self, error: float) -> bool:
        """Return whether a difference is declared."""
        return self.tolerance == "changed" or error <= float(self.tolerance)


@dataclass
class Comparison:
    """What became of every answer."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    differences: list[tuple[str, str]] = field(default_factory=list)
    needed: set[str] = field(default_factory=set)  # patterns of declarations that were

    def count(self, name: str, outcome: str) -> None:
        """Count an answer under its section."""
        self.counts.setdefault(name.split("/")[0], Counter())[outcome] += 1


def difference(before: Any, after: Any) -> tuple[float, str]:
    """Return by how much two answers differ, relative to the scale of the first, and in words."""
    if not isinstance(before, np.ndarray) or not isinstance(after, np.ndarray):
        return (0.0, "") if same_text(before, after) else (np.inf, apart(before, after))
    if before.shape != after.shape:
        return np.inf, f"shape {before.shape} → {after.shape}"
    if before.dtype.kind != after.dtype.kind:
        return np.inf, f"dtype {before.dtype} → {after.dtype}"
    if before.dtype.kind not in "fc":
        changed = int((before != after).sum())
        return (np.inf, f"{changed} of {before.size} values changed") if changed else (0.0, "")
    if before.dtype == after.dtype and before.tobytes() == after.tobytes():
        return 0.0, ""
    finite = np.isfinite(before)
    if not np.array_equal(finite, np.isfinite(after)) or not np.array_equal(
        before[~finite], after[~finite], equal_nan=True
    ):
        return np.inf, "NaN or infinite cells elsewhere"
    a, b = before[finite], after[finite]
    worst = float(np.abs(a - b).max(initial=0.0))
    scale = float(np.abs(a).max(initial=0.0))
    error = 0.0 if worst <= ROUNDING * (before.dtype.itemsize > 4) else worst / scale if scale else np.inf
    return max(error, np.finfo(float).tiny), f"{error:.1e} of the largest, {scale:.3g}"


def same_text(before: Any, after: Any) -> bool:
    """Return whether two answers that are not both arrays are the same."""
    return type(before) is type(after) and before == after


def apart(before: Any, after: Any) -> str:
    """Return where two texts part."""
    if isinstance(before, np.ndarray) or isinstance(after, np.ndarray):
        before, after = (f"array {x.shape}" if isinstance(x, np.ndarray) else x for x in (before, after))
    a, b = str(before), str(after)
    k = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return f"…{a[max(0, k - 30) : k + 60]!r} → …{b[max(0, k - 30) : k + 60]!r}"


def compare(before: dict[str, Any], after: dict[str, Any], settings: dict[str, list[dict[str, Any]]]) -> Comparison:
    """Put every answer in its class."""
    exact = [Rule(**rule) for rule in settings["bits"]]
    declared = [Rule(**rule) for rule in settings["declared"]]
    result = Comparison()
    for name in [*before, *(name for name in after if name not in before)]:
        if name in before and name in after:
            error, words = difference(before[name], after[name])
        else:
            error, words = np.inf, "is gone" if name in before else "is new"
        if error == 0:
            result.count(name, "same bits")
            continue
        if error <= TOLERANCE and not any(rule.matches(name) for rule in exact):
            result.count(name, "within 1e-9")
            continue
        rules = [rule for rule in declared if rule.matches(name) and rule.allows(error)]
        result.needed |= {rule.pattern for rule in rules}
        result.count(name, "declared" if rules else "different")
        if not rules:
            result.differences.append((name, words))
    return result


# -- asking --------------------------------------------------------------------------------------------------------


def worktree(commit: str) -> str:
    """Put the frozen commit under build/before, and return its full name."""
    git = ["git", "-C", str(ROOT)]
    full = subprocess.check_output([*git, "rev-parse", f"{commit}^{{commit}}"], text=True).strip()
    if not (BEFORE / ".git").exists():
        subprocess.run([*git, "worktree", "prune"], check=True)
        subprocess.run([*git, "worktree", "add", "--detach", "--quiet", str(BEFORE), full], check=True)
    subprocess.run(["git", "-C", str(BEFORE), "checkout", "--quiet", "--detach", "--force", full], check=True)
    return full


def circumstances(commit: str) -> str:
    """Return a name for everything that the frozen answers depend on."""
    libraries = sorted(f"{d.metadata['Name']} {d.version}" for d in distributions())
    questions = [path.read_text(encoding="utf8") for path in sorted((TOOLS / "answers").glob("*.py"))]
    known = [commit, platform.python_version(), platform.processor(), platform.node(), *libraries, *questions]
    return hashlib.sha256("\n".join(known).encode()).hexdigest()[:16]


def ask(tree: Path, section: str, place: Path, pattern: str) -> dict[str, Any]:
    """Return the answers of a section of a tree, from a process of its own."""
    place.parent.mkdir(parents=True, exist_ok=True)
    surroundings = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tree / "src"), str(TOOLS)]),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }
    words = [sys.executable, "-m", "answers", section, str(place), str(tree), pattern]
    done = subprocess.run(words, env=surroundings, cwd=tree, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{section} in {tree}: {done.stderr[-2000:]}")
    return pickle.loads(place.read_bytes())


def asked(commit: str, pattern: str, sections: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the answers of both trees, each with the seconds of its cases."""
    kept = KEPT / circumstances(worktree(commit))
    found: list[dict[str, Any]] = [{"answers": {}, "seconds": {}} for _ in range(2)]

    def one(tree: int, section: str) -> dict[str, Any]:
        if tree == 0 and not pattern and (kept / f"{section}.pickle").exists():
            return pickle.loads((kept / f"{section}.pickle").read_bytes())
        place = kept if tree == 0 and not pattern else KEPT / f"{'only' if pattern else 'now'}-{tree}"
        return ask((BEFORE, ROOT)[tree], section, place / f"{section}.pickle", pattern)

    tasks = [(tree, section) for section in sections for tree in (0, 1)]
    with ThreadPoolExecutor(WORKERS) as pool:
        for (tree, _), answer in zip(tasks, pool.map(lambda task: one(*task), tasks), strict=True):
            found[tree]["answers"] |= answer["answers"]
            found[tree]["seconds"] |= answer["seconds"]
    return found


def in_words(result: Comparison, unused: list[str]) -> str:
    """Return the table, and what differs."""
    outcomes = ("same bits", "within 1e-9", "declared", "different")
    lines = [f"{'':16}" + "".join(f"{outcome:>13}" for outcome in outcomes)]
    for section, counts in result.counts.items():
        lines.append(f"{section:16}" + "".join(f"{counts[outcome]:13,}" for outcome in outcomes))
    lines += [f"{name}\n    {words}" for name, words in result.differences[:LONGEST]]
    if len(result.differences) > LONGEST:
        lines.append(f"and {len(result.differences) - LONGEST:,} more")
    return "\n".join(lines + [f"no answer needs the declaration {pattern!r}: it can go" for pattern in unused])


def main() -> int:
    """Compare, print a table, and return the exit code."""
    settings = json.loads(SETTINGS.read_text(encoding="utf8"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--commit", default=settings["commit"])
    parser.add_argument("--only", default="", metavar="PATTERN")
    parser.add_argument("--sections", nargs="+", choices=SECTIONS, default=SECTIONS)
    parser.add_argument("--slow", action="store_true")
    options = parser.parse_args()
    before, after = asked(options.commit, options.only, tuple(options.sections))
    result = compare(before["answers"], after["answers"], settings)
    everything = not options.only and tuple(options.sections) == SECTIONS
    patterns = [rule["pattern"] for rule in settings["declared"]]
    unused = [pattern for pattern in patterns if pattern not in result.needed] if everything else []
    print(in_words(result, unused))
    if options.slow:
        longest = sorted(after["seconds"].items(), key=lambda item: -item[1])[:30]
        print(*(f"{seconds:8.2f} s  {name}" for name, seconds in longest), sep="\n")
    return 1 if result.differences or unused else 0


if __name__ == "__main__":
    raise SystemExit(main())
