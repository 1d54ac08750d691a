"""Folds of rows that belong together, in one pass: names deal groups to buckets, and sizes deal buckets to folds.

The sizes of groups are known when all rows have been read. So moments are kept for buckets, a dozen to a fold, and a
table in memory of many rows has the same ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from ..moments.folded import Folded, joined
from ..rows.sampled_rows import mixed
from ..validation.folds import GivenFolds
from .targets import written

BUCKETS = {100: 60, 200: 20}  # for so many columns at most; with more, moments of buckets would take much memory


def bucket_count(p: int) -> int:
    """Return how many buckets rows of p columns have; 0 where these would take too much memory."""
    return next((count for columns, count in BUCKETS.items() if p <= columns), 0)


def group_keys(column: Any) -> np.ndarray:
    """Return a number for the group of each row, which depends on its name alone."""
    found = column.combine_chunks().dictionary_encode(null_encoding="encode")
    names = [written(v) for v in found.dictionary.to_pylist()]
    digests = [blake2b(name.encode(), digest_size=8).digest() for name in names]
    return np.frombuffer(b"".join(digests), dtype=np.uint64)[found.indices.to_numpy(zero_copy_only=False)]


def buckets_of(keys: np.ndarray, seed: int, count: int) -> np.ndarray:
    """Return the bucket of each row."""
    return (mixed(keys ^ np.uint64(seed)) % np.uint64(count)).astype(np.intp)


@dataclass(frozen=True, eq=False)
class GroupFolds:
    """Which bucket a group is in, and which fold a bucket.

    Attributes
    ----------
    seed : int
    of_buckets : ndarray of int
        The fold of each bucket; −1 for an empty one.
    """

    seed: int
    of_buckets: np.ndarray

    @classmethod
    def dealt(cls, sizes: np.ndarray, n_folds: int, seed: int) -> GroupFolds | None:
        """Deal buckets of so many rows to folds, the largest first; None where one bucket has all rows."""
        filled = np.flatnonzero(sizes)
        if len(filled) < 2 or n_folds < 2:
            return None
        rows, found = np.zeros(min(n_folds, len(filled))), np.full(len(sizes), -1)
        for bucket in filled[np.argsort(-sizes[filled], kind="stable")].tolist():
            fold = int(np.argmin(rows))
            found[bucket], rows[fold] = fold, rows[fold] + sizes[bucket]
        return cls(seed, found)

    @property
    def n_folds(self) -> int:
        return int(self.of_buckets.max()) + 1

    def buckets(self, keys: Any) -> np.ndarray:
        """Return the bucket of each row."""
        return buckets_of(keys, self.seed, len(self.of_buckets))

    def folds(self, keys: Any) -> np.ndarray:
        """Return the fold of each row."""
        return np.asarray(self.of_buckets[self.buckets(keys)])

    def gathered(self, moments: Folded) -> Folded:
        """Return the moments of folds, from those of buckets."""
        new = moments.copy()
        parts = [[moments.parts[b] for b in np.flatnonzero(self.of_buckets == k)] for k in range(self.n_folds)]
        new.parts = [*(joined(part) for part in parts), moments.parts[-1]]
        return new


def rule_of_buckets(count: int) -> GivenFolds:
    """Return the rule by which moments of buckets are kept, of blocks whose numbers are buckets."""
    return GivenFolds(count, np.arange(count))


def dealt_groups(data: Any, plan: Any, p: int, few: int) -> GroupFolds | None:
    """Return folds of groups of many rows of p columns; None where rows are few, or alone."""
    if data.group_keys is None or data.n_rows <= few or not bucket_count(p):
        return None
    if data.whole is not None:
        found: GroupFolds | None = data.whole.group_folds
        return found
    buckets = buckets_of(data.group_keys, plan.seed, bucket_count(p))
    return GroupFolds.dealt(np.bincount(buckets, minlength=bucket_count(p)), plan.folds, plan.seed)
