"""Moments of rows and of the means of their neighbours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays.stored import stored
from .centred import Centred
from .grouped import Grouped


@stored("moments.LocalMoments")
@dataclass(frozen=True, eq=False)
class LocalMoments:
    """What is kept of rows and their neighbours: many ridges or dimensions from one search. Parts do not merge.

    Attributes
    ----------
    slices : Grouped
        Of the rows with a response.
    everything : Centred
        Of all rows.
    local : Centred
        Of the local means.
    k : int
        Neighbours asked for.
    """

    slices: Grouped
    everything: Centred
    local: Centred
    k: int

    @property
    def squared(self) -> bool:
        return self.everything.squared

    @property
    def names(self) -> tuple[str, ...] | None:
        return self.everything.names

    @property
    def n_features(self) -> int:
        return self.everything.n_features

    @property
    def n_rows(self) -> int:
        return self.everything.n_rows

    @property
    def weight(self) -> float:
        return self.everything.weight

    @property
    def labels(self) -> np.ndarray:
        return self.slices.labels

    @property
    def weights(self) -> np.ndarray:
        return self.slices.weights

    @property
    def meaning(self) -> Any:
        return self.slices.meaning

    def lacks(self, needed: LocalMoments) -> tuple[str, str] | None:
        """Return what `needed`, empty moments, would keep and these do not, and what they do keep."""
        if needed.k == self.k:
            return None
        return f"local means of {needed.k} neighbours", f"those of {self.k}"

    def total(self) -> Centred:
        """Return the moments of all rows."""
        return self.everything

    def within(self) -> Centred:
        """Return the slice means about the pivot of all rows."""
        return self.slices.within().moved_to(self.everything.pivot)

    def copy(self) -> LocalMoments:
        """Return a snapshot."""
        return replace(self)
