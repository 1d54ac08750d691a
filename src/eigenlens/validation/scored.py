"""The second pass: each row is judged by the models of its own fold, one for each setting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from ..arrays import namespaces
from ..rows import Block
from .folds import Folds
from .measures import Measure, Team

KEPT = 5_000_000  # answers of all settings that are kept; of more, those of the best setting are asked for again


class Scored:
    """Sums of what models say about rows, kept for each setting and fold, and the answers while they are few.

    Attributes
    ----------
    sums : ndarray of shape (S, F, m)
    kept : list of (numbers, answers), or None
        None once there were too many.
    """

    takes_sparse = False

    def __init__(self, folds: Folds, teams: Sequence[Team], measure: Measure, n_settings: int) -> None:
        self.folds, self.teams, self.measure, self.n_settings = folds, list(teams), measure, n_settings
        self.sums: np.ndarray | None = None
        self.kept: list[tuple[np.ndarray, np.ndarray]] | None = []
        self.held = 0

    def anchored(self, first: Block) -> Self:
        return self.copy()

    def copy(self) -> Self:
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        return new

    @property
    def finite(self) -> bool:
        return True

    def update(self, block: Block) -> Self:
        for fold, rows in block.split(self.folds(block)):
            if fold < 0 or rows.X.shape[0] == 0:
                continue
            weight = np.ones(rows.X.shape[0]) if rows.weight is None else namespaces.to_numpy(rows.weight)
            answers = self.teams[fold](rows.X)
            found = self.measure.sums(answers, rows, weight)
            sums = (
                np.zeros((self.n_settings, len(self.teams), found.shape[1])) if self.sums is None else self.sums.copy()
            )
            sums[:, fold] += found
            self.sums = sums
            assert rows.numbers is not None
            self._keep([(rows.numbers, answers)])
        return self

    def merge(self, other: Self) -> Self:
        if other.sums is not None:
            self.sums = other.sums if self.sums is None else self.sums + other.sums
        if other.kept is None:
            self.kept = None
        else:
            self._keep(other.kept)
        return self

    def _keep(self, answers: list[tuple[np.ndarray, np.ndarray]]) -> None:
        self.held += sum(part.size for _, part in answers)
        self.kept = None if self.kept is None or self.held > KEPT else [*self.kept, *answers]

    def scores(self) -> np.ndarray:
        """Return a score for each setting and fold."""
        assert self.sums is not None
        return self.measure.score(self.sums)

    def second(self) -> np.ndarray | None:
        """Return what decides among settings of equal scores, for each setting and fold."""
        assert self.sums is not None
        return self.measure.second(self.sums)

    def answers_of(self, setting: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the numbers of rows and what the models of one setting said about them; None where it was not kept."""
        if self.kept is None:
            return None
        numbers = np.concatenate([part for part, _ in self.kept])
        answers = np.concatenate([part[setting] for _, part in self.kept])
        order = np.argsort(numbers, kind="stable")
        return numbers[order], answers[order]


def in_rows(numbers: np.ndarray, values: np.ndarray, n: int) -> Any:
    """Return values in the places of their rows; rows that were not scored have NaN, or None for labels."""
    if len(numbers) == n and np.array_equal(numbers, np.arange(n)):
        return values
    blank = np.nan if values.dtype.kind == "f" else None
    found = np.full((n, *values.shape[1:]), blank, dtype=values.dtype if blank is not None else object)
    found[numbers] = values
    return found
