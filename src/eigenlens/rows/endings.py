"""What the name of a file says: its kind, and the table's name without its endings."""

from __future__ import annotations

from collections.abc import Sequence
from glob import has_magic
from pathlib import Path

from .addresses import zipped_name

TEXT = (".csv", ".tsv", ".txt")
PARQUET = (".parquet", ".pq")
SHEETS = (".xlsx", ".xlsm")
PACKED = (".gz", ".bz2", ".zst", ".zip")


def kind_of(path: Path) -> str:
    """Return the ending that says what a file holds: that of the file in it, where it is packed."""
    ending = path.suffix.lower()
    if ending == ".zip" and path.is_file():
        return Path(zipped_name(path)).suffix.lower()
    return Path(path.stem).suffix.lower() if ending in PACKED else ending


def name_of(path: str | Path | Sequence[str | Path]) -> str:
    """Return the name of a table: that of its file, without the endings that say how it is stored.

    The name of several files begins with that of the first.

    Examples
    --------
    >>> from eigenlens.rows.endings import name_of
    >>> name_of("data/Pima.tr.csv.gz")
    'Pima.tr'
    >>> name_of("flights/*.parquet")
    'flights'
    >>> name_of(["may.csv", "june.csv"]), name_of(["may.csv", "june.csv", "july.csv"])
    ('may-and-june', 'may-and-2-more')
    """
    if not isinstance(path, str | Path):
        first, *others = map(name_of, path)
        return first if not others else f"{first}-and-{others[0] if len(others) == 1 else f'{len(others)}-more'}"
    path = Path(path)
    while has_magic(path.name):
        path = path.parent
    name = path.name or "tables"
    for endings in (PACKED, (*TEXT, *PARQUET, *SHEETS)):
        found = Path(name).suffix
        if found.lower() in endings and found != name:
            name = name[: -len(found)]
    return name
