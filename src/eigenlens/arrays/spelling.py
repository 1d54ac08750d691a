"""How messages spell options: as keywords in Python, as the terminal has them on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..exceptions import InputError

KEYWORDS = {"as": "target_is", "folds": "cv", "seed": "random_state"}
CHOICES = {"as", "method", "missing"}  # whose values the command line takes without quotes

_terminal = False


@contextmanager
def command_line() -> Iterator[None]:
    """Spell options as the command line does, in messages of all threads."""
    global _terminal
    before, _terminal = _terminal, True
    try:
        yield
    finally:
        _terminal = before


def option(name: str, value: object = None) -> str:
    """Return an option, with its value if there is one, as the user would write it.

    Examples
    --------
    >>> from eigenlens.arrays.spelling import command_line, option
    >>> option("drop", "x"), option("drop"), option("as", "number"), option("standardise", False)
    ("drop='x'", 'drop=', "target_is='number'", 'standardise=False')
    >>> with command_line():
    ...     option("drop", "x"), option("drop"), option("as", "number"), option("standardise", False)
    ("--drop 'x'", '--drop', '--as number', '--no-standardise')
    """
    if not _terminal:
        return f"{KEYWORDS.get(name, name)}={'' if value is None else repr(value)}"
    if isinstance(value, bool):
        return f"--{name}" if value else f"--no-{name}"
    if value is None:
        return f"--{name}"
    return f"--{name} {value if name in CHOICES else repr(value)}"


def refused(name: str, value: object, rule: str) -> InputError:
    """Return the error of an option whose value cannot be used."""
    from ..exceptions import InputError  # with it comes scikit-learn, which the help of a command does not wait for

    given = f"--{name} {value!r}" if _terminal else option(name, value)
    return InputError(f"{given}: {rule}.")
