"""Libraries that not everybody needs: imported where they are used, and asked for by name where they are not there."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def require(library: str, purpose: str) -> Any:
    """Return a module, or say what to install.

    Parameters
    ----------
    library : str
        The module, such as "matplotlib.pyplot".
    purpose : str
        What needs it, as the beginning of a sentence.
    """
    try:
        return import_module(library)
    except ImportError as error:
        name = library.partition(".")[0]
        raise ImportError(f"{purpose} needs {name}, which is not installed: pip install {name}.") from error


def pyarrow(path: Any, module: str = "") -> Any:
    """Return pyarrow, or a module of it, to read a file."""
    return require(f"pyarrow.{module}" if module else "pyarrow", f"Reading {path}")


def pyplot() -> Any:
    """Return matplotlib.pyplot."""
    return require("matplotlib.pyplot", "Drawing")


def pandas() -> Any:
    """Return pandas."""
    return require("pandas", "A result as a DataFrame")
