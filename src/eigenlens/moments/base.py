"""The whole contract of moments: update with a block, merge with a like."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from .._core.typing import Array
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
    takes_sparse : bool
        Whether `update` takes blocks whose rows are sparse; others are given dense ones.
    """

    squared: bool
    takes_sparse: bool = False

    @abstractmethod
    def anchored(self, first: Block) -> Self:
        """Return empty moments of the same kind, with the row of `first` as the pivot."""

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

    @property
    @abstractmethod
    def finite(self) -> bool:
        """Whether all rows seen were finite: otherwise their means are not."""

    def lacks(self, needed: Moments) -> tuple[str, str] | None:
        """Return what `needed`, empty moments of the same class, would keep and these do not, and what they do keep."""
        return None

    def copy(self) -> Self:
        """Return a snapshot that later updates do not touch."""
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        return new

    def brought_to(self, like: Array) -> Self:
        """Return the same moments in the array library and on the device of `like`."""
        new = self.copy()
        new.__dict__.update({name: _brought(value, like) for name, value in self.__dict__.items()})
        return new


def _brought(value: Any, like: Array) -> Any:
    """Move what lives on a device; NumPy arrays beside it (weights, labels) stay with the host."""
    if hasattr(value, "brought_to") and not isinstance(value, type):
        return value.brought_to(like)
    if isinstance(value, list):
        return [_brought(item, like) for item in value]
    return value
