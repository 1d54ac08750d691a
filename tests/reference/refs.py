"""Reference results: figures in this folder, and data that is not shipped, beside the repository."""

import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SHARED = HERE.parents[2] / "shared" / "refs"


def figures(name):
    """Return figures that another program computed, from this folder."""
    return json.loads((HERE / f"{name}.json").read_text())


def unshipped(name):
    """Return the folder of a table that is not shipped; skip where it is not beside the repository."""
    if not (SHARED / name).exists():
        pytest.skip(f"the table of {name} is not shipped, and it is not beside the repository")
    return SHARED / name
