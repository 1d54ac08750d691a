"""A bar for passes that take long: on stderr, only where somebody is looking."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from typing import Any, TypeVar

T = TypeVar("T")

PATIENCE = 2.0  # seconds before a bar appears
SWITCH = "EIGENLENS_PROGRESS"  # 0 turns all bars off, 1 turns them on wherever rich is installed


def tracked(parts: Iterator[T], total: int | None, what: str, wanted: bool | None) -> Iterator[T]:
    """Yield the parts; show a bar once two seconds have passed.

    Parameters
    ----------
    parts : iterator
    total : int or None
        How many parts there are, if known.
    what : str
        What the bar says.
    wanted : bool or None
        Show it; None where a terminal or notebook is there to show it in.
    """
    if not _welcome(wanted):
        yield from parts
        return
    start, bar, task = time.monotonic(), None, None
    try:
        for done, part in enumerate(parts, 1):
            if bar is None and time.monotonic() - start > PATIENCE:
                bar = _bar()
                task = bar.add_task(what, total=total, completed=done) if bar else None
            elif bar is not None:
                bar.update(task, completed=done)
            yield part
    finally:
        if bar is not None:
            bar.stop()


def _welcome(wanted: bool | None) -> bool:
    switch = os.environ.get(SWITCH, "")
    if wanted is False or switch == "0":
        return False
    return bool(wanted) or switch == "1" or sys.stderr.isatty() or "ipykernel" in sys.modules


def _bar() -> Any:
    """Start a bar, if rich is installed; a missing bar is no reason to fail."""
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn as Remaining,
        )
    except ImportError:
        return None
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), Remaining())
    shown = True if os.environ.get(SWITCH) == "1" else None
    bar = Progress(*columns, console=Console(stderr=True, force_terminal=shown), transient=True)
    bar.start()
    return bar
