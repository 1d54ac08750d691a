"""The command line: `eigenlens report DATA` and its companions. Nothing heavy is imported before the words are read."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and end the process with its exit code."""
    try:
        import click  # noqa: F401
    except ImportError:
        sys.exit("The command line needs click and rich: pip install 'eigenlens[cli]'.")
    from .main import run

    sys.exit(run(sys.argv[1:]))
