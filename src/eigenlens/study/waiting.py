"""Rows that wait for others before moments are made of them: merging costs p² for each class."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..moments import Grouped
from ..rows import Block

ROWS_OF_A_PART = 200  # from which on the products of rows take longer than merging them
MOST_CELLS = 2**22  # that wait


def worth_merging(blocks: list[Block], start: Any) -> bool:
    """Tell whether rows are many enough for moments that begin as `start`, or take too much memory."""
    n, p = sum(len(block.X) for block in blocks), blocks[0].X.shape[1]
    parts = 1
    if isinstance(start, Grouped) and not start.pooled:
        parts = max(len(block.classes) for block in blocks if block.classes is not None)
    return n >= parts * min(p, ROWS_OF_A_PART) or n * p > MOST_CELLS


def joined_rows(blocks: list[Block]) -> Block:
    """Return the rows of blocks one after the other; their classes may differ."""
    if len(blocks) == 1:
        return blocks[0]
    y = classes = None
    own = [block.classes for block in blocks if block.classes is not None]
    if own:
        classes = np.unique(np.concatenate(own))
        places = [np.searchsorted(classes, labels) for labels in own]
        y = np.concatenate([of[block.y] for of, block in zip(places, blocks, strict=True)])
    numbers = np.concatenate([block.numbers for block in blocks])
    return Block(np.concatenate([block.X for block in blocks]), y, _weights(blocks), classes, None, numbers)


def cut(block: Block, rows: int) -> list[Block]:
    """Return blocks of so many rows."""
    parts = [slice(start, start + rows) for start in range(0, len(block.X), rows)]
    y, w, numbers = ([None if a is None else a[part] for part in parts] for a in (block.y, block.weight, block.numbers))
    return [Block(block.X[part], y[i], w[i], block.classes, None, numbers[i]) for i, part in enumerate(parts)]


def _weights(blocks: list[Block]) -> Any:
    return None if blocks[0].weight is None else np.concatenate([block.weight for block in blocks])
