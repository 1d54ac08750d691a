"""A fit that fails leaves no trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def unchanged_on_failure(model: Any) -> Iterator[None]:
    """Give a model back the attributes it had, whatever is raised inside a `with` block, Ctrl-C included."""
    before = model.__dict__.copy()
    try:
        yield
    except BaseException:
        model.__dict__.clear()
        model.__dict__.update(before)
        raise
