"""Columns that say which row a row is, and nothing about it: told by their names."""

from __future__ import annotations

import re

INDEX = re.compile(r"(unnamed:? ?\d*|__index_level_\d+__|index|row[ _.]?(names?|numbers?|id)?)", re.IGNORECASE)
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
IDENTIFIERS = frozenset({"id", "ids", "identifier", "uuid", "guid"})
FOLLOWERS = frozenset({"number", "num", "no", "nr", "code", "ref", "key"})  # of "id": an id number is an id


def is_index(name: str) -> bool:
    """Tell whether a name is one that programs give the index of a table which had no name."""
    return INDEX.fullmatch(name.strip()) is not None


def is_identifier(name: str) -> bool:
    """Tell whether a name says that its column identifies something: `ID`, `patient_id`, `SubjectID`, `Id number`."""
    words = [word.lower() for word in WORD.findall(name) if not word.isdigit()]
    while len(words) > 1 and words[-1] in FOLLOWERS:
        words.pop()
    return bool(words) and words[-1] in IDENTIFIERS
