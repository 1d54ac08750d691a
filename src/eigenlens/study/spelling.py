"""Messages of a study name options as the command line spells them; in Python they are keywords."""

from __future__ import annotations

import re

OPTIONS = (
    "target|as|views|distances|method|drop|keep|na|words|numbers|id|weights|group|missing|standardise|sample|seed|"
    "folds|title"
)
KEYWORDS = {"as": "target_is", "seed": "random_state", "folds": "cv"}
VALUES = r"'[^']*'|\d+|(?:number|classes|mean|drop|refuse|ml)\b|(?<=method )[a-z-]+"
GIVEN = re.compile(rf"--({OPTIONS}) ({VALUES})")
BARE = re.compile(rf"--({OPTIONS})\b")


def in_python(text: str) -> str:
    """Return a message with keywords of `eigenlens.report` in place of options.

    Examples
    --------
    >>> from eigenlens.study.spelling import in_python
    >>> in_python("--target 'y': it holds words; leave out --as number, or leave columns out (--drop).")
    "target='y': it holds words; leave out target_is='number', or leave columns out (drop=)."
    """
    text = text.replace("--no-standardise", "standardise=False")
    text = GIVEN.sub(lambda m: f"{_keyword(m[1])}={_quoted(m[2])}", text)
    return BARE.sub(lambda m: f"{_keyword(m[1])}=", text)


def _keyword(option: str) -> str:
    return KEYWORDS.get(option, option)


def _quoted(value: str) -> str:
    return value if value[0] == "'" or value.isdigit() else repr(value)
