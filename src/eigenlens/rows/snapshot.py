"""What files looked like when they were opened, so that rows of two tables are never read as one.

A file is compared by identity (device and inode), size and time of its last change, before and after each pass. Reading
its bytes twice would cost as much as the pass itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ..arrays import errors


class State(NamedTuple):
    """What the system says about a file."""

    device: int
    inode: int
    size: int
    mtime_ns: int


class Snapshot:
    """The state of files, and of all files in a folder that counts as one, at one moment.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from eigenlens.rows.snapshot import Snapshot
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rows.csv"
    >>> _ = path.write_text("a,b")
    >>> snapshot = Snapshot([path])
    >>> snapshot.check()
    >>> _ = path.write_text("a,b,c")
    >>> snapshot.check()
    Traceback (most recent call last):
    eigenlens.exceptions.InputError: ... has changed since it was opened (it had 3 bytes and has 5)...
    """

    def __init__(self, paths: Sequence[Path] = ()) -> None:
        self._paths = tuple(paths)
        self._states = _states(self._paths)

    def check(self, cause: Exception | None = None) -> None:
        """Refuse files that are not as they were; `cause` is what went wrong on the way, if anything did."""
        now = _states(self._paths)
        if now == self._states:
            return
        for path in {**self._states, **now}:
            before, after = self._states.get(path), now.get(path)
            if before != after:
                raise changed(path, _difference(before, after)) from cause

    @contextmanager
    def held(self) -> Iterator[None]:
        """Compare before and after a pass; an error in between is the change's, if there was one."""
        self.check()
        try:
            yield
        except Exception as error:
            self.check(error)
            raise
        self.check()


def changed(path: Path, how: str) -> errors.InputError:
    return errors.InputError(
        f"{path} has changed since it was opened ({how}), and rows of two tables must not be mixed. Wait until nothing "
        f"writes to it, and open it again."
    )


def _states(paths: Sequence[Path]) -> dict[Path, State | None]:
    return {file: _state(file) for path in paths for file in ([path] if not path.is_dir() else files_in(path))}


def files_in(folder: Path) -> Iterator[Path]:
    for parent, _, names in os.walk(folder):
        yield from (Path(parent, name) for name in names)


def _state(path: Path) -> State | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return State(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _difference(before: State | None, after: State | None) -> str:
    if before is None:
        return "it was not there"
    if after is None:
        return "it is gone, or cannot be reached"
    if (before.device, before.inode) != (after.device, after.inode):
        return "another file has taken its place"
    if before.size != after.size:
        return f"it had {before.size:,} bytes and has {after.size:,}"
    return "it was written to"
