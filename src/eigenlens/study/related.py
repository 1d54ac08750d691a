"""What is known about rows in addition to their cells: which belong together, and how much each counts."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from .data import Data


@dataclass(frozen=True)
class Related:
    """What is known about rows in addition to their cells.

    Attributes
    ----------
    groups : ndarray of int or None
        Which belong together.
    weights : ndarray or None
        How much each counts.
    """

    groups: np.ndarray | None = None
    weights: np.ndarray | None = None
    told = "Rows that belong together were moved together."

    def of(self, rows: np.ndarray) -> Related:
        """Return the same of some of the rows."""
        parts = [None if of_all is None else of_all[rows] for of_all in (self.groups, self.weights)]
        return ALONE if self is ALONE else Related(*parts)

    @property
    def words(self) -> str:
        return "weights" if self.groups is None else "groups"

    def given(self) -> dict[str, Any]:
        """Return what a test takes."""
        found = {"groups": self.groups, "sample_weight": self.weights}
        return {name: value for name, value in found.items() if value is not None}

    def refused_by(self, model: Any) -> str:
        """Say why a model cannot test such rows, if it cannot."""
        name = type(model).__name__
        if self.groups is not None and self.weights is not None:
            return "There is no test for rows that have weights and also belong to groups."
        if self.groups is not None and "groups" not in signature(model.test_dimension).parameters:
            return f"The test of {name} moves rows one by one, but here they belong together."
        return ""


ALONE = Related()


def related_rows(data: Data) -> Related:
    """Return what the table says about its rows."""
    return ALONE if data.groups is None and data.weights is None else Related(data.groups, data.weights)
