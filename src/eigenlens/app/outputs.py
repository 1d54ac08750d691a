"""Where a command writes: checked before any work."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..arrays import errors
from ..exceptions import CommandError
from ..rows.parts import files_of


def folder_for(path: Path, names: Iterable[str], sources: Sequence[Path], force: bool) -> dict[str, Path]:
    """Return the files that a folder will hold; nothing is replaced unless told so.

    The folder is made by whoever writes: a command that fails leaves none behind.
    """
    if path.is_symlink():
        raise _is_link(path)
    if path.exists() and not path.is_dir():
        raise CommandError(f"--out {path} is a file, but a folder is needed; choose another name.")
    places = {name: path / name for name in names}
    for place in places.values():
        _check(place, sources)
    there = [place for place in places.values() if place.exists()]
    if there and not force:
        raise _exists(there)
    return places


def file_for(path: Path, sources: Sequence[Path], force: bool, suffixes: Iterable[str] = ()) -> Path:
    """Return a file to write to."""
    allowed = tuple(suffixes)
    if allowed and path.suffix.lower() not in allowed:
        raise CommandError(f"--out {path}: the name must end in {' or '.join(allowed)}.")
    _check(path, sources)
    if not path.parent.is_dir():
        raise CommandError(f"--out {path}: there is no folder {path.parent}; make it first.")
    if path.exists() and not force:
        raise _exists([path])
    return path


def is_input(path: Path) -> CommandError:
    return CommandError(f"--out {path} is the input file; choose another name.")


def _check(path: Path, sources: Sequence[Path]) -> None:
    if path.is_symlink():
        raise _is_link(path)
    if path.is_file() and any(os.path.samefile(path, file) for source in sources for file in _files(source)):
        raise is_input(path)
    if path.is_dir():
        raise _exists([path])


def _files(source: Path) -> list[Path]:
    return [source] if source.is_file() else files_of(source)[0]


def _is_link(path: Path) -> CommandError:
    return CommandError(f"--out {path} is a symbolic link, which is not followed when writing; name the file itself.")


def _exists(paths: Iterable[Path]) -> CommandError:
    names = [str(path) for path in paths]
    exist, them = ("exists", "it") if len(names) == 1 else ("exist", "them")
    return CommandError(
        f"{errors.listed(names)} already {exist}; add --force to replace {them}, or choose another --out."
    )
