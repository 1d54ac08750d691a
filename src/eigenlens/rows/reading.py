"""Tables in CSV, Parquet and Excel files: their rows, once it is known what their columns hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from ..arrays import errors
from . import refusals
from .cells import Cells, parse
from .profiling import ProfiledFiles, mapped_on_threads, numbered

T = TypeVar("T")
MOST_SAID = 20  # words among numbers that a message lists


class TableFile(ProfiledFiles):
    r"""A table in a file; nothing is read before it is needed.

    Parameters
    ----------
    path : path or list of paths
        Ending in .csv, .tsv, .txt (also with .gz, .bz2, .zst or .zip), .parquet or .xlsx. A folder of such files of one
        kind, or a pattern (`rows/*.csv`), is one table: its files follow each other in the order of their names.
        Files of a list follow each other as they are listed. All need the same columns, in any order.
    dialect : Dialect, optional
        What it leaves open ("auto") is detected.

    Attributes
    ----------
    path : str
        What messages call the table.
    paths : list of Path
        Its files.
    asked : Dialect
        How the file is written, as far as the user said.
    notes : list of str
        What was assumed about how the file is written.
    passes : int
        How often rows were read.
    lenient : bool
        Whether words among numbers count as missing in `batches`, and are kept in `unread`; refused if not.
    told : function of (rows read, rows expected or 0), optional
        Called while rows are read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from eigenlens.rows import TableFile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "small.csv"
    >>> _ = path.write_text("size,kind\n1.5,a\n2,b\n")
    >>> table = TableFile(path)
    >>> [(column.name, column.kind) for column in table.profile().values()], table.n_rows
    ([('size', 'number'), ('kind', 'word')], 2)
    """

    lenient = False

    @cached_property
    def unread(self) -> dict[tuple[str, str], int]:
        """How many cells read so, of each column and word among numbers, where these count as missing."""
        return {}

    def unread_words(self) -> str:
        """Say which words among numbers count as missing, with the first line of each; empty where none does."""
        said = []
        for (name, word), count in list(self.unread.items())[:MOST_SAID]:
            line = self._line(name, word)
            place = "" if line is None else f", first in line {line:,}"
            said.append(f"{errors.quoted(word)} in {name!r} ({count:,} cell{'' if count == 1 else 's'}{place})")
        more = len(self.unread) - len(said)
        return ", ".join(said) + (f" and {more:,} others" if more else "")

    def read(self, columns: Sequence[str], rows: np.ndarray | None = None) -> Any:
        """Return columns as an Arrow table: numbers as float64, words as text, gaps as null.

        Parameters
        ----------
        columns : list of str
        rows : sorted ndarray of int, optional
            Which rows; all if not given.
        """
        import pyarrow as pa

        kinds = {name: column.kind for name, column in self.profile().items()}
        parts, start = [], 0
        for batch in self.batches(kinds, columns):
            part = batch
            if rows is not None:
                low, high = np.searchsorted(rows, [start, start + batch.num_rows])
                part = batch.take(pa.array(rows[low:high] - start))
            parts.append(part)
            start += batch.num_rows
        return pa.concat_tables(parts).combine_chunks()

    def batches(self, kinds: dict[str, str], columns: Sequence[str]) -> Iterator[Any]:
        """Yield columns of known kinds as Arrow tables of a few rows; refuse a cell of another kind with its line."""
        for name in columns:
            if name not in self.names:
                raise errors.no_column(name, self.names, f"the table needs the column {name!r}")
        for batch in self._batches(list(columns)):
            yield self._checked(kinds, columns, batch)

    def mapped(self, kinds: dict[str, str], columns: Sequence[str], work: Callable[[Any, int], T]) -> Iterator[T]:
        """Yield what a function makes of tables of a few rows, and of the number of their first row; on threads."""

        def done(item: tuple[int, Any]) -> T:
            start, batch = item
            return work(self._checked(kinds, columns, batch), start)

        yield from mapped_on_threads(done, numbered(self._batches(list(columns))))

    def _checked(self, kinds: dict[str, str], columns: Sequence[str], batch: Any) -> Any:
        cells = {}
        for name in columns:
            if name in self._numbers:
                cells[name] = self._plain(batch.column(name))
                continue
            wordy = kinds[name] in ("word", "date") and self.is_text
            na = self.dialect.missing_in(name)
            cells[name] = parse(batch.column(name), self.dialect.decimal, na, wordy, dressed=True)
            if kinds[name] not in ("word", "date"):
                cells[name] = self._without_words(name, cells[name]) if self.lenient else cells[name]
                self._require_numbers(name, cells[name])
        return self._made(kinds, columns, batch, cells)

    def _without_words(self, name: str, cells: Cells) -> Cells:
        """Return cells whose words count as missing, and remember these."""
        alone = not (~cells.words & ~cells.missing).any() and len(cells.words) > 1
        if not cells.words.any() or alone:  # a column without any number is another column
            return cells
        for i in np.flatnonzero(cells.words).tolist():
            key = (name, cells.text[i].as_py())
            self.unread[key] = self.unread.get(key, 0) + 1
        return replace(cells, missing=cells.missing | cells.words, words=np.zeros_like(cells.words))

    def _require_numbers(self, name: str, cells: Cells) -> None:
        if cells.words.any():
            word = cells.text[int(np.argmax(cells.words))].as_py()
            raise refusals.not_a_number(
                self.path, self._line(name, word), name, word, "the model was fitted to numbers"
            )
        if not np.isfinite(cells.numbers[~cells.missing]).all():
            raise self._infinite(name, cells)
