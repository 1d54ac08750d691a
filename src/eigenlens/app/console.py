"""What is printed: results to stdout, progress to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape as escape_markup
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from ..arrays.printable import printable
from ..page.findings import Findings, number

SHOWN = 8  # directions in the terminal
VERDICT_STYLES = {True: "green", False: "default", None: "dim"}


def escape(text: object) -> str:
    """Return text that is neither markup nor a command to the terminal."""
    return escape_markup(printable(text))


def console() -> Console:
    """Return a console on stdout; colours and width are rich's business (NO_COLOR is minded)."""
    return Console(file=sys.stdout, highlight=False)


def print_json(value: Any) -> None:
    """Print JSON that any reader understands: numbers that are none become null."""
    written = json.dumps(_plain(value), ensure_ascii=False, indent=2, allow_nan=False)
    lines = (line if line.isprintable() else _escaped(line) for line in written.split("\n"))
    sys.stdout.write("\n".join(lines) + "\n")


def _escaped(line: str) -> str:
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in line)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value


@contextmanager
def progress() -> Iterator[Any]:
    """Give a function of (what, done, total) that shows a bar on stderr, where somebody is looking."""
    target = Console(file=sys.stderr)
    if not target.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[pace]}"), TimeElapsedColumn())
    with Progress(*columns, console=target, transient=True) as bar:
        task = bar.add_task("reading", total=None, pace="")
        began: dict[str, float] = {}

        def show(what: str, done: int, total: int) -> None:
            now = monotonic()
            if what not in began:
                began.clear()
                began[what] = now
                bar.reset(task)
            pace = paced(done, total, now - began[what]) if what.endswith("rows") else ""
            bar.update(task, description=escape(what), completed=done, total=total or None, pace=pace)

        yield show


def paced(done: int, total: int, seconds: float) -> str:
    """Return how many rows a second are done, and how long the others will take, in words; empty in the beginning."""
    if seconds < 1 or not done:
        return ""
    rate = done / seconds
    speed = f"{rate / 1e6:.1f} million rows/s" if rate >= 1e6 else f"{float(f'{rate:.2g}'):,.0f} rows/s"
    if total <= 0:
        return speed
    left = max(total - done, 0) / rate
    return f"{speed}, {f'{left / 60:.0f} min' if left >= 90 else f'{left:.0f} s'} left"


def print_findings(findings: Findings) -> None:
    """Print what was found, as a person reads it."""
    out = console()
    out.print(f"[bold]{escape(findings.title)}[/bold]  {findings.method}", soft_wrap=True)
    for note in findings.notes:
        out.print(f"[dim]·[/dim] {escape(note)}")
    for warning in findings.warnings:
        out.print(f"[yellow]![/yellow] {escape(warning)}")
    out.print()
    out.print(_directions(findings))
    if findings.test.about and (not findings.test.name or findings.test.draws):
        out.print(f"[dim]{escape(findings.test.about)}[/dim]")
    if findings.loading_names:
        out.print()
        out.print(_loadings(findings))
    if findings.comparison:
        out.print()
        out.print(comparison_table(findings))
    out.print()
    for sentence in findings.summary:
        out.print(escape(sentence))
    if findings.next_steps:
        out.print("\n[bold]What to do next[/bold]")
    for step in findings.next_steps:
        out.print(f"[dim]·[/dim] {escape(step.what)}")
        out.print(f"  {escape(step.command)}", soft_wrap=True)


def _directions(findings: Findings) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("direction")
    table.add_column(findings.value_name, justify="right")
    shared = any(d.share is not None for d in findings.directions)
    if shared:
        table.add_column("share", justify="right")
    table.add_column("verdict")
    for d in findings.directions[:SHOWN]:
        verdict = f"[{VERDICT_STYLES[d.shown]}]{d.verdict}[/]"
        why = f" [dim]({escape(d.evidence)})[/dim]" if d.evidence else ""
        share = ["" if d.share is None else f"{d.share:.1%}"] if shared else []
        table.add_row(escape(d.name), number(d.value), *share, verdict + why)
    more = len(findings.directions) - SHOWN
    if more > 0:
        table.add_row(f"… {more} more")
    return table


def _loadings(findings: Findings) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("direction")
    table.add_column(f"columns that count most ({findings.loading_kind})")
    for j in findings.shown_axes(max(2, min(findings.shown_directions or 2, 4))):
        tops = findings.top_loadings(j, 4)
        table.add_row(escape(findings.axes[j]), escape(", ".join(f"{name} {value:+.2f}" for name, value in tops)))
    return table


def comparison_table(findings: Findings) -> Table:
    """Return the comparison of methods, the best first, with the rule that knows nothing."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("method (cross-validated)")
    table.add_column(findings.score_name, justify="right")
    table.add_column("95% interval")
    for c in sorted(findings.comparison, key=lambda c: -np.nan_to_num(c.score, nan=-np.inf)):
        if np.isfinite(c.score):
            table.add_row(escape(c.name), c.written, c.interval or "worse than the mean")
        else:
            table.add_row(escape(c.name), "–", escape(c.note))
    if findings.baseline is not None:
        table.add_row(f"[dim]{escape(findings.baseline[0])}[/dim]", f"{findings.baseline[1]:.1%}", "")
    return table
