"""Where the rows live: tables of any kind become blocks of (X, y, weight).

Input is validated here and nowhere else. A back end is one file.
"""

from .files import open_rows
from .in_memory import as_source
from .labels import ClassReader, LabelReader, Labels
from .score_mixins import ClassifierScore, RegressorScore
from .slices import GivenSlices, Response, SliceReader, Slicing
from .source import Block, Source, Target, dense_blocks, map_rows, whole
from .target_columns import TargetColumns
from .writing import write_rows

__all__ = [
    "Block",
    "ClassReader",
    "ClassifierScore",
    "GivenSlices",
    "LabelReader",
    "Labels",
    "RegressorScore",
    "Response",
    "SliceReader",
    "Slicing",
    "Source",
    "Target",
    "TargetColumns",
    "as_source",
    "dense_blocks",
    "map_rows",
    "open_rows",
    "whole",
    "write_rows",
]
