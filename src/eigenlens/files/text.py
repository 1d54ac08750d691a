"""Model files as JSON text, for channels that carry nothing else: what they hold in words, and the bytes in base64."""

from __future__ import annotations

import base64
import binascii
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from .._core import errors
from . import container

KEY = "eigenlens"  # under it stand the bytes of the file


def is_text(path: Path) -> bool:
    """Tell whether a file is to be written as text."""
    return path.suffix.lower() == ".json"


def write_text(file: BinaryIO, model: Any, header: dict[str, Any], arrays: list[np.ndarray]) -> None:
    """Write a model or moments as JSON."""
    with tempfile.TemporaryFile() as inner:
        container.write(inner, header, arrays)
        inner.seek(0)
        content = base64.b64encode(inner.read()).decode()
    file.write(json.dumps({"holds": repr(model), "about": header["about"], KEY: content}, indent=1).encode())


@contextmanager
def contents(file: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    """Open what a text holds; any other file is what it is."""
    if not is_text(path):
        yield file
        return
    try:
        content = json.loads(file.read())
        data = base64.b64decode(content[KEY], validate=True)
    except (ValueError, TypeError, KeyError, RecursionError, binascii.Error) as error:
        raise errors.not_a_model(path, f"it is not JSON with an entry {KEY!r} ({type(error).__name__})") from None
    with tempfile.TemporaryFile() as inner:
        inner.write(data)
        inner.seek(0)
        yield inner
