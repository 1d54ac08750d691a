"""Errors about single cells of a table: where the cell is, what is wrong with it, and the ways out."""

from __future__ import annotations

from typing import Any

from ..arrays import errors
from ..arrays.spelling import option


def not_a_number(path: Any, line: int | None, column: str, value: str, share: str) -> errors.InputError:
    """A word where the model wants a number."""
    rule = (
        f"is not a number, but {share}. Correct the cell; or say that it stands for a missing value "
        f"({option('na', value)}), that the column holds words ({option('words', column)}), or leave it out "
        f"({option('drop', column)})"
    )
    return errors.bad_cell(path, line, column, value, rule)


def control(path: Any, line: int | None, column: str, value: str) -> errors.InputError:
    """A cell that a terminal might obey."""
    if "\0" in value:
        return errors.bad_cell(path, line, column, value, "holds a NUL byte: the file is damaged, or not text")
    return errors.bad_cell(
        path, line, column, value, "holds a control character, which a terminal might obey; remove it"
    )


def long_cell(path: Any, line: int | None, column: str, value: str, limit: int) -> errors.InputError:
    """A cell so long that a quote may be open."""
    rule = (
        f"has {len(value):,} characters, and cells have at most {limit:,}; a quote may be open, or leave the column out"
    )
    return errors.bad_cell(path, line, column, value, rule)
