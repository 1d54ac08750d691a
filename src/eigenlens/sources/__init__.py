"""Where the rows live: tables of any kind become blocks of (X, y, weight).

Input is validated here and nowhere else. A back end is one file.
"""

from .base import Block, Source, Target, collect, dense_blocks, map_rows
from .companions import Labels
from .files import open_rows
from .memory import as_source
from .writing import write_rows

__all__ = [
    "Block",
    "Labels",
    "Source",
    "Target",
    "as_source",
    "collect",
    "dense_blocks",
    "map_rows",
    "open_rows",
    "write_rows",
]
