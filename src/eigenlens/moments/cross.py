"""Moments of two tables side by side: one scatter (or factor) of [X, Y], and where it splits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..rows import Block
from .base import Composed, Moments, joint_names
from .centred import Centred, Scatter


@stored("moments.Cross")
class Cross(Composed):
    """Joint moments of X and Y.

    Parameters
    ----------
    of : {Scatter, Factor}
        How the joint scatter is kept.

    Attributes
    ----------
    joint : Centred
        Moments of the columns of X followed by those of Y.
    split : int
        Number of columns of X.
    second_names : tuple of str or None
        The columns of Y, where they have names.

    Examples
    --------
    >>> from sklearn.datasets import load_linnerud
    >>> from eigenlens import CCA
    >>> body, sport = load_linnerud().target, load_linnerud().data
    >>> type(CCA().fit(body, sport).moments_).__name__
    'Cross'
    """

    second_names: tuple[str, ...] | None = None
    second_single = False  # whether the second table was given as one column without a dimension of its own

    def __init__(self, of: type[Centred] = Scatter) -> None:
        self.joint = of()
        self.split = 0

    @classmethod
    def from_covariance(cls, covariance: Any, split: int, weight: float, mean: Any = None, ddof: float = 1.0) -> Cross:
        """Make the moments of two tables of which only the joint covariance (or correlation) matrix is known.

        Parameters
        ----------
        covariance : array of shape (p + s, p + s)
        split : int
            The first `split` columns are X, the others Y.
        weight, mean, ddof
            As in Scatter.from_covariance.
        """
        new = cls()
        new.joint, new.split = Scatter.from_covariance(covariance, weight, mean, ddof), split
        return new

    def anchored(self, first: Block) -> Self:
        new = self.copy()
        new.split = int(first.X.shape[1])
        new.joint = self.joint.anchored_at(beside(first)[0, :])
        return new

    def update(self, block: Block) -> Self:
        if self.split == 0:
            self._anchor(block)
        elif block.X.shape[1] != self.split:
            raise errors.moments_differ("the number of columns of X", self.split, block.X.shape[1])
        self.joint = self.joint.copy().update_groups(beside(block), block.weight, None)
        return self

    _first_table = " of X"

    def _join(self, other: Self) -> None:
        self.split = other.split
        self.joint = self.joint.copy().merge(other.joint)

    @property
    def n_features(self) -> int:
        if self.split == 0:
            raise errors.empty_moments()
        return self.split

    def _join_names(self, other: Moments) -> None:
        super()._join_names(other)
        assert isinstance(other, Cross)
        self.second_names = joint_names(self.second_names, other.second_names)
        self.second_single = self.second_single or other.second_single

    def _details(self) -> str:
        s = self.joint.n_features - self.split
        return f" and {s} ({type(self.joint).__name__.lower()})"

    def total(self) -> Moments:
        return self.joint

    @property
    def scalable(self) -> bool:
        return type(self) is Cross and self.joint.scalable

    def standardised(self, centre: np.ndarray, scale: np.ndarray) -> Self:
        s = self.joint.n_features - self.split
        return super().standardised(np.append(centre, np.zeros(s)), np.append(scale, np.ones(s)))

    @property
    def inner(self) -> Moments | None:
        return self.joint

    @property
    def _parts(self) -> list[Any]:
        return [self.joint]

    def _mapped(self, of_moments: Callable[[Any], Any], of_sum: Callable[[Array], Array]) -> Self:
        new = self.copy()
        new.joint = of_moments(self.joint)
        return new


def beside(block: Block) -> Array:
    """Return the rows of both tables, side by side."""
    assert block.y is not None
    return namespaces.namespace(block.X).concat([block.X, block.y], axis=1)
