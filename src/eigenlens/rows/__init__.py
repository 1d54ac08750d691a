"""Anything that people call a table becomes blocks of (X, y, weight).

Input is validated here and nowhere else. A back end is one file.
"""

from .csv_text import Dialect
from .files import open_rows
from .in_memory import as_source
from .labels import ClassReader, LabelReader, Labels
from .preparation import Preparation
from .reading import TableFile
from .scores import ClassifierScore, RegressorScore
from .slices import GivenSlices, Response, SliceReader, Slicing
from .source import Block, Source, Target, dense_blocks, map_rows, whole
from .target_columns import TargetColumns
from .writing import write_rows

__all__ = [
    "Block",
    "ClassReader",
    "ClassifierScore",
    "Dialect",
    "GivenSlices",
    "LabelReader",
    "Labels",
    "Preparation",
    "RegressorScore",
    "Response",
    "SliceReader",
    "Slicing",
    "Source",
    "TableFile",
    "Target",
    "TargetColumns",
    "as_source",
    "dense_blocks",
    "map_rows",
    "open_rows",
    "whole",
    "write_rows",
]
