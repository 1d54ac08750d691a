"""The command line: words become a study, and what it found becomes files and a few lines in the terminal.

`main.py` knows the commands, such as `eigenlens report DATA`. Nothing heavy is imported before the arguments are read.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from types import FunctionType

# Imports make 140,000 objects that stay. Looking through them for garbage, again and again and once more at
# the end, took a fifth of the time of a small report.
COLLECTIONS = (50_000, 20, 100)
STACK_WORDS = 2**16 + 2**10  # just more than half a mebibyte, so that a whole one is asked for


def main() -> None:
    """Run the command line and end the process with its exit code."""
    gc.set_threshold(*COLLECTIONS)
    _spare_addresses()
    gone = [name for name in ("click", "rich") if not _is_there(name)]
    if gone:
        sys.exit(f"The command line needs {' and '.join(gone)}: pip install {' '.join(gone)}.")
    sys.exit(_with_room(_run)())


def _run() -> int:
    from .interrupt import CODE, release, watch

    try:
        watch()
        from .main import run

        return run(sys.argv[1:])
    except KeyboardInterrupt:  # before the command had begun
        return CODE
    finally:
        release()
        gc.freeze()


def _with_room(function: Callable[[], int]) -> Callable[[], int]:
    """Return a function whose calls share one large piece of the interpreter's stack.

    CPython asks the system for 16 KiB of stack at a time and gives them back when calls return. Where a loop calls
    across such an edge, it does so thousands of times: 31,000 times, a tenth of a small report, under `python -m`. A
    frame of half a mebibyte comes in a piece of one, and what it calls has the rest.
    """
    assert isinstance(function, FunctionType)
    return FunctionType(function.__code__.replace(co_stacksize=STACK_WORDS), function.__globals__)


def _spare_addresses() -> None:
    """Have Arrow reserve no addresses where they are limited (`ulimit -v`): it would take a gibibyte of them."""
    try:
        import resource
    except ImportError:  # Windows
        return
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ImportError:
        return False
