"""The directions of largest spread of one table: what principal components are asked of, and when they are certain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.typing import Array
from ..inference.dimension_test import DimensionTest
from ..inference.incomplete import Hypothesis, of_columns
from ..moments import Centred, Factor, Outline
from ..moments.centred import choose_kind
from ..moments.redrawn import Redrawn
from ..rows import Source
from ..solve import Spectrum, solve
from ..solve.strategy import fits
from ._principal import PrincipalProblem
from .spine.component_tests import DRAWS, LEVEL, MOST_CELLS, SEED, count_components, shared_by_rows
from .spine.problem import REREAD_CONDITION, column_names
from .spine.rows_estimator import repeated_or_none

UNITS, ALONE = 9.0, 0.98  # variances beyond those of other columns, and the squared loading of a column by itself
CHANCE = 30  # rows of which variances differ as much by chance as by units
WEAKEST = 1e-5  # spread, beside that of the strongest direction, below which products with rows leave few digits


@dataclass(frozen=True, eq=False)
class SpreadProblem(PrincipalProblem):
    """Directions of largest spread, as many as a rule keeps.

    Attributes
    ----------
    divisor : float
        Of the covariance.
    solver : str
        The solver asked for.
    """

    divisor: float = 1.0
    solver: Any = "auto"

    def solve(self) -> Spectrum:
        spectrum = solve(self.pencil, self.solver)
        if isinstance(self.asked, Integral):
            return spectrum
        if self.asked is None:
            return spectrum.first(max(1, spectrum.rank))
        return spectrum.first(count_components(self.asked, spectrum, self.pencil, self.moments))

    def condition(self, spectrum: Spectrum) -> float:
        if self.asked is None or isinstance(self.asked, Integral):
            return spectrum.condition
        first, last = float(spectrum.singular_values[0]), float(spectrum.singular_values[-1])
        return first / last if last > 0 else 1.0

    def better_kind(self, spectrum: Spectrum, source: Source) -> type[Centred] | None:
        if not isinstance(self.moments, Outline):
            return super().better_kind(spectrum, source)
        if is_certain(spectrum):
            return None
        weak = self.condition(spectrum) > REREAD_CONDITION  # a scatter would leave few digits of the weakest
        usual = Factor if weak else choose_kind(source.n_rows, source.n_columns)
        return usual if fits(source, usual) else None

    @property
    def hypothesis(self) -> Callable[[Redrawn], Hypothesis]:
        return lambda sample: of_columns(len(sample.columns), sample.weight - 1)

    def drops_weak(self, spectrum: Spectrum) -> bool:
        most = self.pencil.most or self.pencil.dimension
        return self.asked is None and len(spectrum) < min(self.pencil.dimension, most)

    def shortfalls(self, spectrum: Spectrum) -> Iterator[Warning]:
        if isinstance(self.moments, Outline) and not is_certain(spectrum):
            yield errors.NotConvergedWarning(
                f"‖Σv − λv‖ is {spectrum.residual:.1e} of the largest eigenvalue after {spectrum.steps} products with "
                f"the rows, and the weakest direction has {_share(spectrum):.1e} of the spread of the strongest: it is "
                "poorly determined, and the product of all columns does not fit into memory. Ask for fewer components."
            )
        most = min(self.moments.n_features, self.moments.n_rows - 1)
        if self.asked is None and len(spectrum) < most:
            advice = "They have no variance: constant or collinear columns."
            yield errors.rank_deficient("X", spectrum.rank, most, "directions are possible", advice)
        elif spectrum.rank < len(spectrum) and not self.moments.squared:
            yield errors.RankWarning(
                f"X has rank {spectrum.rank} but n_components={len(spectrum)}: {len(spectrum) - spectrum.rank} "
                "component(s) have no variance; ask for fewer."
            )


def _share(spectrum: Spectrum) -> float:
    """Return the spread of the weakest direction relative to that of the strongest."""
    s = spectrum.singular_values
    return float(s[-1]) / (float(s[0]) or 1.0)


def is_certain(spectrum: Spectrum) -> bool:
    """Tell whether products with rows have given every direction its digits, or found that it carries nothing."""
    weak = spectrum.rank == len(spectrum) and _share(spectrum) < WEAKEST
    return spectrum.settled and not weak


def shared_directions(source: Source) -> DimensionTest | None:
    """Test how many directions the columns of a fit share; None where its moments have to tell."""
    rows = repeated_or_none(source, MOST_CELLS) if source.rereadable and source.missing == "refuse" else None
    few = rows is None or len(rows.X) < 4 or np.count_nonzero(np.ptp(rows.X, axis=0)) < 2
    return None if rows is None or few else shared_by_rows(rows.X, LEVEL, DRAWS, SEED)


def warn_of_units(problem: SpreadProblem, spectrum: Spectrum) -> None:
    """Warn where the first component is a single column that has another unit than the rest."""
    variances = namespaces.to_numpy(problem.pencil.A.diagonal())
    if problem.scale is not None or np.count_nonzero(~namespaces.to_numpy(problem.given.constant_columns())) < 2:
        return
    second, first = np.partition(variances, -2)[-2:]
    j = int(np.argmax(variances))
    if first <= UNITS * (1 + CHANCE / problem.given.n_rows) * second or float(spectrum.vectors[j, 0]) ** 2 < ALONE:
        return
    named = column_names(problem.names, np.arange(len(variances)) == j)
    times = np.sqrt(first / second) if second > 0 else np.inf  # the next may be too small to be squared
    errors.warn(
        errors.ScaleWarning(
            f"The first component is column {named} alone: its standard deviation is {times:.3g} times the next. "
            "Use scale=True, unless all columns have the same unit."
        )
    )


def warn_of_range(results: dict[str, Array], s: Array) -> None:
    """Warn where a result overflows or vanishes although the direction, of singular value s, is there."""
    xp = namespaces.namespace(s)
    present, lost = s > 1e-12 * s[0], []
    for name, values in results.items():
        smallest = xp.finfo(values.dtype).smallest_normal
        if bool(xp.any(~xp.isfinite(values) | ((values < smallest) & present))):
            lost.append(name)
    if lost:
        advice = "the directions and shares are right; rescale X to get it."
        dtype = next(iter(results.values())).dtype
        errors.warn(errors.not_representable(" and ".join(lost), dtype, advice))
