"""The names under which model files keep classes.

A class gives itself a name in its own file, and keeps it when it moves to another module or is called otherwise there:

    @stored("LDA")
    class LDA(LinearDiscriminant): ...

Files hold instances of such classes only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Kind:
    """A class that files may hold; `renamed` and `upgrade` say what has become of attributes of older files."""

    name: str
    cls: type
    renamed: Mapping[str, str | None] = field(default_factory=dict)
    upgrade: Callable[[Any], None] | None = None


KINDS: dict[str, Kind] = {}
_OF_CLASS: dict[type, Kind] = {}


def stored(
    name: str, renamed: Mapping[str, str | None] | None = None, upgrade: Callable[[Any], None] | None = None
) -> Callable[[type[T]], type[T]]:
    """Let model files hold instances of a class under a name that never changes.

    `renamed` maps attributes that older files have to those of today, or to None where they are no longer wanted.
    `upgrade` changes an instance whose parts have been read, where more than a name is different.
    """

    def register(cls: type[T]) -> type[T]:
        known = KINDS.get(name)
        if known is not None and (known.cls.__module__, known.cls.__qualname__) != (cls.__module__, cls.__qualname__):
            raise RuntimeError(f"{known.cls!r} and {cls!r} are both stored as {name!r}; give one another name.")
        KINDS[name] = _OF_CLASS[cls] = Kind(name, cls, renamed or {}, upgrade)
        return cls

    return register


def kind_of(cls: type) -> Kind | None:
    """Return the kind of a class, None where files may not hold it: a subclass has to ask for itself."""
    return _OF_CLASS.get(cls)
