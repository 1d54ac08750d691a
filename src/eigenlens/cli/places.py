"""Where a command writes: checked before any work."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .._core.errors import cli as errors


def folder_for(path: Path, names: Iterable[str], source: Path | None, force: bool) -> dict[str, Path]:
    """Return the files that a folder will hold; made if it is not there, nothing replaced unless told so."""
    if path.is_symlink():
        raise errors.is_link(path)
    if path.exists() and not path.is_dir():
        raise errors.not_a_folder(path)
    places = {name: path / name for name in names}
    for place in places.values():
        _check(place, source)
    there = [place for place in places.values() if place.exists()]
    if there and not force:
        raise errors.exists(there)
    path.mkdir(parents=True, exist_ok=True)
    return places


def file_for(path: Path, source: Path | None, force: bool, suffixes: Iterable[str] = ()) -> Path:
    """Return a file to write to."""
    allowed = tuple(suffixes)
    if allowed and path.suffix.lower() not in allowed:
        raise errors.out_suffix(path, allowed)
    _check(path, source)
    if not path.parent.is_dir():
        raise errors.no_folder(path)
    if path.exists() and not force:
        raise errors.exists([path])
    return path


def _check(path: Path, source: Path | None) -> None:
    if path.is_symlink():
        raise errors.is_link(path)
    if source is not None and path.exists() and os.path.samefile(path, source):
        raise errors.is_input(path)
    if path.is_dir():
        raise errors.exists([path])
