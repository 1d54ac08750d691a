"""What the command line refuses to do, and what to do instead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._kinds import InputError, listed


class CommandError(InputError):
    """A command cannot be carried out as given."""


def exists(paths: Iterable[Any]) -> CommandError:
    return CommandError(
        f"{listed(map(str, paths))} is there already; add --force to replace it, or choose another --out."
    )


def is_input(path: Any) -> CommandError:
    return CommandError(f"--out {path} is the file that is read; choose another name.")


def is_link(path: Any) -> CommandError:
    return CommandError(f"--out {path} is a symbolic link, which is not followed when writing; name the place itself.")


def not_a_folder(path: Any) -> CommandError:
    return CommandError(f"--out {path} is a file, but a folder is needed; choose another name.")


def no_folder(path: Any) -> CommandError:
    return CommandError(f"--out {path}: there is no folder {path.parent}; make it first.")


def out_suffix(path: Any, allowed: Iterable[str]) -> CommandError:
    return CommandError(f"--out {path}: the name must end in {' or '.join(allowed)}.")


def cannot(method: str, verb: str, instead: str) -> CommandError:
    return CommandError(f"{method} does not {verb}; {instead}.")


def columns_differ(needed: int, found: int) -> CommandError:
    return CommandError(
        f"the model takes {needed} columns and does not know their names, and the table has {found} of numbers; "
        f"leave out the others with --drop."
    )


def views_syntax() -> str:
    return "--views takes two lists of columns with -- between them: --views a b -- c d"
