"""The problem that the profiles of a table of counts pose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..arrays import errors
from ..solve import Spectrum, solve
from .spine.problem import Problem

FEW_OF_MANY = 4  # columns for each axis from which the others are not solved for


@dataclass(frozen=True, eq=False)
class ProfilesProblem(Problem):
    """The scatter of row profiles in the metric of the margin.

    Attributes
    ----------
    wanted : int
        How many directions are kept.
    """

    wanted: int = 1

    condition_of = "The table of profiles, along the axes that are kept,"

    def solve(self) -> Spectrum:
        spectrum = solve(self.pencil)
        k = max(1, min(self.wanted, spectrum.rank) if self.asked is None else self.wanted)
        return spectrum if k == len(spectrum) else spectrum.first(k)

    def condition(self, spectrum: Spectrum) -> float:
        first, last = float(spectrum.singular_values[0]), float(spectrum.singular_values[-1])
        return first / last if last > 0 else 1.0

    def drops_weak(self, spectrum: Spectrum) -> bool:
        return self.asked is None

    def shortfalls(self, spectrum: Spectrum) -> Iterator[Warning]:
        if not spectrum.rank:
            yield errors.RankWarning(
                "All rows of X have the same profile: no axis has inertia. Check that these are the right rows and "
                "columns."
            )
        elif spectrum.rank < len(spectrum):
            yield errors.RankWarning(
                f"X has {spectrum.rank} axes with inertia but n_components={len(spectrum)}; ask for fewer. Rows of the "
                f"same profile count as one."
            )
