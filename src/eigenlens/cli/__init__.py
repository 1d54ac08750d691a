"""The command line: `eigenlens report DATA` and others. Nothing heavy is imported before the arguments are read."""

from __future__ import annotations

import gc
import os
import sys
from importlib.util import find_spec

# Imports make 140,000 objects that stay. Looking through them for garbage, again and again and once more at
# the end, took a fifth of the time of a small report.
COLLECTIONS = (50_000, 20, 100)


def main() -> None:
    """Run the command line and end the process with its exit code."""
    gc.set_threshold(*COLLECTIONS)
    _spare_addresses()
    gone = [name for name in ("click", "rich") if not _is_there(name)]
    if gone:
        sys.exit(f"The command line needs {' and '.join(gone)}: pip install 'eigenlens[cli]'.")
    from .interrupt import CODE, release, watch

    try:
        watch()
        from .main import run

        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:  # before the command had begun
        sys.exit(CODE)
    finally:
        release()
        gc.freeze()


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
