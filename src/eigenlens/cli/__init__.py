"""The command line: `eigenlens report DATA` and others. Nothing heavy is imported before the arguments are read."""

from __future__ import annotations

import sys
from importlib.util import find_spec


def main() -> None:
    """Run the command line and end the process with its exit code."""
    gone = [name for name in ("click", "rich") if not _is_there(name)]
    if gone:
        sys.exit(f"The command line needs {' and '.join(gone)}: pip install 'eigenlens[cli]'.")
    from .main import run

    sys.exit(run(sys.argv[1:]))


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ImportError:
        return False
