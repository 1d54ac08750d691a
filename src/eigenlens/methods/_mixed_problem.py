"""The problem that numbers and coded words pose together, and what is read off its solution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import errors, namespaces
from ..moments import Mixed
from ..moments.mixed import Crosstabs
from ..solve import Form, Spectrum, solve
from ._principal import PrincipalProblem
from .coding import Coding, products, products_with
from .factor_table import FactorTable


@dataclass(frozen=True, eq=False)
class MixedProblem(PrincipalProblem):
    """The products of standardised numbers and coded words.

    Attributes
    ----------
    coding : Coding or None
        None where there are no words.
    tables : Crosstabs or None
    wanted : int
        How many directions are kept.
    """

    coding: Coding | None = None
    tables: Crosstabs | None = None
    wanted: int = 1

    @cached_property
    def full(self) -> Spectrum:
        """All directions of the pencil."""
        return solve(self.pencil)

    def solve(self) -> Spectrum:
        spectrum = self.full
        return spectrum.first(max(1, min(self.wanted, spectrum.rank) if self.asked is None else self.wanted))

    def drops_weak(self, spectrum: Spectrum) -> bool:
        return self.asked is None and len(spectrum) < (self.pencil.most or self.pencil.dimension)

    def condition(self, spectrum: Spectrum) -> float:
        first, last = float(spectrum.singular_values[0]), float(spectrum.singular_values[-1])
        return first / last if last > 0 else 1.0

    def shortfalls(self, spectrum: Spectrum) -> Iterator[Warning]:
        if not spectrum.rank:
            yield errors.RankWarning(
                "All columns of X are constant: no component has variance. Check that these are the right columns and "
                "rows."
            )
        elif spectrum.rank < len(spectrum) and self.asked is not None:
            yield errors.RankWarning(
                f"X has rank {spectrum.rank} but n_components={self.asked}: {len(spectrum) - spectrum.rank} "
                f"component(s) have no variance; ask for fewer."
            )


def coded_form(moments: Mixed, coding: Coding | None, tables: Crosstabs | None) -> Form:
    """Return the products of all coded columns, over W: numbers first, then the levels."""
    numbers = moments.numbers
    xp = namespaces.namespace(numbers.pivot)
    spread = (numbers.store.diagonal() / moments.weight) ** 0.5
    live = ~numbers.constant_columns() & (spread > 0)
    scale = xp.where(live, 1.0 / xp.where(live, spread, xp.ones_like(spread)), xp.zeros_like(spread))
    own = Form.of(numbers, moments.weight).column_scaled(scale)
    if coding is None or tables is None:
        return own
    words = products(coding, tables, moments.weight)
    if not numbers.n_features:
        return Form(matrix=words / len(coding.levels))
    across = products_with(coding, tables, moments)
    return Form(matrix=np.block([[namespaces.to_numpy(own.dense()), across.T], [across, words]]))


def table_of_numbers(names: list[str], values: np.ndarray, V: np.ndarray) -> FactorTable:
    """Return the columns of numbers as points: their correlations with the axes."""
    coordinates = V * np.sqrt(values)
    return FactorTable(names, coordinates, V**2, coordinates**2)


def adjusted_inertia(values: np.ndarray, k: int, Q: int, L: int) -> np.ndarray:
    """Return Benzécri's and Greenacre's shares; axes of less than 1/Q have none of them."""
    if Q < 2:
        return np.stack([values[:k] / max(float(values.sum()), np.finfo(float).tiny)] * 2, axis=1)
    beyond = (Q / (Q - 1) * np.maximum(values - 1 / Q, 0.0)) ** 2
    average = Q / (Q - 1) * (float((values**2).sum()) - (L - Q) / Q**2)
    totals = np.array([beyond.sum(), average])
    return beyond[:k, None] / np.where(totals > 0, totals, 1.0)
