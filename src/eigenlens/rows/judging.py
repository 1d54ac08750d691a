"""What a column holds, decided from what was counted of its cells: numbers or words, or a refusal with the place.

A column is numbers or words. Where it is partly one and partly the other, the share of numbers decides, and the column
carries a remark that says so. Formatted numbers ("1,234", "12%") are read where it is clear what they mean, and
refused where it is not: they would be gaps exactly where numbers are large.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..arrays import errors
from ..arrays.errors import listed
from ..arrays.spelling import option, refused
from .cells import disguised, is_date, is_dressed, parse, unit
from .csv_text import Dialect

LEVELS = 1000  # different words that are remembered of a column
ODD_SHARE = 0.1  # of the cells of a column of numbers that may be words; one always may


@dataclass
class Column:
    """What a column holds.

    Attributes
    ----------
    kind : {"number", "word", "date", "empty"}
    missing : int
    levels : dict of str to int
        How often each word occurs; at most a thousand words.
    low, high : float
    whole : bool
        Whether all numbers are whole.
    values : set of float or None
        The different whole numbers; None where there are more than a thousand, or others.
    odd : int
        Words among numbers, which count as missing.
    remark : str
        How the reader decided between numbers and words.
    """

    name: str
    kind: str = "empty"
    missing: int = 0
    numbers: int = 0
    words: int = 0
    levels: dict[str, int] = field(default_factory=dict)
    low: float = np.inf
    high: float = -np.inf
    whole: bool = True
    values: set[float] | None = field(default_factory=set)
    odd: int = 0
    remark: str = ""

    @property
    def distinct(self) -> int:
        """How many different cells there are, as far as they are counted: beyond a thousand, a thousand and one."""
        if self.kind == "word":
            return len(self.levels)
        return LEVELS + 1 if self.values is None else len(self.values)


class JudgesColumns:
    """What a table in a file decides of its columns."""

    path: str
    names: list[str]
    dialect: Dialect

    def _line(self, name: str, word: str) -> int | None:
        raise NotImplementedError

    def _judge(self, column: Column) -> None:
        """Decide what a column holds, or refuse it."""
        declared = column.name in self.dialect.words
        if column.words and not declared:
            if not column.numbers and all(map(is_date, column.levels)):
                column.kind = "date"
                return
            if column.name not in self.dialect.dressed and self._is_dressed(column):
                self.dialect = replace(self.dialect, dressed=(*self.dialect.dressed, column.name))
                return
            self._refuse_disguised(column)
            if column.numbers:
                self._settle(column)
        column.kind = "word" if column.words else "number" if column.numbers else "empty"
        if column.kind == "word" and column.name in self.dialect.numbers:
            first = errors.quoted(next(iter(column.levels)))
            raise refused("numbers", column.name, f"its cells are words, such as {first}")

    def _is_dressed(self, column: Column) -> bool:
        """Tell whether the words of a column are numbers with signs that can be left out, and remark on it."""
        decimal = self.dialect.decimal
        worn = {word: count for word, count in column.levels.items() if is_dressed(word, decimal)}
        cells, known = column.numbers + column.words, sum(column.levels.values())
        odd = column.words * (1 - sum(worn.values()) / known)
        if not worn or odd > max(1, ODD_SHARE * cells) or 2 * odd >= cells:
            return False
        word = next(iter(worn))
        units = {unit(each) for each in worn} | ({""} if column.numbers else set())
        if len(units - {""}) > 1 or units > {"%"}:
            others = "have no percent sign" if units == {"%", ""} else f"have others ({listed(sorted(units - {''}))})"
            way_out = f"write them all in one way, or leave it out ({option('drop')})"
            rule = f"has a sign, but cells of the column {others}; {way_out}"
            word = next(each for each in worn if unit(each))
            raise errors.bad_cell(self.path, self._line(column.name, word), column.name, word, rule)
        value = parse(strings([word]), decimal, dressed=True).numbers[0]
        column.remark = f"{column.name!r} holds numbers such as {word!r}, which is read as {value:.12g}."
        return True

    def _refuse_disguised(self, column: Column) -> None:
        """Refuse formatted numbers that may mean two things: all words of a column, or those among the numbers."""
        found = ((word, disguised(word)) for word in column.levels if not is_dressed(word, self.dialect.decimal))
        odd = [(word, what) for word, what in found if what]
        if odd and (column.numbers or len(odd) == len(column.levels)):
            word, (what, way_out) = odd[0]
            raise errors.bad_cell(
                self.path,
                self._line(column.name, word),
                column.name,
                word,
                f"looks like {what}, which is not read as a number; {way_out}",
            )

    def _settle(self, column: Column) -> None:
        """Read a column with numbers and words as what most of its cells are, and say so."""
        word, cells = next(iter(column.levels)), column.numbers + column.words
        line = self._line(column.name, word)
        first = errors.quoted(word) + (f", line {line:,}" if line is not None else "")
        few = column.words <= max(1, ODD_SHARE * cells) and column.words < column.numbers
        few = few or column.name in self.dialect.numbers
        if few and len(column.levels) < LEVELS:
            column.remark += " " * bool(column.remark) + (
                f"{column.name!r} holds numbers, except {column.words:,} of {cells:,} cells "
                f"({listed([first, *map(errors.quoted, list(column.levels)[1:])], 3)}), which "
                f"{'counts' if column.words == 1 else 'count'} as missing "
                f"({option('words', column.name)} reads the column as words)."
            )
            self.dialect = replace(self.dialect, na_of=(*self.dialect.na_of, (column.name, tuple(column.levels))))
            column.missing, column.odd = column.missing + column.words, column.words
            column.words, column.levels = 0, {}
            return
        column.remark = (
            f"{column.name!r} holds numbers in {column.numbers:,} of {cells:,} cells and words in the others (such as "
            f"{first}), and is read as words ({option('numbers', column.name)} reads numbers, and "
            "words as missing cells)."
        )
        self.dialect = replace(self.dialect, words=(*self.dialect.words, column.name))

    def _is_headless(self, columns: dict[str, Column]) -> bool:
        """Tell whether the first line looks like the rows below it: numbers over numbers, words that repeat."""
        cells = parse(strings(list(columns)), self.dialect.decimal)
        over = (~cells.words & ~cells.missing).tolist()
        numbers = [name for name, number in zip(columns, over, strict=True) if number]
        words = [name for name, number in zip(columns, over, strict=True) if not number]
        like = all(columns[name].kind == "number" for name in numbers)
        found = numbers and words and like and all(name in columns[name].levels for name in words)
        return bool(found) and self.dialect.header


def strings(values: list[str]) -> Any:
    import pyarrow as pa

    return pa.array(values, type=pa.string())
