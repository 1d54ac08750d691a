"""How rows are cut: a block fits the processor's cache, a segment is a piece of work for one thread.

It depends on the table alone, and never on the number of threads.
"""

from __future__ import annotations

BLOCK_BYTES = 2**22  # float64 rows of one block: they stay in cache from the first look to the product
DEVICE_SHARE, DEVICE_BLOCK_BYTES = 32, 2**28  # a device wants few large products: this share of its memory, or so many
BLOCK_ROWS = (256, 65_536)  # fewer starve the matrix product, more leave the cache
SEGMENTS, SEGMENT_BLOCKS = 8, 8  # at least so many segments where there are blocks enough; at most so many blocks each


def block_rows(n_columns: int, n_groups: int = 1, device_bytes: int | None = None) -> int:
    """Return how many rows make a block: cache-sized, or for a device of so much memory, and many more than groups.

    A merge costs as much as p/2 rows or so, hence the floor at half the number of columns.
    """
    if device_bytes is not None:
        size = max(device_bytes // DEVICE_SHARE, DEVICE_BLOCK_BYTES)
        return max(size // (8 * (n_columns + n_groups)), n_columns, 4 * n_groups)
    low, high = BLOCK_ROWS
    rows = min(max(BLOCK_BYTES // (8 * n_columns), low), high)
    return max(rows, n_columns // 2, 4 * n_groups)


def segment_blocks(n_rows: int, rows: int) -> int:
    """Return how many blocks make a segment: enough segments to keep threads busy, few enough to merge at no cost."""
    return min(max(n_rows // rows // SEGMENTS, 1), SEGMENT_BLOCKS)
