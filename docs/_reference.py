"""The public names, and the pages of the reference that list them.

Everything in `__all__` of the package and of its rooms is public, except what is listed in `PLUMBING`: names that one
room hands to another, and that nobody else needs.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

import eigenlens

PLUMBING = {
    "inference": {"Linearity", "Result", "above_negative"},
    "rows": {
        "Block", "ClassReader", "ClassifierScore", "GivenSlices", "LabelReader", "Labels", "RegressorScore", "Response",
        "SliceReader", "Source", "Target", "as_source", "dense_blocks", "map_rows", "whole", "TargetColumns",
    },
    "moments": {"Centred", "Moments", "Outline", "Quartic", "local_means", "products"},
    "solve": {"Choice", "Extreme", "Inertia", "count_rank", "inertia", "largest", "orient", "rounding"},
    "testing": {"LAWS", "Sample", "applies", "sample", "sample_for"},
}  # fmt: skip
TITLES = {
    "": ("Methods and models", "The names that `from eigenlens import …` gives."),
    "regress": ("Regressors", "Regressions for use on their own, and inside `FDA` and `MDA`."),
    "inference": ("Inference", "Tests of dimension, the bootstrap, and noise."),
    "validation": ("Validation", "Cross-validation from moments."),
    "kernels": ("Kernels", "Kernels, their functions and their spectra."),
    "distances": ("Distances", "Tests of form, Schoenberg transforms, repairs and alignment."),
    "displays": ("Displays", "Pictures of fitted models, a function each."),
    "files": ("Model files", "Models without pickle."),
    "rows": ("Rows", "Arrays, frames, files and streams; strict reading of tables, and preparation of columns."),
    "study": ("Studies", "What `eigenlens report` does, as functions."),
    "moments": ("Moments", "What one pass over the rows keeps, and how parts merge."),
    "solve": ("Spectral problems", "Pencils, solvers and spectra."),
    "testing": ("Laws", "The laws that every method obeys, to run on an estimator of your own."),
    "exceptions": ("Errors and warnings", "All of them by name, for `except` and `warnings.filterwarnings`."),
}


def rooms() -> list[str]:
    """Return the public rooms, in the order of the reference."""
    found = [name for name in eigenlens.__all__ if isinstance(getattr(eigenlens, name), ModuleType)]
    return ["", *sorted(found, key=lambda room: list(TITLES).index(room) if room in TITLES else len(TITLES))]


def names(room: str) -> list[str]:
    """Return the public names of a room; "" is the package itself."""
    module = getattr(eigenlens, room) if room else eigenlens
    elsewhere = set() if room else set(eigenlens.exceptions.__all__)
    listed = set(module.__all__) - PLUMBING.get(room, set()) - elsewhere
    return sorted((n for n in listed if not isinstance(getattr(module, n), ModuleType)), key=str.lower)


def dotted(room: str) -> list[str]:
    """Return the full public names of a room."""
    prefix = f"eigenlens.{room}" if room else "eigenlens"
    return [f"{prefix}.{name}" for name in names(room)]


def public() -> dict[str, Any]:
    """Return every public object by its full name."""
    return {
        name: getattr(getattr(eigenlens, room) if room else eigenlens, name.rpartition(".")[2])
        for room in rooms()
        for name in dotted(room)
    }


def needs_example(thing: Any) -> bool:
    """Say whether a page must show how a name is used: errors and warnings explain themselves."""
    return callable(thing) and not (inspect.isclass(thing) and issubclass(thing, BaseException))


def write_pages(folder: Path) -> None:
    """Write a page for each room that lists its names; a page that has not changed keeps its time."""
    folder.mkdir(exist_ok=True)
    for stale in folder.glob("generated/*.rst"):
        if stale.stem not in public():
            stale.unlink()
    wanted = {"index": index()} | {room or "eigenlens": page(room) for room in rooms()}
    for name, text in wanted.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text(encoding="utf8") != text:
            path.write_text(text, encoding="utf8")


def title(room: str) -> tuple[str, str]:
    return TITLES.get(room, (room.capitalize(), ""))


def page(room: str) -> str:
    head, line = title(room)
    line = f"``eigenlens.{room}``: {line[:1].lower()}{line[1:]}" if room else line
    listed = "\n".join(f"   ~{name}" for name in dotted(room))  # a table of short names fits a narrow screen
    summary = f".. autosummary::\n   :toctree: generated\n   :nosignatures:\n\n{listed}"
    return f"{head}\n{'=' * len(head)}\n\n{line}\n\n{summary}\n"


def index() -> str:
    head = "API reference"
    intro = "Every public name, with its parameters, its attributes and an example that is run by the tests."
    entries = "\n".join(f"   {room or 'eigenlens'}" for room in rooms())
    lines = "\n".join(f"- :doc:`{title(room)[0]} <{room or 'eigenlens'}>`: {title(room)[1]}" for room in rooms())
    return f"{head}\n{'=' * len(head)}\n\n{intro}\n\n{lines}\n\n.. toctree::\n   :hidden:\n\n{entries}\n"
