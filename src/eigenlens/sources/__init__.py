"""Where the rows live: tables of any kind become blocks of (X, y, weight).

Input is validated here and nowhere else. A back end is one file.
"""

from .base import Block, Source, collect, map_rows, whole
from .companions import Labels
from .memory import as_source

__all__ = ["Block", "Labels", "Source", "as_source", "collect", "map_rows", "whole"]
