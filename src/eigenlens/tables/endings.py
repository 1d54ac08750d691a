"""What the name of a file says: its kind, and the table's name without its endings."""

from __future__ import annotations

from pathlib import Path

TEXT = (".csv", ".tsv", ".txt")
PARQUET = (".parquet", ".pq")
SHEETS = (".xlsx", ".xlsm")
PACKED = (".gz", ".bz2", ".zst", ".zip")


def name_of(path: str | Path) -> str:
    """Return the name of a table: that of its file, without the endings that say how it is stored.

    Examples
    --------
    >>> from eigenlens.tables.endings import name_of
    >>> name_of("data/Pima.tr.csv.gz")
    'Pima.tr'
    """
    name = Path(path).name
    for endings in (PACKED, (*TEXT, *PARQUET, *SHEETS)):
        found = Path(name).suffix
        if found.lower() in endings and found != name:
            name = name[: -len(found)]
    return name
