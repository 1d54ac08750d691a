"""Text from strangers, made fit to be shown: names of columns, labels and notes may hold commands to a terminal."""

from __future__ import annotations

import re

REPLACED = "\N{REPLACEMENT CHARACTER}"
#: Commands that turn the direction of whatever follows: embeddings, overrides and isolates.
DIRECTION = "\u202a-\u202e\u2066-\u2069"
_TURNING = re.compile(f"[{DIRECTION}]")
_COMMANDS = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{DIRECTION}]")
_LEFTWARD = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_RUN = re.compile(f"[{_LEFTWARD}](?:[^\\S\n]*[{_LEFTWARD}])*")


def printable(text: object) -> str:
    """Return text without commands to a terminal; tabs and new lines stay."""
    return _COMMANDS.sub(REPLACED, str(text))


def undirected(text: str) -> str:
    """Return text without commands that turn the direction of what follows."""
    return _TURNING.sub(REPLACED, text)


def isolated(text: str) -> str:
    """Return undirected text in which words written from right to left leave the order of what is around them alone."""
    return _RUN.sub("\u2068\\g<0>\u2069", undirected(text))
