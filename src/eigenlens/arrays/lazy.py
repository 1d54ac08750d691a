"""Names that are loaded when they are first used, from however many threads at once.

Python takes one lock for each module. Two threads that import modules which import each other (scikit-learn's do)
would wait for each other for ever, so Python lets one of them see a module that is only half made, and that thread
gets an ImportError. All first uses of the package therefore wait for one lock here.

A module must not use such a name while it is being imported itself: whoever imports it holds Python's lock of that
module, may wait here, and may be waited for. Import from the name's home instead.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

_importing = threading.RLock()


def _forked() -> None:
    """Forget whoever held the lock: that thread is not in this process."""
    global _importing
    _importing = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def exports(
    package: str, homes: Mapping[str, str], rooms: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and the `__dir__` of a package whose names are loaded when they are first used.

    Parameters
    ----------
    package : str
        Its `__name__`.
    homes : mapping of str to str
        The module of each name, relative to the package, such as ".methods.pca".
    rooms : iterable of str
        Names that are modules of the package themselves.
    """
    rooms = frozenset(rooms)

    def load(name: str) -> Any:
        if name not in homes and name not in rooms:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with _importing:
            module = import_module(homes.get(name, f".{name}"), package)
            value = module if name in rooms else getattr(module, name)
            setattr(sys.modules[package], name, value)  # later uses come here no more
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes, *rooms})

    return load, names
