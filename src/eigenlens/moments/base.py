"""The whole contract of moments: update with a block, merge with a like."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import Self

from ..sources import Block


class Moments(ABC):
    """Sufficient statistics of the rows seen so far.

    The law: splitting rows in any way, updating one object per part and merging these gives the statistics of the
    whole, to round-off. `update` and `merge` change the object and return it; arrays that were handed out are never
    written to, so that a shallow copy is a snapshot.

    Attributes
    ----------
    squared : bool
        Whether the digits of the data are halved by squaring them.
    """

    squared: bool

    @abstractmethod
    def anchored(self, first: Block) -> Self:
        """Return empty moments of the same kind, with the first row as the pivot."""

    @abstractmethod
    def update(self, block: Block) -> Self:
        """Take in the rows of a block."""

    @abstractmethod
    def merge(self, other: Self) -> Self:
        """Take in all rows that `other` has seen."""

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Columns of X."""

    @property
    @abstractmethod
    def weight(self) -> float:
        """Total weight of the rows seen."""

    def copy(self) -> Self:
        """Return a snapshot that later updates do not touch."""
        return copy.copy(self)
