"""`methods` and `info`: what there is."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from ..files import describe
from ..study.methods import QUESTIONS, declared, methods, of_question
from .console import console, escape, print_json


def run_methods(options: dict[str, Any]) -> None:
    """List the methods by the question they answer."""
    if options["as_json"]:
        known = [(name, cls.__name__, declared(cls)) for name, cls in methods().items()]
        print_json([{"name": name, "class": cls, "for": [says.question], "use": says.use} for name, cls, says in known])
        return
    out = console()
    for kind, question in QUESTIONS.items():
        out.print(f"[bold]{question.capitalize()}[/bold]")
        table = Table(box=None, show_header=False, pad_edge=False)
        table.add_column(min_width=24, no_wrap=True)
        table.add_column()
        for name, cls in of_question(kind).items():
            table.add_row(f"  --method {name}", f"{cls.__name__}: {declared(cls).use}")
        out.print(table)
        out.print()
    out.print(
        "auto takes the first of each list that suits the table: with words among the columns, or few rows, that may "
        "be a later one. Methods for classes are cross-validated, and an SVM with them."
    )


def run_info(options: dict[str, Any]) -> None:
    """Describe a model file from its header."""
    about = describe(options["model"])
    if options["as_json"]:
        print_json(about)
        return
    out = console()
    notes = about["about"]
    classes = [name.rpartition(".")[2] for name in about["classes"]]
    ours = [c for c in classes if c not in ("Pipeline", "Preparation")]
    rows = [("model", ours[0] if ours else "?"), ("file", f"{about['bytes']:,} bytes, format {about['format']}")]
    rows += [("saved by", ", ".join(f"{k} {v}" for k, v in about["versions"].items()))]
    rows += [(str(name), _short(value)) for name, value in notes.items() if value not in (None, [])]
    rows += [("arrays", f"{len(about['arrays'])}, the largest {_largest(about['arrays'])}")]
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in rows:
        table.add_row(f"[bold]{escape(name)}[/bold]", escape(value))
    out.print(table)


def _short(value: Any) -> str:
    if isinstance(value, list):
        words = [_short(v) for v in value]
        return ", ".join(words[:12]) + (f" and {len(words) - 12} more" if len(words) > 12 else "")
    return str(value)


def _largest(arrays: list[Any]) -> str:
    def size(entry: Any) -> int:
        n = 1
        for side in entry[1]:
            n *= int(side)
        return n

    return " × ".join(map(str, max(arrays, key=size)[1])) if arrays else "0"
